"""Problems of hinges: what solves the convex ones, and majorize-minimize around them.

A solution is (n_rows + 1,): coefficients of the rows' kernel functions, and the
intercept. Centering keeps the balance: if the space is centered on the mean of
some rows, the mean score of these is the intercept, whatever the coefficients are (Eq.
(25) of Yang et al., eliminated exactly).
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from widemargin.checks import check_number
from widemargin.defaults import GRAM_BYTES, HINGE_LADDER
from widemargin.kernels import Linear
from widemargin.objectives.pieces import HingePieces
from widemargin.solvers.driver import drive
from widemargin.solvers.proximal_multipliers import proximal_multipliers
from widemargin.solvers.result import SolveResult, Status, worst
from widemargin.solvers.smo import smo
from widemargin.spaces import choose_space, linear_space
from widemargin.spaces.choose import check_cost_unit
from widemargin.values import Value

_SMO_STEPS = 2_000_000  # of a convex problem; a bound for problems that never settle
_RISE = 1e-9  # relative rise of the objective that is rounding


class HingeSolver(Value):
    """What solves convex problems of hinges; a family of parameters."""

    takes_auto = True

    def __post_init__(self):
        """Raise unless the tolerance is positive."""
        check_number(self, "tol", low=0, strict=True)

    def solve(self, space, pieces, intercept=None, start=None, start_scores=None):
        """Minimize half of the squared norm plus the pieces."""
        options = {"intercept": intercept, "start": start, "start_scores": start_scores}
        result = self._minimize(space, pieces, **options)
        if result.status is Status.MAX_ITER:  # told from the limit of a loop around it
            return replace(result, status=Status.INNER_LIMIT)
        return result

    def loosened(self, factor):
        """The same solver with a tolerance that is larger by a factor."""
        return replace(self, tol=factor * self.tol)


@dataclass(frozen=True)
class Smo(HingeSolver, shorthand="smo"):
    """Sequential minimal optimization on a Gram matrix.

    Parameters
    ----------
    tol : float, default=1e-3
        Largest violation of the optimality conditions, in units of the scores.

    Examples
    --------
    >>> from widemargin.solvers.hinge import Smo
    >>> Smo(tol=1e-4)
    Smo(tol=0.0001)
    """

    tol: float = 1e-3

    def _minimize(self, space, pieces, **options):
        return smo(space.gram, pieces, tol=self.tol, max_iter=_SMO_STEPS, **options)


@dataclass(frozen=True)
class ProximalNewton(HingeSolver, shorthand="newton"):
    """Newton steps on the weights of features, which may be sparse.

    Parameters
    ----------
    tol : float, default=1e-4
        Largest duality gap, relative to the objective.

    Examples
    --------
    >>> from widemargin.solvers.hinge import ProximalNewton
    >>> ProximalNewton()
    ProximalNewton(tol=0.0001)
    """

    tol: float = 1e-4

    def _minimize(self, space, pieces, *, start_scores, **options):
        options |= {"center": space.center, "tol": self.tol}
        return proximal_multipliers(space.features, pieces, **options)


def choose_hinge_space(
    kernel, rows, landmarks, solver, rng, *, who, ladder=HINGE_LADDER,
    gram_bytes=GRAM_BYTES,
):  # fmt: skip
    """The space, as in `choose_space`, and the solver for the user's parameters."""
    is_smo = isinstance(solver, Smo)
    if is_smo and landmarks not in (None, "auto"):
        raise ValueError(
            f"solver={solver!r} of {who} works with the exact kernel, got landmarks="
            f"{landmarks!r}; use solver='newton', or landmarks=None."
        )
    is_small = landmarks == "auto" and len(rows) <= ladder.exact_rows
    is_exact = (landmarks is None or is_small) and not rows.in_blocks
    if isinstance(solver, ProximalNewton) and is_exact:
        if isinstance(kernel, Linear):
            return _checked(linear_space(rows), kernel, who), solver
        raise ValueError(
            f"solver={solver!r} of {who} needs features: use kernel='linear' or set "
            f"landmarks, got kernel={kernel!r} and landmarks={landmarks!r} for "
            f"{len(rows):,} rows."
        )
    landmarks = None if is_smo else landmarks
    options = {"ladder": ladder, "gram_bytes": gram_bytes, "features": not is_smo}
    options |= {"sparse_features": True, "reads_rows": True}
    space = choose_space(kernel, rows, landmarks, rng, who=who, **options)
    space = _checked(space, kernel, who)
    if solver == "auto":
        solver = ProximalNewton() if space.low_rank else Smo()
    return space, solver


