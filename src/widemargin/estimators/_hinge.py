"""What TransductiveSVC, TriClassSVC and UniversumSVC share: a path of hinge models.

The first learns from the labels alone; each of the others gives rows without a class
more weight. Held-out labels weigh the models, or calibrate the last one.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from widemargin.averaging import average_scores, family_prior
from widemargin.calibration import Calibration
from widemargin.checks import check_number, check_number_or, warn_caller
from widemargin.defaults import HINGE_FOLD_TOL, HINGE_HOLDOUT, HINGE_WEIGHTS, PATH_DECAY
from widemargin.estimators._estimator import (
    RELABELING,
    Classifier,
    Fit,
    read_parameters,
)
from widemargin.labels import decide, has_label, labeled_mask, sign_coding
from widemargin.objectives.class_sizes import Balance
from widemargin.objectives.pieces import EpsilonInsensitive, labeled_hinges
from widemargin.progress import Progress
from widemargin.sample import N_FOLDS
from widemargin.solvers.cccp import TriClassMethod
from widemargin.solvers.hinge import (
    BranchProblem,
    HingeSolver,
    choose_hinge_space,
    follow_path,
    majorize_minimize,
)
from widemargin.solvers.relabeling import JointChoice
from widemargin.solvers.result import Status

_ANY_BALANCE = Balance(None)
_CALIBRATION_FOLDS = 2  # of a single model: its labels only fit one slope


@dataclass(kw_only=True, eq=False, repr=False)
class HingeClassifier(Classifier):
    """Base of the three classes, which differ in their `HingeTask`."""

    C: float = 10.0
    unlabeled_weight: float | str = "auto"
    kernel: object = "rbf"
    solver: object = "auto"
    landmarks: object = "auto"
    max_iter: int = 50
    random_state: object = None
    verbose: bool = False

    value_families = Classifier.value_families | {
        "balance": Balance,
        "method": TriClassMethod,
        "solver": HingeSolver,
    }
    saved_state = (*Classifier.saved_state, "unlabeled_weights_")
    history_names = {"objective": "objective", **RELABELING}
    averaged = "unlabeled_weights_"

    def _fit_sample(self, sample, rng):
        fitted, _ = fit_hinge(self, self._make_task(), sample, rng)
        return fitted


class WeightPath(NamedTuple):
    """Models with more and more weight on rows without a class."""

    loss: object  # of these rows, for a universum of irrelevant ones
    minimize: object = majorize_minimize  # or a solver with the same arguments
    # Their summed costs over that of the labels, after the first model
    weights: tuple = HINGE_WEIGHTS


@dataclass(frozen=True)
class HingeTask:
    """What an estimator minimizes, beside the hinges of its labels."""

    who: str
    C: float
    paths: tuple[WeightPath, ...]  # all start from the model of the labels alone
    is_averaged: bool  # else the last model of the only path counts
    max_iter: int
    balance: Balance = _ANY_BALANCE
    is_universum: bool = False
    epsilon: float = 0.0
    irrelevant_weight: float = 0.0
    is_joint: bool = False  # more than two classes choose branches together
    width: str = "scale"  # what gamma="auto" of the kernel means

    @property
    def weights(self):
        """The weight of each model, the first one being that of the labels alone."""
        return (0.0, *(weight for path in self.paths for weight in path.weights))

    @property
    def steps(self):
        """How many steps each model is away from that of the labels."""
        return np.concatenate(
            [[0], *(1 + np.arange(len(p.weights)) for p in self.paths)]
        )

    def without_paths(self):
        """The labels alone."""
        return replace(self, paths=tuple(p._replace(weights=()) for p in self.paths))

    def problem(self, sample, space, solver):
        """The problem of the labels and of the loss on other rows."""
        given, unlabeled, choose = self._given(sample), sample.unlabeled_idx, None
        rows = sample.irrelevant_idx if self.is_universum else unlabeled
        intercepts, names = (None,) * len(given), sample.classes.tolist()
        shares = self.balance.class_shares(names, sample.class_shares(), self.who)
        if self.is_joint and sample.n_classes > 2:
            choose = JointChoice(*self.balance.bounds(shares, len(unlabeled)))
        elif self.balance.shares is not None and len(unlabeled):
            center = np.zeros(len(sample.row_weights))
            center[unlabeled] = sample.row_weights[unlabeled]
            space = space.centered(center / center.sum())
            # the mean score of a class of share p, Eq. (25)
            # Two classes have one column, which is the second class against the first.
            intercepts = tuple((2.0 * shares[-len(given) :] - 1.0).tolist())
        costs = np.zeros(len(rows))  # those of the path come later
        return BranchProblem(
            space, solver, given, self.paths[0].loss, rows, costs, intercepts, choose
        )

    def follow(self, problem, sample, progress=None):
        """The models of all paths, as one `Path`."""
        joined = None
        for path in self.paths:
            announce = callback = None
            if progress is not None:
                announce, callback = progress.weights(path.weights), progress.every(1)
            found = follow_path(
                problem,
                [self._costs(sample, problem.rows, weight) for weight in path.weights],
                loss=path.loss,
                minimize=path.minimize,
                first=None if joined is None else joined.first,
                fixed_first=self.balance.shares not in (None, "labeled"),
                max_iter=self.max_iter,
                announce=announce,
                callback=callback,
            )
            joined = found if joined is None else joined.joined(found)
            if joined.result.status is Status.INTERRUPTED:
                break
        return joined

    def _given(self, sample):
        """Losses of labeled and irrelevant rows, one for each column of scores."""
        n_rows, costs = len(sample.row_weights), self.C * sample.label_weights
        signs = sign_coding(sample.codes, len(sample.classes))
        losses = tuple(
            labeled_hinges(sample.label_idx, own, costs, n_rows) for own in signs.T
        )
        if self.is_universum or not sample.irrelevant.any():
            return losses
        rows = sample.irrelevant_idx
        costs = self._costs(sample, rows, self.irrelevant_weight)
        known = EpsilonInsensitive(self.epsilon).pieces(None, rows, costs, n_rows)
        return tuple(loss + known for loss in losses)

    def _costs(self, sample, rows, weight):
        """Costs of rows, which add up to `weight` times that of all labels."""
        own = sample.row_weights[rows]
        return weight * self.C * sample.label_weights.sum() * own / own.sum()


def make_task(estimator, *averaged, single=None, **options):
    """The task for the parameters that all three estimators have, checked.

    If `unlabeled_weight` is "auto", the models of the paths `averaged` are averaged.
    The path to a weight of the user's own is `single`, or the only one if it is None.
    """
    check_number(estimator, "C", low=0, strict=True)
    check_number_or(estimator, "unlabeled_weight", ("auto",), low=0)
    check_number(estimator, "max_iter", low=1, integer=True)
    weight, n_steps = estimator.unlabeled_weight, 1
    if hasattr(estimator, "n_annealing"):
        check_number(estimator, "n_annealing", low=1, integer=True)
        n_steps = estimator.n_annealing
    is_auto = isinstance(weight, str)
    paths = averaged
    if not is_auto:  # rising to the user's own
        # Half a decade for each step; each problem starts from the solution before it.
        smaller = 10.0 ** (-0.5 * np.arange(n_steps)[::-1])
        weights = tuple((weight * smaller).tolist()) if weight else ()
        (path,) = averaged if single is None else (single,)
        paths = (path._replace(weights=weights),)
    who, C = type(estimator).__name__, float(estimator.C)
    return HingeTask(who, C, paths, is_auto, estimator.max_iter, **options)


def find_irrelevant(estimator, y):
    """Which given rows are known to be irrelevant; None without a label for it."""
    label, who = estimator.irrelevant_label, type(estimator).__name__
    if label is None or y is None:
        return None
    if not (np.isscalar(label) and labeled_mask([label])[0]):
        raise ValueError(
            f"irrelevant_label of {who} must be None or a value in y that does not "
            f"mark unlabeled samples, got {label!r}."
        )
    irrelevant = has_label(y, label)
    if not irrelevant.any():
        warn_caller(
            f"{who} found no sample with the irrelevant_label {label!r} "
            f"({type(label).__name__}) in y."
        )
    return irrelevant


def fit_hinge(estimator, task, sample, rng):
    """Fit an estimator to a sample: a `Fit`, and the scores of the rows."""
    names = "kernel", "landmarks", "solver"
    kernel, landmarks, solver = read_parameters(estimator, *names)
    has_rows = sample.irrelevant.any() if task.is_universum else sample.n_unlabeled
    if not has_rows:
        task = task.without_paths()
    kernel = sample.rows.fit_width(kernel, rng, auto=task.width)
    space, solver = choose_hinge_space(
        kernel, sample.rows, landmarks, solver, rng, who=task.who
    )
    held_out = hold_out(task, sample, space, solver, rng)
    if held_out is None:  # interrupted: the labels alone
        task = task.without_paths()
    problem = task.problem(sample, space, solver)
    path = task.follow(problem, sample, Progress.of(estimator))
    result = replace(path.result, scores=None)  # a value for each training row
    if held_out is None:
        result = replace(result, status=Status.INTERRUPTED)
    average, calibration, n_models = None, Calibration(), 0
    if held_out is not None:
        n_models = len(held_out)
        # One family: another path is no reason to trust the labels alone less.
        prior = family_prior(["path"] * n_models, PATH_DECAY ** task.steps[:n_models])
        given = sample.codes, prior, sample.label_weights
        average, calibration = average_scores(held_out, *given)
    is_averaged = n_models > 1
    solution = average.combine(path.solutions) if is_averaged else path.solutions[-1]
    estimator.unlabeled_weights_ = task.weights if is_averaged else None
    scores = problem.scores(solution)
    codes = decide(scores)
    if problem.choose is not None:
        codes[problem.rows] = problem.choose.codes(scores[problem.rows])
    fitted = Fit(
        problem.space.to_function(*problem.space.from_dual(solution)),
        calibration,
        result,
        codes,
        None if average is None else sample.spread_to_given(average.held_out),
        average if is_averaged else None,
    )
    return fitted, scores


def hold_out(task, sample, space, solver, rng):
    """Scores of labels by models without them, (n_models, n_labels, n_columns).

    NaN where a label was not held out; None instead of the scores if interrupted.
    """
    n_models = len(task.weights) if task.is_averaged else 1
    n_folds = N_FOLDS if task.is_averaged else _CALIBRATION_FOLDS
    idx = _draw_holdout(sample, space.low_rank, rng)
    part, space = sample.part(idx), space.part(idx)
    # Weights of models need fewer digits than the model itself.
    solver = solver.loosened(HINGE_FOLD_TOL)
    scores = sample.unknown_scores(n_models)
    for trial, held_out, row_idx in sample.trials(part, rng, n_folds):
        problem = task.problem(trial, space, solver)
        path = task.follow(problem, trial)
        if path.result.status is Status.INTERRUPTED:
            return None
        # All models of the paths if they are averaged, the last one otherwise.
        scores[:, held_out] = [own[row_idx] for own in path.scores[-n_models:]]
    return scores


def _draw_holdout(sample, is_cheap, rng):
    """Rows on which labels are held out: all labeled ones and some others."""
    # few rows for each label cannot show what many do: more where they are cheap
    per_label = HINGE_HOLDOUT.rows_per_label if is_cheap else 2
    n_labels = len(sample.codes)
    n_rows = min(per_label * n_labels, HINGE_HOLDOUT.most_rows)
    n_rows = max(HINGE_HOLDOUT.least_rows, n_rows, 2 * n_labels)
    known_idx, irrelevant_idx = sample.draw_rows(n_rows, rng), sample.irrelevant_idx
    if len(irrelevant_idx):
        size = min(len(irrelevant_idx), HINGE_HOLDOUT.most_irrelevant)
        irrelevant_idx = np.sort(rng.choice(irrelevant_idx, size, replace=False))
    return np.concatenate([known_idx, irrelevant_idx])
