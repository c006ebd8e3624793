"""The models that `FewLabelClassifier` averages, and how each is scored."""

import time
import warnings
from copy import copy
from dataclasses import dataclass, field, replace

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from widemargin.averaging import family_prior, trial_counts
from widemargin.checks import DataWarning, check_number
from widemargin.defaults import GATHERED_ROWS, SCARCITY_PRIOR
from widemargin.estimators._estimator import Classifier, fit_sample, reads_plainly
from widemargin.estimators._spectral import SpectralModel
from widemargin.estimators.label_search_classifier import LabelSearchClassifier
from widemargin.estimators.laplacian_svc import LaplacianSVC
from widemargin.estimators.low_density_classifier import LowDensityClassifier
from widemargin.estimators.self_labeling_gpc import SelfLabelingGPC
from widemargin.estimators.spectral_classifier import SpectralClassifier
from widemargin.estimators.transductive_svc import TransductiveSVC
from widemargin.estimators.tri_class_svc import TriClassSVC
from widemargin.labels import hide
from widemargin.linalg.products import suited_threads
from widemargin.linalg.rows import BUFFER_BYTES, row_blocks
from widemargin.rows import Shared
from widemargin.sample import collect_sample
from widemargin.values import Value

SUPERVISED = "supervised"


@dataclass(frozen=True)
class Budget(Value):
    """How many candidates are fitted, and on how many rows.

    Parameters
    ----------
    n_candidates : int
        Number of candidates: the first names in the Notes of `FewLabelClassifier`.
    spectral_rows : int or None
        Rows that "spectral" and "low_density" are fitted on; None for all. If rows
        are in blocks, which are not joined, it stands for 20,000 rows and the graph of
        anchors that all rows make, see :doc:`/scaling`.
    n_rows : int
        Rows that the others are fitted on.
    fold_rows : int, default=1000
        Rows of a fit that holds out a fold of the labels.
    compared_rows : int, default=20000
        Rows on which candidates of negligible weight are also compared.

    Examples
    --------
    >>> from widemargin.parameters import Budget
    >>> Budget(3, spectral_rows=2000, n_rows=1000).fold_rows
    1000
    """

    n_candidates: int
    spectral_rows: int | None
    n_rows: int
    fold_rows: int = 1000
    compared_rows: int = 20_000

    def __post_init__(self):
        """Raise unless all numbers are positive."""
        for name in self.get_params():
            if name != "spectral_rows" or self.spectral_rows is not None:
                check_number(self, name, low=1, integer=True)

    def max_rows(self, name, *, in_blocks):
        """How many rows the candidate of a name is fitted on at most."""
        if not isinstance(_MODELS[name], SpectralModel):
            return self.n_rows
        if self.spectral_rows is None:
            return GATHERED_ROWS if in_blocks else np.inf
        return self.spectral_rows

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
    "fast": Budget(2, spectral_rows=None, n_rows=1000),
    "balanced": Budget(6, spectral_rows=None, n_rows=5000),
    "thorough": Budget(7, spectral_rows=None, n_rows=10_000),
}


@dataclass(frozen=True)
class Candidate:
    """A model to be fitted."""

    name: str
    estimator: object
    max_rows: float  # of more rows it is given the labeled ones and some others
    is_spectral: bool = False  # ours, which averages over the supervised one


_MODELS = {
    "spectral": SpectralClassifier(),
    "low_density": LowDensityClassifier(),
    "transductive": TransductiveSVC(),
    "laplacian": LaplacianSVC(),
    "self_labeling": SelfLabelingGPC(),
    "label_search": LabelSearchClassifier(),
    "tri_class": TriClassSVC(),
}
NAMES = tuple(_MODELS)
SPECTRAL = NAMES[0]


def list_candidates(candidates, budget, *, in_blocks=False):
    """The candidates that are meant, the supervised model first."""
    listed = [Candidate(SUPERVISED, SpectralClassifier(families="labels"), np.inf)]
    if isinstance(candidates, dict):
        return listed + [Candidate(n, e, budget.n_rows) for n, e in candidates.items()]
    is_auto = isinstance(candidates, str)
    names = NAMES[: budget.n_candidates] if is_auto else candidates
    for name in map(str, names):
        max_rows = budget.max_rows(name, in_blocks=in_blocks)
        listed.append(Candidate(name, _MODELS[name], max_rows, name == SPECTRAL))
    return listed


