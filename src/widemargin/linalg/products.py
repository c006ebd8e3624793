"""Products with a symmetric matrix that read as little of it as possible."""

import numpy as np
from scipy.linalg import blas

_SYMV = {np.dtype(np.float32): blas.ssymv, np.dtype(np.float64): blas.dsymv}
_MAX_SYMV_COLUMNS = 4  # beyond, one pass over the whole matrix for all columns wins


def symmetric_product(matrix, V):
    """The product of a symmetric matrix and a few columns, `matrix @ V`.

    For up to four columns BLAS `symv` is called for each: it reads one triangle
    only, so that it takes about half the time of a general product.

    Parameters
    ----------
    matrix : ndarray of shape (n, n)
        Symmetric, C- or Fortran-contiguous, float32 or float64.
    V : ndarray of shape (n, k)
    """
    if V.shape[1] > _MAX_SYMV_COLUMNS:
        return matrix @ V
    symv = _SYMV[matrix.dtype]
    matrix = matrix.T if matrix.flags.c_contiguous else matrix  # Fortran order: no copy
    return np.stack([symv(1.0, matrix, column) for column in V.T], axis=1)


def column_dots(A, B):
    """Inner product of each column of A with that of B, added up in double."""
    return np.multiply(A, B).sum(axis=0, dtype=np.float64)
