"""Products with a symmetric matrix that read as little of it as possible."""

import os
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import pairwise

import joblib
import numpy as np
from scipy.linalg import blas

_SYMV = {np.dtype(np.float32): blas.ssymv, np.dtype(np.float64): blas.dsymv}
_MAX_SYMV_COLUMNS = 4
# our own loop beats BLAS for matrices beyond the cache and a handful of columns
_MIN_LOOP_ROWS, _MAX_LOOP_COLUMNS = 4000, 15
_LANES = 64  # rows that are added up side by side


def symmetric_product(matrix, V):
    """The product of a symmetric matrix and a few columns, `matrix @ V`.

    For up to four columns BLAS `symv` is called for each: it reads one triangle only,
    so that it takes about half the time of a general product. A general product packs
    the matrix before it starts, which pays only for many columns; in between a
    compiled loop reads the matrix once.

    Parameters
    ----------
    matrix : ndarray of shape (n, n)
        Symmetric, C- or Fortran-contiguous, float32 or float64.
    V : ndarray of shape (n, k)
    """
    n_rows, n_columns = V.shape
    fortran = matrix.T if matrix.flags.c_contiguous else matrix  # symmetric: no copy
    if n_columns <= _MAX_SYMV_COLUMNS:
        symv = _SYMV[matrix.dtype]
        return np.stack([symv(1.0, fortran, column) for column in V.T], axis=1)
    if n_rows >= _MIN_LOOP_ROWS and n_columns <= _MAX_LOOP_COLUMNS:
        return _product_by_rows(fortran.T, V)
    return matrix @ V


def _product_by_rows(matrix, V):
    """The product in one pass over the rows, which threads share."""
    # compiles: only when needed
    from widemargin.linalg.products_loops import COLUMNS, ROWS, dot_rows

    n_rows, n_columns = V.shape
    columns = np.zeros((-(-n_columns // COLUMNS) * COLUMNS, n_rows), matrix.dtype)
    columns[:n_columns] = V.T
    out = np.empty_like(columns)
    dot_rows(matrix, columns, out, 0, ROWS)  # compile before threads start
    bounds = np.linspace(0, n_rows, n_threads() + 1, dtype=int)
    with ThreadPoolExecutor(n_threads()) as pool:
        parts = [
            pool.submit(dot_rows, matrix, columns, out, start, stop)
            for start, stop in pairwise(bounds)
        ]
        for part in parts:
            part.result()
    return np.ascontiguousarray(out[:n_columns].T)


def n_threads():
    """Threads to use: the cores we may use, or fewer if OMP_NUM_THREADS says so."""
    asked = os.environ.get("OMP_NUM_THREADS", "")
    return max(1, min(_n_cores(), int(asked))) if asked.isdigit() else _n_cores()


@cache
def _n_cores():
    return joblib.cpu_count()


def column_dots(A, B):
    """Inner product of each column of A with that of B, added up in double."""
    products = np.multiply(A, B)
    n_rows, n_columns = products.shape
    whole = n_rows - n_rows % _LANES
    wide = products[:whole].reshape(-1, _LANES * n_columns)  # long rows add up fast
    lanes = wide.sum(axis=0, dtype=np.float64).reshape(_LANES, n_columns)
    return lanes.sum(axis=0) + products[whole:].sum(axis=0, dtype=np.float64)


def sparse_product(matrix, coefficients):
    """A symmetric matrix times coefficients, in double; reads the used rows only."""
    from widemargin.linalg.products_loops import add_rows

    product = np.zeros(len(coefficients))
    add_rows(matrix, coefficients, product)
    return product
