"""The graph that joins each row to its nearest neighbors."""

import numbers
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from widemargin.checks import check_choice, check_number, check_number_or, refuse
from widemargin.graphs.base import Graph
from widemargin.graphs.neighbors import index_rows

WEIGHTS = ("heat", "binary", "self-tuned")


@dataclass(frozen=True)
class KnnGraph(Graph, shorthand="knn"):
    """The graph that joins each row to its nearest neighbors.

    From 10,000 rows on neighbors are approximate: about 98 % of them are found, and
    their distances are exact. The result is the same in every run.

    Parameters
    ----------
    n_neighbors : int, default=8
        Neighbors of each row; with fewer other rows, all of them.
    weights : {"self-tuned", "heat", "binary"} or float, default="self-tuned"
        Weights of its edges, see :func:`knn_adjacency`; a number is the width of
        "heat".
    power : int, tuple of int or "auto", default="auto"
        How often the graph Laplacian is applied. With several numbers, such as
        ``(1, 2, 3)``, the dimension of the graph sets their prior weights, and
        `LaplacianSVC` and `LaplacianRLSC` average over those that are not negligible;
        other estimators take the most probable one. "auto" leaves it to the estimator.
    normalized : bool, default=True
        Whether the Laplacian is normalized by the degrees.

    Examples
    --------
    >>> from widemargin import LaplacianSVC
    >>> from widemargin.parameters import KnnGraph
    >>> model = LaplacianSVC(graph=KnnGraph(n_neighbors=15, power=(1, 2)))
    >>> model.set_params(graph__n_neighbors=10).graph
    KnnGraph(n_neighbors=10, weights='self-tuned', power=(1, 2), normalized=True)
    """

    n_neighbors: int = 8
    weights: str | float = "self-tuned"
    power: int | tuple | str = "auto"
    normalized: bool = True

    def __post_init__(self):
        check_number(self, "n_neighbors", low=1, integer=True)
        check_number_or(self, "weights", WEIGHTS, low=0, strict=True)
        check_powers(self)
        check_choice(self, "normalized", (True, False))

    def adjacency(self, X, metric="euclidean"):
        """The weights of the edges, (n_rows, n_rows), from rows or from distances."""
        return knn_adjacency(X, self.n_neighbors, self.weights, metric=metric)

    def join(self, lengths, neighbors, dtype):
        """The same from lengths to and positions of nearest neighbors, (n_rows, k)."""
        return join_neighbors(lengths, neighbors, self.weights, dtype)


def check_powers(graph):
    """Raise unless the field `power` holds one or several powers, or "auto"."""
    powers = graph.power if isinstance(graph.power, tuple) else (graph.power,)
    is_auto = isinstance(graph.power, str) and graph.power == "auto"
    if not is_auto and not (powers and all(map(_is_power, powers))):
        wanted = "'auto', a whole number >= 1 or a tuple of such numbers"
        refuse(graph, "power", wanted)


def _is_power(power):
    """Whether something is a whole number >= 1."""
    is_whole = isinstance(power, numbers.Integral) and not isinstance(power, bool)
    return is_whole and power >= 1


def knn_adjacency(X, n_neighbors=8, weights="heat", *, metric="euclidean"):
    r"""Symmetric k-nearest-neighbor graph, a CSR matrix with zero diagonal.

    Two samples are joined if one is among the nearest neighbors of the other. The
    neighbors of many samples in many features are approximate, see `index_rows`.

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
    nearest = np.empty((2, n_samples, 0))
    if n_neighbors > 0:
        nearest = index_rows(X, n_neighbors, metric).neighbors(n_neighbors)
    return join_neighbors(*nearest, weights, dtype)


def join_neighbors(lengths, neighbors, weights, dtype):
    """The adjacency matrix of nearest neighbors; see `knn_adjacency`."""
    n_samples, n_neighbors = neighbors.shape
    starts = n_neighbors * np.arange(n_samples + 1)
    return join_edges(starts, neighbors.ravel(), lengths.ravel(), weights, dtype)


def join_edges(starts, neighbors, lengths, weights, dtype):
    """The same from edges row by row, those of row i from ``starts[i]`` on."""
    edges = _edge_weights(starts, neighbors, lengths, weights).astype(dtype)
    shape = len(starts) - 1, len(starts) - 1
    adjacency = sparse.csr_matrix((edges, neighbors, starts), shape=shape)
    # An edge in one direction suffices; one in both is not counted twice.
    return adjacency.maximum(adjacency.T).tocsr()


def _edge_weights(starts, neighbors, lengths, weights):
    """Weight of each directed edge, whose rows begin at `starts`."""
    if weights == "binary" or not len(lengths):
        return np.ones_like(lengths)
    if weights == "self-tuned":
        counts = np.diff(starts)
        farthest = np.zeros(len(counts))  # t_i; none for rows without an edge
        farthest[counts > 0] = np.maximum.reduceat(lengths, starts[:-1][counts > 0])
        scale = np.repeat(farthest, counts) * farthest[neighbors]
    else:
        width = lengths.mean() if weights == "heat" else weights
        scale = 2.0 * width**2
    # equal samples (length 0) have weight 1 whatever the scale; a weight too small for
    # the type stays an edge, so that rounding cannot cut the graph
    ratio = np.divide(lengths**2, scale, out=np.zeros_like(lengths), where=scale > 0)
    return np.maximum(np.exp(-ratio), np.finfo(np.float32).tiny)
