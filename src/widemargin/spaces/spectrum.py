"""Eigenvectors of a graph or of a kernel, as a basis for functions over the rows.

With few labels every quadratic model is Gaussian-process regression with some prior
covariance. Written in eigenvectors that are computed once for all rows, covariances
differ in one number for each eigenvector only: a transfer function of the eigenvalues.
"""

from dataclasses import dataclass

import numpy as np
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

from widemargin.checks import check_number
from widemargin.spaces.features import FeatureSpace
from widemargin.values import Value

_DENSE_ROWS = 100  # up to here all eigenvectors are computed
_TOL = 1e-6
_NEGLIGIBLE_VARIANCE = 1e-8  # over that of the mean or the largest: rounding


@dataclass(frozen=True)
class Spectrum:
    """Eigenvalues (m,), of a graph rising, of a kernel falling, and vectors (n, m)."""

    values: np.ndarray
    vectors: np.ndarray

    def space(self, transfer, *, unit=True):
        """The functions under a transfer function; `unit`: of mean variance one."""
        features = self.vectors * np.sqrt(transfer(self.values))
        space = FeatureSpace(features)
        scale = space.mean_diagonal() if unit else 1.0
        return FeatureSpace(features / np.sqrt(scale)) if scale > 0 else space


def graph_spectrum(laplacian, n_vectors):
    """Smoothest functions along a graph: lowest eigenvectors of its Laplacian.

    The CSR matrix must be normalized, so that its eigenvalues are from 0 to 2. There is
    at least one vector less than rows. Vectors have unit length, and an order and signs
    that are the same in every run.
    """
    n_rows = laplacian.shape[0]

    def product(V):
        """The matrix 2 I - L, whose largest eigenvalues are wanted."""
        return 2.0 * V - laplacian @ V

    values, vectors = _leading(product, n_rows, min(n_vectors, n_rows - 1))
    return Spectrum(np.maximum(2.0 - values, 0.0), vectors)


def kernel_spectrum(product, weights, n_vectors):
    """Leading principal components of a kernel over the rows.

    ``product(V)`` is the kernel matrix times V; a row of weight two is like two of
    them. Vectors have weighted mean zero and variance one and any sign; values are the
    variances of the components. Components without variance are left out.
    """
    n_rows, total = len(weights), weights.sum()
    roots = np.sqrt(weights / total)

    def centered(V):
        """The centered kernel matrix, roots of the weights on both sides, times V."""
        V = V.reshape(n_rows, -1)
        V = roots[:, None] * (V - np.multiply.outer(roots, roots @ V))
        V = roots[:, None] * np.asarray(product(V), dtype=np.float64)
        return V - np.multiply.outer(roots, roots @ V)

    of_mean = abs(float(roots**2 @ product((roots**2)[:, None])[:, 0]))
    values, vectors = _leading(centered, n_rows, min(n_vectors, n_rows - 1))
    largest = values.max(initial=0.0)
    kept = values > _NEGLIGIBLE_VARIANCE * max(of_mean, largest)
    return Spectrum(values[kept], vectors[:, kept] / roots[:, None])


def _leading(product, n, rank):
    """Largest eigenvalues, falling, and their vectors."""
    if rank < 1:
        return np.zeros(0), np.zeros((n, 0))
    if n <= max(_DENSE_ROWS, rank + 1):
        values, vectors = np.linalg.eigh(product(np.eye(n)))
    else:
        operator = LinearOperator((n, n), matvec=product, dtype=np.float64)
        start = np.random.default_rng(0).normal(size=n)
        if not product(start).any():
            return np.zeros(0), np.zeros((n, 0))
        try:
            values, vectors = eigsh(operator, rank, which="LA", v0=start, tol=_TOL)
        except ArpackNoConvergence as found:
            values, vectors = found.eigenvalues, found.eigenvectors
    order = np.argsort(-values, kind="stable")[:rank]
    return values[order], vectors[:, order]


class Transfer(Value):
    """Prior variances of eigenvectors, (m,), from their eigenvalues; a family."""


@dataclass(frozen=True)
class Resolvent(Transfer, shorthand="resolvent"):
    r"""The variance :math:`(\epsilon / (\epsilon + \lambda))^p`, for a graph.

    Smoothness begins to count at the eigenvalue `epsilon`, with steepness `power`.

    >>> Resolvent(epsilon=0.1, power=2)(np.array([0.0, 0.1]))
    array([1.  , 0.25])
    """

    epsilon: float = 0.1
    power: float = 1.0

    def __post_init__(self):
        check_number(self, "epsilon", low=0, strict=True)
        check_number(self, "power", low=0, strict=True)

    def __call__(self, values):
        """Variances for eigenvalues of a graph Laplacian."""
        return (self.epsilon / (self.epsilon + np.maximum(values, 0.0))) ** self.power


@dataclass(frozen=True)
class Power(Transfer, shorthand="power"):
    r"""The variance :math:`(\mu / \mu_1)^q`, for a kernel.

    With `power` 1 it is the kernel itself; larger ones rely on its leading directions.

    >>> Power(2)(np.array([4.0, 2.0]))
    array([1.  , 0.25])
    """

    power: float = 1.0

    def __post_init__(self):
        check_number(self, "power", low=0, strict=True)

    def __call__(self, values):
        """Variances for eigenvalues of a kernel matrix."""
        values = np.maximum(values, 0.0)
        return (values / max(values.max(initial=0.0), 1e-300)) ** self.power
