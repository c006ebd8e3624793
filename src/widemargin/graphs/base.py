"""What all graphs share."""

from widemargin.graphs.laplacian import graph_laplacian
from widemargin.values import Value


class Graph(Value):
    """How rows are joined to a graph; a family of parameters.

    A member gives ``adjacency(X, metric)``, and has the fields `power` and
    `normalized` of its Laplacian. Rows in blocks also need `n_neighbors` and
    ``join(lengths, neighbors, dtype)``, the edges to the nearest neighbors of each.
    """

    def laplacian_of(self, adjacency, *, auto_power, normalized=None):
        """The Laplacian of given edges, with the power and the kind of this graph.

        ``power="auto"`` stands for `auto_power`; `normalized` replaces the field.
        """
        power = auto_power if self.power == "auto" else self.power
        normalized = self.normalized if normalized is None else normalized
        return graph_laplacian(adjacency, normalized=normalized, power=power)
