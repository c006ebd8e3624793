r"""A Gaussian process over a smoother: its mean, and the variance of its values.

The mean is profiled out by generalized least squares: with
:math:`A = W (I - R) / \lambda`, the inverse of the kernel matrix plus noise, the best
constant for labels y is :math:`m = 1^\top A y / 1^\top A 1`, and the fit is
:math:`R (y - m) + m`, which is linear in y again.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular

from widemargin.kernels import Precomputed
from widemargin.linalg.rows import row_blocks
from widemargin.spaces.function import Embedding
from widemargin.stored import Stored, is_finite, require


class ProfiledSmoother:
    """Fitted values of a smoother, without a constant of its own, plus the best one."""

    def __init__(self, smoother):
        self.smoother = smoother
        ones = np.ones((smoother.n_samples, 1), dtype=smoother.matrix.dtype)
        self._rest = 1.0 - (smoother @ ones)[:, 0].astype(np.float64)
        weights = smoother.weights.astype(np.float64)
        pull = weights * self._rest  # A 1, times lambda
        total = float(pull.sum())
        if total <= np.finfo(ones.dtype).eps * weights.sum():
            raise ValueError(
                "rounding leaves nothing of the mean of a Gaussian process, since its "
                f"kernel is nearly constant; center X, use float64 (got {ones.dtype}), "
                "lower coef0 or raise noise."
            )
        self._pull = pull / total
        # How closely each point follows its own label: the diagonal of this map.
        self.own = smoother.diagonal() + self._rest * self._pull
        self.mean_variance = 1.0 / total  # of the constant, over that of the noise

    def mean(self, Y):
        """The best constant of each column, (n, k) -> (k,)."""
        return self._pull @ Y

    def __matmul__(self, Y):
        """Fitted values, (n, k) -> (n, k)."""
        return self.smoother @ Y + np.multiply.outer(self._rest, self.mean(Y))

    def leave_one_out(self, Y):
        """Value at each point of the function fitted without it, (n, k); exact."""
        own = self.own[:, None]
        return (self @ Y - own * Y) / np.maximum(1.0 - own, np.finfo(own.dtype).eps)

    def misfit(self, Y):
        r"""What the fit costs: :math:`\lambda (y - m)^\top A (y - m)`, over columns.

        This is the weighted square loss plus the penalty, and, up to a constant and a
        factor, minus the log marginal likelihood of the labels.
        """
        weights = self.smoother.weights.astype(np.float64)
        # lambda A (y - m) = W (y - fit), and 1'A (y - m) = 0: y stands for y - m.
        return float(weights @ (Y * (Y - self @ Y)).sum(axis=1, dtype=np.float64))

    def coordinates(self, Y):
        """Coordinates of the fitted functions, and their constants, (k,)."""
        mean = self.mean(Y)
        return self.smoother.coordinates(Y - mean), mean


@dataclass(frozen=True)
class Posterior(Stored):
    r"""Variance of the values of a Gaussian process with a profiled mean.

    .. math:: v (k(x, x) - k_x^\top (K + \lambda W^{-1})^{-1} k_x)
              + \frac{(1 - h(x))^2}{1^\top A 1} ,

    where h is the function that is fitted to ones, without a mean, with coordinates
    `ones`; `mean_variance` is :math:`1 / 1^\top A 1` and `scale` is v. `explanation`
    gives what the samples explain of k(x, x).
    """

    explanation: object
    ones: np.ndarray
    mean_variance: float
    scale: float

    @classmethod
    def of(cls, profiled, scale, noise):
        """The posterior of a `ProfiledSmoother`; `noise` is that of weight one."""
        smoother = profiled.smoother
        ones = smoother.coordinates(np.ones((smoother.n_samples, 1)))
        variance = noise * profiled.mean_variance
        return cls(smoother.explanation(), ones, variance, scale)

    def variance(self, values, prior):
        """Variance where the embedding is `values` and k(x, x) is `prior`, (m,)."""
        # Near a training row both are nearly equal, and rounding may decide.
        left = np.maximum(prior - self.explanation(values), 0.0)
        rest = 1.0 - (values @ self.ones)[:, 0]
        return self.scale * left + self.mean_variance * rest**2

    def check(self, n_features):
        """Raise ValueError unless the parts are of one size and no variance is < 0."""
        kinds = DenseExplanation | LowRankExplanation
        require(isinstance(self.explanation, kinds), self, "explanation")
        size = len(self.explanation.factor)
        require(is_finite(self.ones, 2) and self.ones.shape == (size, 1), self, "ones")
        for name in ("mean_variance", "scale"):
            require(0 <= getattr(self, name) < np.inf, self, name)


@dataclass(frozen=True)
class VarianceFunction(Stored):
    """Variance of the score of new rows, as a fitted model keeps it."""

    embedding: Embedding
    posterior: Posterior
    diagonal: float | None = None  # k(x, x) for a precomputed kernel, if known

    def __call__(self, X):
        """Variances at the rows of X, shape (n_rows,), block by block."""
        kernel, variances = self.embedding.kernel, []
        for block in row_blocks(X.shape[0], len(self.posterior.ones), 8):
            rows = X[block]
            if isinstance(kernel, Precomputed):
                prior = np.full(rows.shape[0], self.diagonal)
            else:
                prior = kernel.diagonal(rows).astype(np.float64)
            values = self.embedding(rows)
            variances.append(self.posterior.variance(values, prior))
        return np.concatenate(variances)

    def check(self, n_features):
        """Raise ValueError unless the parts fit each other and the features."""
        n_coordinates = self.embedding.n_coordinates(n_features)
        require(n_coordinates == len(self.posterior.ones), self, "posterior")
        is_number = self.diagonal is None or 0 <= self.diagonal < np.inf
        require(is_number, self, "diagonal")


@dataclass(frozen=True)
class DenseExplanation(Stored):
    """How much of k(x, x) the samples of a smoother explain."""

    root: np.ndarray  # roots of the weights, D
    factor: np.ndarray  # upper Cholesky factor of D K D + reg I

    def __call__(self, cross):
        """The share k_x' (K + reg W^-1)^-1 k_x, from kernel values (m, n)."""
        scaled = (self.root * cross).T
        half = solve_triangular(self.factor, scaled, trans="T", check_finite=False)
        return np.einsum("ij,ij->j", half, half)

    def check(self, n_features):
        """Raise ValueError unless the factor can be solved with, for each root."""
        require(_is_factor(self.factor), self, "factor")
        fits = is_finite(self.root, 1) and len(self.root) == len(self.factor)
        require(fits, self, "root")


@dataclass(frozen=True)
class LowRankExplanation(Stored):
    """The same for features, with the lower factor C of a `LowRankSmoother`."""

    factor: np.ndarray
    reg: float

    def __call__(self, features):
        """The share z' z - reg z' (C C')^-1 z, for features (m, rank) of points."""
        features = features.astype(np.float64, copy=False)
        half = solve_triangular(self.factor, features.T, lower=True, check_finite=False)
        squares = np.einsum("ij,ij->i", features, features)
        return squares - self.reg * np.einsum("ij,ij->j", half, half)

    def check(self, n_features):
        """Raise ValueError unless the factor can be solved with."""
        require(_is_factor(self.factor), self, "factor")
        require(0 <= self.reg < np.inf, self, "reg")


def _is_factor(factor):
    """Whether a triangular matrix can be solved with."""
    if not is_finite(factor, 2) or factor.shape[0] != factor.shape[1]:
        return False
    # so that solutions and their squares stay finite
    largest = np.finfo(factor.dtype).max ** (1 / 3)
    is_solvable = bool((np.abs(np.diagonal(factor)) > 1 / largest).all())
    return is_solvable and bool(np.abs(factor).max(initial=0.0) < largest)
