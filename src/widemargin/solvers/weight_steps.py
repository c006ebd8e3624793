"""Newton's equations of a linear machine: the right way for each shape."""

import numpy as np
from scipy import sparse
from scipy.linalg import cho_solve

from widemargin.linalg.cholesky import jittered_cholesky


class Rows:
    """The rows of a table, less a vector that is the same for all of them.

    Attributes
    ----------
    features : ndarray or CSR matrix of shape (n_samples, n_features)
    center : ndarray of shape (n_features,) or None
        What is subtracted from every row; it is never done in a sparse table.
    """

    def __init__(self, features, center=None):
        self.features, self.center = features, center
        self._columns = features.T

    def __matmul__(self, v):  # (n_features,) -> (n_samples,)
        product = self.features @ v
        return product if self.center is None else product - self.center @ v

    def transposed_product(self, a):
        """The sum of the rows with weights `a`, (n_features,)."""
        product = self._columns @ a
        return product if self.center is None else product - a.sum() * self.center

    def to_dense(self):
        """The rows as an array."""
        dense = self.features
        if sparse.issparse(dense):
            dense = dense.toarray()
        return dense if self.center is None else dense - self.center

    def gram(self):
        """Inner products between the rows, (n_samples, n_samples)."""
        if not sparse.issparse(self.features):
            dense = self.to_dense()
            return dense @ dense.T
        gram = (self.features @ self._columns).toarray()
        if self.center is not None:
            shift = self.features @ self.center
            gram += self.center @ self.center - shift[:, None] - shift
        return gram

    def column_squares(self, weights):
        """Weighted sum of squares of each column, (n_features,)."""
        X = self.features
        if not sparse.issparse(X):
            squares = weights @ (X * X)
        else:
            squared = sparse.csr_matrix((X.data**2, X.indices, X.indptr), X.shape)
            squares = squared.T @ weights
        if self.center is not None:
            cross = self._columns @ weights
            squares += self.center * (weights.sum() * self.center - 2.0 * cross)
        return np.maximum(squares, 0.0)


def newton_step(rows, curvature, gradient, free, share):
    r"""Solve Newton's equations of the weights, the intercept being eliminated.

    The matrix is :math:`I + Z^\top S Z` with the rows Z that bend, their curvature S
    and, if the intercept is free, their S-weighted mean subtracted from them: that is
    what remains of the equations when the slope by the intercept is zero.

    Parameters
    ----------
    rows : Rows
    curvature : ndarray of shape (n_samples,)
    gradient : ndarray of shape (n_features,)
        By the weights.
    free : bool
        Whether the intercept moves.
    share : float
        Part of the gradient that conjugate gradient may leave.

    Returns
    -------
    step : ndarray of shape (n_features,)
    intercept_step : float
    n_products : int
        Products with the rows, 0 if the equations are solved by a factorization.
    """
    bent = np.flatnonzero(curvature)
    if not len(bent):
        return -gradient, 0.0, 0
    weights = curvature[bent]
    features, center = rows.features[bent], rows.center
    if free:
        center = features.T @ (weights / weights.sum())
    active = Rows(features, center)
    n_products, n_features = 0, len(gradient)
    if min(len(bent), n_features) <= _ALWAYS_FACTORED:
        step = _factored(active, weights, gradient)
    else:
        step, n_products = _conjugate_gradient(active, weights, gradient, share)
        slow = n_products == _MAX_PRODUCTS
        if slow and min(len(bent), n_features) <= _MAX_FACTORED:
            step = _factored(active, weights, gradient)
    return step, -float(center @ step) if free else 0.0, n_products


def _factored(rows, weights, gradient):
    """The step by a Cholesky factorization of the smaller of two matrices."""
    n_rows, n_features = rows.features.shape
    by = _by_features if n_features <= n_rows else _by_rows
    return by(rows, weights, gradient)


def _by_features(rows, weights, gradient):
    """Cholesky of the matrix itself, (n_features, n_features)."""
    if sparse.issparse(rows.features):
        X = rows.features
        matrix = (X.T @ X.multiply(weights[:, None]).tocsr()).toarray()
        if rows.center is not None:
            cross = X.T @ weights
            matrix -= np.outer(rows.center, cross) + np.outer(cross, rows.center)
            matrix += weights.sum() * np.outer(rows.center, rows.center)
    else:
        scaled = np.sqrt(weights)[:, None] * rows.to_dense()
        matrix = scaled.T @ scaled
    matrix[np.diag_indices_from(matrix)] += 1.0
    return -cho_solve(jittered_cholesky(matrix)[0], gradient)


def _by_rows(rows, weights, gradient):
    """Woodbury: Cholesky of S^-1 + Z Z', (n_bent, n_bent)."""
    matrix = rows.gram()
    matrix[np.diag_indices_from(matrix)] += 1.0 / weights
    inner = cho_solve(jittered_cholesky(matrix)[0], rows @ gradient)
    return rows.transposed_product(inner) - gradient


def _conjugate_gradient(rows, weights, gradient, share):
    """Until the residual is `share` of the gradient; (step, n_products)."""
    scale = 1.0 / (1.0 + rows.column_squares(weights))
    step, residual = np.zeros_like(gradient), -gradient
    target = share**2 * float(gradient @ (scale * gradient))
    direction = scale * residual
    energy = float(residual @ direction)
    for n_products in range(1, _MAX_PRODUCTS + 1):
        image = direction + rows.transposed_product(weights * (rows @ direction))
        length = energy / float(direction @ image)
        step += length * direction
        residual -= length * image
        scaled = scale * residual
        energy, before = float(residual @ scaled), energy
        if energy <= target:
            break
        direction = scaled + energy / before * direction
    return step, n_products


_ALWAYS_FACTORED, _MAX_FACTORED = 400, 2000  # order of the matrix
_MAX_PRODUCTS = 200
