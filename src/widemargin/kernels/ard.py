"""Gaussian kernel with a width for each feature."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from sklearn.metrics.pairwise import rbf_kernel

from widemargin.kernels.base import Kernel


@dataclass(frozen=True)
class ArdRbf(Kernel):
    r"""Gaussian kernel :math:`k(x, z) = \exp(-\sum_j \gamma_j (x_j - z_j)^2)`.

    Examples
    --------
    >>> import numpy as np
    >>> from widemargin.kernels import ArdRbf
    >>> kernel = ArdRbf(np.array([1.0, 0.0]))  # the second feature does not count
    >>> kernel(np.array([[0.0, 5.0], [1.0, 7.0]])).round(2)
    array([[1.  , 0.37],
           [0.37, 1.  ]])
    """

    gammas: np.ndarray

    def __post_init__(self):
        """Raise unless the widths are finite and not negative."""
        gammas = np.asarray(self.gammas)
        if gammas.ndim != 1 or not np.all(np.isfinite(gammas) & (gammas >= 0)):
            raise ValueError(
                f"gammas of ArdRbf must be finite numbers >= 0, one for each feature, "
                f"got {self.gammas!r}."
            )

    def __call__(self, X, Z=None):
        """Gram matrix between the rows of X and of Z, shape (n_x, n_z)."""
        X = self._scaled(X)
        return rbf_kernel(X, None if Z is None else self._scaled(Z), gamma=1.0)

    def diagonal(self, X):
        """Ones."""
        return np.ones(X.shape[0], dtype=X.dtype)

    def _scaled(self, X):
        """The rows with each feature in units of its width."""
        roots = np.sqrt(self.gammas).astype(X.dtype)
        if sparse.issparse(X):
            return sparse.csr_matrix(X.multiply(roots))
        return X * roots
