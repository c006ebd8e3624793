"""Laplacian kernel."""

from dataclasses import dataclass

import numpy as np
from sklearn.metrics.pairwise import laplacian_kernel

from widemargin.kernels.base import WidthKernel


@dataclass(frozen=True)
class Laplacian(WidthKernel, shorthand="laplacian"):
    r"""Laplacian kernel :math:`k(x, z) = \exp(-\gamma \|x - z\|_1)`.

    Parameters
    ----------
    gamma : float, "auto", "scale", "median" or "mean", default="auto"
        A number, or a rule that takes it from the rows, as in `Rbf`.

    Examples
    --------
    >>> import numpy as np
    >>> from widemargin.kernels import Laplacian
    >>> Laplacian(gamma=0.5)(np.array([[0.0, 0.0], [1.0, 1.0]])).round(2)
    array([[1.  , 0.37],
           [0.37, 1.  ]])
    """

    gamma: float | str = "auto"

    def __call__(self, X, Z=None):
        """Gram matrix between the rows of X and of Z, shape (n_x, n_z)."""
        gram = laplacian_kernel(X, Z, gamma=self.width)
        return gram.astype(X.dtype, copy=False)

    def diagonal(self, X):
        """Ones."""
        return np.ones(X.shape[0], dtype=X.dtype)
