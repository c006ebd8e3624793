"""The training sample of a machine with hinge losses."""

from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from widemargin.estimators._search_sample import SearchSample, collect_points
from widemargin.linalg.rows import content_order
from widemargin.objectives.tri_class import EpsilonInsensitive, labeled_hinges

_PANEL_ASIDE = 1000  # irrelevant rows beside those on which labels are held out


@dataclass(frozen=True)
class HingeSample:
    """Labeled and unlabeled rows, and behind them rows known to be irrelevant.

    Attributes
    ----------
    known : SearchSample
        The labeled and unlabeled rows.
    aside : ndarray of shape (n_irrelevant,)
        Positive weights of the rows known to be irrelevant.
    C : float
        Cost of a labeled row of weight one.
    """

    known: SearchSample
    aside: np.ndarray
    C: float

    @property
    def labels(self):
        """What is known of the labeled and unlabeled rows."""
        return self.known.labels

    @property
    def n_known(self):
        """Number of labeled and unlabeled rows."""
        return len(self.known.row_weights)

    @property
    def n_samples(self):
        """Number of all rows."""
        return self.n_known + len(self.aside)

    @property
    def unlabeled_idx(self):
        """Positions of the unlabeled rows."""
        return np.flatnonzero(~self.labels.labeled)

    @property
    def irrelevant_idx(self):
        """Positions of the rows known to be irrelevant."""
        return np.arange(self.n_known, self.n_samples)

    @property
    def label_cost(self):
        """Summed cost of the labeled rows."""
        return self.C * float(self.known.row_weights[self.labels.labeled].sum())

    def part(self, rows, aside, *, pairwise):
        """Some of the known rows, all labeled ones among them, and some irrelevant."""
        known = self.known.part(rows, pairwise=pairwise)
        return replace(self, known=known, aside=self.aside[aside])

    def without(self, hidden):
        """The same rows with some of the labels (a mask over them) hidden."""
        return replace(self, known=self.known.without(hidden))

    def center(self):
        """Weights of the unlabeled rows, adding up to one, zero for all others."""
        weights, unlabeled = np.zeros(self.n_samples), self.unlabeled_idx
        weights[unlabeled] = self.known.row_weights[unlabeled]
        return weights / weights.sum()

    def costs(self, rows, weight):
        """Costs of some rows, which add up to a multiple of that of the labels."""
        own = np.concatenate([self.known.row_weights, self.aside])[rows]
        return weight * self.label_cost * own / own.sum()

    def given(self, epsilon, irrelevant_weight):
        """Losses of what is known of the rows, one for each column of scores."""
        labels, n_samples = self.labels, self.n_samples
        rows, own = labels.labeled_idx, self.C * self.known.row_weights[labels.labeled]
        losses = [labeled_hinges(rows, s, own, n_samples) for s in labels.signs.T]
        if len(self.aside):
            rows = self.irrelevant_idx
            costs = self.costs(rows, irrelevant_weight)
            aside = EpsilonInsensitive(epsilon).pieces(None, rows, costs, n_samples)
            losses = [loss + aside for loss in losses]
        return tuple(losses)


def draw_aside(sample, rng):
    """Positions of some of the rows known to be irrelevant among them."""
    n_aside = len(sample.aside)
    size = min(n_aside, _PANEL_ASIDE)
    return (
        np.sort(rng.choice(n_aside, size, replace=False)) if n_aside else np.arange(0)
    )


def collect_hinge_sample(X, labels, weights, known, aside, C, *, pairwise):
    """The sample, its rows (or their Gram matrix) and where they come from.

    Rows are sorted by what they hold, so that a solver takes the same steps whatever
    order they were given in.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        All rows, or their Gram matrix if `pairwise`.
    labels : PartialLabels
        Of the rows `known`.
    weights : ndarray of shape (n_samples,)
    known, aside : ndarrays of int
        Positions of labeled and unlabeled rows, and of those known to be irrelevant.
    C : float

    Returns
    -------
    sample : HingeSample
    rows : ndarray or CSR matrix
    origin : ndarray of shape (sample.n_samples,)
        Position of each row among those given.
    """
    points = collect_points(X, labels, weights, known, pairwise=pairwise)
    points = points.sorted(pairwise=pairwise)
    if not len(aside):
        return HingeSample(points, weights[aside], C), points.X, points.origin
    apart = X[np.ix_(aside, aside)] if pairwise else X[aside]
    aside = aside[content_order(apart, pairwise=pairwise)]
    sample = HingeSample(points, weights[aside], C)
    origin = np.concatenate([points.origin, aside])
    if pairwise:
        return sample, X[np.ix_(origin, origin)], origin
    stack = sparse.vstack if sparse.issparse(X) else np.concatenate
    rows = stack([points.X, X[aside]])
    return sample, rows.tocsr() if sparse.issparse(X) else rows, origin
