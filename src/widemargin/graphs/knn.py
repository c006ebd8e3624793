"""The graph of an estimator, as a parameter."""

from dataclasses import dataclass

from widemargin.checks import check_choice, check_number, check_number_or
from widemargin.graphs.laplacian import graph_laplacian
from widemargin.graphs.neighbors import WEIGHTS, knn_adjacency
from widemargin.values import Value


class Graph(Value):
    """How rows are joined to a graph; a family of parameters.

    A member gives ``adjacency(X, metric)``, and has the fields `power` and
    `normalized` of its Laplacian.
    """

    power: int | str = "auto"
    normalized: bool = True

    def laplacian(self, kernel, X, *, auto_power, adjacency=None, normalized=None):
        """The Laplacian of the rows.

        Parameters
        ----------
        kernel : Kernel
            Whose geometry neighbors are looked for in.
        X : ndarray or CSR matrix of shape (n_rows, n_features)
            Or the Gram matrix of a precomputed kernel.
        auto_power : int
            What ``power="auto"`` stands for.
        adjacency : CSR matrix of shape (n_rows, n_rows), optional
            The user's own graph.
        normalized : bool, optional
            In place of the field.

        Returns
        -------
        IteratedLaplacian
        """
        if adjacency is None:
            adjacency = self.adjacency(*kernel.geometry(X))
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

    Examples
    --------
    >>> from widemargin.graphs import KnnGraph
    >>> KnnGraph(n_neighbors=5).power
    'auto'
    """

    n_neighbors: int = 8
    weights: str | float = "self-tuned"
    power: int | str = "auto"
    normalized: bool = True

    def __post_init__(self):
        """Raise unless the fields are valid."""
        check_number(self, "n_neighbors", low=1, integer=True)
        check_number_or(self, "weights", WEIGHTS, low=0, strict=True)
        check_number_or(self, "power", ("auto",), low=1, integer=True)
        check_choice(self, "normalized", (True, False))

    def adjacency(self, X, metric="euclidean"):
        """The weights of the edges, (n_rows, n_rows); or of distances X."""
        return knn_adjacency(X, self.n_neighbors, self.weights, metric=metric)
