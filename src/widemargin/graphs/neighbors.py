"""Nearest neighbors of rows: exact for few rows, approximate for many."""

from dataclasses import dataclass

from scipy import sparse
from sklearn.neighbors import NearestNeighbors

from widemargin.checks import warn_of_data
from widemargin.defaults import EXACT_NEIGHBORS
from widemargin.graphs.cells import Cells, ProjectedCells
from widemargin.linalg.rows import near_origin


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
        near = near_origin(X)[0] if metric == "euclidean" else X
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
