"""The training sample: rows, labels, weights, and the way back to what was given.

All estimators learn from a `Sample`. Copies of a row are merged here, once, and folds,
parts and orders do not depend on how a table happens to be sorted or its classes are
named. The `Rows` may be of any kind: see `widemargin.rows`.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from widemargin.labels import PartialLabels, read_labels, sign_coding
from widemargin.rows import Rows

N_FOLDS = 5


@dataclass(frozen=True)
class Sample:
    """Rows, their labels and weights."""

    rows: Rows  # those that are learned from; irrelevant ones come last
    row_weights: np.ndarray  # positive; merged copies have the sum of theirs
    classes: np.ndarray  # class names, sorted; empty if nothing is labeled
    # Row, class code and weight of each label. Where copies of all rows are merged, a
    # row with two different labels stands there twice.
    label_idx: np.ndarray
    codes: np.ndarray
    label_weights: np.ndarray
    irrelevant: np.ndarray  # mask of rows that are known to belong to no class
    order: np.ndarray  # positions of the rows by what they hold
    given: Rows  # all rows, as they were given
    origin_idx: np.ndarray  # position of each row among the given ones
    given_row_idx: np.ndarray  # which row each given one is; -1 if left out
    given_label_idx: np.ndarray  # which label each given one of weight > 0 is, or -1
    # Class code of each given row; -1 for none, -2 if it is known to be irrelevant.
    given_codes: np.ndarray
    adjacency: object = None  # the user's own graph between the rows, CSR
    is_drawn: bool = True  # whether all labeled rows were drawn at random

    @cached_property
    def n_rows(self):
        """Number of rows that are learned from."""
        return len(self.row_weights)

    @cached_property
    def n_labels(self):
        """Number of labels."""
        return len(self.codes)

    @cached_property
    def n_classes(self):
        """Number of classes."""
        return len(self.classes)

    @cached_property
    def labeled(self):
        """Which rows carry a label, a mask."""
        mask = np.zeros(self.n_rows, dtype=bool)
        mask[self.label_idx] = True
        return mask

    @cached_property
    def unlabeled_idx(self):
        """Rows without a label that may belong to a class."""
        return np.flatnonzero(~self.labeled & ~self.irrelevant)

    @property
    def irrelevant_idx(self):
        """Rows that are known to belong to no class."""
        return np.flatnonzero(self.irrelevant)

    @property
    def n_unlabeled(self):
        """Number of rows without a label that may belong to a class."""
        return len(self.unlabeled_idx)

    @cached_property
    def signs(self):
        """One-vs-rest targets of the labels, (n_labels, n_columns)."""
        return sign_coding(self.codes, self.n_classes)

    @property
    def n_columns(self):
        """Number of one-vs-rest scores of a row: one for two classes."""
        return 1 if self.n_classes == 2 else self.n_classes

    @property
    def is_repeated(self):
        """Labels whose class has another label, which can be held out."""
        return np.bincount(self.codes)[self.codes] > 1

    @property
    def is_single(self):
        """Whether no class has two labels: none can be held out."""
        return not self.is_repeated.any()

    @property
    def scarcity(self):
        """Mean over classes of one over the squared number of labels, at most one.

        With a single label per class nothing can be held out; with two, what is left
        is a single one. Prior weights that depend on it fade as labels grow.
        """
        pairs = np.unique(self.rows_of_labels * self.n_classes + self.codes)
        counts = np.bincount(pairs % self.n_classes)  # copies of a label are one
        return float((1.0 / counts[counts > 0] ** 2).mean())

    @property
    def _rank(self):
        """Place of each row in `order`."""
        return np.argsort(self.order)

    @cached_property
    def class_order(self):
        """The classes by their first labeled row, an order that no name changes."""
        first = np.full(self.n_classes, self.n_rows)
        np.minimum.at(first, self.codes, self._rank[self.label_idx])
        return np.argsort(first, kind="stable")

    def coded(self):
        """Codes of all rows in place of names, unlabeled rows marked as such."""
        labels = PartialLabels(self.classes, self.labeled, self.row_codes[self.labeled])
        return labels.coded()

    @property
    def row_codes(self):
        """Class code of each labeled row; 0 for the others."""
        codes = np.zeros(self.n_rows, dtype=np.intp)
        codes[self.label_idx] = self.codes
        return codes

    def class_shares(self):
        """Share of each class, estimated from the labels.

        One label is added to each class. The shares are then shrunk towards equal ones
        (James-Stein) to the extent that chance explains their differences.
        """
        n_classes = self.n_classes
        counts = np.bincount(self.codes, minlength=n_classes)
        shares = (counts + 1.0) / (self.n_labels + n_classes)
        return 1.0 / n_classes + self._imbalance * (shares - 1.0 / n_classes)

    @property
    def _imbalance(self):
        """The part of the differences between classes that chance does not explain."""
        equal = self.n_labels / self.n_classes
        counts = np.bincount(self.codes, minlength=self.n_classes)
        # Pearson's statistic; its mean is n_classes - 1 if classes are equally large.
        chi2 = ((counts - equal) ** 2).sum() / equal
        return max(0.0, 1.0 - (self.n_classes - 1) / max(chi2, 1e-12))

    @property
    def evenness(self):
        """How far the labels suggest classes of equal size, from 0 to 1.

        1 if chance explains the differences between the numbers of labels, and less the
        more it leaves unexplained (James-Stein). Labels of rows that were chosen
        suggest nothing, nor do numbers that are equal, up to one: these are typical of
        labels that were collected class by class, and rare in random samples. With a
        single label of each class there is no better guess than equal sizes.
        """
        if self.is_single:
            return 1.0
        counts = np.bincount(self.codes, minlength=self.n_classes)
        is_by_class = counts.max() - counts.min() <= 1
        return 0.0 if is_by_class or not self.is_drawn else 1.0 - self._imbalance

    def loss_weights(self, unlabeled_weight):
        """Weights in a loss: labels add up to one, others to `unlabeled_weight`."""
        labeled = self.labeled
        weights = self.row_weights / self.row_weights[labeled].sum()
        if not labeled.all():
            unlabeled = self.row_weights[~labeled]
            weights[~labeled] = unlabeled_weight * unlabeled / unlabeled.sum()
        return weights

    def part(self, idx):
        """Some of the rows, in this order; labels of the others are dropped."""
        place = np.full(self.n_rows, -1)
        place[idx] = np.arange(len(idx))
        part = self.with_labels(place[self.label_idx] >= 0)
        # -1 would be read as the last place.
        given_row_idx = np.where(self.given_row_idx >= 0, place[self.given_row_idx], -1)
        graph = self.adjacency
        return replace(
            part,
            rows=self.rows.part(idx),
            row_weights=self.row_weights[idx],
            label_idx=place[part.label_idx],
            irrelevant=self.irrelevant[idx],
            order=np.argsort(self._rank[idx], kind="stable"),
            origin_idx=self.origin_idx[idx],
            given_row_idx=given_row_idx,
            adjacency=None if graph is None else graph[idx][:, idx],
        )

    def sorted(self):
        """Rows by what they hold, irrelevant ones last; mean weight of labels one."""
        irrelevant = self.irrelevant[self.order]
        idx = np.concatenate([self.order[~irrelevant], self.order[irrelevant]])
        sample = self.part(idx)
        # Labels in the order of their rows, which have just been sorted.
        by_row = np.argsort(sample.label_idx, kind="stable")
        return replace(
            sample,
            label_idx=sample.label_idx[by_row],
            codes=sample.codes[by_row],
            label_weights=sample.label_weights[by_row],
            given_label_idx=_follow(np.argsort(by_row), sample.given_label_idx),
        )._scaled()

    def _scaled(self):
        """The sample with weights whose mean over the labels is one."""
        if not self.n_labels:
            return self
        weights = self.label_weights  # equal ones become ones, without rounding
        # The mean of the quotients is exactly one if all weights are equal.
        scale = weights.max() * (weights / weights.max()).mean()
        return replace(
            self, row_weights=self.row_weights / scale, label_weights=weights / scale
        )

    def relabeled(self, y, weights):
        """The rows of a sorted sample, in which all copies are merged, with other y.

        The result is that of `collect_sample` and `sorted`, but no row is read. Weights
        must be positive for the same given rows as before.
        """
        used = self.given_row_idx >= 0
        labels, row_idx = read_labels(y, used), self.given_row_idx[used]
        label_idx, codes, given_label_idx = _merge_labels(row_idx, labels)
        return replace(
            self,
            classes=labels.classes,
            label_idx=label_idx,
            codes=codes,
            given_label_idx=given_label_idx,
            **_weigh(weights[used], row_idx, labels, given_label_idx),
            given_codes=_spread_codes(labels, used),
        )._scaled()

    def with_adjacency(self, adjacency):
        """The sample with the user's own graph between all given rows."""
        adjacency = adjacency[self.origin_idx][:, self.origin_idx]
        return replace(self, adjacency=adjacency)

    def with_labels(self, kept):
        """The sample with only the labels `kept` (a mask); all rows stay."""
        # New place of each label, -1 for those that are dropped.
        places = np.where(kept, np.cumsum(kept) - 1, -1)
        return replace(
            self,
            label_idx=self.label_idx[kept],
            codes=self.codes[kept],
            label_weights=self.label_weights[kept],
            given_label_idx=_follow(places, self.given_label_idx),
        )

    def without(self, held_out):
        """The same rows with some labels (a mask over them) hidden."""
        weights, labeled = self.row_weights.copy(), self.labeled
        unlabeled = self.unlabeled_idx
        if len(unlabeled):
            # Weights relative to other labels become relative to unlabeled rows.
            ratio = weights[unlabeled].mean() / weights[labeled].mean()
            weights[self.label_idx[held_out]] *= ratio
        return replace(self.with_labels(~held_out), row_weights=weights)

    def deal_folds(self, rng, n_folds=N_FOLDS):
        """A fold for each label, -1 for the only one of its class.

        The labels of a class are dealt out one by one, so that no fold has all of them.
        Labels of the same row are in the same fold.
        """
        # Labels by the content of their rows: no shuffle or renaming changes the folds.
        visited = np.lexsort([self.codes, self._rank[self.label_idx]])
        rank = np.argsort(self.class_order)
        _, first, row = np.unique(
            self.rows_of_labels[visited], return_index=True, return_inverse=True
        )
        order = np.argsort(first)
        row = np.argsort(order)[row]
        codes = rank[self.codes[visited]][np.sort(first)]
        folds = np.empty(self.n_labels, dtype=int)
        folds[visited] = deal_folds(codes, n_folds, rng)[row]
        return folds

    def fold_masks(self, rng, n_folds=N_FOLDS):
        """The labels to hide in each fold, or in the first few, and those to predict.

        Both are masks over the labels, see `deal_folds`. Labels of a class that has no
        other label are hidden but not predicted. This happens where copies of a row
        have two labels, which are hidden together. Folds without a label to predict
        are left out.
        """
        return self.masks_of(self.deal_folds(rng), n_folds)

    def masks_of(self, folds, n_folds=N_FOLDS):
        """As `fold_masks`, for the folds of labels that were dealt before."""
        masks = []
        for fold in range(n_folds):
            hidden = folds == fold
            known = np.bincount(self.codes[~hidden], minlength=self.n_classes) > 0
            predicted = hidden & known[self.codes]
            if known.sum() > 1 and predicted.any():
                masks.append((hidden, predicted))
        return masks

    def trials(self, part, rng, n_folds=N_FOLDS):
        """Samples without the labels of a fold, the labels to predict, and their rows.

        The samples and the positions of the rows are those of a `part` that has all
        labels; the labels to predict are a mask, see `fold_masks`.
        """
        return [
            (part.without(hidden), predicted, part.label_idx[predicted])
            for hidden, predicted in self.fold_masks(rng, n_folds)
        ]

    def unknown_scores(self, n_models):
        """Scores of labels that are not held out yet: NaN for each model and label."""
        return np.full((n_models, self.n_labels, self.n_columns), np.nan)

    def mask_single(self, scores):
        """Scores of labels by models without them; NaN for the only one of a class.

        Without its only label a class would be unknown. Scores are (n_labels,
        n_columns), or those of several models.
        """
        return np.where(self.is_repeated[:, None], scores, np.nan)

    @cached_property
    def rows_of_labels(self):
        """A number for each label that is the same for labels of equal rows."""
        if self.rows.pairwise or not self.n_labels:
            return self.label_idx
        return self.rows.part(self.label_idx).distinct()[1]

    def draw_rows(self, n_rows, rng):
        """All labeled rows and some others, increasing, `n_rows` in all if possible."""
        labeled = np.unique(self.label_idx)
        free = ~self.labeled & ~self.irrelevant
        others = self.order[free[self.order]]
        n_others = min(len(others), max(n_rows - len(labeled), 0))
        drawn = others[rng.choice(len(others), n_others, replace=False)]
        return np.sort(np.concatenate([labeled, drawn]))

    def thin_labels(self, n_labels, rng):
        """The sample with at most about `n_labels` labels, drawn class by class."""
        if self.n_labels <= n_labels:
            return self
        kept = np.zeros(self.n_labels, dtype=bool)
        for code in self.class_order:  # which no name changes
            members = rng.permutation(np.flatnonzero(self.codes == code))
            share = n_labels * len(members) / self.n_labels
            # Two, so that one of them can be held out.
            kept[members[: max(2, round(share))]] = True
        return self.with_labels(kept)

    @property
    def missing_idx(self):
        """Given rows that are not learned from, whose class has to be predicted."""
        return np.flatnonzero(self.given_row_idx < 0)

    def transduce(self, codes, missing_codes=()):
        """Names of all given rows from codes, `missing_codes` for the `missing_idx`."""
        inferred = codes[self.given_row_idx]
        inferred[self.missing_idx] = missing_codes
        known = self.given_codes >= 0
        inferred[known] = self.given_codes[known]
        return self.classes[inferred]

    def spread_rows(self, values):
        """Values of the rows, for all given rows; NaN for those that are left out."""
        spread = values[self.given_row_idx].astype(np.float64, copy=False)
        spread[self.missing_idx] = np.nan
        return spread

    def spread_to_given(self, values):
        """Values of the labels, one row each, for all given labels; NaN if dropped."""
        spread = values[self.given_label_idx].astype(np.float64)
        spread[self.given_label_idx < 0] = np.nan
        return spread


