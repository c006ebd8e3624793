"""Features of landmarks beside the smoothest functions along a graph."""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh

from widemargin.linalg.rows import row_blocks
from widemargin.spaces.bases import GraphBasis
from widemargin.spaces.features import FeatureSpace
from widemargin.spaces.function import FunctionSum

# Smaller eigenvalues, over the largest, are sums of both kinds that cancel on the rows,
# but not on new ones.
_LEAST_EIGENVALUE = 1e-6


@dataclass(frozen=True)
class GraphFeatureSpace(FeatureSpace):
    r"""Functions of landmarks plus smooth functions along a graph.

    Few landmarks cannot follow a graph, which is what the second part is for. With the
    features Z of landmarks the kernel matrix is :math:`Z Z^\top` and a remainder, here
    a constant :math:`\delta` times the unit matrix with the same trace. The features F
    of this space have

    .. math:: F F^\top = Z Z^\top + \delta P,

    where P projects on the span of Z and the eigenvectors V. It holds those sums of
    both in which the remainder takes away what is not smooth of a function of
    landmarks. With V alone in place of P, the graph would rule out all functions of
    landmarks, and the kernel would no longer matter among the smooth ones.

    A fitted function is the sum of both; new rows get means over neighbors for the
    second one.
    """

    graph: GraphBasis | None = None
    mixing: np.ndarray | None = None  # of landmarks and eigenvectors, for each feature

    follows_graph = True

    @classmethod
    def join(cls, space, graph, remainder):
        """Both kinds of features; `remainder` is the mean of what landmarks leave."""
        Z, dtype = space.features, space.dtype
        V = graph.spectrum.vectors.astype(dtype, copy=False)
        between = Z.T @ V
        gram = np.block([[Z.T @ Z, between], [between.T, V.T @ V]])
        mixing = _mix(gram.astype(np.float64), space.n_coordinates, remainder)
        of_landmarks, of_graph = np.split(mixing.astype(dtype), [space.n_coordinates])
        features = np.empty((space.n_rows, mixing.shape[1]), dtype=dtype)
        for block in row_blocks(*features.shape, dtype.itemsize):
            np.matmul(Z[block], of_landmarks, out=features[block])
            features[block] += V[block] @ of_graph
        return cls(features, space.basis, graph=graph, mixing=mixing)

    def to_function(self, c, intercept=0.0):
        """The function with coordinates c and a constant, for a fitted model."""
        n_features, n_landmarks = self.mixing.shape[1], self.basis.whitening.shape[1]
        mixed = self.mixing @ c[:n_features]
        of_landmarks, of_graph = mixed[:n_landmarks], mixed[n_landmarks:]
        of_landmarks = np.vstack([of_landmarks, c[n_features:]])  # the constant, if any
        landmarks = FeatureSpace(self.features[:0], self.basis, self.constant)
        parts = (
            landmarks.to_function(of_landmarks, intercept),
            self.graph.to_function(None, of_graph, self.graph.scores(None, of_graph)),
        )
        return FunctionSum(parts, np.zeros(c.shape[1]))


def _mix(gram, n_landmarks, remainder):
    """Features as sums of the columns B = [Z, V], from B'B: F = B @ mixing."""
    # Columns of unit length have comparable eigenvalues.
    lengths = np.sqrt(np.maximum(np.diagonal(gram), np.finfo(float).tiny))
    values, axes = eigh(gram / np.multiply.outer(lengths, lengths))
    kept = values > _LEAST_EIGENVALUE * values[-1]
    # B @ to_unit has orthonormal columns Q, which span both.
    to_unit = axes[:, kept] / np.sqrt(values[kept]) / lengths[:, None]
    of_landmarks = to_unit.T @ gram[:, :n_landmarks]  # Q'Z
    values, axes = eigh(of_landmarks @ of_landmarks.T)
    values = np.maximum(values, 0.0) + remainder
    return to_unit @ (axes * np.sqrt(values))
