"""The kernel functions that a fitted function is written over."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class FullBasis:
    """Every sample is a basis point and coordinates are coefficients.

    The exact twin of `NystromMap`.

    Examples
    --------
    >>> import numpy as np
    >>> from widemargin.kernels import FullBasis, Linear
    >>> X, c = np.array([[1.0], [2.0], [3.0]]), np.array([[0.5], [0.0], [0.25]])
    >>> points, coefficients = FullBasis(3).function(Linear(), X, np.arange(3), c)
    >>> points.ravel(), coefficients.ravel()  # the second sample is not needed
    (array([1., 3.]), array([0.5 , 0.25]))
    """

    n_samples: int

    @property
    def rows(self):
        """Samples whose kernel functions span the space."""
        return np.arange(self.n_samples)

    def coefficients(self, c):
        """Coefficients of these kernel functions for coordinates c."""
        return c

    def function(self, kernel, X, origin, c):
        """Points and coefficients of the functions with coordinates c.

        The basis was made over the rows `origin` of X. Kernel functions that none of
        the functions uses are left out.
        """
        used = np.flatnonzero((c != 0).any(axis=1))
        used = used if len(used) else self.rows[:1]
        return kernel.points(X, origin[used]), self.coefficients(c[used])


@dataclass(frozen=True)
class SubsetBasis:
    """Some of the samples are basis points and coordinates are their coefficients.

    Examples
    --------
    >>> import numpy as np
    >>> from widemargin.kernels import Linear, SubsetBasis
    >>> X, c = np.array([[1.0], [2.0], [3.0]]), np.array([[0.5], [0.25]])
    >>> basis = SubsetBasis(np.array([0, 2]))
    >>> points, coefficients = basis.function(Linear(), X, np.arange(3), c)
    >>> points.ravel()
    array([1., 3.])
    """

    rows: np.ndarray

    def function(self, kernel, X, origin, c):
        """Points and coefficients of the functions with coordinates c."""
        return kernel.points(X, origin[self.rows]), c


@dataclass(frozen=True)
class WeightBasis:
    """The functions of the linear kernel by their weights, one for each feature.

    Examples
    --------
    >>> import numpy as np
    >>> from widemargin.kernels import Linear, WeightBasis
    >>> X, w = np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([[2.0], [-1.0]])
    >>> points, coefficients = WeightBasis().function(Linear(), X, np.arange(2), w)
    >>> (Linear()(X, points) @ coefficients).ravel()
    array([ 2., -1.])
    """

    def function(self, kernel, X, origin, c):
        """Points and coefficients: the weights are the points."""
        return np.ascontiguousarray(c.T), np.eye(c.shape[1])
