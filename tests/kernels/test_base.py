"""What all kernels of points have in common, their formulas included."""

import numpy as np
import pytest
import reference
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from widemargin.kernels import (
    Cosine,
    Custom,
    Laplacian,
    Linear,
    Polynomial,
    Precomputed,
    Rbf,
    scores_in_blocks,
)
from widemargin.kernels.base import Kernel
from widemargin.linalg.rows import row_blocks, squared_norms

FORMULAS = [
    (Rbf(0.7), reference.rbf(0.7)),
    (Laplacian(0.7), reference.laplacian_kernel(0.7)),
    (Linear(), reference.linear),
    (Polynomial(0.7, 2, 0.3), reference.polynomial(0.7, 2, 0.3)),
    (Polynomial(0.4, 5, 0.0), reference.polynomial(0.4, 5, 0.0)),
    (Cosine(), reference.cosine),
]
KERNELS = [kernel for kernel, _ in FORMULAS]
with_formula = pytest.mark.parametrize(
    ("kernel", "formula"), FORMULAS, ids=map(repr, KERNELS)
)
every_kernel = pytest.mark.parametrize("kernel", KERNELS, ids=repr)


@pytest.fixture
def sparse_rows(X):
    """Rows with many zeros, one of them all zeros, sparse and dense."""
    dense = np.where(X > 0, X, 0.0)
    dense[4] = 0
    return sparse.csr_matrix(dense), dense


@with_formula
def test_matches_the_formula(kernel, formula, X, X_new):
    assert_allclose(kernel(X_new, X), reference.gram(formula, X_new, X), atol=1e-12)
    assert_allclose(kernel(X), reference.gram(formula, X, X), atol=1e-12)


@every_kernel
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_floating_type_is_kept(kernel, dtype, X, X_new):
    X, X_new = X.astype(dtype), X_new.astype(dtype)
    assert kernel(X).dtype == dtype
    assert kernel(X_new, X).dtype == dtype
    assert kernel.diagonal(X).dtype == dtype
    exact = kernel(X_new.astype(float), X.astype(float))
    scale = 10 * np.finfo(dtype).eps * abs(exact).max()
    assert_allclose(kernel(X_new, X), exact, atol=scale)


@every_kernel
@pytest.mark.parametrize("to_format", [sparse.csr_matrix, sparse.csr_array])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sparse_equals_dense(kernel, to_format, dtype, sparse_rows):
    X, dense = to_format(sparse_rows[0].astype(dtype)), sparse_rows[1].astype(dtype)
    tolerance = {"rtol": 100 * np.finfo(dtype).eps, "atol": 10 * np.finfo(dtype).eps}
    for gram, expected in [
        (kernel(X), kernel(dense)),
        (kernel(X[:5], X), kernel(dense[:5], dense)),
        (kernel.diagonal(X), kernel.diagonal(dense)),
    ]:
        assert isinstance(gram, np.ndarray)
        assert gram.dtype == dtype
        assert_allclose(gram, expected, **tolerance)


@every_kernel
def test_symmetric_positive_semidefinite(kernel, X):
    gram = kernel(X)
    assert_allclose(gram, gram.T, atol=1e-14)
    values = np.linalg.eigvalsh(gram)
    assert values[0] >= -1e-13 * values[-1]


@every_kernel
def test_diagonal_is_that_of_the_gram_matrix(kernel, rng):
    X = rng.normal(size=(150, 3))
    X[7] = 0
    assert_allclose(kernel.diagonal(X), np.diagonal(kernel(X)), atol=1e-12)


@every_kernel
def test_kernel_is_a_frozen_value(kernel):
    assert kernel == type(kernel)(**vars(kernel))
    with pytest.raises(AttributeError):
        kernel.gamma = 2.0


def test_different_widths_are_different_kernels():
    assert Rbf(1.0) != Rbf(2.0)
    assert Rbf(1.0) != Laplacian(1.0)


