r"""A smoother with a constant that nothing penalizes.

The mean of a Gaussian process is profiled out by generalized least squares: with
:math:`A = W (I - R) / \lambda`, the inverse of the kernel matrix plus noise, the best
constant for labels y is :math:`m = 1^\top A y / 1^\top A 1`, and the fit is
:math:`R (y - m) + m`, which is linear in y again.
"""

import numpy as np


class ProfiledSmoother:
    """Fitted values of a smoother plus the best constant.

    Parameters
    ----------
    smoother : Smoother
        Of a kernel without a constant of its own.
    """

    def __init__(self, smoother):
        self.smoother = smoother
        ones = np.ones((smoother.n_samples, 1), dtype=smoother.matrix.dtype)
        self._rest = 1.0 - (smoother @ ones)[:, 0].astype(np.float64)
        weights = smoother.weights.astype(np.float64)
        pull = weights * self._rest
        self._total = float(pull.sum())
        if self._total <= np.finfo(ones.dtype).eps * weights.sum():
            raise ValueError(
                "rounding leaves nothing of the mean of a Gaussian process, since its "
                f"kernel is nearly constant; center X, use float64 (got {ones.dtype}), "
                "lower coef0 or raise noise."
            )
        self._pull = pull / self._total

    @property
    def n_samples(self):
        """Number of points."""
        return self.smoother.n_samples

    def mean(self, Y):
        """The best constant of each column, (n, k) -> (k,)."""
        return self._pull @ Y

    def __matmul__(self, Y):
        """Fitted values, (n, k) -> (n, k)."""
        return self.smoother @ Y + np.multiply.outer(self._rest, self.mean(Y))

    def diagonal(self):
        """How far each point follows its own label, shape (n,)."""
        return self.smoother.diagonal() + self._rest * self._pull

    def leave_one_out(self, Y):
        """Value at each point of the function fitted without it, (n, k); exact."""
        own = self.diagonal()[:, None]
        return (self @ Y - own * Y) / np.maximum(1.0 - own, np.finfo(own.dtype).eps)

    def misfit(self, Y):
        r"""What the fit costs: :math:`\lambda (y - m)^\top A (y - m)`, over columns.

        This is the weighted square loss plus the penalty, and, up to a constant and a
        factor, minus the log marginal likelihood of the labels.
        """
        weights = self.smoother.weights.astype(np.float64)
        return float(weights @ (Y * (Y - self @ Y)).sum(axis=1, dtype=np.float64))

    def coordinates(self, Y):
        """Coordinates of the fitted functions, and their constants, (k,)."""
        mean = self.mean(Y)
        return self.smoother.coordinates(Y - mean), mean

    def mean_variance(self):
        """Variance of the constant, over that of the noise: 1 / (1' W (I - R) 1)."""
        return 1.0 / self._total
