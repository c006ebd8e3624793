"""The smoother of a kernel, from one Cholesky factorization."""

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve, lapack

from widemargin.smoothers.base import Smoother


class DenseSmoother(Smoother):
    r"""The smoother :math:`R = K W (K W + \lambda I)^{-1}` of a Gram matrix.

    Its mass is :math:`D (I - \lambda (D K D + \lambda I)^{-1}) D` with
    :math:`D = W^{1/2}`. O(n^3) once, in double precision; the mass keeps the type of
    the Gram matrix. For several values of `reg`, see `SpectralPath`.

    Parameters
    ----------
    gram : ndarray of shape (n, n)
        Symmetric positive semi-definite; it may be singular.
    weights : ndarray of shape (n,)
        Positive.
    reg : float
        :math:`\lambda > 0`.
    """

    def __init__(self, gram, weights, reg):
        self.gram, self.reg = gram, reg
        root = np.sqrt(weights)
        factor, _ = self._factorize(root, weights)
        mass, _ = lapack.dpotri(factor, lower=0, overwrite_c=True)
        mirror(mass)
        mass *= -reg
        mass.flat[:: len(mass) + 1] += 1.0
        mass *= root[:, None]
        mass *= root
        mass = np.ascontiguousarray(mass.T).astype(gram.dtype, copy=False)
        super().__init__(mass, weights.astype(gram.dtype), low_rank=False)

    def coordinates(self, Y):
        """Coefficients of the kernel functions, (n, k) -> (n, k); O(n^3)."""
        weights = self.weights.astype(np.float64)
        root = np.sqrt(weights)[:, None]
        factor = self._factorize(root[:, 0], weights)
        return root * cho_solve(factor, root * Y, check_finite=False)

    def _factorize(self, root, weights):
        """Upper Cholesky factor of D K D + reg I."""
        matrix = root[:, None] * self.gram.astype(np.float64, copy=False) * root
        matrix.flat[:: len(matrix) + 1] += self.reg
        return factorize(matrix)


def factorize(matrix):
    """Upper Cholesky factor of a symmetric matrix in C order, which is overwritten."""
    try:
        # Its transpose is the same matrix in the order that LAPACK can overwrite.
        return cho_factor(matrix.T, lower=False, overwrite_a=True, check_finite=False)
    except LinAlgError as error:
        raise ValueError(
            "a kernel matrix is not positive semi-definite, not even with ambient_reg "
            "added to its diagonal. Check a precomputed kernel or a kernel function, "
            "or raise ambient_reg."
        ) from error


def mirror(matrix, block=512):
    """Copy the upper triangle to the lower one, in place."""
    n = len(matrix)
    for i in range(0, n, block):
        rows = slice(i, min(i + block, n))
        square = matrix[rows, rows]
        upper = np.triu(square, 1)
        matrix[rows, rows] = upper + upper.T + np.diag(np.diagonal(square))
        matrix[rows.stop :, rows] = matrix[rows, rows.stop :].T
