"""Columns of a few values, such as one-hot categories, among columns of numbers.

Rows with different values of such a column are far apart, and rows with the same value
are not apart at all. Where this gap is larger than the distance to the nearest rows,
the values of one column are clusters with the widest margin, whatever the other columns
hold. The gap says how a column was coded and nothing about the rows, so it is narrowed.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse
from scipy.spatial.distance import cdist

from widemargin.defaults import AGREEMENT_NEIGHBORS, DISCRETE
from widemargin.linalg.rows import row_blocks
from widemargin.stored import Stored, is_finite, require

_PEEK = 100  # rows that show that most columns have many values
_PAIRS = 2_000_000  # distances that are compared for each column
_ROUNDING = 1e-9  # of a squared distance, over the mean one


@dataclass(frozen=True)
class WeightedColumns(Stored):
    """A function of rows whose columns are multiplied by weights first.

    >>> from widemargin.kernels import Linear
    >>> from widemargin.spaces.function import Function
    >>> f = Function(Linear(), np.array([[2.0]]), np.array([[0.5]]), np.array([1.0]))
    >>> WeightedColumns(np.array([0.5]), f)(np.array([[6.0]]))
    array([[4.]])
    """

    weights: np.ndarray  # (n_features,)
    function: Stored

    @property
    def n_columns(self):
        """Number of scores of a row."""
        return self.function.n_columns

    @property
    def n_points(self):
        """Number of training rows that new rows are compared with."""
        return self.function.n_points

    def __call__(self, X):
        """Scores of the rows of X, (n_rows, n_columns)."""
        return self.function(weigh(X, self.weights))

    def condensed(self, n_points):
        """The same of a condensed function."""
        return replace(self, function=self.function.condensed(n_points))

    def check(self, n_features):
        """Raise ValueError unless there is a positive weight for each feature."""
        fits = is_finite(self.weights, 1) and len(self.weights) == n_features
        require(fits and (self.weights > 0).all(), self, "weights")
        names = "__call__", "n_columns", "n_points"
        fits = all(hasattr(self.function, name) for name in names)
        require(fits, self, "function")


def weigh(X, weights):
    """A matrix with each column multiplied by its weight, in the type of the matrix."""
    weights = weights.astype(X.dtype)
    return X.multiply(weights).tocsr() if sparse.issparse(X) else X * weights


def find_gaps(X):
    """Mean difference of neighboring values of each column with few values, else 0.

    Each value must stand for several rows: few rows have few values of any column.
    """
    n_rows, gaps = len(X), np.zeros(X.shape[1])
    peeked = np.sort(X[:: max(1, n_rows // _PEEK)], axis=0)
    n_seen = 1 + (np.diff(peeked, axis=0) != 0).sum(axis=0)
    for place in np.flatnonzero(n_seen <= DISCRETE.most_values):
        values = np.unique(X[:, place])
        most = min(DISCRETE.most_values, n_rows // DISCRETE.rows_per_value)
        if 1 < len(values) <= most:
            gaps[place] = (values[-1] - values[0]) / (len(values) - 1)
    return gaps


def weigh_gaps(X, order):
    """Weights of columns that make wide gaps narrow, (n_features,); None for none.

    A gap may be at most a share of the distance to one of the nearest rows, in the
    median over rows, where the distance is that of all other columns. Other columns of
    a few values count there as well: clusters that several of them support are not
    those of one column. `order` are positions of rows that do not depend on how the
    rows are shuffled.
    """
    gaps = find_gaps(X)
    discrete_idx = np.flatnonzero(gaps)
    if len(discrete_idx) in (0, X.shape[1]):  # no other scale to compare gaps with
        return None
    X = np.asarray(X, dtype=np.float64)
    n_drawn = min(DISCRETE.most_rows, len(X), max(1, _PAIRS // len(X)))
    drawn = order[np.arange(n_drawn) * len(X) // n_drawn]
    squares = cdist(X[drawn], X, "sqeuclidean")
    # Copies say nothing about distances, so that they are no neighbors.
    least = _ROUNDING * squares.mean()
    nearest = _nearest(squares, least)
    weights = np.ones(X.shape[1])
    for place in discrete_idx:
        column, gap = X[:, place], gaps[place]
        # Without the column, squared lengths are smaller by its squared range at most.
        shortest = np.median(nearest) - (column.max() - column.min()) ** 2
        if gap**2 <= DISCRETE.share**2 * shortest:
            continue
        others = squares - np.square(column[drawn, None] - column)
        length = np.median(np.sqrt(_nearest(others, least)))
        if np.isfinite(length):
            weights[place] = min(1.0, DISCRETE.share * length / gap)
    return None if (weights == 1).all() else weights


def _nearest(squares, least):
    """Squared distance of each row to one of the nearest that are no copies of it."""
    place = min(AGREEMENT_NEIGHBORS, squares.shape[1]) - 1
    nearest = np.empty(len(squares))
    for block in row_blocks(*squares.shape, 8):
        part = np.where(squares[block] > least, squares[block], np.inf)
        nearest[block] = np.partition(part, place, axis=1)[:, place]
    return nearest
