from dataclasses import replace

import numpy as np
import pytest
from machines import make_objective
from numpy.testing import assert_allclose, assert_array_equal

from widemargin.labels import decide
from widemargin.objectives.losses import Squared, SquaredHinge
from widemargin.solvers.early_stopping import StabilityCheck
from widemargin.solvers.pcg import pcg
from widemargin.solvers.reduced_newton import reduced_newton
from widemargin.solvers.result import Status

VARIANTS = [
    {"intercept": intercept, "normalized": normalized, "features": features}
    for intercept in (None, "inside", "penalized")
    for normalized in (False, True)
    for features in (False, True)
]


@pytest.mark.parametrize("loss", [SquaredHinge(), Squared()])
@pytest.mark.parametrize("variant", VARIANTS)
def test_converged_pcg_reaches_the_exact_minimum(rng, loss, variant):
    objective = make_objective(rng, loss=loss, **variant)
    problem = objective.reduced()
    exact = reduced_newton(problem)
    result = pcg(objective, max_iter=5000, tol=1e-8)
    assert result.status is Status.CONVERGED
    assert_allclose(result.objective, exact.objective, rtol=1e-6)
    assert_allclose(
        objective.space.scores(result.solution),
        objective.space.scores(problem.coordinates(exact.solution)),
        atol=1e-4,
    )


def test_objective_never_rises(rng):
    values = pcg(make_objective(rng, n_labels=30)).history["objective"]
    assert np.all(np.diff(values) <= 1e-12)


@pytest.mark.parametrize("intercept", [None, "inside", "penalized"])
def test_block_equals_class_by_class(rng, intercept):
    """Twelve iterations: columns advance as if alone."""
    objective = make_objective(rng, n_classes=6, n_labels=25, intercept=intercept)
    block = pcg(objective, max_iter=12)
    for column in range(6):
        alone = replace(objective, targets=objective.targets[:, [column]])
        result = pcg(alone, max_iter=12)
        assert_allclose(result.solution[:, 0], block.solution[:, column], rtol=1e-8)


def test_converged_column_leaves_the_block(rng):
    """A column that is easy from the start ends with the accuracy that was asked."""
    objective = make_objective(rng, n_classes=2)
    targets = np.hstack([objective.targets, np.zeros_like(objective.targets)])
    objective = replace(objective, targets=targets, loss=Squared())
    result = pcg(objective, max_iter=2000, tol=1e-8)  # the second minimum is at zero
    assert result.status is Status.CONVERGED
    assert_array_equal(result.solution[:, 1], 0.0)
    alone = pcg(replace(objective, targets=targets[:, :1]), max_iter=2000, tol=1e-8)
    assert_allclose(result.solution[:, 0], alone.solution[:, 0], rtol=1e-10)


def test_single_precision_takes_the_same_way(rng):
    """Same number of iterations to the stability stop, nearly the same scores."""
    seed = rng.integers(2**31)
    results, scores = [], []
    for dtype in (np.float32, np.float64):
        objective = make_objective(
            np.random.default_rng(seed), n_samples=300, n_labels=20, dtype=dtype
        )
        check = StabilityCheck(np.arange(20, 300), decide, interval=10)
        results.append(pcg(objective, check=check))
        assert results[-1].solution.dtype == dtype
        scores.append(objective.space.scores(results[-1].solution))
    assert results[0].n_iter == results[1].n_iter
    assert results[0].status is results[1].status is Status.STOPPED_EARLY
    assert np.mean(decide(scores[0]) != decide(scores[1])) <= 0.005


def test_singular_gram_matrix_is_harmless(rng):
    objective = make_objective(rng, copies=6)
    exact = reduced_newton(objective.reduced())
    result = pcg(objective, max_iter=3000, tol=1e-8)
    assert_allclose(result.objective, exact.objective, rtol=1e-6)


def test_start_at_the_solution_ends_at_once(rng):
    objective = make_objective(rng)
    solution = pcg(objective, max_iter=3000, tol=1e-9).solution
    again = pcg(objective, solution, tol=1e-6)
    assert again.n_iter == 0
    assert again.status is Status.CONVERGED


def test_interrupt_keeps_what_was_found(rng):
    objective = make_objective(rng)

    def interrupt(iteration, history):
        if iteration == 5:
            raise KeyboardInterrupt

    result = pcg(objective, callback=interrupt)
    assert result.status is Status.INTERRUPTED
    assert result.n_iter == 5
    assert_allclose(result.solution, pcg(objective, max_iter=5).solution)
    assert result.objective < result.history["objective"][0]


def test_iteration_limit_is_reported(rng):
    result = pcg(make_objective(rng), max_iter=3)
    assert result.status is Status.MAX_ITER
    assert result.n_iter == 3


def test_the_callers_start_is_not_written_to(rng):
    start = rng.standard_normal((60, 3))
    before = start.copy()
    pcg(make_objective(rng), start, max_iter=5)
    assert_array_equal(start, before)
