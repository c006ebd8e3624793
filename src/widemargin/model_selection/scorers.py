"""Scorers for partly labeled targets, for scikit-learn's searches."""

from dataclasses import dataclass

import numpy as np

from widemargin.labels import has_label, known_names, labeled_mask
from widemargin.model_selection._scoring import read_scoring
from widemargin.model_selection.held_out import leave_one_out_score


def held_out_scorer(scoring="accuracy"):
    """A scorer of held-out labels, which needs no split: each candidate is fitted once.

    Parameters
    ----------
    scoring : str or callable, default="accuracy"
        As in `leave_one_out_score`; larger must be better ("neg_log_loss").

    Returns
    -------
    callable
        ``scorer(estimator, X, y)``, with the y that the estimator was fitted with; X is
        not looked at.

    Notes
    -----
    In a search, train and score on all rows, as below. What is chosen as the best of
    many looks better than it is: `SemiSupervisedSplit` around the whole search tells by
    how much.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import GridSearchCV
    >>> from widemargin import LaplacianSVC
    >>> from widemargin.datasets import hide_labels
    >>> from widemargin.model_selection import held_out_scorer
    >>> X, y = load_iris(return_X_y=True)
    >>> y_partial, rows = hide_labels(y, 30, rng=0), np.arange(len(y))
    >>> search = GridSearchCV(
    ...     LaplacianSVC(),
    ...     {"gamma": [0.01, 0.1, 1.0]},
    ...     scoring=held_out_scorer("neg_log_loss"),
    ...     cv=[(rows, rows)],
    ... )
    >>> bool(search.fit(X, y_partial).score(X, y_partial) > -0.5)
    True
    """
    read_scoring(scoring, "held_out_scorer")  # refuses a wrong one at once
    return _HeldOutScorer(scoring)


def labeled_scorer(scoring="accuracy", *, irrelevant_label=None):
    """A scorer that looks at the labeled rows only.

    Unlabeled rows would count as a class -1, or stop the scorer. For splits whose test
    parts hold unlabeled rows, and for scores of a model on partly labeled rows.

    Parameters
    ----------
    scoring : str or callable, default="accuracy"
        A name of scikit-learn or a callable ``scorer(estimator, X, y)``.
    irrelevant_label : label or None, default=None
        The value in y that marks rows known to be irrelevant: not scored, either.

    Returns
    -------
    callable
        ``scorer(estimator, X, y)`` for partly labeled y; ValueError if no row is
        labeled.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import KFold, cross_val_score
    >>> from widemargin import LaplacianSVC
    >>> from widemargin.datasets import hide_labels
    >>> from widemargin.model_selection import labeled_scorer
    >>> X, y = load_iris(return_X_y=True)
    >>> y_partial = hide_labels(y, 60, rng=0)
    >>> cv = KFold(3, shuffle=True, random_state=0)  # also of unlabeled rows
    >>> scores = cross_val_score(
    ...     LaplacianSVC(), X, y_partial, cv=cv, scoring=labeled_scorer()
    ... )
    >>> bool(scores.mean() > 0.8)
    True
    """
    read_scoring(scoring, "labeled_scorer")  # refuses a wrong one at once
    return _LabeledScorer(scoring, irrelevant_label)


@dataclass(frozen=True)
class _HeldOutScorer:
    """A callable that processes can send to each other."""

    scoring: object

    def __call__(self, estimator, X, y):
        return leave_one_out_score(estimator, y, scoring=self.scoring)

    def __repr__(self):
        return f"held_out_scorer({self.scoring!r})"


@dataclass(frozen=True)
class _LabeledScorer:
    """A callable that processes can send to each other."""

    scoring: object
    irrelevant_label: object = None

    def __call__(self, estimator, X, y):
        scored = labeled_mask(y) & ~has_label(y, self.irrelevant_label)
        if not scored.any():
            raise ValueError(
                f"labeled_scorer needs a labeled row to score, got {len(scored)} rows "
                "and no label among them; use cv=SemiSupervisedSplit(5), whose test "
                "parts hold labeled rows only."
            )
        scorer = read_scoring(self.scoring, "labeled_scorer")
        rows = np.flatnonzero(scored)
        return scorer(estimator, _take_rows(X, rows), known_names(y, scored))

    def __repr__(self):
        return f"labeled_scorer({self.scoring!r})"


def _take_rows(X, rows):
    """Some rows of an array, a sparse matrix, a data frame or a list."""
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    if hasattr(X, "tocsr"):
        return X.tocsr()[rows]
    return X[rows] if hasattr(X, "shape") else [X[row] for row in rows]
