"""Smoothest functions along a graph of many rows, by way of smaller graphs.

Groups of neighboring rows are the rows of a smaller graph, whose functions are constant
on groups. Its smoothest functions are found first, in the same way while it is still
large. They are then corrected on the rows by products with the Laplacian.
"""

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
from scipy import sparse
from scipy.linalg import eigh
from scipy.sparse.csgraph import reverse_cuthill_mckee

from widemargin.defaults import SPECTRUM_LEVELS
from widemargin.linalg.products import count_threads
from widemargin.linalg.rows import row_blocks
from widemargin.progress import counter

_LEAST_REDUCTION = 0.8  # a graph with more groups per row than this has none
_MAX_ROUNDS, _TOL = 30, 1e-3  # on the smallest graph, relative to the largest value
_NEGLIGIBLE = 1e-6  # squared sine of a direction that rounding has made
_BLOCK_BYTES = 2**23  # of vectors, in the cache


def coarse_spectrum(laplacian, degrees, n_vectors, *, rule=SPECTRUM_LEVELS):
    """Lowest eigenvalues of a normalized graph Laplacian, rising, and their vectors.

    The vectors, in single precision, have unit length; they and the values are
    approximate, the last ones the most. `degrees` are the sums of the weights of the
    rows. Results depend neither on the run nor on the number of threads. O(n m^2), and
    three arrays of (n, m) numbers.
    """
    # Rows next to their neighbors: products then read vectors that are in the cache.
    order = reverse_cuthill_mckee(sparse.csr_matrix(laplacian), symmetric_mode=True)
    matrix = sparse.csr_array(laplacian)[order][:, order].astype(np.float32)
    roots = np.sqrt(np.where(degrees > 0, degrees, 1.0))[order]
    size = n_vectors + max(10, n_vectors // 10)  # the last ones converge slowly
    step = counter("eigenvectors", rule.rounds * rule.most_products)
    values, vectors = _solve(matrix, roots, size, rule, step)
    n_vectors = min(n_vectors, len(values))
    found = np.empty((len(roots), n_vectors), dtype=np.float32)
    found[order] = vectors[:, :n_vectors]
    return values[:n_vectors], found


def _solve(matrix, roots, size, rule, step=None):
    """Lowest eigenvalues and vectors; `roots` are a function without any energy.

    `step` is called for each product on all rows, which take most of the time.
    """
    n_rows = matrix.shape[0]
    spread = None
    if n_rows > max(rule.coarsest_rows, 4 * size):
        spread = _coarsen(matrix, roots, rule)
    if spread is None:
        start = np.random.default_rng(0).standard_normal(
            (n_rows, min(size, n_rows)), dtype=np.float32
        )
        return _refine(matrix, start, _MAX_ROUNDS, rule)
    coarse = sparse.csr_array(spread.T @ matrix @ spread)
    _, vectors = _solve(coarse, spread.T @ roots, size, rule)
    return _refine(matrix, spread @ vectors, rule.rounds, rule, step)


def _coarsen(matrix, roots, rule):
    """Functions of a smaller graph as functions of the rows, orthonormal columns.

    On a group they are multiples of `roots`, so that functions without any energy are
    the same on both graphs. None if there are no groups.
    """
    from widemargin.spaces.coarse_loops import aggregate

    n_rows = matrix.shape[0]
    ties = matrix.copy()
    ties.setdiag(0.0)
    ties.eliminate_zeros()
    groups = np.empty(n_rows, dtype=np.int64)
    n_groups = aggregate(
        ties.indptr, ties.indices, -ties.data, rule.most_neighbors, groups
    )
    if n_groups > _LEAST_REDUCTION * n_rows:
        return None
    lengths = np.sqrt(np.bincount(groups, weights=roots**2))
    entries = (roots / lengths[groups]).astype(np.float32)
    rows = np.arange(n_rows + 1)
    return sparse.csr_array((entries, groups, rows), shape=(n_rows, n_groups))


def _refine(matrix, vectors, max_rounds, rule, step=None):
    """Eigenvalues and vectors by a few rounds of filters from some vectors."""
    other = np.zeros_like(vectors)
    values, vectors, other = _rotate(matrix, vectors, other)
    for _ in range(max_rounds):
        before = values
        edge = float(values[-1])
        vectors, other = _filter(matrix, vectors, other, edge, rule, step)
        values, vectors, other = _rotate(matrix, vectors, other)
        change = np.abs(values - before[: len(values)])
        if change.max() <= _TOL * values[-1]:
            break
    return values, vectors


def _filter(matrix, vectors, other, edge, rule, step=None):
    """Chebyshev polynomials of a matrix with eigenvalues up to two, times vectors.

    They are small from `edge`, the largest value that is known, to two, and grow below
    it; the degree is chosen for how much. The result may be in either array.
    """
    edge = min(max(edge, 1e-4), 1.9)
    middle, half = 0.5 * (edge + 2.0), 0.5 * (2.0 - edge)
    degree = int(np.ceil(np.arccosh(rule.gain) / np.arccosh(middle / half)))
    degree = min(max(degree, 2), rule.most_products)
    scale = -half / middle  # keeps the value at zero, which would overflow, at one
    other[:] = 0.0
    _recur(matrix, vectors, other, (scale / half, -middle * scale / half, 0.0))
    vectors, other, ratio = other, vectors, scale
    for _ in range(degree - 1):
        following = 1.0 / (2.0 / scale - ratio)
        factor = 2.0 * following / half
        _recur(matrix, vectors, other, (factor, -middle * factor, -ratio * following))
        vectors, other, ratio = other, vectors, following
        if step is not None:
            step()
    return vectors, other


def _rotate(matrix, vectors, other):
    """Ritz values, rising, Ritz vectors, and an array that may be written to.

    The vectors need not be orthogonal; directions that are hardly any are left out.
    """
    other[:] = 0.0
    _recur(matrix, vectors, other, (1.0, 0.0, 0.0))
    blocks = row_blocks(*vectors.shape, vectors.itemsize, _BLOCK_BYTES)
    squares, energies = np.zeros((2, vectors.shape[1], vectors.shape[1]))
    for block in blocks:
        squares += vectors[block].T @ vectors[block]
        energies += vectors[block].T @ other[block]
    lengths = np.sqrt(np.maximum(np.diagonal(squares), np.finfo(np.float32).tiny))
    squares /= lengths * lengths[:, None]
    energies /= lengths * lengths[:, None]
    shares, axes = eigh(squares)
    kept = shares > _NEGLIGIBLE * shares[-1]
    axes = axes[:, kept] / np.sqrt(shares[kept])
    values, rotation = eigh(axes.T @ (0.5 * (energies + energies.T)) @ axes)
    axes = (axes @ rotation / lengths[:, None]).astype(vectors.dtype)
    if not kept.all():
        other = np.empty((len(vectors), axes.shape[1]), dtype=vectors.dtype)
    for block in blocks:
        other[block] = vectors[block] @ axes
    vectors = vectors if kept.all() else np.empty_like(other)
    return np.maximum(values, 0.0), other, vectors


def _recur(matrix, vectors, last, factors):
    """A step of a recurrence, see `recur`; threads share the rows."""
    from widemargin.spaces.coarse_loops import recur

    factors = np.array(factors, dtype=vectors.dtype)
    parts = matrix.indptr, matrix.indices, matrix.data, vectors, last, factors
    n_threads = count_threads()
    if n_threads == 1:
        recur(*parts, 0, len(vectors))
        return
    recur(*parts, 0, 0)  # compiles before threads start
    bounds = np.linspace(0, len(vectors), n_threads + 1, dtype=int).tolist()
    with ThreadPoolExecutor(n_threads) as pool:
        for part in [pool.submit(recur, *parts, *pair) for pair in pairwise(bounds)]:
            part.result()
