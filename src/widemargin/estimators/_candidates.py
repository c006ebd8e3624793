"""The models that `FewLabelClassifier` averages, and how each is scored."""

import time
import warnings
from dataclasses import dataclass, field

import numpy as np
from sklearn.base import clone

from widemargin.averaging import family_prior
from widemargin.checks import check_number
from widemargin.estimators.label_search_classifier import LabelSearchClassifier
from widemargin.estimators.laplacian_svc import LaplacianSVC
from widemargin.estimators.ridge_average_classifier import RidgeAverageClassifier
from widemargin.estimators.self_labeling_gpc import SelfLabelingGPC
from widemargin.estimators.transductive_svc import TransductiveSVC
from widemargin.estimators.tri_class_svc import TriClassSVC
from widemargin.graphs import KnnGraph
from widemargin.kernels import Rbf
from widemargin.labels import hide
from widemargin.linalg.products import suited_threads
from widemargin.linalg.rows import BUFFER_BYTES, row_blocks
from widemargin.sample import Sample, deal_folds
from widemargin.solvers.active_learning import choose_rows, information
from widemargin.values import Value

SUPERVISED = "supervised"
_SUGGESTED_ROWS = 10  # rows that are proposed for labelling
_INFORMATIVE_ROWS = 2000  # of the largest value, among which they are chosen


@dataclass(frozen=True)
class Budget(Value):
    """How many candidates are fitted, and on how many rows.

    Parameters
    ----------
    n_candidates : int
        The first so many of the names in the Notes of `FewLabelClassifier`.
    graph_rows : int
        Rows that Laplacian models are fitted on.
    n_rows : int
        Rows that the others are fitted on.
    fold_rows : int, default=1000
        Rows of a fit that holds out a fold of the labels.
    compared_rows : int, default=20000
        Rows on which candidates of negligible weight are also compared.

    Examples
    --------
    >>> from widemargin.parameters import Budget
    >>> Budget(3, graph_rows=2000, n_rows=1000).fold_rows
    1000
    """

    n_candidates: int
    graph_rows: int
    n_rows: int
    fold_rows: int = 1000
    compared_rows: int = 20_000

    def __post_init__(self):
        """Raise unless all numbers are positive."""
        for name in self.get_params():
            check_number(self, name, low=1, integer=True)

    @classmethod
    def read(cls, given, who):
        """The budget that is meant by a value or a name."""
        if isinstance(given, cls):
            return given
        if isinstance(given, str) and given in BUDGETS:
            return BUDGETS[given]
        names = ", ".join(map(repr, BUDGETS))
        raise ValueError(
            f"{who} must be one of {names} or a Budget value, got {given!r}."
        )


BUDGETS = {
    "fast": Budget(5, graph_rows=5000, n_rows=2000),
    "balanced": Budget(7, graph_rows=8000, n_rows=5000),
    "thorough": Budget(9, graph_rows=10_000, n_rows=10_000),
}


@dataclass(frozen=True)
class Candidate:
    """A model to be fitted.

    Attributes
    ----------
    name : str
    family : str
        Candidates of a family share its prior.
    estimator : classifier
        Not fitted.
    max_rows : float
        Of more rows it is given the labeled ones and some others.
    is_tuned : bool
        Whether it is fitted with the kernel width that the supervised model prefers.
    """

    name: str
    family: str
    estimator: object
    max_rows: float
    is_tuned: bool = False

    @property
    def is_supervised(self):
        """Whether it learns from the labels alone."""
        return self.family == SUPERVISED


# Name: family, estimator, and whether its width is the one that the labels prefer
_MODELS = {
    "laplacian": ("laplacian", LaplacianSVC(), False),
    "transductive": ("transductive", TransductiveSVC(), False),
    "label_search": ("label_search", LabelSearchClassifier(), False),
    "transductive_tuned": ("transductive", TransductiveSVC(), True),
    "label_search_tuned": ("label_search", LabelSearchClassifier(), True),
    "self_labeling": ("self_labeling", SelfLabelingGPC(), False),
    "laplacian_tuned": ("laplacian", LaplacianSVC(), True),
    "laplacian_power_1": ("laplacian", LaplacianSVC(graph=KnnGraph(power=1)), False),
    "tri_class": ("tri_class", TriClassSVC(), False),
}
NAMES = tuple(_MODELS)


