"""Self-labeling: fit a regression to the labels, relabel by its scores, and repeat.

A *model* gives a regressor for any weights of the rows. The weight of the unlabeled
rows rises along a path; each loop starts from the labels of the one before.
"""

import numbers
from dataclasses import dataclass, field, replace

import numpy as np
from scipy.special import softmax

from widemargin.averaging import posterior_weights
from widemargin.checks import check_number, refuse
from widemargin.defaults import (
    ANNEALING_WEIGHTS,
    MAX_UNLABELED_RATIO,
    START_LOG_ODDS,
    UNTUNED_TRUST,
)
from widemargin.labels import sign_coding
from widemargin.objectives.pieces import hinges
from widemargin.solvers.driver import Interruptible, drive
from widemargin.solvers.relabeling import Relabel, Relabeling
from widemargin.solvers.result import SolveResult, Status, worst
from widemargin.spaces import Posterior, ProfiledSmoother, kernel_spectrum
from widemargin.values import Value

# Weight of an unlabeled row in the first regression, which depends on the labels alone;
# positive because smoothers divide by weights.
_FIRST_WEIGHT = 1e-6


@dataclass(frozen=True)
class Annealing(Value, shorthand="auto"):
    """Increasing weights of the unlabeled rows, used one after another.

    Parameters
    ----------
    weights : float or sequence of float, default=(0.01, 0.1, 0.3, 1.0)
        Relative to the unit of `labeled_weight`; ``(1.0,)`` in the paper.
    max_unlabeled_ratio : float or None, default=4.0
        Largest ratio of the total weight of the unlabeled rows to that of the labeled
        rows, at which the annealing ends early; None, as in the paper, for no limit.

    Examples
    --------
    >>> from widemargin.solvers.self_labeling import Annealing
    >>> Annealing((0.1, 0.5, 1.0), max_unlabeled_ratio=4.0).path(even_weight=0.05)
    (0.1, 0.2)
    """

    weights: object = ANNEALING_WEIGHTS
    max_unlabeled_ratio: float | None = MAX_UNLABELED_RATIO

    written = "'auto', numbers > 0 or an Annealing value"

    def __post_init__(self):
        """Raise unless all weights and the limit are positive."""
        if not _are_positive(self.weights):
            refuse(self, "weights", "a number > 0, or a sequence of these")
        if self.max_unlabeled_ratio is not None:
            check_number(self, "max_unlabeled_ratio", low=0, strict=True)

    def path(self, even_weight):
        """The weights within the limit; at `even_weight` both groups are equal."""
        path = tuple(np.atleast_1d(self.weights).astype(float).tolist())
        if self.max_unlabeled_ratio is None:
            return path
        most = self.max_unlabeled_ratio * even_weight
        return tuple(dict.fromkeys(min(weight, most) for weight in path))


def _are_positive(weights):
    """Whether these are a positive number, or several."""
    values = [weights] if isinstance(weights, numbers.Real) else weights
    if isinstance(values, str) or np.ndim(values) != 1 or not len(values):
        return False
    return all(isinstance(v, numbers.Real) and 0 < v < np.inf for v in values)


@dataclass(frozen=True)
class GaussianProcess:
    """A Gaussian process with a profiled mean, whose posterior depends on all rows."""

    space: object
    scale: float  # variance of the process
    noise: float  # variance of the noise of a row of weight one
    leave_one_out: bool = True  # whether a row is relabeled without its label

    def regressor(self, weights):
        """The regressor for weights of the rows."""
        smoother = self.space.smoother(weights, self.noise / self.scale)
        return ProcessRegressor(self, ProfiledSmoother(smoother))

    def directions(self, row_weights, n_components):
        """Kernel principal components and their opposites, each (n, 1)."""
        product = self.space.kernel_product
        columns = kernel_spectrum(product, row_weights, n_components).vectors.T
        return [sign * column[:, None] for column in columns for sign in (1.0, -1.0)]


