"""Features of landmarks beside the smoothest functions along a graph."""

from dataclasses import dataclass

import numpy as np

from widemargin.spaces.bases import GraphBasis
from widemargin.spaces.features import FeatureSpace
from widemargin.spaces.function import FunctionSum


@dataclass(frozen=True)
class GraphFeatureSpace(FeatureSpace):
    """Functions of landmarks plus smooth functions along a graph.

    Few landmarks cannot follow a graph, which is what the second part is for. A fitted
    function is the sum of both; new rows get means over neighbors for the second one.
    """

    graph: GraphBasis | None = None
    scale: float = 1.0  # of the eigenvectors among the features

    follows_graph = True

    @classmethod
    def join(cls, space, graph, share):
        """Both kinds of features; those of the graph have a share of the variance."""
        vectors = graph.spectrum.vectors
        own = float(graph.spectrum.mean_squares.sum()) or 1.0
        scale = np.sqrt(share * space.mean_diagonal() / own)
        n_landmarks = space.n_coordinates
        shape = len(vectors), n_landmarks + vectors.shape[1]
        features = np.empty(shape, dtype=space.dtype)
        features[:, :n_landmarks] = space.features
        np.multiply(vectors, scale, out=features[:, n_landmarks:], casting="same_kind")
        return cls(features, space.basis, graph=graph, scale=float(scale))

    def to_function(self, c, intercept=0.0):
        """The function with coordinates c and a constant, for a fitted model."""
        n_vectors = self.graph.spectrum.vectors.shape[1]
        n_landmarks = self.basis.whitening.shape[1]
        graph = self.scale * c[n_landmarks : n_landmarks + n_vectors]
        rest = np.delete(c, np.s_[n_landmarks : n_landmarks + n_vectors], axis=0)
        landmarks = FeatureSpace(self.features[:0], self.basis, self.constant)
        parts = (
            landmarks.to_function(rest, intercept),
            self.graph.to_function(None, graph, self.graph.scores(None, graph)),
        )
        return FunctionSum(parts, np.zeros(c.shape[1]))
