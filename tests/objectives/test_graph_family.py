from dataclasses import replace

import numpy as np
import pytest
from machines import make_objective
from numpy.testing import assert_allclose

from widemargin.linalg.expansions import KernelExpansion
from widemargin.objectives.graph_family import SHARES, given_graph, share_graph
from widemargin.solvers.reduced_newton import reduced_newton


def scores_of(objective, problem):
    c = problem.coordinates(reduced_newton(problem).solution)
    return objective.space.scores(c)


def test_ends_are_the_machine_without_the_graph_and_with_nothing_else(rng):
    objective = make_objective(rng, intercept="penalized")
    family = share_graph(objective)
    assert family.shares == SHARES
    plain = replace(objective, intrinsic=0.0)
    for problem, machine in [
        (family.problems[0], plain),
        (family.problems[-1], family.graph),
    ]:
        ours, direct = (
            scores_of(objective, problem),
            scores_of(machine, machine.reduced()),
        )
        assert_allclose(ours, direct, atol=1e-7)


def test_both_kernels_are_equally_large_on_the_labels(rng):
    family = share_graph(make_objective(rng))
    traces = [np.trace(problem.response) for problem in family.problems]
    assert_allclose(traces, traces[0])


def test_scale_of_the_kernel_does_not_matter(rng):
    """A kernel a hundred times larger, with its ambient weight: the same scores."""
    objective = make_objective(rng)
    larger = replace(
        objective,
        expansion=KernelExpansion(100 * objective.expansion.gram),
        ambient=100 * objective.ambient,
    )
    for one, other in zip(
        share_graph(objective).problems, share_graph(larger).problems, strict=True
    ):
        assert_allclose(
            scores_of(objective, one), scores_of(larger, other), rtol=1e-5, atol=1e-7
        )


def test_weights_for_more_samples_keep_the_graphs(rng):
    small, large = (make_objective(rng, n_samples=n) for n in (60, 180))
    family = share_graph(small)
    machine = family.graph_objective(large)
    assert machine.intrinsic == family.graph.intrinsic
    assert_allclose(machine.ambient, family.graph.ambient / 3)
    assert machine.expansion is large.expansion


@pytest.mark.parametrize(("intrinsic", "share"), [(0.0, 0.0), (0.3, 1.0)])
def test_given_weights_are_a_family_of_one(rng, intrinsic, share):
    objective = make_objective(rng, intrinsic=intrinsic)
    family = given_graph(objective)
    assert family.shares == (share,)
    larger = make_objective(rng, n_samples=180, intrinsic=intrinsic)
    machine = family.graph_objective(larger)
    assert (machine.ambient, machine.intrinsic) == (objective.ambient, intrinsic)


def test_weight_of_the_graph_is_twice_the_number_of_samples(rng):
    family = share_graph(make_objective(rng))  # a kernel with unit diagonal
    assert_allclose(family.graph.intrinsic / family.graph.ambient, 2 * 60)


def test_kernel_that_is_zero_on_the_labels_is_refused(rng):
    objective = make_objective(rng)
    gram = objective.expansion.gram.copy()
    gram[:15] = gram[:, :15] = 0.0
    with pytest.raises(ValueError, match="the kernel is zero on all labeled samples"):
        share_graph(replace(objective, expansion=KernelExpansion(gram)))
