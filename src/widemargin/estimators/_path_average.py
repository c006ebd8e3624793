"""How far each machine of a path counts, asked of held-out labels."""

from dataclasses import dataclass, field

import numpy as np
from scipy.special import softmax

from widemargin.labels import decide
from widemargin.solvers.label_counts import count_labels
from widemargin.solvers.temperature import DEFAULT_SLOPE, fit_slope

_FOLDS = 5
_PANEL_ROWS = 1000  # rows on which labels are held out when there are many more
_LARGEST_PANEL = 20_000  # where rows are cheap, and labels many
_DECAY = 0.7  # each machine is believed so much less than the one before it


@dataclass(frozen=True)
class PathAverage:
    """Machines with ever more weight on the unlabeled rows, and how far each counts.

    Attributes
    ----------
    unlabeled_weights : tuple of float
        The first is 0: the labels alone.
    errors : ndarray of shape (n_machines,)
        Held-out labels that each of them gets wrong, in five folds; labels of less
        weight count less, see `count_labels`.
    weights : ndarray of shape (n_machines,)
        Non-negative, adding up to one.
    held_out : ndarray of shape (n_labels, n_columns)
        Scores of the average for each label when it was held out.
    is_tested : ndarray of bool, shape (n_labels,)
        Whether it was: the only label of its class is not.
    """

    unlabeled_weights: tuple
    errors: np.ndarray
    weights: np.ndarray
    held_out: np.ndarray = field(repr=False)
    is_tested: np.ndarray = field(repr=False)

    def combine(self, path):
        """The average of the path's coordinates; of its beginning if it is shorter."""
        weights = self.weights[: len(path)]
        pairs = zip(weights / weights.sum(), path, strict=True)
        return sum(weight * coordinates for weight, coordinates in pairs)

    def fit_slope(self, labels, row_weights):
        """Slope of the probabilities, from the scores of held-out labels."""
        if not self.is_tested.any():
            return DEFAULT_SLOPE
        weights = row_weights[self.is_tested]
        return fit_slope(
            self.held_out[self.is_tested],
            labels.codes[self.is_tested],
            weights / weights.sum(),
        )


def draw_panel(sample, rng, *, rows_per_label=2):
    """All labeled rows and some others, on which labels are held out.

    A panel on which unlabeled rows hardly outnumber the labels cannot tell what many
    more of them do: where rows are cheap, take more for each label.
    """
    labeled = sample.labels.labeled_idx
    n_rows = min(rows_per_label * len(labeled), _LARGEST_PANEL)
    n_rows = max(_PANEL_ROWS, n_rows, 2 * len(labeled))
    others = sample.order[~sample.labels.labeled[sample.order]]
    n_others = min(len(others), n_rows - len(labeled))
    drawn = others[rng.choice(len(others), n_others, replace=False)]
    return np.sort(np.concatenate([labeled, drawn]))


def weigh_path(follow, panel, folds, unlabeled_weights, *, only_last=False):
    """Weights of the machines of a path by the labels that they get wrong.

    Parameters
    ----------
    follow : callable
        ``follow(held_out)``, given a mask over the labels, returns the scores of the
        held-out rows by each machine of the path that did not see these labels, or
        None if it was interrupted.
    panel : SearchSample
        The rows that it looks at.
    folds : ndarray of shape (n_labels,)
        See `deal_sample`.
    unlabeled_weights : tuple of float
        Of the machines, the first 0.
    only_last : bool
        Whether the last machine is all that counts, whatever it gets wrong; two of the
        folds are then enough.

    Returns
    -------
    PathAverage, or None if interrupted
    """
    labels, errors = panel.labels, np.zeros(len(unlabeled_weights))
    counts = count_labels(panel.row_weights[labels.labeled])
    scores = np.zeros((len(errors), len(folds), labels.signs.shape[1]))
    n_folds = _FOLDS if not only_last else 2
    for fold in range(n_folds):
        held_out = folds == fold
        if not held_out.any():
            continue
        found = follow(held_out)
        if found is None:
            return None
        for machine, of_rows in enumerate(found):
            scores[machine, held_out] = of_rows
            is_wrong = decide(of_rows) != labels.codes[held_out]
            errors[machine] += counts[held_out] @ is_wrong
    shares = softmax(np.log(_DECAY) * np.arange(len(errors)) - errors)
    if only_last:
        shares = np.eye(len(errors))[-1]
    average = np.tensordot(shares, scores, axes=1)
    is_tested = (folds >= 0) & (folds < n_folds)
    return PathAverage(unlabeled_weights, errors, shares, average, is_tested)


def deal_sample(sample, rng):
    """A fold for each label, whatever the order of rows and names of classes."""
    labeled = sample.labels.labeled
    by_content = sample.order[labeled[sample.order]]
    places = np.searchsorted(np.flatnonzero(labeled), by_content)
    codes = np.argsort(sample.class_order)[sample.labels.codes]
    folds = np.empty(len(codes), dtype=int)
    folds[places] = deal_folds(codes[places], _FOLDS, rng)
    return folds


def deal_folds(codes, n_folds, rng):
    """Number of a fold for each label, -1 for the only one of its class.

    The labels of a class are dealt out one by one, so that no fold has all of them.
    """
    folds, position = np.full(len(codes), -1), 0
    for code in np.unique(codes):
        members = rng.permutation(np.flatnonzero(codes == code))
        if len(members) > 1:
            folds[members] = (position + np.arange(len(members))) % n_folds
            position += len(members)
    return folds
