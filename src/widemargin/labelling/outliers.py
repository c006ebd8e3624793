"""Rows that belong to no cluster: those with few rows around them."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from widemargin.defaults import OUTLIER_RULE
from widemargin.graphs.neighbors import NearestPoints, index_rows
from widemargin.kernels import Kernel
from widemargin.linalg.rows import distinct_rows
from widemargin.stored import Stored, require

NORMAL_BELOW = 0.1587  # quantile one standard deviation below the median of a normal
_ROUNDING = 1e-6  # of a length, relative: the same two rows, computed in other blocks


@dataclass(frozen=True)
class Reach(Stored):
    """The region of all clusters: what is near one of the rows in their dense parts.

    ``reach(X)`` is a mask of the rows that are within `distance` of one of the points.

    >>> from widemargin.kernels import Linear
    >>> Reach(Linear(), np.array([[0.0], [1.0]]), 0.5)(np.array([[1.2], [2.0]]))
    array([ True, False])
    """

    kernel: Kernel  # in whose geometry rows are near each other
    points: object
    distance: float

    @property
    def training_rows(self):
        """The points."""
        return self.points

    @cached_property
    def _nearest(self):
        return NearestPoints(self.points, 1, self.kernel.geometry)

    def __call__(self, X):
        """Whether each row of X belongs to the clusters."""
        distances = np.empty(X.shape[0])
        for block, lengths, _ in self._nearest.blocks(X):
            distances[block] = lengths[:, 0]
        return distances <= self.distance

    def check(self, n_features):
        """Raise ValueError unless the points fit the features."""
        shape = getattr(self.points, "shape", ())
        fits = len(shape) == 2 and shape[0] > 0 and shape[1] == n_features
        fits = fits and not self.kernel.pairwise and self.points.dtype.kind == "f"
        require(fits, self, "points")
        require(0 <= self.distance < np.inf, self, "distance")


def find_reach(kernel, X, share):
    """The region of the clusters, and positions of the rows of X inside of it.

    As in DBSCAN, rows with five others within the distance are dense, and the region is
    what is within the distance of a dense row. The distance is that at which `share` of
    the rows are outside; for "auto" see `usual_distance`.
    """
    data = kernel.geometry(X)[0]
    first, distinct_of = distinct_rows(data)
    if len(first) < 2:
        raise ValueError(
            "outliers must be None unless X has at least 2 distinct rows, got "
            f"{X.shape[0]} row(s), all of them equal."
        )
    n_listed = min(OUTLIER_RULE.n_neighbors, len(first) - 1)
    lengths, idx = index_rows(data[first], n_listed).neighbors(n_listed)
    n_neighbors = min(OUTLIER_RULE.n_neighbors, len(distinct_of) - 1)
    radii = dense_radii(lengths, idx, np.bincount(distinct_of), n_neighbors)
    distance = 0.0
    if share != "auto":
        needed = least_distances(lengths, idx, radii)[distinct_of]
        distance = float(np.quantile(needed, 1.0 - share))
    if distance == 0:  # "auto", or all these rows have copies enough
        # Distances between copies carry no information about other rows.
        alone = least_distances(lengths, idx, lengths[:, -1])
        distance = usual_distance(alone, data.shape[1])
    distance *= 1.0 + _ROUNDING
    reach = Reach(kernel, X[first[radii <= distance]], distance)
    return reach, np.flatnonzero(reach(X))


def dense_radii(lengths, idx, counts, n_neighbors):
    """The distance from each distinct row within which it has so many others.

    `lengths` to and positions `idx` of other distinct rows, (n, k), are sorted; a row
    counts as often as it occurs, `counts`.
    """
    n_within = np.column_stack([counts - 1, counts[idx]]).cumsum(axis=1)
    lengths = np.column_stack([np.zeros(len(lengths)), lengths])
    last = (n_within >= n_neighbors).argmax(axis=1)
    return lengths[np.arange(len(lengths)), last]


def least_distances(lengths, idx, radii):
    """The smallest distance at which each row is dense, or near a dense row.

    Rows that are farther than its nearest neighbors would need a larger one.
    """
    return np.minimum(radii, np.maximum(lengths, radii[idx]).min(axis=1))


def usual_distance(lengths, n_features):
    """A distance that few of these lengths exceed unless there are outliers.

    It lies a number of spreads above the median of the log lengths. The spread is that
    below the median, where there are no outliers, and at least that of uniform rows:
    the lengths of evenly spaced or rounded rows hardly differ.
    """
    least = max(_ROUNDING * np.median(lengths), np.finfo(np.float64).tiny)
    logs = np.log(np.maximum(lengths, least))
    below, median = np.quantile(logs, (NORMAL_BELOW, 0.5))
    spread = max(median - below, OUTLIER_RULE.uniform_spread / n_features)
    return float(np.exp(median + OUTLIER_RULE.spreads * spread))
