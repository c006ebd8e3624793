"""Laplacian kernel."""

from dataclasses import dataclass

from sklearn.metrics.pairwise import laplacian_kernel

from widemargin.kernels.base import WidthKernel


@dataclass(frozen=True)
class Laplacian(WidthKernel, shorthand="laplacian"):
    r"""Laplacian kernel :math:`\exp(-\gamma \|x - z\|_1)`.

    Parameters
    ----------
    gamma : float, "auto", "scale", "median" or "mean", default="auto"
        As in `Rbf`.

    Examples
    --------
    >>> import numpy as np
    >>> from widemargin.kernels import Laplacian
    >>> Laplacian(gamma=0.5)(np.array([[0.0, 0.0], [1.0, 1.0]])).round(2)
    array([[1.  , 0.37],
           [0.37, 1.  ]])
    """

    gamma: float | str = "auto"

    has_unit_diagonal = True

    def __call__(self, X, Z=None):
        """Gram matrix between the rows of X and of Z, shape (n_x, n_z)."""
        gram = laplacian_kernel(X, Z, gamma=self.width)
        return gram.astype(X.dtype, copy=False)
