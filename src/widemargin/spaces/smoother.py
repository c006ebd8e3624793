r"""Labels to fitted values: the linear map f = R y of regularized least squares.

Regularized least squares over weighted points,

.. math:: \min_f \sum_i w_i (y_i - f_i)^2 + \lambda \|f\|^2 ,

fits f = R y whatever y is. With W the diagonal matrix of the weights the *weighted
smoother* A = W R is symmetric and positive semi-definite, and the minimum is
y'W y - y'A y. So a search over labels needs nothing but A: its diagonal, its rows and
its products.
"""

from functools import cached_property

import numpy as np
from scipy.linalg import (
    LinAlgError,
    blas,
    cho_factor,
    cho_solve,
    eigh,
    lapack,
    solve,
    solve_triangular,
)
from scipy.sparse.linalg import LinearOperator, eigsh

from widemargin.linalg.cholesky import jittered_cholesky
from widemargin.linalg.rows import row_blocks
from widemargin.spaces.posterior import DenseExplanation, LowRankExplanation

# Largest condition number that single precision is trusted with
_SINGLE_CONDITION = 1e5
_BLOCK_BYTES = 2**22  # small beside what is kept, large enough for fast products
_N_UPDATES = 30


class Smoother:
    """The map R from labels to fitted values, held by the weighted smoother A = W R.

    `matrix` is A (n, n), or the factor B (n, rank) of A = B B' if `low_rank`; `weights`
    (n,) are the positive weights of the points in the loss.
    """

    def __init__(self, matrix, weights, *, low_rank):
        self.matrix, self.weights, self.low_rank = matrix, weights, low_rank
        self._last = None  # targets and B' times them, of the product before
        if low_rank:
            self.weighted_diagonal = np.einsum("ij,ij->i", matrix, matrix)
        else:
            self.weighted_diagonal = np.diagonal(matrix).copy()

    @property
    def n_samples(self):
        """Number of points."""
        return len(self.matrix)

    @cached_property
    def rough_matrix(self):
        """The matrix in single precision, for tests that need few digits."""
        return self.matrix.astype(np.float32, copy=False)

    def weighted_product(self, Y):
        """The product W R Y, (n, k) -> (n, k), in the type of A."""
        Y = Y.astype(self.matrix.dtype, copy=False)  # never convert the matrix
        return self.matrix @ (self._inner(Y) if self.low_rank else Y)

    def _inner(self, Y):
        """B'Y; if few targets changed since the last product, only their part is new.

        Every `_N_UPDATES` updates it is computed anew, so that rounding cannot add up.
        """
        if self._last is not None and self._last[0].shape == Y.shape:
            last, inner, n_updates = self._last
            changed = np.flatnonzero(
                last != Y if Y.ndim == 1 else (last != Y).any(axis=1)
            )
            if n_updates < _N_UPDATES and 4 * len(changed) < len(Y):
                step = (Y[changed] - last[changed]).T @ self.matrix[changed]
                inner, n_updates = inner + step.T, n_updates + 1
                self._last = Y.copy(), inner, n_updates
                return inner
        inner = (Y.T @ self.matrix).T  # in a third of the time of B'Y for few columns
        self._last = Y.copy(), inner, 0
        return inner

    def leading_points(self, rank):
        """Points whose inner products are nearest to n A, (n, rank)."""
        n_samples = self.n_samples
        if self.low_rank:
            first = self.matrix.shape[1] - rank
            inner = (self.matrix.T @ self.matrix).astype(np.float64)
            _, axes = eigh(inner, subset_by_index=(max(first, 0), len(inner) - 1))
            return np.sqrt(n_samples) * (self.matrix @ axes)

        def product(v):
            return n_samples * self.weighted_product(v.reshape(-1))

        ties = LinearOperator((n_samples, n_samples), matvec=product, dtype=np.float64)
        # A fixed start, so that the result is the same in every run.
        values, vectors = eigsh(ties, rank, v0=np.ones(n_samples))
        return vectors * np.sqrt(np.maximum(values, 0.0))

    def weighted_block(self, rows):
        """A between some of the points, (n_rows, n_rows), dense."""
        if self.low_rank:
            return self.matrix[rows] @ self.matrix[rows].T
        return np.ascontiguousarray(self.matrix[np.ix_(rows, rows)])

    def diagonal(self):
        """Diagonal of R: how closely each point follows its own label, shape (n,)."""
        return self.weighted_diagonal / self.weights

    def __matmul__(self, Y):
        """Fitted values R Y, (n,) or (n, k)."""
        fitted = self.weighted_product(Y)
        return fitted / (self.weights if Y.ndim == 1 else self.weights[:, None])

    def leave_one_out(self, Y):
        """Value at each point of the function fitted without it, (n, k); exact."""
        # With the held-out value v in place of y_i the fit without i stays the best, so
        # that v = f_i + R_ii (v - y_i). With a tiny reg 1 - R_ii may round to zero.
        own = self.diagonal()[:, None]
        return (self @ Y - own * Y) / np.maximum(1.0 - own, np.finfo(own.dtype).eps)

    def coordinates(self, Y):
        """Coefficients of the fitted functions, over kernel functions or features."""
        raise NotImplementedError


