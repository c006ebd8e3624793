r"""A norm with a graph folded in: :math:`A = P + \rho B^\top L B`, factorized once.

With scores f = B c the models of this family need :math:`A^{-1} B^\top h` for a few h
only. Both forms below get it from one factorization that depends on
nothing but the ratio :math:`\rho` of the two penalty weights.
"""

import numpy as np
from scipy.linalg import cho_solve, lu_factor, lu_solve

from widemargin.linalg.cholesky import jittered_cholesky


class DeformedKernel:
    r"""The case B = P = K, where :math:`A^{-1} B^\top = (I + \rho L K)^{-1}`.

    K may be singular. The factorization is done in double precision.

    Parameters
    ----------
    gram : ndarray of shape (n, n)
    laplacian : operator with ``laplacian @ V``
    ratio : float
        :math:`\rho \ge 0`; with 0 nothing is factorized.
    """

    def __init__(self, gram, laplacian, ratio):
        self.gram, self.ratio = gram, ratio
        if ratio == 0:
            self._factor = None
            return
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

    def mean_diagonal(self, rows):
        """Mean of the deformed kernel's values of some samples with themselves."""
        return _mean_diagonal(self, rows)


class DeformedFeatures:
    r"""The case B = Z, P = I, where :math:`A = I + \rho Z^\top L Z` is (r, r).

    Parameters
    ----------
    features : ndarray of shape (n, r)
    laplacian : operator with ``laplacian @ V``
    ratio : float
    """

    def __init__(self, features, laplacian, ratio):
        self.features, self.ratio = features, ratio
        matrix = np.eye(features.shape[1])
        if ratio > 0:
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

    def mean_diagonal(self, rows):
        """Mean of the deformed kernel's values of some samples with themselves."""
        return _mean_diagonal(self, rows)


def _mean_diagonal(deformed, rows):
    deformed_gram = deformed.scores_at(rows, deformed.solve_rows(rows))
    return float(np.diagonal(deformed_gram).mean())
