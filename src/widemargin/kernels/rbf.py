"""Gaussian kernels: one width, or a width for each feature."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from widemargin.kernels.base import Kernel, WidthKernel
from widemargin.linalg.rows import near_origin, squared_distances


@dataclass(frozen=True)
class Rbf(WidthKernel, shorthand="rbf"):
    r"""Gaussian kernel :math:`k(x, z) = \exp(-\gamma \|x - z\|^2)`.

    Parameters
    ----------
    gamma : float, "auto", "scale", "median" or "mean", default="auto"
        A number, or a rule that takes it from the rows; see
        :func:`widemargin.kernels.select_gamma`. "auto" leaves the rule to the
        estimator.

    Examples
    --------
    >>> import numpy as np
    >>> from widemargin.kernels import Rbf
    >>> Rbf(gamma=0.5)(np.array([[0.0], [2.0]])).round(2)
    array([[1.  , 0.14],
           [0.14, 1.  ]])
    """

    gamma: float | str = "auto"

    has_unit_diagonal, sees_offsets = True, False

    def __call__(self, X, Z=None):
        """Gram matrix between the rows of X and of Z, shape (n_x, n_z)."""
        return _gaussian(X, Z, self.width)


@dataclass(frozen=True, eq=False)
class ArdRbf(Kernel):
    r"""Gaussian kernel :math:`k(x, z) = \exp(-\sum_j \gamma_j (x_j - z_j)^2)`.

    Parameters
    ----------
    gammas : ndarray of shape (n_features,)
        The :math:`\gamma_j` of each feature, all >= 0; with 0 it has no influence.

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

    has_unit_diagonal, sees_offsets = True, False

    def __post_init__(self):
        gammas = np.asarray(self.gammas)
        if gammas.ndim != 1 or not np.all(np.isfinite(gammas) & (gammas >= 0)):
            raise ValueError(
                f"gammas of ArdRbf must be finite numbers >= 0, one for each feature, "
                f"got {self.gammas!r}."
            )

    # Those of a dataclass compare and hash fields, which arrays do not support.
    def __eq__(self, other):
        return isinstance(other, ArdRbf) and np.array_equal(self.gammas, other.gammas)

    def __hash__(self):
        return hash(tuple(np.asarray(self.gammas).tolist()))

    def __call__(self, X, Z=None):
        """Gram matrix between the rows of X and of Z, shape (n_x, n_z)."""
        X, Z = near_origin(X, Z)  # first: units would round rows far from it
        Z = None if Z is None else self._scaled(Z)
        return _gaussian(self._scaled(X), Z, 1.0)

    def _scaled(self, X):
        """The rows with each feature in units of its width."""
        roots = np.sqrt(self.gammas).astype(X.dtype)
        if sparse.issparse(X):
            return sparse.csr_matrix(X.multiply(roots))
        return X * roots


def _gaussian(X, Z, gamma):
    """exp(-gamma times squared distances)."""
    gram = squared_distances(X, Z, gamma)
    np.negative(gram, out=gram)
    return np.exp(gram, out=gram)
