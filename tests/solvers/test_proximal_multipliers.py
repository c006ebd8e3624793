import os
import signal
from dataclasses import replace

import clarabel
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.svm import SVC

from widemargin.objectives.pieces import HingePieces
from widemargin.solvers.proximal_multipliers import (
    CenteredRows,
    newton_step,
    proximal_multipliers,
)
from widemargin.solvers.result import Status


def hinges_of(y, costs):
    """One hinge for each sample: the support vector machine."""
    n = len(y)
    return HingePieces(n, np.arange(n), y, y, np.broadcast_to(costs, n), np.zeros(n))


def random_pieces(rng, n_samples, n_pieces):
    """Several pieces a sample, some without cost, some samples without a piece."""
    costs = rng.exponential(size=n_pieces) * (rng.random(n_pieces) < 0.9)
    return HingePieces(
        n_samples,
        rng.integers(n_samples, size=n_pieces),
        rng.normal(size=n_pieces),
        rng.choice([-1.0, 1.0], n_pieces),
        costs,
        0.1 * rng.normal(size=n_samples),
    )


def scores_of(X, result, center=None):
    """Decision values by the definition of the solution."""
    centered = X if center is None else X - center
    return centered @ (centered.T @ result.solution[:-1]) + result.solution[-1]


def objective_of(X, pieces, result, center=None):
    centered = X if center is None else X - center
    w = centered.T @ result.solution[:-1]
    return w @ w / 2 + pieces.value(scores_of(X, result, center))


def minimum(X, pieces, intercept):
    """Smallest objective, as a quadratic program in w, b and a slack a piece."""
    n_pieces, n_features = len(pieces.rows), X.shape[1]
    design = np.column_stack([X, np.ones(len(X))])
    signed = pieces.sides[:, None] * design[pieces.rows]
    identity = np.eye(n_pieces)
    cone = np.block([[-signed, -identity], [0.0 * signed, -identity]])
    right = np.concatenate([-pieces.sides * pieces.kinks, np.zeros(n_pieces)])
    cones = [clarabel.NonnegativeConeT(2 * n_pieces)]
    if intercept is not None:
        cone = np.vstack([np.eye(cone.shape[1])[n_features], cone])
        right = np.append(intercept, right)
        cones.insert(0, clarabel.ZeroConeT(1))
    quadratic = np.diag(np.r_[np.ones(n_features), np.zeros(1 + n_pieces)])
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-11
    solver = clarabel.DefaultSolver(
        sparse.csc_matrix(quadratic),
        np.concatenate([design.T @ pieces.linear, pieces.costs]),
        sparse.csc_matrix(cone),
        right,
        cones,
        settings,
    )
    return solver.solve().obj_val


@pytest.fixture
def y(rng, X):
    return np.where(X[:, 0] + 0.7 * rng.normal(size=len(X)) > 0.2, 1.0, -1.0)


@pytest.mark.parametrize("C", [0.01, 1.0, 10.0])
def test_hinges_are_the_support_vector_machine(X, y, C):
    result = proximal_multipliers(X, hinges_of(y, C), tol=1e-10)
    svc = SVC(kernel="linear", C=C, tol=1e-8).fit(X, y)
    assert result.status is Status.CONVERGED
    w = X.T @ result.solution[:-1]
    assert_allclose(w, svc.coef_[0], atol=2e-5 * np.abs(w).max())
    if C > 0.01:  # the intercept is unique
        assert_allclose(scores_of(X, result), svc.decision_function(X), atol=1e-4)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("n_features", [3, 60])
