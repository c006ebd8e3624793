"""A Gram matrix that is too large to be kept."""

from dataclasses import dataclass

import numpy as np

from widemargin.kernels.blocks import scores_in_blocks


@dataclass(frozen=True)
class KernelRows:
    r"""Rows of :math:`K_{ij} - s_i - s_j`, made when they are asked for.

    Attributes
    ----------
    kernel : callable
    X : ndarray or CSR matrix of shape (n_samples, n_features)
    shift : ndarray of shape (n_samples,) or None
        s, which centres the kernel; None for zeros.

    Examples
    --------
    >>> import numpy as np
    >>> from widemargin.kernels import KernelRows, Linear
    >>> gram = KernelRows(Linear(), np.array([[1.0], [2.0], [3.0]]))
    >>> gram.rows([2])
    array([[3., 6., 9.]])
    >>> gram.product(np.array([1.0, 0.0, 1.0]))
    array([ 4.,  8., 12.])
    """

    kernel: object
    X: object
    shift: np.ndarray | None = None

    @property
    def shape(self):
        """That of the Gram matrix."""
        return (self.X.shape[0], self.X.shape[0])

    def diagonal(self):
        """Diagonal of the Gram matrix."""
        diagonal = self.kernel.diagonal(self.X)
        return diagonal if self.shift is None else diagonal - 2.0 * self.shift

    def rows(self, idx):
        """Some rows of the Gram matrix, (n_rows, n_samples)."""
        rows = self.kernel(self.X[idx], self.X)
        if self.shift is None:
            return rows
        return rows - self.shift - self.shift[idx][:, None]

    gram_rows = rows

    def part(self, idx):
        """The Gram matrix of some samples, not centred."""
        return self.kernel(self.X[idx])

    def product(self, coefficients):
        """The Gram matrix times coefficients; only samples with one are looked at."""
        used = np.flatnonzero(coefficients)
        if not len(used):
            return np.zeros(self.X.shape[0])
        own, points = coefficients[used], self.kernel.points(self.X, used)
        scores = scores_in_blocks(self.kernel, self.X, points, own[:, None])[:, 0]
        scores = scores.astype(np.float64)
        if self.shift is None:
            return scores
        return scores - self.shift * own.sum() - self.shift[used] @ own
