"""Gaussian kernel."""

from dataclasses import dataclass

import numpy as np
from sklearn.metrics.pairwise import rbf_kernel

from widemargin.kernels.base import PointKernel


@dataclass(frozen=True)
class Rbf(PointKernel):
    r"""Gaussian kernel :math:`k(x, z) = \exp(-\gamma \|x - z\|^2)`."""

    gamma: float = 1.0

    def __call__(self, X, Z=None):
        """Gram matrix between the rows of X and of Z, shape (n_x, n_z)."""
        return rbf_kernel(X, Z, gamma=self.gamma)

    def diagonal(self, X):
        """Ones."""
        return np.ones(X.shape[0], dtype=X.dtype)
