"""Gaussian kernel."""

from dataclasses import dataclass

import numpy as np
from sklearn.metrics.pairwise import rbf_kernel

from widemargin.kernels.base import PointKernel


@dataclass(frozen=True)
class Rbf(PointKernel):
    r"""Gaussian kernel :math:`k(x, z) = \exp(-\gamma \|x - z\|^2)`.

    Examples
    --------
    >>> import numpy as np
    >>> from widemargin.kernels import Rbf
    >>> Rbf(gamma=0.5)(np.array([[0.0], [2.0]])).round(2)
    array([[1.  , 0.14],
           [0.14, 1.  ]])
    """

    gamma: float = 1.0

    def __call__(self, X, Z=None):
        """Gram matrix between the rows of X and of Z, shape (n_x, n_z)."""
        return rbf_kernel(X, Z, gamma=self.gamma)

    def diagonal(self, X):
        """Ones."""
        return np.ones(X.shape[0], dtype=X.dtype)
