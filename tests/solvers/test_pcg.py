from dataclasses import replace

import numpy as np
import pytest
from laplacian_problems import make_objective
from numpy.testing import assert_allclose, assert_array_equal

from widemargin.labels import decide
from widemargin.objectives.losses import Squared, SquaredHinge
from widemargin.solvers.newton import reduced_newton
from widemargin.solvers.pcg import (
    MixedCheck,
    StabilityCheck,
    ValidationCheck,
    check_interval,
    pcg,
)
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
        objective.functions.scores(result.solution),
        objective.functions.scores(problem.coordinates(exact.solution)),
        atol=1e-4,
    )


def test_objective_never_rises(rng):
    values = pcg(make_objective(rng, n_labels=30)).history["objective"]
    assert np.all(np.diff(values) <= 1e-12)


def test_history_has_the_intervals_of_each_line_search(rng):
    """One where the loss has no kink; more where labels leave or enter the margin."""
    result = pcg(make_objective(rng, n_labels=30))
    intervals = result.history["line_search"]
    assert len(intervals) == result.n_iter
    assert 1.0 < max(intervals) <= 31.0
    squared = pcg(make_objective(rng, n_labels=30, loss=Squared()))
    assert set(squared.history["line_search"]) == {1.0}


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
        check = StabilityCheck(np.arange(20, 300), interval=10)
        results.append(pcg(objective, check=check))
        assert results[-1].solution.dtype == dtype
        scores.append(objective.functions.scores(results[-1].solution))
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


# Early stopping


def one_column(*signs):
    return np.array(signs, dtype=float)[:, None]


@pytest.mark.parametrize(
    ("n_rows", "interval"), [(362, 10), (1040, 16), (1410, 19), (11902, 55), (9, 10)]
)
def test_interval_is_half_the_root_but_at_least_ten(n_rows, interval):
    assert check_interval(n_rows) == interval


def test_stability_counts_each_changed_decision_once():
    """One of 100 decisions is 1 % (stop), two are 2 % (go on)."""
    check = StabilityCheck(np.arange(100), interval=10)
    before = check.look(np.ones((100, 1)))
    for n_changed, stops in [(1, True), (2, False)]:
        scores = np.ones((100, 1))
        scores[:n_changed] = -1
        stop, change = check.compare(before, check.look(scores))
        assert stop is stops
        assert change == n_changed / 100


def test_stability_looks_at_its_rows_only():
    check = StabilityCheck(np.array([0, 1]), interval=10)
    before = check.look(one_column(1, 1, 1))
    assert check.compare(before, check.look(one_column(1, 1, -1))) == (True, 0.0)


def test_stability_of_several_classes_is_of_the_joint_decision():
    """Scores may move as they like while the largest stays the largest."""
    check = StabilityCheck(np.arange(2), interval=10)
    before = check.look(np.array([[1.0, 0, 0], [0, 1.0, 0]]))
    now = check.look(np.array([[0.2, -1, -1], [-5, -1, -2.0]]))
    assert check.compare(before, now) == (True, 0.0)


@pytest.mark.parametrize(("before", "now", "stops"), [(3, 3, True), (3, 4, False)])
def test_validation_needs_one_more_correct_row(before, now, stops):
    check = ValidationCheck(np.arange(5), np.ones(5, dtype=int), interval=10)
    seen = [check.look(one_column(*[1] * n, *[-1] * (5 - n))) for n in (before, now)]
    assert seen == [before, now]
    assert check.compare(*seen)[0] is stops


def test_mixed_needs_both():
    stability = StabilityCheck(np.arange(2), interval=10)
    validation = ValidationCheck(np.array([2]), np.array([1]), interval=10)
    check = MixedCheck(stability, validation)
    before = check.look(one_column(1, 1, -1))
    assert not check.compare(before, check.look(one_column(1, 1, 1)))[0]
    assert not check.compare(before, check.look(one_column(1, -1, -1)))[0]
    assert check.compare(before, check.look(one_column(1, 1, -1)))[0]


def test_stable_decisions_far_from_the_optimum_are_no_reason_to_stop():
    """Hardly any decision changes while conjugate gradient is slow."""
    objective = make_objective(
        np.random.default_rng(0), n_samples=400, n_labels=10, n_classes=2,
        ambient=1e-5, intrinsic=1e-3,
    )  # fmt: skip
    lowest = reduced_newton(objective.reduced()).objective
    check = StabilityCheck(np.arange(10, 400), interval=10)
    printed = pcg(objective, check=replace(check, most_fall=np.inf))
    result = pcg(objective, check=check)
    assert printed.status is result.status is Status.STOPPED_EARLY
    assert printed.objective > 1.3 * lowest
    assert result.objective < 1.15 * lowest
    assert result.n_iter > printed.n_iter