class DenseSmoother(Smoother):
    r"""The smoother :math:`R = K W (K W + \lambda I)^{-1}` of a Gram matrix.

    The weighted smoother is :math:`D (I - \lambda (D K D + \lambda I)^{-1}) D` with
    :math:`D = W^{1/2}`. K may be singular. O(n^3) once. It keeps the type of the Gram
    matrix; one in single precision is also factorized in it, unless `reg` is so small
    or large that rounding would show. For several values of `reg`, see `SpectralPath`.
    """

    def __init__(self, gram, weights, reg):
        self.gram, self.reg = gram, reg
        dtype, root = np.float64, np.sqrt(weights)
        largest = float(np.diagonal(gram) @ weights)  # no eigenvalue is larger
        # largest / reg bounds the condition number of D K D + reg I. For a reg above
        # `largest`, I - reg (D K D + reg I)^-1 would cancel.
        if gram.dtype == np.float32 and reg < largest < _SINGLE_CONDITION * reg:
            dtype, root = np.float32, root.astype(np.float32)
        factor, _ = self._factorize(root, dtype)
        invert = lapack.dpotri if dtype is np.float64 else lapack.spotri
        weighted, _ = invert(factor, lower=0, overwrite_c=True)
        mirror(weighted)
        _scale_both_sides(weighted, root, -reg)
        weighted.flat[:: len(weighted) + 1] += weights  # D I D
        # LAPACK returns Fortran order. The matrix is symmetric, so that its transpose
        # is itself in C order, where rows are contiguous.
        weighted = np.ascontiguousarray(weighted.T).astype(gram.dtype, copy=False)
        super().__init__(weighted, weights.astype(gram.dtype), low_rank=False)

    def coordinates(self, Y):
        """Coefficients of the kernel functions, (n, k) -> (n, k); O(n^3)."""
        root = np.sqrt(self.weights.astype(np.float64))[:, None]
        factor = self._factorize(root[:, 0], np.float64)
        # Eq. (12) of Gieseke et al. (2012): c = D G D y with G the inverse.
        return root * cho_solve(factor, root * Y, check_finite=False)

    def explanation(self):
        """What the rows explain of k(x, x), to be evaluated at new points; O(n^3)."""
        root = np.sqrt(self.weights.astype(np.float64))
        return DenseExplanation(root, self._factorize(root, np.float64)[0])

    def _factorize(self, root, dtype):
        """Upper Cholesky factor of D K D + reg I."""
        matrix = self.gram.astype(dtype)
        _scale_both_sides(matrix, root)
        matrix.flat[:: len(matrix) + 1] += self.reg
        return factorize(matrix)