def list_candidates(candidates, budget):
    """The candidates that are meant, the supervised model first."""
    supervised = RidgeAverageClassifier()
    listed = [Candidate(SUPERVISED, SUPERVISED, supervised, np.inf)]
    if isinstance(candidates, dict):
        own = candidates.items()
        return listed + [Candidate(n, n, e, budget.n_rows) for n, e in own]
    is_auto = isinstance(candidates, str)
    names = NAMES[: budget.n_candidates] if is_auto else candidates
    for name in map(str, names):
        family, estimator, is_tuned = _MODELS[name]
        is_graph = isinstance(estimator, LaplacianSVC)
        max_rows = budget.graph_rows if is_graph else budget.n_rows
        listed.append(Candidate(name, family, estimator, max_rows, is_tuned))
    return listed


def prior_of(candidates):
    """Prior weight of each candidate: equal for families, then for their members."""
    return family_prior([candidate.family for candidate in candidates])


@dataclass(frozen=True)
class Draw:
    """Which rows and labels each candidate sees; fewer rows are part of more rows.

    Attributes
    ----------
    sample : Sample
        All rows, copies not merged.
    unlabeled_idx : ndarray of shape (n_unlabeled,)
        The unlabeled rows, in random order.
    label_order : ndarray of shape (n_labels,)
        The labels in an order whose beginnings have the shares of the classes, with
        two labels of each class first.
    folds : ndarray of shape (n_labels,)
        Which labels are held out together, copies of a row among them; -1 for never.
    counts : ndarray of shape (n_labels,)
        How many labels each one counts for: copies of a row with the same label count
        as one, or as their weights together if these are less.
    copy_of : ndarray of shape (n_labels,)
        Number of the distinct label, row and class, that each one is.
    is_weighted : bool
        Whether the user gave weights.
    """

    sample: Sample
    unlabeled_idx: np.ndarray
    label_order: np.ndarray
    folds: np.ndarray
    counts: np.ndarray
    copy_of: np.ndarray
    is_weighted: bool

    @property
    def n_single(self):
        """Number of classes with a single label, or copies of it."""
        _, first = np.unique(self.copy_of, return_index=True)
        return int((np.bincount(self.sample.codes[first]) == 1).sum())

    def take(self, max_rows):
        """The sample of a candidate, and which labels are in it.

        All labels, or so many of them that they are half of the rows, and unlabeled
        rows up to `max_rows`.
        """
        sample, n_kept = self.sample, len(self.label_order)
        if n_kept > max_rows / 2:
            n_kept = max(int(max_rows / 2), 2 * sample.n_classes)
        kept = np.sort(self.label_order[:n_kept])
        n_others = int(min(len(self.unlabeled_idx), max(max_rows - len(kept), 0)))
        others = self.unlabeled_idx[:n_others]
        idx = np.sort(np.concatenate([sample.label_idx[kept], others]))
        is_whole = len(idx) == sample.n_rows
        return (sample if is_whole else sample.part(idx)), kept


