"""Eigenvectors of a graph or of a kernel, as a basis for functions over the rows.

With few labels every quadratic model is Gaussian-process regression with some prior
covariance. Written in eigenvectors that are computed once for all rows, covariances
differ in one number for each eigenvector only: a transfer function of the eigenvalues.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import eigh
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

from widemargin.checks import check_number
from widemargin.defaults import SPECTRUM_LEVELS
from widemargin.linalg.rows import row_blocks
from widemargin.spaces.coarse import coarse_spectrum
from widemargin.spaces.features import FeatureSpace
from widemargin.values import Value

_DENSE_ROWS = 100  # up to here all eigenvectors are computed
_DENSE_RATIO = 4  # rows per vector up to which dense matrices are faster
_DEGREE, _MAX_ROUNDS = 10, 12  # of the polynomials, and how often they are applied
_TOL = 1e-4  # of eigenvalues: the last ones converge last and matter least
_ARPACK_TOL = 1e-6
_LEAST_EIGENVALUE = 1e-3  # of graphs of many components: epsilon is a part of it
_NEGLIGIBLE_VARIANCE = 1e-8  # over that of the mean or the largest: rounding


@dataclass(frozen=True)
class Spectrum:
    """Eigenvalues (m,), of a graph rising, of a kernel falling, and vectors (n, m)."""

    values: np.ndarray
    vectors: np.ndarray  # of many rows in single precision

    @cached_property
    def mean_squares(self):
        """Mean square of the entries of each vector."""
        total = np.zeros(self.vectors.shape[1])
        for block in row_blocks(*self.vectors.shape, 8):
            part = self.vectors[block].astype(np.float64, copy=False)
            total += np.einsum("ij,ij->j", part, part)
        return total / len(self.vectors)

    def product(self, coordinates):
        """The vectors times coordinates, (m, k) -> (n, k), in double precision."""
        blocks = row_blocks(*self.vectors.shape, 8)
        return np.concatenate([self.vectors[block] @ coordinates for block in blocks])

    def space(self, transfer, *, unit=True):
        """The functions under a transfer function; `unit`: of mean variance one."""
        features = self.vectors * np.sqrt(transfer(self.values))
        space = FeatureSpace(features)
        scale = space.mean_diagonal() if unit else 1.0
        return FeatureSpace(features / np.sqrt(scale)) if scale > 0 else space


def graph_spectrum(laplacian, n_vectors, degrees=None, *, levels=SPECTRUM_LEVELS):
    """Smoothest functions along a graph: lowest eigenvectors of its Laplacian.

    The CSR matrix must be normalized, so that its eigenvalues are from 0 to 2;
    `degrees` are the sums of the weights before. There is at least one vector less than
    rows. Vectors have unit length and are the same in every run. Those of a graph of
    many rows are found by way of smaller graphs, and need the degrees.
    """
    n_rows = laplacian.shape[0]
    rank = min(n_vectors, n_rows - 1)
    if n_rows > levels.rows and degrees is not None:
        values, vectors = coarse_spectrum(laplacian, degrees, rank, rule=levels)
    elif n_rows <= _DENSE_RATIO * rank:
        values, vectors = eigh(laplacian.toarray(), subset_by_index=(0, rank - 1))
    else:
        values, vectors = _filtered(laplacian, rank)
    return Spectrum(np.maximum(values, 0.0), vectors)


def _filtered(laplacian, rank):
    """Lowest eigenvalues, rising, and vectors, by Chebyshev-filtered subspaces.

    A polynomial of the Laplacian that is small between the largest Ritz value and two,
    and grows fast below it, is applied to a few more vectors than are wanted. Products
    of the sparse matrix with all of them at once read it once; Lanczos' method would
    read it, and all vectors before, for each vector. O(n rank^2) for each round.
    """
    n_rows, size = laplacian.shape[0], rank + max(20, rank // 5)
    # Single precision is enough for `_TOL`.
    matrix = laplacian.astype(np.float32)
    start = np.random.default_rng(0).normal(size=(n_rows, size)).astype(np.float32)
    vectors, values = np.linalg.qr(start)[0], np.zeros(rank)
    for _ in range(_MAX_ROUNDS):
        small = (vectors.T @ (matrix @ vectors)).astype(np.float64)
        found, axes = eigh(0.5 * (small + small.T))
        vectors = vectors @ axes.astype(np.float32)
        # Ritz values of the subspace, which fall towards the eigenvalues.
        if np.abs(found[:rank] - values).max() < _TOL:
            break
        values, edge = found[:rank], float(np.clip(found[-1], 1e-3, 1.9))
        middle, half = 0.5 * (edge + 2.0), 0.5 * (2.0 - edge)
        scale = -half / middle  # keeps the value at zero, which would overflow, at one
        last, ratio = vectors, scale
        vectors = (matrix @ last - middle * last) * (scale / half)
        for _ in range(_DEGREE - 1):
            # T_k+1(x) = 2 x T_k(x) - T_k-1(x), with x = (L - middle) / half.
            following = 1.0 / (2.0 / scale - ratio)
            product = (matrix @ vectors - middle * vectors) * (2.0 * following / half)
            last, vectors = vectors, product - (ratio * following) * last
            ratio = following
        vectors = np.linalg.qr(vectors)[0]
    return found[:rank], vectors[:, :rank].astype(np.float64)


def kernel_spectrum(product, weights, n_vectors):
    """Leading principal components of a kernel over the rows.

    ``product(V)`` is the kernel matrix times V; a row of weight two is like two of
    them. Vectors have weighted mean zero and variance one and any sign; values are the
    variances of the components. Components without variance are left out.
    """
    n_rows, roots = len(weights), np.sqrt(weights / weights.sum())
    start = np.random.default_rng(0).normal(size=n_rows)
    rank = min(n_vectors, n_rows - 1)

    def centered(V):
        """The centered kernel matrix, roots of the weights on both sides, times V."""
        V = V.reshape(n_rows, -1)
        V = roots[:, None] * (V - np.multiply.outer(roots, roots @ V))
        V = roots[:, None] * np.asarray(product(V), dtype=np.float64)
        return V - np.multiply.outer(roots, roots @ V)

    # Squared length of the mean in feature space: centering leaves its rounding.
    of_mean = abs(float(roots**2 @ product((roots**2)[:, None])[:, 0]))
    if n_rows <= max(_DENSE_ROWS, rank + 1):
        values, vectors = eigh(centered(np.eye(n_rows)))
    elif not centered(start).any():
        return Spectrum(np.zeros(0), np.zeros((n_rows, 0)))
    else:
        operator = LinearOperator((n_rows, n_rows), matvec=centered, dtype=np.float64)
        options = {"which": "LA", "v0": start, "tol": _ARPACK_TOL}
        try:
            values, vectors = eigsh(operator, rank, **options)
        except ArpackNoConvergence as found:
            values, vectors = found.eigenvalues, found.eigenvectors
    order = np.argsort(-values, kind="stable")[:rank]
    values, vectors = values[order], vectors[:, order]
    kept = values > _NEGLIGIBLE_VARIANCE * max(of_mean, values.max(initial=0.0))
    return Spectrum(values[kept], vectors[:, kept] / roots[:, None])


def feature_spectrum(space, weights, n_vectors):
    """Principal components of explicit features, and their map to features.

    As `kernel_spectrum` for the kernel of a `FeatureSpace`, from the covariance of its
    features: O(n r^2) for r features. Coordinates c of the components are those
    ``loadings @ c`` of the space, less the constant ``means @ loadings @ c``.
    """
    features, shares = space.features, weights / weights.sum()
    means = shares @ features
    n_rows, rank = features.shape
    blocks = list(row_blocks(n_rows, rank, 8))
    covariance = np.zeros((rank, rank))
    for block in blocks:  # centered first: means may be far larger than deviations
        centered = features[block] - means
        covariance += (centered.T * shares[block]) @ centered
    first = max(rank - min(n_vectors, n_rows - 1), 0)
    values, axes = eigh(covariance, subset_by_index=(first, rank - 1))
    rounding = np.finfo(features.dtype).eps ** 2 * float(means @ means)
    least = max(_NEGLIGIBLE_VARIANCE * values[-1], 10.0 * rounding)
    kept = np.flatnonzero(values > least)[::-1]
    loadings = axes[:, kept] / np.sqrt(values[kept])
    vectors = np.concatenate([(features[b] - means) @ loadings for b in blocks])
    return Spectrum(values[kept], vectors), loadings, means


class Transfer(Value):
    """Prior variances of eigenvectors, (m,), from their eigenvalues; a family.

    Closed-form models average over what the members list as their `choices`.
    """

    spectrum_of = None  # whose eigenvalues it maps: "graph" or "kernel"

    @property
    def title(self):
        """Its part of the names of models."""
        return repr(self)

    def is_local(self, grid):
        """Whether it hardly counts while all classes have a single label.

        This holds for functions whose scores fall off too fast around the labels.
        """
        return False

    @classmethod
    def choices(cls, spectrum, grid):
        """Transfer functions of this class for a spectrum; `grid` has the defaults."""
        return []

    @classmethod
    def listed(cls, spectrum_of, spectrum, grid):
        """Choices of all members for the spectrum of a "graph" or a "kernel"."""
        members = [m for m in cls._members.values() if m.spectrum_of == spectrum_of]
        return [choice for m in members for choice in m.choices(spectrum, grid)]


@dataclass(frozen=True)
class Resolvent(Transfer, shorthand="resolvent"):
    r"""The variance :math:`(\epsilon / (\epsilon + \lambda))^p`, for a graph.

    Smoothness begins to count at the eigenvalue `epsilon`, with steepness `power`.

    >>> Resolvent(epsilon=0.1, power=2)(np.array([0.0, 0.1]))
    array([1.  , 0.25])
    """

    epsilon: float = 0.1
    power: float = 1.0

    spectrum_of = "graph"

    def __post_init__(self):
        check_number(self, "epsilon", low=0, strict=True)
        check_number(self, "power", low=0, strict=True)

    def __call__(self, values):
        """Variances for eigenvalues of a graph Laplacian."""
        return (self.epsilon / (self.epsilon + np.maximum(values, 0.0))) ** self.power

    @property
    def title(self):
        """Its part of the names of models."""
        return f"power {self.power:g}"

    def is_local(self, grid):
        """Whether it hardly counts while all classes have a single label."""
        return self.power in grid.local_powers

    @classmethod
    def choices(cls, spectrum, grid):
        """The powers of the grid; smoothness counts from a part of an eigenvalue on."""
        values = spectrum.values
        at = float(values[min(grid.eigenvalue, len(values) - 1)])
        epsilon = grid.epsilon * max(at, _LEAST_EIGENVALUE)
        return [cls(epsilon, power) for power in grid.graph_powers]


@dataclass(frozen=True)
class Power(Transfer, shorthand="power"):
    r"""The variance :math:`(\mu / \mu_1)^q`, for a kernel.

    With `power` 1 it is the kernel itself; larger ones rely on its leading directions.

    >>> Power(2)(np.array([4.0, 2.0]))
    array([1.  , 0.25])
    """

    power: float = 1.0

    spectrum_of = "kernel"

    def __post_init__(self):
        check_number(self, "power", low=0, strict=True)

    def __call__(self, values):
        """Variances for eigenvalues of a kernel matrix."""
        values = np.maximum(values, 0.0)
        return (values / max(values.max(initial=0.0), 1e-300)) ** self.power

    @property
    def title(self):
        """Its part of the names of models."""
        return f"power {self.power:g}"

    @classmethod
    def choices(cls, spectrum, grid):
        """The powers of the grid."""
        return [cls(power) for power in grid.kernel_powers]
