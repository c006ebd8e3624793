import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse

from widemargin.solvers import weight_steps
from widemargin.solvers.weight_steps import Rows, newton_step


@pytest.mark.parametrize("offset", ["none", "center", "free"])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("shape", [(30, 8), (8, 30)])
def test_all_ways_solve_newtons_equations(rng, monkeypatch, shape, kind, offset):
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
    for always in (1000, 0):  # Cholesky, conjugate gradient
        monkeypatch.setattr(weight_steps, "_ALWAYS_FACTORED", always)
        step, intercept_step, n_products = newton_step(
            Rows(kind(X), center), curvature, gradient, free, 1e-10
        )
        assert (n_products == 0) == (always > 0)
        assert_allclose(step, expected[: shape[1]], atol=1e-8)
        if free:
            assert_allclose(intercept_step, expected[-1], atol=1e-8)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("centered", [False, True])
def test_operator_equals_its_dense_form(rng, kind, centered):
    X = rng.normal(size=(9, 4)) * (rng.random((9, 4)) < 0.6)
    center = rng.normal(size=4) if centered else None
    rows, a, w = Rows(kind(X), center), rng.random(9), rng.random(4)
    dense = X - center if centered else X
    assert_allclose(rows.to_dense(), dense)
    assert_allclose(rows @ w, dense @ w)
    assert_allclose(rows.transposed_product(a), dense.T @ a)
    assert_allclose(rows.gram(), dense @ dense.T, atol=1e-12)
    assert_allclose(rows.column_squares(a), a @ dense**2, atol=1e-12)


def test_slow_conjugate_gradient_is_followed_by_a_factorization(rng, monkeypatch):
    X, gradient = rng.normal(size=(50, 20)), rng.normal(size=20)
    expected = -np.linalg.solve(np.eye(20) + 1e4 * X.T @ X, gradient)
    monkeypatch.setattr(weight_steps, "_ALWAYS_FACTORED", 0)
    monkeypatch.setattr(weight_steps, "_MAX_PRODUCTS", 3)
    step = newton_step(Rows(X), np.full(50, 1e4), gradient, False, 1e-10)[0]
    assert_allclose(step, expected, rtol=1e-6)
