"""Gaussian kernel."""

from dataclasses import dataclass

from sklearn.metrics.pairwise import rbf_kernel

from widemargin.kernels.base import WidthKernel


@dataclass(frozen=True)
class Rbf(WidthKernel, shorthand="rbf"):
    r"""Gaussian kernel :math:`k(x, z) = \exp(-\gamma \|x - z\|^2)`.

    Parameters
    ----------
    gamma : float, "auto", "scale", "median" or "mean", default="auto"
        A number, or a rule that takes it from the rows; see
        :func:`widemargin.kernels.select_gamma`. "auto" leaves the rule to the
        estimator.

    Examples
    --------
    >>> import numpy as np
    >>> from widemargin.kernels import Rbf
    >>> Rbf(gamma=0.5)(np.array([[0.0], [2.0]])).round(2)
    array([[1.  , 0.14],
           [0.14, 1.  ]])
    """

    gamma: float | str = "auto"

    has_unit_diagonal = True

    def __call__(self, X, Z=None):
        """Gram matrix between the rows of X and of Z, shape (n_x, n_z)."""
        return rbf_kernel(X, Z, gamma=self.width)
