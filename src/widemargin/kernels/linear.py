"""Linear kernel."""

from dataclasses import dataclass

from sklearn.metrics.pairwise import linear_kernel

from widemargin.kernels.base import Kernel
from widemargin.linalg.rows import squared_norms


@dataclass(frozen=True)
class Linear(Kernel, shorthand="linear"):
    r"""Linear kernel :math:`k(x, z) = x^\top z`.

    Examples
    --------
    >>> import numpy as np
    >>> from widemargin.kernels import Linear
    >>> Linear()(np.array([[1.0, 2.0], [3.0, 0.0]]))
    array([[5., 3.],
           [3., 9.]])
    """

    def __call__(self, X, Z=None):
        """Gram matrix between the rows of X and of Z, shape (n_x, n_z)."""
        return linear_kernel(X, Z)

    def diagonal(self, X):
        """Squared norm of each row."""
        return squared_norms(X)