def _checked(space, kernel, who):
    """A space whose kernel has a unit that costs can be measured in."""
    if kernel.sees_offsets and hasattr(space, "mean_value"):
        check_cost_unit(space, who)
    return space


@dataclass(frozen=True)
class BranchProblem:
    r"""A convex loss of labeled rows and a loss of branches on others, by columns.

    .. math:: \sum_k \tfrac12 \|h_k\|^2 + \text{given}_k(f_k)
              + \sum_{i \in \text{rows}} c_i\, \ell(f_{ik}) , \qquad f_k = h_k + b_k
    """

    space: object  # of the functions h
    solver: object  # HingeSolver of the convex problems
    given: tuple[HingePieces, ...]  # loss of the labeled rows, for each column
    loss: object  # BranchLoss or RelaxedMinLoss of the other rows,
    rows: np.ndarray  # the rows that it applies to, and
    costs: np.ndarray  # its weights there
    intercepts: tuple  # fixed intercept of each column, or None where it is free
    choose: object = None  # JointChoice of all columns; else each has its lowest branch

    @property
    def n_columns(self):
        """Number of functions."""
        return len(self.given)

    def touch(self, solution, scores):
        """The branches at some scores, the bounds by column, and the objective."""
        given, rows, costs = self.given, self.rows, self.costs
        branches = None if self.choose is None else self.choose(scores[rows])
        found = self.loss.touch(given, scores, rows, costs, branches)
        branches, bounds, total = found
        return branches, bounds, 0.5 * roughness(solution, scores) + total

    def solve(self, k, bound, *start):
        """The best function of column k, with a convex bound of its losses.

        `start` are a solution and its scores.
        """
        return self.solver.solve(self.space, bound, self.intercepts[k], *start)

    def solve_given(self):
        """The functions of the given loss alone, with free intercepts or as fixed."""
        n_samples = self.given[0].n_samples
        solution = np.zeros((n_samples + 1, self.n_columns))
        scores = np.zeros((n_samples, self.n_columns))
        status, objective, criterion = Status.CONVERGED, 0.0, 0.0
        for k, given in enumerate(self.given):
            result = self.solver.solve(self.space, given, self.intercepts[k])
            solution[:, k], scores[:, k] = result.solution, result.scores
            status = _worst([status, result.status])
            objective += result.objective
            criterion = max([criterion, *result.history.get("criterion", [])[-1:]])
            if status is Status.INTERRUPTED:
                break
        history = {"objective": [objective], "criterion": [criterion]}
        return SolveResult(solution, objective, status, 1, history, scores)

    def scores(self, solution):
        """Scores of all samples, (n_samples, n_columns)."""
        return np.column_stack([self.space.dual_scores(own) for own in solution.T])


def majorize_minimize(problem, start, *, scores=None, max_iter=50, callback=None):
    """Fix the lowest branches, solve the convex problem that is left, and repeat.

    Each step bounds the objective from above by a function that touches it, so that the
    objective never rises; a step that gains nothing ends it. If the intercepts of the
    `start` are not the fixed ones, the first step is taken whatever it costs. The
    "criterion" is the share of branches that still change.
    """
    state = _State(problem, start, scores)
    steps = iter(state.step, StopIteration)
    status, n_iter = drive(steps, state.history, max_iter=max_iter, callback=callback)
    solution, history = state.solution, state.history
    return SolveResult(solution, state.value, status, n_iter, history, state.scores)


