"""Eigenvectors of a graph or of a kernel, as a basis for functions over the rows.

With few labels every quadratic model is Gaussian-process regression with some prior
covariance. Written in eigenvectors that are computed once for all rows, covariances
differ in one number for each eigenvector only: a transfer function of the eigenvalues.
"""

from dataclasses import dataclass

import numpy as np
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

from widemargin.spaces.features import FeatureSpace

_DENSE_ROWS = 100  # up to here all eigenvectors are computed
_TOL = 1e-6
_NEGLIGIBLE_VARIANCE = 1e-8  # over that of the mean or the largest: rounding


@dataclass(frozen=True)
class Spectrum:
    """Eigenvalues and eigenvectors that functions are written over.

    Attributes
    ----------
    values : ndarray of shape (m,)
        Of a graph, from the smallest; of a kernel, from the largest.
    vectors : ndarray of shape (n_rows, m)
    """

    values: np.ndarray
    vectors: np.ndarray

    def space(self, transfer, *, unit=True):
        """The functions under the prior covariance of a transfer function.

        Parameters
        ----------
        transfer : callable
            From eigenvalues to variances, see :mod:`widemargin.spaces.transfer`.
        unit : bool
            Whether the covariance is scaled to a mean diagonal of one.
        """
        features = self.vectors * np.sqrt(transfer(self.values))
        space = FeatureSpace(features)
        scale = space.mean_diagonal() if unit else 1.0
        return FeatureSpace(features / np.sqrt(scale)) if scale > 0 else space


def graph_spectrum(laplacian, n_vectors):
    """Smoothest functions along a graph: lowest eigenvectors of its Laplacian.

    Parameters
    ----------
    laplacian : CSR matrix of shape (n_rows, n_rows)
        Normalized, so that its eigenvalues are from 0 to 2.
    n_vectors : int
        How many, at the most one less than there are rows.

    Returns
    -------
    Spectrum
        Vectors of unit length, in an order and with signs that are the same in every
        run.
    """
    n_rows = laplacian.shape[0]

    def product(V):
        """The matrix 2 I - L, whose largest eigenvalues are wanted."""
        return 2.0 * V - laplacian @ V

    values, vectors = _leading(product, n_rows, min(n_vectors, n_rows - 1))
    return Spectrum(np.maximum(2.0 - values, 0.0), vectors)


def kernel_spectrum(product, weights, n_vectors):
    r"""Leading principal components of a kernel over the rows.

    Parameters
    ----------
    product : callable
        ``product(V)`` is the kernel matrix times V, (n, k) -> (n, k).
    weights : ndarray of shape (n,)
        Positive weight of each row: one of weight two is like two of them.
    n_vectors : int
        How many at the most; components without variance are left out.

    Returns
    -------
    Spectrum
        Vectors of weighted mean zero and variance one, of any sign; values are the
        variances of the components.
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
