import os
import signal
import threading
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from piece_reference import dual_value, minimum, next_steps, objective, random_pieces
from sklearn.svm import SVC, SVR

from widemargin.objectives.pieces import HingePieces
from widemargin.solvers.result import Status
from widemargin.solvers.smo import smo


def rbf(X, gamma=0.3):
    return np.exp(-gamma * ((X[:, None] - X) ** 2).sum(axis=-1))


def hinge(signs, costs=1.0):
    n = len(signs)
    return HingePieces(n, np.arange(n), signs, signs, np.full(n, costs), np.zeros(n))


def copies(rng, n):
    """A Gram matrix in which every fourth sample is a copy of another."""
    X = rng.standard_normal((n, 2))
    X[3::4] = X[: len(X[3::4])]
    return rbf(X)


class Rows:
    """A Gram matrix that makes its rows when asked, and counts them."""

    def __init__(self, gram):
        self.gram, self.n_made, self.largest = gram, 0, 0

    def diagonal(self):
        return self.gram.diagonal()

    def gram_rows(self, idx):
        self.n_made += len(idx)
        self.largest = max(self.largest, len(idx))
        return self.gram[idx]


@pytest.fixture
def problem(rng):
    """Gram matrix with copies; pieces of all kinds."""
    return copies(rng, 40), random_pieces(rng, 40)


@pytest.mark.parametrize("C", [0.1, 1.0, 100.0])
def test_hinges_make_the_support_vector_classifier(X, rng, C):
    gram, signs = rbf(X), np.sign(X[:, 0] + rng.standard_normal(30))
    result = smo(gram, hinge(signs, C), tol=1e-8)
    svc = SVC(kernel="precomputed", C=C, tol=1e-8).fit(gram, signs)
    a, b = result.solution[:-1], result.solution[-1]
    assert result.status is Status.CONVERGED
    assert_allclose(gram @ a + b, svc.decision_function(gram), atol=1e-5)
    assert_allclose(a.sum(), 0.0, atol=1e-10)


def test_tubes_make_support_vector_regression(X):
    gram, y = rbf(X), np.sin(2 * X[:, 0])
    n, rows, C = 30, np.arange(30), 2.0
    one, zero = np.ones(n), np.zeros(n)
    below = HingePieces(n, rows, y - 0.1, one, C * one, zero)
    tube = below + HingePieces(n, rows, y + 0.1, -one, C * one, zero)
    a = smo(gram, tube, tol=1e-8).solution
    svr = SVR(kernel="precomputed", C=C, epsilon=0.1, tol=1e-8).fit(gram, y)
    assert_allclose(gram @ a[:-1] + a[-1], svr.predict(gram), atol=1e-5)
    idle = np.setdiff1d(rows, svr.support_)
    assert len(idle)
    assert_array_equal(a[idle], 0.0)  # not even rounding


@pytest.mark.parametrize("intercept", [None, 0.0, -0.8])
@pytest.mark.parametrize("scale", [0.1, 1.0, 30.0])
@pytest.mark.parametrize("seed", range(4))
def test_minimum_is_that_of_a_convex_solver(seed, scale, intercept):
    rng = np.random.default_rng(seed)
    gram, pieces = copies(rng, 24), random_pieces(rng, 24, scale=scale)
    result = smo(gram, pieces, intercept=intercept, tol=1e-7)
    assert result.status is Status.CONVERGED
    expected = minimum(gram, pieces, intercept)
    assert_allclose(result.objective, expected, rtol=1e-6, atol=1e-6)
    assert_allclose(objective(gram, pieces, result.solution), result.objective)
    assert 0.0 <= result.history["gap"][-1] + 1e-9 <= 1e-5 * scale
    lower, upper = pieces.bounds()
    a = result.solution[:-1]
    assert (a >= lower).all()
    assert (a <= upper).all()
    if intercept is not None:
        assert result.solution[-1] == intercept