class SpectralPath:
    r"""Smoothers of a Gram matrix for a whole path of regularization values.

    With :math:`D K D = V \Lambda V^\top` the weighted smoother for :math:`\lambda` is
    :math:`D V \Lambda (\Lambda + \lambda I)^{-1} V^\top D`. The decomposition is O(n^3)
    once and pays from about five values on; each value then costs O(n^2 rank).
    """

    def __init__(self, gram, weights):
        self.dtype, self.weights = gram.dtype, weights
        root = np.sqrt(weights)
        matrix = root[:, None] * gram.astype(np.float64, copy=False) * root
        values, vectors = eigh(
            matrix.T, driver="evd", overwrite_a=True, check_finite=False
        )
        # Numerical rank, by the tolerance of numpy.linalg.matrix_rank.
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
        weighted = (factor @ factor.T).astype(path.dtype, copy=False)
        super().__init__(weighted, path.weights.astype(path.dtype), low_rank=False)

    def coordinates(self, Y):
        """Coefficients of the kernel functions, (n, k) -> (n, k); O(n rank k)."""
        basis, values = self.path.rooted_vectors, self.path.values
        # D G D y; what Y has outside the range of K changes no value of f there.
        return basis @ ((basis.T @ Y) / (values + self.reg)[:, None])


class LowRankSmoother(Smoother):
    r"""The smoother of the kernel Z Z', for features Z of shape (n, rank).

    The weighted smoother is :math:`B B^\top` with :math:`B = W Z C^{-\top}` and
    :math:`C C^\top = Z^\top W Z + \lambda I + P`, where P (`penalty`) is what else the
    weights of the features are penalized by, such as the smoothness along a graph. Time
    O(n rank^2), memory O(n rank).
    """

    def __init__(self, features, weights, reg, penalty=0.0):
        self.features, self.reg = features, reg
        weighted = weights.astype(features.dtype)[:, None] * features
        inner = (features.T @ weighted).astype(np.float64)
        inner += penalty
        inner = 0.5 * (inner + inner.T)
        inner.flat[:: len(inner) + 1] += reg
        self._factor, _ = jittered_cholesky(inner)
        inverse = solve_triangular(
            self._factor[0], np.eye(len(inner)), lower=True, check_finite=False
        )
        # C^-T, so that W Z C^-T is one product for each block.
        inverse = inverse.T.astype(features.dtype)
        # In place, so that only two arrays as large as the features are needed.
        for block in row_blocks(*weighted.shape, weighted.itemsize, _BLOCK_BYTES):
            weighted[block] = weighted[block] @ inverse
        super().__init__(weighted, weights.astype(features.dtype), low_rank=True)

    def coordinates(self, Y):
        """Weights of the features, (n, k) -> (rank, k)."""
        right = self.features.T @ (self.weights[:, None] * Y)
        return cho_solve(self._factor, right, check_finite=False)

    def explanation(self):
        """What the rows explain of k(x, x), to be evaluated at new points."""
        return LowRankExplanation(self._factor[0], self.reg)


class GraphPenalty:
    r"""The part of a graph smoother that does not depend on the kernel.

    Holds :math:`S = (W + \gamma_I L)^{-1}`, from one Cholesky factorization, which
    serves all kernels and all weights of the kernel norm.
    """

    def __init__(self, laplacian, weights, intrinsic):
        self.laplacian, self.weights, self.intrinsic = laplacian, weights, intrinsic
        matrix = laplacian @ np.eye(len(weights))
        matrix *= intrinsic
        matrix = 0.5 * (matrix + matrix.T)
        matrix.flat[:: len(matrix) + 1] += weights
        factor, _ = factorize(matrix)
        inverse, _ = lapack.dpotri(factor, lower=0, overwrite_c=True)
        mirror(inverse)
        self.inverse = inverse

    def path(self, gram):
        """A function of `reg` that gives the smoothers of a kernel; O(n^3) each."""
        return lambda reg: GraphSmoother(self, gram, reg)


