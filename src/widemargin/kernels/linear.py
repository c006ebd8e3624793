"""Linear kernel."""

from dataclasses import dataclass

from sklearn.metrics.pairwise import linear_kernel

from widemargin.kernels.base import PointKernel, squared_norms


@dataclass(frozen=True)
class Linear(PointKernel):
    r"""Linear kernel :math:`k(x, z) = x^\top z`."""

    def __call__(self, X, Z=None):
        """Gram matrix between the rows of X and of Z, shape (n_x, n_z)."""
        return linear_kernel(X, Z)

    def diagonal(self, X):
        """Squared norm of each row."""
        return squared_norms(X)
