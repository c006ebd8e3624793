"""Functions over the kernel functions of all rows."""

from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import cho_solve

from widemargin.kernels import Kernel, scores_in_blocks
from widemargin.linalg.products import column_dots, sparse_product, symmetric_product
from widemargin.rows import Rows
from widemargin.spaces.deformed import DeformedKernel
from widemargin.spaces.function import Embedding, Function
from widemargin.spaces.smoother import (
    DenseSmoother,
    GraphPenalty,
    SpectralPath,
    factorize,
)

_NEGLIGIBLE_WEIGHT = 1e-6  # of rows without a label, where a graph needs a weight
_KEPT_ROWS = 5000  # a part with more rows of `GramRowSpace` stays without its matrix


class Space:
    """What both kinds of spaces that solvers can use in full share."""

    def kernel_product(self, V):
        """The kernel matrix of the rows times V, (n, k) -> (n, k)."""
        return self.scores(self.coordinates_of(V))

    def with_graph(self, laplacian, intrinsic):
        """The same functions, also penalized by ``intrinsic * f'L f``."""
        return replace(self, laplacian=laplacian, intrinsic=intrinsic)

    def smoother(self, weights, reg):
        """The smoother for one value of `reg`."""
        return self.path(weights)(reg)


class _KernelFunctions:
    """What spaces with a coefficient for each row share, kept matrix or not."""

    def from_dual(self, dual):
        """Coordinates and intercepts, not centered, of (n + 1, k) dual variables."""
        coefficients, intercepts = dual[:-1], dual[-1]
        center, shift = self.center, self.shift
        if center is None:
            return coefficients, intercepts
        # f(x) = sum_i a_i (k(x, x_i) - s(x) - s_i) + b. Here s(x) is the mean of k(x,
        # z) over the center less m / 2, and center's = m / 2. If the a_i add up to
        # zero, as they do with a free intercept, no row of the center is needed.
        total = coefficients.sum(axis=0)
        rounding = 1e-12 * np.abs(coefficients).sum(axis=0)
        total = np.where(np.abs(total) > rounding, total, 0.0)
        intercepts = intercepts - shift @ coefficients + float(center @ shift) * total
        return coefficients - center[:, None] * total, intercepts

    def to_function(self, c, intercept=0.0):
        """The function of coordinates c and a constant, without unused points."""
        used = np.flatnonzero((c != 0).any(axis=1))
        used = used if len(used) else np.arange(1)
        # The constant of k + constant, which the kernel of a fitted model lacks.
        constants = self.constant * c.sum(axis=0) + intercept
        points, coef = self.rows.points(self.kernel, used), c[used].astype(np.float64)
        constants = np.asarray(constants, dtype=np.float64)
        return Function(self.kernel, points, coef, constants)


