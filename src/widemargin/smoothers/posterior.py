"""How sure a Gaussian process is of its values."""

from dataclasses import dataclass

import numpy as np

from widemargin.smoothers.profiled import ProfiledSmoother


@dataclass(frozen=True)
class Posterior:
    r"""Variance of the values of a Gaussian process with a profiled mean.

    .. math:: v (k(x, x) - k_x^\top (K + \lambda W^{-1})^{-1} k_x)
              + \frac{(1 - h(x))^2}{1^\top A 1} ,

    where h is the function that is fitted to ones, without a mean.

    Attributes
    ----------
    profiled : ProfiledSmoother
        Its smoother has the regularization :math:`\lambda`, noise over v.
    scale, noise : float
        v, and the noise of a sample of weight one.
    """

    profiled: ProfiledSmoother
    scale: float
    noise: float

    @property
    def n_samples(self):
        """Number of samples that the process was fitted to."""
        return self.profiled.n_samples

    def variance(self, values, prior):
        """Variance at some points, shape (m,).

        Parameters
        ----------
        values : ndarray of shape (m, n) or (m, rank)
            Kernel values of the points against the samples, or their features.
        prior : ndarray of shape (m,)
            k(x, x).
        """
        smoother = self.profiled.smoother
        left = np.maximum(prior - smoother.explained(values), 0.0)
        ones = smoother.coordinates(np.ones((smoother.n_samples, 1)))
        rest = 1.0 - (values @ ones)[:, 0]
        mean_variance = self.noise * self.profiled.mean_variance()
        return self.scale * left + mean_variance * rest**2