def prior_weights(candidates, sample):
    """Weights of candidates before any label is held out.

    Estimators of one class are a family, so that a copy of a candidate changes nothing;
    the class of a pipeline is that of its last step.
    The spectral model averages over the supervised one, which therefore serves for
    comparison only. The prior favors the spectral model while few labels can be held
    out.
    """
    is_spectral = np.array([candidate.is_spectral for candidate in candidates])
    families = [_family(candidate.estimator) for candidate in candidates[1:]]
    prior = family_prior([SUPERVISED, *families])
    prior *= 1.0 + SCARCITY_PRIOR * sample.scarcity * is_spectral
    if is_spectral.any():
        prior[0] = 1e-12  # hardly any weight; its logarithm is needed
    return prior / prior.sum()


def _family(estimator):
    while isinstance(estimator, Pipeline):
        estimator = estimator[-1]
    return type(estimator).__name__


@dataclass(frozen=True)
class Part:
    """The rows that some candidates learn from.

    Own estimators that merge the same copies of rows share a sample and what is built
    for its rows; others are given arrays.
    """

    sample: object
    row_idx: np.ndarray  # places of the rows in the sample of all rows
    y: np.ndarray  # in codes
    kept: np.ndarray  # which labels are among the rows
    is_weighted: bool
    _samples: dict = field(default_factory=dict, repr=False)

    def fit(self, model, hidden=None):
        """Fit a model; some labels, a mask over them, may be hidden from it."""
        sample = self._sample_of(model, hidden)
        if sample is not None:
            return fit_sample(model, sample)
        y, X = self.y, self.sample.rows.X
        if hidden is not None:
            mask = np.zeros(len(y), dtype=bool)
            mask[self.sample.label_idx[hidden]] = True
            y = hide(y, mask)
        if not self.is_weighted:
            return model.fit(X, y)
        return model.fit(X, y, sample_weight=self.sample.row_weights)

    def _sample_of(self, model, hidden):
        """The sample that the model would read from arrays; None if it must do so."""
        if not isinstance(model, Classifier) or not reads_plainly(model, self.y):
            return None
        sample = self._merged(model.merge)
        if hidden is None:
            return sample
        of_label = np.zeros(sample.n_labels, dtype=bool)
        of_label[sample.given_label_idx[hidden]] = True
        sample = sample.with_labels(~of_label)
        has_all = len(np.unique(sample.codes)) == sample.n_classes
        return sample if has_all else None  # without a class all codes are others

    def _merged(self, merge):
        """The sample in which copies of a row are merged, sorted; made once."""
        if merge not in self._samples:
            rows, weights = self.sample.rows, self.sample.row_weights
            made = collect_sample(rows, self.y, weights, merge=merge).sorted()
            made = replace(made, is_drawn=self.sample.is_drawn)
            # Candidates on these rows find Gram matrices and graphs of each other here.
            made.rows.shared = Shared()
            # Without copies among the unlabeled rows, both ways to merge are the same.
            same = [s for s in self._samples.values() if s.n_rows == made.n_rows]
            self._samples[merge] = same[0] if same else made
        return self._samples[merge]

    def release(self):
        """Forget what models on the same rows shared, Gram matrices for example."""
        for sample in self._samples.values():
            sample.rows.shared = None


@dataclass(frozen=True)
class Draw:
    """The rows and labels of each candidate's fit; fewer rows are part of more rows."""

    sample: object  # in which copies of rows are not merged
    unlabeled_idx: np.ndarray  # in random order
    label_order: np.ndarray  # beginnings have two labels per class, then the shares
    folds: np.ndarray  # labels that are held out together, with copies; -1 for never
    counts: np.ndarray  # copies together count as one label, or less by their weights
    copy_idx: np.ndarray  # the same number for copies of a row with the same label
    is_weighted: bool
    _parts: dict = field(default_factory=dict, repr=False)

    @property
    def single_codes(self):
        """Codes of the classes with a single label, or copies of it."""
        _, first = np.unique(self.copy_idx, return_index=True)
        return np.flatnonzero(np.bincount(self.sample.codes[first]) == 1)

    def take(self, max_rows, *, labeled_only=False):
        """The `Part` of all labels, or half as many as rows, and unlabeled rows."""
        sample, n_kept = self.sample, len(self.label_order)
        if n_kept > max_rows / 2:
            n_kept = max(int(max_rows / 2), 2 * sample.n_classes)
        kept = np.sort(self.label_order[:n_kept])
        n_others = 0
        if not labeled_only:
            n_others = min(len(self.unlabeled_idx), max(max_rows - len(kept), 0))
        key = n_kept, int(n_others)
        if key not in self._parts:
            others = self.unlabeled_idx[: key[1]]
            idx = np.sort(np.concatenate([sample.label_idx[kept], others]))
            part = sample.part(idx)
            part = replace(part, rows=part.rows.take(slice(None)))  # in one matrix
            self._parts[key] = Part(part, idx, part.coded(), kept, self.is_weighted)
        return self._parts[key]

    def release(self):
        """Forget what candidates shared; those that keep their rows would keep it."""
        for part in self._parts.values():
            part.release()


