"""Models along a path of weights of the unlabeled rows, and their average.

The first model is that of the labels alone. Each further one gives the unlabeled rows
more weight; its search starts from the labels that the one before it has found.
"""

from dataclasses import dataclass, replace

import numpy as np

from widemargin.averaging import Average, average_scores, family_prior
from widemargin.calibration import Calibration, fit_calibration
from widemargin.defaults import HOLDOUT_ROWS, PATH_DECAY, UNLABELED_WEIGHTS
from widemargin.graphs import Graph
from widemargin.kernels import Kernel
from widemargin.labelling.problem import LabelProblem, make_problem
from widemargin.labelling.search import search_labels
from widemargin.labelling.starts import Starts
from widemargin.labelling.strategies import Search
from widemargin.labels import both_columns, decide, sign_coding
from widemargin.objectives.class_sizes import Balance
from widemargin.solvers.driver import Interruptible
from widemargin.solvers.result import SolveResult, Status


@dataclass(frozen=True)
class PathSettings:
    """How missing labels are searched."""

    kernel: Kernel
    graph: Graph  # in the geometry of the kernel
    intrinsic_reg: float  # 0 is no graph
    balance: Balance
    own_shares: np.ndarray | None  # of the user; None for those of the labels
    search: Search
    starts: Starts  # of the first search
    n_threads: int = 1

    def add_graph(self, space, rows):
        """The space, also penalized by the smoothness along the graph of its rows."""
        if self.intrinsic_reg == 0:
            return space
        # Few landmarks cannot represent functions smoother than those of power 1.
        power = 1 if space.low_rank else 3
        adjacency = rows.adjacency(self.graph, self.kernel)
        laplacian = self.graph.laplacian_of(adjacency, auto_power=power)
        return space.with_graph(laplacian, self.intrinsic_reg)


class SharedPaths:
    """A space that keeps what its smoothers share, for many values of `reg`."""

    def __init__(self, space):
        self.space, self._paths = space, {}
        self.scores, self.fit_rows = space.scores, space.fit_rows
        self.part, self.low_rank = space.part, space.low_rank

    def smoother(self, weights, reg):
        """The smoother for one value of `reg`, cheap for weights seen before."""
        key = weights.tobytes()
        if key not in self._paths:
            self._paths[key] = self.space.path(weights)
        return self._paths[key](reg)


@dataclass(frozen=True)
class LabelPath:
    """Models with increasing weight on the unlabeled rows."""

    coordinates: list  # of the functions; first that of the labels alone
    results: list  # of the searches, in codes of the last problem
    problem: LabelProblem  # without a smoother if nothing was searched
    class_order: np.ndarray  # the class of each code
    was_interrupted: bool


def follow_path(space, sample, reg, weights, settings, rng, *, callback=None):
    """The model of the labels alone, and one for each weight until an interrupt."""
    n_classes = len(sample.classes)
    class_signs = sign_coding(np.arange(n_classes), n_classes)
    own = sample.label_weights / sample.label_weights.sum()
    signs = class_signs[sample.codes]
    coordinates = [space.fit_rows(sample.label_idx, signs, own, reg)]
    class_order, results = sample.class_order, []
    problem = make_problem(sample, settings.balance, settings.own_shares)
    weights = weights if len(problem.order) else ()
    searches = settings.search.for_weights(weights, len(sample.row_weights))
    unit = sample.loss_weights(1.0)  # of unlabeled rows with weight one
    with Interruptible() as run:
        for weight, search in zip(weights, searches, strict=True):
            row_weights = np.where(problem.movable, weight * unit, unit)
            smoother = space.smoother(row_weights, reg)
            problem = problem.with_smoother(smoother)
            if results:
                starts, seeds = [results[-1].solution], rng.integers(2**62, size=1)
            else:
                preference = preferences(space.scores(coordinates[0]), class_order)
                starts, seeds = settings.starts.make(problem, preference, rng)
            n_threads = settings.n_threads
            result = search_labels(problem, search, starts, seeds, n_threads, callback)
            found = class_signs[class_order[result.solution]]
            coordinates.append(smoother.coordinates(found))
            results.append(result)
            if result.status is Status.INTERRUPTED:
                break
    is_ended = bool(results) and results[-1].status is Status.INTERRUPTED
    was_interrupted = run.was_interrupted or is_ended
    if was_interrupted and results and not is_ended:  # between two searches
        results[-1] = replace(results[-1], status=Status.INTERRUPTED)
    return LabelPath(coordinates, results, problem, class_order, was_interrupted)


def preferences(scores, class_order):
    """Scores of each class, (n_classes, n), with classes in an order of their own."""
    return both_columns(scores.astype(np.float64)).T[class_order]