@pytest.mark.parametrize("intercept", [None, 0.3])
@pytest.mark.parametrize("centered", [False, True])
def test_minimum_is_the_convex_solvers(seed, n_features, intercept, centered):
    """Several pieces a row, linear terms, zero costs and copies of rows included."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, n_features)) + 1.0
    X[30:] = X[:10]
    pieces = random_pieces(rng, 40, 100)
    center = X[5:20].mean(axis=0) if centered else None
    result = proximal_multipliers(
        X, pieces, intercept=intercept, center=center, tol=1e-8
    )
    expected = minimum(X - center if centered else X, pieces, intercept)
    assert result.status is Status.CONVERGED
    assert_allclose(result.objective, expected, rtol=1e-6)
    assert_allclose(objective_of(X, pieces, result, center), result.objective)
    lower, upper = pieces.bounds()
    a = result.solution[:-1]
    assert (lower - 1e-12 <= a).all()
    assert (a <= upper + 1e-12).all()
    if intercept is None:
        assert abs(a.sum()) < 1e-8
    else:
        assert result.solution[-1] == intercept


def test_criterion_is_a_proved_gap(rng, X, y):
    """It is never less than the true one, and does not rise."""
    pieces = hinges_of(y, 1.0)
    result = proximal_multipliers(X, pieces, tol=1e-9)
    objectives, criteria = (
        np.array(result.history[name]) for name in ("objective", "criterion")
    )
    true = minimum(X, pieces, None)
    assert (criteria * objectives >= objectives - true - 1e-8).all()
    assert (np.diff(objectives) <= 0).all()
    assert result.n_iter == len(objectives) - 1 > 2


def test_bound_is_the_dual_value_of_the_pieces(X, rng):
    """The certificate at the solution, from the solution alone."""
    pieces = random_pieces(rng, len(X), 80)
    result = proximal_multipliers(X, pieces, intercept=0.2, tol=1e-9)
    a = result.solution[:-1]
    bound = pieces.dual_value(a, (X.T @ a) @ (X.T @ a), 0.2)
    assert_allclose(bound, result.objective, rtol=1e-8)


@pytest.mark.parametrize("factored_order", [0, 1000])
@pytest.mark.parametrize("intercept", [None, 0.1])
def test_sparse_equals_dense(rng, factored_order, intercept):
    options = {"factored_order": factored_order, "tol": 1e-9}
    X = rng.normal(size=(60, 40)) * (rng.random((60, 40)) < 0.2)
    pieces = hinges_of(np.where(rng.random(60) < 0.4, 1.0, -1.0), 2.0)
    center = X[:20].mean(axis=0)
    dense, thin = (
        proximal_multipliers(
            kind, pieces, intercept=intercept, center=center, **options
        )
        for kind in (X, sparse.csr_matrix(X))
    )
    assert dense.status is thin.status is Status.CONVERGED
    assert_allclose(thin.objective, dense.objective, rtol=1e-8)
    ours, theirs = (scores_of(X, result, center) for result in (thin, dense))
    assert_allclose(ours, theirs, atol=1e-3)


def test_rotated_features_with_many_more_columns_change_nothing(rng, X, y):
    """The answer depends on inner products only: wide equals tall."""
    basis = np.linalg.qr(rng.normal(size=(200, 3)))[0]
    tall = proximal_multipliers(X, hinges_of(y, 1.0), tol=1e-10)
    wide = proximal_multipliers(X @ basis.T, hinges_of(y, 1.0), tol=1e-10)
    assert_allclose(wide.objective, tall.objective, rtol=1e-9)
    assert_allclose(scores_of(X @ basis.T, wide), scores_of(X, tall), atol=1e-4)


@pytest.mark.parametrize("factored_order", [0, 1000])
@pytest.mark.parametrize("intercept", [None, 0.0])
@pytest.mark.parametrize("C", [0.01, 1.0])
def test_badly_scaled_columns_are_harmless(rng, factored_order, intercept, C):
    """Standard deviations from 0.01 to 100, and means that are not zero."""
    X = (rng.normal(size=(120, 30)) + 0.5) * np.geomspace(0.01, 100.0, 30)
    y = np.where(X[:, 29] / 100 + X[:, 0] * 100 + rng.normal(size=120) > 1.5, 1.0, -1.0)
    pieces = hinges_of(y, C)
    result = proximal_multipliers(
        X, pieces, intercept=intercept, factored_order=factored_order
    )
    assert result.status is Status.CONVERGED
    assert_allclose(result.objective, minimum(X, pieces, intercept), rtol=2e-6)


def test_pixels_of_an_almost_separable_problem(rng):
    """Values from 0 to 255 with C = 1 are as good as a hard margin."""
    X = np.round(255 * rng.random((200, 50)))
    y = np.where(X @ rng.normal(size=50) + 20 * rng.normal(size=200) > 0, 1.0, -1.0)
    pieces = hinges_of(y, 1.0)
    result = proximal_multipliers(X, pieces)
    assert result.status is Status.CONVERGED
    assert_allclose(result.objective, minimum(X, pieces, None), rtol=2e-6)
    assert result.n_iter < 150


@pytest.mark.parametrize("intercept", [None, 0.1])
def test_start_at_the_solution_needs_hardly_a_step(rng, X, intercept):
    pieces = random_pieces(rng, len(X), 80)
    center = X.mean(axis=0)
    cold = proximal_multipliers(X, pieces, intercept=intercept, center=center, tol=1e-8)
    warm = proximal_multipliers(
        X, pieces, intercept=intercept, center=center, start=cold.solution, tol=1e-6
    )
    assert cold.n_iter > 5
    assert warm.status is Status.CONVERGED
    assert warm.n_iter <= 2
    assert_allclose(warm.objective, cold.objective, rtol=1e-6)


def test_start_near_the_solution_saves_steps_and_finds_the_same(rng):
    X = rng.normal(size=(300, 20))
    y = np.where(X[:, 0] + rng.normal(size=300) > 0, 1.0, -1.0)
    cold = proximal_multipliers(X, hinges_of(y, 0.1), tol=1e-8)
    flipped = np.where(np.arange(300) < 3, -y, y)
    again = proximal_multipliers(X, hinges_of(flipped, 0.1), tol=1e-8)
    warm = proximal_multipliers(
        X, hinges_of(flipped, 0.1), start=cold.solution, tol=1e-8
    )
    assert warm.n_iter < again.n_iter
    assert_allclose(warm.objective, again.objective, rtol=1e-7)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix])
def test_centered_rows_score_the_intercept_on_average(rng, X, y, kind):
    center = X[4:20].mean(axis=0)
    result = proximal_multipliers(
        kind(X), hinges_of(y, 1.0), intercept=0.37, center=center
    )
    assert_allclose(scores_of(X, result, center)[4:20].mean(), 0.37, atol=1e-12)
    assert_allclose(
        result.objective, minimum(X - center, hinges_of(y, 1.0), 0.37), rtol=2e-6
    )


def test_center_only_moves_a_free_intercept(rng, X, y):
    center = rng.normal(size=3)
    plain = proximal_multipliers(X, hinges_of(y, 1.0), tol=1e-10)
    moved = proximal_multipliers(X, hinges_of(y, 1.0), center=center, tol=1e-10)
    w = X.T @ plain.solution[:-1]
    assert_allclose(moved.solution[:-1], plain.solution[:-1], atol=1e-12)
    assert_allclose(moved.solution[-1], plain.solution[-1] + center @ w)


def test_mirrored_problem_has_the_mirrored_answer(rng, X):
    pieces = random_pieces(rng, len(X), 80)
    mirrored = replace(
        pieces, kinks=-pieces.kinks, sides=-pieces.sides, linear=-pieces.linear
    )
    result, other = (proximal_multipliers(X, p, tol=1e-10) for p in (pieces, mirrored))
    assert_allclose(other.objective, result.objective, rtol=1e-9)
    assert_allclose(scores_of(X, other), -scores_of(X, result), atol=1e-4)


def test_one_class_needs_an_intercept_only(X):
    result = proximal_multipliers(X, hinges_of(np.ones(len(X)), 1.0))
    assert result.status is Status.CONVERGED
    assert_allclose(result.objective, 0.0, atol=1e-12)
    assert result.solution[-1] >= 1.0 - 1e-9


def test_start_at_one_of_many_solutions_stays(X):
    """The intercept of a single class may be anything from the kink on."""
    start = np.append(np.zeros(len(X)), 5.0)
    result = proximal_multipliers(X, hinges_of(np.ones(len(X)), 1.0), start=start)
    assert result.n_iter == 0
    assert_array_equal(result.solution, start)


def test_loss_that_is_rounding_is_zero(X):
    pieces = replace(hinges_of(np.ones(len(X)), 1.0), kinks=np.full(len(X), 0.1 * 3))
    assert 0.1 * 3 > 0.3
    result = proximal_multipliers(X, pieces, intercept=0.3)
    assert result.status is Status.CONVERGED


def test_start_far_from_a_minimum_of_zero_finds_it(rng, X):
    result = proximal_multipliers(
        X,
        hinges_of(np.ones(len(X)), 1.0),
        intercept=1.5,
        start=np.append(rng.random(len(X)), 1.5),
    )
    assert result.status is Status.CONVERGED
    assert_allclose(result.objective, 0.0, atol=1e-10)


def test_loss_without_hinges_is_solved_in_closed_form(rng, X):
    """A linear loss l'f has the coefficients -l."""
    linear = rng.normal(size=len(X))
    nothing = np.zeros(0)
    pieces = HingePieces(30, nothing.astype(int), nothing, nothing, nothing, linear)
    result = proximal_multipliers(X, pieces, intercept=0.0)
    assert result.status is Status.CONVERGED
    assert_allclose(result.solution[:-1], -linear)


