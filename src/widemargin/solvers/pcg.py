"""Preconditioned conjugate gradient, all classes in one block, stopped early or not."""

from dataclasses import dataclass

import numpy as np

from widemargin.defaults import DECISION_TOLERANCE, OBJECTIVE_FALL
from widemargin.labels import decide
from widemargin.solvers.driver import drive
from widemargin.solvers.newton import exact_step
from widemargin.solvers.result import SolveResult, Status

# What each column of a block has: in coordinates, on the rows, and as a number.
_BY_COLUMN = ("c", "d", "gradient", "scores", "smoothing", "d_scores")
_BY_COLUMN += ("gradient_scores", "squared", "scale")
_REFRESH = 50  # iterations after which scores are computed anew, against drift


def pcg(objective, start=None, *, max_iter=1000, tol=1e-6, check=None, callback=None):
    r"""Minimize a `ManifoldObjective`, Algorithm 1 of [1]_.

    Polak-Ribiere conjugate gradient with restarts, preconditioned by the Gram matrix
    and with an exact line search. All columns advance together, so that an iteration
    is one product with the Gram matrix whatever the number of classes; a column that
    has converged leaves the block. Neither L K nor an inverse is formed and a singular
    Gram matrix is harmless: what is called the preconditioned gradient comes first,
    the gradient is K times it.

    A column has converged when its preconditioned gradient, in the norm of the
    preconditioner, is at most `tol` times that at zero, but not less than 200 times the
    machine precision. `check` stops early, on the joint decision of all columns. The
    solution holds the coordinates, (n_coordinates, n_columns). "line_search" in the
    history is the number of intervals of Sec. 3.2.1 that each line search looked at, as
    the mean over the columns.

    .. [1] Melacci and Belkin, Laplacian support vector machines trained in the primal.
    """
    run = _Block(objective, start)
    # The gradient is a difference of scores and targets, which carry this rounding.
    tol = max(tol, 200 * float(np.finfo(objective.space.dtype).eps))
    history = {"objective": [], "criterion": [], "gradient_norm": []}
    history |= {"decision_change": [], "decision_iteration": [], "line_search": []}
    status, n_iter = Status.CONVERGED, 0
    if not run.has_converged(tol, history):
        steps = run.steps(tol, check, history)
        status, n_iter = drive(steps, history, max_iter=max_iter, callback=callback)
    run.release(np.ones(len(run.columns), dtype=bool))
    if len(history["objective"]) <= n_iter:  # stopped before the next gradient
        history["objective"].append(float(run.values.sum()))
    value = float(run.values.sum())
    return SolveResult(run.solution, value, status, n_iter, history)


