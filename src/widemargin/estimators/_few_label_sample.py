"""Which rows and labels each candidate sees, in an order that no shuffling changes."""

from dataclasses import dataclass

import numpy as np

from widemargin.estimators._path_average import deal_folds
from widemargin.labels import PartialLabels
from widemargin.linalg.rows import content_order, distinct_rows

_FOLDS = 5


@dataclass(frozen=True)
class FewLabelSample:
    """All rows, what is known of them, and the order in which they are taken.

    Attributes
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
    labels : PartialLabels
    unlabeled : ndarray of shape (n_unlabeled,)
        The unlabeled rows, in random order.
    label_order : ndarray of shape (n_labeled,)
        The labels in an order whose beginnings have the shares of the classes, and two
        labels of each class first.
    folds : ndarray of shape (n_labeled,)
        Which labels are held out together, copies of a row among them; -1 for never.
    label_weights : ndarray of shape (n_labeled,)
        How far each label counts as evidence: copies of a row with the same label count
        as one, or as their weights together if these are less.
    copy_of : ndarray of shape (n_labeled,)
        Number of the distinct label, row and class, that each one is.
    row_weights : ndarray of shape (n_samples,) or None
        What the user said of the rows, positive; if all labels have less than one,
        multiples of the largest of these.
    """

    X: object
    labels: PartialLabels
    unlabeled: np.ndarray
    label_order: np.ndarray
    folds: np.ndarray
    label_weights: np.ndarray
    copy_of: np.ndarray
    row_weights: np.ndarray | None = None

    @classmethod
    def draw(cls, X, labels, rng, row_weights=None):
        """Draw the orders and folds."""
        by_content = content_order(X)
        labeled = labels.labeled[by_content]
        unlabeled = rng.permutation(by_content[~labeled])
        rows = by_content[labeled]
        places = np.searchsorted(labels.labeled_idx, rows)
        codes = _by_appearance(labels.codes[places])
        first, copy_of = distinct_rows(X[rows])
        folds = np.empty(len(rows), dtype=int)
        folds[places] = deal_folds(codes[first], _FOLDS, rng)[copy_of]
        _, pairs = np.unique(copy_of * labels.n_classes + codes, return_inverse=True)
        weights, copies = np.empty(len(rows)), np.empty(len(rows), dtype=int)
        copies[places] = pairs
        if row_weights is not None:
            row_weights = row_weights / min(row_weights[rows].max(), 1.0)
        given = np.ones(len(rows)) if row_weights is None else row_weights[rows]
        together = np.bincount(pairs, weights=given)[pairs]
        weights[places] = given / np.maximum(together, 1.0)
        return cls(
            X,
            labels,
            unlabeled,
            label_order=places[np.argsort(_ranks(codes, rng), kind="stable")],
            folds=folds,
            label_weights=weights,
            copy_of=copies,
            row_weights=row_weights,
        )

    @property
    def n_alone(self):
        """Number of classes with a single label, or copies of it."""
        _, first = np.unique(self.copy_of, return_index=True)
        return int((np.bincount(self.labels.codes[first]) == 1).sum())

    def take(self, max_rows):
        """Rows for a candidate, and which labels are among them.

        All labels, or so many of them that they are half of the rows, and unlabeled
        rows up to `max_rows`.

        Returns
        -------
        rows, kept : ndarrays of int, increasing
        """
        labeled, n_kept = self.labels.labeled_idx, len(self.label_order)
        if n_kept > max_rows / 2:
            n_kept = max(int(max_rows / 2), 2 * self.labels.n_classes)
        kept = np.sort(self.label_order[:n_kept])
        n_others = int(min(len(self.unlabeled), max(max_rows - len(kept), 0)))
        rows = np.concatenate([labeled[kept], self.unlabeled[:n_others]])
        return np.sort(rows), kept


def _by_appearance(codes):
    """The same classes, numbered by where they come first."""
    _, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[inverse]


def _ranks(codes, rng):
    """Places of labels in an order with the shares of the classes throughout."""
    ranks = np.empty(len(codes))
    for code in range(codes.max() + 1):
        members = rng.permutation(np.flatnonzero(codes == code))
        ranks[members] = (np.arange(len(members)) + 0.5) / len(members)
        ranks[members[:2]] = -1.0
    return ranks
