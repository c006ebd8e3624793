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
from widemargin.labels import both_columns, sign_coding
from widemargin.objectives.class_sizes import repair_sizes
from widemargin.values import Value

# A bound for offsets that circle: samples that lose least change class then, so that
# sizes are right whatever the bound is.
_OFFSET_ROUNDS = 50
_OFFSET_STEP = 1e-4  # smaller changes, over the range of scores, do not count
_TIE = 1e-12  # relative; scores that differ by rounding alone are equal


@dataclass(frozen=True)
class Relabel(Value):
    """How unlabeled rows are relabeled, and when that ends; a family of parameters."""

    threshold: str | None = None
    tol: float = RELABEL_TOL
    max_iter: int = 50

    def __post_init__(self):
        """Raise unless the threshold is valid and the limits are positive."""
        check_choice(self, "threshold", ("absolute", "squared", None))
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
        Largest number of rounds for each weight of the unlabeled rows.

    Examples
    --------
    >>> from widemargin.solvers.relabeling import LeaveOneOut
    >>> LeaveOneOut(tol=0.0)
    LeaveOneOut(threshold=None, tol=0.0, max_iter=50)
    """

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

    leave_one_out = False


@dataclass(frozen=True)
class JointChoice:
    """Branches of all classes together, so that each row is in one class."""

    lower: np.ndarray  # bounds of the class sizes
    upper: np.ndarray

    def codes(self, scores):
        """Class of each row."""
        return assign_classes(scores, self.lower, self.upper)[0]

    def __call__(self, scores):
        """Branches, (n_rows, n_classes): +1 for a row's class, -1 for others."""
        return sign_coding(self.codes(scores), len(self.lower)).astype(int)


@dataclass(frozen=True)
class Relabeling:
    """How scores become labels, given those that stay."""

    codes: np.ndarray  # given labels; anything where there is none, (n_samples,)
    movable: np.ndarray  # samples without a given label
    lower: np.ndarray  # bounds of the number of these in each class
    upper: np.ndarray
    loss: str | None  # of the threshold for two classes, see `LeaveOneOut`
    label_weights: np.ndarray  # weights of the given labels in that loss
    free_weights: np.ndarray | None = None  # of the others; all one by default

    def __call__(self, scores):
        """Labels of all samples, from one-vs-rest scores (n_samples, n_columns)."""
        codes = self.codes.copy()
        codes[self.movable] = self.assign(scores)[0]
        return codes

    def assign(self, scores):
        """Labels of the movable samples, and what is added to each column before."""
        free = scores[self.movable]
        if scores.shape[1] > 1:
            return assign_classes(free, self.lower, self.upper)
        shift = 0.0 if self.loss is None else self._threshold(scores[:, 0])
        # `assign_classes` shifts both columns against each other by twice a threshold.
        both = both_columns(free + shift)
        codes, offsets = assign_classes(both, self.lower, self.upper)
        return codes, np.array([shift + 0.5 * (offsets[1] - offsets[0])])

    def _threshold(self, scores):
        """The constant of lowest loss within the bounds."""
        signs = sign_coding(self.codes[~self.movable], 2)[:, 0]
        free = scores[self.movable]
        # Both classes bound the number of positive rows.
        lower = max(self.lower[1], len(free) - self.upper[0])
        upper = min(self.upper[1], len(free) - self.lower[0])
        residuals, weights = signs - scores[~self.movable], self.label_weights
        interval = threshold_interval(free, lower, upper)
        options = {"score_weights": self.free_weights}
        options["squared"] = self.loss == "squared"
        return best_threshold(free, residuals, weights, interval, **options)


def assign_classes(scores, lower, upper):
    """Class of each sample: the largest score plus the offset of its class.

    One class after the other takes the offset nearest to zero that keeps its size
    within the bounds, until none changes. Where that does not end, or where samples are
    tied, those that lose least change class. Returns the codes and the offsets.

    >>> scores = np.array([[0.9, 0.0], [0.5, 0.2], [0.4, 0.3]])
    >>> codes, offsets = assign_classes(scores, np.array([1, 1]), np.array([2, 2]))
    >>> codes.tolist()
    [0, 0, 1]
    """
    n_samples, n_classes = scores.shape
    offsets, codes = np.zeros(n_classes), scores.argmax(axis=1)
    counts = np.bincount(codes, minlength=n_classes)
    if ((counts >= lower) & (counts <= upper)).all():
        return codes, offsets
    step, columns = _OFFSET_STEP * float(np.ptp(scores)), np.ascontiguousarray(scores.T)
    for _ in range(_OFFSET_ROUNDS):
        before = offsets
        offsets = _next_offsets(columns, before, lower, upper)
        if np.abs(before - offsets).max() <= step:
            break
    shifted, everywhere = scores + offsets, np.ones(n_samples, dtype=bool)
    best = shifted.max(axis=1, keepdims=True)
    tied = shifted >= best - _TIE * (1.0 + np.abs(best))
    codes = np.where(tied, scores, -np.inf).argmax(axis=1)
    return repair_sizes(codes, shifted.T, everywhere, lower, upper), offsets


