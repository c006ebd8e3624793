"""Nearest neighbors of rows: exact for few rows, approximate for many."""

from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np
from scipy import sparse
from sklearn.neighbors import NearestNeighbors

from widemargin.checks import warn_of_data
from widemargin.defaults import EXACT_NEIGHBORS
from widemargin.graphs.cells import Cells, ProjectedCells
from widemargin.linalg.rows import near_origin, row_blocks

_SAME = 1e-6  # shorter distances, over that to the last neighbor, are rounding


@dataclass(frozen=True)
class ExactIndex:
    """An index of rows, or of distances between them, by scikit-learn.

    Rows far from the origin are shifted, since distances between them would be inexact.
    """

    rows: object
    finder: NearestNeighbors  # of the rows, shifted if they are far from the origin
    recall = 1.0

    @classmethod
    def fit(cls, X, metric="euclidean"):
        """The index of the rows of X."""
        # `query` shifts a single row.
        is_shifted = metric == "euclidean" and X.shape[0] > 1
        near = near_origin(X)[0] if is_shifted else X
        return cls(X, NearestNeighbors(metric=metric).fit(near))

    def neighbors(self, n_neighbors):
        """Lengths to and positions of the nearest other rows of each row, sorted."""
        return self.finder.kneighbors(n_neighbors=n_neighbors)

    def query(self, Z, n_neighbors):
        """Lengths to and positions of the nearest rows of each row of Z, sorted."""
        finder = self.finder
        if finder.metric == "euclidean":
            Z, near = near_origin(Z, self.rows)
            if near is not self.rows:
                finder = NearestNeighbors().fit(near)
        return finder.kneighbors(Z, n_neighbors=n_neighbors)


def index_rows(X, n_neighbors, metric="euclidean", *, limits=EXACT_NEIGHBORS):
    """An index of rows that finds about so many neighbors of each.

    It has ``neighbors(k)``, the lengths to and positions of the k nearest other rows
    of each row, ``query(Z, k)`` for other rows, and the share of true neighbors that it
    finds, `recall`. Lengths are exact.
    """
    is_many = X.shape[0] > limits.rows and X.shape[1] > limits.features
    if metric != "euclidean" or not is_many:
        return ExactIndex.fit(X, metric)
    kind = ProjectedCells if sparse.issparse(X) else Cells
    index = kind.fit(X, n_neighbors)
    if index.recall < limits.recall:
        warn_of_data(
            f"about {index.recall:.0%} of the nearest neighbors in X of shape "
            f"{X.shape} can be found in reasonable time; reduce the number of columns, "
            "make_pipeline(PCA(50), ...) for example, or pass a graph of your own."
        )
    return index


@dataclass(frozen=True)
class NearestPoints:
    """The nearest of some points to rows; their index is made when it is needed.

    It is not pickled, because it is as large as the points.
    """

    points: object
    n_neighbors: int  # or all points, if there are fewer
    geometry: object = None  # of a kernel, in which rows are near each other
    index: object = None  # of the points, if it is known

    def blocks(self, X, n_values=1):
        """Yield blocks of the rows of X, and lengths to and positions of their points.

        A block is small enough for `n_values` numbers per row.
        """
        if sparse.issparse(X) != sparse.issparse(self.points):  # search needs one kind
            X = X.toarray() if sparse.issparse(X) else sparse.csr_matrix(X)
        X, n_neighbors = self._located(X), min(self.n_neighbors, self.points.shape[0])
        for block in row_blocks(X.shape[0], max(X.shape[1], n_values), 8):
            yield block, *self._index.query(X[block], n_neighbors)

    def _located(self, X):
        return X if self.geometry is None else self.geometry(X)[0]

    @cached_property
    def _index(self):
        if self.index is not None:
            return self.index
        return index_rows(self._located(self.points), self.n_neighbors)

    def __getstate__(self):
        return {field.name: getattr(self, field.name) for field in fields(self)} | {
            "index": None
        }


def neighbor_weights(lengths, *, exact_copies=True):
    """Weights of the nearest points of each row, from lengths (n_rows, k), sorted.

    They add up to one, and the nearer ones are larger, as in a self-tuned graph. If
    `exact_copies`, a row that equals points has weights at these only.
    """
    # All neighbors may be copies, at distance zero.
    scale = np.maximum(lengths[:, -1:], np.finfo(np.float64).tiny)
    weights = np.exp(-((lengths / scale) ** 2))
    if exact_copies:
        copies = lengths <= _SAME * scale  # distances have rounding errors
        weights = np.where(copies.any(axis=1, keepdims=True), copies, weights)
    return weights / weights.sum(axis=1, keepdims=True)