def deal_folds(codes, n_folds, rng):
    """Number of a fold for each label, -1 for the only one of its class."""
    folds, position = np.full(len(codes), -1), 0
    for code in np.unique(codes):
        members = rng.permutation(np.flatnonzero(codes == code))
        if len(members) > 1:
            folds[members] = (position + np.arange(len(members))) % n_folds
            # The next class goes on where this one ended: folds of nearly equal size.
            position += len(members)
    return folds


def collect_sample(rows, y=None, weights=None, irrelevant=None, *, merge="labeled"):
    """The sample of all given rows; None for `y` means no labels at all.

    Rows of weight zero are left out altogether; `irrelevant` ones, a mask, are known to
    belong to no class, whatever is in y. `merge` sets which copies of a row become one
    of their summed weight: those with the same label ("labeled"), while the number of
    unlabeled rows still counts; "all", which keeps copies from tearing a neighbor graph
    apart; or "none". Rows of a Gram matrix are never merged.
    """
    n_given = len(rows)
    weights = np.ones(n_given) if weights is None else weights
    irrelevant = np.zeros(n_given, dtype=bool) if irrelevant is None else irrelevant
    used_idx = np.flatnonzero((weights > 0) & ~irrelevant)
    if y is None:
        nothing = np.zeros(len(used_idx), dtype=bool)
        labels = PartialLabels(np.zeros(0), nothing, np.zeros(0, dtype=np.intp))
    else:
        labels = read_labels(y, (weights > 0) & ~irrelevant)
    merged = _MERGERS[merge](rows, used_idx, labels)
    used_row_idx, origin_idx, label_idx, codes, given_label_idx = merged
    n_known = len(origin_idx)
    irrelevant_idx = np.flatnonzero(irrelevant & (weights > 0))
    found = _weigh(weights[used_idx], used_row_idx, labels, given_label_idx)
    given_row_idx = np.full(n_given, -1)
    given_row_idx[used_idx] = used_row_idx
    given_row_idx[irrelevant_idx] = n_known + np.arange(len(irrelevant_idx))
    origin_idx = np.concatenate([origin_idx, irrelevant_idx])
    is_whole = np.array_equal(origin_idx, np.arange(n_given))
    taken = rows if is_whole else rows.part(origin_idx)
    return Sample(
        taken,
        np.concatenate([found["row_weights"], weights[irrelevant_idx]]),
        labels.classes,
        label_idx,
        codes,
        found["label_weights"],
        np.arange(len(origin_idx)) >= n_known,
        taken.content_order(),
        rows,
        origin_idx,
        given_row_idx,
        given_label_idx,
        np.where(irrelevant, -2, _spread_codes(labels, (weights > 0) & ~irrelevant)),
    )


