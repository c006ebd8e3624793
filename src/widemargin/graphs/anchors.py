"""Anchors: a few points for many rows, and the graph that all rows make of them.

Each row is joined to its nearest anchors. Two anchors are neighbors as far as rows are
joined to both, so that a graph of any number of rows is a sum of small matrices over
blocks of rows, and smooth functions of the rows are averages of values of the anchors.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy import sparse

from widemargin.defaults import ANCHORS, CELL_SEARCH
from widemargin.graphs.cells import find_centers
from widemargin.graphs.neighbors import NearestPoints, neighbor_weights


@dataclass(frozen=True)
class Anchors:
    """Points that stand for rows, and how rows are joined to them."""

    points: np.ndarray  # (n_anchors, n_features), each once
    n_neighbors: int

    def __len__(self):
        return len(self.points)

    @cached_property
    def _nearest(self):
        return NearestPoints(self.points, self.n_neighbors)

    def weights(self, X):
        """Weights of the anchors of each row, a CSR matrix whose rows add up to one."""
        shape = X.shape[0], self.n_neighbors
        weights, nearest = np.empty(shape), np.empty(shape, dtype=np.int32)
        for block, lengths, nearest[block] in self._nearest.blocks(X):
            weights[block] = neighbor_weights(lengths, exact_copies=False)
        starts = np.arange(0, weights.size + 1, self.n_neighbors)
        found = weights.ravel(), nearest.ravel(), starts
        return sparse.csr_array(found, shape=(X.shape[0], len(self)))

    def count(self, X):
        """What some rows add to the edges between anchors, see `AnchorGraph`."""
        weights = self.weights(X)
        return sparse.csr_array(weights.T @ weights)


@dataclass(frozen=True)
class AnchorGraph:
    r"""The graph between anchors that all rows make.

    With the weights :math:`Z` of the anchors of each row, (n_rows, n_anchors), the
    edges are :math:`Z^\top Z`, and the degree :math:`D` of an anchor is the weight that
    rows give it. A walk along these edges goes from an anchor to a row and on to an
    anchor: eigenvectors v of its normalized Laplacian belong to functions
    :math:`Z D^{-1/2} v` of the rows, which are eigenvectors of the graph
    :math:`Z D^{-1} Z^\top` between all rows for the same value [1]_.

    References
    ----------
    .. [1] W. Liu, J. He and S.-F. Chang, "Large graph construction for scalable
       semi-supervised learning", ICML 2010.
    """

    anchors: Anchors
    edges: sparse.csr_array
    n_rows: int

    @classmethod
    def of(cls, anchors, edges, n_rows):
        """The graph of the anchors that rows are joined to, from the sum of counts."""
        used = np.flatnonzero(np.asarray(edges.sum(axis=1)).ravel() > 0)
        anchors = replace(anchors, points=anchors.points[used])
        return cls(anchors, sparse.csr_array(edges[used][:, used]), n_rows)

    @property
    def degrees(self):
        """Summed weight of each anchor."""
        return np.asarray(self.edges.sum(axis=1)).ravel()


def find_anchors(X, n_rows, *, rule=ANCHORS):
    """Anchors for so many rows: k-means centers of X, some of these rows."""
    n_anchors = min(rule.most, n_rows // rule.rows_per_anchor, X.shape[0])
    rounds = CELL_SEARCH._replace(rows_per_center=X.shape[0])  # all that were drawn
    centers = find_centers(X, n_anchors, np.random.default_rng(0), rounds)
    points = np.unique(centers.astype(X.dtype), axis=0)
    return Anchors(points, min(rule.n_neighbors, len(points)))
