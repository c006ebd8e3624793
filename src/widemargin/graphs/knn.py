"""The graph that joins each row to its nearest neighbors."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from sklearn.neighbors import NearestNeighbors

from widemargin.checks import check_choice, check_number, check_number_or
from widemargin.graphs.laplacian import graph_laplacian
from widemargin.values import Value

WEIGHTS = ("heat", "binary", "self-tuned")


class Graph(Value):
    """How rows are joined to a graph; a family of parameters.

    A member gives ``adjacency(X, metric)``, and has the fields `power` and
    `normalized` of its Laplacian.
    """

    def laplacian(self, X, metric="euclidean", *, auto_power):
        """The Laplacian of the rows X, or of distances; see `laplacian_of`."""
        return self.laplacian_of(self.adjacency(X, metric), auto_power=auto_power)

    def laplacian_of(self, adjacency, *, auto_power, normalized=None):
        """The Laplacian of given edges, with the power and the kind of this graph.

        ``power="auto"`` stands for `auto_power`; `normalized` replaces the field.
        """
        power = auto_power if self.power == "auto" else self.power
        normalized = self.normalized if normalized is None else normalized
        return graph_laplacian(adjacency, normalized=normalized, power=power)


@dataclass(frozen=True)
class KnnGraph(Graph, shorthand="knn"):
    """The graph that joins each row to its nearest neighbors.

    Parameters
    ----------
    n_neighbors : int, default=8
    weights : {"self-tuned", "heat", "binary"} or float, default="self-tuned"
        Weights of its edges, see :func:`knn_adjacency`; a number is the width of
        "heat".
    power : int or "auto", default="auto"
        How often the graph Laplacian is applied; "auto" leaves it to the estimator.
    normalized : bool, default=True
        Whether the Laplacian is normalized by the degrees.
    """

    n_neighbors: int = 8
    weights: str | float = "self-tuned"
    power: int | str = "auto"
    normalized: bool = True

    def __post_init__(self):
        check_number(self, "n_neighbors", low=1, integer=True)
        check_number_or(self, "weights", WEIGHTS, low=0, strict=True)
        check_number_or(self, "power", ("auto",), low=1, integer=True)
        check_choice(self, "normalized", (True, False))

    def adjacency(self, X, metric="euclidean"):
        """The weights of the edges, (n_rows, n_rows), from rows or from distances."""
        return knn_adjacency(X, self.n_neighbors, self.weights, metric=metric)


def knn_adjacency(X, n_neighbors=8, weights="heat", *, metric="euclidean"):
    r"""Symmetric k-nearest-neighbor graph, a CSR matrix with zero diagonal.

    Two samples are joined if one is among the nearest neighbors of the other.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        Or distances (n_samples, n_samples) with ``metric="precomputed"``.
    n_neighbors : int
        Neighbors of each sample; with fewer other samples, all of them.
    weights : {"heat", "binary", "self-tuned"} or float
        Weight of an edge of length d: :math:`\exp(-d^2 / 2 t^2)` with t the mean
        length of all edges; 1; or :math:`\exp(-d^2 / t_i t_j)` with :math:`t_i` the
        distance of sample i to its farthest neighbor. A number is the t of "heat".
    metric : str
        As in :class:`sklearn.neighbors.NearestNeighbors`.

    Examples
    --------
    >>> knn_adjacency(np.array([[0.0], [1.0], [3.0]]), 1, "binary").toarray()
    array([[0., 1., 0.],
           [1., 0., 1.],
           [0., 1., 0.]])
    """
    if isinstance(weights, str) and weights not in WEIGHTS:
        raise ValueError(
            f"weights of knn_adjacency must be one of {', '.join(WEIGHTS)} or a "
            f"number, got {weights!r}."
        )
    n_samples = X.shape[0]
    n_neighbors = min(n_neighbors, n_samples - 1)
    dtype = X.dtype if X.dtype in (np.float32, np.float64) else np.float64
    if n_neighbors < 1:
        return sparse.csr_matrix((n_samples, n_samples), dtype=dtype)
    finder = NearestNeighbors(n_neighbors=n_neighbors, metric=metric).fit(X)
    lengths, neighbors = finder.kneighbors()
    edges = _edge_weights(lengths, neighbors, weights).astype(dtype)
    starts = np.arange(0, edges.size + 1, n_neighbors)
    adjacency = sparse.csr_matrix(
        (edges.ravel(), neighbors.ravel(), starts), shape=(n_samples, n_samples)
    )
    return adjacency.maximum(adjacency.T).tocsr()


def _edge_weights(lengths, neighbors, weights):
    """Weight of each directed edge, (n_samples, n_neighbors)."""
    if weights == "binary":
        return np.ones_like(lengths)
    if weights == "self-tuned":
        farthest = lengths[:, -1]
        scale = farthest[:, None] * farthest[neighbors]
    else:
        width = lengths.mean() if weights == "heat" else weights
        scale = 2.0 * width**2
    # equal samples (length 0) have weight 1 whatever the scale; a weight too small for
    # the type stays an edge, so that rounding cannot cut the graph
    ratio = np.divide(lengths**2, scale, out=np.zeros_like(lengths), where=scale > 0)
    return np.maximum(np.exp(-ratio), np.finfo(np.float32).tiny)