def _next_offsets(columns, offsets, lower, upper):
    """Offsets after each class in turn took its own; columns are by class."""
    # The largest score of the other classes is that of the earlier ones, which have
    # moved, or of the later ones, which have not: a round costs as much as one pass.
    later = np.full((len(columns) + 1, columns.shape[1]), -np.inf)
    later[:-1] = np.maximum.accumulate((columns + offsets[:, None])[::-1])[::-1]
    earlier, found = later[-1], np.empty_like(offsets)
    for k, scores in enumerate(columns):
        behind = np.maximum(earlier, later[k + 1]) - scores
        found[k] = _smallest_offset(behind, lower[k], upper[k])
        earlier = np.maximum(earlier, scores + found[k])
    return found


def _smallest_offset(behind, lower, upper):
    """The offset nearest to zero for a class whose scores are `behind` the largest."""
    size = int(np.count_nonzero(behind < 0))
    if lower <= size <= upper:
        return 0.0
    size, n_samples = (upper if size > upper else lower), len(behind)
    places = [place for place in (size - 1, size) if 0 <= place < n_samples]
    ordered = np.partition(behind, places)
    # `size` rows are in the class for any offset between these two; take the middle.
    last = ordered[size - 1] if size > 0 else -np.inf
    following = ordered[size] if size < n_samples else np.inf
    if np.isfinite(last) and np.isfinite(following):
        return 0.5 * (last + following)
    return last + 1.0 if np.isfinite(last) else following - 1.0


def threshold_interval(scores, lower, upper):
    """Open interval of b for which `lower` to `upper` of scores + b are positive."""
    falling = np.sort(scores)[::-1]
    low = -falling[lower - 1] if lower > 0 else -np.inf
    return low, -falling[upper] if upper < len(falling) else np.inf


def best_threshold(
    scores, residuals, weights, interval, *, score_weights=None, squared=False
):
    """The constant b of lowest loss within an interval, Eq. (9), or (8) if `squared`.

    `scores` are f of the unlabeled samples, `residuals` y - f of the labeled ones.
    """
    low, high = interval
    if low > high:
        raise ValueError(f"no constant is above {low:g} and below {high:g}.")
    own = np.ones(len(scores)) if score_weights is None else score_weights
    if squared:
        # where the loss is stationary if the k largest unlabeled scores are positive
        positive = np.concatenate([[0.0], np.cumsum(own[np.argsort(-scores)])])
        balance, total = 2.0 * positive - own.sum(), weights.sum() + own.sum()
        pull = weights @ residuals - own @ scores
        candidates = (pull + balance) / max(total, 1e-300)
    else:
        # A piecewise linear loss is lowest at one of its upward kinks, or at an end.
        candidates = np.concatenate([residuals, -scores - 1.0, -scores + 1.0])
    # strictly inside the interval
    low = np.nextafter(low, np.inf) if np.isfinite(low) else low
    high = max(low, np.nextafter(high, -np.inf)) if np.isfinite(high) else high
    ends = [end for end in (low, high) if np.isfinite(end)]
    candidates = np.unique(np.append(np.clip(candidates, low, high), ends))
    if not len(candidates):
        return 0.0
    loss = _square_loss if squared else _absolute_loss
    losses = loss(candidates, scores, own, residuals, weights)
    return float(candidates[losses.argmin()])


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
    # Prefix sums of weights and moments: O(1) for each b after the sort.
    below = np.searchsorted(points, b)
    total = np.concatenate([[0.0], np.cumsum(weights)])
    moment = np.concatenate([[0.0], np.cumsum(weights * points)])
    left = b * total[below] - moment[below]
    return left + (moment[-1] - moment[below]) - b * (total[-1] - total[below])