class _Block:
    """The columns that are still moving, and the results of those that are not.

    The arrays on the rows follow by recurrence; `smoothing` is intrinsic L f.
    """

    def __init__(self, objective, start):
        functions = objective.functions
        n_columns, dtype = objective.targets.shape[1], functions.dtype
        self.objective, self.functions = objective, functions
        self.columns = np.arange(n_columns)
        self.solution = np.zeros((functions.n_coordinates, n_columns), dtype)
        self.final_scores = np.zeros((functions.n_rows, n_columns), dtype)
        self.values = np.zeros(n_columns)
        self.c, self.scores = self.solution.copy(), self.final_scores.copy()
        self.smoothing = np.zeros_like(self.scores)
        self.gradient = objective.gradient(self.c, self.scores, self.smoothing)
        gradient_scores = functions.scores(self.gradient)
        squared = functions.inner(self.gradient, self.gradient, gradient_scores)
        # At zero also for a warm start, whose own gradient may be tiny.
        self.scale = np.sqrt(np.maximum(squared, np.finfo(dtype).tiny))
        if start is not None:
            self.c = start.astype(dtype)
            self._recompute()
        self.d = self.d_scores = self.squared = None
        self.n_intervals = None  # of the last line search, by column

    def _recompute(self):
        self.scores = self.functions.scores(self.c)
        self.smoothing = self.objective.smoothing(self.c, self.scores)

    def steps(self, tol, check, history):
        """Iterations until all columns have converged or the check stops them."""
        n_iter, seen, value = 0, None, np.inf
        while True:
            n_iter += 1
            has_moved = self.advance(refresh=n_iter % _REFRESH == 0)
            history["line_search"].append(float(self.n_intervals.mean()))
            if not has_moved:
                yield Status.STALLED
            if check is not None and n_iter % check.interval == 0:
                # Decisions are joint: converged columns count with their last scores.
                scores = self.final_scores.copy()
                scores[:, self.columns] = self.scores
                before, seen = seen, check.look(scores)
                value_before, value = value, self._value()
                if before is not None:
                    stop, change = check.compare(before, seen)
                    history["decision_change"].append(change)
                    history["decision_iteration"].append(n_iter)
                    if stop and value_before - value <= check.most_fall * value:
                        yield Status.STOPPED_EARLY
            yield Status.CONVERGED if self.has_converged(tol, history) else None

    def has_converged(self, tol, history):
        """Compute the gradient and release the columns in which it is small."""
        self._differentiate()
        norm = np.sqrt(self.squared)
        criterion = norm / self.scale
        history["objective"].append(float(self.values.sum()))
        history["criterion"].append(float(criterion.max(initial=0.0)))
        history["gradient_norm"].append(float(norm.max(initial=0.0)))
        self.release(criterion <= tol)
        return not len(self.columns)

    def _value(self):
        """The objective; columns that have converged keep theirs."""
        values, point = self.values.copy(), (self.c, self.scores, self.smoothing)
        values[self.columns] = self.objective.value(*point, self.columns)
        return float(values.sum())

    def _differentiate(self):
        """Gradient and next direction."""
        objective, functions = self.objective, self.functions
        point = self.c, self.scores, self.smoothing, self.columns
        self.values[self.columns] = objective.value(*point)
        gradient = objective.gradient(*point)
        gradient_scores = functions.scores(gradient)  # the one product with K
        squared = np.maximum(functions.inner(gradient, gradient, gradient_scores), 0.0)
        if self.d is None:
            self.d, self.d_scores = -gradient, -gradient_scores
        else:
            shared = functions.inner(gradient, self.gradient, self.gradient_scores)
            safe = np.where(self.squared > 0, self.squared, 1.0)
            # Polak-Ribiere in the inner product of P, Alg. 1; zero is a restart.
            beta = np.maximum((squared - shared) / safe, 0.0).astype(functions.dtype)
            self.d = beta * self.d - gradient
            self.d_scores = beta * self.d_scores - gradient_scores
        self.gradient, self.gradient_scores = gradient, gradient_scores
        self.squared = squared

    def advance(self, refresh):
        """Exact line search along the direction; whether any column moved."""
        objective = self.objective
        d_smoothing = objective.smoothing(self.d, self.d_scores)
        along = (self.d, self.d_scores, d_smoothing)
        slope = objective.norm(self.c, self.scores, *along)
        curvature = objective.norm(self.d, self.d_scores, *along)
        labels = objective.targets[:, self.columns], objective.weights
        pair = (self.scores, self.d_scores)
        # In double for float32 rows as well, like the slope and the curvature.
        pair = (own[objective.label_idx].astype(np.float64) for own in pair)
        args = *labels, *pair, slope, curvature
        step, self.n_intervals = exact_step(objective.loss, *args)
        step = step.astype(self.functions.dtype)
        self.c += step * self.d
        if refresh:
            self._recompute()
        else:
            self.scores += step * self.d_scores
            self.smoothing += step * d_smoothing
        return bool((step > 0).any())

    def release(self, done):
        """Store the columns that are done and go on with the others."""
        if not done.any():
            return
        columns = self.columns[done]
        self.solution[:, columns] = self.c[:, done]
        self.final_scores[:, columns] = self.scores[:, done]
        self.values[columns] = self.objective.value(
            self.c[:, done], self.scores[:, done], self.smoothing[:, done], columns
        )
        self.columns = self.columns[~done]
        for name in _BY_COLUMN:
            values = getattr(self, name)
            if values is not None:
                setattr(self, name, values[..., ~done])


def check_interval(n_rows):
    """Iterations between checks: half the root of n, but at least ten."""
    # Deviation: the floor. Decisions of slow early iterations look stable too soon.
    return max(10, round(np.sqrt(n_rows) / 2))


@dataclass(frozen=True)
class StabilityCheck:
    """Stop when few of the decisions on the unlabeled rows still change (Alg. 2).

    Deviations: the tolerance is for the share of changed decisions, and not for the
    printed distance of -1/+1 vectors, which is twice as large. Decisions also hardly
    change while conjugate gradient is slow, far from the optimum: it goes on as long
    as the objective falls by more than `most_fall` of its value between two checks.
    """

    row_idx: np.ndarray  # the unlabeled rows
    interval: int  # iterations between checks
    tolerance: float = DECISION_TOLERANCE
    most_fall: float = OBJECTIVE_FALL

    def look(self, scores):
        """The decisions."""
        return decide(scores[self.row_idx])

    def compare(self, before, now):
        """Whether to stop, and the share of decisions that changed."""
        change = float(np.mean(before != now)) if len(now) else 0.0
        return change < self.tolerance, change


@dataclass(frozen=True)
class ValidationCheck:
    """Stop unless one more held-out row is classified correctly (Alg. 3)."""

    row_idx: np.ndarray  # the held-out rows
    codes: np.ndarray  # their classes
    interval: int
    most_fall: float = np.inf  # these rows are judged by labels, and not by each other

    def look(self, scores):
        """Number of correct decisions."""
        return int(np.sum(decide(scores[self.row_idx]) == self.codes))

    def compare(self, before, now):
        """Whether to stop, and the share of held-out rows newly correct."""
        return now <= before, (now - before) / len(self.row_idx)


@dataclass(frozen=True)
class MixedCheck:
    """Stop when both checks would stop at the same iteration."""

    stability: StabilityCheck
    validation: ValidationCheck

    @property
    def interval(self):
        """Iterations between checks."""
        return self.stability.interval

    @property
    def most_fall(self):
        """How much the objective may still fall."""
        return self.stability.most_fall

    def look(self, scores):
        """What both checks compare."""
        return self.stability.look(scores), self.validation.look(scores)

    def compare(self, before, now):
        """Whether to stop, and the share of decisions that changed."""
        stable, change = self.stability.compare(before[0], now[0])
        settled, _ = self.validation.compare(before[1], now[1])
        return stable and settled, change