@pytest.mark.parametrize("intercept", [None, 0.4])
@pytest.mark.parametrize("seed", range(4))
def test_steps_are_those_of_the_slow_twin(seed, intercept):
    rng = np.random.default_rng(seed)
    gram = rbf(rng.standard_normal((15, 2)))
    pieces = random_pieces(rng, 15, linear=0.0)
    pieces = replace(pieces, kinks=pieces.kinks + 0.01 * rng.standard_normal(45))
    paths = [
        smo(gram, pieces, intercept=intercept, tol=1e-9, max_iter=n_steps)
        for n_steps in range(16)
    ]
    assert [path.n_iter for path in paths] == list(range(16))
    coefficients = [path.solution[:-1] for path in paths]
    for before, after in pairwise(coefficients):
        answers = next_steps(gram, pieces, before, intercept)
        assert min(np.abs(answer - after).max() for answer in answers) < 1e-10
        assert len(answers) <= 3
    values = [dual_value(gram, pieces, a, intercept or 0.0) for a in coefficients]
    assert (np.diff(values) > 0.0).all()


@pytest.mark.parametrize("intercept", [None, 0.4])
def test_dual_never_falls(problem, intercept):
    result = smo(*problem, intercept=intercept, tol=1e-6, pause=1)
    history = result.history
    dual = np.subtract(history["objective"], history["gap"])
    assert len(dual) >= result.n_iter > 30
    assert (np.diff(dual) > -1e-10).all()
    assert history["criterion"][-1] <= 1e-6 < min(history["criterion"][:-1])


@pytest.mark.parametrize("intercept", [None, 0.4])
def test_solution_as_a_start_needs_no_step(problem, intercept):
    first = smo(*problem, intercept=intercept, tol=1e-5)
    again = smo(*problem, intercept=intercept, tol=1.001e-5, start=first.solution)
    assert first.n_iter > 20
    assert again.n_iter == 0
    assert_allclose(again.solution, first.solution, atol=1e-10)


@pytest.mark.parametrize("rows", [np.asarray, Rows])
@pytest.mark.parametrize("intercept", [None, 0.4])
def test_scores_of_a_start_replace_its_product(problem, rng, intercept, rows):
    """Also if the start is outside of the box, so that it is moved first."""
    gram, pieces = problem
    start = 0.5 * rng.standard_normal(41)
    scores = gram @ start[:-1] + start[-1]
    options = {"intercept": intercept, "start": start, "tol": 1e-8}
    plain = smo(rows(gram), pieces, **options)
    quick = smo(rows(gram), pieces, start_scores=scores, **options)
    assert_allclose(quick.objective, plain.objective, rtol=1e-8)
    found = gram @ quick.solution[:-1] + quick.solution[-1]
    assert_allclose(quick.scores, found, atol=1e-10)
    assert_allclose(quick.scores, plain.scores, atol=1e-6)


def test_scores_of_a_solution_as_a_start_save_its_rows(problem):
    gram, pieces = problem
    first = smo(gram, pieces, tol=1e-5)
    rows = Rows(gram)
    options = {"tol": 1.001e-5, "start": first.solution}
    smo(rows, pieces, **options)
    n_product = np.count_nonzero(first.solution[:-1])
    n_made, rows.n_made = rows.n_made, 0
    assert smo(rows, pieces, start_scores=first.scores, **options).n_iter == 0
    assert rows.n_made == n_made - n_product


@pytest.mark.parametrize("intercept", [None, 0.4])
def test_rounding_of_a_start_costs_no_step(problem, rng, intercept):
    """Coefficients next to a kink count as being at it."""
    first = smo(*problem, intercept=intercept, tol=1e-5).solution
    start = first + 1e-14 * rng.standard_normal(41)
    assert smo(*problem, intercept=intercept, tol=2e-5, start=start).n_iter == 0


@pytest.mark.parametrize("intercept", [None, 0.4])
def test_unequal_norms_are_held_to_the_same_tolerance(X, rng, intercept):
    """The sample of largest gain need not be the one of largest violation."""
    norms = np.geomspace(0.05, 20.0, 30)
    gram, pieces = rbf(X) * norms * norms[:, None], random_pieces(rng, 30)
    result = smo(gram, pieces, intercept=intercept, tol=1e-7)
    assert result.status is Status.CONVERGED
    scores = gram @ result.solution[:-1] + result.solution[-1]
    again = smo(gram, pieces, intercept=result.solution[-1], start=result.solution,
                max_iter=0)  # fmt: skip
    assert again.history["criterion"][-1] <= 1.01e-7
    assert np.abs(scores).max() > 1.0
    assert_allclose(result.objective, minimum(gram, pieces, intercept), rtol=1e-6)


