"""The function that a fitted model keeps."""

from dataclasses import dataclass, field, fields, replace
from functools import cached_property

import numpy as np
from scipy import sparse

from widemargin.defaults import CONDENSED_NEIGHBORS
from widemargin.graphs import NearestPoints, neighbor_weights
from widemargin.graphs.cells import cell_means
from widemargin.kernels import Kernel, Linear, Precomputed, scores_in_blocks
from widemargin.linalg.rows import squared_norms
from widemargin.stored import Stored, is_finite, require

LEAST_CELL = 5  # rows of a mean that stands for them


@dataclass(frozen=True)
class Function(Stored):
    """A sum of kernel functions and a constant, for each column of scores.

    ``function(X)`` is ``kernel(X, points) @ coef + intercept``, block by block, with
    points (n_points, n_features), which are training rows or, for a precomputed kernel,
    places of training rows, coef (n_points, n_columns) and intercept (n_columns,).

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
        return scores_in_blocks(
            self.kernel, X, self.points, self.coef, constant=self.intercept
        )

    @property
    def training_rows(self):
        """The points, unless they are positions, or the weights of a linear function.

        No row can be read from weights, which have the identity for coefficients
        (`FeatureSpace.to_function`).
        """
        if isinstance(self.kernel, Precomputed):
            return None
        is_square = self.coef.shape[0] == self.coef.shape[1]
        is_weights = is_square and np.array_equal(self.coef, np.eye(len(self.coef)))
        is_weights = is_weights and isinstance(self.kernel, Linear)
        return None if is_weights else self.points

    def check(self, n_features):
        """Raise ValueError unless the parts fit each other and the features."""
        shape = self.coef.shape
        with np.errstate(over="ignore"):
            fits = is_finite(self.coef, 2) and np.isfinite(np.abs(self.coef).sum())
        require(fits, self, "coef")
        fits = is_finite(self.intercept, 1) and len(self.intercept) == shape[1]
        require(fits, self, "intercept")
        fits = _are_points(self.kernel, self.points, shape[0], n_features)
        require(fits, self, "points")


@dataclass(frozen=True)
class Embedding(Stored):
    """Coordinates of new rows in a space: what its functions are linear in."""

    kernel: Kernel
    points: object  # training rows to compare with; None: rows are coordinates
    whitening: np.ndarray | None = None  # makes features from kernel values

    def __call__(self, X):
        """Coordinates of the rows of X, (n_rows, n_coordinates)."""
        if self.points is None:
            return X
        values = self.kernel(X, self.points)
        return values if self.whitening is None else values @ self.whitening

    def before(self, axes):
        """An embedding and axes with the same product as this one and `axes`.

        Where features are made from kernel values, both products become one.
        """
        if self.whitening is None:
            return self, axes
        return replace(self, whitening=None), self.whitening @ axes

    @property
    def training_rows(self):
        """The points, unless there are none or they are positions."""
        return None if isinstance(self.kernel, Precomputed) else self.points

    def n_coordinates(self, n_features):
        """Number of coordinates of rows with `n_features` features."""
        if self.points is None:
            return n_features
        parts = self.points.shape if self.whitening is None else self.whitening.T.shape
        return parts[0]

    def check(self, n_features):
        """Raise ValueError unless the parts fit each other and the features."""
        if self.points is None:
            fits = isinstance(self.kernel, Linear) and self.whitening is None
            require(fits, self, "points")
            return
        n_points = getattr(self.points, "shape", (0,))[0]
        if self.whitening is not None:
            require(is_finite(self.whitening, 2), self, "whitening")
            n_points = len(self.whitening)
        fits = _are_points(self.kernel, self.points, n_points, n_features)
        require(fits, self, "points")


@dataclass(frozen=True)
class NeighborFunction(Stored):
    """Known scores of training rows, averaged over the nearest ones of a new row.

    The nearer ones have more weight, as in a self-tuned graph; a copy of a training row
    has the score of that row. Anchors, which are means of rows, have no copies.

    >>> points, values = np.array([[0.0], [1.0]]), np.array([[2.0], [4.0]])
    >>> NeighborFunction(Linear(), points, values, 2)(np.array([[1.0], [0.5]]))
    array([[4.],
           [3.]])
    """

    kernel: Kernel  # in whose geometry rows are near each other
    points: object
    values: np.ndarray  # (n_points, n_columns)
    n_neighbors: int
    # Of many points, from the fit; a function from a file makes it when it is needed
    index: object = field(
        default=None, repr=False, compare=False, metadata={"kept": False}
    )
    are_means: bool = False  # whether the points are means of rows, and no rows
    n_averaged: int = 1  # rows that each point is the mean of, at least

    @property
    def n_columns(self):
        """Number of scores of a row."""
        return self.values.shape[1]

    @property
    def n_points(self):
        """Number of training rows that new rows are compared with."""
        return len(self.values)

    @property
    def training_rows(self):
        """The points, unless they are means of several rows: of one it is that row."""
        return None if self.n_averaged >= LEAST_CELL else self.points

    def condensed(self, n_points):
        """The function of means of at least five points each, and of their values."""
        if sparse.issparse(self.points):
            raise ValueError(
                "sparse rows cannot be condensed, since their means are not sparse; "
                "save the model as it is, or reduce the rows by TruncatedSVD first."
            )
        found = cell_means(self.points, n_points, LEAST_CELL)
        if found is None:
            return self
        cells, means = found
        counts = np.bincount(cells)
        sums = [np.bincount(cells, weights=column) for column in self.values.T]
        values = np.column_stack(sums) / counts[:, None]
        n_neighbors = min(self.n_neighbors, CONDENSED_NEIGHBORS)
        return replace(
            self, points=means, values=values, n_neighbors=n_neighbors,
            are_means=True, n_averaged=LEAST_CELL, index=None,
        )  # fmt: skip

    def __call__(self, X):
        """Scores of the rows of X, (n_rows, n_columns)."""
        scores = np.empty((X.shape[0], self.n_columns))
        n_values = self.n_neighbors * self.n_columns
        for block, lengths, neighbors in self._nearest.blocks(X, n_values):
            weights = neighbor_weights(lengths, exact_copies=not self.are_means)
            scores[block] = np.einsum("ij,ijk->ik", weights, self.values[neighbors])
        return scores

    @cached_property
    def _nearest(self):
        geometry = self.kernel.geometry
        return NearestPoints(self.points, self.n_neighbors, geometry, self.index)

    def __getstate__(self):  # without an index: it is as large as the points
        return {f.name: getattr(self, f.name) for f in fields(self)} | {"index": None}

    def check(self, n_features):
        """Raise ValueError unless points and values fit each other and the features."""
        require(is_finite(self.values, 2) and self.n_points > 0, self, "values")
        require(self.n_neighbors > 0, self, "n_neighbors")
        require(isinstance(self.are_means, bool), self, "are_means")
        require(self.n_averaged > 0, self, "n_averaged")
        fits = not self.kernel.pairwise and self.points is not None
        fits = fits and _are_points(None, self.points, self.n_points, n_features)
        require(fits, self, "points")


@dataclass(frozen=True)
class FunctionSum(Stored):
    """The sum of several functions and a constant for each column of scores."""

    parts: tuple
    constant: np.ndarray

    @property
    def n_columns(self):
        """Number of scores of a row."""
        return len(self.constant)

    @property
    def n_points(self):
        """Number of training rows that new rows are compared with."""
        return max(part.n_points for part in self.parts)

    def condensed(self, n_points):
        """The sum in which means stand for training rows, see `NeighborFunction`."""
        parts = tuple(part.condensed(n_points) for part in self.parts)
        return replace(self, parts=parts)

    def __call__(self, X):
        """Scores of the rows of X, (n_rows, n_columns)."""
        return sum(part(X) for part in self.parts) + self.constant

    def check(self, n_features):
        """Raise ValueError unless all parts are functions of the same columns."""
        require(is_finite(self.constant, 1), self, "constant")
        fits = len(self.parts) > 0 and all(map(_is_function, self.parts))
        fits = fits and all(part.n_columns == self.n_columns for part in self.parts)
        require(fits, self, "parts")


def _is_function(part):
    """Whether a part gives scores, one of a plug-in also."""
    names = "__call__", "n_columns", "n_points"
    return isinstance(part, Stored) and all(hasattr(part, name) for name in names)


def _are_points(kernel, points, n_points, n_features):
    """Whether training rows, or their places, fit a kernel and these numbers."""
    if isinstance(kernel, Precomputed):
        fits = isinstance(points, np.ndarray) and points.dtype.kind == "i"
        fits = fits and points.shape == (n_points,)
        return fits and bool(((points >= 0) & (points < n_features)).all())
    is_rows = sparse.issparse(points) or is_finite(points, 2)
    if not is_rows or points.shape != (n_points, n_features):
        return False
    with np.errstate(over="ignore"):  # kernels need the squares of rows
        return points.dtype.kind == "f" and np.isfinite(squared_norms(points)).all()
