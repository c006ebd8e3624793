"""A kernel with a graph folded in."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from widemargin.kernels.base import Kernel
from widemargin.spaces.deformation import DeformedKernel


@dataclass(frozen=True, eq=False)
class Deformed(Kernel):
    r"""Data-dependent kernel under which any kernel method follows a graph.

    .. math:: \tilde k(x, z) = k(x, z) - k_x^\top (I + \rho L K)^{-1} \rho L\, k_z

    with :math:`k_x` the values of x against the samples of the graph and K their Gram
    matrix [1]_. A model that penalizes the norm of this kernel with weight
    :math:`\gamma_A` penalizes :math:`\gamma_A \|f\|^2 + \gamma_A \rho f^\top L f`. The
    kernel is also defined for new points.

    Parameters
    ----------
    kernel : callable
        The kernel to deform.
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        The samples of the graph, labeled and unlabeled.
    laplacian : operator with ``laplacian @ V``
        L of these samples, as from `widemargin.graphs.graph_laplacian`.
    ratio : float
        :math:`\rho \ge 0`.

    Notes
    -----
    Time O(n^3) once, then O(n) kernel values for each new row; memory O(n^2).

    References
    ----------
    .. [1] Sindhwani, Niyogi, Belkin. Beyond the point cloud: from transductive to
       semi-supervised learning. 2005.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from sklearn.svm import SVC
    >>> from widemargin.graphs import graph_laplacian, knn_adjacency
    >>> from widemargin.kernels import Rbf
    >>> from widemargin.spaces import Deformed
    >>> X, y = make_moons(200, noise=0.05, random_state=0)
    >>> laplacian = graph_laplacian(knn_adjacency(X, 8), power=2)
    >>> kernel = Deformed(Rbf(2.0), X, laplacian, ratio=100.0)
    >>> labeled = [0, 1, 2, 3]
    >>> float(SVC(kernel=kernel, C=100.0).fit(X[labeled], y[labeled]).score(X, y))
    1.0
    """

    kernel: Kernel
    X: object
    laplacian: object
    ratio: float

    storable = False  # it holds all samples and a factorization

    @cached_property
    def _deformed(self):
        """The factorization that all values need."""
        return DeformedKernel(self.kernel(self.X), self.laplacian, self.ratio)

    def __call__(self, X, Z=None):
        """Gram matrix between the rows of X and of Z, shape (n_x, n_z)."""
        base = self.kernel(X, Z)
        if self.ratio == 0:
            return base
        left = self.kernel(X, self.X)
        right = left if Z is None else self.kernel(Z, self.X)
        bent = self.laplacian @ np.ascontiguousarray(right.T)
        gram = base - left @ self._deformed.solve(self.ratio * bent)
        return gram.astype(base.dtype, copy=False)
