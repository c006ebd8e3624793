"""The published Newton method, and that `reduced_newton` finds the same minimum."""

from dataclasses import replace

import numpy as np
import pytest
from convex import minimum
from laplacian_problems import make_objective
from numpy.testing import assert_allclose

from widemargin.objectives.losses import Squared, SquaredHinge
from widemargin.solvers.newton import reduced_newton
from widemargin.solvers.result import Status
from widemargin_bench.published_newton import NewtonSystem, newton

INTERCEPTS = [
    (None, True),
    ("inside", True),
    ("inside", False),
    ("penalized", True),
]


def gradient_at(objective, c):
    """Gradient by the coordinates: the Gram matrix times the preconditioned one."""
    scores = objective.functions.scores(c)
    smoothing = objective.smoothing(c, scores)
    return objective.space.gram @ objective.gradient(c, scores, smoothing)


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
    assert_allclose(newton(objective).objective, expected, rtol=1e-8)


@pytest.mark.parametrize("loss", [SquaredHinge(), Squared()])
@pytest.mark.parametrize(("intercept", "normalized"), INTERCEPTS)
def test_reduced_newton_equals_published_newton(rng, loss, intercept, normalized):
    objective = make_objective(
        rng, loss=loss, intercept=intercept, normalized=normalized
    )
    problem = objective.reduced()
    published, reduced = newton(objective), reduced_newton(problem)
    assert published.status is reduced.status is Status.CONVERGED
    assert_allclose(reduced.objective, published.objective, rtol=1e-10)
    coordinates = problem.coordinates(reduced.solution)
    assert_allclose(coordinates, published.solution, rtol=1e-6, atol=1e-8)


def test_iteration_limit_is_reported(rng):
    objective = make_objective(rng, n_labels=40)
    assert newton(objective, max_iter=1).status is Status.MAX_ITER


def test_copies_make_the_gram_matrix_singular_and_harmless(rng):
    """Rows 0 to 4 are copies of the last: both methods find the same objective."""
    objective = make_objective(rng, copies=5)
    assert np.linalg.matrix_rank(objective.space.gram) < 60
    reduced = reduced_newton(objective.reduced())
    assert_allclose(reduced.objective, newton(objective).objective, rtol=1e-8)
    assert np.isfinite(reduced.solution).all()


def test_two_labels_on_one_row_pull_both_ways(rng):
    """A row with both labels: the published system has it twice, and so do we."""
    objective = make_objective(rng, n_classes=2, loss=Squared())
    rows, targets = objective.label_idx.copy(), objective.targets.copy()
    rows[1], targets[0], targets[1] = rows[0], 1.0, -1.0
    objective = replace(objective, label_idx=rows, targets=targets)
    problem = objective.reduced()
    found = problem.coordinates(reduced_newton(problem).solution)
    assert_allclose(found, newton(objective).solution, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("loss", [SquaredHinge(), Squared()])
def test_hessian_matches_finite_differences_of_the_gradient(rng, loss):
    objective = make_objective(rng, loss=loss, n_classes=2)
    c, step = 0.3 * rng.standard_normal((60, 1)), 1e-6
    scores = objective.functions.scores(c)[objective.label_idx]
    active = loss.active(objective.targets, scores)[:, 0]
    assert active.any()
    hessian = objective.space.gram @ NewtonSystem(objective).hessian(active)
    for direction in rng.standard_normal((5, 60, 1)):
        ahead = gradient_at(objective, c + step * direction)
        behind = gradient_at(objective, c - step * direction)
        expected = hessian @ direction
        assert_allclose((ahead - behind) / (2 * step), expected, rtol=1e-4, atol=1e-6)
