"""A Gram matrix that the user has computed."""

from dataclasses import dataclass

import numpy as np

from widemargin.kernels.base import Kernel


@dataclass(frozen=True)
class Precomputed(Kernel, shorthand="precomputed"):
    """The kernel whose samples are rows of a given Gram matrix.

    A sample is known by its kernel values against all training samples; a training
    sample that is to be kept is known by its position.

    Examples
    --------
    >>> import numpy as np
    >>> from widemargin import LaplacianSVC
    >>> rows = np.array([[0.0], [0.1], [2.0], [2.1]])
    >>> gram = np.exp(-((rows - rows.T) ** 2))  # your own similarity
    >>> model = LaplacianSVC(kernel="precomputed").fit(gram, [0, -1, 1, -1])
    >>> model.transduction_.tolist()
    [0, 0, 1, 1]
    """

    pairwise = True

    def __call__(self, X, Z=None):
        """The columns Z (positions) of the rows X; all of them if Z is not given."""
        return X if Z is None else X[:, Z]

    def points(self, X, rows):
        """Positions of the training samples to keep."""
        return np.arange(X.shape[1])[rows]

    def geometry(self, X):
        """Distances in the feature space of the Gram matrix."""
        diagonal = self.diagonal(X)
        # |phi(x) - phi(z)|^2 = k(x, x) + k(z, z) - 2 k(x, z).
        squared = diagonal[:, None] + diagonal - 2.0 * X
        return np.sqrt(np.maximum(squared, 0.0)), "precomputed"

    def diagonal(self, X):
        """Diagonal of the Gram matrix of the training samples."""
        return np.diagonal(X).copy()
