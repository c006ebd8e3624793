"""Laplacian kernel."""

import math
from dataclasses import dataclass

from sklearn.metrics.pairwise import laplacian_kernel

from widemargin.kernels.base import WidthKernel


@dataclass(frozen=True)
class Laplacian(WidthKernel, shorthand="laplacian"):
    r"""Laplacian kernel :math:`\exp(-\gamma \|x - z\|_1)`.

    Parameters
    ----------
    gamma : float, "auto", "scale", "median" or "mean", default="auto"
        A number, or a rule as in `Rbf`. A rule that gives one over the squared distance
        :math:`r^2` there gives :math:`1 / (r \sqrt{d})` here, for d features that are
        not constant: sums of absolute differences are about :math:`\sqrt{d}` times as
        large as distances.

    Examples
    --------
    >>> import numpy as np
    >>> from widemargin.kernels import Laplacian
    >>> Laplacian(gamma=0.5)(np.array([[0.0, 0.0], [1.0, 1.0]])).round(2)
    array([[1.  , 0.37],
           [0.37, 1.  ]])
    """

    gamma: float | str = "auto"

    has_unit_diagonal, sees_offsets = True, False

    def own_width(self, gamma, n_varying):
        """The width, in units of X, for the one of squared distances."""
        return math.sqrt(gamma / max(n_varying, 1))

    def __call__(self, X, Z=None):
        """Gram matrix between the rows of X and of Z, shape (n_x, n_z)."""
        gram = laplacian_kernel(X, Z, gamma=self.width)
        return gram.astype(X.dtype, copy=False)
