"""One eigendecomposition for the smoothers of all regularization values."""

import numpy as np
from scipy.linalg import eigh

from widemargin.smoothers.base import Smoother


class SpectralPath:
    r"""Smoothers of a Gram matrix for a whole path of regularization values.

    With :math:`D K D = V \Lambda V^\top` the mass for :math:`\lambda` is
    :math:`D V \Lambda (\Lambda + \lambda I)^{-1} V^\top D`. The decomposition is O(n^3)
    once and pays from about five values on; each value then costs O(n^2 rank).

    Parameters
    ----------
    gram : ndarray of shape (n, n)
    weights : ndarray of shape (n,)
        Positive.
    """

    def __init__(self, gram, weights):
        self.dtype, self.weights = gram.dtype, weights
        root = np.sqrt(weights)
        matrix = root[:, None] * gram.astype(np.float64, copy=False) * root
        values, vectors = eigh(
            matrix.T, driver="evd", overwrite_a=True, check_finite=False
        )
        kept = values > values[-1] * len(values) * np.finfo(np.float64).eps
        self.values = values[kept]
        self.rooted_vectors = root[:, None] * vectors[:, kept]  # D V

    def __call__(self, reg):
        """The smoother for one value of `reg`."""
        return _SpectralSmoother(self, reg)


class _SpectralSmoother(Smoother):
    """One member of a path."""

    def __init__(self, path, reg):
        self.path, self.reg = path, reg
        factor = path.rooted_vectors * np.sqrt(path.values / (path.values + reg))
        mass = (factor @ factor.T).astype(path.dtype, copy=False)
        super().__init__(mass, path.weights.astype(path.dtype), low_rank=False)

    def coordinates(self, Y):
        """Coefficients of the kernel functions, (n, k) -> (n, k); O(n rank k)."""
        basis, values = self.path.rooted_vectors, self.path.values
        # D G D y; what Y has outside the range of K changes no value of f there.
        return basis @ ((basis.T @ Y) / (values + self.reg)[:, None])
