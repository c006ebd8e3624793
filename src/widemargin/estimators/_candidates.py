"""The machines that `FewLabelClassifier` weighs, and how each is asked."""

import time
import warnings
from dataclasses import dataclass, field

import numpy as np
from sklearn.base import clone

from widemargin.estimators.label_search_classifier import LabelSearchClassifier
from widemargin.estimators.laplacian_svc import LaplacianSVC
from widemargin.estimators.ridge_average_classifier import RidgeAverageClassifier
from widemargin.estimators.self_labeling_gpc import SelfLabelingGPC
from widemargin.estimators.transductive_svc import TransductiveSVC
from widemargin.estimators.tri_class_svc import TriClassSVC
from widemargin.labels import hide
from widemargin.linalg.threads import suited_threads

SUPERVISED = "supervised"
_FOLD_ROWS = 1000  # rows on which labels are held out by fitting anew


@dataclass(frozen=True)
class Candidate:
    """A machine to be fitted.

    Attributes
    ----------
    name : str
    estimator : classifier
        Not fitted.
    max_rows : float
        Of more rows it is given the labeled ones and some others.
    takes_width : bool
        Whether it is fitted with the kernel width that the labels prefer.
    is_supervised : bool
        Whether it learns from the labels alone.
    """

    name: str
    estimator: object
    max_rows: int
    takes_width: bool = False
    is_supervised: bool = False


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
    supervised = RidgeAverageClassifier()
    listed = [Candidate(SUPERVISED, supervised, np.inf, is_supervised=True)]
    if isinstance(candidates, dict):
        return listed + [Candidate(n, e, rows) for n, e in candidates.items()]
    names = NAMES[:n_names] if isinstance(candidates, str) else candidates
    for name in map(str, names):
        machine, parameters, takes_width = _MACHINES[name]
        most = laplacian_rows if machine is LaplacianSVC else rows
        listed.append(Candidate(name, machine(**parameters), most, takes_width))
    return listed


def fit_candidate(candidate, sample, seed, gamma=None):
    """Fit a candidate and ask it about held-out labels.

    Parameters
    ----------
    candidate : Candidate
    sample : FewLabelSample
    seed : int
    gamma : float or None
        The kernel width that the labels prefer.

    Returns
    -------
    Fitted
    """
    began = time.perf_counter()
    rows, kept = sample.take(candidate.max_rows)
    n_rows = sample.labels.n_labeled if candidate.is_supervised else len(rows)
    model = clone(candidate.estimator).set_params(
        **_random_states(candidate.estimator, seed)
    )
    if candidate.takes_width:
        flat = "gamma" in model.get_params()
        model.set_params(**{"gamma" if flat else "kernel__gamma": gamma})
    with warnings.catch_warnings(record=True) as caught, suited_threads(n_rows):
        warnings.simplefilter("always")
        try:
            _fit(model, sample, sample.labels.coded(), rows)
            _check_classes(candidate.name, model, sample.labels)
            held_out = _ask(candidate.name, model, sample, kept)
        except Exception as error:
            error.add_note(f"(candidate {candidate.name!r} of FewLabelClassifier)")
            raise
    messages = tuple(dict.fromkeys(str(warning.message) for warning in caught))
    if candidate.is_supervised:
        n_rows = model.points_.shape[0]
    seconds = time.perf_counter() - began
    return Fitted(candidate.name, model, held_out, n_rows, seconds, messages)


def class_probabilities(model, X, n_classes):
    """Probabilities of all classes, also of those that the model does not know."""
    found = model.predict_proba(X)
    if len(model.classes_) == n_classes:
        return found
    probabilities = np.zeros((X.shape[0], n_classes))
    probabilities[:, model.classes_] = found
    return probabilities


def _random_states(estimator, seed):
    """Seeds for whatever is random in an estimator and has none."""
    rng = np.random.default_rng(seed)
    return {
        name: int(rng.integers(2**31))
        for name, value in sorted(estimator.get_params().items())
        if value is None and name.rpartition("__")[2] == "random_state"
    }


def _check_classes(name, model, labels):
    """Raise if a classifier takes the mark of unlabeled rows for a class."""
    if not set(model.classes_) <= set(range(labels.n_classes)):
        raise ValueError(
            f"candidate {name!r} of FewLabelClassifier, a {type(model).__name__}, "
            "learns unlabeled rows as a class of their own; wrap it, for example in "
            "sklearn.semi_supervised.SelfTrainingClassifier."
        )


def _ask(name, model, sample, kept):
    """Probabilities of all labels by machines that did not see them, or NaN."""
    n_labeled, n_classes = sample.labels.n_labeled, sample.labels.n_classes
    held_out = getattr(model, "held_out_proba_", None)
    if np.shape(held_out) != (len(kept), n_classes):
        return _hold_out(name, model, sample)
    everything = np.full((n_labeled, n_classes), np.nan)
    everything[kept] = held_out
    return everything


def _hold_out(name, model, sample):
    """The same by fitting anew on few rows, a fold of the labels at a time hidden."""
    rows, kept = sample.take(_FOLD_ROWS)
    labels, folds = sample.labels, sample.folds
    held_out = np.full((labels.n_labeled, labels.n_classes), np.nan)
    for fold in np.unique(folds[kept][folds[kept] >= 0]):
        asked = kept[folds[kept] == fold]
        known = np.unique(labels.codes[np.setdiff1d(kept, asked)])
        asked = asked[np.isin(labels.codes[asked], known)]  # by copies of two labels
        if len(known) < 2 or not len(asked):
            continue
        hidden = np.zeros(len(labels.labeled), dtype=bool)
        hidden[labels.labeled_idx[folds == fold]] = True
        trial = _fit(clone(model), sample, hide(labels.coded(), hidden), rows)
        held_out[asked] = class_probabilities(
            trial, sample.X[labels.labeled_idx[asked]], labels.n_classes
        )
        if not np.isfinite(held_out[asked]).all():
            raise ValueError(
                f"candidate {name!r} of FewLabelClassifier gives probabilities that "
                "are not finite; change its parameters or leave it out."
            )
    return held_out


def _fit(model, sample, y, rows):
    """Fit to some rows, with their weights if the user gave any."""
    X, weights = sample.X, sample.row_weights
    if len(rows) < X.shape[0]:
        X, y = X[rows], y[rows]
    if weights is None:
        return model.fit(X, y)
    return model.fit(X, y, sample_weight=weights[rows])