def draw_candidates(sample, rng, *, is_weighted):
    """Draw orders and folds that depend on no order of rows and no class names."""
    position = np.empty(sample.n_rows, dtype=int)
    position[sample.order] = np.arange(sample.n_rows)
    unlabeled = sample.unlabeled_idx
    unlabeled = unlabeled[np.argsort(position[unlabeled], kind="stable")]
    unlabeled = rng.permutation(unlabeled)
    visited = np.argsort(position[sample.label_idx], kind="stable")
    codes = np.argsort(sample.class_order)[sample.codes[visited]]
    row_of_label = sample.rows_of_labels[visited]
    _, first, row = np.unique(row_of_label, return_index=True, return_inverse=True)
    rank = np.argsort(np.argsort(first))
    folds = np.empty(sample.n_labels, dtype=int)
    folds[visited] = deal_folds(codes[np.sort(first)], 5, rng)[rank[row]]
    pairs = sample.rows_of_labels * sample.n_classes + sample.codes
    _, copy_of = np.unique(pairs, return_inverse=True)
    weights = sample.label_weights / min(sample.label_weights.max(), 1.0)
    together = np.bincount(copy_of, weights=weights)[copy_of]
    return Draw(
        sample,
        unlabeled,
        visited[np.argsort(_ranks(codes, rng), kind="stable")],
        folds,
        weights / np.maximum(together, 1.0),
        copy_of,
        is_weighted,
    )


def _ranks(codes, rng):
    """Places of labels in an order with the shares of the classes throughout."""
    ranks = np.empty(len(codes))
    for code in range(codes.max() + 1):
        members = rng.permutation(np.flatnonzero(codes == code))
        ranks[members] = (np.arange(len(members)) + 0.5) / len(members)
        ranks[members[:2]] = -1.0
    return ranks


