"""Classes by the largest score, with offsets that keep their sizes within bounds."""

from dataclasses import dataclass

import numpy as np

from widemargin.labels import sign_coding
from widemargin.objectives.class_sizes import repair_sizes

_ROUNDS = 50
_STEP = 1e-4  # smaller changes of an offset, over the range of scores, do not count
_TIE = 1e-12


@dataclass(frozen=True)
class JointChoice:
    """Branches of all classes together, so that each row is in one class.

    Attributes
    ----------
    lower, upper : ndarrays of shape (n_classes,)
        Bounds of the class sizes.
    """

    lower: np.ndarray
    upper: np.ndarray

    def codes(self, scores):
        """Class of each row."""
        return assign_classes(scores, self.lower, self.upper)[0]

    def __call__(self, scores):
        """Branches, (n_rows, n_classes): +1 for a row's class, -1 for others."""
        return sign_coding(self.codes(scores), len(self.lower)).astype(int)


def assign_classes(scores, lower, upper):
    """Class of each sample: the largest score plus the offset of its class.

    One class after the other takes the offset nearest to zero that keeps its size
    within the bounds, until none changes. Where that does not end, or where samples are
    tied, those that lose least change class until all bounds are kept.

    Parameters
    ----------
    scores : ndarray of shape (n_samples, n_classes)
    lower, upper : ndarrays of shape (n_classes,)
        Bounds of the class sizes, which some sizes must keep.

    Returns
    -------
    codes : ndarray of shape (n_samples,)
    offsets : ndarray of shape (n_classes,)

    Examples
    --------
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
    step, columns = _STEP * float(np.ptp(scores)), np.ascontiguousarray(scores.T)
    for _ in range(_ROUNDS):
        before = offsets
        offsets = _next_offsets(columns, before, lower, upper)
        if np.abs(before - offsets).max() <= step:
            break
    shifted = scores + offsets
    best = shifted.max(axis=1, keepdims=True)
    tied = shifted >= best - _TIE * (1.0 + np.abs(best))
    codes = np.where(tied, scores, -np.inf).argmax(axis=1)
    everywhere = np.ones(n_samples, dtype=bool)
    return repair_sizes(codes, shifted.T, everywhere, lower, upper), offsets


def _next_offsets(columns, offsets, lower, upper):
    """Offsets after each class in turn took its own; scores are (n_classes, n_samples).

    The largest score of the other classes is that of the earlier ones, which have
    moved, or of the later ones, which have not: a round costs as much as one pass.
    """
    later = np.full((len(columns) + 1, columns.shape[1]), -np.inf)
    later[:-1] = np.maximum.accumulate((columns + offsets[:, None])[::-1])[::-1]
    earlier, found = later[-1], np.empty_like(offsets)
    for k, scores in enumerate(columns):
        behind = np.maximum(earlier, later[k + 1]) - scores
        found[k] = _smallest_offset(behind, lower[k], upper[k])
        earlier = np.maximum(earlier, scores + found[k])
    return found


def _smallest_offset(behind, lower, upper):
    """The offset nearest to zero that makes a class as large as it must be.

    `behind` is by how much each sample's score is below the largest other one.
    """
    size = int(np.count_nonzero(behind < 0))
    if lower <= size <= upper:
        return 0.0
    size, n_samples = (upper if size > upper else lower), len(behind)
    places = [place for place in (size - 1, size) if 0 <= place < n_samples]
    ordered = np.partition(behind, places)
    last = ordered[size - 1] if size > 0 else -np.inf
    return _between(last, ordered[size] if size < n_samples else np.inf)


def _between(low, high):
    """A number between two, of which one may be infinite."""
    if np.isfinite(low) and np.isfinite(high):
        return 0.5 * (low + high)
    return low + 1.0 if np.isfinite(low) else high - 1.0
