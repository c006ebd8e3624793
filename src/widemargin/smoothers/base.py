r"""What all smoothers share.

Regularized least squares over weighted points,

.. math:: \min_f \sum_i w_i (y_i - f_i)^2 + \lambda \|f\|^2 ,

fits f = R y whatever y is. With W the diagonal matrix of the weights the matrix W R,
the *mass* of the smoother, is symmetric and positive semi-definite, and the minimum is
y'W y - y'(W R) y. So a search over labels needs nothing but the mass.
"""

from functools import cached_property

import numpy as np


class Smoother:
    """The map R from labels to fitted values, held by its mass W R.

    Attributes
    ----------
    matrix : ndarray of shape (n, n), or (n, rank) if `low_rank`
        The mass, or the factor B of the mass B B'.
    low_rank : bool
        Which of the two it is.
    mass_diagonal : ndarray of shape (n,)
        Diagonal of the mass.
    weights : ndarray of shape (n,)
        Positive weight of each point in the loss.
    """

    def __init__(self, matrix, weights, *, low_rank):
        self.matrix, self.weights, self.low_rank = matrix, weights, low_rank
        if low_rank:
            self.mass_diagonal = np.einsum("ij,ij->i", matrix, matrix)
        else:
            self.mass_diagonal = np.diagonal(matrix).copy()

    @property
    def n_samples(self):
        """Number of points."""
        return len(self.matrix)

    @cached_property
    def rough_matrix(self):
        """The matrix in single precision, for tests that need few digits."""
        return self.matrix.astype(np.float32, copy=False)

    def mass_product(self, Y):
        """The product W R Y, (n, k) -> (n, k), in the type of the mass."""
        Y = Y.astype(self.matrix.dtype, copy=False)  # never convert the matrix
        if self.low_rank:
            return self.matrix @ (self.matrix.T @ Y)
        return self.matrix @ Y

    def mass_block(self, rows):
        """The mass between some of the points, (n_rows, n_rows), dense."""
        if self.low_rank:
            return self.matrix[rows] @ self.matrix[rows].T
        return np.ascontiguousarray(self.matrix[np.ix_(rows, rows)])

    def diagonal(self):
        """Diagonal of R: how far each point follows its own label, shape (n,)."""
        return self.mass_diagonal / self.weights

    def rows(self, rows):
        """Some rows of R, (n_rows, n)."""
        mass = self.matrix[rows]
        if self.low_rank:
            mass = mass @ self.matrix.T
        return mass / self.weights[rows][:, None]

    def __matmul__(self, Y):
        """Fitted values R Y, (n,) or (n, k)."""
        fitted = self.mass_product(Y)
        return fitted / (self.weights if Y.ndim == 1 else self.weights[:, None])

    def leave_one_out(self, Y):
        """Value at each point of the function fitted without it, (n, k); exact."""
        own = self.diagonal()[:, None]
        return (self @ Y - own * Y) / np.maximum(1.0 - own, np.finfo(own.dtype).eps)

    def coordinates(self, Y):
        """Coefficients of the fitted functions, over kernel functions or features."""
        raise NotImplementedError
