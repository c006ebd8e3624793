"""Polynomial kernel."""

from dataclasses import dataclass

from sklearn.metrics.pairwise import polynomial_kernel

from widemargin.kernels.base import PointKernel, squared_norms


@dataclass(frozen=True)
class Polynomial(PointKernel):
    r"""Polynomial kernel :math:`k(x, z) = (\gamma x^\top z + c_0)^{degree}`.

    Examples
    --------
    >>> import numpy as np
    >>> from widemargin.kernels import Polynomial
    >>> Polynomial(gamma=1.0, degree=2)(np.array([[1.0], [2.0]]))
    array([[ 4.,  9.],
           [ 9., 25.]])
    """

    gamma: float = 1.0
    degree: int = 3
    coef0: float = 1.0

    def __call__(self, X, Z=None):
        """Gram matrix between the rows of X and of Z, shape (n_x, n_z)."""
        return polynomial_kernel(
            X, Z, gamma=self.gamma, degree=self.degree, coef0=self.coef0
        )

    def diagonal(self, X):
        """Value of each row with itself."""
        return (self.gamma * squared_norms(X) + self.coef0) ** self.degree
