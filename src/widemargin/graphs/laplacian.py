"""Graph Laplacians: plain, normalized, iterated."""

import numpy as np
from scipy import sparse


class IteratedLaplacian:
    """The matrix :math:`L^p`, kept as L and applied as p sparse products.

    `matrix` is L, a symmetric positive semi-definite CSR matrix; `power` is p.
    """

    def __init__(self, matrix, power=1):
        self.matrix, self.power = matrix, power
        self.shape = matrix.shape

    def __matmul__(self, V):  # (n, k) -> (n, k) in O(power * nnz * k)
        for _ in range(self.power):
            V = self.matrix @ V
        return V

    def to_dense(self):
        """The matrix itself, (n_samples, n_samples); for small graphs."""
        return self @ np.eye(self.shape[0], dtype=self.matrix.dtype)


def graph_laplacian(adjacency, *, normalized=True, power=1):
    r"""Laplacian of a weighted graph, on a scale that no unit changes.

    Parameters
    ----------
    adjacency : CSR matrix of shape (n_samples, n_samples)
        W, symmetric, non-negative, zero diagonal.
    normalized : bool
        :math:`I - D^{-1/2} W D^{-1/2}` if true, else :math:`(D - W) / \bar d` with
        the mean degree :math:`\bar d`, so that multiplying all weights by a number
        changes neither.
    power : int
        How often the Laplacian is applied.

    Returns
    -------
    IteratedLaplacian
        With a row of zeros for each sample without neighbors.

    Examples
    --------
    >>> path = sparse.csr_matrix([[0, 1.0, 0], [1, 0, 1], [0, 1, 0]])
    >>> graph_laplacian(path, normalized=False).to_dense() * 4 / 3
    array([[ 1., -1.,  0.],
           [-1.,  2., -1.],
           [ 0., -1.,  1.]])
    """
    if adjacency.dtype not in (np.float32, np.float64):  # 0/1 weights, say
        adjacency = adjacency.astype(np.float64)
    degree = np.asarray(adjacency.sum(axis=1), dtype=np.float64).ravel()
    if normalized:
        joined = degree > 0
        root = np.zeros_like(degree)
        root[joined] = 1.0 / np.sqrt(degree[joined])
        scale = sparse.diags_array(root)
        diagonal = joined.astype(np.float64)
        matrix = sparse.diags_array(diagonal) - scale @ adjacency @ scale
    else:
        mean = degree.mean() if degree.any() else 1.0
        matrix = (sparse.diags_array(degree) - adjacency) / mean
    return IteratedLaplacian(sparse.csr_array(matrix.astype(adjacency.dtype)), power)


def no_laplacian(n_samples, dtype=np.float64):
    """The Laplacian of a graph without edges: it penalizes nothing."""
    return IteratedLaplacian(sparse.csr_array((n_samples, n_samples), dtype=dtype))
