"""The functions that are to tell clusters apart."""

from dataclasses import dataclass

from widemargin.estimators._cluster_choice import Cell
from widemargin.graphs import graph_laplacian, knn_adjacency

_GRAPH = 10.0  # weight of the graph, over the number of samples


@dataclass(frozen=True)
class NeighborGraph:
    """The graph along which the functions are smooth.

    Attributes
    ----------
    n_neighbors : int
    weights : str or float
        Of its edges.
    intrinsic_reg : float or "auto"
        Weight of the smoothness; 0 for no graph.
    """

    n_neighbors: int
    weights: str | float
    intrinsic_reg: float | str

    @property
    def counts(self):
        """Whether there is a graph at all."""
        return self.intrinsic_reg != 0

    def penalty(self, X, kernel, power):
        """Laplacian of the nearest neighbors, and its weight."""
        data, metric = kernel.geometry(X)
        adjacency = knn_adjacency(data, self.n_neighbors, self.weights, metric=metric)
        weight = self.intrinsic_reg
        if weight == "auto":
            weight = _GRAPH / X.shape[0]
        return graph_laplacian(adjacency, normalized=False, power=power), weight


@dataclass(frozen=True)
class ClusterMachine:
    """The functions on all samples, for one choice of parameters.

    Attributes
    ----------
    cell : Cell
    graph : NeighborGraph
    space : KernelSpace or FeatureSpace
        Penalized by the graph.
    basis : FullBasis, WeightBasis or NystromMap
        The kernel functions that span it.
    scale : float
        Mean diagonal of the kernel, which `ambient_reg` is relative to.
    """

    cell: Cell
    graph: NeighborGraph
    space: object
    basis: object
    scale: float

    def smoother(self, weights):
        """From targets to the values of the best functions."""
        return self.space.smoother(weights, self.cell.ambient_reg * self.scale)

    def part(self, rows, X):
        """The same functions on some samples, X, with a graph of their own."""
        return make_machine(self.cell, self.graph, self.space.part(rows), self.basis, X)


def make_machine(cell, graph, space, basis, X):
    """The machine over a space without a graph on the samples X."""
    scale = space.mean_diagonal()
    if graph.counts:
        space = space.with_graph(*graph.penalty(X, cell.kernel, cell.power))
    return ClusterMachine(cell, graph, space, basis, scale)
