"""Majorize-minimize for losses that are minima of convex branches."""

from dataclasses import dataclass, replace
from functools import reduce

import numpy as np

from widemargin.objectives.pieces import HingePieces
from widemargin.solvers.hinge_machine import roughness
from widemargin.solvers.result import SolveResult, Status, worst

_RISE = 1e-9  # relative rise of the objective that is rounding


@dataclass(frozen=True)
class BranchProblem:
    r"""A convex loss of labeled samples and a loss of branches on others, by columns.

    .. math:: \sum_k \tfrac12 \|h_k\|^2 + \text{given}_k(f_k)
              + \sum_{i \in \text{rows}} c_i\, \ell(f_{ik}) , \qquad f_k = h_k + b_k

    Attributes
    ----------
    machine : GramMachine, RowMachine or WeightMachine
        Solves the convex problems.
    given : tuple of HingePieces
        Loss of the labeled samples, one for each column of scores.
    loss : object
        One of the losses of :mod:`widemargin.objectives.tri_class`.
    rows, costs : ndarrays of shape (n_rows,)
        Samples that it applies to, and its weights there.
    intercepts : tuple of float or None
        Fixed intercept of each column, or None where it is free.
    choose : callable, optional
        ``choose(scores) -> branches`` for all columns of the rows together; by default
        each column takes its own lowest branches.
    """

    machine: object
    given: tuple[HingePieces, ...]
    loss: object
    rows: np.ndarray
    costs: np.ndarray
    intercepts: tuple
    choose: object = None

    @property
    def n_columns(self):
        """Number of functions."""
        return len(self.given)

    def with_costs(self, costs):
        """The same problem with other weights of the loss."""
        return replace(self, costs=costs)

    def branches(self, scores):
        """Branches at the scores of all samples, (n_rows, n_columns)."""
        scores = scores[self.rows]
        if self.choose is not None:
            return self.choose(scores)
        return np.column_stack([self.loss.branches(f) for f in scores.T])

    def value(self, solution, scores, branches):
        """Objective, with the loss on the given branches."""
        total = 0.0
        for k, given in enumerate(self.given):
            f = scores[:, k]
            losses = self.loss.value(branches[:, k], f[self.rows])
            total += 0.5 * roughness(solution[:, k], f) + given.value(f)
            total += float(self.costs @ losses)
        return total

    def solve(self, k, branches, start):
        """Best function of column k on fixed branches, a `SolveResult`."""
        n_samples = self.given[k].n_samples
        pieces = self.given[k] + self.loss.pieces(
            branches, self.rows, self.costs, n_samples
        )
        return self.machine.solve(pieces, self.intercepts[k], start)

    def solve_given(self):
        """The functions of the given loss alone, with free intercepts or as fixed."""
        n_samples, n_columns = self.machine.n_samples, self.n_columns
        solution, status = np.zeros((n_samples + 1, n_columns)), Status.CONVERGED
        objective, criterion = 0.0, 0.0
        for k, given in enumerate(self.given):
            result = self.machine.solve(given, self.intercepts[k])
            solution[:, k] = result.solution
            status = worst(status, result.status)
            objective += result.objective
            criterion = max([criterion, *result.history.get("criterion", [])[-1:]])
            if status is Status.INTERRUPTED:
                break
        history = {"objective": [objective], "criterion": [criterion]}
        return SolveResult(solution, objective, status, 1, history)

    def scores(self, solution):
        """Scores of all samples, (n_samples, n_columns)."""
        columns = range(solution.shape[1])
        return np.column_stack([self.machine.scores(solution[:, k]) for k in columns])


def majorize_minimize(problem, start, *, max_iter=50, callback=None):
    """Fix the lowest branches, solve the convex problem that is left, and repeat.

    Each step bounds the objective from above by a function that touches it, so that the
    objective never rises; a step that gains nothing ends it.

    Parameters
    ----------
    problem : BranchProblem
    start : ndarray of shape (n_samples + 1, n_columns)
        Coefficients and, in the last row, intercepts. Its branches are what the first
        step fixes; if its intercepts are not the fixed ones, that step is taken
        whatever it costs.
    max_iter : int
        Steps at the most.
    callback : callable, optional
        Called as ``callback(n_iter, history)`` after each step.

    Returns
    -------
    SolveResult
        The solution has the shape of `start`. The history has the "objective" after
        each step and as "criterion" the share of branches that still change.
    """
    state = _State(problem, start)
    status, n_iter = Status.MAX_ITER, 0
    try:
        for n_iter in range(1, max_iter + 1):
            goes_on = state.step()
            if callback is not None:
                callback(n_iter, state.history)
            if not goes_on:
                status = reduce(worst, state.statuses)
                break
    except KeyboardInterrupt:
        status = Status.INTERRUPTED
    return SolveResult(state.solution, state.value, status, n_iter, state.history)


class _State:
    """The functions, their scores and branches, and how each column was solved."""

    def __init__(self, problem, start):
        self.problem, self.solution = problem, start
        self.scores = problem.scores(start)
        self.branches, self.solved = problem.branches(self.scores), None
        self.statuses = [Status.CONVERGED] * problem.n_columns
        self.value = problem.value(start, self.scores, self.branches)
        fixed = zip(problem.intercepts, start[-1], strict=True)
        is_feasible = all(b is None or b == own for b, own in fixed)
        self.lowest = self.value if is_feasible else np.inf
        objective = [self.value] if is_feasible else []
        self.history = {"objective": objective, "criterion": []}

    def step(self):
        """Solve the columns whose branches are new; whether there is more to do."""
        problem, branches = self.problem, self.branches
        solution, scores = self.solution.copy(), self.scores.copy()
        for k in range(problem.n_columns):
            if self.solved is not None and _equal(self.solved, branches, k):
                continue
            result = problem.solve(k, branches[:, k], solution[:, k])
            self.statuses[k] = result.status
            if result.status is Status.INTERRUPTED:
                return False
            solution[:, k] = result.solution
            scores[:, k] = problem.machine.scores(result.solution)
        lowest = problem.branches(scores)
        value = problem.value(solution, scores, lowest)
        rounding = _RISE * abs(value)
        if value > self.lowest + rounding:  # the solver's tolerance is left
            return False
        changed = float(np.mean(lowest != branches)) if branches.size else 0.0
        has_gained = value < self.lowest - rounding
        self.solution, self.scores = solution, scores
        self.branches, self.solved = lowest, branches
        self.value = self.lowest = min(value, self.lowest)
        self.history["objective"].append(self.value)
        self.history["criterion"].append(changed)
        return changed > 0 and has_gained


def _equal(one, other, k):
    """Whether two choices of branches are the same in column k."""
    return np.array_equal(one[:, k], other[:, k])
