"""Principal components of samples that are known by a kernel."""

import numpy as np
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

_DENSE = 100  # rows up to which all eigenvectors are computed
_TOL = 1e-6
_NOTHING = 1e-8  # smaller variances, over that of the mean or the largest, are rounding


def principal_components(product, weights, n_components):
    r"""Values of the leading kernel principal components on the samples.

    Parameters
    ----------
    product : callable
        ``product(V)`` is the kernel matrix times V, (n, k) -> (n, k).
    weights : ndarray of shape (n,)
        Positive weight of each sample: one of weight two is like two of them.
    n_components : int
        How many at the most; components without variance are left out.

    Returns
    -------
    ndarray of shape (n, n_found)
        Columns with mean zero and variance one, of any sign, largest variance first.
    """
    n_samples, total = len(weights), weights.sum()
    roots = np.sqrt(weights / total)

    def centered(V):
        """The centered kernel matrix, roots of the weights on both sides, times V."""
        V = V.reshape(n_samples, -1)
        V = roots[:, None] * (V - np.multiply.outer(roots, roots @ V))
        V = roots[:, None] * np.asarray(product(V), dtype=np.float64)
        return V - np.multiply.outer(roots, roots @ V)

    floor = _NOTHING * abs(float(roots**2 @ product((roots**2)[:, None])[:, 0]))
    values, vectors = _leading(centered, n_samples, min(n_components, n_samples - 1))
    floor = max(floor, _NOTHING * values.max(initial=0.0))
    return vectors[:, values > floor] / roots[:, None]


def _leading(product, n, rank):
    """Largest eigenvalues, falling, and their vectors."""
    if rank < 1:
        return np.zeros(0), np.zeros((n, 0))
    if n <= max(_DENSE, rank + 1):
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
