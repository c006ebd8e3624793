"""The training sample of a search for the missing labels."""

from dataclasses import dataclass, replace

import numpy as np

from widemargin.labelling.problem import LabelProblem
from widemargin.labels import PartialLabels
from widemargin.linalg.rows import content_order, distinct_rows
from widemargin.objectives.class_sizes import factor_bounds, size_bounds
from widemargin.solvers.temperature import DEFAULT_SLOPE, fit_slope


@dataclass(frozen=True)
class SearchSample:
    """Rows, the labels on them, and an order that no shuffling or naming changes.

    Attributes
    ----------
    X : ndarray or CSR matrix of shape (n_points, n_features)
        Rows of positive weight, or their Gram matrix; rows with the same content and
        label only once.
    origin : ndarray of shape (n_points,)
        Position of each among the given rows.
    labels : PartialLabels
        Of these rows.
    row_weights : ndarray of shape (n_points,)
        Positive weight of each row among its like, labeled or not.
    order : ndarray of shape (n_points,)
        Positions in X by what the rows hold.
    label_of : ndarray of shape (n_labeled,) or None
        Which label of the sample each given label is; None where it does not matter.
    """

    X: object
    origin: np.ndarray
    labels: PartialLabels
    row_weights: np.ndarray
    order: np.ndarray
    label_of: np.ndarray | None = None

    @property
    def n_unlabeled(self):
        """Number of rows whose label is searched."""
        return int((~self.labels.labeled).sum())

    @property
    def class_order(self):
        """The classes by their first labeled row, as the search numbers them."""
        position = np.empty(len(self.order), dtype=int)
        position[self.order] = np.arange(len(self.order))
        first = np.full(self.labels.n_classes, len(self.order))
        np.minimum.at(first, self.labels.codes, position[self.labels.labeled])
        return np.argsort(first, kind="stable")

    def part(self, rows, *, pairwise):
        """Some of the rows, all labeled ones among them."""
        X = self.X[np.ix_(rows, rows)] if pairwise else self.X[rows]
        labels = replace(self.labels, labeled=self.labels.labeled[rows])
        return SearchSample(
            X,
            self.origin[rows],
            labels,
            self.row_weights[rows],
            np.argsort(np.argsort(self.order)[rows]),
        )

    def sorted(self, *, pairwise):
        """The same sample with its rows in an order that no shuffling changes."""
        labels, order = self.labels, self.order
        codes = np.zeros(len(order), dtype=labels.codes.dtype)
        codes[labels.labeled] = labels.codes
        labeled = labels.labeled[order]
        places = np.empty(labels.n_labeled, dtype=int)  # where each label goes
        old_places = np.cumsum(labels.labeled) - 1
        places[old_places[order][labeled]] = np.arange(labels.n_labeled)
        return SearchSample(
            self.X[np.ix_(order, order)] if pairwise else self.X[order],
            self.origin[order],
            replace(labels, labeled=labeled, codes=codes[order][labeled]),
            self.row_weights[order],
            np.arange(len(order)),
            None if self.label_of is None else places[self.label_of],
        )

    def without(self, hidden):
        """The same rows with some of the labels (a mask over them) hidden.

        Their weights, relative to other labels, become those relative to other rows.
        """
        labels, weights = self.labels, self.row_weights.copy()
        if self.n_unlabeled:
            rows = labels.labeled_idx[hidden]
            ratio = weights[~labels.labeled].mean() / weights[labels.labeled].mean()
            weights[rows] *= ratio
        labeled = labels.labeled.copy()
        labeled[labels.labeled_idx[hidden]] = False
        labels = replace(labels, labeled=labeled, codes=labels.codes[~hidden])
        return replace(self, labels=labels, row_weights=weights)

    def loss_weights(self, unlabeled_weight):
        """Weight of each row in the loss: labeled ones add up to one."""
        labeled = self.labels.labeled
        weights = self.row_weights / self.row_weights[labeled].sum()
        if not labeled.all():
            unlabeled = self.row_weights[~labeled]
            weights[~labeled] = unlabeled_weight * unlabeled / unlabeled.sum()
        return weights

    def label_shares(self):
        """Share of each class, as far as the labels are evidence for it.

        Each class counts one label more than it has. The shares are then drawn towards
        equal ones (James-Stein) as far as chance explains their differences.
        """
        n_classes, n_labeled = self.labels.n_classes, self.labels.n_labeled
        counts = np.bincount(self.labels.codes, minlength=n_classes)
        equal = n_labeled / n_classes
        chi2 = ((counts - equal) ** 2).sum() / equal
        kept = max(0.0, 1.0 - (n_classes - 1) / max(chi2, 1e-12))
        shares = (counts + 1.0) / (n_labeled + n_classes)
        return 1.0 / n_classes + kept * (shares - 1.0 / n_classes)

    def fit_slope(self, left_out):
        """Slope of the probabilities, from labels whose class has another one.

        `left_out` holds scores of all rows without their own label, (n, n_columns).
        """
        labels = self.labels
        repeated = np.bincount(labels.codes)[labels.codes] > 1
        if not repeated.any():
            return DEFAULT_SLOPE
        scores = left_out[labels.labeled][repeated].astype(np.float64)
        weights = self.row_weights[labels.labeled][repeated]
        return fit_slope(scores, labels.codes[repeated], weights / weights.sum())

    def pose(self, smoother, shares, tolerance):
        """The problem of finding the missing labels, classes in `class_order`.

        Parameters
        ----------
        smoother : Smoother
        shares : ndarray of shape (n_classes,)
            Share of each class among the unlabeled rows, in the order of the names.
        tolerance : float, "auto" or None
            How far shares may be off: a share of all unlabeled rows, a factor of 1.5,
            or as far as you like.
        """
        labels, class_order = self.labels, self.class_order
        rank = np.argsort(class_order)
        given = np.zeros(len(labels.labeled), dtype=np.int32)
        given[labels.labeled] = rank[labels.codes]
        n_given = np.bincount(rank[labels.codes], minlength=labels.n_classes)
        shares, n_movable = shares[class_order], self.n_unlabeled
        if tolerance is None:
            lower, upper = np.zeros_like(n_given), np.full_like(n_given, n_movable)
        elif tolerance == "auto":
            lower, upper = factor_bounds(shares, n_movable)
        else:
            lower, upper = size_bounds(shares, tolerance, n_movable)
        movable = ~labels.labeled
        return LabelProblem(
            smoother,
            movable,
            given,
            lower + n_given,
            upper + n_given,
            n_given + shares * n_movable,
            self.order[movable[self.order]],
        )