@dataclass(frozen=True)
class FittedCandidate:
    """A fitted candidate and its predictions of held-out labels.

    Attributes
    ----------
    name : str
    model : classifier
    held_out : ndarray of shape (n_labels, n_classes)
        NaN where no model without the label exists.
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


def fit_candidate(candidate, draw, seed, fold_rows, gamma=None):
    """Fit a candidate and predict held-out labels.

    Parameters
    ----------
    candidate : Candidate
    draw : Draw
    seed : int
    fold_rows : int
        Rows of a fit that holds out a fold of the labels.
    gamma : float or None
        The kernel width that the supervised model prefers.

    Returns
    -------
    FittedCandidate
    """
    began = time.perf_counter()
    part, kept = draw.take(candidate.max_rows)
    estimator = candidate.estimator
    model = clone(estimator).set_params(**_random_states(estimator, seed))
    if candidate.is_tuned:
        model.set_params(kernel__gamma=gamma)
    n_rows = part.n_labels if candidate.is_supervised else part.n_rows
    with warnings.catch_warnings(record=True) as caught, suited_threads(n_rows):
        warnings.simplefilter("always")
        try:
            _fit(model, part, part.coded(), draw.is_weighted)
            _check_classes(candidate.name, model, part)
            held_out = _held_out(candidate.name, model, draw, kept, fold_rows)
        except Exception as error:
            error.add_note(f"(candidate {candidate.name!r} of FewLabelClassifier)")
            raise
    messages = tuple(dict.fromkeys(str(warning.message) for warning in caught))
    if candidate.is_supervised:
        n_rows = model.function_.n_points
    seconds = time.perf_counter() - began
    return FittedCandidate(candidate.name, model, held_out, n_rows, seconds, messages)


def class_probabilities(model, X, n_classes):
    """Probabilities of all classes, also of those that the model has not seen."""
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


def _check_classes(name, model, sample):
    """Raise if a classifier takes the mark of unlabeled rows for a class."""
    if not set(model.classes_) <= set(range(sample.n_classes)):
        raise ValueError(
            f"candidate {name!r} of FewLabelClassifier, a {type(model).__name__}, "
            "learns unlabeled rows as a class of their own; wrap it, for example in "
            "sklearn.semi_supervised.SelfTrainingClassifier."
        )


def _held_out(name, model, draw, kept, fold_rows):
    """Probabilities of all labels by models that did not see them, or NaN."""
    sample, found = draw.sample, getattr(model, "held_out_proba_", None)
    if np.shape(found) != (len(kept), sample.n_classes):
        return _predict_folds(name, model, draw, fold_rows)
    held_out = np.full((sample.n_labels, sample.n_classes), np.nan)
    held_out[kept] = found
    return held_out


def _predict_folds(name, model, draw, fold_rows):
    """The same by fitting again on few rows, a fold of the labels at a time hidden."""
    part, kept = draw.take(fold_rows)
    folds, n_classes = draw.folds[kept], part.n_classes
    held_out = np.full((draw.sample.n_labels, n_classes), np.nan)
    for fold in np.unique(folds[folds >= 0]):
        hidden = folds == fold
        known = np.unique(part.codes[~hidden])
        scored = hidden & np.isin(part.codes, known)  # not so for copies of two labels
        if len(known) < 2 or not scored.any():
            continue
        mask = np.zeros(part.n_rows, dtype=bool)
        mask[part.label_idx[hidden]] = True
        trial = _fit(clone(model), part, hide(part.coded(), mask), draw.is_weighted)
        rows = part.rows.X[part.label_idx[scored]]
        held_out[kept[scored]] = class_probabilities(trial, rows, n_classes)
        if not np.isfinite(held_out[kept[scored]]).all():
            raise ValueError(
                f"candidate {name!r} of FewLabelClassifier gives probabilities that "
                "are not finite; change its parameters or leave it out."
            )
    return held_out


def _fit(model, part, y, is_weighted):
    """Fit to the rows of a part, with their weights if the user gave any."""
    if not is_weighted:
        return model.fit(part.rows.X, y)
    return model.fit(part.rows.X, y, sample_weight=part.row_weights)


@dataclass(frozen=True)
class Inference:
    """Classes of the unlabeled rows and how they differ between candidates.

    Attributes
    ----------
    codes : ndarray of shape (n_rows,)
        Classes by the average.
    n_changed : int
        Rows whose class differs from that of the first candidate.
    changed : ndarray of shape (n_candidates,)
        Share of rows whose class by each candidate differs from that of the first.
    label_next : ndarray of int
        Rows of the sample whose label would help the most, the best first.
    """

    codes: np.ndarray
    n_changed: int
    changed: np.ndarray
    label_next: np.ndarray


def infer(models, weights, draw, gamma, compared_rows, *, buffer_bytes=BUFFER_BYTES):
    """Predict the unlabeled rows with all candidates, block by block.

    Parameters
    ----------
    models : list of classifiers
        Fitted; their classes are codes.
    weights : ndarray of shape (n_candidates,)
        Those of weight zero predict `compared_rows` rows only.
    draw : Draw
    gamma : float
        Width of the kernel that says which rows are alike.
    compared_rows : int
    buffer_bytes : int
        Size of the probabilities that are held at a time.

    Returns
    -------
    Inference
    """
    X, rows, n_classes = draw.sample.rows.X, draw.unlabeled_idx, draw.sample.n_classes
    codes, value = np.empty(len(rows), dtype=np.intp), np.empty(len(rows))
    differ, n_compared = np.zeros(len(models)), np.zeros(len(models))
    n_changed, is_used = 0, weights > 0
    is_used[0] = True
    n_values = len(models) * n_classes
    for block in row_blocks(len(rows), n_values, 8, buffer_bytes):
        points = X[rows[block]]
        active = np.flatnonzero(is_used | (block.start < compared_rows))
        probabilities = np.array(
            [class_probabilities(models[c], points, n_classes) for c in active]
        )
        mixture = np.tensordot(weights[active], probabilities, axes=1)
        codes[block] = mixture.argmax(axis=1)
        value[block] = information(probabilities, weights[active])
        own = probabilities.argmax(axis=2)
        differ[active] += (own != own[0]).sum(axis=1)
        n_compared[active] += len(mixture)
        n_changed += int((codes[block] != own[0]).sum())
    changed = differ / np.maximum(n_compared, 1)
    best = np.argsort(-value, kind="stable")[:_INFORMATIVE_ROWS]
    chosen = choose_rows(value[best], Rbf(gamma), X[rows[best]], _SUGGESTED_ROWS)
    return Inference(codes, n_changed, changed, rows[best[chosen]])
