"""Polynomial kernel."""

from dataclasses import dataclass

import numpy as np
from sklearn.metrics.pairwise import polynomial_kernel

from widemargin.checks import check_number
from widemargin.kernels.base import WidthKernel
from widemargin.linalg.rows import squared_norms


@dataclass(frozen=True)
class Polynomial(WidthKernel, shorthand="poly"):
    r"""Polynomial kernel :math:`k(x, z) = (\gamma x^\top z + c_0)^{degree}`.

    Parameters
    ----------
    gamma : float, "auto", "scale", "median" or "mean", default="auto"
        As in `Rbf`.
    degree : int, default=3
    coef0 : float, default=1.0
        :math:`c_0 \ge 0`.

    Examples
    --------
    >>> import numpy as np
    >>> from widemargin.kernels import Polynomial
    >>> Polynomial(gamma=1.0, degree=2)(np.array([[1.0], [2.0]]))
    array([[ 4.,  9.],
           [ 9., 25.]])
    """

    gamma: float | str = "auto"
    degree: int = 3
    coef0: float = 1.0

    def __post_init__(self):
        super().__post_init__()
        check_number(self, "degree", low=1, integer=True)
        check_number(self, "coef0", low=0)

    def __call__(self, X, Z=None):
        """Gram matrix between the rows of X and of Z, shape (n_x, n_z)."""
        with np.errstate(over="ignore"):
            gram = polynomial_kernel(
                X, Z, gamma=self.width, degree=self.degree, coef0=self.coef0
            )
        if not np.isfinite(gram.sum(dtype=np.float64)):
            raise ValueError(
                f"{self!r} is too large for {gram.dtype} on these rows; rescale X, or "
                "lower gamma or the degree."
            )
        return gram

    def diagonal(self, X):
        """Value of each row with itself."""
        return (self.width * squared_norms(X) + self.coef0) ** self.degree
