"""Rows of a table: in blocks, distances, content, and which are copies of others."""

import math
from hashlib import blake2b
from itertools import pairwise

import numpy as np
from scipy import sparse
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.utils.sparsefuncs import min_max_axis

BUFFER_BYTES = 64 * 2**20  # the largest piece of a matrix that is made at a time
CACHE_BYTES = 2**16  # a piece that is read several times stays in the cache
_FAR = 100.0  # squared norm of the mean over the variance: distances lose two digits
_SHIFTS = 3  # the second one takes away the rounding of the first mean
_STEPS = 4  # a range of so many neighboring numbers of the type is rounding
_SAFE_BITS = 30  # squares of numbers of so many binary places fit single precision


def row_blocks(n_rows, n_columns, itemsize, buffer_bytes=BUFFER_BYTES):
    """Slices of rows such that a block of (rows, n_columns) fits the buffer."""
    size = max(1, int(buffer_bytes // max(1, n_columns * itemsize)))
    return [slice(i, min(i + size, n_rows)) for i in range(0, n_rows, size)]


def squared_norms(X):
    """Squared Euclidean norm of each row, dense or sparse, shape (n_samples,)."""
    if hasattr(X, "multiply"):
        return np.asarray(X.multiply(X).sum(axis=1)).ravel()
    return np.einsum("ij,ij->i", X, X)


def near_origin(X, Z=None):
    """X and Z less the mean of the rows of Z, if that is far larger than their spread.

    Distances are differences of squared norms, which lose all digits far from the
    origin; shifts do not change them. Z stands for X if it is not given. Sparse rows
    stay sparse: only columns without zeros are shifted, and the others are not far from
    the origin compared with their spread.
    """
    others = X if Z is None else Z
    for _ in range(_SHIFTS):
        center = _far_center(others if others.shape[0] > 1 else X)
        if center is None:
            break
        X, others = _shifted(X, others, center)
    return X, None if Z is None else others


def _far_center(X):
    """The mean of the rows if they are far from the origin, or None."""
    center = np.asarray(X.mean(axis=0, dtype=np.float64)).ravel()
    size = float(squared_norms(X).mean(dtype=np.float64))
    if not center.any() or center @ center <= (1.0 - 1.0 / _FAR) * size:
        return None
    low, high = column_ranges(X)  # nothing shall be left of a constant column
    return np.where(low == high, low, center)


def _shifted(X, Z, center):
    """Both matrices less a point, of which only full columns of sparse ones count."""
    if not (sparse.issparse(X) and sparse.issparse(Z)):
        X, Z = (x.toarray() if sparse.issparse(x) else x for x in (X, Z))
        shifted = X - center.astype(X.dtype)
        return shifted, shifted if Z is X else Z - center.astype(Z.dtype)
    both = Z is X
    X = _canonical(X)
    Z = X if both else _canonical(Z)
    for x in (X, Z):  # an entry that is not stored stays zero
        n_stored = np.bincount(x.indices, minlength=x.shape[1])
        center = np.where(n_stored == x.shape[0], center, 0.0)
    for x in (X,) if both else (X, Z):
        x.data -= center.astype(x.dtype)[x.indices]
    return X, Z


def _canonical(X):
    """A copy of a CSR matrix in which no entry occurs twice."""
    X = X.copy()
    X.sum_duplicates()
    return X


def scaled_rows(X, exponent):
    """Rows times a power of two, which rounds nothing."""
    if not sparse.issparse(X):
        return np.ldexp(X, exponent)
    X = X.copy()
    X.data = np.ldexp(X.data, exponent)
    return X


def squared_distances(X, Z=None, factor=1.0):
    """Squared Euclidean distances between the rows of X and of Z, times a factor.

    They are right wherever the factor makes numbers of a moderate size of them, also if
    the rows are far from the origin, or if their squares are too small or large.
    """
    X, Z = near_origin(X, Z)
    exponent = math.frexp(factor)[1] // 2
    if abs(exponent) > _SAFE_BITS:
        X, Z = (None if x is None else scaled_rows(x, exponent) for x in (X, Z))
        factor = math.ldexp(factor, -2 * exponent)
    squared = euclidean_distances(X, Z, squared=True)
    squared *= factor
    return squared


def column_ranges(X):
    """The smallest and the largest value of each column, (2, n_features)."""
    if sparse.issparse(X):
        return np.array(min_max_axis(X, axis=0))
    return np.array([X.min(axis=0), X.max(axis=0)])


def is_rounding(low, high):
    """Which columns of so small and large values do not vary by more than rounding."""
    return high - low <= _STEPS * np.spacing(np.maximum(-low, high))


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
    if X.dtype == np.float64 or sparse.issparse(X):
        return X @ direction
    # In double precision: rows far from the origin would have the same number.
    keys = np.empty(len(X))
    for block in row_blocks(*X.shape, 8, CACHE_BYTES):
        keys[block] = X[block].astype(np.float64) @ direction
    return keys


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
