"""Suggestions, explanations and suspect labels for people who label rows."""

from dataclasses import dataclass

import numpy as np

from widemargin.defaults import SUGGESTION_ROWS, SUGGESTIONS
from widemargin.labels import decide, margins
from widemargin.solvers.active_learning import (
    Suggestions,
    find_medoids,
    plan_suggestions,
    posterior_root,
    suggest_by_variance,
)
from widemargin.spaces.bases import spectral_features
from widemargin.stored import Stored, is_finite, require

_REASONS = ("middle of a cluster", "uncertain rows depend on it", "random check")


@dataclass(frozen=True)
class Explanation:
    """The labels that contribute most to the predictions of some rows.

    Attributes
    ----------
    rows : ndarray of shape (n_rows, n)
        Positions of labeled training rows, those of the largest absolute amounts first.
    labels : ndarray of shape (n_rows, n)
        Their labels.
    amounts : ndarray of shape (n_rows, n)
        Contribution of each label to the margin, positive if it supports the predicted
        class. Labels of neither class contribute nothing.
    margins : ndarray of shape (n_rows,)
        Half of the difference between the scores of both classes: the sum of the
        amounts of all labels.
    predicted, others : ndarray of shape (n_rows,)
        The predicted class, and the best one of the others.
    """

    rows: np.ndarray
    labels: np.ndarray
    amounts: np.ndarray
    margins: np.ndarray
    predicted: np.ndarray
    others: np.ndarray

    def frame(self):
        """One line for each row and label as a :class:`pandas.DataFrame`."""
        import pandas as pd

        n_rows, n = self.rows.shape
        columns = {
            "row": np.repeat(np.arange(n_rows), n),
            "predicted": np.repeat(self.predicted, n),
            "other": np.repeat(self.others, n),
            "margin": np.repeat(self.margins, n),
            "labeled_row": self.rows.ravel(),
            "label": self.labels.ravel(),
            "amount": self.amounts.ravel(),
        }
        return pd.DataFrame(columns)

    def __str__(self):
        return self.frame().to_string(index=False, float_format="{:.3f}".format)


@dataclass(frozen=True)
class Suspects(Stored):
    """Given labels that models without them contradict, the least probable first."""

    rows: np.ndarray  # positions in X
    probabilities: np.ndarray  # of the given labels
    suggested: np.ndarray  # the most probable classes

    def check(self, n_features):
        """Raise ValueError unless there is a row and a class for each probability."""
        shape, is_known = self.probabilities.shape, is_finite(self.probabilities, 1)
        require(is_known, self, "probabilities")
        fits = self.rows.shape == shape and self.rows.dtype.kind == "i"
        require(fits, self, "rows")
        require(self.suggested.shape == shape, self, "suggested")

    def listed(self, n=5, first_row=0):
        """The first few as a text, each with the more probable class."""
        pairs = zip(self.rows[:n] + first_row, self.suggested[:n], strict=True)
        text = ", ".join(f"row {row} (predicted: {name!s})" for row, name in pairs)
        n_more = len(self.rows) - n
        return f"{text} and {n_more} more" if n_more > 0 else text

    def frame(self):
        """One line for each label as a :class:`pandas.DataFrame`."""
        import pandas as pd

        return pd.DataFrame(vars(self))

    def __str__(self):
        if not len(self.rows):
            return "no rows"
        return self.frame().to_string(index=False, float_format="{:.3f}".format)


def explain_rows(weights, sample, n, predicted=None):
    """The explanation from what multiplies each label's target in the scores of rows.

    `weights` is (n_rows, n_labels); the labels are those of the sample. Codes of the
    classes to explain are those of the largest scores, if they are not given.
    """
    scores, every = weights @ sample.signs, np.arange(len(weights))
    predicted = decide(scores) if predicted is None else predicted
    if scores.shape[1] == 1:
        others = 1 - predicted
    else:
        rest = scores.copy()
        rest[every, predicted] = -np.inf
        others = rest.argmax(axis=1)
    is_own = sample.codes == predicted[:, None]
    # Targets are +1 for the own class and -1 for the others: half of the difference of
    # two scores is the sum over labels of the first class less that over the second.
    amounts = weights * (is_own - 1.0 * (sample.codes == others[:, None]))
    order = np.argsort(-np.abs(amounts), axis=1, kind="stable")[:, :n]
    given, labels = np.flatnonzero(sample.given_codes >= 0), sample.given_label_idx
    first = np.empty(sample.n_labels, dtype=np.intp)
    first[labels[labels >= 0][::-1]] = given[labels >= 0][::-1]  # of several copies
    return Explanation(
        first[order],
        sample.classes[sample.codes[order]],
        np.take_along_axis(amounts, order, axis=1),
        margins(scores, predicted),
        sample.classes[predicted],
        sample.classes[others],
    )


