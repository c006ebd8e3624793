"""The graph of a scikit-learn transformer that finds neighbors."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from widemargin.checks import check_choice, check_number_or, refuse
from widemargin.graphs.base import Graph
from widemargin.graphs.knn import WEIGHTS, check_powers, join_edges


@dataclass(frozen=True)
class TransformerGraph(Graph):
    """The graph that a transformer of rows to distances between neighbors finds.

    ``graph=KNeighborsTransformer(...)`` stands for ``TransformerGraph(...)`` with that
    transformer. New rows are compared with their neighbors as with `KnnGraph`.

    Parameters
    ----------
    transformer : object
        Such as :class:`sklearn.neighbors.KNeighborsTransformer` with
        ``mode="distance"``, :class:`sklearn.neighbors.RadiusNeighborsTransformer`, or
        those of pynndescent and other packages: its ``fit_transform(X)`` gives a
        sparse matrix of distances, (n_rows, n_rows).
    weights : {"self-tuned", "heat", "binary"} or float, default="self-tuned"
        As in `KnnGraph`.
    power : int, tuple of int or "auto", default="auto"
        As in `KnnGraph`.
    normalized : bool, default=True
        As in `KnnGraph`.

    Examples
    --------
    >>> from sklearn.neighbors import KNeighborsTransformer
    >>> from widemargin.parameters import TransformerGraph
    >>> graph = TransformerGraph(KNeighborsTransformer(n_neighbors=1), "binary")
    >>> graph.adjacency(np.array([[0.0], [1.0], [3.0]])).toarray()
    array([[0., 1., 0.],
           [1., 0., 1.],
           [0., 1., 0.]])
    """

    transformer: object
    weights: str | float = "self-tuned"
    power: int | tuple | str = "auto"
    normalized: bool = True

    storable = False  # a model file runs no code

    def __post_init__(self):
        if not hasattr(self.transformer, "fit_transform"):
            wanted = "a transformer with fit_transform, KNeighborsTransformer() say"
            refuse(self, "transformer", wanted)
        check_number_or(self, "weights", WEIGHTS, low=0, strict=True)
        check_powers(self)
        check_choice(self, "normalized", (True, False))

    def adjacency(self, X, metric="euclidean"):
        """The weights of the edges, (n_rows, n_rows), from rows."""
        if metric == "precomputed":
            raise ValueError(
                f"{self!r} needs rows, and kernel='precomputed' has none; pass your "
                "graph to fit, as adjacency."
            )
        found = self.transformer.fit_transform(X)
        n_rows = X.shape[0]
        if not sparse.issparse(found) or found.shape != (n_rows, n_rows):
            raise ValueError(
                f"fit_transform of {self.transformer!r} must give a sparse matrix of "
                f"distances of shape ({n_rows}, {n_rows}), got a "
                f"{type(found).__name__} of shape {found.shape}."
            )
        found = found.tocsr()  # explicit zeros, distances of equal rows, stay
        rows = np.repeat(np.arange(n_rows), np.diff(found.indptr))
        is_other = found.indices != rows  # a row is often its own first neighbor
        neighbors, rows = found.indices[is_other], rows[is_other]
        lengths = found.data[is_other].astype(np.float64)
        if not (np.isfinite(lengths).all() and (lengths >= 0).all()):
            raise ValueError(
                f"fit_transform of {self.transformer!r} must give finite distances >= "
                "0 between neighbors."
            )
        dtype = X.dtype if X.dtype in (np.float32, np.float64) else np.float64
        starts = np.searchsorted(rows, np.arange(n_rows + 1))
        return join_edges(starts, neighbors, lengths, self.weights, dtype)
