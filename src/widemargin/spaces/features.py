"""Functions that are linear in explicit features."""

from dataclasses import dataclass, replace

import numpy as np

from widemargin.kernels import Kernel, Linear, NystromMap
from widemargin.kernels.nystrom import double
from widemargin.linalg.products import column_dots
from widemargin.linalg.rows import squared_norms
from widemargin.rows import Rows
from widemargin.spaces.deformed import DeformedFeatures
from widemargin.spaces.function import Embedding, Function
from widemargin.spaces.gram import Space
from widemargin.spaces.smoother import LowRankSmoother


@dataclass(frozen=True)
class FeatureSpace(Space):
    r"""The functions :math:`f = Z w` of features, of norm :math:`w^\top w`."""

    features: object  # Z, dense or sparse; the constant, if any, is the last column
    basis: Embedding | None = None  # features of new rows, for fitted models
    constant: float = 0.0  # the square of that column
    laplacian: object = None  # of a graph that penalizes the functions
    intrinsic: float = 0.0
    center: np.ndarray | None = None  # a point; the features stay as they are

    low_rank = True

    @property
    def is_exact(self):
        """Whether the functions are all those of the kernel, which is linear then."""
        return self.basis is not None and self.basis.points is None

    @property
    def follows_graph(self):
        """Whether functions can be smooth along a graph of any power."""
        return self.is_exact

    @property
    def n_rows(self):
        """Number of rows."""
        return self.features.shape[0]

    @property
    def n_coordinates(self):
        """Number of features."""
        return self.features.shape[1]

    @property
    def dtype(self):
        """Type of the numbers."""
        return self.features.dtype

    def scores(self, c):
        """Values on the rows of functions with coordinates c, (rank, k) -> (n, k)."""
        return self.features @ c.astype(self.dtype, copy=False)

    def coordinates_of(self, V):
        """Coordinates of the functions ``sum_i V_i k(x_i, .)``: Z'V."""
        return self.features.T @ V.astype(self.dtype, copy=False)

    def inner(self, c, d, scores_d):
        """Inner product of each column under the norm."""
        return column_dots(c, d)

    def mean_diagonal(self):
        """Mean of k(x, x) = |z(x)|^2, the scale of the kernel."""
        return float(squared_norms(self.features).mean(dtype=np.float64))

    def mean_value(self):
        """Mean of k(x, z), the squared length of the mean in the feature space."""
        mean = np.asarray(self.features.mean(axis=0, dtype=np.float64)).ravel()
        return float(mean @ mean)

    def part(self, idx):
        """The same functions on some rows; graph and center are left behind."""
        return FeatureSpace(self.features[idx], self.basis, self.constant)

    def with_constant(self, constant):
        """The functions plus a constant, by one more feature."""
        column = np.full((self.n_rows, 1), np.sqrt(constant))
        features = np.hstack([self.features, column.astype(self.dtype)])
        return replace(self, features=features, constant=constant)

    def centered(self, weights):
        """The features centered on the weighted mean of the rows; see `GramSpace`."""
        return replace(self, center=np.asarray(self.features.T @ weights))

    def deformed(self, laplacian, ratio):
        """The same functions under the norm I + ratio Z'L Z; O(n r^2) once."""
        return DeformedFeatures(self.features, laplacian, ratio)

    def path(self, weights):
        """A function of `reg` that gives smoothers."""
        penalty = self._penalty()
        return lambda reg: LowRankSmoother(self.features, weights, reg, penalty)

    def fit_rows(self, idx, targets, weights, reg):
        """Coordinates of the functions fitted to some of the rows, (rank, k)."""
        # The graph's part of the penalty is over all rows, not just over these.
        features = self.features[idx].astype(np.float64)
        smoother = LowRankSmoother(features, weights, reg, self._penalty())
        return smoother.coordinates(targets)

    def dual_scores(self, dual):
        """Scores of coefficients and an intercept, (n + 1,)."""
        weights, intercept = self.from_dual(dual)
        return self.features @ weights + intercept

    def from_dual(self, dual):
        """Coordinates and intercepts, not centered, of (n + 1, k) dual variables."""
        weights, intercepts = self.features.T @ dual[:-1], dual[-1]
        if self.center is None:
            return weights, intercepts
        # f(x) = w'(z(x) - center) + b with w = sum_i a_i (z_i - center).
        total = dual[:-1].sum(axis=0)
        weights = weights - np.multiply.outer(self.center, total)
        return weights, intercepts - self.center @ weights

    def embedding(self):
        """What gives the features of new rows."""
        return self.basis

    def to_function(self, c, intercept=0.0):
        """The function with coordinates c and a constant, for a fitted model."""
        constants = np.zeros(c.shape[1]) + intercept
        if self.constant:
            constants = constants + np.sqrt(self.constant) * c[-1]
            c = c[:-1]
        if self.is_exact:  # linear: the weights, with the identity for coefficients
            # A model file then holds weights and no training row.
            points, coef = np.ascontiguousarray(c.T, np.float64), np.eye(c.shape[1])
        else:
            points, coef = self.basis.points, (self.basis.whitening @ c)
        coef, constants = coef.astype(np.float64), constants.astype(np.float64)
        return Function(self.basis.kernel, points, coef, constants)

    def _penalty(self):
        """The smoothness along the graph, as a form of the weights."""
        if self.laplacian is None:
            return 0.0
        features = self.features.astype(np.float64, copy=False)
        return self.intrinsic * (features.T @ (self.laplacian @ features))


def nystrom_space(kernel: Kernel, rows: Rows, landmark_idx):
    """The features of landmarks among the rows, computed block by block."""
    landmarks = rows.take(landmark_idx)
    points = double(rows.points(kernel, landmark_idx))
    mapping = NystromMap.fit(kernel, landmarks.X, np.arange(len(landmarks)))
    if rows.pairwise:  # a landmark's values are its column of the Gram matrix
        mapping = replace(mapping, landmarks=np.asarray(landmark_idx))
    features = rows.evaluate(mapping)
    # In double precision, because coefficients of landmarks can be large.
    return FeatureSpace(features, Embedding(kernel, points, mapping.whitening))


def linear_space(rows: Rows):
    """The rows themselves as features of the linear kernel."""
    return FeatureSpace(rows.X, Embedding(Linear(), None))
