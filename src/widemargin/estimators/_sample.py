"""The training sample, each distinct row once."""

from dataclasses import dataclass, replace

import numpy as np

from widemargin.labels import PartialLabels, sign_coding
from widemargin.linalg.rows import distinct_rows


@dataclass(frozen=True)
class Sample:
    """Distinct rows, the labels on them, and the way back to what was given.

    Copies of a row are one point of the graph; their labels add up their weights. So
    a row that stands there three times is the same as a row of weight three, and many
    copies of a row cannot tear the neighbor graph apart.

    Attributes
    ----------
    given : ndarray or CSR matrix of shape (n_samples, n_features)
        All rows, as they were given.
    labels : PartialLabels
        Of the rows that are used.
    X : ndarray or CSR matrix of shape (n_distinct, n_features)
        The distinct rows, or the Gram matrix of the rows that are used.
    adjacency : CSR matrix of shape (n_distinct, n_distinct) or None
        The user's graph.
    origin : ndarray of shape (n_distinct,)
        Position of each distinct row in what was given.
    used : ndarray of shape (n_used,)
        Positions of the given rows with a positive weight.
    distinct_of : ndarray of shape (n_used,)
        Which distinct row each of them equals.
    rows, codes, weights : ndarrays of shape (n_labels,)
        Distinct row, class code and weight of each label; the weights add up to one.
        A row with two different labels stands there twice.
    label_of : ndarray of shape (n_labeled,)
        Which of these labels each labeled one of the used rows has, -1 for none.
    """

    given: object
    labels: PartialLabels
    X: object
    adjacency: object
    origin: np.ndarray
    used: np.ndarray
    distinct_of: np.ndarray
    rows: np.ndarray
    codes: np.ndarray
    weights: np.ndarray
    label_of: np.ndarray

    @property
    def n_samples(self):
        """Number of distinct rows."""
        return self.X.shape[0]

    @property
    def signs(self):
        """One-vs-rest targets, (n_labels, n_columns)."""
        return sign_coding(self.codes, self.labels.n_classes)

    @property
    def unlabeled_idx(self):
        """Distinct rows without a label."""
        return np.setdiff1d(np.arange(self.n_samples), self.rows)

    def label(self, objective):
        """An objective over the same samples with the labels of this sample."""
        return replace(
            objective, rows=self.rows, targets=self.signs, weights=self.weights
        )

    def with_labels(self, kept):
        """The sample with only the labels `kept` (a mask); all rows stay."""
        weights = self.weights[kept] / self.weights[kept].sum()
        rows, codes = self.rows[kept], self.codes[kept]
        places = np.where(kept, np.cumsum(kept) - 1, -1)
        label_of = np.where(self.label_of >= 0, places[self.label_of], -1)
        return replace(self, rows=rows, codes=codes, weights=weights, label_of=label_of)

    def thin_labels(self, n_labels, rng):
        """The sample with at most so many labels, drawn class by class."""
        if len(self.codes) <= n_labels:
            return self
        kept = np.zeros(len(self.codes), dtype=bool)
        for code in np.unique(self.codes):
            members = rng.permutation(np.flatnonzero(self.codes == code))
            share = n_labels * len(members) / len(self.codes)
            kept[members[: max(2, round(share))]] = True
        return self.with_labels(kept)

    def thin_rows(self, n_rows, rng):
        """Positions of all labeled rows and of some others, `n_rows` in all.

        The others are drawn at random; from a given graph, which would fall to pieces,
        they are the nearest ones along it.
        """
        kept = np.zeros(self.n_samples, dtype=bool)
        kept[self.rows] = True
        frontier = ~kept
        while (n_missing := n_rows - int(kept.sum())) > 0 and not kept.all():
            if self.adjacency is not None:
                reached = (self.adjacency @ kept.astype(np.float64)) > 0
                frontier = reached & ~kept
                if not frontier.any():  # no edge leads further
                    frontier = ~kept
            others = np.flatnonzero(frontier)
            kept[rng.choice(others, min(n_missing, len(others)), replace=False)] = True
        return np.flatnonzero(kept)

    def with_rows(self, kept, *, pairwise):
        """The sample with only some of its distinct rows, all labeled ones included.

        `pairwise` says that X is a Gram matrix.
        """
        adjacency = self.adjacency
        return replace(
            self,
            X=self.X[np.ix_(kept, kept)] if pairwise else self.X[kept],
            adjacency=None if adjacency is None else adjacency[kept][:, kept],
            rows=np.searchsorted(kept, self.rows),
        )


def merge_copies(given, labels, weights, used):
    """The distinct ones of the used rows, with the labels of their copies.

    Parameters
    ----------
    given : ndarray or CSR matrix of shape (n_samples, n_features)
    labels : PartialLabels
        Of the used rows.
    weights : ndarray of shape (n_labeled,)
        Positive weight of each label.
    used : ndarray of int
        Positions of the used rows.
    """
    X = given if len(used) == given.shape[0] else given[used]
    first, distinct_of = distinct_rows(X)
    X = X if len(first) == X.shape[0] else X[first]
    return _collect(given, X, None, used[first], used, distinct_of, labels, weights)


def keep_copies(given, adjacency, labels, weights, used, *, pairwise):
    """All used rows as they are: for a graph or Gram matrix, which name each row."""
    every, X = np.arange(len(used)), given
    if len(used) < given.shape[0]:
        X = given[np.ix_(used, used)] if pairwise else given[used]
        adjacency = None if adjacency is None else adjacency[used][:, used]
    return _collect(given, X, adjacency, used, used, every, labels, weights)


def _collect(given, X, adjacency, origin, used, distinct_of, labels, weights):
    pairs = distinct_of[labels.labeled] * labels.n_classes + labels.codes
    pairs, which = np.unique(pairs, return_inverse=True)
    total = np.bincount(which, weights=weights)
    return Sample(
        given,
        labels,
        X,
        adjacency,
        origin,
        used,
        distinct_of,
        rows=pairs // labels.n_classes,
        codes=pairs % labels.n_classes,
        weights=total / total.sum(),
        label_of=which,
    )