@every_kernel
def test_points_are_rows(kernel, X, X_new):
    points = kernel.points(X, [4, 2])
    assert_array_equal(points, X[[4, 2]])
    assert_allclose(kernel(X_new, points), kernel(X_new, X)[:, [4, 2]], atol=1e-12)


def test_neighbors_are_looked_for_among_the_rows(X):
    data, metric = Kernel().geometry(X)
    assert data is X
    assert metric == "euclidean"


def test_default_diagonal_never_asks_for_the_whole_gram_matrix(rng):
    """The diagonal of a function of the user comes from small blocks."""
    X = rng.normal(size=(150, 3))
    shapes = []

    def kernel(X, Z):
        shapes.append((len(X), len(Z)))
        return X @ Z.T

    assert_allclose(Custom(kernel).diagonal(X), (X**2).sum(axis=1))
    assert max(n_x * n_z for n_x, n_z in shapes) <= 64**2


@pytest.mark.parametrize("to_format", [np.asarray, sparse.csr_matrix, sparse.csr_array])
def test_squared_norms(X, to_format):
    norms = squared_norms(to_format(X))
    assert norms.shape == (30,)
    assert_allclose(norms, np.linalg.norm(X, axis=1) ** 2)


class Recording:
    """A kernel that remembers the shapes it was asked for."""

    def __init__(self, kernel):
        self.kernel, self.shapes = kernel, []

    def __call__(self, X, Z):
        gram = self.kernel(X, Z)
        self.shapes.append(gram.shape)
        return gram


@pytest.mark.parametrize("n_rows", [0, 1, 10])
@pytest.mark.parametrize("buffer_bytes", [1, 79, 80, 241, 10**9])
def test_blocks_cover_every_row_once_and_fill_the_buffer(n_rows, buffer_bytes):
    blocks = row_blocks(n_rows, 10, 8, buffer_bytes)  # 80 bytes a row
    covered = [i for block in blocks for i in range(block.start, block.stop)]
    assert covered == list(range(n_rows))
    allowed = max(1, buffer_bytes // 80)
    assert all(block.stop - block.start == allowed for block in blocks[:-1])
    assert all(block.stop - block.start <= allowed for block in blocks)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("buffer_rows", [0, 1, 4, 100])
def test_product_in_blocks_is_the_product(X, X_new, rng, buffer_rows, dtype):
    X, X_new = X.astype(dtype), X_new.astype(dtype)
    coef = rng.normal(size=(7, 3)).astype(dtype)
    kernel = Recording(Rbf(1.0))
    row_bytes = 7 * np.dtype(dtype).itemsize
    scores = scores_in_blocks(kernel, X, X_new, coef, buffer_rows * row_bytes)
    assert scores.dtype == dtype
    tolerance = 10 * np.finfo(dtype).eps
    assert_allclose(scores, Rbf(1.0)(X, X_new) @ coef, atol=tolerance)
    largest = min(30, max(1, buffer_rows))
    assert max(n_rows for n_rows, _ in kernel.shapes) == largest
    assert sum(n_rows for n_rows, _ in kernel.shapes) == 30


def test_sparse_samples(X, X_new, rng):
    coef = rng.normal(size=(7, 2))
    scores = scores_in_blocks(
        Linear(), sparse.csr_matrix(X), sparse.csr_matrix(X_new), coef, 1
    )
    assert_allclose(scores, X @ X_new.T @ coef, atol=1e-12)


def test_precomputed_values(X, X_new, rng):
    """Samples are rows of kernel values, points are positions."""
    rows, coef = np.array([8, 3]), rng.normal(size=(2, 2))
    values = Rbf(1.0)(X_new, X)
    scores = scores_in_blocks(Precomputed(), values, rows, coef, 1)
    assert_allclose(scores, values[:, rows] @ coef)


def test_no_samples_give_no_scores(X):
    assert scores_in_blocks(Rbf(1.0), X[:0], X, np.ones((30, 2))).shape == (0, 2)
