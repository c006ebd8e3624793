"""Cholesky factorization of matrices that are positive definite but for rounding."""

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, eigh

_SHARES_ADDED = (0.0, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3)  # of the mean


def jittered_cholesky(matrix):
    """Factor for :func:`scipy.linalg.cho_solve`, and what was added to the diagonal.

    Nothing is added if the factorization succeeds as it is. Otherwise the diagonal
    grows by about 1e-9 of its mean, then ten times that, and so on up to 1e-3: enough
    for a matrix whose entries carry the rounding of single precision, while one that
    is truly indefinite is refused.
    """
    size = float(np.abs(np.diagonal(matrix)).mean())
    for share in _SHARES_ADDED:
        jitter = share * size
        shifted = matrix + jitter * np.eye(len(matrix)) if jitter else matrix
        try:
            return cho_factor(shifted, lower=True, check_finite=False), jitter
        except LinAlgError:
            continue
    raise ValueError(
        f"a kernel matrix is not positive semi-definite: adding {jitter:.1e} to its "
        "diagonal is not enough. Check a precomputed kernel or a kernel function."
    )


def without_negative_part(matrix):
    """A symmetric matrix whose negative eigenvalues, if any, are set to zero.

    For matrices that would be positive semi-definite but for the rounding of single
    precision; those that are, are returned as they are.
    """
    tiny = np.finfo(np.float64).eps * len(matrix) * float(np.diagonal(matrix).mean())
    try:
        cho_factor(matrix + tiny * np.eye(len(matrix)), check_finite=False)
    except LinAlgError:
        values, vectors = eigh(matrix, check_finite=False)
        return (vectors * np.maximum(values, 0.0)) @ vectors.T
    return matrix
