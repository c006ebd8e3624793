"""Graph Laplacians: plain, normalized, iterated."""

import numpy as np
from scipy import sparse


class IteratedLaplacian:
    r"""The matrix :math:`L^p`, kept as L and applied as p sparse products.

    Parameters
    ----------
    matrix : CSR matrix of shape (n_samples, n_samples)
        L, symmetric positive semi-definite.
    power : int
        p.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy import sparse
    >>> from widemargin.graphs import IteratedLaplacian
    >>> L = sparse.csr_array([[1.0, -1.0], [-1.0, 1.0]])
    >>> IteratedLaplacian(L, power=2) @ np.array([1.0, 0.0])
    array([ 2., -2.])
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

    Notes
    -----
    A sample without neighbors has a row of zeros: the graph does not speak of it.

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
    """The Laplacian of a graph without edges: it penalizes nothing.

    Examples
    --------
    >>> import numpy as np
    >>> from widemargin.graphs import no_laplacian
    >>> no_laplacian(3) @ np.ones(3)
    array([0., 0., 0.])
    """
    return IteratedLaplacian(sparse.csr_array((n_samples, n_samples), dtype=dtype))
