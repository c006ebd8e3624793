r"""Labels from scores, under bounds of the class sizes; given labels stay.

For two classes a constant may be added to the scores first. With y the labels of
labeled rows and the signs of f + b elsewhere, the losses by which it is chosen, Eqs.
(9) and (8) of Patel et al., are

.. math:: \sum_{i \in L} w_i |y_i - f_i - b|^q
          + \sum_{i \in U} w_i \bigl||f_i + b| - 1\bigr|^q , \qquad q = 1, 2 .

Both are piecewise simple in b, so that one sort finds their minimum over the interval
of b in which the number of positive rows stays within its bounds.
"""

from dataclasses import dataclass

import numpy as np

from widemargin.checks import check_choice, check_number
from widemargin.defaults import RELABEL_TOL
from widemargin.labels import sign_coding
from widemargin.solvers.class_offsets import assign_classes
from widemargin.values import Value

LOSSES = ("absolute", "squared", None)


class Relabel(Value):
    """How unlabeled rows are relabeled, and when that ends; a family of parameters."""

    def __post_init__(self):
        """Raise unless the threshold is known and the limits are positive."""
        check_choice(self, "threshold", LOSSES)
        check_number(self, "tol", low=0)
        check_number(self, "max_iter", low=1, integer=True)


@dataclass(frozen=True)
class LeaveOneOut(Relabel, shorthand="loo"):
    """Relabel each row by the function that is fitted without its label.

    Parameters
    ----------
    threshold : {"absolute", "squared"} or None, default=None
        For two classes, the loss by which a constant that is added to the scores is
        chosen within the bounds of the class sizes; None adds only what the bounds
        require.
    tol : float, default=1e-3
        A loop ends when less than this share of the labels changes, or none does.
    max_iter : int, default=50
        Rounds at the most, for each weight of the unlabeled rows.

    Examples
    --------
    >>> from widemargin.solvers.relabeling import LeaveOneOut
    >>> LeaveOneOut(tol=0.0)
    LeaveOneOut(threshold=None, tol=0.0, max_iter=50)
    """

    threshold: str | None = None
    tol: float = RELABEL_TOL
    max_iter: int = 50

    leave_one_out = True


@dataclass(frozen=True)
class InSample(Relabel, shorthand="in-sample"):
    """Relabel each row by the fitted value, as in the paper.

    Parameters
    ----------
    threshold : {"absolute", "squared"} or None, default="absolute"
        As in `LeaveOneOut`.
    tol : float, default=1e-3
        As in `LeaveOneOut`; 0 in the paper.
    max_iter : int, default=50
        As in `LeaveOneOut`.

    Examples
    --------
    >>> from widemargin.solvers.relabeling import InSample
    >>> InSample("squared").threshold
    'squared'
    """

    threshold: str | None = "absolute"
    tol: float = RELABEL_TOL
    max_iter: int = 50

    leave_one_out = False


@dataclass(frozen=True)
class Relabeling:
    """How scores become labels.

    Attributes
    ----------
    codes : ndarray of int, shape (n_samples,)
        Given labels; anything where there is none.
    movable : ndarray of bool, shape (n_samples,)
        Samples without a given label.
    lower, upper : ndarrays of int, shape (n_classes,)
        Bounds of the number of these in each class.
    loss : {"absolute", "squared"} or None
        Loss by which a threshold for two classes is chosen within the bounds, Eqs. (9)
        and (8) of Patel et al.; None moves it only as far as the bounds require. For
        more classes it is always None.
    label_weights : ndarray of shape (n_labeled,)
        Weights of the given labels in that loss.
    free_weights : ndarray of shape (n_movable,), optional
        Weights of the others; all one by default.
    """

    codes: np.ndarray
    movable: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    loss: str | None
    label_weights: np.ndarray
    free_weights: np.ndarray | None = None

    @property
    def n_classes(self):
        """Number of classes."""
        return len(self.lower)

    def __call__(self, scores):
        """Labels of all samples, from one-vs-rest scores (n_samples, n_columns)."""
        codes = self.codes.copy()
        codes[self.movable], _ = self._assign(scores)
        return codes

    def offsets(self, scores):
        """What is added to the scores of each column before they are compared."""
        return self._assign(scores)[1]

    def _assign(self, scores):
        """Labels of the movable samples, and offsets of the columns."""
        free = scores[self.movable]
        if scores.shape[1] > 1:
            return assign_classes(free, self.lower, self.upper)
        shift = self._threshold(scores[:, 0]) if self.loss is not None else 0.0
        both = np.hstack([-(free + shift), free + shift])
        codes, offsets = assign_classes(both, self.lower, self.upper)
        return codes, np.array([shift + 0.5 * (offsets[1] - offsets[0])])

    def _threshold(self, scores):
        """The constant of lowest loss within the bounds."""
        signs = sign_coding(self.codes[~self.movable], 2)[:, 0]
        free = scores[self.movable]
        lower = max(self.lower[1], len(free) - self.upper[0])
        upper = min(self.upper[1], len(free) - self.lower[0])
        return best_threshold(
            free,
            signs - scores[~self.movable],
            self.label_weights,
            threshold_interval(free, lower, upper),
            score_weights=self.free_weights,
            squared=self.loss == "squared",
        )


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
