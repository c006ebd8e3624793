"""Hide most of the labels, to turn supervised data into semi-supervised data."""

from numbers import Integral, Real
from typing import Any

import numpy as np

from widemargin.labels import hide, read_labels
from widemargin.linalg.random import as_generator


def hide_labels(
    y: Any, n_labeled: float, rng: Any = None, stratify: bool = True
) -> Any:
    """Copy of y in which only a few randomly chosen labels are left.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Labels. Rows that are unlabeled already stay so and are never chosen.
    n_labeled : int or float
        Number of labels to keep, at least one per class; a float between 0 and 1 is the
        share of the rows of `y` that keep their label, rounded to whole rows.
    rng : None, int, Generator or RandomState, default=None
        Source of randomness; pass an int for the same choice at every call.
    stratify : bool, default=True
        Whether the kept labels have the class proportions of `y`, as nearly as whole
        numbers and one label per class allow. Otherwise one label of every class is
        drawn first, and the others uniformly from all remaining rows.

    Returns
    -------
    ndarray or Series of shape (n_samples,)
        A Series if `y` is one. At least one label of every class is kept.

    Examples
    --------
    >>> y = hide_labels([0, 0, 0, 0, 1, 1], 3, rng=0)
    >>> (y == 0).sum().item(), (y == 1).sum().item()
    (2, 1)
    """
    labels = read_labels(y)
    n_keep = _check_count(n_labeled, labels)
    rng = as_generator(rng, "rng")
    order = rng.permutation(labels.n_labeled)  # the first ones are preferred
    codes = labels.codes[order]
    rank = _rank_in_class(codes)
    if stratify:
        counts = _proportional_counts(np.bincount(codes), n_keep)
        kept = order[rank < counts[codes]]
    else:  # the first of each class, then the first of the others
        kept = order[np.argsort(rank > 0, kind="stable")[:n_keep]]
    hidden = np.ones(len(labels.labeled), dtype=bool)
    hidden[labels.labeled_idx[kept]] = False
    return hide(y, hidden)


def _check_count(n_labeled, labels):
    """The number of rows that `n_labeled`, a count or a share, stands for."""
    if isinstance(n_labeled, Integral):
        n_keep = int(n_labeled)
    elif isinstance(n_labeled, Real) and 0 < n_labeled < 1:
        n_keep = round(n_labeled * len(labels.labeled))
    else:
        raise ValueError(
            "n_labeled must be an integer or a share of the rows strictly between 0 "
            f"and 1, got {n_labeled!r}."
        )
    if n_keep < labels.n_classes:
        raise ValueError(
            f"n_labeled={n_labeled} keeps {n_keep} labels, but y has "
            f"{labels.n_classes} classes; keep at least one label of each."
        )
    if n_keep > labels.n_labeled:
        raise ValueError(
            f"n_labeled={n_labeled} keeps {n_keep} labels, but only "
            f"{labels.n_labeled} of the {len(labels.labeled)} rows of y are labeled; "
            f"keep at most {labels.n_labeled}."
        )
    return n_keep


def _rank_in_class(codes):
    """How many earlier entries have the same code."""
    by_class = np.argsort(codes, kind="stable")
    class_sizes = np.bincount(codes)
    class_starts = np.cumsum(class_sizes) - class_sizes
    rank = np.empty_like(by_class)
    rank[by_class] = np.arange(len(codes)) - class_starts[codes[by_class]]
    return rank


def _proportional_counts(class_sizes, n_keep):
    """Whole numbers >= 1 of sum `n_keep`, nearest to proportional in mean square."""
    ideal = n_keep * class_sizes / class_sizes.sum()
    counts = np.maximum(np.floor(ideal).astype(int), 1)
    while counts.sum() < n_keep:
        counts[np.argmax(ideal - counts)] += 1
    while counts.sum() > n_keep:  # small classes took more than their share
        counts[np.argmax(np.where(counts > 1, counts - ideal, -np.inf))] -= 1
    return counts
