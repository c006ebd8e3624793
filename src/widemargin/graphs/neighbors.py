"""Which samples are neighbors, and how near."""

import numpy as np
from scipy import sparse
from sklearn.neighbors import NearestNeighbors

WEIGHTS = ("heat", "binary", "self-tuned")


def knn_adjacency(X, n_neighbors=8, weights="heat", *, metric="euclidean"):
    r"""Symmetric k-nearest-neighbor graph.

    Two samples are joined if one is among the nearest neighbors of the other, no
    sample with itself.

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

    Returns
    -------
    CSR matrix of shape (n_samples, n_samples)
        Symmetric, with zero diagonal, of the floating type of X.

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


def check_adjacency(adjacency, n_samples):
    """A user's graph as a valid CSR matrix: square, symmetric, non-negative.

    Self loops are dropped, since they change no Laplacian.

    Parameters
    ----------
    adjacency : array-like or sparse matrix of shape (n_samples, n_samples)
    n_samples : int

    Returns
    -------
    CSR matrix of shape (n_samples, n_samples)

    Raises
    ------
    ValueError
        If it has another shape, is not symmetric, or has weights that are negative or
        not finite.

    Examples
    --------
    >>> from widemargin.graphs import check_adjacency
    >>> check_adjacency([[1, 2], [2, 0]], n_samples=2).toarray()
    array([[0., 2.],
           [2., 0.]])
    """
    adjacency = sparse.csr_matrix(adjacency, copy=True)
    if adjacency.shape != (n_samples, n_samples):
        raise ValueError(
            f"adjacency must have shape ({n_samples}, {n_samples}), one row and column "
            f"for each sample, got {adjacency.shape}."
        )
    if adjacency.dtype not in (np.float32, np.float64):
        adjacency = adjacency.astype(np.float64)
    invalid = ~np.isfinite(adjacency.data) | (adjacency.data < 0)
    if invalid.any():
        raise ValueError(
            "adjacency must hold finite weights >= 0, "
            f"got {adjacency.data[invalid][0]:g}."
        )
    asymmetry = abs(adjacency - adjacency.T).max()
    if asymmetry > 1e-6 * max(adjacency.max(), 1e-300):
        raise ValueError(
            f"adjacency must be symmetric, got entries that differ by {asymmetry:g}; "
            "use adjacency.maximum(adjacency.T)."
        )
    adjacency.setdiag(0)
    adjacency.eliminate_zeros()
    return adjacency
