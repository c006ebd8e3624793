"""The functions that a smoother fits: over kernel functions, or over features.

A space knows the kernel of the training samples, gives the smoothers for any weights,
and turns the coordinates of a fitted function into what prediction needs. A constant
can be added to the functions, and a graph be made to penalize them.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import cho_solve

from widemargin.smoothers.dense import DenseSmoother, factorize
from widemargin.smoothers.graph import GraphPenalty
from widemargin.smoothers.low_rank import LowRankSmoother
from widemargin.smoothers.spectral import SpectralPath

_HARDLY = 1e-6  # weight of samples that are to have none, where it must be positive


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

    def scores(self, c):
        """Values on the samples of functions with coordinates c, (n, k) -> (n, k)."""
        return self.gram @ c.astype(self.gram.dtype, copy=False)

    def kernel_product(self, V):
        """The kernel matrix of the samples times V, (n, k) -> (n, k)."""
        return self.scores(V)

    def fit_rows(self, rows, targets, weights, reg):
        """Coordinates of the functions fitted to some of the samples only, (n, k)."""
        if self.laplacian is not None:
            spread = np.full(len(self.gram), _HARDLY * weights.sum() / len(self.gram))
            spread[rows] = weights
            values = np.zeros((len(self.gram), targets.shape[1]))
            values[rows] = targets
            return self.path(spread)(reg).coordinates(values)
        matrix = self.gram[np.ix_(rows, rows)].astype(np.float64)
        matrix.flat[:: len(matrix) + 1] += reg / weights
        c = np.zeros((len(self.gram), targets.shape[1]))
        c[rows] = cho_solve(factorize(matrix), targets, check_finite=False)
        return c

    def part(self, rows):
        """The space of functions over some of the samples; a graph is left behind."""
        gram = np.ascontiguousarray(self.gram[np.ix_(rows, rows)])
        return KernelSpace(gram, self.constant)

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
        penalty = self._penalty()
        return lambda reg: LowRankSmoother(self.features, weights, reg, penalty)

    def scores(self, c):
        """Values on the samples of functions with coordinates c."""
        return self.features @ c.astype(self.features.dtype, copy=False)

    def kernel_product(self, V):
        """The kernel matrix of the samples times V, (n, k) -> (n, k)."""
        return self.scores(self.features.T @ V.astype(self.features.dtype, copy=False))

    def fit_rows(self, rows, targets, weights, reg):
        """Coordinates of the functions fitted to some of the samples, (rank, k)."""
        features = self.features[rows].astype(np.float64)
        smoother = LowRankSmoother(features, weights, reg, self._penalty())
        return smoother.coordinates(targets)

    def part(self, rows):
        """The same functions on some of the samples; a graph is left behind."""
        return FeatureSpace(self.features[rows], self.constant)

    def unfold(self, c):
        """Weights of the original features, (rank, k), and constants, (k,)."""
        if not self.constant:
            return c, np.zeros(c.shape[1])
        return c[:-1], np.sqrt(self.constant) * c[-1]

    def _penalty(self):
        """The smoothness along the graph, as a form of the weights."""
        if self.laplacian is None:
            return 0.0
        features = self.features.astype(np.float64, copy=False)
        return self.intrinsic * (features.T @ (self.laplacian @ features))


class SharedPaths:
    """A space that keeps what its smoothers share, for many values of `reg`."""

    def __init__(self, space):
        self.space, self._paths = space, {}
        self.scores, self.fit_rows = space.scores, space.fit_rows
        self.part = space.part

    def smoother(self, weights, reg):
        """The smoother for one value of `reg`, cheap for weights seen before."""
        key = weights.tobytes()
        if key not in self._paths:
            self._paths[key] = self.space.path(weights)
        return self._paths[key](reg)