@dataclass(frozen=True)
class ProcessRegressor:
    """The process for some weights of the rows: everything from one smoother."""

    model: object
    profiled: ProfiledSmoother
    status = Status.CONVERGED  # a factorization is exact

    def scores(self, signs):
        """Values to relabel by, (n, k) -> (n, k)."""
        return self.held_out(signs) if self.model.leave_one_out else self.fitted(signs)

    def fitted(self, signs):
        """Fitted values of all rows, (n, k)."""
        return self.profiled @ signs

    def held_out(self, signs):
        """Value at each row of the functions fitted without it, (n, k)."""
        return self.profiled.leave_one_out(signs)

    def coordinates(self, signs):
        """Coefficients and constants of the fitted functions."""
        return self.profiled.coordinates(signs)

    def neg_log_likelihood(self, signs):
        """Minus the log marginal likelihood of labels, up to what all of them share."""
        return 0.5 * self.profiled.misfit(signs) / self.model.noise

    def function(self, signs):
        """The fitted function, as a model keeps it."""
        return self.model.space.to_function(*self.coordinates(signs))

    def posterior(self):
        """The variance of the scores."""
        return Posterior.of(self.profiled, self.model.scale, self.model.noise)


@dataclass(frozen=True)
class ActiveProcess:
    """A `GaussianProcess` whose posterior depends on the labels of some rows only."""

    space: object  # over the active rows
    active_idx: np.ndarray  # their positions among all rows
    cross: np.ndarray  # kernel values of all rows against them, (n, n_active)
    scale: float
    noise: float
    leave_one_out: bool = True  # rows that are not active are held out anyway

    def regressor(self, weights):
        """The regressor for weights of all rows."""
        weights = weights[self.active_idx]
        smoother = self.space.smoother(weights, self.noise / self.scale)
        return ActiveRegressor(self, ProfiledSmoother(smoother))

    def directions(self, row_weights, n_components):
        """None: most rows are known by kernel values with active ones only."""
        return []


class ActiveRegressor(ProcessRegressor):
    """The process of active rows for some weights; the smoother is that of these."""

    def fitted(self, signs):
        """Fitted values of all rows, (n, k)."""
        coefficients, constants = self.coordinates(signs)
        return self.model.cross @ coefficients + constants

    def held_out(self, signs):
        """Value at each row of the functions fitted without it, (n, k)."""
        scores, active_idx = self.fitted(signs), self.model.active_idx
        scores[active_idx] = self.profiled.leave_one_out(signs[active_idx])
        return scores

    def coordinates(self, signs):
        """Coefficients and constants of the fitted functions."""
        return self.profiled.coordinates(signs[self.model.active_idx])


@dataclass(frozen=True)
class AbsoluteRegression:
    r"""Support vector regression with the absolute loss, Eq. (4) of Patel et al.

    .. math:: \tfrac12 \|h\|^2 + C \sum_i w_i |y_i - h(x_i) - b|
    """

    space: object
    solver: object
    C: float

    def regressor(self, weights):
        """The regressor for weights of the rows."""
        return AbsoluteRegressor(self.space, self.solver, self.C * weights)


class AbsoluteRegressor:
    """Support vector regression with the absolute loss for some costs of the rows."""

    def __init__(self, space, solver, costs):
        self.space, self.solver, self.costs, self._last = space, solver, costs, {}
        self.status = Status.CONVERGED  # the worst so far

    def scores(self, signs):
        """Fitted values, (n, k) -> (n, k); an interrupt of a solver is passed on."""
        columns = [self._solve(k, y) for k, y in enumerate(signs.T)]
        if self.status is Status.INTERRUPTED:
            raise KeyboardInterrupt
        return np.column_stack([self.space.dual_scores(dual) for dual in columns])

    def function(self, signs):
        """The fitted function, as a model keeps it."""
        dual = np.column_stack([self._solve(k, y) for k, y in enumerate(signs.T)])
        return self.space.to_function(*self.space.from_dual(dual))

    def _solve(self, k, targets):
        """The solution of one column, from that of its last labels."""
        known, start = self._last.get(k, (None, None))
        if known is not None and np.array_equal(known, targets):
            return start
        n = len(targets)
        # |y - f| = max(0, y - f) + max(0, f - y): two hinges with one kink.
        rows, kinks = np.tile(np.arange(n), 2), np.tile(targets, 2)
        sides, costs = np.repeat([1.0, -1.0], n), np.tile(self.costs, 2)
        pieces = hinges(n, rows, kinks, sides, costs)
        result = self.solver.solve(self.space, pieces, None, start)
        self.status = worst(self.status, result.status)
        self._last[k] = targets.copy(), result.solution
        return result.solution


