from dataclasses import replace

import numpy as np
import pytest
from convex import minimum
from laplacian_problems import make_objective
from numpy.testing import assert_allclose

from widemargin.solvers.newton import reduced_newton
from widemargin.solvers.result import Status


@pytest.mark.parametrize("power", [1, 2, 3])
def test_reaches_the_convex_solvers_minimum(rng, power):
    objective = make_objective(rng, power=power)
    expected = sum(
        minimum(
            objective.space.gram,
            objective.laplacian.to_dense(),
            objective.label_idx,
            targets,
            objective.weights,
            "squared hinge",
            objective.ambient,
            objective.intrinsic,
        )
        for targets in objective.targets.T
    )
    assert_allclose(reduced_newton(objective.reduced()).objective, expected, rtol=1e-8)


@pytest.mark.parametrize("intercept", [None, "inside", "penalized"])
def test_objective_never_rises(rng, intercept):
    objective = make_objective(rng, n_labels=40, intercept=intercept, ambient=1e-5)
    values = reduced_newton(objective.reduced()).history["objective"]
    assert len(values) > 2
    assert np.all(np.diff(values) <= 1e-12)


def test_iteration_limit_is_reported(rng):
    problem = make_objective(rng, n_labels=40, ambient=1e-5).reduced()
    assert reduced_newton(problem, max_iter=1).status is Status.MAX_ITER


def test_ends_where_steps_of_length_one_go_round_in_circles(rng):
    """The published method repeats itself on this problem; the line search ends it."""
    draw = np.random.default_rng(177)
    half = draw.standard_normal((8, 7))
    problem = replace(
        make_objective(rng, n_classes=2, n_labels=8).reduced(),
        response=1000 * half @ half.T,
        targets=draw.choice([-1.0, 1.0], (8, 1)),
        weights=np.full(8, 1 / 8),
    )
    active, seen = np.ones(8, dtype=bool), []
    while active.tolist() not in seen:
        seen.append(active.tolist())
        g, b = problem.stationary(active)(problem.targets)
        active = problem.loss.active(problem.targets, problem.scores(g, b))[:, 0]
    assert active.tolist() != seen[-1]  # a cycle, not an end
    result = reduced_newton(problem)
    assert result.status is Status.CONVERGED
    assert np.all(np.diff(result.history["objective"]) <= 1e-12)
