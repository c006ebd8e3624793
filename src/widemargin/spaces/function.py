"""The function that a fitted model keeps."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from widemargin.kernels import Kernel, Linear, Precomputed, scores_in_blocks
from widemargin.stored import Stored


@dataclass(frozen=True)
class Function(Stored):
    """A sum of kernel functions and a constant, for each column of scores.

    ``function(X)`` is ``kernel(X, points) @ coef + intercept``, block by block.

    Attributes
    ----------
    kernel : Kernel
    points : ndarray or CSR matrix of shape (n_points, n_features)
        Training rows, or places of training rows for a precomputed kernel.
    coef : ndarray of shape (n_points, n_columns)
    intercept : ndarray of shape (n_columns,)

    Examples
    --------
    >>> import numpy as np
    >>> from widemargin.kernels import Linear
    >>> from widemargin.spaces import Function
    >>> f = Function(Linear(), np.array([[2.0]]), np.array([[0.5]]), np.array([1.0]))
    >>> f(np.array([[3.0]]))
    array([[4.]])
    """

    kernel: Kernel
    points: object
    coef: np.ndarray
    intercept: np.ndarray

    @property
    def n_columns(self):
        """Number of scores of a row."""
        return len(self.intercept)

    @property
    def n_points(self):
        """Number of training rows that new rows are compared with."""
        return len(self.coef)

    def __call__(self, X):
        """Scores of the rows of X, (n_rows, n_columns), in the type of X."""
        scores = scores_in_blocks(self.kernel, X, self.points, self.coef)
        return scores + self.intercept.astype(scores.dtype)

    def check(self, n_features):
        """Raise ValueError unless the parts fit each other and the features."""
        coef, constants, points = self.coef, self.intercept, self.points
        _require(isinstance(self.kernel, Kernel), "kernel", self.kernel)
        self.kernel.check()
        _require(_is_finite(coef, 2), "coef", coef)
        fits = _is_finite(constants, 1) and len(constants) == coef.shape[1]
        _require(fits, "intercept", constants)
        fits = _are_points(self.kernel, points, len(coef), n_features)
        _require(fits, "points", points)


@dataclass(frozen=True)
class Embedding(Stored):
    """Coordinates of new rows in a space: what its functions are linear in.

    Kernel values against training rows, features made from these, or the rows
    themselves.

    Attributes
    ----------
    kernel : Kernel
    points : ndarray or CSR matrix of shape (n_points, n_features), or None
        Training rows, or places of training rows for a precomputed kernel; None for the
        features of a linear kernel, which are the rows themselves.
    whitening : ndarray of shape (n_points, rank) or None
        Turns kernel values into features.
    """

    kernel: Kernel
    points: object
    whitening: np.ndarray | None = None

    def __call__(self, X):
        """Coordinates of the rows of X, (n_rows, n_coordinates)."""
        if self.points is None:
            return X
        values = self.kernel(X, self.points)
        return values if self.whitening is None else values @ self.whitening

    def check(self, n_features, n_coordinates):
        """Raise ValueError unless the parts fit each other and these numbers."""
        _require(isinstance(self.kernel, Kernel), "kernel", self.kernel)
        self.kernel.check()
        if self.points is None:
            fits = isinstance(self.kernel, Linear) and self.whitening is None
            _require(fits and n_coordinates == n_features, "points", self.points)
            return
        n_points = n_coordinates
        if self.whitening is not None:
            fits = _is_finite(self.whitening, 2)
            fits = fits and self.whitening.shape[1] == n_coordinates
            _require(fits, "whitening", self.whitening)
            n_points = len(self.whitening)
        fits = _are_points(self.kernel, self.points, n_points, n_features)
        _require(fits, "points", self.points)


@dataclass(frozen=True)
class FunctionSum(Stored):
    """The sum of several functions, such as those of kernels of different widths.

    Attributes
    ----------
    parts : tuple of Function
    """

    parts: tuple

    @property
    def n_columns(self):
        """Number of scores of a row."""
        return self.parts[0].n_columns

    @property
    def n_points(self):
        """Number of training rows that new rows are compared with."""
        return max(part.n_points for part in self.parts)

    @property
    def points(self):
        """The training rows, which all parts share."""
        return self.parts[0].points

    def __call__(self, X):
        """Scores of the rows of X, (n_rows, n_columns)."""
        return sum(part(X) for part in self.parts)

    def check(self, n_features):
        """Raise ValueError unless all parts are functions of the same columns."""
        is_sum = isinstance(self.parts, tuple) and len(self.parts) > 0
        _require(is_sum, "parts", self.parts)
        for part in self.parts:
            _require(isinstance(part, Function), "parts", part)
            part.check(n_features)
            _require(part.n_columns == self.n_columns, "parts", part)


def _require(condition, name, value):
    if not condition:
        shape = getattr(value, "shape", None)
        shown = repr(value) if shape is None else f"an array of shape {shape}"
        raise ValueError(f"{name} of a fitted function does not fit: {shown[:80]}")


def _are_points(kernel, points, n_points, n_features):
    """Whether training rows, or their places, fit a kernel and these numbers."""
    if isinstance(kernel, Precomputed):
        fits = isinstance(points, np.ndarray) and points.dtype.kind == "i"
        fits = fits and points.shape == (n_points,)
        return fits and bool(((points >= 0) & (points < n_features)).all())
    if sparse.issparse(points):
        return points.shape == (n_points, n_features) and _is_finite(points.data, 1)
    return _is_finite(points, 2) and points.shape == (n_points, n_features)


def _is_finite(array, ndim):
    is_array = isinstance(array, np.ndarray) and array.ndim == ndim
    return is_array and array.dtype.kind == "f" and bool(np.isfinite(array).all())
