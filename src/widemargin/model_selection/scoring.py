"""Scores of fitted classifiers on held-out and on partly labeled targets."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import get_scorer, get_scorer_names, log_loss, recall_score
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import check_is_fitted

from widemargin.estimators._estimator import last_step
from widemargin.labels import has_label, known_names, labeled_mask, read_labels

Scorer = Callable[[Any, Any, Any], float]


def leave_one_out_score(
    estimator: Any,
    y: Any,
    *,
    scoring: str | Scorer = "accuracy",
    sample_weight: ArrayLike | None = None,
) -> float:
    """Score a fitted classifier on held-out labels, without fitting it again.

    Reads ``held_out_proba_``: probabilities of each label by models fitted without it,
    in closed form (`LaplacianSVC`, `LaplacianRLSC`, `SpectralClassifier`) or from
    the folds that gave the estimator the weights of its average.

    Parameters
    ----------
    estimator : fitted classifier
        Or a pipeline or search with one at its end.
    y : array-like of shape (n_samples,)
        The targets that it was fitted with, unlabeled samples included.
    scoring : str or callable, default="accuracy"
        A name of scikit-learn, such as "balanced_accuracy" or "neg_log_loss", or a
        callable ``scorer(estimator, X, y)``, which may use `predict`, `predict_proba`
        and `classes_`. Larger is better, except for "log_loss".
    sample_weight : array-like of shape (n_samples,), optional
        The weights that it was fitted with, which also weight the score.

    Returns
    -------
    float

    Notes
    -----
    Labels with NaN in ``held_out_proba_`` are not scored: the only label of a class
    (copies of one row are one label), and with a fixed `unlabeled_weight` three of the
    five folds of the support vector classifiers.

    The standard error of an accuracy of 90 % is four points with 50 labels, nine with
    ten. Calibration and averaging weights were fitted to the same labels, so that the
    score is slightly optimistic, more so after steps of a pipeline that use y. For an
    unbiased estimate cross-validate with `SemiSupervisedSplit`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from widemargin import LaplacianSVC
    >>> from widemargin.datasets import hide_labels
    >>> from widemargin.model_selection import leave_one_out_score
    >>> X, y = load_iris(return_X_y=True)
    >>> y_partial = hide_labels(y, 30, rng=0)
    >>> model = LaplacianSVC().fit(X, y_partial)
    >>> bool(leave_one_out_score(model, y_partial) > 0.8)
    True
    """
    is_loss = isinstance(scoring, str) and scoring == "log_loss"
    scoring = "neg_log_loss" if is_loss else scoring
    scorer = read_scoring(scoring, "leave_one_out_score")
    check_is_fitted(estimator)
    model = last_step(estimator)
    name, probabilities = type(model).__name__, getattr(model, "held_out_proba_", None)
    if probabilities is None:
        raise ValueError(
            f"{name} has no held_out_proba_: no label was held out (as with a fixed "
            "unlabeled_weight or after an interrupt), or the model is from a file; "
            f"score it by fitting it again: cross_val_score({name}(...), X, y, "
            "cv=SemiSupervisedSplit(2))."
        )
    labels, weights = _read_targets(model, y, sample_weight)
    held_out = np.isfinite(probabilities).all(axis=1)
    if not held_out.any():
        raise ValueError(
            f"none of the {labels.n_labeled} labels of {name} could be held "
            "out: each is the only one of its class (copies of a row count once); "
            "label another row of a class."
        )
    stand_in = _HeldOut(model.classes_, probabilities[held_out])
    rows = np.arange(held_out.sum())[:, None]
    truth = labels.classes[labels.codes[held_out]]
    options = {} if sample_weight is None else {"sample_weight": weights[held_out]}
    score = float(scorer(stand_in, rows, truth, **options))
    return -score if is_loss else score


def held_out_scorer(scoring: str | Scorer = "accuracy") -> Scorer:
    """A scorer of held-out labels, which needs no split: each candidate is fitted once.

    It is called as ``scorer(estimator, X, y)`` with the y that the estimator was fitted
    with; X is not used. In a search, train and score on all rows, as below. The score
    of the best of many candidates is too optimistic: cross-validate the whole search
    with `SemiSupervisedSplit` to see by how much.

    Parameters
    ----------
    scoring : str or callable, default="accuracy"
        As in `leave_one_out_score`, but larger must be better ("neg_log_loss").

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.model_selection import GridSearchCV
    >>> from widemargin import LaplacianSVC
    >>> from widemargin.datasets import hide_labels, make_two_moons
    >>> from widemargin.model_selection import held_out_scorer
    >>> X, y = make_two_moons(random_state=0)
    >>> y_partial, rows = hide_labels(y, 30, rng=0), np.arange(len(y))
    >>> grid, scoring = {"kernel__gamma": [0.1, 1.0]}, held_out_scorer("neg_log_loss")
    >>> search = GridSearchCV(LaplacianSVC(), grid, scoring=scoring, cv=[(rows, rows)])
    >>> bool(search.fit(X, y_partial).score(X, y_partial) > -0.5)
    True
    """
    read_scoring(scoring, "held_out_scorer")  # refuses a wrong one at once
    return _HeldOutScorer(scoring)


def labeled_scorer(
    scoring: str | Scorer = "accuracy", *, irrelevant_label: Any = None
) -> Scorer:
    """A scorer of the labeled rows only, ``scorer(estimator, X, y)``.

    Other scorers count unlabeled rows as a class -1, or raise an error. It is meant for
    splits whose test parts hold unlabeled rows, and for partly labeled test sets.

    Parameters
    ----------
    scoring : str or callable, default="accuracy"
        A name of scikit-learn or a callable ``scorer(estimator, X, y)``.
    irrelevant_label : label or None, default=None
        The value in y that marks rows known to be irrelevant, which are not scored.

    Examples
    --------
    >>> from sklearn.model_selection import KFold, cross_val_score
    >>> from widemargin import LaplacianSVC
    >>> from widemargin.datasets import hide_labels, make_two_moons
    >>> from widemargin.model_selection import labeled_scorer
    >>> X, y = make_two_moons(random_state=0)
    >>> cv = KFold(3, shuffle=True, random_state=0)
    >>> y_partial = hide_labels(y, 60, rng=0)
    >>> options = {"cv": cv, "scoring": labeled_scorer()}
    >>> bool(cross_val_score(LaplacianSVC(), X, y_partial, **options).mean() > 0.8)
    True
    """
    read_scoring(scoring, "labeled_scorer")  # refuses a wrong one at once
    return _LabeledScorer(scoring, irrelevant_label)


@dataclass(frozen=True, repr=False)
class _Scorer:
    """A scorer that can be pickled; its repr is the call that makes it."""

    scoring: object

    def __repr__(self):
        return f"{self.maker}({self.scoring!r})"


class _HeldOutScorer(_Scorer):
    maker = "held_out_scorer"

    def __call__(self, estimator, X, y):
        return leave_one_out_score(estimator, y, scoring=self.scoring)


@dataclass(frozen=True, repr=False)
class _LabeledScorer(_Scorer):
    irrelevant_label: object = None
    maker = "labeled_scorer"

    def __call__(self, estimator, X, y):
        scored = labeled_mask(y) & ~has_label(y, self.irrelevant_label)
        if not scored.any():
            raise ValueError(
                f"labeled_scorer needs a labeled row to score, got {len(scored)} rows "
                "and no label among them; use cv=SemiSupervisedSplit(2), whose test "
                "parts hold labeled rows only."
            )
        scorer = read_scoring(self.scoring, self.maker)
        rows = X.tocsr() if hasattr(X, "tocsr") else X
        rows = _safe_indexing(rows, np.flatnonzero(scored))
        return scorer(estimator, rows, known_names(y, scored))


class _HeldOut(ClassifierMixin, BaseEstimator):
    """A classifier with known probabilities, for scorers; X holds positions."""

    def __init__(self, classes, probabilities):
        self.classes = classes
        self.probabilities = probabilities
        self.classes_ = classes

    def predict_proba(self, X):
        return self.probabilities[X[:, 0]]

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


def _read_targets(model, y, sample_weight):
    """The labels that the classifier was fitted with, and their weights."""
    relevant = ~has_label(y, getattr(model, "irrelevant_label", None))
    weights = np.ones(len(relevant))
    if sample_weight is not None:
        weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.shape != relevant.shape or not (weights >= 0).all():
        raise ValueError(
            f"sample_weight of leave_one_out_score must hold a number >= 0 for each of "
            f"the {len(relevant)} entries of y, got shape {weights.shape} and values "
            f"from {weights.min():g}."
        )
    used = relevant & (weights > 0)
    labels = read_labels(y, used)
    labeled_idx = np.flatnonzero(used)[labels.labeled]
    _check_targets(model, labels, labeled_idx, len(used))
    return labels, weights[labeled_idx]


def _check_targets(model, labels, labeled_idx, n_samples):
    """Raise unless these are the labels that the classifier was fitted with."""
    inferred = getattr(model, "transduction_", None)
    n_seen, classes = len(model.held_out_proba_), model.classes_.tolist()
    names, problem = labels.classes.tolist(), ""
    if labels.n_labeled != n_seen or names != classes:
        problem = (
            f"{labels.n_labeled} labels of the classes {names} where it saw {n_seen} "
            f"of {classes}"
        )
    elif inferred is not None and len(inferred) != n_samples:
        problem = f"{n_samples} rows where it saw {len(inferred)}"
    elif inferred is not None:
        differ = inferred[labeled_idx] != labels.classes[labels.codes]
        if differ.any():
            problem = f"another label in row {labeled_idx[differ][0]}"
    if problem:
        raise ValueError(
            f"y must hold the targets that {type(model).__name__} was fitted with, got "
            f"{problem}. In a grid search score the rows that were fitted, with "
            "rows = np.arange(len(y)) and cv=[(rows, rows)]; pass sample_weight if "
            "some of the weights were zero."
        )


def read_scoring(scoring, whose):
    """The ``scorer(estimator, X, y)`` of a name; `whose` parameter, for the message."""
    if callable(scoring):
        return scoring
    if isinstance(scoring, str) and scoring in _OWN:
        return _OWN[scoring]
    if isinstance(scoring, str) and scoring in get_scorer_names():
        return get_scorer(scoring)
    wanted = "a name of sklearn.metrics.get_scorer_names() or a callable"
    if isinstance(scoring, str) and scoring == "log_loss":
        wanted = "larger for better estimators: 'neg_log_loss'"
    raise ValueError(f"scoring of {whose} must be {wanted}, got {scoring!r}.")


def _negative_log_loss(estimator, X, y, **weights):
    """Unlike scikit-learn's scorer, also for y in which a class is missing."""
    found, classes = estimator.predict_proba(X), estimator.classes_
    return -log_loss(y, found, labels=classes, **weights)


def _balanced_accuracy(estimator, X, y, **weights):
    """Unlike scikit-learn's scorer, without a warning if y lacks a predicted class."""
    found, classes = estimator.predict(X), np.unique(y)
    return recall_score(y, found, labels=classes, average="macro", **weights)


_OWN = {"balanced_accuracy": _balanced_accuracy, "neg_log_loss": _negative_log_loss}
