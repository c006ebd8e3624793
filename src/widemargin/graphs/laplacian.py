"""Graph Laplacians: plain, normalized, iterated."""

import numpy as np
from scipy import sparse

from widemargin.defaults import GRAPH_POWERS

_BLOCK_SIZE = 2**18  # numbers, 2 MiB: blocks of columns that stay in the cache


class IteratedLaplacian:
    """The matrix :math:`L^p`, kept as L and applied as p sparse products.

    `matrix` is L, a symmetric positive semi-definite CSR matrix; `power` is p.
    """

    def __init__(self, matrix, power=1):
        self.matrix, self.power = matrix, power
        self.shape = matrix.shape

    def iterated(self, power):
        """The same Laplacian with another power."""
        return IteratedLaplacian(self.matrix, power)

    def __matmul__(self, V):  # (n, k) -> (n, k) in O(power * nnz * k)
        width = max(16, _BLOCK_SIZE // self.shape[0])
        if isinstance(V, np.ndarray) and V.ndim == 2 and V.shape[1] > width:
            starts = range(0, V.shape[1], width)
            return np.hstack([self @ V[:, at : at + width] for at in starts])
        # L^p itself would have far more entries than L.
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
        # A row without neighbors gets a row of zeros, and not of 0 / 0.
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
    >>> float(np.abs(no_laplacian(3) @ np.ones(3)).max())
    0.0
    """
    return IteratedLaplacian(sparse.csr_array((n_samples, n_samples), dtype=dtype))


def spectral_dimension(adjacency):
    r"""Dimension of a graph, by how fast a random walk along its edges spreads.

    After t steps a walk that stays where it is half of the time is back at its start
    with a probability that falls as :math:`t^{-d/2}` on a lattice of d dimensions. Here
    d is the slope between 8 and 16 steps, which leave the nearest neighbors and do not
    reach the ends of most graphs.

    Examples
    --------
    >>> ring = sparse.diags_array([1.0] * 4, offsets=[-99, -1, 1, 99], shape=(100, 100))
    >>> round(spectral_dimension(ring.tocsr()), 1)
    1.0
    """
    matrix = graph_laplacian(adjacency).matrix
    n_samples = matrix.shape[0]
    if n_samples <= 256:
        walks = np.eye(n_samples)
    else:
        # Random signs z estimate the trace: |W^t z|^2 has the mean tr W^2t. They are
        # the same for every graph, so that a fit which draws nothing is repeatable.
        walks = np.random.default_rng(0).choice([-1.0, 1.0], size=(n_samples, 16))
    returned = []
    for _ in range(8):
        # One step of W = I - L / 2, which has the eigenvalues of the walk.
        walks = walks - 0.5 * (matrix @ walks)
        returned.append(np.vdot(walks, walks))
    # tr W^8 over tr W^16: a doubled time divides it by 2^(d / 2).
    return 2.0 * float(np.log2(returned[3] / returned[7]))


def power_prior(powers, dimension):
    """Prior weights of rising powers: those next to the one for a dimension.

    In a space of more dimensions a function can be smooth along the graph and still
    have a spike at each label, unless the power rises with the dimension.

    Examples
    --------
    >>> power_prior((1, 2, 3), dimension=2.3).round(2)
    array([0. , 0.6, 0.4])
    """
    # Power 2 for a surface. Linear interpolation gives the two powers around the wanted
    # one weights that add up to one, and the first or last power all beyond.
    wanted = 2.0 + (dimension - 2.0) / GRAPH_POWERS.dimensions_per_power
    weights = np.array([np.interp(wanted, powers, one) for one in np.eye(len(powers))])
    weights[weights < GRAPH_POWERS.least_prior] = 0.0
    return weights / weights.sum()
