"""The machines that `FewLabelClassifier` weighs, and how each is asked."""

import time
import warnings
from dataclasses import dataclass, field

import numpy as np
from sklearn.base import clone

from widemargin.estimators._path_average import deal_folds
from widemargin.estimators.label_search_classifier import LabelSearchClassifier
from widemargin.estimators.laplacian_svc import LaplacianSVC
from widemargin.estimators.ridge_average_classifier import RidgeAverageClassifier
from widemargin.estimators.self_labeling_gpc import SelfLabelingGPC
from widemargin.estimators.transductive_svc import TransductiveSVC
from widemargin.estimators.tri_class_svc import TriClassSVC
from widemargin.labels import hide
from widemargin.linalg.rows import distinct_rows

SUPERVISED = "supervised"
_FOLDS = 5
_FOLD_ROWS = 1000  # rows on which labels are held out by fitting anew


@dataclass(frozen=True)
class Candidate:
    """A machine to be fitted.

    Attributes
    ----------
    name : str
    estimator : classifier
        Not fitted.
    max_rows : int
        Of more rows it is given all labeled ones and some others.
    takes_width : bool
        Whether it is fitted with the kernel width that the labels prefer.
    """

    name: str
    estimator: object
    max_rows: int
    takes_width: bool = False


@dataclass(frozen=True)
class Fitted:
    """A fitted candidate and what it says of held-out labels.

    Attributes
    ----------
    name : str
    model : classifier
    held_out : ndarray of shape (n_labeled, n_classes)
        NaN where it could not be asked.
    n_rows : int
        Rows that it learned from.
    seconds : float
    messages : tuple of str
        Warnings while it was fitted.
    """

    name: str
    model: object
    held_out: np.ndarray = field(repr=False)
    n_rows: int
    seconds: float
    messages: tuple = ()


# Machine, and whether its width is the one that the labels prefer
_MACHINES = {
    "laplacian": (LaplacianSVC, {}, False),
    "transductive": (TransductiveSVC, {}, False),
    "label-search": (LabelSearchClassifier, {}, False),
    "transductive, width by labels": (TransductiveSVC, {}, True),
    "label-search, width by labels": (LabelSearchClassifier, {}, True),
    "self-labeling": (SelfLabelingGPC, {}, False),
    "laplacian, width by labels": (LaplacianSVC, {}, True),
    "laplacian of power 1": (LaplacianSVC, {"laplacian_power": 1}, False),
    "tri-class": (TriClassSVC, {}, False),
}
NAMES = tuple(_MACHINES)

# Number of the names above that are tried, rows of the Laplacian machines, of others
BUDGETS = {
    "fast": (5, 5000, 2000),
    "balanced": (7, 8000, 5000),
    "thorough": (9, 10_000, 10_000),
}


def list_candidates(candidates, budget):
    """The candidates that are meant, the supervised machine first."""
    n_names, laplacian_rows, rows = BUDGETS[budget]
    listed = [Candidate(SUPERVISED, RidgeAverageClassifier(), np.inf)]
    if isinstance(candidates, dict):
        return listed + [Candidate(n, e, rows) for n, e in candidates.items()]
    names = NAMES[:n_names] if isinstance(candidates, str) else candidates
    for name in names:
        machine, parameters, takes_width = _MACHINES[name]
        most = laplacian_rows if machine is LaplacianSVC else rows
        listed.append(Candidate(name, machine(**parameters), most, takes_width))
    return listed


def fit_candidate(candidate, X, labels, order, folds, seed, gamma=None):
    """Fit a candidate and ask it about held-out labels.

    Parameters
    ----------
    candidate : Candidate
    X : ndarray or CSR matrix of shape (n_samples, n_features)
    labels : PartialLabels
    order : ndarray of shape (n_unlabeled,)
        The unlabeled rows in the order in which they are taken.
    folds : ndarray of shape (n_labeled,)
        Which labels are held out together, -1 for never.
    seed : int
    gamma : float or None
        The kernel width that the labels prefer.

    Returns
    -------
    Fitted
    """
    began = time.perf_counter()
    y, rows = labels.coded(), _take(labels.labeled_idx, order, candidate.max_rows)
    model = clone(candidate.estimator)
    settings = {"random_state": seed} if "random_state" in model.get_params() else {}
    if candidate.takes_width:
        settings["gamma"] = gamma
    model.set_params(**settings)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(*_part(X, y, rows))
        _check_classes(candidate.name, model, labels)
        held_out = getattr(model, "held_out_proba_", None)
        if held_out is None:
            held_out = _hold_out(model, X, y, labels, order, folds)
            _check_finite(candidate.name, held_out[folds >= 0])
    messages = tuple(dict.fromkeys(str(warning.message) for warning in caught))
    seconds = time.perf_counter() - began
    n_rows = labels.n_labeled if candidate.name == SUPERVISED else len(rows)
    return Fitted(candidate.name, model, held_out, n_rows, seconds, messages)


def deal_labels(X, labels, rng):
    """Which labels are held out together; copies of a row always are."""
    first, copy_of = distinct_rows(X[labels.labeled_idx])
    return deal_folds(labels.codes[first], _FOLDS, rng)[copy_of]


def class_probabilities(model, X, n_classes):
    """Probabilities of all classes, also of those that the model does not know."""
    found = model.predict_proba(X)
    if len(model.classes_) == n_classes:
        return found
    probabilities = np.zeros((X.shape[0], n_classes))
    probabilities[:, model.classes_] = found
    return probabilities


def _check_classes(name, model, labels):
    """Raise if a classifier takes the mark of unlabeled rows for a class."""
    if not set(model.classes_) <= set(range(labels.n_classes)):
        raise ValueError(
            f"candidate {name!r} of FewLabelClassifier, a {type(model).__name__}, "
            "learns unlabeled rows as a class of their own; wrap it, for example in "
            "sklearn.semi_supervised.SelfTrainingClassifier."
        )


def _check_finite(name, probabilities):
    """Raise if a classifier does not know what it says."""
    if not np.isfinite(probabilities).all():
        raise ValueError(
            f"candidate {name!r} of FewLabelClassifier gives probabilities that are "
            "not finite; change its parameters or leave it out."
        )


def _take(labeled, order, max_rows):
    """All labeled rows, and others up to a number of rows in all."""
    n_others = max(len(labeled), max_rows - len(labeled))
    if n_others >= len(order):
        return np.arange(len(labeled) + len(order))
    return np.sort(np.concatenate([labeled, order[:n_others]]))


def _part(X, y, rows):
    return (X, y) if len(rows) == X.shape[0] else (X[rows], y[rows])


def _hold_out(model, X, y, labels, order, folds):
    """Probabilities of labels, a fold at a time hidden from a machine on few rows."""
    labeled, n_classes = labels.labeled_idx, labels.n_classes
    rows = _take(labeled, order, _FOLD_ROWS)
    held_out = np.full((len(labeled), n_classes), np.nan)
    for fold in np.unique(folds[folds >= 0]):
        hidden = np.zeros(len(y), dtype=bool)
        hidden[labeled[folds == fold]] = True
        if len(np.unique(labels.codes[folds != fold])) < 2:
            held_out[folds == fold] = 1.0 / n_classes  # copies with two labels
            continue
        trial = clone(model).fit(*_part(X, hide(y, hidden), rows))
        held_out[folds == fold] = class_probabilities(trial, X[hidden], n_classes)
    return held_out