@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_loss_without_a_minimum_is_refused(X, y, sign):
    pieces = replace(hinges_of(y, 1.0), linear=np.full(len(X), 3.0 * sign))
    with pytest.raises(
        ValueError, match=r"must let coefficients sum to zero .* Fix the intercept"
    ):
        proximal_multipliers(X, pieces)
    assert proximal_multipliers(X, pieces, intercept=0.0).status is Status.CONVERGED


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("dtype", [np.float32, np.uint8])
@pytest.mark.parametrize("intercept", [None, 0.1])
def test_features_of_other_types_lose_nothing(X, y, kind, dtype, intercept):
    X = (20.0 * np.tile(X, 20) + 100.0).astype(dtype)  # (30, 60)
    assert X.min() > 0
    options = {"intercept": intercept, "tol": 1e-9}
    other = proximal_multipliers(kind(X), hinges_of(y, 1e-4), **options)
    double = proximal_multipliers(X.astype(np.float64), hinges_of(y, 1e-4), **options)
    assert other.status is double.status is Status.CONVERGED
    assert other.solution.dtype == np.float64
    assert_allclose(other.objective, double.objective, rtol=1e-8)


def test_callers_arrays_stay_as_they_are(rng, X, y):
    pieces = hinges_of(y, np.ones(len(X)))
    start, center = rng.normal(size=(31,)), rng.normal(size=3)
    arrays = [X, y, pieces.costs, pieces.linear, start, center]
    before = [array.copy() for array in arrays]
    proximal_multipliers(X, pieces, intercept=0.0, start=start, center=center)
    for array, copy in zip(arrays, before, strict=True):
        assert_array_equal(array, copy)