def draw_candidates(sample, rng, *, is_weighted):
    """Draw orders and folds that depend on no order of rows and no class names."""
    # some label has at least the weight one
    scale = min(sample.label_weights.max(), 1.0)
    weights = sample.label_weights / scale
    sample = replace(
        sample, row_weights=sample.row_weights / scale, label_weights=weights
    )
    position = np.argsort(sample.order)
    unlabeled = sample.unlabeled_idx
    unlabeled = unlabeled[np.argsort(position[unlabeled], kind="stable")]
    unlabeled = rng.permutation(unlabeled)
    visited = np.argsort(position[sample.label_idx], kind="stable")
    codes = np.argsort(sample.class_order)[sample.codes[visited]]
    folds = sample.deal_folds(rng)
    pairs = sample.rows_of_labels * sample.n_classes + sample.codes
    _, copy_idx = np.unique(pairs, return_inverse=True)
    ranks = np.empty(len(codes))  # all beginnings have the shares of the classes
    for code in range(codes.max() + 1):
        members = rng.permutation(np.flatnonzero(codes == code))
        # Evenly spread ranks: every beginning of the order has each class in its share.
        ranks[members] = (np.arange(len(members)) + 0.5) / len(members)
        ranks[members[:2]] = -1.0  # two labels of each class come first
    return Draw(
        sample,
        unlabeled,
        visited[np.argsort(ranks, kind="stable")],
        folds,
        trial_counts(weights, copy_idx),
        copy_idx,
        is_weighted,
    )


@dataclass(frozen=True)
class FittedCandidate:
    """A fitted candidate, its predictions of held-out labels and its warnings."""

    name: str
    model: object
    held_out: np.ndarray = field(repr=False)  # NaN where no model lacks the label
    n_rows: int
    seconds: float
    given_idx: np.ndarray = field(repr=False)  # which of the given rows it learned from
    messages: tuple = ()


def fit_candidate(candidate, draw, seed, fold_rows, kernel, before=None):
    """Fit a candidate, the supervised one with a kernel; predict held-out labels.

    `before` is the candidate with other labels; on the same rows it is updated.
    """
    began = time.perf_counter()
    is_supervised = candidate.name == SUPERVISED
    part = draw.take(candidate.max_rows, labeled_only=is_supervised)
    estimator, given_idx = candidate.estimator, draw.sample.origin_idx[part.row_idx]
    model = clone(estimator).set_params(**_random_states(estimator, seed))
    is_known = before is not None and np.array_equal(before.given_idx, given_idx)
    is_known = is_known and isinstance(model, SpectralModel)
    is_known = is_known and _same_estimators(model, before.model)
    if is_known:
        model = copy(before.model)  # a failure later leaves the old model as it is
    if is_supervised:
        model.set_params(kernel=kernel)
    n_rows = part.sample.n_rows
    with warnings.catch_warnings(record=True) as caught, suited_threads(n_rows):
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", DataWarning)  # given for all rows
        try:
            if is_known:
                is_random = np.full(n_rows, part.sample.is_drawn)
                model.update(part.y, part.sample.row_weights, is_random)
            else:
                part.fit(model)
            if not set(model.classes_) <= set(range(part.sample.n_classes)):
                raise ValueError(
                    f"candidate {candidate.name!r} of FewLabelClassifier, a "
                    f"{type(model).__name__}, learns unlabeled rows as a class of "
                    "their own; wrap it, for example in "
                    "sklearn.semi_supervised.SelfTrainingClassifier."
                )
            n_classes, kept = part.sample.n_classes, part.kept
            found = getattr(model, "held_out_proba_", None)
            if np.shape(found) == (len(kept), n_classes):
                held_out = np.full((draw.sample.n_labels, n_classes), np.nan)
                held_out[kept] = found
            else:
                held_out = _predict_folds(candidate.name, model, draw, fold_rows)
        except Exception as error:
            error.add_note(f"(candidate {candidate.name!r} of FewLabelClassifier)")
            raise
    messages = tuple(dict.fromkeys(str(warning.message) for warning in caught))
    if is_supervised:
        n_rows = model.function_.n_points
    seconds = time.perf_counter() - began
    return FittedCandidate(
        candidate.name, model, held_out, n_rows, seconds, given_idx, messages
    )


