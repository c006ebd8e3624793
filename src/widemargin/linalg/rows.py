"""Rows of a table: in blocks, by content, and which are copies of others."""

from hashlib import blake2b
from itertools import pairwise

import numpy as np
from scipy import sparse

BUFFER_BYTES = 64 * 2**20  # the largest piece of a matrix that is made at a time
CACHE_BYTES = 2**16  # a piece that is read several times stays in the cache


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
    if sparse.issparse(X):
        return distinct_keys(row_digests(X))
    return distinct_keys(dense_keys(X, row_hashes(X)))


def distinct_keys(keys):
    """The same for rows of which keys are known, equal ones for equal rows."""
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    # `np.unique` sorts by key; here rows come in the order of first occurrence.
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return first[order], rank[inverse.ravel()]


def gram_order(gram):
    """Positions of the samples of a Gram matrix by what it holds; see `content_keys`.

    Its columns are shuffled with its rows.
    """
    diagonal = np.diagonal(gram).astype(np.float64)
    # Sums over a row do not depend on the order of its columns.
    sums = gram.sum(axis=1, dtype=np.float64) - diagonal
    squares = np.einsum("ij,ij->i", gram, gram, dtype=np.float64) - diagonal**2
    keys = [key / (np.abs(key).max() or 1.0) for key in (diagonal, squares, sums)]
    return np.lexsort([np.round(key, 9) for key in keys])  # rounding is no content


def content_keys(X):
    """A number for each row, which depends on what it holds only.

    Shuffling the rows of X shuffles the numbers in the same way, so that whatever is
    drawn or visited in their order does not depend on how a table happens to be sorted
    (copies of a row may be swapped).
    """
    # Different rows have different products with a random direction, almost surely;
    # the seed is fixed, so that the order is the same in every fit.
    direction = np.random.default_rng(0).standard_normal(X.shape[1])
    return X @ direction.astype(X.dtype)


def row_digests(X):
    """A key of 16 bytes for each row, the same for equal rows of other matrices."""
    rows = _sparse_bytes(X) if sparse.issparse(X) else map(bytes, _items(X))
    digests = b"".join(blake2b(row, digest_size=16).digest() for row in rows)
    return np.frombuffer(digests, dtype="V16")


def dense_keys(X, hashes):
    """A number for each row, the same for equal rows only; `hashes` as `row_hashes`."""
    _, inverse, counts = np.unique(hashes, return_inverse=True, return_counts=True)
    # Equal rows have equal hashes: only rows that share theirs are copied and compared.
    shared = np.flatnonzero(counts[inverse] > 1)
    found = np.unique(_items(X[shared]), return_index=True, return_inverse=True)
    _, first, inverse = found
    keys = np.arange(len(X))
    keys[shared] = shared[first[inverse]]
    return keys


def _items(X):
    """The bytes of each row as one item, compared by memcmp (-0.0 made 0.0)."""
    # -0.0 + 0.0 is 0.0; both are equal as numbers, but not as bytes.
    X = np.add(X, X.dtype.type(0), order="C")
    return X.view(np.dtype((np.void, X.dtype.itemsize * X.shape[1]))).ravel()


def row_hashes(X):
    """A number for each row; different rows have the same one by rare chance only."""
    zero, words = X.dtype.type(0), np.dtype(f"u{X.dtype.itemsize}")
    factors = np.random.default_rng(0).integers(2**63, size=X.shape[1], dtype=np.uint64)
    hashes = np.empty(len(X), dtype=np.uint64)
    for block in row_blocks(*X.shape, X.dtype.itemsize, CACHE_BYTES):
        bits = np.add(X[block], zero, order="C").view(words).astype(np.uint64)
        bits ^= bits >> np.uint64(32)  # simple numbers differ in their upper bits only
        # Modulo 2^64, where an odd factor maps different numbers to different ones.
        hashes[block] = bits @ (2 * factors + 1)
    return hashes


def _sparse_bytes(X):
    """Positions and values of the nonzero entries of each row."""
    X = X.copy()
    X.sum_duplicates()  # canonical form: indices in order, each once, no zeros
    X.eliminate_zeros()
    indices = X.indices.astype(np.int64)  # whatever their type in this matrix
    for start, stop in pairwise(X.indptr.tolist()):
        yield indices[start:stop].tobytes() + X.data[start:stop].tobytes()
