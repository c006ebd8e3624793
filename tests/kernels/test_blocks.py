import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse

from widemargin.kernels import Linear, Precomputed, Rbf, scores_in_blocks
from widemargin.kernels.blocks import row_blocks


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
