"""The smoother of a kernel, from one Cholesky factorization."""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import (
    LinAlgError,
    cho_factor,
    cho_solve,
    lapack,
    solve_triangular,
)

from widemargin.smoothers.base import Smoother

_SINGLE = 1e5  # largest condition number that single precision is trusted with


class DenseSmoother(Smoother):
    r"""The smoother :math:`R = K W (K W + \lambda I)^{-1}` of a Gram matrix.

    Its mass is :math:`D (I - \lambda (D K D + \lambda I)^{-1}) D` with
    :math:`D = W^{1/2}`. O(n^3) once; the mass keeps the type of the Gram matrix. A Gram
    matrix in single precision is factorized in it, too, unless `reg` is so small or
    large that rounding would tell. For several values of `reg`, see `SpectralPath`.

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
        dtype, root = np.float64, np.sqrt(weights)
        largest = float(np.diagonal(gram) @ weights)  # no eigenvalue is larger
        if gram.dtype == np.float32 and reg < largest < _SINGLE * reg:
            dtype, root = np.float32, root.astype(np.float32)
        factor, _ = self._factorize(root, dtype)
        invert = lapack.dpotri if dtype is np.float64 else lapack.spotri
        mass, _ = invert(factor, lower=0, overwrite_c=True)
        mirror(mass)
        _scale_both_sides(mass, root, -reg)
        mass.flat[:: len(mass) + 1] += weights
        mass = np.ascontiguousarray(mass.T).astype(gram.dtype, copy=False)
        super().__init__(mass, weights.astype(gram.dtype), low_rank=False)

    def coordinates(self, Y):
        """Coefficients of the kernel functions, (n, k) -> (n, k); O(n^3)."""
        root = np.sqrt(self.weights.astype(np.float64))[:, None]
        factor = self._factorize(root[:, 0], np.float64)
        return root * cho_solve(factor, root * Y, check_finite=False)

    def explanation(self):
        """What the samples explain of k(x, x), to be asked at new points; O(n^3)."""
        root = np.sqrt(self.weights.astype(np.float64))
        return DenseExplanation(root, self._factorize(root, np.float64)[0])

    def _factorize(self, root, dtype):
        """Upper Cholesky factor of D K D + reg I."""
        matrix = self.gram.astype(dtype)
        _scale_both_sides(matrix, root)
        matrix.flat[:: len(matrix) + 1] += self.reg
        return factorize(matrix)


@dataclass(frozen=True)
class DenseExplanation:
    """How much of k(x, x) the samples of a smoother explain.

    Attributes
    ----------
    root : ndarray of shape (n,)
        Roots of the weights, D.
    factor : ndarray of shape (n, n)
        Upper Cholesky factor of D K D + reg I.
    """

    root: np.ndarray
    factor: np.ndarray

    def __call__(self, cross):
        """The share k_x' (K + reg W^-1)^-1 k_x, from kernel values (m, n)."""
        scaled = (self.root * cross).T
        half = solve_triangular(self.factor, scaled, trans="T", check_finite=False)
        return np.einsum("ij,ij->j", half, half)


def _scale_both_sides(matrix, root, factor=1.0):
    """Multiply a matrix by diag(root) from both sides, and by a number, in place."""
    if root.min() == root.max():  # one pass over the matrix instead of two
        matrix *= matrix.dtype.type(factor * float(root[0]) ** 2)
        return
    matrix *= matrix.dtype.type(factor) * root[:, None]
    matrix *= root


def factorize(matrix):
    """Upper Cholesky factor of a symmetric matrix in C order, which is overwritten."""
    try:
        # Its transpose is the same matrix in the order that LAPACK can overwrite.
        return cho_factor(matrix.T, lower=False, overwrite_a=True, check_finite=False)
    except LinAlgError as error:
        raise ValueError(
            "a kernel matrix is not positive semi-definite, not even with the "
            "regularization added to its diagonal. Check a precomputed kernel or a "
            "kernel function, use float64, or raise the regularization (ambient_reg, "
            "or the noise of a Gaussian process)."
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
