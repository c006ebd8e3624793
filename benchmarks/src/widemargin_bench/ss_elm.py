"""Semi-supervised extreme learning machine, a baseline of the tri-class paper."""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from widemargin.graphs import KnnGraph, graph_laplacian

N_HIDDEN = 2000  # as in Huang et al. and in the tri-class paper


@dataclass(frozen=True)
class RandomLayer:
    """Sigmoids of random sums of the features."""

    weights: np.ndarray  # (n_features, n_hidden)
    offsets: np.ndarray  # (n_hidden,)

    @classmethod
    def draw(cls, n_features, n_hidden, rng):
        """Uniform between -1 and 1."""
        sizes = (n_features, n_hidden), n_hidden
        return cls(*(rng.uniform(-1.0, 1.0, size) for size in sizes))

    def __call__(self, X):
        """The hidden layer, (n_rows, n_hidden)."""
        return expit(X @ self.weights + self.offsets)


def output_weights(hidden, targets, costs, laplacian, smoothing):
    r"""Output weights of [1]_, (n_hidden, n_columns).

    They minimize, for the hidden layer H, costs c that are zero where there is no
    label, and a graph Laplacian L,

    .. math:: \tfrac12 \|B\|^2 + \tfrac12 \sum_i c_i \|y_i - h_i B\|^2
              + \tfrac{\lambda}{2} \operatorname{tr}(B^\top H^\top L H B) .

    The solution is H' A with (I + c H H' + lambda L H H') A = c Y, Eq. (20), a system
    of as many equations as rows.

    .. [1] G. Huang, S. Song, J. N. D. Gupta, C. Wu. Semi-supervised and unsupervised
       extreme learning machines. IEEE Transactions on Cybernetics 44, 2014.
    """
    gram = hidden @ hidden.T
    system = costs[:, None] * gram + smoothing * (laplacian @ gram)
    system.flat[:: len(system) + 1] += 1.0
    return hidden.T @ np.linalg.solve(system, costs[:, None] * targets)


class SemiSupervisedELM:
    """The classifier; labels are 0 and 1, and -1 where there is none.

    Parameters
    ----------
    C : float
        Cost of the labels of a class together, shared equally by them.
    smoothing : float
        Weight of the graph.
    n_hidden, random_state : int
    """

    def __init__(self, C=1.0, smoothing=1e-2, *, n_hidden=N_HIDDEN, random_state=0):
        self.C, self.smoothing = C, smoothing
        self.n_hidden, self.random_state = n_hidden, random_state

    def fit(self, X, y):
        """Fit to labeled and unlabeled rows."""
        rng = np.random.default_rng(self.random_state)
        self.layer_ = RandomLayer.draw(X.shape[1], self.n_hidden, rng)
        labeled = y >= 0
        costs = np.zeros(len(y))
        costs[labeled] = self.C / np.bincount(y[labeled])[y[labeled]]
        targets = np.where(labeled, 2.0 * y - 1.0, 0.0)[:, None]
        laplacian = graph_laplacian(KnnGraph().adjacency(X), normalized=True)
        hidden = self.layer_(X)
        self.coef_ = output_weights(hidden, targets, costs, laplacian, self.smoothing)
        return self

    def predict(self, X):
        """Class of each row."""
        return (self.layer_(X) @ self.coef_ > 0).astype(int)[:, 0]
