"""What all graphs share."""

from widemargin.graphs.laplacian import (
    graph_laplacian,
    power_prior,
    spectral_dimension,
)
from widemargin.values import Value


class Graph(Value):
    """How rows are joined to a graph; a family of parameters.

    A member gives ``adjacency(X, metric)``, and has the fields `power` and
    `normalized` of its Laplacian. Rows in blocks also need ``join(lengths, neighbors,
    dtype)``, the edges to the nearest neighbors of each.
    """

    n_neighbors = 8  # of a new row, which is compared with them

    @classmethod
    def read(cls, given, who):
        """The graph that a user means; a transformer of scikit-learn's kind is one."""
        if hasattr(given, "fit_transform") and not isinstance(given, type):
            from widemargin.graphs.transformer import TransformerGraph

            return TransformerGraph(given)
        return super().read(given, who)

    def laplacian_of(self, adjacency, *, auto_power, normalized=None):
        """The Laplacian of given edges, with the power and the kind of this graph.

        ``power="auto"`` stands for `auto_power`, and of several powers the one that
        suits the edges best is taken; `normalized` replaces the field.
        """
        prior = self.power_prior(adjacency, auto_power)
        # Only Laplacian models average over powers; others take the most probable one.
        power = max(prior, key=prior.get)
        normalized = self.normalized if normalized is None else normalized
        return graph_laplacian(adjacency, normalized=normalized, power=power)

    def power_prior(self, adjacency, auto_power):
        """Powers of the Laplacian of given edges and their prior weights, a dict.

        ``power="auto"`` stands for `auto_power`, one or several. Weights of several
        depend on the dimension of the graph; powers with a negligible one are left out.
        """
        power = auto_power if self.power == "auto" else self.power
        powers = sorted(set(power)) if isinstance(power, tuple) else [power]
        if len(powers) == 1:
            return {powers[0]: 1.0}
        weights = power_prior(powers, spectral_dimension(adjacency))
        pairs = zip(powers, weights.tolist(), strict=True)
        return {power: weight for power, weight in pairs if weight > 0}
