"""Products with a symmetric matrix that read as little of it as possible; threads."""

import os
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from functools import cache, partial

import joblib
import numpy as np
from scipy.linalg import blas
from threadpoolctl import ThreadpoolController

from widemargin.linalg.rows import row_blocks

_SYMV = {np.dtype(np.float32): blas.ssymv, np.dtype(np.float64): blas.dsymv}
# With up to four columns symv takes 0.4 to 0.95 times the time of a general product,
# with five about the same and with six or more longer (3,000 and 5,000 rows).
_MAX_SYMV_COLUMNS = 4
# our own loop beats BLAS for matrices beyond the cache and a handful of columns
LOOP_ROWS, _MAX_LOOP_COLUMNS = 4000, 15
_LANES = 64  # rows that are added up side by side
CALL_WORK = 2**27  # products in one call of a loop: some hundredths of a second
_SMALL_ROWS = 2000  # matrices of which are done before a second thread has begun
_count_cores = cache(joblib.cpu_count)
# It takes milliseconds to find them; those of NumPy and SciPy are loaded by now.
_find_libraries = cache(ThreadpoolController)


def symmetric_product(matrix, V, *, loop_rows=LOOP_ROWS, n_threads=None):
    """The product of a symmetric matrix and a few columns, (n, n) and (n, k) -> (n, k).

    For up to four columns BLAS `symv` is called for each: it reads one triangle only,
    so that it takes about half the time of a general product. A general product packs
    the matrix before it starts, which pays only for many columns; in between a
    compiled loop reads the matrix once.
    """
    n_rows, n_columns = V.shape
    fortran = matrix.T if matrix.flags.c_contiguous else matrix  # symmetric: no copy
    if n_columns <= _MAX_SYMV_COLUMNS:
        symv = _SYMV[matrix.dtype]
        return np.stack([symv(1.0, fortran, column) for column in V.T], axis=1)
    if n_rows >= loop_rows and n_columns <= _MAX_LOOP_COLUMNS:
        return _product_by_rows(fortran.T, V, n_threads or count_threads())
    return matrix @ V


def _product_by_rows(matrix, V, n_threads):
    """The product in one pass over the rows, which threads share."""
    # compiles: only when needed
    from widemargin.linalg.products_loops import COLUMNS, ROWS, dot_rows

    n_rows, n_columns = V.shape
    # Padded with zero columns to a multiple of COLUMNS, one column after the other.
    columns = np.zeros((-(-n_columns // COLUMNS) * COLUMNS, n_rows), matrix.dtype)
    columns[:n_columns] = V.T
    out = np.empty_like(columns)
    dot_rows(matrix, columns, out, 0, ROWS)  # compile before threads start
    n_parts = max(n_threads, min(n_rows // ROWS, matrix.size * n_columns // CALL_WORK))
    bounds = np.linspace(0, n_rows, n_parts + 1, dtype=int)
    with ThreadPoolExecutor(n_threads) as pool:
        # An interrupt cancels the parts that have not begun.
        parts = pool.map(partial(dot_rows, matrix, columns, out), bounds, bounds[1:])
        deque(parts, maxlen=0)
    return np.ascontiguousarray(out[:n_columns].T)


def count_threads(n_cores=None):
    """Threads to use: the available cores, or OMP_NUM_THREADS if that is less."""
    n_cores = _count_cores() if n_cores is None else n_cores
    limit = os.environ.get("OMP_NUM_THREADS", "")
    return max(1, min(n_cores, int(limit))) if limit.isdigit() else n_cores


def suited_threads(n_rows):
    """A context in which BLAS and OpenMP loops on few rows run in one thread.

    With more, threads that wait for each other take many times longer on a busy
    machine, and gain little on an idle one.
    """
    if n_rows > _SMALL_ROWS:
        return nullcontext()
    return _find_libraries().limit(limits=1)


def column_dots(A, B):
    """Inner product of each column of A with that of B, added up in double."""
    # Single products keep their type; a sum of many in float32 would lose digits.
    products = np.multiply(A, B)
    n_rows, n_columns = products.shape
    whole = n_rows - n_rows % _LANES
    wide = products[:whole].reshape(-1, _LANES * n_columns)  # long rows add up fast
    lanes = wide.sum(axis=0, dtype=np.float64).reshape(_LANES, n_columns)
    return lanes.sum(axis=0) + products[whole:].sum(axis=0, dtype=np.float64)


def sparse_product(matrix, coefficients):
    """A symmetric matrix times coefficients, in double; reads the used rows only."""
    product = np.zeros(len(coefficients))
    # Contiguous, or another variant of the loop would be compiled.
    add_products(matrix, np.ascontiguousarray(coefficients), product)
    return product


def add_products(rows, coefficients, scores):
    """Add `coefficients` times the rows of a matrix to the scores, some at a time."""
    from widemargin.linalg.products_loops import add_rows

    for block in row_blocks(*rows.shape, 1, CALL_WORK):
        add_rows(rows[block], coefficients[block], scores)
