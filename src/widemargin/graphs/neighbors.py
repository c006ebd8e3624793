"""Nearest neighbors of rows: exact for few rows, approximate for many."""

from dataclasses import dataclass

from scipy import sparse
from sklearn.neighbors import NearestNeighbors

from widemargin.checks import warn_of_data
from widemargin.defaults import EXACT_NEIGHBORS
from widemargin.graphs.cells import Cells, ProjectedCells


@dataclass(frozen=True)
class ExactIndex:
    """An index of rows, or of distances between them, by scikit-learn."""

    finder: NearestNeighbors
    recall = 1.0

    def neighbors(self, n_neighbors):
        """Lengths to and positions of the nearest other rows of each row, sorted."""
        return self.finder.kneighbors(n_neighbors=n_neighbors)

    def query(self, Z, n_neighbors):
        """Lengths to and positions of the nearest rows of each row of Z, sorted."""
        return self.finder.kneighbors(Z, n_neighbors=n_neighbors)


def index_rows(X, n_neighbors, metric="euclidean", *, limits=EXACT_NEIGHBORS):
    """An index of rows that finds about so many neighbors of each.

    It has ``neighbors(k)``, the lengths to and positions of the k nearest other rows
    of each row, ``query(Z, k)`` for other rows, and the share of true neighbors that it
    finds, `recall`. Lengths are exact.
    """
    is_many = X.shape[0] > limits.rows and X.shape[1] > limits.features
    if metric != "euclidean" or not is_many:
        return ExactIndex(NearestNeighbors(metric=metric).fit(X))
    kind = ProjectedCells if sparse.issparse(X) else Cells
    index = kind.fit(X, n_neighbors)
    if index.recall < limits.recall:
        warn_of_data(
            f"about {index.recall:.0%} of the nearest neighbors in X of shape "
            f"{X.shape} can be found in reasonable time; reduce the number of columns, "
            "make_pipeline(PCA(50), ...) for example, or pass a graph of your own."
        )
    return index