def collect_points(X, labels, weights, used, *, pairwise):
    """The sample of the used rows; copies of a labeled row are one row of their weight.

    So a labeled row that stands there three times is the same as a row of weight three.
    Unlabeled rows stay as they are, since their number counts in the class sizes. Rows
    of a Gram matrix stay, too.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        All rows, or their Gram matrix if `pairwise`.
    labels : PartialLabels
        Of the used rows.
    weights : ndarray of shape (n_samples,)
    used : ndarray of int
        Positions of the rows of positive weight.
    """
    weights, kept = weights[used], np.ones(len(used), dtype=bool)
    label_of = np.arange(labels.n_labeled)
    if not pairwise:
        labeled = labels.labeled_idx
        _, copy_of = distinct_rows(X[used[labeled]])
        pairs = copy_of * labels.n_classes + labels.codes
        _, first, which = np.unique(pairs, return_index=True, return_inverse=True)
        total = np.bincount(which, weights=weights[labeled])
        kept[labeled] = False
        kept[labeled[first]] = True
        weights = weights.copy()
        weights[labeled[first]] = total
        codes = labels.codes[np.sort(first)]
        label_of = np.searchsorted(np.sort(first), first[which])
        labels = replace(labels, labeled=labels.labeled[kept], codes=codes)
    origin = used[kept]
    rows = X
    if len(origin) < X.shape[0]:
        rows = X[np.ix_(origin, origin)] if pairwise else X[origin]
    order = content_order(rows, pairwise=pairwise)
    return SearchSample(rows, origin, labels, weights[kept], order, label_of)
