r"""The constant that suits scores best, under a balance of the signs.

With y the labels of labeled samples and the signs of f + b elsewhere, the losses of
Eqs. (9) and (8) of Patel et al. are

.. math:: \sum_{i \in L} w_i |y_i - f_i - b|^q
          + \sum_{i \in U} w_i \bigl||f_i + b| - 1\bigr|^q , \qquad q = 1, 2 .

Both are piecewise simple in b, so that one sort finds their minimum over the interval
of b in which the number of positive samples stays within its bounds.
"""

import numpy as np


def threshold_interval(scores, lower, upper):
    """Constants b for which `lower` to `upper` of the scores plus b are positive.

    Returns
    -------
    low, high : float
        Constants strictly between them keep the bounds. Infinite where there is none.
    """
    falling = np.sort(scores)[::-1]
    n = len(falling)
    low = -falling[lower - 1] if lower > 0 else -np.inf
    high = -falling[upper] if upper < n else np.inf
    return low, high


def best_threshold(
    scores, residuals, weights, interval, *, score_weights=None, squared=False
):
    """The constant b of lowest loss within an interval, Eq. (9), or (8) if `squared`.

    Parameters
    ----------
    scores : ndarray of shape (n_unlabeled,)
        f of the unlabeled samples.
    residuals : ndarray of shape (n_labeled,)
        y - f of the labeled samples.
    weights : ndarray of shape (n_labeled,)
        Weights of the labeled samples.
    interval : tuple of float
        As `threshold_interval` gives it.
    score_weights : ndarray of shape (n_unlabeled,), optional
        Weights of the unlabeled samples; all one by default.
    squared : bool
        Whether the loss is squared.

    Returns
    -------
    float
    """
    low, high = interval
    if low > high:
        raise ValueError(f"no constant is above {low:g} and below {high:g}.")
    own = np.ones(len(scores)) if score_weights is None else score_weights
    if squared:
        candidates = _square_candidates(scores, own, residuals, weights)
    else:
        candidates = np.concatenate([residuals, -scores - 1.0, -scores + 1.0])
    inner = low, high
    if np.isfinite(low):
        inner = np.nextafter(low, np.inf), high
    if np.isfinite(high):
        inner = inner[0], max(inner[0], np.nextafter(high, -np.inf))
    ends = [end for end in inner if np.isfinite(end)]
    candidates = np.append(np.clip(candidates, *inner), ends)
    if not len(candidates):
        return 0.0
    candidates = np.unique(candidates)
    loss = _square_loss if squared else _absolute_loss
    losses = loss(candidates, scores, own, residuals, weights)
    return float(candidates[losses.argmin()])


def _square_candidates(scores, own, residuals, weights):
    """Where the loss is stationary if the k largest unlabeled scores are positive."""
    positive = np.concatenate([[0.0], np.cumsum(own[np.argsort(-scores)])])
    balance = 2.0 * positive - own.sum()
    total = weights.sum() + own.sum()
    return (weights @ residuals - own @ scores + balance) / max(total, 1e-300)


def _absolute_loss(b, scores, own, residuals, weights):
    """Eq. (9) at each b, from ||t| - 1| = |t + 1| + |t - 1| - |t| - 1."""
    return (
        _distance(b, residuals, weights)
        + _distance(b, -scores - 1.0, own)
        + _distance(b, -scores + 1.0, own)
        - _distance(b, -scores, own)
    )


def _square_loss(b, scores, own, residuals, weights):
    """Eq. (8) at each b, from (|t| - 1)^2 = t^2 - 2 |t| + 1."""
    linear = own @ scores - weights @ residuals
    kinks = _distance(b, -scores, own)
    return (weights.sum() + own.sum()) * b**2 + 2.0 * linear * b - 2.0 * kinks


def _distance(b, points, weights):
    """Weighted sum of the distances of each b to the points, by one sort."""
    order = np.argsort(points)
    points, weights = points[order], weights[order]
    below = np.searchsorted(points, b)
    mass = np.concatenate([[0.0], np.cumsum(weights)])
    moment = np.concatenate([[0.0], np.cumsum(weights * points)])
    left = b * mass[below] - moment[below]
    return left + (moment[-1] - moment[below]) - b * (mass[-1] - mass[below])