@dataclass(frozen=True)
class LabelingTask:
    """Which labels are to be found, and how much each row counts."""

    relabeling: Relabeling
    # in units of an unlabeled row, because merged copies of labels weigh several rows
    row_weights: np.ndarray
    labeled_weight: float  # what the weights of labeled rows are multiplied by
    path: tuple  # what those of unlabeled rows are multiplied by, in turn
    relabel: Relabel  # when a loop ends

    @classmethod
    def of(cls, sample, bounds, labeled_weight, annealing, relabel):
        """The task of a sample; `bounds` are those of unlabeled rows in each class."""
        labeled, rows = sample.labeled, sample.row_weights
        some = ~labeled if sample.n_unlabeled else labeled
        row_weights = rows / rows[some].mean()
        path = replace(annealing, max_unlabeled_ratio=None).path(0.0)
        if sample.n_unlabeled:
            # The weight of an unlabeled row at which both groups weigh the same in all.
            sums = row_weights[labeled].sum(), row_weights[~labeled].sum()
            path = annealing.path(labeled_weight * sums[0] / sums[1])
        weights = (
            labeled_weight * row_weights[labeled],
            path[-1] * row_weights[~labeled],
        )
        relabeling = Relabeling(
            sample.row_codes, ~labeled, *bounds, relabel.threshold, *weights
        )
        return cls(relabeling, row_weights, float(labeled_weight), path, relabel)

    @property
    def n_labels(self):
        """Weight of the labels in units of an unlabeled row."""
        return float(self.row_weights[~self.relabeling.movable].sum())

    @property
    def contest(self):
        """Place in the path where the best of several starts is chosen."""
        # The last one at which unlabeled rows do not outweigh the labels, else clusters
        # that are no classes would win; the first one hardly depends on the start.
        sum_unlabeled = float(self.row_weights[self.relabeling.movable].sum())
        sum_labeled = self.labeled_weight * self.n_labels
        is_within = np.array(self.path) * sum_unlabeled <= sum_labeled
        within = np.flatnonzero(is_within).tolist()
        return max([min(1, len(self.path) - 1), *within])

    def weights(self, unlabeled_weight):
        """Weight of each row in the regression."""
        movable = self.relabeling.movable
        factor = np.where(movable, unlabeled_weight, self.labeled_weight)
        return factor * self.row_weights

    @property
    def last_weights(self):
        """Weight of each row in the last regression."""
        return self.weights(self.path[-1])

    def signs(self, codes):
        """One-vs-rest targets of all rows, (n_rows, n_columns)."""
        return sign_coding(codes, len(self.relabeling.lower))


@dataclass(frozen=True)
class Labeling:
    """Labels of all rows, and the regressor that they were found by."""

    codes: np.ndarray
    signs: np.ndarray = field(repr=False)  # the codes as targets, (n_rows, n_columns)
    model: object = field(repr=False)
    regressor: object = field(repr=False)  # the last one
    result: SolveResult  # of the last loop: the solution holds the labels

    @property
    def is_interrupted(self):
        """Whether an interrupt ended it."""
        return self.result.status is Status.INTERRUPTED

    def ended(self, status):
        """The same with another status, if that is worse."""
        status = worst(self.result.status, status)
        return replace(self, result=replace(self.result, status=status))