@pytest.mark.parametrize("intercept", [None, 0.4])
@pytest.mark.parametrize("shift", [-3.0, 0.0, 3.0])
def test_any_start_ends_at_the_minimum(problem, rng, intercept, shift):
    start = shift + 2.0 * rng.standard_normal(41)
    kept = start.copy()
    expected = smo(*problem, intercept=intercept, tol=1e-8)
    result = smo(*problem, intercept=intercept, tol=1e-8, start=start)
    assert_allclose(result.objective, expected.objective, rtol=1e-8)
    assert_array_equal(start, kept)
    if intercept is None:
        begun = smo(*problem, start=start, max_iter=0)
        assert begun.status is Status.MAX_ITER
        assert_allclose(begun.solution[:-1].sum(), 0.0, atol=1e-10)


@pytest.mark.parametrize("intercept", [None, 0.4])
@pytest.mark.parametrize("cache_rows", [1, 2, 3, 20, None])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_on_demand_change_nothing(problem, rng, intercept, cache_rows, dtype):
    gram, pieces = problem[0].astype(dtype), problem[1]
    start = rng.standard_normal(41)
    dense = smo(gram, pieces, intercept=intercept, tol=1e-6, start=start)
    rows = Rows(gram)
    result = smo(
        rows, pieces, intercept=intercept, tol=1e-6, start=start, cache_rows=cache_rows
    )
    assert_allclose(result.solution, dense.solution, atol=1e-9)
    assert result.n_iter == dense.n_iter
    if cache_rows is None:
        assert rows.n_made <= 2 * 40 + 1  # the start's product, then each row once
    elif cache_rows < 20:
        assert rows.n_made > 2 * 40


def test_a_cache_is_never_the_whole_matrix(rng):
    rows, pieces = Rows(rbf(rng.standard_normal((500, 3)))), random_pieces(rng, 500)
    assert smo(rows, pieces, cache_rows=20).status is Status.CONVERGED
    assert rows.largest <= 64


def test_single_precision_is_enough(problem):
    gram, pieces = problem
    result = smo(gram.astype(np.float32), pieces, tol=1e-5)
    assert result.status is Status.CONVERGED
    assert result.solution.dtype == np.float64
    assert_allclose(result.objective, smo(gram, pieces).objective, rtol=1e-3)


@pytest.mark.parametrize("intercept", [None, 0.4])
def test_mirrored_loss_has_the_mirrored_solution(X, rng, intercept):
    """Kinks, sides and slopes change their signs; so do scores and coefficients."""
    gram, pieces = rbf(X), random_pieces(rng, 30)
    mirrored = replace(
        pieces, kinks=-pieces.kinks, sides=-pieces.sides, linear=-pieces.linear
    )
    other = None if intercept is None else -intercept
    one = smo(gram, pieces, intercept=intercept, tol=1e-9).solution
    two = smo(gram, mirrored, intercept=other, tol=1e-9).solution
    assert np.abs(one[:-1]).max() > 0.1
    assert_allclose(gram @ one[:-1] + one[-1], -(gram @ two[:-1] + two[-1]), atol=1e-6)


def test_layout_of_the_matrix_is_free_and_arrays_are_left_alone(problem):
    gram, pieces = problem
    kept = [gram, *(part for part in vars(pieces).values() if np.ndim(part))]
    before = [part.copy() for part in kept]
    expected = smo(gram, pieces).solution
    assert_array_equal(smo(np.asfortranarray(gram), pieces).solution, expected)
    wide = np.zeros((40, 80))
    wide[:, ::2] = gram
    assert_array_equal(smo(wide[:, ::2], pieces).solution, expected)
    assert len(kept) == 6
    for old, new in zip(before, kept, strict=True):
        assert_array_equal(old, new)


@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_loss_without_a_minimum_is_refused(X, sign):
    pieces = replace(hinge(np.ones(30)), linear=np.full(30, -2.0 * sign))
    if sign > 0:
        match = r"from 60 to 90: .* as the intercept grows"
    else:
        match = r"from -60 to -30: .* as the intercept falls"
    with pytest.raises(ValueError, match=match):
        smo(rbf(X), pieces)
    assert smo(rbf(X), pieces, intercept=0.0).status is Status.CONVERGED


