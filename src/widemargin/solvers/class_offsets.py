"""Classes by the largest score, with offsets that keep their sizes within bounds."""

from dataclasses import dataclass

import numpy as np

from widemargin.solvers.label_starts import mend

_ROUNDS = 200


@dataclass(frozen=True)
class Sizes:
    """How many samples each class may have, as `mend` asks for it."""

    lower: np.ndarray
    upper: np.ndarray
    movable: np.ndarray

    @property
    def n_classes(self):
        """Number of classes."""
        return len(self.lower)


def assign_classes(scores, lower, upper):
    """Class of each sample: the largest score plus the offset of its class.

    The class that is farthest outside its bounds takes the offset that brings it
    inside, one after the other. If that does not end, samples that lose least change
    class until all bounds are kept.

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
    offsets = np.zeros(n_classes)
    for _ in range(_ROUNDS):
        shifted = scores + offsets
        codes = shifted.argmax(axis=1)
        counts = np.bincount(codes, minlength=n_classes)
        excess = np.maximum(counts - upper, lower - counts)
        k = int(excess.argmax())
        if excess[k] <= 0:
            return codes, offsets
        shifted[:, k] = -np.inf
        ahead = np.sort(scores[:, k] - shifted.max(axis=1))[::-1]
        size = int(np.clip(counts[k], lower[k], upper[k]))
        last = ahead[size - 1] if size > 0 else ahead[0] + 1.0
        first_out = ahead[size] if size < n_samples else ahead[-1] - 1.0
        offsets[k] = -0.5 * (last + first_out)
    sizes = Sizes(lower, upper, np.ones(n_samples, dtype=bool))
    return mend(sizes, codes, (scores + offsets).T), offsets
