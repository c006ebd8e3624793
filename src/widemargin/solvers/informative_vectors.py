r"""The informative vector machine of a Gaussian process with Gaussian noise.

A few *active* rows stand for all: the posterior is that of the process given their
targets only. Including row i lowers the entropy of its target by

.. math:: \tfrac12 \log (1 + \zeta_i / n_i) ,

where :math:`\zeta_i` is the posterior variance and :math:`n_i` the noise, so that the
best next row is that of the largest ratio, whatever the targets are.

.. [1] Lawrence, Seeger, Herbrich. Fast sparse Gaussian process methods: the informative
   vector machine, 2003.
.. [2] Patel, Sundararajan, Shevade. Semi-supervised classification using sparse
   Gaussian process regression, 2009.
"""

from dataclasses import dataclass

import numpy as np

from widemargin.checks import check_number
from widemargin.defaults import PROCESS_LADDER
from widemargin.kernels import Landmarks

_AHEAD = 16  # kernel columns that are computed at a time; affects speed only


@dataclass(frozen=True)
class InformativeVectors(Landmarks, shorthand="ivm"):
    """Landmarks of an informative vector machine, as a parameter of an estimator.

    Parameters
    ----------
    n_landmarks : int, default=500
        Number of landmarks, labeled rows first.

    Examples
    --------
    >>> from widemargin.solvers.informative_vectors import InformativeVectors
    >>> InformativeVectors(100)
    InformativeVectors(n_landmarks=100)
    """

    n_landmarks: int = PROCESS_LADDER.n_landmarks

    def __post_init__(self):
        """Raise unless the number is positive."""
        check_number(self, "n_landmarks", low=1, integer=True)


def choose_active(kernel, rows, scale, noise, n_active, labeled_idx):
    """Positions of active rows, labeled ones first, or the most informative of these.

    `scale` multiplies the kernel; `noise` is that of each row.
    """
    given_idx, pool = labeled_idx, np.arange(len(rows))
    if len(labeled_idx) > n_active:
        given_idx, pool, rows = (), labeled_idx, rows.part(labeled_idx)
    found = informative_vectors(
        lambda idx: scale * rows.kernel_columns(kernel, idx),
        scale * rows.evaluate(kernel.diagonal).astype(np.float64),
        noise[pool],
        min(n_active, len(rows)),
        given=given_idx,
    )
    return pool[found.rows]


@dataclass(frozen=True)
class ActiveRows:
    r"""Active rows, and the posterior variance that their targets leave.

    With I the active rows in order and :math:`L L^\top = K_{II} + N_{II}`, the factor
    is :math:`F = L^{-1} K_{I:}`, and :math:`F^\top F` what they explain of K.
    """

    rows: np.ndarray  # in the order of their inclusion
    factor: np.ndarray  # F, (n_active, n_samples)
    variance: np.ndarray  # of f at all rows, given the active targets and a known mean


def informative_vectors(
    columns, diagonal, noise, n_active, *, given=(), n_ahead=_AHEAD
):
    r"""Choose active rows one by one, the most informative first.

    Row i adds one row to the factor F,

    .. math:: F_t = (k_i - F_{1:t,i}^\top F_{1:t}) / \sqrt{\zeta_i + n_i} , \qquad
              \zeta \leftarrow \zeta - F_t^2 ,

    which is a partial Cholesky factorization of K + N with the pivot of the largest
    :math:`\zeta_i / n_i`, the first of equal ones; O(n_samples * n_active) time for
    each row. ``columns(rows)`` gives the kernel between all samples and some, `n_ahead`
    at a time; `given` rows, the labeled ones, come first.

    Deviations: [2]_ does not say that labeled rows come first. But with Gaussian noise
    the score depends on no label, and without `given` labeled rows may be left out.
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
    rows, free = np.empty(n_active, dtype=np.intp), np.ones(n_samples, dtype=bool)
    # A kernel reads all samples for one column, and hardly more often for several: with
    # a column that is missing come those of the rows likely to be next.
    ready = {}
    for t in range(n_active):
        if t < len(given):
            likely = given[t : t + n_ahead]
        else:
            score = np.where(free, variance / noise, -np.inf)
            likely = _largest(score, n_ahead)
        i = likely[0]
        if i not in ready:
            block = np.ascontiguousarray(columns(likely).T)
            ready = dict(zip(likely.tolist(), block, strict=True))
        np.subtract(ready.pop(i), factor[:t, i].copy() @ factor[:t], out=factor[t])
        factor[t] /= np.sqrt(variance[i] + noise[i])
        variance = np.maximum(variance - factor[t] ** 2, 0.0)
        rows[t], free[i] = i, False
    return ActiveRows(rows, factor, variance)


def _largest(score, count):
    """Positions of the largest scores, first of all the first of the largest."""
    first = int(np.argmax(score))
    last = min(count, len(score) - 1)
    others = np.argpartition(-score, last)[:last]
    return np.concatenate([[first], others[others != first]])[:count]