@dataclass(frozen=True)
class GramSpace(_KernelFunctions, Space):
    r"""The functions :math:`f = K a` over a Gram matrix, of norm :math:`a^\top K a`."""

    gram: np.ndarray  # K, positive semi-definite, may be singular
    kernel: Kernel | None = None  # only fitted models need it, and the rows
    rows: Rows | None = None
    constant: float = 0.0  # what was added to K for a constant
    laplacian: object = None  # of a graph that penalizes the functions
    intrinsic: float = 0.0
    # Weights, adding up to one, of the rows whose mean the kernel is centered on, and
    # the mean kernel value of each row with these, less half of the mean among them.
    center: np.ndarray | None = None
    shift: np.ndarray | None = None

    low_rank, is_exact, follows_graph = False, True, True

    @property
    def n_rows(self):
        """Number of rows."""
        return len(self.gram)

    n_coordinates = n_rows  # a coefficient for each row

    @property
    def dtype(self):
        """Type of the numbers."""
        return self.gram.dtype

    def scores(self, c):
        """Values on the rows of functions with coordinates c, (n, k) -> (n, k)."""
        return symmetric_product(self.gram, c.astype(self.dtype, copy=False))

    def coordinates_of(self, V):
        """Coordinates of the functions ``sum_i V_i k(x_i, .)``: V itself."""
        return V

    def inner(self, c, d, scores_d):
        """Inner product of each column under the norm, given the scores of d."""
        return column_dots(c, scores_d)

    def mean_diagonal(self):
        """Mean of k(x, x), the scale of the kernel."""
        return float(np.diagonal(self.gram).mean(dtype=np.float64))

    def mean_value(self):
        """Mean of k(x, z), the squared length of the mean in the feature space."""
        return float(self.gram.mean(dtype=np.float64))

    def part(self, idx):
        """The functions over some of the rows; graph and center are left behind."""
        # All rows: share the matrix, which may be large.
        if self.center is None and np.array_equal(idx, np.arange(self.n_rows)):
            return replace(self, laplacian=None, intrinsic=0.0)
        gram = np.ascontiguousarray(self.gram[np.ix_(idx, idx)])
        rows = None if self.rows is None else self.rows.take(idx)
        return GramSpace(gram, self.kernel, rows, self.constant)

    def with_constant(self, constant):
        """The functions plus a constant, under the kernel k + `constant`."""
        return replace(self, gram=self.gram + constant, constant=constant)

    def centered(self, weights):
        """The space of the kernel centered on the weighted mean of the rows."""
        # Their mean score is then the intercept, whatever the coefficients.
        # With m_i the mean of row i and m that of all, the centered kernel is k_ij -
        # m_i - m_j + m = k_ij - s_i - s_j for s_i = m_i - m / 2: one vector to keep.
        mean = self.gram @ weights.astype(self.dtype)
        shift = mean.astype(np.float64) - 0.5 * float(weights @ mean)
        own = shift.astype(self.dtype)
        gram = self.gram - own
        gram -= own[:, None]
        return replace(self, gram=gram, center=weights, shift=shift)

    def deformed(self, laplacian, ratio):
        """The same functions under the norm K + ratio K L K; O(n^3) once."""
        return DeformedKernel(self.gram, laplacian, ratio)

    def smoother(self, weights, reg):
        """The smoother for one value of `reg`."""
        if self.laplacian is None:
            # Cholesky: the eigenvectors of `path` pay only for several values.
            return DenseSmoother(self.gram, weights, reg)
        return super().smoother(weights, reg)

    def path(self, weights):
        """A function of `reg` that gives smoothers, cheaper after the first."""
        if self.laplacian is None:
            return SpectralPath(self.gram, weights)
        return GraphPenalty(self.laplacian, weights, self.intrinsic).path(self.gram)

    def fit_rows(self, idx, targets, weights, reg):
        """Coordinates of the functions fitted to some of the rows only, (n, k)."""
        n_rows, n_columns = self.n_rows, targets.shape[1]
        if self.laplacian is not None:
            # W + intrinsic L has to be positive definite.
            spread = np.full(n_rows, _NEGLIGIBLE_WEIGHT * weights.sum() / n_rows)
            spread[idx] = weights
            values = np.zeros((n_rows, n_columns))
            values[idx] = targets
            return self.path(spread)(reg).coordinates(values)
        matrix = self.gram[np.ix_(idx, idx)].astype(np.float64)
        matrix.flat[:: len(matrix) + 1] += reg / weights
        c = np.zeros((n_rows, n_columns))
        c[idx] = cho_solve(factorize(matrix), targets, check_finite=False)
        return c

    def dual_scores(self, dual):
        """Scores of coefficients and an intercept, (n + 1,); reads the used rows."""
        return sparse_product(self.gram, dual[:-1]) + dual[-1]

    def embedding(self):
        """What gives the kernel values of new rows against all rows."""
        every = np.arange(self.n_rows)
        return Embedding(self.kernel, self.rows.points(self.kernel, every))


@dataclass(frozen=True)
class GramRowSpace(_KernelFunctions):
    """The same, with rows recomputed, for solvers that read rows of a large matrix."""

    kernel: Kernel
    rows: Rows
    center: np.ndarray | None = None
    shift: np.ndarray | None = None

    low_rank, constant = False, 0.0

    @property
    def n_rows(self):
        """Number of rows."""
        return len(self.rows)

    @property
    def shape(self):
        """That of the Gram matrix."""
        return (len(self.rows), len(self.rows))

    @property
    def gram(self):
        """What stands for the Gram matrix: this space, which makes its rows."""
        return self

    def diagonal(self):
        """Diagonal of the Gram matrix."""
        diagonal = self.kernel.diagonal(self.rows.X)
        return diagonal if self.shift is None else diagonal - 2.0 * self.shift

    def gram_rows(self, idx):
        """Some rows of the Gram matrix, (n_idx, n_rows)."""
        rows = self.kernel(self.rows.X[idx], self.rows.X)
        if self.shift is None:
            return rows
        return rows - self.shift - self.shift[idx][:, None]

    def part(self, idx):
        """The functions over some of the rows, with a Gram matrix if they are few."""
        rows = self.rows.take(idx)
        if len(idx) > _KEPT_ROWS:
            return GramRowSpace(self.kernel, rows)
        return GramSpace(self.kernel(rows.X), self.kernel, rows)

    def centered(self, weights):
        """The space of the kernel centered on the weighted mean of the rows."""
        mean = self._product(weights)
        return replace(self, center=weights, shift=mean - 0.5 * float(weights @ mean))

    def dual_scores(self, dual):
        """Scores of coefficients and an intercept, (n + 1,)."""
        return self._product(dual[:-1]) + dual[-1]

    def _product(self, coefficients):
        """The Gram matrix times coefficients; rows with a zero are skipped."""
        used = np.flatnonzero(coefficients)
        if not len(used):
            return np.zeros(self.n_rows)
        own, X = coefficients[used], self.rows.X
        points = self.kernel.points(X, used)
        scores = scores_in_blocks(self.kernel, X, points, own[:, None])[:, 0]
        scores = scores.astype(np.float64)
        if self.shift is None:
            return scores
        return scores - self.shift * own.sum() - self.shift[used] @ own