def class_probabilities(model, X, n_classes):
    """Probabilities of all classes, also of those that the model has not seen."""
    found = model.predict_proba(X)
    if len(model.classes_) == n_classes:
        return found
    probabilities = np.zeros((X.shape[0], n_classes))
    probabilities[:, model.classes_] = found
    return probabilities


def _same_estimators(first, second):
    """Whether two estimators are of one class and have the same parameters."""
    if type(first) is not type(second):
        return False
    # By `repr`: parameters may be arrays, which have no single truth value.
    with np.printoptions(threshold=np.inf, floatmode="unique"):  # all of their digits
        return repr(first.get_params()) == repr(second.get_params())


def _random_states(estimator, seed):
    """Seeds for whatever is random in an estimator and has none."""
    rng = np.random.default_rng(seed)
    return {
        name: int(rng.integers(2**31))
        for name, value in sorted(estimator.get_params().items())
        if value is None and name.rpartition("__")[2] == "random_state"
    }


def _predict_folds(name, model, draw, fold_rows):
    """Probabilities of held-out labels by fits on few rows with a fold hidden."""
    part = draw.take(fold_rows)
    sample, kept = part.sample, part.kept
    n_classes = sample.n_classes
    held_out = np.full((draw.sample.n_labels, n_classes), np.nan)
    for hidden, scored in sample.masks_of(draw.folds[kept]):
        trial = part.fit(clone(model), hidden)
        rows = sample.rows.take(sample.label_idx[scored]).X
        held_out[kept[scored]] = class_probabilities(trial, rows, n_classes)
        if not np.isfinite(held_out[kept[scored]]).all():
            raise ValueError(
                f"candidate {name!r} of FewLabelClassifier gives probabilities that "
                "are not finite; change its parameters or leave it out."
            )
    return held_out


@dataclass(frozen=True)
class Inference:
    """Classes of the unlabeled rows by the average, and how candidates differ there."""

    codes: np.ndarray
    certainty: np.ndarray  # probability of that class
    n_changed: int  # rows that differ from the first candidate
    changed: np.ndarray  # share of such rows for each candidate


def infer(models, weights, draw, compared_rows, *, buffer_bytes=BUFFER_BYTES):
    """Predict the unlabeled rows, those of weight zero only `compared_rows` of them."""
    sample, rows, n_classes = draw.sample, draw.unlabeled_idx, draw.sample.n_classes
    codes, certainty = np.empty(len(rows), dtype=np.intp), np.empty(len(rows))
    differ, n_compared = np.zeros(len(models)), np.zeros(len(models))
    n_changed, is_used, shape = 0, weights > 0, (sample.n_rows, n_classes)
    known = {  # probabilities of models that were fitted on all rows
        c: model.label_distributions_
        for c, model in enumerate(models)
        if np.shape(getattr(model, "label_distributions_", 0)) == shape
    }
    # The first candidate is the one that the others are compared with.
    is_used[0] = True
    n_values = max(len(models) * n_classes, sample.rows.n_features)
    for block in row_blocks(len(rows), n_values, 8, buffer_bytes):
        points = sample.rows.take(rows[block]).X
        active = np.flatnonzero(is_used | (block.start < compared_rows))
        found = {c: p[rows[block]] for c, p in known.items()}
        for c in set(active) - set(known):
            found[c] = class_probabilities(models[c], points, n_classes)
        probabilities = np.array([found[c] for c in active])
        mixture = np.tensordot(weights[active], probabilities, axes=1)
        codes[block], certainty[block] = mixture.argmax(axis=1), mixture.max(axis=1)
        own = probabilities.argmax(axis=2)
        differ[active] += (own != own[0]).sum(axis=1)
        n_compared[active] += len(mixture)
        n_changed += int((codes[block] != own[0]).sum())
    return Inference(codes, certainty, n_changed, differ / np.maximum(n_compared, 1))