class GraphSmoother(Smoother):
    r"""The smoother of loss + reg |f|^2 + :math:`\gamma_I f^\top L f`.

    The weighted smoother is :math:`W (W + \gamma_I L + \lambda K^{-1})^{-1} W`,
    computed without the inverse of K, which may be singular, as
    :math:`W (S - S (S + K / \lambda)^{-1} S) W`.
    """

    def __init__(self, penalty, gram, reg):
        self.penalty, self.gram, self.reg = penalty, gram, reg
        inverse, weights = penalty.inverse, penalty.weights
        matrix = gram.astype(np.float64) / reg
        matrix += inverse
        size = float(gram.diagonal().max()) * len(gram)
        if gram.dtype == np.float32 and size > 1e3 * reg:
            # Rounding may have made K indefinite, and is no longer small against S.
            noise = np.finfo(np.float32).eps * size / np.sqrt(len(gram))
            matrix.flat[:: len(matrix) + 1] += 4.0 * noise / reg
        factor, _ = factorize(matrix)
        half = solve_triangular(
            factor, inverse, trans="T", lower=False, check_finite=False
        )
        # S - half'half, upper triangle only: with U'U = S + K / reg and half = U^-T S,
        # half'half is S (S + K / reg)^-1 S. `dsyrk` copies c: `inverse` is not changed.
        weighted = blas.dsyrk(-1.0, half, beta=1.0, c=inverse, trans=1)
        mirror(weighted)
        weighted *= weights[:, None]
        weighted *= weights
        weighted = np.ascontiguousarray(weighted.T).astype(gram.dtype, copy=False)
        super().__init__(weighted, weights.astype(gram.dtype), low_rank=False)

    def coordinates(self, Y):
        """Coefficients of the kernel functions, (n, k) -> (n, k).

        At the minimum they are what loss and graph still pull, divided by `reg`. In
        single precision that is too coarse; then they are solved for.
        """
        penalty, weights = self.penalty, self.penalty.weights[:, None]
        if self.gram.dtype == np.float32:
            gram = self.gram.astype(np.float64)
            matrix = weights * gram + penalty.intrinsic * (penalty.laplacian @ gram)
            matrix.flat[:: len(matrix) + 1] += self.reg
            return solve(matrix, weights * Y, overwrite_a=True, check_finite=False)
        # The gradient by a of f = K a is K (W (f - y) + intrinsic L f + reg a) = 0.
        fitted = (self @ Y.astype(self.matrix.dtype)).astype(np.float64)
        pull = penalty.intrinsic * (penalty.laplacian @ fitted)
        return (weights * (Y - fitted) - pull) / self.reg


def _scale_both_sides(matrix, root, factor=1.0):
    """Multiply a matrix by diag(root) from both sides, and by a number, in place."""
    if root.min() == root.max():  # one pass over the matrix instead of two
        matrix *= matrix.dtype.type(factor * float(root[0]) ** 2)
        return
    matrix *= matrix.dtype.type(factor) * root[:, None]
    matrix *= root


def factorize(matrix):
    """Upper Cholesky factor of a symmetric matrix in C order, which is overwritten."""
    try:
        # Its transpose is the same matrix in the order that LAPACK can overwrite.
        return cho_factor(matrix.T, lower=False, overwrite_a=True, check_finite=False)
    except LinAlgError as error:
        raise ValueError(
            "a kernel matrix is not positive semi-definite, not even with the "
            "regularization added to its diagonal. Check a precomputed kernel or a "
            "kernel function, use float64, or raise the regularization (ambient_reg, "
            "or the noise of a Gaussian process)."
        ) from error


def mirror(matrix, block=512):
    """Copy the upper triangle to the lower one, in place."""
    n = len(matrix)
    for i in range(0, n, block):
        rows = slice(i, min(i + block, n))
        square = matrix[rows, rows]
        upper = np.triu(square, 1)
        matrix[rows, rows] = upper + upper.T + np.diag(np.diagonal(square))
        matrix[rows.stop :, rows] = matrix[rows, rows.stop :].T