def _weigh(weights, row_idx, labels, label_idx):
    """Weights of rows and of labels: the sums of those that were given."""
    return {
        "row_weights": np.bincount(row_idx, weights=weights),
        "label_weights": np.bincount(label_idx, weights=weights[labels.labeled]),
    }


def _spread_codes(labels, used):
    """Class code of each given row, -1 for none; labels are those of `used` rows."""
    codes = np.full(len(used), -1)
    codes[used] = labels.coded()
    return codes


def _keep_copies(rows, used_idx, labels):
    """Every used row is a row, every label a label."""
    every = np.arange(len(used_idx))
    labeled, label = labels.labeled_idx, np.arange(labels.n_labeled)
    return every, used_idx, labeled, labels.codes, label


def _merge_labeled(rows, used_idx, labels):
    """Copies of a row with the same label are one row; unlabeled rows stay."""
    labeled = labels.labeled_idx
    # Row and class as one number; the first of equal pairs stands for all of them.
    pairs = rows.part(used_idx[labeled]).distinct()[1] * labels.n_classes + labels.codes
    _, first, pair_idx = np.unique(pairs, return_index=True, return_inverse=True)
    kept = ~labels.labeled
    kept[labeled[first]] = True
    place = np.cumsum(kept) - 1
    used_row_idx = place.copy()
    used_row_idx[labeled] = place[labeled[first[pair_idx]]]
    by_row = np.argsort(first)  # labels in the order of their rows
    label_idx = place[labeled[first[by_row]]]
    codes = labels.codes[first[by_row]]
    return used_row_idx, used_idx[kept], label_idx, codes, np.argsort(by_row)[pair_idx]


def _merge_all(rows, used_idx, labels):
    """Copies of a row are one row, which keeps each of their different labels."""
    is_whole = len(used_idx) == len(rows)
    first, used_row_idx = (rows if is_whole else rows.part(used_idx)).distinct()
    return used_row_idx, used_idx[first], *_merge_labels(used_row_idx, labels)


def _merge_labels(row_idx, labels):
    """Row and class of each different label, and which of them each given one is."""
    # Row and class as one number, whose order is by row.
    pairs = row_idx[labels.labeled] * max(labels.n_classes, 1) + labels.codes
    pairs, pair_idx = np.unique(pairs, return_inverse=True)
    return *np.divmod(pairs, max(labels.n_classes, 1)), pair_idx


_MERGERS = {"none": _keep_copies, "labeled": _merge_labeled, "all": _merge_all}


def _follow(places, idx):
    """``places[idx]`` where an index is not -1, and -1 there."""
    return np.where(idx >= 0, places[idx], -1) if len(places) else idx
