"""How sure a Gaussian process is of its values."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Posterior:
    r"""Variance of the values of a Gaussian process with a profiled mean.

    .. math:: v (k(x, x) - k_x^\top (K + \lambda W^{-1})^{-1} k_x)
              + \frac{(1 - h(x))^2}{1^\top A 1} ,

    where h is the function that is fitted to ones, without a mean.

    Attributes
    ----------
    explanation : callable
        What the samples explain of k(x, x), as a smoother gives it.
    ones : ndarray of shape (n, 1) or (rank, 1)
        Coordinates of h.
    mean_variance : float
        :math:`1 / 1^\top A 1`.
    scale : float
        v.
    """

    explanation: Callable
    ones: np.ndarray
    mean_variance: float
    scale: float

    @classmethod
    def of(cls, profiled, scale, noise):
        r"""The posterior of a `ProfiledSmoother`.

        Its smoother has the regularization :math:`\lambda`, noise over v; `noise` is
        that of a sample of weight one.
        """
        smoother = profiled.smoother
        ones = smoother.coordinates(np.ones((smoother.n_samples, 1)))
        variance = noise * profiled.mean_variance()
        return cls(smoother.explanation(), ones, variance, scale)

    def variance(self, values, prior):
        """Variance at some points, shape (m,).

        Parameters
        ----------
        values : ndarray of shape (m, n) or (m, rank)
            Kernel values of the points against the samples, or their features.
        prior : ndarray of shape (m,)
            k(x, x).
        """
        left = np.maximum(prior - self.explanation(values), 0.0)
        rest = 1.0 - (values @ self.ones)[:, 0]
        return self.scale * left + self.mean_variance * rest**2