class Path(NamedTuple):
    """Solutions for growing costs; an interrupted one is the last."""

    solutions: list  # each (n_samples + 1, n_columns)
    scores: list  # each (n_samples, n_columns)
    result: SolveResult  # of the last solution; its status is the worst of all
    first: SolveResult  # of the given loss alone

    def joined(self, other):
        """The path, and after it another one from the same first solution."""
        status = _worst([self.result.status, other.result.status])
        return Path(
            self.solutions + other.solutions[1:],
            self.scores + other.scores[1:],
            replace(other.result, status=status),
            self.first,
        )


def follow_path(
    problem, path_costs, *, loss=None, minimize=majorize_minimize, first=None,
    fixed_first=False, max_iter=50, announce=None, callback=None,
):  # fmt: skip
    """Solve for the given loss alone, then for growing costs of the other loss.

    The other `loss` is that of the problem by default. Each problem starts from the
    solution before it. With `fixed_first` the first solution also keeps the fixed
    intercepts; `first` is that solution if it is known from another path.
    ``announce(place)`` comes before each of the `path_costs`.
    """
    loss = problem.loss if loss is None else loss
    if first is None:
        free = (None,) * problem.n_columns
        given = problem if fixed_first else replace(problem, intercepts=free)
        first = given.solve_given()
    result = first
    path, options = [result], {"max_iter": max_iter, "callback": callback}
    for place, costs in enumerate(path_costs):
        if result.status is Status.INTERRUPTED:
            break
        if announce is not None:
            announce(place)
        priced = replace(problem, loss=loss, costs=costs)
        result = minimize(priced, result.solution, scores=result.scores, **options)
        path.append(result)
    status = _worst([own.status for own in path])
    result = replace(result, status=status) if status is not result.status else result
    solutions, scores = [own.solution for own in path], [own.scores for own in path]
    return Path(solutions, scores, result, first)


class _State:
    """The functions, their scores and branches, and how each column was solved."""

    def __init__(self, problem, start, scores):
        self.problem, self.solution = problem, start
        self.scores = problem.scores(start) if scores is None else scores
        self.branches, self.bounds, self.value = problem.touch(start, self.scores)
        self.solved, self.statuses = None, [Status.CONVERGED] * problem.n_columns
        fixed = zip(problem.intercepts, start[-1], strict=True)
        is_feasible = all(b is None or b == own for b, own in fixed)
        # An infeasible start may be lower than anything feasible.
        self.lowest = self.value if is_feasible else np.inf
        objective = [self.value] if is_feasible else []
        self.history = {"objective": objective, "criterion": []}

    def step(self):
        """Solve the columns whose branches are new; the status at the end, or None."""
        problem, branches = self.problem, self.branches
        solution, scores = self.solution.copy(), self.scores.copy()
        for k in range(problem.n_columns):
            # The same branches are the same convex problem.
            if self.solved is not None and (self.solved == branches)[:, k].all():
                continue
            start = solution[:, k], scores[:, k]
            result = problem.solve(k, self.bounds[k], *start)
            self.statuses[k] = result.status
            if result.status is Status.INTERRUPTED:
                return result.status
            solution[:, k], scores[:, k] = result.solution, result.scores
        lowest, bounds, value = problem.touch(solution, scores)
        rounding = _RISE * abs(value)
        if value > self.lowest + rounding:  # the solver's tolerance is left
            return _worst(self.statuses)
        changed = float(np.mean(lowest != branches)) if branches.size else 0.0
        has_gained = value < self.lowest - rounding
        self.solution, self.scores = solution, scores
        self.branches, self.bounds, self.solved = lowest, bounds, branches
        self.value = self.lowest = min(value, self.lowest)
        self.history["objective"].append(self.value)
        self.history["criterion"].append(changed)
        return None if changed > 0 and has_gained else _worst(self.statuses)


def _worst(statuses):
    """The status to report."""
    # nearly always: no call to another module for it
    if all(status is Status.CONVERGED for status in statuses):
        return Status.CONVERGED
    return worst(*statuses)


def roughness(solution, scores):
    """Squared norm of functions, summed, from their solutions and scores."""
    return float(np.vdot(solution[:-1], scores - solution[-1]))  # a'K a
