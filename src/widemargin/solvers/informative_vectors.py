r"""The informative vector machine of a Gaussian process with Gaussian noise.

A few *active* rows stand for all: the posterior is that of the process given their
targets only. Including row i lowers the entropy of its target by

.. math:: \tfrac12 \log (1 + \zeta_i / n_i) ,

where :math:`\zeta_i` is the posterior variance and :math:`n_i` the noise, so that the
best next row is that of the largest ratio, whatever the targets are.

References
----------
.. [1] Lawrence, Seeger, Herbrich. Fast sparse Gaussian process methods: the informative
   vector machine, 2003.
.. [2] Patel, Sundararajan, Shevade. Semi-supervised classification using sparse
   Gaussian process regression, 2009.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular

_AHEAD = 16  # kernel columns that are computed at a time


@dataclass(frozen=True)
class InformativeVectors:
    r"""Active rows, and the posterior that their targets make.

    With I the active rows in order, :math:`L L^\top = K_{II} + N_{II}` and
    :math:`F = L^{-1} K_{I:}`.

    Attributes
    ----------
    rows : ndarray of int, shape (n_active,)
        In the order of their inclusion.
    factor : ndarray of shape (n_active, n_samples)
        F, so that :math:`F^\top F` is what the active rows explain of K.
    cholesky : ndarray of shape (n_active, n_active)
        L, lower triangular.
    variance : ndarray of shape (n_samples,)
        Of f at all rows, given the targets of the active ones and a known mean.
    """

    rows: np.ndarray
    factor: np.ndarray
    cholesky: np.ndarray
    variance: np.ndarray

    def mean(self, Y, *, fit_mean=True):
        """Posterior mean at all rows for targets Y, (n_samples, k) -> (n_samples, k).

        Parameters
        ----------
        Y : ndarray of shape (n_samples, k)
            Only those of the active rows count.
        fit_mean : bool
            Whether the process has an unknown constant mean, which generalized least
            squares over the active rows fits; else it is zero.
        """
        half, level = self._half(Y, fit_mean)
        return self.factor.T @ half + level

    def function(self, Y, *, fit_mean=True):
        """The same mean as a function of any point.

        Returns
        -------
        dual_coef : ndarray of shape (n_active, k)
            Coefficients of the kernel functions of the active rows, in order.
        level : ndarray of shape (k,)
            The constant.
        """
        half, level = self._half(Y, fit_mean)
        return self._solve(half, trans="T"), level

    def variance_with_mean(self):
        """Variance at all rows if the mean is fitted: with the doubt about it, (n,)."""
        return self.variance + self._doubt(self.factor)

    def variance_at(self, cross, diagonal, *, fit_mean=True):
        """Variance at any points.

        Parameters
        ----------
        cross : ndarray of shape (n_points, n_active)
            The kernel between the points and the active rows, in order.
        diagonal : ndarray of shape (n_points,)
            The kernel of each point with itself.
        fit_mean : bool
            Whether the doubt about a fitted mean is part of it.

        Returns
        -------
        ndarray of shape (n_points,)
        """
        half = self._solve(cross.T)
        left = np.maximum(diagonal - np.einsum("ij,ij->j", half, half), 0.0)
        return left + self._doubt(half) if fit_mean else left

    def _doubt(self, half):
        """Variance that a fitted mean adds where the active rows explain `half`."""
        ones = self._solve(np.ones(len(self.rows)))
        return (1.0 - ones @ half) ** 2 / (ones @ ones)

    def _half(self, Y, fit_mean):
        """The targets less their level, by the inverse of L; and the level."""
        half, level = self._solve(Y[self.rows]), np.zeros(Y.shape[1])
        if fit_mean:
            ones = self._solve(np.ones(len(self.rows)))
            level = ones @ half / (ones @ ones)
            half = half - np.outer(ones, level)
        return half, level

    def _solve(self, b, trans="N"):
        return solve_triangular(
            self.cholesky, b, lower=True, trans=trans, check_finite=False
        )


def informative_vectors(columns, diagonal, noise, n_active, *, given=(), callback=None):
    r"""Choose active rows one by one, those that tell most first.

    Row i adds one row to the factor F,

    .. math:: F_t = (k_i - F_{1:t,i}^\top F_{1:t}) / \sqrt{\zeta_i + n_i} , \qquad
              \zeta \leftarrow \zeta - F_t^2 ,

    which is a partial Cholesky factorization of K + N with the pivot of the largest
    :math:`\zeta_i / n_i`. It takes O(n_samples * n_active) time for each row, and as
    much memory in all. Among rows that tell the same the first is taken.

    Parameters
    ----------
    columns : callable
        ``columns(rows)`` gives the kernel between all samples and some of them,
        (n_samples, n_rows).
    diagonal : ndarray of shape (n_samples,)
        The kernel of every sample with itself.
    noise : ndarray of shape (n_samples,)
        Positive variance of each target's noise.
    n_active : int
        Rows to choose; all if there are no more.
    given : sequence of int
        Rows to start with, in this order, whatever they tell: the labeled ones.
    callback : callable, optional
        Called with the number of rows chosen so far, after each.

    Returns
    -------
    InformativeVectors

    Notes
    -----
    Deviations: [2]_ does not say that labeled rows come first. But with Gaussian noise
    the score sees no label, and without `given` labeled rows may be left out.
    """
    n_samples, given = len(diagonal), np.asarray(given, dtype=np.intp)
    n_active = min(n_active, n_samples)
    if len(given) > n_active or len(np.unique(given)) < len(given):
        raise ValueError(
            f"given must hold at most n_active={n_active} rows, each once, got "
            f"{len(given)} rows, {len(np.unique(given))} of them distinct."
        )
    variance = diagonal.astype(np.float64)
    factor = np.empty((n_active, n_samples))
    cholesky = np.zeros((n_active, n_active))
    rows, free = np.empty(n_active, dtype=np.intp), np.ones(n_samples, dtype=bool)
    ready = _ColumnsAhead(columns)
    for t in range(n_active):
        if t < len(given):
            likely = given[t : t + _AHEAD]
        else:
            score = np.where(free, variance / noise, -np.inf)
            likely = _largest(score, _AHEAD)
        i = likely[0]
        past = factor[:t, i].copy()
        root = np.sqrt(variance[i] + noise[i])
        np.subtract(ready.column(likely), past @ factor[:t], out=factor[t])
        factor[t] /= root
        variance = np.maximum(variance - factor[t] ** 2, 0.0)
        cholesky[t, :t], cholesky[t, t] = past, root
        rows[t], free[i] = i, False
        if callback is not None:
            callback(t + 1)
    return InformativeVectors(rows, factor, cholesky, variance)


class _ColumnsAhead:
    """Kernel columns, a few of which are computed before they are asked for.

    A kernel reads all samples for one column, and hardly more often for several. So
    whenever a column is missing, those of the rows likely to be next come with it.
    """

    def __init__(self, columns):
        self.columns, self.ready = columns, {}

    def column(self, likely):
        """Column of the first of some rows, (n_samples,); the others may be next."""
        if likely[0] not in self.ready:
            block = np.ascontiguousarray(self.columns(likely).T)
            self.ready = dict(zip(likely.tolist(), block, strict=True))
        return self.ready.pop(likely[0])


def _largest(score, count):
    """Positions of the largest scores, first of all the first of the largest."""
    first = int(np.argmax(score))
    last = min(count, len(score) - 1)
    others = np.argpartition(-score, last)[:last]
    return np.concatenate([[first], others[others != first]])[:count]
