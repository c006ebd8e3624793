import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from widemargin.rows import Rows
from widemargin.sample import collect_sample
from widemargin.solvers.result import Status
from widemargin.solvers.self_training import SelfTraining, self_train


@pytest.fixture
def sample(rng):
    """Three clusters, two labels each, one row with two labels."""
    X = rng.normal(size=(90, 4)) + 3.0 * np.repeat(np.eye(3, 4), 30, axis=0)
    X[1] = X[0]
    y = np.full(90, -1)
    y[[0, 2, 30, 31, 60, 61]] = [0, 0, 1, 1, 2, 2]
    y[1] = 1
    return collect_sample(Rows(X), y, merge="all").sorted()


@pytest.fixture
def features(sample):
    X = sample.rows.X
    return np.hstack([X, np.ones((len(X), 1))])


@pytest.fixture
def problem(sample, features):
    return SelfTraining.of(features, sample, np.full((len(features), 3), 1 / 3), 10.0)


def objective(problem, coef, classes, penalty):
    """The formula of the docstring, row by row."""
    total = penalty * (coef**2).sum()
    given = zip(problem.label_idx, problem.codes, problem.label_weights, strict=True)
    missing = zip(range(len(classes)), classes, problem.row_weights, strict=True)
    for row, code, weight in [*given, *missing]:
        target = np.where(np.arange(len(problem.shares)) == code, 1.0, -1.0)
        total += weight * ((target - problem.features[row] @ coef) ** 2).sum()
    return total


def test_weights_of_labels_and_rows(problem):
    assert_allclose(problem.label_weights.sum(), 1.0)
    assert_allclose(problem.row_weights.sum(), 10.0)
    assert_array_equal(problem.row_weights[problem.label_idx], 0.0)


@pytest.mark.parametrize("penalty", [1e-3, 0.1, 10.0])
def test_coefficients_minimize_the_objective_for_their_labels(problem, rng, penalty):
    """One round fits weighted ridge regression to the classes of the start."""
    start = rng.normal(size=(len(problem.features), 3))
    result = self_train(problem, start, penalty=penalty, max_iter=1)
    coef, shifts = result.solution[:-1], result.solution[-1]
    classes = (start + shifts).argmax(axis=1)
    least = objective(problem, coef, classes, penalty)
    for _ in range(20):
        other = coef + 1e-3 * rng.normal(size=coef.shape)
        assert objective(problem, other, classes, penalty) > least
    assert_allclose(result.scores, problem.features @ coef + shifts)


def test_recorded_objective_is_the_formula_up_to_a_constant(problem, rng):
    """Squares of the codes, which no class changes, are left out."""
    start = rng.normal(size=(len(problem.features), 3))
    result = self_train(problem, start, penalty=0.1, max_iter=1)
    classes = (start + result.solution[-1]).argmax(axis=1)
    full = objective(problem, result.solution[:-1], classes, 0.1)
    assert_allclose(result.objective, full - 3 * 11.0)


def test_classes_of_a_fixed_point_are_the_best_for_its_scores(problem, rng):
    start = rng.normal(size=(len(problem.features), 3))
    result = self_train(problem, start, penalty=0.01, tol=0.0)
    assert result.status is Status.CONVERGED
    classes = result.scores.argmax(axis=1)
    again = self_train(problem, result.scores, penalty=0.01, tol=0.0)
    free = problem.row_weights > 0
    assert np.mean(again.scores.argmax(axis=1)[free] == classes[free]) > 0.95


@pytest.mark.parametrize("shares", [[0.2, 0.3, 0.5], [0.6, 0.3, 0.1]])
def test_shifts_give_each_class_its_share(rng, shares):
    nothing = np.zeros(0, dtype=int)
    problem = SelfTraining(
        None, np.ones(2000), nothing, nothing, nothing, np.array(shares)
    )
    scores = rng.normal(size=(2000, 3))
    shifts = problem.match_shares(scores, np.zeros(3))
    classes = (scores + shifts).argmax(axis=1)
    assert_allclose(np.bincount(classes) / 2000, shares, atol=0.015)


def test_limit_is_reported(problem, rng):
    start = rng.normal(size=(len(problem.features), 3))
    result = self_train(problem, start, penalty=0.1, max_iter=1)
    assert result.status is Status.MAX_ITER
    assert result.n_iter == 1


def test_interrupt_keeps_the_last_round(problem, rng):
    def interrupt(n_iter, history):
        raise KeyboardInterrupt

    start = rng.normal(size=(len(problem.features), 3))
    result = self_train(problem, start, penalty=0.1, callback=interrupt)
    assert result.status is Status.INTERRUPTED
    once = self_train(problem, start, penalty=0.1, max_iter=1)
    assert_allclose(result.solution, once.solution)


def test_arguments_stay_as_they_are(problem, rng):
    start = rng.normal(size=(len(problem.features), 3))
    before = start.copy(), problem.features.copy(), problem.row_weights.copy()
    self_train(problem, start, penalty=0.1)
    for array, copy in zip(
        (start, problem.features, problem.row_weights), before, strict=True
    ):
        assert_array_equal(array, copy)


def test_without_unlabeled_rows_it_is_ridge_regression(rng):
    X, y = rng.normal(size=(12, 3)), np.arange(12) % 2
    sample = collect_sample(Rows(X), y, merge="all").sorted()
    problem = SelfTraining.of(sample.rows.X, sample, np.full((12, 2), 0.5), 10.0)
    result = self_train(problem, rng.normal(size=(12, 2)), penalty=0.1)
    X, signs = sample.rows.X, np.where(np.eye(2)[sample.codes] > 0, 1.0, -1.0)
    expected = np.linalg.solve(X.T @ X / 12 + 0.1 * np.eye(3), X.T @ signs / 12)
    assert result.status is Status.CONVERGED
    assert_allclose(result.solution[:-1], expected, atol=1e-10)
