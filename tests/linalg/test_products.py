import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from widemargin.linalg.products import (
    column_dots,
    count_threads,
    symmetric_product,
)


@pytest.mark.parametrize("n_columns", range(1, 13))
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("order", ["C", "F"])
def test_symmetric_product_is_the_product(rng, order, dtype, n_columns):
    half = rng.normal(size=(20, 20))
    matrix = np.array(half + half.T, dtype=dtype, order=order)
    V = rng.normal(size=(20, n_columns)).astype(dtype)
    before = matrix.copy(), V.copy()
    product = symmetric_product(matrix, V)
    assert product.dtype == dtype
    expected = before[0].astype(float) @ before[1].astype(float)
    assert_allclose(product, expected, atol=100 * np.finfo(dtype).eps)
    assert_array_equal(matrix, before[0])
    assert_array_equal(V, before[1])


def test_symmetric_product_of_transposed_columns(rng):
    half = rng.normal(size=(6, 6))
    matrix, V = half + half.T, rng.normal(size=(2, 6)).T
    assert_allclose(symmetric_product(matrix, V), matrix @ V, atol=1e-13)


def test_column_dots_are_the_diagonal_of_the_product(rng):
    A, B = rng.normal(size=(2, 9, 4))
    assert_allclose(column_dots(A, B), np.diagonal(A.T @ B))


def test_column_dots_of_singles_are_added_up_in_double():
    A = np.array([[1e8], [1.0], [-1e8]], dtype=np.float32)
    dots = column_dots(A, np.ones_like(A))
    assert dots.dtype == np.float64
    assert dots == [1.0]


@pytest.mark.parametrize("n_columns", [5, 6, 11, 15])
@pytest.mark.parametrize("n_rows", [4, 5, 30, 31])
@pytest.mark.parametrize("order", ["C", "F"])
def test_compiled_product_equals_the_plain_one(rng, n_columns, n_rows, order):
    """Any number of rows and columns, shared by more threads than there are blocks."""
    options = {"loop_rows": 1, "n_threads": max(1, n_rows // 5)}
    half = rng.normal(size=(n_rows, n_rows))
    matrix = np.asarray(half + half.T, order=order)
    V = rng.normal(size=(n_rows, n_columns))
    product = symmetric_product(matrix, V, **options)
    assert_allclose(product, matrix @ V, atol=1e-12)
    singles = np.asarray(matrix, np.float32, order=order), V.astype(np.float32)
    single = symmetric_product(*singles, **options)
    assert single.dtype == np.float32
    assert_allclose(single, matrix @ V, atol=1e-4)


@pytest.mark.parametrize(("limit", "expected"), [("1", 1), ("2", 2), ("", 3), ("x", 3)])
def test_threads_are_the_cores_unless_the_limit_is_lower(monkeypatch, limit, expected):
    monkeypatch.setenv("OMP_NUM_THREADS", limit)
    assert count_threads(n_cores=3) == expected
