r"""A norm with a graph folded in: :math:`A = P + \rho B^\top L B`, factorized once.

With scores f = B c the models of this family need :math:`A^{-1} B^\top h` for a few h
only. Both norms below get it from one factorization that depends on
nothing but the ratio :math:`\rho` of the two penalty weights. `Deformed` is the kernel
of the first of them.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import cho_solve, lu_factor, lu_solve

from widemargin.kernels.base import Kernel
from widemargin.linalg.cholesky import jittered_cholesky


class _DeformedNorm:
    """What both norms share: `solve_rows` and `scores_at` of some samples."""

    def mean_diagonal(self, rows):
        """Mean of the deformed kernel's values of some samples with themselves."""
        deformed_gram = self.scores_at(rows, self.solve_rows(rows))
        return float(np.diagonal(deformed_gram).mean())


class DeformedKernel(_DeformedNorm):
    r"""The case B = P = K, where :math:`A^{-1} B^\top = (I + \rho L K)^{-1}`."""

    def __init__(self, gram, laplacian, ratio):
        self.gram, self.ratio = gram, ratio
        self._factor = None
        if ratio == 0:
            return
        # (K + rho K L K)^-1 K = (I + rho L K)^-1: K is not inverted and may be
        # singular. The matrix is not symmetric, hence LU and no Cholesky factorization.
        matrix = laplacian @ gram.astype(np.float64, copy=False)
        matrix *= ratio
        matrix.flat[:: len(gram) + 1] += 1.0
        self._factor = lu_factor(matrix, overwrite_a=True, check_finite=False)

    def solve(self, h):
        r"""Coordinates :math:`A^{-1} B^\top h`, (n, m) -> (n, m)."""
        if self._factor is None:
            return h
        return lu_solve(self._factor, h, check_finite=False)

    def solve_rows(self, rows):
        """Coordinates for the unit vectors of some samples, (n, n_rows)."""
        unit = np.zeros((len(self.gram), len(rows)))
        unit[rows, np.arange(len(rows))] = 1.0
        return self.solve(unit)

    def scores_at(self, rows, c):
        """Scores of some samples, (n_rows, k)."""
        return self.gram[rows] @ c


class DeformedFeatures(_DeformedNorm):
    r"""The case B = Z, P = I, where :math:`A = I + \rho Z^\top L Z` is (r, r)."""

    def __init__(self, features, laplacian, ratio):
        self.features, self.ratio = features, ratio
        matrix = np.eye(features.shape[1])
        if ratio > 0:
            # I plus a positive semi-definite matrix.
            matrix += ratio * (features.T @ (laplacian @ features))
        self._factor, _ = jittered_cholesky(0.5 * (matrix + matrix.T))

    def solve(self, h):
        r"""Coordinates :math:`A^{-1} Z^\top h`, (n, m) -> (r, m)."""
        return cho_solve(self._factor, self.features.T @ h, check_finite=False)

    def solve_rows(self, rows):
        """Coordinates for the unit vectors of some samples, (r, n_rows)."""
        return cho_solve(self._factor, self.features[rows].T, check_finite=False)

    def scores_at(self, rows, c):
        """Scores of some samples, (n_rows, k)."""
        return self.features[rows] @ c


@dataclass(frozen=True, eq=False)
class Deformed(Kernel):
    r"""Data-dependent kernel under which any kernel method follows a graph.

    .. math:: \tilde k(x, z) = k(x, z) - k_x^\top (I + \rho L K)^{-1} \rho L\, k_z

    with :math:`k_x` the values of x against the samples of the graph and K their Gram
    matrix [1]_. A model that penalizes the norm of this kernel with weight
    :math:`\gamma_A` penalizes :math:`\gamma_A \|f\|^2 + \gamma_A \rho f^\top L f`. The
    kernel is also defined for new points. Time O(n^3) once, then O(n) kernel values for
    each new row; memory O(n^2).

    Parameters
    ----------
    kernel : Kernel
        The kernel to deform.
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        The samples of the graph, labeled and unlabeled.
    laplacian : operator with ``laplacian @ V``
        L of these samples, as from `widemargin.graphs.graph_laplacian`.
    ratio : float
        :math:`\rho \ge 0`.

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
