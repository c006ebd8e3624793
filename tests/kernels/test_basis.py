import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from widemargin.kernels import (
    FullBasis,
    Linear,
    NystromMap,
    Polynomial,
    Precomputed,
    Rbf,
    SubsetBasis,
    WeightBasis,
)


def test_every_sample_with_its_own_coefficient(rng):
    basis, c = FullBasis(5), rng.normal(size=(5, 2))
    assert_array_equal(basis.rows, [0, 1, 2, 3, 4])
    assert_array_equal(basis.coefficients(c), c)


@pytest.mark.parametrize("kernel", [Rbf(0.5), Linear(), Polynomial(0.5, 2, 1.0)])
def test_function_over_some_rows_of_a_table(X, X_new, rng, kernel):
    """The basis counts the rows `origin` of X; points are taken from X."""
    origin, c = np.array([4, 9, 2]), rng.normal(size=(3, 2))
    points, coefficients = FullBasis(3).function(kernel, X, origin, c)
    expected = kernel(X_new, X[[4, 9, 2]]) @ c
    assert_allclose(kernel(X_new, points) @ coefficients, expected)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_kernel_functions_that_none_uses_are_left_out(X, X_new, rng, dtype):
    """One that a single function uses stays, and the order with it."""
    origin, c = np.array([4, 9, 2, 7, 0]), rng.normal(size=(5, 2)).astype(dtype)
    c[[0, 3]] = 0.0
    c[1, 0] = c[4, 1] = 0.0
    points, coefficients = FullBasis(5).function(Rbf(0.5), X, origin, c)
    assert_array_equal(points, X[[9, 2, 0]])
    assert_array_equal(coefficients, c[[1, 2, 4]])
    assert coefficients.dtype == dtype
    values = Rbf(0.5)(X_new, points) @ coefficients
    assert_allclose(values, Rbf(0.5)(X_new, X[origin]) @ c, rtol=1e-5)


def test_positions_in_a_gram_matrix_are_left_out_in_the_same_way(X, X_new):
    kernel, origin = Precomputed(), np.array([4, 9, 2])
    c = np.array([[0.0], [2.0], [0.0]])
    points, coefficients = FullBasis(3).function(kernel, X @ X.T, origin, c)
    assert_array_equal(points, [9])
    values = kernel(X_new @ X.T, points) @ coefficients
    assert_allclose(values, 2.0 * X_new @ X[[9]].T)


@pytest.mark.parametrize("kernel", [Rbf(0.5), Precomputed()])
def test_function_of_zero_keeps_one_point(X, X_new, kernel):
    """So that there is something to evaluate."""
    origin, c = np.array([4, 9, 2]), np.zeros((3, 2))
    given, new = (X @ X.T, X_new @ X.T) if kernel == Precomputed() else (X, X_new)
    points, coefficients = FullBasis(3).function(kernel, given, origin, c)
    assert len(points) == 1
    assert_array_equal(coefficients, np.zeros((1, 2)))
    assert_array_equal(kernel(new, points) @ coefficients, np.zeros((7, 2)))


def test_function_over_a_gram_matrix_keeps_positions(X, X_new, rng):
    kernel, origin, c = Precomputed(), np.array([4, 9, 2]), rng.normal(size=(3, 2))
    points, coefficients = FullBasis(3).function(kernel, X @ X.T, origin, c)
    assert_array_equal(points, origin)
    values = kernel(X_new @ X.T, points) @ coefficients
    assert_allclose(values, X_new @ X[origin].T @ c)


def test_function_of_landmarks(X, X_new, rng):
    """Rows of the basis are positions in `origin`, not in X."""
    origin = np.array([20, 3, 7, 11, 5])
    nystrom = NystromMap.fit(Rbf(0.5), X[origin], np.array([3, 0]))
    c = rng.normal(size=(2, 4))
    points, coefficients = nystrom.function(Rbf(0.5), X, origin, c)
    assert_array_equal(points, X[[11, 20]])
    values = Rbf(0.5)(X_new, points) @ coefficients
    assert_allclose(values, nystrom(X_new) @ c, atol=1e-10)


def test_weights_of_the_linear_kernel_are_its_points(X, X_new, rng):
    """As many points as functions, whatever the number of samples."""
    c = rng.normal(size=(3, 2))
    points, coefficients = WeightBasis().function(Linear(), X, np.arange(30), c)
    assert points.shape == (2, 3)
    assert_allclose(Linear()(X_new, points) @ coefficients, X_new @ c)


@pytest.mark.parametrize("kernel", [Rbf(0.5), Precomputed()], ids=repr)
def test_function_of_some_rows_with_their_coefficients(X, X_new, rng, kernel):
    """Rows of the basis are positions in `origin`; zeros are kept, too."""
    origin, c = np.array([20, 3, 7, 11, 5]), rng.normal(size=(2, 4))
    c[1] = 0.0
    basis = SubsetBasis(np.array([3, 0]))
    given, new = (X @ X.T, X_new @ X.T) if kernel == Precomputed() else (X, X_new)
    points, coefficients = basis.function(kernel, given, origin, c)
    assert_array_equal(basis.rows, [3, 0])
    assert_array_equal(points, [11, 20] if kernel == Precomputed() else X[[11, 20]])
    values = kernel(new, points) @ coefficients
    assert_allclose(values, kernel(new, kernel.points(given, [11, 20])) @ c)