def suggest_from(geometry, labeled, n, average=None, certainty=None):
    """Rows to label next, see `SpectralClassifier.suggest`; `labeled` is a mask.

    `average` is that of the closed-form models and `certainty` the probability of the
    class that is predicted for each given row; both are None without a fitted model.
    """
    covariances, bases, sample = geometry.covariances, geometry.bases, geometry.sample
    usable = [c for c in covariances if c.terms[0][2] is not None]
    if not usable:
        raise ValueError(
            "suggestions need eigenvectors of the rows: at least three rows, and "
            "'graph' or 'spectrum' among the families of SpectralClassifier."
        )
    rng = np.random.default_rng([geometry.seed, int(labeled.sum())])
    # Positions below are those among these rows.
    pool = _draw_pool(labeled, np.random.default_rng(geometry.seed))
    known_idx, free = np.flatnonzero(labeled[pool]), ~labeled[pool]
    n = min(n, int(free.sum()))
    n_first, is_check = plan_suggestions(len(known_idx), n, average is not None)
    chosen = np.zeros(0, dtype=np.intp)
    if n_first:
        features = spectral_features(usable[0], bases, pool)
        # The same rows and seed after each label: medoids that are suggested one by one
        # are those that are suggested together.
        seed, fewest = geometry.seed % 2**31, SUGGESTIONS.n_first
        for n_clusters in (fewest, max(2 * fewest, len(known_idx) + n_first)):
            if len(chosen) < n_first:
                taken = np.append(known_idx, chosen)
                n_clusters = min(n_clusters, len(pool))
                more = find_medoids(features, taken, n_clusters, seed)
                chosen = np.append(chosen, more)[:n_first]
        free[chosen] = False
        missing = rng.choice(np.flatnonzero(free), n_first - len(chosen), replace=False)
        chosen = np.append(chosen, missing)  # equal features have one cluster
        free[missing] = False
    if len(is_check):
        shares = average.weights.reshape(len(covariances), -1).sum(axis=1)
        shares = {c.name: s for c, s in zip(covariances, shares, strict=True)}
        usable = sorted(usable, key=lambda c: -shares[c.name])[: SUGGESTIONS.n_models]
        known_idx = np.append(known_idx, chosen)
        noise, uncertainty = SUGGESTIONS.noise, np.zeros(sample.n_rows)
        row_idx = sample.given_row_idx
        uncertainty[row_idx[row_idx >= 0]] = 1.0 - certainty[row_idx >= 0]
        uncertainty = uncertainty[pool]
        draws = np.full(len(is_check), -1)
        drawn = rng.choice(np.flatnonzero(free), is_check.sum(), replace=False)
        draws[is_check] = drawn
        free[drawn] = False
        roots = [
            posterior_root(spectral_features(c, bases, pool), known_idx, noise)
            for c in usable
        ]
        shares = [shares[c.name] for c in usable]
        weights = uncertainty**SUGGESTIONS.power
        more = suggest_by_variance(roots, shares, weights, free, draws, noise)
        chosen = np.append(chosen, more)
    is_check = np.append(np.zeros(n_first, dtype=bool), is_check)
    kinds = np.where(is_check, 2, np.arange(len(is_check)) >= n_first)
    reasons = tuple(_REASONS[kind] for kind in kinds)
    return Suggestions(sample.origin_idx[pool[chosen]], is_check, reasons)


def _draw_pool(labeled, rng):
    """All labeled rows and the others, of many of them a random part; increasing.

    The part stays the same until half of it is labeled.
    """
    if np.sum(~labeled) <= SUGGESTION_ROWS:
        return np.arange(len(labeled))
    order, n_drawn = rng.permutation(len(labeled)), SUGGESTION_ROWS
    while np.sum(~labeled[order[:n_drawn]]) < SUGGESTION_ROWS / 2:
        n_drawn += SUGGESTION_ROWS
    return np.union1d(np.flatnonzero(labeled), order[:n_drawn])
