"""The functions that a smoother fits: over kernel functions, or over features.

A space knows the kernel of the training samples, gives the smoothers for any weights,
and turns the coordinates of a fitted function into what prediction needs. A constant
can be added to the functions, and a graph be made to penalize them.
"""

from dataclasses import dataclass, replace

import numpy as np

from widemargin.smoothers.dense import DenseSmoother
from widemargin.smoothers.graph import GraphPenalty
from widemargin.smoothers.low_rank import LowRankSmoother
from widemargin.smoothers.spectral import SpectralPath


@dataclass(frozen=True)
class KernelSpace:
    """Functions over the kernel functions of all samples, by their Gram matrix.

    Attributes
    ----------
    gram : ndarray of shape (n, n)
        With the constant, if any.
    constant : float
        What was added to the kernel for a constant; 0 for none.
    laplacian : operator or None
        Of the graph that the functions are to follow.
    intrinsic : float
        Its weight.
    """

    gram: np.ndarray
    constant: float = 0.0
    laplacian: object = None
    intrinsic: float = 0.0

    def mean_diagonal(self):
        """Mean of k(x, x), the scale of the kernel."""
        return float(np.diagonal(self.gram).mean(dtype=np.float64))

    def with_graph(self, laplacian, intrinsic):
        """The same functions, penalized by ``intrinsic * f'L f``, too."""
        return replace(self, laplacian=laplacian, intrinsic=intrinsic)

    def with_constant(self, constant):
        """The functions plus a constant, under the kernel k + `constant`."""
        return replace(self, gram=self.gram + constant, constant=constant)

    def smoother(self, weights, reg):
        """The smoother for one value of `reg`."""
        if self.laplacian is not None:
            return self.path(weights)(reg)
        return DenseSmoother(self.gram, weights, reg)

    def path(self, weights):
        """A function of `reg` that gives smoothers, cheaper after the first."""
        if self.laplacian is None:
            return SpectralPath(self.gram, weights)
        return GraphPenalty(self.laplacian, weights, self.intrinsic).path(self.gram)

    def unfold(self, c):
        """Coefficients of the kernel functions, (n, k), and constants, (k,)."""
        return c, self.constant * c.sum(axis=0)


@dataclass(frozen=True)
class FeatureSpace:
    """Functions linear in features, as after a Nystrom map.

    Attributes
    ----------
    features : ndarray of shape (n, rank)
        With the constant, if any.
    constant : float
        Square of the constant feature, which is the last one; 0 for none.
    laplacian, intrinsic
        As in `KernelSpace`.
    """

    features: np.ndarray
    constant: float = 0.0
    laplacian: object = None
    intrinsic: float = 0.0

    def mean_diagonal(self):
        """Mean of k(x, x) = |z(x)|^2, the scale of the kernel."""
        squares = np.einsum("ij,ij->i", self.features, self.features)
        return float(squares.mean(dtype=np.float64))

    def with_graph(self, laplacian, intrinsic):
        """The same functions, penalized by ``intrinsic * f'L f``, too."""
        return replace(self, laplacian=laplacian, intrinsic=intrinsic)

    def with_constant(self, constant):
        """The functions plus a constant, by one more feature."""
        column = np.full((len(self.features), 1), np.sqrt(constant))
        features = np.hstack([self.features, column.astype(self.features.dtype)])
        return replace(self, features=features, constant=constant)

    def smoother(self, weights, reg):
        """The smoother for one value of `reg`."""
        return self.path(weights)(reg)

    def path(self, weights):
        """A function of `reg` that gives smoothers."""
        penalty = 0.0
        if self.laplacian is not None:
            features = self.features.astype(np.float64, copy=False)
            penalty = self.intrinsic * (features.T @ (self.laplacian @ features))
        return lambda reg: LowRankSmoother(self.features, weights, reg, penalty)

    def unfold(self, c):
        """Weights of the original features, (rank, k), and constants, (k,)."""
        if not self.constant:
            return c, np.zeros(c.shape[1])
        return c[:-1], np.sqrt(self.constant) * c[-1]
