import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from numpy.testing import assert_array_equal
from reference import distinct_rows as slow_distinct_rows
from scipy import sparse

from widemargin.linalg.rows import (
    dense_keys,
    distinct_rows,
    gram_order,
    row_hashes,
    scaled_rows,
)
from widemargin.rows import Rows


def tables():
    """Few values, so that many rows are copies; some differ by rounding only."""
    shapes = array_shapes(min_dims=2, max_dims=2, max_side=12)
    values = st.sampled_from([0.0, -0.0, 1.0, 1.0 + 2**-20, 2.0, -1.0, 1e20, 1e-20])
    dtypes = st.sampled_from([np.float32, np.float64])
    return dtypes.flatmap(lambda dtype: arrays(dtype, shapes, elements=values))


def assert_distinct(X, expected):
    first_idx, distinct_of = distinct_rows(X)
    assert first_idx.tolist() == expected[0]
    assert distinct_of.tolist() == expected[1]


@pytest.mark.parametrize("as_rows", [np.asarray, sparse.csr_array])
def test_scaled_rows_are_exact_and_leave_the_rows_alone(rng, as_rows):
    X = as_rows(rng.standard_normal((4, 5)).astype(np.float32))
    before = X.copy()
    assert abs(scaled_rows(X, -3) - X / 8).max() == 0
    assert abs(X - before).max() == 0


@settings(deadline=None)
@given(tables())
def test_matches_a_dictionary_of_rows(X):
    expected = slow_distinct_rows(X)
    assert_distinct(X, expected)
    assert_distinct(np.asfortranarray(X), expected)
    assert_distinct(sparse.csr_matrix(X), expected)
    assert_distinct(sparse.csr_array(X), expected)


@pytest.mark.parametrize("to_format", [np.asarray, sparse.csr_matrix])
def test_distinct_rows_rebuild_the_table(rng, to_format):
    X = rng.normal(size=(40, 5))[rng.integers(40, size=200)]
    first_idx, distinct_of = distinct_rows(to_format(X))
    assert len(first_idx) == len(np.unique(X, axis=0))
    assert_array_equal(X[first_idx][distinct_of], X)
    assert (np.diff(first_idx) > 0).all()


def test_negative_zero_equals_zero():
    assert_distinct(np.array([[0.0, 1.0], [-0.0, 1.0]]), ([0], [0, 0]))


def test_rows_of_equal_hashes_are_compared(rng):
    X = rng.normal(size=(20, 3))[rng.integers(20, size=50)]
    keys = dense_keys(X, np.zeros(50))
    assert_array_equal(keys[:, None] == keys, (X[:, None] == X).all(axis=2))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("step", [1.0, 0.1])
def test_hashes_of_simple_numbers_differ(step, dtype):
    """Few of the bits of such numbers differ, and only the upper ones."""
    X = np.array(np.meshgrid(*[np.arange(30)] * 3)).reshape(3, -1).T
    hashes = row_hashes((step * X).astype(dtype))
    assert len(np.unique(hashes)) == len(X)


def test_a_table_without_copies_is_not_copied(rng):
    X = rng.normal(size=(4000, 200))
    tracemalloc.start()
    distinct_rows(X)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < X.nbytes / 4


def test_stored_zeros_order_and_sums_do_not_matter():
    """Four ways to store the sparse row (0, 3, 1), and one of the row (0, 3, 0)."""
    data = np.array([3.0, 1.0, 1.0, 3.0, 0.0, 3.0, 1.0, 1.0, 2.0, 1.0, 3.0, -0.0])
    indices = np.array([1, 2, 2, 1, 0, 1, 2, 1, 1, 2, 1, 2])
    X = sparse.csr_matrix((data, indices, [0, 2, 4, 7, 10, 12]), shape=(5, 3))
    before = X.data.copy(), X.indices.copy()
    assert_distinct(X, ([0, 4], [0, 0, 0, 0, 1]))
    assert_array_equal(X.data, before[0])
    assert_array_equal(X.indices, before[1])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("to_format", [np.asarray, sparse.csr_matrix])
def test_content_order_follows_the_rows_wherever_they_stand(rng, to_format, dtype):
    X = rng.normal(size=(50, 4)).astype(dtype)
    X[rng.random(X.shape) < 0.3] = 0
    order = Rows(to_format(X)).content_order()
    assert_array_equal(np.sort(order), np.arange(50))
    for _ in range(5):
        shuffled = rng.permutation(50)
        again = Rows(to_format(X[shuffled])).content_order()
        assert_array_equal(X[shuffled][again], X[order])


def test_content_order_depends_on_nothing_else(rng):
    """Neither on memory order nor on chance, nor on earlier calls."""
    X = rng.normal(size=(50, 4))
    order = Rows(X).content_order()
    for same in (np.asfortranarray(X), sparse.csr_array(X)):
        assert_array_equal(Rows(same).content_order(), order)
    assert (order != np.arange(50)).any()


def test_copies_keep_their_order_among_each_other(rng):
    X = np.repeat(rng.normal(size=(10, 3)), 4, axis=0)
    order = Rows(X).content_order().reshape(10, 4)
    assert_array_equal(order % 4, np.tile(np.arange(4), (10, 1)))
    assert (order // 4 == order[:, :1] // 4).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_features", [2, 40])
def test_order_of_a_gram_matrix_follows_rows_and_columns(rng, n_features, dtype):
    X = rng.normal(size=(300, n_features))
    distances = ((X[:, None] - X) ** 2).sum(axis=2)
    for gram in (X @ X.T, np.exp(-distances / n_features)):
        gram = gram.astype(dtype)
        order = gram_order(gram)
        assert_array_equal(np.sort(order), np.arange(300))
        for _ in range(5):
            shuffled = rng.permutation(300)
            again = gram_order(gram[np.ix_(shuffled, shuffled)])
            assert_array_equal(shuffled[again], order)
