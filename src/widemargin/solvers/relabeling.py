"""Labels from scores, under bounds of the class sizes; given labels stay."""

from dataclasses import dataclass

import numpy as np

from widemargin.labels import sign_coding
from widemargin.solvers.class_offsets import assign_classes
from widemargin.solvers.thresholds import best_threshold, threshold_interval

LOSSES = ("absolute", "squared", None)


@dataclass(frozen=True)
class Relabeling:
    """How scores become labels.

    Attributes
    ----------
    given : ndarray of int, shape (n_samples,)
        Given labels; anything where there is none.
    movable : ndarray of bool, shape (n_samples,)
        Samples without a given label.
    lower, upper : ndarrays of int, shape (n_classes,)
        Bounds of the number of these in each class.
    loss : {"absolute", "squared"} or None
        Loss by which a threshold for two classes is chosen within the bounds, Eqs. (9)
        and (8) of Patel et al.; None moves it only as far as the bounds ask for. For
        more classes it is always None.
    label_weights : ndarray of shape (n_labeled,)
        Weights of the given labels in that loss.
    free_weights : ndarray of shape (n_movable,), optional
        Weights of the others; all one by default.
    """

    given: np.ndarray
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
        codes = self.given.copy()
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
        signs = sign_coding(self.given[~self.movable], 2)[:, 0]
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
