"""The training sample of a clustering."""

from dataclasses import dataclass

import numpy as np

from widemargin.estimators._cluster_wishes import Wishes
from widemargin.linalg.rows import content_order


@dataclass(frozen=True)
class ClusterSample:
    """Rows, what is wished for them, and an order that no shuffling changes.

    Attributes
    ----------
    X : ndarray or CSR matrix of shape (n, n_features)
        The rows, or their Gram matrix if `pairwise`.
    wishes : Wishes
    pairwise : bool
    order : ndarray of shape (n,)
        Positions in X by what the rows hold.
    """

    X: object
    wishes: Wishes
    pairwise: bool
    order: np.ndarray

    @property
    def n_samples(self):
        """Number of rows."""
        return self.X.shape[0]

    @property
    def weights(self):
        """Weight of each row in the loss: all the same, adding up to one."""
        return np.full(self.n_samples, 1.0 / self.n_samples)

    def part(self, rows):
        """Some of the rows."""
        X = self.X[np.ix_(rows, rows)] if self.pairwise else self.X[rows]
        return collect_rows(X, self.wishes.part(rows), pairwise=self.pairwise)


def collect_rows(X, wishes, *, pairwise):
    """The sample of these rows, or of those with this Gram matrix if `pairwise`."""
    return ClusterSample(X, wishes, pairwise, content_order(X, pairwise=pairwise))
