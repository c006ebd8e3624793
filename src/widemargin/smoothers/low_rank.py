"""The smoother of few features, kept as a factor."""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_solve, solve_triangular

from widemargin.linalg.cholesky import jittered_cholesky
from widemargin.smoothers.base import Smoother


class LowRankSmoother(Smoother):
    r"""The smoother of the kernel Z Z', for features Z of shape (n, rank).

    Its mass is :math:`B B^\top` with :math:`B = W Z C^{-\top}` and
    :math:`C C^\top = Z^\top W Z + \lambda I + P`. Time O(n rank^2), memory O(n rank).

    Parameters
    ----------
    features : ndarray of shape (n, rank)
        Nystrom features, or the rows themselves for the linear kernel.
    weights : ndarray of shape (n,)
        Positive.
    reg : float
        :math:`\lambda > 0`.
    penalty : ndarray of shape (rank, rank) or 0
        P, what else the weights of the features are penalized by, such as the
        smoothness along a graph.
    """

    def __init__(self, features, weights, reg, penalty=0.0):
        self.features, self.reg = features, reg
        weighted = weights.astype(features.dtype)[:, None] * features
        inner = (features.T @ weighted).astype(np.float64)
        inner += penalty
        inner = 0.5 * (inner + inner.T)
        inner.flat[:: len(inner) + 1] += reg
        self._factor, _ = jittered_cholesky(inner)
        inverse = solve_triangular(
            self._factor[0], np.eye(len(inner)), lower=True, check_finite=False
        )
        super().__init__(
            weighted @ inverse.T.astype(features.dtype),
            weights.astype(features.dtype),
            low_rank=True,
        )

    def coordinates(self, Y):
        """Weights of the features, (n, k) -> (rank, k)."""
        right = self.features.T @ (self.weights[:, None] * Y)
        return cho_solve(self._factor, right, check_finite=False)

    def explanation(self):
        """What the samples explain of k(x, x), to be asked at new points."""
        return LowRankExplanation(self._factor[0], self.reg)


@dataclass(frozen=True)
class LowRankExplanation:
    """How much of k(x, x) the samples of a smoother explain.

    Attributes
    ----------
    factor : ndarray of shape (rank, rank)
        C.
    reg : float
    """

    factor: np.ndarray
    reg: float

    def __call__(self, features):
        """The share z' z - reg z' (C C')^-1 z, for features (m, rank) of points."""
        features = features.astype(np.float64, copy=False)
        half = solve_triangular(self.factor, features.T, lower=True, check_finite=False)
        squares = np.einsum("ij,ij->i", features, features)
        return squares - self.reg * np.einsum("ij,ij->j", half, half)
