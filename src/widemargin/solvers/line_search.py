"""The exact minimum of a piecewise quadratic along a line."""

import numpy as np


def exact_step(loss, targets, weights, scores, direction, slope, curvature):
    r"""Step s >= 0 that minimizes each column exactly, Sec. 3.2.1 of [1]_.

    The function of s is
    :math:`\frac12 \sum_i w_i \ell(t_i, f_i + s d_i) + \mathrm{slope}\, s
    + \frac12 \mathrm{curvature}\, s^2`. Its derivative is continuous, increasing and
    piecewise linear; it bends where a label enters or leaves the margin. Sorting
    these points and adding up the changes gives every piece at once, and the first
    piece whose zero lies inside it is the answer: O(n_labeled log n_labeled).

    Parameters
    ----------
    loss : Squared or SquaredHinge
    targets : ndarray of shape (n_labeled, k)
    weights : ndarray of shape (n_labeled,)
    scores, direction : ndarrays of shape (n_labeled, k)
        Scores of the labeled rows, and their change for a unit step.
    slope, curvature : ndarrays of shape (k,)
        Derivatives at s = 0 of everything but the loss.

    Returns
    -------
    ndarray of shape (k,)

    Notes
    -----
    Deviation: only labels that move towards the margin's edge can switch; the
    printed update rule does not say so.

    References
    ----------
    .. [1] Melacci and Belkin, Laplacian support vector machines trained in the primal.
    """
    active = loss.active(targets, scores)
    pull = weights[:, None] * direction * (scores - targets)  # slope of each square
    bend = weights[:, None] * direction**2
    slope = slope + np.where(active, pull, 0.0).sum(axis=0)
    curvature = curvature + np.where(active, bend, 0.0).sum(axis=0)
    if not loss.has_kink:
        return _ratio(-slope, curvature)

    outward = targets * direction
    switches = np.where(active, outward > 0, outward < 0)
    edge = np.full(scores.shape, np.inf)
    np.divide(targets - scores, direction, out=edge, where=switches)
    order = np.argsort(edge, axis=0)
    edge = np.take_along_axis(edge, order, axis=0)
    change = np.where(switches, np.where(active, -1.0, 1.0), 0.0)
    change = np.take_along_axis(change, order, axis=0)
    pull = np.take_along_axis(pull, order, axis=0)
    bend = np.take_along_axis(bend, order, axis=0)
    slopes = np.vstack([slope, slope + np.cumsum(change * pull, axis=0)])
    curvatures = np.vstack([curvature, curvature + np.cumsum(change * bend, axis=0)])
    ends = np.vstack([edge, np.full(edge.shape[1], np.inf)])
    zeros = _ratio(-slopes, curvatures)
    piece = np.argmax(zeros <= ends, axis=0)  # the first whose zero lies inside it
    columns = np.arange(edge.shape[1])
    starts = np.where(piece > 0, ends[piece - 1, columns], 0.0)
    return np.maximum(zeros[piece, columns], starts)


def _ratio(numerator, denominator):
    """Quotient of non-negative steps; a flat piece (0 curvature) is never left."""
    safe = np.where(denominator > 0, denominator, 1.0)
    return np.where(denominator > 0, numerator / safe, 0.0)
