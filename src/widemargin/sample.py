"""The training sample: rows, labels, weights, and the way back to what was given.

All estimators learn from a `Sample`. Its `Rows` know whether they are points or a Gram
matrix; nothing else has to. Copies of a row are merged here, once, and folds, parts
and orders do not depend on how a table happens to be sorted or its classes are named.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy import sparse

from widemargin.labels import PartialLabels, read_labels, sign_coding
from widemargin.linalg.rows import content_order, distinct_rows, row_blocks

N_FOLDS = 5


class Shared(dict):
    """Spaces and graphs that models on the same rows share; large, so never pickled."""

    def __reduce__(self):
        return Shared, ()


class Rows:
    """Rows of features: an ndarray or CSR matrix X of shape (n_rows, n_features)."""

    pairwise = False
    shared = None  # or a `Shared` for the last Gram matrix and the graphs

    def __init__(self, X):
        self.X, self.dtype, self.n_features = X, X.dtype, X.shape[1]
        self.is_sparse = sparse.issparse(X)

    def __len__(self):
        return self.X.shape[0]

    def take(self, idx):
        """Some of the rows."""
        return Rows(self.X[idx])

    def points(self, kernel, idx):
        """What a fitted function keeps of some rows to compare new rows with."""
        return kernel.points(self.X, idx)

    def content_order(self):
        """Positions in an order that depends on what the rows hold only."""
        return content_order(self.X)

    def distinct(self):
        """First position of each distinct row, and which of them each row equals."""
        return distinct_rows(self.X)

    def blocks(self, n_columns, itemsize=8):
        """Pairs of a slice and its rows, so that (rows, n_columns) fits a buffer."""
        for block in row_blocks(len(self), n_columns, itemsize):
            yield block, self.X[block]


class GramRows(Rows):
    """Samples that are known by the Gram matrix of all of them."""

    pairwise = True

    def __init__(self, X, positions=None):
        super().__init__(X)
        # Places among the given rows, which is how a fitted function names them.
        self.positions = np.arange(len(X)) if positions is None else positions

    def take(self, idx):
        """The Gram matrix of some of the samples."""
        return GramRows(self.X[np.ix_(idx, idx)], self.positions[idx])

    def points(self, kernel, idx):
        """Places of some samples among the rows that were given."""
        return self.positions[idx]

    def content_order(self):
        """Positions in an order that depends on what the Gram matrix holds only."""
        return content_order(self.X, pairwise=True)

    def distinct(self):
        """Every sample is its own: a Gram matrix names each of them."""
        every = np.arange(len(self))
        return every, every


class BlockRows(Rows):
    """Rows in several arrays (or memory maps) or CSR matrices, never joined."""

    def __init__(self, parts):
        self.parts = list(parts)
        self.dtype, self.n_features = self.parts[0].dtype, self.parts[0].shape[1]
        self.is_sparse = sparse.issparse(self.parts[0])
        self._starts = np.cumsum([0, *(part.shape[0] for part in self.parts)])

    def __len__(self):
        return int(self._starts[-1])

    @property
    def X(self):
        """Refused: all rows at once are what blocks avoid."""
        raise ValueError(
            f"{len(self):,} rows in {len(self.parts)} blocks have no single matrix; "
            "use landmarks, so that features are computed block by block."
        )

    def take(self, idx):
        """Some of the rows, in one matrix."""
        idx = np.arange(len(self))[idx]
        of_part = np.searchsorted(self._starts, idx, side="right") - 1
        order = np.argsort(of_part, kind="stable")
        pieces = [
            self.parts[place][idx[of_part == place] - self._starts[place]]
            for place in np.unique(of_part)
        ]
        gathered = sparse.vstack(pieces, "csr") if self.is_sparse else np.vstack(pieces)
        return Rows(gathered[np.argsort(order)])

    def points(self, kernel, idx):
        """What a fitted function keeps of some rows to compare new rows with."""
        return self.take(idx).points(kernel, slice(None))

    def content_order(self):
        """Positions in an order that depends on what the rows hold only."""
        direction = np.random.default_rng(0).standard_normal(self.n_features)
        keys = [part @ direction.astype(part.dtype) for part in self.parts]
        return np.argsort(np.concatenate(keys), kind="stable")

    distinct = GramRows.distinct  # copies are looked for in a single matrix only

    def blocks(self, n_columns, itemsize=8):
        """Pairs of a slice and its rows, so that (rows, n_columns) fits a buffer."""
        for start, part in zip(self._starts[:-1], self.parts, strict=True):
            for block in row_blocks(part.shape[0], n_columns, itemsize):
                yield slice(start + block.start, start + block.stop), part[block]


def as_rows(X, *, pairwise=False):
    """The rows that a user gave: a matrix, several of them, or a Gram matrix."""
    if pairwise:
        return GramRows(X)
    return BlockRows(X) if isinstance(X, list | tuple) else Rows(X)


@dataclass(frozen=True)
class Sample:
    """Rows and what is known of them."""

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
    row_of_given: np.ndarray  # which row each given one is; -1 if left out
    label_of_given: np.ndarray  # which label each given one of weight > 0 is, or -1
    # Class code of each given row; -1 for none, -2 if it is known to be irrelevant.
    given_codes: np.ndarray
    adjacency: object = None  # the user's own graph between the rows, CSR

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
    def is_repeated(self):
        """Labels whose class has another label, which can be held out."""
        return np.bincount(self.codes)[self.codes] > 1

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
        """Share of each class, as far as the labels are evidence for it.

        Each class counts one label more than it has. The shares then shrink towards
        equal ones (James-Stein) as far as chance explains their differences.
        """
        n_classes, n_labels = self.n_classes, self.n_labels
        counts = np.bincount(self.codes, minlength=n_classes)
        equal = n_labels / n_classes
        chi2 = ((counts - equal) ** 2).sum() / equal
        kept = max(0.0, 1.0 - (n_classes - 1) / max(chi2, 1e-12))
        shares = (counts + 1.0) / (n_labels + n_classes)
        return 1.0 / n_classes + kept * (shares - 1.0 / n_classes)

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
        row_of_given = np.where(self.row_of_given >= 0, place[self.row_of_given], -1)
        graph = self.adjacency
        return replace(
            part,
            rows=self.rows.take(idx),
            row_weights=self.row_weights[idx],
            label_idx=place[part.label_idx],
            irrelevant=self.irrelevant[idx],
            order=np.argsort(self._rank[idx], kind="stable"),
            origin_idx=self.origin_idx[idx],
            row_of_given=row_of_given,
            adjacency=None if graph is None else graph[idx][:, idx],
        )

    def sorted(self):
        """The same sample with its rows by what they hold, irrelevant ones last."""
        irrelevant = self.irrelevant[self.order]
        idx = np.concatenate([self.order[~irrelevant], self.order[irrelevant]])
        sample = self.part(idx)
        by_row = np.argsort(sample.label_idx, kind="stable")
        places = np.argsort(by_row)
        return replace(
            sample,
            label_idx=sample.label_idx[by_row],
            codes=sample.codes[by_row],
            label_weights=sample.label_weights[by_row],
            label_of_given=_follow(places, sample.label_of_given),
        )

    def with_adjacency(self, adjacency):
        """The sample with the user's own graph between all given rows."""
        adjacency = adjacency[self.origin_idx][:, self.origin_idx]
        return replace(self, adjacency=adjacency)

    def with_labels(self, kept):
        """The sample with only the labels `kept` (a mask); all rows stay."""
        places = np.where(kept, np.cumsum(kept) - 1, -1)
        return replace(
            self,
            label_idx=self.label_idx[kept],
            codes=self.codes[kept],
            label_weights=self.label_weights[kept],
            label_of_given=_follow(places, self.label_of_given),
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

    @cached_property
    def rows_of_labels(self):
        """A number for each label that is the same for labels of equal rows."""
        if self.rows.pairwise or not self.n_labels:
            return self.label_idx
        return self.rows.take(self.label_idx).distinct()[1]

    def draw_rows(self, n_rows, rng):
        """All labeled rows and some others, increasing, `n_rows` in all if possible."""
        labeled = np.unique(self.label_idx)
        free = ~self.labeled & ~self.irrelevant
        others = self.order[free[self.order]]
        n_others = min(len(others), max(n_rows - len(labeled), 0))
        drawn = others[rng.choice(len(others), n_others, replace=False)]
        return np.sort(np.concatenate([labeled, drawn]))

    def thin_labels(self, n_labels, rng):
        """The sample with at most about so many labels, drawn class by class."""
        if self.n_labels <= n_labels:
            return self
        kept = np.zeros(self.n_labels, dtype=bool)
        for code in np.unique(self.codes):
            members = rng.permutation(np.flatnonzero(self.codes == code))
            share = n_labels * len(members) / self.n_labels
            kept[members[: max(2, round(share))]] = True
        return self.with_labels(kept)

    @property
    def missing_idx(self):
        """Given rows that are not learned from, whose class has to be predicted."""
        return np.flatnonzero(self.row_of_given < 0)

    def transduce(self, codes, missing_codes=()):
        """Names of all given rows from codes, `missing_codes` for the `missing_idx`."""
        inferred = codes[self.row_of_given]
        inferred[self.missing_idx] = missing_codes
        known = self.given_codes >= 0
        inferred[known] = self.given_codes[known]
        return self.classes[inferred]

    def spread_to_given(self, values):
        """Values of the labels, one row each, for all given labels; NaN if dropped."""
        spread = values[self.label_of_given].astype(np.float64)
        spread[self.label_of_given < 0] = np.nan
        return spread


def deal_folds(codes, n_folds, rng):
    """Number of a fold for each label, -1 for the only one of its class."""
    folds, position = np.full(len(codes), -1), 0
    for code in np.unique(codes):
        members = rng.permutation(np.flatnonzero(codes == code))
        if len(members) > 1:
            folds[members] = (position + np.arange(len(members))) % n_folds
            position += len(members)
    return folds


def label_counts(weights):
    r"""For how many labels each one counts as evidence.

    In proportion to the weights :math:`w`, whatever their scale, and together as many
    as :math:`(\sum_i w_i)^2 / \sum_i w_i^2`, Kish's effective size of a sample: one
    each if all weigh the same, and two in all if two outweigh the rest by far.
    """
    return weights * (weights.sum() / (weights @ weights))


def collect_sample(rows, y=None, weights=None, irrelevant=None, *, merge="labeled"):
    """The sample of all given rows; None for `y` means no labels at all.

    Rows of weight zero are left out altogether; `irrelevant` ones, a mask, are known to
    belong to no class, whatever y says. `merge` tells which copies of a row become one
    of their summed weight: those with the same label ("labeled"), while the number of
    unlabeled rows still counts; "all", which keeps copies from tearing a neighbor graph
    apart; or "none". Rows of a Gram matrix are never merged.
    """
    n_given = len(rows)
    weights = np.ones(n_given) if weights is None else weights
    aside = np.zeros(n_given, dtype=bool) if irrelevant is None else irrelevant
    used_idx = np.flatnonzero((weights > 0) & ~aside)
    if y is None:
        nothing = np.zeros(len(used_idx), dtype=bool)
        labels = PartialLabels(np.zeros(0), nothing, np.zeros(0, dtype=np.intp))
    else:
        labels = read_labels(y, (weights > 0) & ~aside)
    merged = _MERGERS[merge](rows, used_idx, labels)
    row_of_used, origin_idx, label_row, label_code, label_of_given = merged
    n_known = len(origin_idx)
    aside_idx = np.flatnonzero(aside & (weights > 0))
    used_weights = weights[used_idx]
    row_weights = np.bincount(row_of_used, weights=used_weights, minlength=n_known)
    label_weights = np.bincount(
        label_of_given,
        weights=used_weights[labels.labeled],
        minlength=len(label_row),
    )
    row_of_given = np.full(n_given, -1)
    row_of_given[used_idx] = row_of_used
    row_of_given[aside_idx] = n_known + np.arange(len(aside_idx))
    given_codes = np.where(aside, -2, -1)
    given_codes[used_idx[labels.labeled]] = labels.codes
    origin_idx = np.concatenate([origin_idx, aside_idx])
    is_whole = np.array_equal(origin_idx, np.arange(n_given))
    taken = rows if is_whole else rows.take(origin_idx)
    return Sample(
        taken,
        np.concatenate([row_weights, weights[aside_idx]]),
        labels.classes,
        label_row,
        label_code,
        label_weights,
        np.arange(len(origin_idx)) >= n_known,
        taken.content_order(),
        rows,
        origin_idx,
        row_of_given,
        label_of_given,
        given_codes,
    )


def _keep_copies(rows, used_idx, labels):
    """Every used row is a row, every label a label."""
    every = np.arange(len(used_idx))
    labeled, label = labels.labeled_idx, np.arange(labels.n_labeled)
    return every, used_idx, labeled, labels.codes, label


def _merge_labeled(rows, used_idx, labels):
    """Copies of a row with the same label are one row; unlabeled rows stay."""
    if rows.pairwise:
        return _keep_copies(rows, used_idx, labels)
    labeled = labels.labeled_idx
    pairs = rows.take(used_idx[labeled]).distinct()[1] * labels.n_classes + labels.codes
    _, first, label_of = np.unique(pairs, return_index=True, return_inverse=True)
    kept = ~labels.labeled
    kept[labeled[first]] = True
    place = np.cumsum(kept) - 1
    row_of_used = place.copy()
    row_of_used[labeled] = place[labeled[first[label_of]]]
    by_row = np.argsort(first)  # labels in the order of their rows
    label_idx = place[labeled[first[by_row]]]
    codes = labels.codes[first[by_row]]
    return row_of_used, used_idx[kept], label_idx, codes, np.argsort(by_row)[label_of]


def _merge_all(rows, used_idx, labels):
    """Copies of a row are one row, which keeps each of their different labels."""
    if rows.pairwise:
        return _keep_copies(rows, used_idx, labels)
    is_whole = len(used_idx) == len(rows)
    first, row_of_used = (rows if is_whole else rows.take(used_idx)).distinct()
    pairs = row_of_used[labels.labeled] * max(labels.n_classes, 1) + labels.codes
    pairs, label_of = np.unique(pairs, return_inverse=True)
    label_idx, codes = np.divmod(pairs, max(labels.n_classes, 1))
    return row_of_used, used_idx[first], label_idx, codes, label_of


_MERGERS = {"none": _keep_copies, "labeled": _merge_labeled, "all": _merge_all}


def _follow(places, idx):
    """``places[idx]`` where an index is not -1, and -1 there."""
    return np.where(idx >= 0, places[idx], -1) if len(places) else idx