def self_label(model, task, *, start=None, n_components=0, callback=None):
    """Find the labels of the unlabeled rows along the path of their weight.

    It starts from the labels `start`, or from those of a regression to the given ones.
    The sides of `n_components` kernel components are more starts for two classes, see
    `alternate_from`. An interrupt before there is a regressor is passed on.
    """
    relabeling, regressor, codes = task.relabeling, None, start
    path, directions = task.path, ()
    if start is None:
        regressor = model.regressor(task.weights(_FIRST_WEIGHT))
        signs = task.signs(relabeling.codes)
        # Targets of unlabeled rows do not matter at this weight; zero favors no class.
        signs[relabeling.movable] = 0.0
        codes = relabeling(np.zeros_like(signs))
        with Interruptible() as work:
            codes = relabeling(regressor.scores(signs))
            if n_components and signs.shape[1] == 1 and relabeling.movable.any():
                directions = model.directions(task.row_weights, n_components)
        if work.was_interrupted:
            path = ()
    contest = task.contest if directions else None
    result = SolveResult(codes, 0.0, Status.INTERRUPTED, 0)
    for place, weight in enumerate(path):
        starts = [codes]
        with Interruptible() as work:
            if place == contest:
                starts += [relabeling(scores) for scores in directions]
            regressor = model.regressor(task.weights(weight))
        if work.was_interrupted:
            if regressor is None:
                raise KeyboardInterrupt
            result = replace(result, status=Status.INTERRUPTED)
            break
        result = alternate_from(starts, regressor, task, weight, callback=callback)
        codes = result.solution
        if result.status is Status.INTERRUPTED:
            break
    return Labeling(codes, task.signs(codes), model, regressor, result)


def alternate_from(
    starts, regressor, task, weight, *, log_odds=START_LOG_ODDS, callback=None
):
    """The most probable of the labelings that several starts lead to.

    By the marginal likelihood of the labels that each leads to, and by a prior: each
    given label adds `log_odds` to the prior log odds of the first start, which these
    labels lead to, against another. An interrupt ends it with the best so far.
    """
    results, losses, status = [], [], None
    for number, start in enumerate(starts, 1):
        facts = {"unlabeled_weight": weight, "start_number": number}
        result = alternate(regressor, task, start, callback=callback, **facts)
        if len(starts) == 1:
            return result
        with Interruptible() as work:
            if result.status is not Status.INTERRUPTED:
                signs = task.signs(result.solution)
                losses.append(regressor.neg_log_likelihood(signs))
                results.append(result)
        if work.was_interrupted or result.status is Status.INTERRUPTED:
            status = Status.INTERRUPTED
            break
    if not losses:
        return replace(result, status=Status.INTERRUPTED)
    log_prior = np.zeros(len(losses))
    log_prior[0] = log_odds * task.n_labels
    # The floor keeps the logarithm finite; only tens of thousands of labels reach it.
    prior = np.maximum(softmax(log_prior), np.finfo(np.float64).tiny)
    weights = posterior_weights(losses, prior, trust=UNTUNED_TRUST)
    best = results[weights.argmax()]
    return best if status is None else replace(best, status=status)


def alternate(regressor, task, start, *, callback=None, **facts):
    """Fit and relabel alternately until few labels change, or labels repeat.

    The "criterion" is the share of labels that changed, the "objective" their number;
    the history also has the `facts`. A cycle of labels also ends it: relabeling by
    held-out values need not lower any objective.
    """
    labels, seen = [start], {start.tobytes()}
    history = {name: [] for name in ("objective", "criterion", *facts)}

    def rounds():
        while True:
            found = task.relabeling(regressor.scores(task.signs(labels[-1])))
            n_changed = int(np.sum(found != labels[-1]))
            share = n_changed / max(1, len(found))
            labels.append(found)
            facts.update(objective=float(n_changed), criterion=share)
            for name in history:
                history[name].append(facts[name])
            is_settled = n_changed == 0 or share < task.relabel.tol
            is_settled |= found.tobytes() in seen
            seen.add(found.tobytes())
            yield Status.CONVERGED if is_settled else None

    max_iter = task.relabel.max_iter
    status, n_iter = drive(rounds(), history, max_iter=max_iter, callback=callback)
    n_changed = history["objective"][-1] if history["objective"] else 0.0
    return SolveResult(labels[-1], n_changed, status, n_iter, history)