def hold_out(space, sample, reg, weights, settings, rng, *, n_rows=HOLDOUT_ROWS):
    """Scores of held-out labels by each model, (n_models, n_labels, n_columns).

    NaN for the only label of a class; None if interrupted. Labels are held out on
    `n_rows` rows if there are more, and on at least twice as many as labels.
    """
    idx = sample.draw_rows(max(n_rows, 2 * sample.n_labels), rng)
    part = sample.part(idx)
    space = settings.add_graph(space.part(idx), part.rows)
    scores = sample.unknown_scores(len(weights) + 1)
    for trial, held_out, row_idx in sample.trials(part, rng):
        path = follow_path(space, trial, reg, weights, settings, rng)
        if path.was_interrupted:
            return None
        # One product for all models of the path: their columns stand side by side.
        of_rows = space.scores(np.hstack(path.coordinates))[row_idx]
        by_model = of_rows.reshape(len(of_rows), len(scores), sample.n_columns)
        scores[:, held_out] = by_model.transpose(1, 0, 2)
    return scores


@dataclass(frozen=True)
class LabelFit:
    """What is learned from labeled and unlabeled rows."""

    coordinates: np.ndarray
    codes: np.ndarray  # classes found for the rows
    result: SolveResult  # of the last search
    calibration: Calibration
    average: Average | None = None  # of the models of the path
    # Probabilities of each label by models fitted without it, (n_labels, n_classes).
    held_out: np.ndarray | None = None


def fit_labels(space, sample, reg, weight, settings, rng, *, callback=None, n_rows):
    """Learn from all rows; a `weight` "auto" averages over `UNLABELED_WEIGHTS`."""
    if not sample.n_unlabeled:
        return _fit_all_labeled(space, sample, reg, settings, rng)
    if weight != "auto":
        return _fit_weight(space, sample, reg, weight, settings, rng, callback)
    weights = UNLABELED_WEIGHTS
    scores = hold_out(space, sample, reg, weights, settings, rng, n_rows=n_rows)
    if scores is None:  # interrupted
        path = follow_path(space, sample, reg, (), settings, rng)
        return _fit_supervised(space, path)
    # One family, in which each step of the path has less prior weight than the last.
    prior = family_prior(np.zeros(len(scores)), PATH_DECAY ** np.arange(len(scores)))
    given = sample.codes, prior, sample.label_weights
    average, calibration = average_scores(scores, *given)
    path = follow_path(space, sample, reg, weights, settings, rng, callback=callback)
    if not path.results:
        return _fit_supervised(space, path)
    coordinates = average.combine(path.coordinates)  # of fewer models if interrupted
    scores = space.scores(coordinates)
    codes, balance = decide(scores), settings.balance
    # The average may have any class sizes; the user's own are restored.
    if settings.own_shares is not None or balance.tolerance != "auto":
        preference = preferences(scores, path.class_order)
        codes = path.class_order[path.problem.preferred_codes(preference)]
    result = path.results[-1]
    return LabelFit(coordinates, codes, result, calibration, average, average.held_out)


def _fit_supervised(space, path):
    """The model of the labels alone, where an interrupt left nothing else."""
    codes = decide(space.scores(path.coordinates[0]))
    result = SolveResult(codes, np.nan, Status.INTERRUPTED, 0)
    return LabelFit(path.coordinates[0], codes, result, Calibration())


def _fit_all_labeled(space, sample, reg, settings, rng):
    """The model of rows that are all labeled, with exact leave-one-out scores."""
    path = follow_path(space, sample, reg, (), settings, rng)
    smoother = space.smoother(sample.loss_weights(1.0), reg)
    scores, calibration = _calibrate(sample, smoother, sample.signs)
    codes = decide(space.scores(path.coordinates[0]))
    result = SolveResult(codes, np.nan, Status.CONVERGED, 0)
    held_out = calibration.probabilities(scores)
    return LabelFit(path.coordinates[0], codes, result, calibration, held_out=held_out)


def _fit_weight(space, sample, reg, weight, settings, rng, callback):
    """The model of one weight of the unlabeled rows."""
    path = follow_path(space, sample, reg, (weight,), settings, rng, callback=callback)
    if not path.results:
        return _fit_supervised(space, path)
    codes = path.class_order[path.results[0].solution]
    signs = sign_coding(codes, sample.n_classes)
    _, calibration = _calibrate(sample, path.problem.smoother, signs)
    return LabelFit(path.coordinates[1], codes, path.results[0], calibration)


def _calibrate(sample, smoother, signs):
    """Scores of each label without it, NaN for the only one of a class; calibration."""
    scores = smoother.leave_one_out(signs)[sample.label_idx].astype(np.float64)
    scores = sample.mask_single(scores)
    return scores, fit_calibration(scores, sample.codes, sample.label_weights)