@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_one_class_is_met_by_the_intercept(X, sign):
    result = smo(rbf(X), hinge(np.full(30, sign)))
    assert result.status is Status.CONVERGED
    assert result.n_iter == 0
    assert result.objective == 0.0
    assert_array_equal(result.solution, [0.0] * 30 + [sign])


def test_no_pieces_at_all(X):
    none = np.array([])
    linear = np.zeros(30)
    linear[:2] = 1.0, -1.0
    pieces = HingePieces(30, none.astype(int), none, none, none, linear)
    for intercept in (None, 0.3):
        result = smo(rbf(X), pieces, intercept=intercept)
        assert_array_equal(result.solution[:-1], -linear)
        assert result.status is Status.CONVERGED


@pytest.mark.parametrize("intercept", [None, 0.2])
@pytest.mark.parametrize(
    "gram",
    [np.zeros((12, 12)), np.ones((12, 12)), np.diag(np.arange(12) % 3.0)],
    ids=["zeros", "ones", "some zeros"],
)
def test_flat_gram_matrices_end(rng, gram, intercept):
    """All samples equal, or some without any norm: steps that have no curvature."""
    pieces = random_pieces(rng, 12)
    result = smo(gram, pieces, intercept=intercept, tol=1e-8, max_iter=10_000)
    assert result.status is Status.CONVERGED
    expected = minimum(gram, pieces, intercept)
    assert_allclose(result.objective, expected, atol=1e-5)


def test_precision_that_is_not_there_is_reported(problem):
    result = smo(*problem, tol=1e-300, max_iter=1_000_000, pause=1000)
    assert result.status is Status.STALLED
    assert result.n_iter < 1_000_000
    assert result.history["criterion"][-1] < 1e-8


def test_iteration_limit_is_kept(problem):
    seen = []
    result = smo(
        *problem, max_iter=7, tol=1e-9, pause=3, callback=lambda n, _: seen.append(n)
    )
    assert result.status is Status.MAX_ITER
    assert result.n_iter == 7
    assert seen == [3, 6, 7]
    assert len(result.history["criterion"]) == 3


def test_interrupt_keeps_what_was_reached(problem):
    def stop(n_steps, history):
        if n_steps == 10:
            raise KeyboardInterrupt

    result = smo(*problem, tol=1e-9, pause=5, callback=stop)
    assert result.status is Status.INTERRUPTED
    assert result.n_iter == 10
    expected = smo(*problem, tol=1e-9, max_iter=10)
    assert_allclose(result.solution, expected.solution, atol=1e-12)
    assert_allclose(result.objective, objective(*problem, result.solution))


def test_signal_ends_the_steps(rng, interruptible):
    """Large costs and a flat kernel need steps without end."""
    gram = rbf(rng.standard_normal((300, 3)), gamma=1e-3)
    pieces = random_pieces(rng, 300, scale=1e6)
    smo(gram, pieces, max_iter=1)  # compiled before the clock runs
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    result = smo(gram, pieces, tol=1e-9, max_iter=100_000_000)
    timer.join()
    assert result.status is Status.INTERRUPTED
    assert result.n_iter > 0
    assert np.isfinite(result.solution).all()


@pytest.mark.parametrize("intercept", [None, 0.0])
@pytest.mark.parametrize("ratio", [1e-300, 1e-20, 1e20])
def test_costs_of_very_different_size_end(problem, ratio, intercept):
    """A step may leave no coefficient that can rise."""
    signs = np.where(np.arange(len(problem[0])) % 2, 1.0, -1.0)
    pieces = hinge(signs, np.where(signs > 0, ratio, 1.0))
    result = smo(problem[0], pieces, intercept=intercept, max_iter=10_000)
    assert np.isfinite(result.solution).all()


@pytest.mark.parametrize("intercept", [None, 0.0])
def test_nan_ends_the_steps(problem, intercept):
    """After one pause, of ten million steps that were allowed."""
    gram, pieces = problem
    gram = gram.copy()
    gram[3] = gram[:, 3] = np.nan
    gram[3, 3] = 1.0
    result = smo(gram, pieces, intercept=intercept, pause=50)
    assert result.status is Status.STALLED
    assert result.n_iter <= 100
