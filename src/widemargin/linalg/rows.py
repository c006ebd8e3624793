"""Rows of a table: in blocks, by content, and which are copies of others."""

from itertools import pairwise

import numpy as np
from scipy import sparse

BUFFER_BYTES = 64 * 2**20  # the largest piece of a matrix that is made at a time


def row_blocks(n_rows, n_columns, itemsize, buffer_bytes=BUFFER_BYTES):
    """Slices of rows such that a block of (rows, n_columns) fits the buffer."""
    size = max(1, int(buffer_bytes // max(1, n_columns * itemsize)))
    return [slice(i, min(i + size, n_rows)) for i in range(0, n_rows, size)]


def squared_norms(X):
    """Squared Euclidean norm of each row, dense or sparse, shape (n_samples,)."""
    if hasattr(X, "multiply"):
        return np.asarray(X.multiply(X).sum(axis=1)).ravel()
    return np.einsum("ij,ij->i", X, X)


def distinct_rows(X):
    """First position of each distinct row, increasing, and which of them each row is.

    >>> first_idx, distinct_of = distinct_rows(np.array([[1.0], [2.0], [1.0]]))
    >>> first_idx.tolist(), distinct_of.tolist()
    ([0, 1], [0, 1, 0])
    """
    keys = _sparse_keys(X) if sparse.issparse(X) else _dense_keys(X)
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return first[order], rank[inverse.ravel()]


def content_order(X, *, pairwise=False):
    """Positions of the rows in an order that depends on what they hold only.

    Shuffling the rows of X shuffles the answer in the same way, so that whatever is
    drawn or visited in this order does not depend on how a table happens to be sorted
    (copies of a row may trade places). With `pairwise`, X is a Gram matrix, whose
    columns are shuffled with its rows.
    """
    if pairwise:
        diagonal = np.diagonal(X).astype(np.float64)
        sums = X.sum(axis=1, dtype=np.float64) - diagonal
        squares = np.einsum("ij,ij->i", X, X, dtype=np.float64) - diagonal**2
        keys = [key / (np.abs(key).max() or 1.0) for key in (diagonal, squares, sums)]
        return np.lexsort([np.round(key, 9) for key in keys])  # rounding is no content
    direction = np.random.default_rng(0).standard_normal(X.shape[1])
    return np.argsort(X @ direction.astype(X.dtype), kind="stable")


def _dense_keys(X):
    """The bytes of each row as one item, compared by memcmp (-0.0 made 0.0)."""
    X = np.ascontiguousarray(X) + X.dtype.type(0)
    return X.view(np.dtype((np.void, X.dtype.itemsize * X.shape[1]))).ravel()


def _sparse_keys(X):
    """A number for each row, the same for rows with the same nonzero entries."""
    X = X.copy()
    X.sum_duplicates()  # canonical form: indices in order, each once, no zeros
    X.eliminate_zeros()
    rows = (
        X.indices[start:stop].tobytes() + X.data[start:stop].tobytes()
        for start, stop in pairwise(X.indptr.tolist())
    )
    number = {}
    return np.array([number.setdefault(row, len(number)) for row in rows], dtype=int)
