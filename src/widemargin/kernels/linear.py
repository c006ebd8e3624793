"""Inner products: of rows as they are, and of rows of unit length."""

from dataclasses import dataclass

from sklearn.metrics.pairwise import cosine_similarity, linear_kernel
from sklearn.preprocessing import normalize

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


@dataclass(frozen=True)
class Cosine(Kernel, shorthand="cosine"):
    r"""Cosine kernel :math:`k(x, z) = x^\top z / \|x\| \|z\|`; 0 for a zero row.

    Examples
    --------
    >>> import numpy as np
    >>> from widemargin.kernels import Cosine
    >>> Cosine()(np.array([[2.0, 0.0], [3.0, 3.0]])).round(2)
    array([[1.  , 0.71],
           [0.71, 1.  ]])
    """

    def __call__(self, X, Z=None):
        """Gram matrix between the rows of X and of Z, shape (n_x, n_z)."""
        return cosine_similarity(X, Z)

    def geometry(self, X):
        """Directions only."""
        return normalize(X), "euclidean"

    def diagonal(self, X):
        """Ones, and zeros for zero rows."""
        return (squared_norms(X) > 0).astype(X.dtype)
