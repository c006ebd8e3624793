"""How large clusters may be, and the problem of finding such clusters."""

from dataclasses import dataclass

import numpy as np

from widemargin.objectives.class_sizes import nearest_sizes, size_bounds
from widemargin.objectives.label_rls import LabelProblem

_SMALLEST_SHARE = 0.1  # of the mean size: no cluster is smaller


@dataclass(frozen=True)
class ClusterSizes:
    """Sizes that are asked for.

    Attributes
    ----------
    n_clusters : int
    shares : ndarray of shape (n_clusters,) or None
        Share of each cluster; None if any will do.
    tolerance : float
        How far the share of a cluster may be off.
    has_floor : bool
        Whether no cluster may be much smaller than the others by accident.
    """

    n_clusters: int
    shares: np.ndarray | None
    tolerance: float
    has_floor: bool

    @property
    def are_free(self):
        """Whether clusters may have any size."""
        return self.shares is None

    def pose(self, smoother, wishes, order):
        """The problem of finding clusters of these sizes.

        Parameters
        ----------
        smoother : Smoother
        wishes : Wishes
            The fixed samples among them keep their cluster.
        order : ndarray of shape (n,)
            All samples in the order in which they are visited.
        """
        n_samples, movable = smoother.n_samples, ~wishes.fixed
        n_fixed = np.bincount(wishes.codes[wishes.fixed], minlength=self.n_clusters)
        shares = self.shares
        if self.are_free:
            lower, upper = self._free_bounds(n_samples, n_fixed)
            shares = np.full(self.n_clusters, 1.0 / self.n_clusters)
        else:
            lower, upper = self._share_bounds(n_samples)
        return LabelProblem(
            smoother,
            movable,
            np.where(wishes.fixed, wishes.codes, 0).astype(np.int32),
            lower,
            np.maximum(upper, n_fixed),
            shares * n_samples,
            order[movable[order]],
        )

    def _free_bounds(self, n_samples, n_fixed):
        """Any sizes, down to the floor; fixed samples may leave few for all."""
        upper = np.full(self.n_clusters, n_samples)
        if not self.has_floor:
            return np.zeros_like(n_fixed), upper
        n_free = n_samples - n_fixed.sum()
        smallest = self._smallest(n_samples)
        return np.minimum(smallest, n_fixed + n_free // self.n_clusters), upper

    def _share_bounds(self, n_samples):
        """Sizes near the shares; the floor is never above what is asked for."""
        lower, upper = size_bounds(self.shares, self.tolerance, n_samples)
        if self.has_floor:
            wanted = nearest_sizes(self.shares, n_samples)
            lower = np.maximum(lower, np.minimum(self._smallest(n_samples), wanted))
        return lower, upper

    def _smallest(self, n_samples):
        return max(1, int(_SMALLEST_SHARE * n_samples / self.n_clusters))