def test_iteration_limit_is_reported(X, y):
    result = proximal_multipliers(X, hinges_of(y, 1.0), max_iter=2, tol=1e-12)
    assert result.status is Status.MAX_ITER
    assert result.n_iter == 2
    assert_allclose(result.objective, objective_of(X, hinges_of(y, 1.0), result))


def test_unreachable_tolerance_ends_the_run(X, y):
    result = proximal_multipliers(X, hinges_of(y, 1.0), tol=-1.0, max_iter=10_000)
    assert result.status is Status.STALLED
    assert result.n_iter < 1000
    assert_allclose(result.objective, minimum(X, hinges_of(y, 1.0), None), rtol=1e-7)


def test_interrupt_keeps_the_best_so_far(X, y, interruptible):
    def press(iteration, history):
        if iteration == 3:
            os.kill(os.getpid(), signal.SIGINT)

    pieces = hinges_of(y, 1.0)
    result = proximal_multipliers(X, pieces, tol=1e-12, callback=press)
    assert result.status is Status.INTERRUPTED
    assert result.n_iter == 3
    assert result.objective == min(result.history["objective"])
    assert_allclose(objective_of(X, pieces, result), result.objective)


# Newton's equations


@pytest.mark.parametrize("offset", ["none", "center", "free"])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("shape", [(30, 8), (8, 30)])
def test_all_ways_solve_newtons_equations(rng, shape, kind, offset):
    """Bordered by the intercept, against a dense solve of the whole system."""
    X = rng.normal(size=shape) * (rng.random(shape) < 0.5)
    center = rng.normal(size=shape[1]) if offset == "center" else None
    free = offset == "free"
    curvature = rng.random(shape[0]) * (rng.random(shape[0]) < 0.7)
    gradient = rng.normal(size=shape[1])
    Z = X if center is None else X - center
    Z = np.column_stack([Z, np.ones(len(Z))]) if free else Z
    matrix = Z.T @ (curvature[:, None] * Z)
    matrix[np.arange(shape[1]), np.arange(shape[1])] += 1.0
    expected = -np.linalg.solve(matrix, np.append(gradient, [0.0] * free))
    for factored_order in (1000, 0):  # Cholesky, conjugate gradients
        step, intercept_step, n_products = newton_step(
            CenteredRows(kind(X), center),
            curvature,
            gradient,
            free,
            1e-10,
            factored_order=factored_order,
        )
        assert (n_products == 0) == (factored_order > 0)
        assert_allclose(step, expected[: shape[1]], atol=1e-8)
        if free:
            assert_allclose(intercept_step, expected[-1], atol=1e-8)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("centered", [False, True])
def test_operator_equals_its_dense_form(rng, kind, centered):
    X = rng.normal(size=(9, 4)) * (rng.random((9, 4)) < 0.6)
    center = rng.normal(size=4) if centered else None
    rows, a, w = CenteredRows(kind(X), center), rng.random(9), rng.random(4)
    dense = X - center if centered else X
    if kind is np.asarray:
        assert_allclose(rows.to_dense(), dense)
    assert_allclose(rows @ w, dense @ w)
    assert_allclose(rows.transposed_product(a), dense.T @ a)
    assert_allclose(rows.gram(), dense @ dense.T, atol=1e-12)
    assert_allclose(rows.column_squares(a), a @ dense**2, atol=1e-12)


def test_slow_conjugate_gradients_are_followed_by_a_factorization(rng):
    X, gradient = rng.normal(size=(50, 20)), rng.normal(size=20)
    expected = -np.linalg.solve(np.eye(20) + 1e4 * X.T @ X, gradient)
    curvature, limits = np.full(50, 1e4), {"factored_order": 0, "max_products": 3}
    step = newton_step(CenteredRows(X), curvature, gradient, False, 1e-10, **limits)[0]
    assert_allclose(step, expected, rtol=1e-6)
