"""Smoothers that follow a graph, for any kernel."""

import numpy as np
from scipy.linalg import blas, lapack, solve, solve_triangular

from widemargin.smoothers.base import Smoother
from widemargin.smoothers.dense import factorize, mirror


class GraphPenalty:
    r"""The part of a graph smoother that does not depend on the kernel.

    Holds :math:`S = (W + \gamma_I L)^{-1}`, from one Cholesky factorization, which
    serves all kernels and all weights of the kernel norm.

    Parameters
    ----------
    laplacian : operator with ``laplacian @ V``
        Symmetric positive semi-definite, (n, n).
    weights : ndarray of shape (n,)
        Positive weight of each point in the loss.
    intrinsic : float
        :math:`\gamma_I \ge 0`.
    """

    def __init__(self, laplacian, weights, intrinsic):
        self.laplacian, self.weights, self.intrinsic = laplacian, weights, intrinsic
        matrix = laplacian @ np.eye(len(weights))
        matrix *= intrinsic
        matrix = 0.5 * (matrix + matrix.T)
        matrix.flat[:: len(matrix) + 1] += weights
        factor, _ = factorize(matrix)
        inverse, _ = lapack.dpotri(factor, lower=0, overwrite_c=True)
        mirror(inverse)
        self.inverse = inverse

    def path(self, gram):
        """A function of `reg` that gives the smoothers of a kernel; O(n^3) each."""
        return lambda reg: GraphSmoother(self, gram, reg)


class GraphSmoother(Smoother):
    r"""The smoother of loss + reg |f|^2 + :math:`\gamma_I f^\top L f`.

    Its mass is :math:`W (W + \gamma_I L + \lambda K^{-1})^{-1} W`, computed without
    the inverse of K as :math:`W (S - S (S + K / \lambda)^{-1} S) W`.

    Parameters
    ----------
    penalty : GraphPenalty
    gram : ndarray of shape (n, n)
        Symmetric positive semi-definite; it may be singular.
    reg : float
        :math:`\lambda > 0`.
    """

    def __init__(self, penalty, gram, reg):
        self.penalty, self.gram, self.reg = penalty, gram, reg
        inverse, weights = penalty.inverse, penalty.weights
        matrix = gram.astype(np.float64) / reg
        matrix += inverse
        size = float(gram.diagonal().max()) * len(gram)
        if gram.dtype == np.float32 and size > 1e3 * reg:
            # Rounding may have made K indefinite, and is no longer small against S.
            noise = np.finfo(np.float32).eps * size / np.sqrt(len(gram))
            matrix.flat[:: len(matrix) + 1] += 4.0 * noise / reg
        factor, _ = factorize(matrix)
        half = solve_triangular(
            factor, inverse, trans="T", lower=False, check_finite=False
        )
        mass = blas.dsyrk(-1.0, half, beta=1.0, c=inverse, trans=1)
        mirror(mass)
        mass *= weights[:, None]
        mass *= weights
        mass = np.ascontiguousarray(mass.T).astype(gram.dtype, copy=False)
        super().__init__(mass, weights.astype(gram.dtype), low_rank=False)

    def coordinates(self, Y):
        """Coefficients of the kernel functions, (n, k) -> (n, k).

        At the minimum they are what loss and graph still pull, divided by `reg`. A mass
        in single precision is too coarse for that; then they are solved for.
        """
        penalty, weights = self.penalty, self.penalty.weights[:, None]
        if self.gram.dtype == np.float32:
            gram = self.gram.astype(np.float64)
            matrix = weights * gram + penalty.intrinsic * (penalty.laplacian @ gram)
            matrix.flat[:: len(matrix) + 1] += self.reg
            return solve(matrix, weights * Y, overwrite_a=True, check_finite=False)
        fitted = (self @ Y.astype(self.matrix.dtype)).astype(np.float64)
        pull = penalty.intrinsic * (penalty.laplacian @ fitted)
        return (weights * (Y - fitted) - pull) / self.reg
