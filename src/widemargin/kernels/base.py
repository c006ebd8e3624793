"""What all kernels of points share."""

import numpy as np

_BLOCK = 64  # rows whose Gram matrix is formed at a time for its diagonal


class PointKernel:
    """A kernel whose arguments are rows of features; formulas are subclasses.

    A subclass gives ``kernel(X, Z=None)``, the Gram matrix between the rows of X and
    of Z (of X and X if Z is not given), in the floating type of X.
    """

    def points(self, X, rows):
        """What must be kept of X to evaluate the kernel against these rows later."""
        return X[rows]

    def geometry(self, X):
        """What nearest neighbors are looked for in: data and metric."""
        return X, "euclidean"

    def diagonal(self, X):
        """Value of each row with itself, shape (n_samples,), without a Gram matrix."""
        blocks = [slice(i, i + _BLOCK) for i in range(0, X.shape[0], _BLOCK)]
        return np.concatenate([np.diagonal(self(X[block])) for block in blocks])


def squared_norms(X):
    """Squared Euclidean norm of each row, dense or sparse, shape (n_samples,)."""
    if hasattr(X, "multiply"):
        return np.asarray(X.multiply(X).sum(axis=1)).ravel()
    return np.einsum("ij,ij->i", X, X)
