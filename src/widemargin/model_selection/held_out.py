"""The score of a fitted classifier on labels that it did not see."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from widemargin.labels import has_label, read_labels
from widemargin.model_selection._scoring import read_scoring


def leave_one_out_score(estimator, y, *, scoring="accuracy", sample_weight=None):
    """Score a fitted classifier on held-out labels, without fitting it again.

    Reads ``held_out_proba_``: what machines that did not see a label say of it, in
    closed form (`LaplacianSVC`, `LaplacianRLSC`, `RidgeAverageClassifier`) or from the
    folds on which the estimator weighed its machines.

    Parameters
    ----------
    estimator : fitted classifier
        Or a pipeline or search with one at its end.
    y : array-like of shape (n_samples,)
        The targets that it was fitted with, unlabeled samples included.
    scoring : str or callable, default="accuracy"
        A name of scikit-learn, such as "accuracy", "balanced_accuracy" or
        "neg_log_loss", or a callable ``scorer(estimator, X, y)``, which may ask for
        `predict`, `predict_proba` and `classes_`. Larger is better, but for "log_loss",
        the mean of minus the logarithm of the probabilities.
    sample_weight : array-like of shape (n_samples,), optional
        The weights that it was fitted with: labels of weight zero, which were left
        out, cannot be scored; the others weigh the score.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If the estimator has no held-out probabilities, if y is not what it was fitted
        with, or if no label could be held out.

    Notes
    -----
    Labels with NaN in ``held_out_proba_`` are left out: the only label of a class,
    copies of one row being one label, and with a fixed `unlabeled_weight` three of the
    five folds of the support vector machines.

    The standard error of an accuracy of 90 % is four points with 50 labels, nine with
    ten. The slope of the probabilities, and the weights of averaged machines, were
    fitted to these very labels, which flatters a little; steps of a pipeline that see y
    flatter more. For an honest estimate of all of it use
    :func:`~sklearn.model_selection.cross_val_score` with `SemiSupervisedSplit`.

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
    >>> bool(leave_one_out_score(model, y_partial, scoring="log_loss") < 0.5)
    True
    """
    is_loss = isinstance(scoring, str) and scoring == "log_loss"
    name = "neg_log_loss" if is_loss else scoring
    scorer = read_scoring(name, "leave_one_out_score")
    machine = _last_step(estimator)
    probabilities = _held_out_probabilities(machine)
    labels, weights = _read_targets(machine, y, sample_weight)
    asked = np.isfinite(probabilities).all(axis=1)
    if not asked.any():
        raise ValueError(
            f"none of the {labels.n_labeled} labels of {_name(machine)} could be held "
            "out: each is the only one of its class (copies of a row count once); "
            "label another row of a class."
        )
    stand_in = _HeldOut(machine.classes_, probabilities[asked])
    rows, truth = np.arange(asked.sum())[:, None], labels.classes[labels.codes[asked]]
    options = {} if sample_weight is None else {"sample_weight": weights[asked]}
    score = float(scorer(stand_in, rows, truth, **options))
    return -score if is_loss else score


class _HeldOut(ClassifierMixin, BaseEstimator):
    """Known probabilities as a classifier that a scorer can ask; X holds positions."""

    def __init__(self, classes, probabilities):
        self.classes = classes
        self.probabilities = probabilities
        self.classes_ = classes

    def predict_proba(self, X):
        return self.probabilities[X[:, 0]]

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


def _last_step(estimator):
    """The classifier itself: at the end of a pipeline, or what a search has found."""
    check_is_fitted(estimator)
    if hasattr(estimator, "best_estimator_"):
        return _last_step(estimator.best_estimator_)
    if hasattr(estimator, "steps"):
        return _last_step(estimator.steps[-1][1])
    return estimator


def _held_out_probabilities(machine):
    way_out = (
        f"score it by fitting it again: cross_val_score({_name(machine)}(...), X, y, "
        "cv=SemiSupervisedSplit(5))."
    )
    if not hasattr(machine, "held_out_proba_"):
        raise ValueError(
            f"{_name(machine)} has no held_out_proba_ (models read from a file have "
            f"none, either); {way_out}"
        )
    if machine.held_out_proba_ is None:
        raise ValueError(
            f"held_out_proba_ of {_name(machine)} is None: no label was held out, as "
            f"with a fixed unlabeled_weight or after an interrupt; {way_out}"
        )
    return machine.held_out_proba_


def _read_targets(machine, y, sample_weight):
    """The labels that the machine was fitted with, and their weights."""
    relevant = ~has_label(y, getattr(machine, "irrelevant_label", None))
    weights = np.ones(len(relevant))
    if sample_weight is not None:
        weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.shape != relevant.shape:
        raise ValueError(
            f"sample_weight of leave_one_out_score must have shape {relevant.shape}, "
            f"one weight for each entry of y, got {weights.shape}."
        )
    if not (weights >= 0).all():
        raise ValueError(
            "sample_weight of leave_one_out_score must hold numbers >= 0, got "
            f"{weights[~(weights >= 0)][0]:g}."
        )
    used = relevant & (weights > 0)
    labels = read_labels(y, used)
    labeled_idx = np.flatnonzero(used)[labels.labeled]
    _check_targets(machine, labels, labeled_idx, len(used))
    return labels, weights[labeled_idx]


def _check_targets(machine, labels, labeled_idx, n_samples):
    """Raise unless these are the labels that the machine was fitted with."""
    n_seen, classes = len(machine.held_out_proba_), machine.classes_.tolist()
    names = labels.classes.tolist()
    inferred = getattr(machine, "transduction_", None)
    problem = ""
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
            f"y must hold the targets that {_name(machine)} was fitted with, got "
            f"{problem}. In a grid search score the rows that were fitted, with "
            "rows = np.arange(len(y)) and cv=[(rows, rows)]; pass sample_weight if "
            "some of the weights were zero."
        )


def _name(machine):
    return type(machine).__name__
