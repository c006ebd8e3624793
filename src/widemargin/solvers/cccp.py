"""The concave-convex procedure of the tri-class paper, in its reduced form."""

from dataclasses import dataclass

import numpy as np

from widemargin.checks import check_choice, check_number
from widemargin.defaults import HINGE_WEIGHTS, TRI_CLASS_WEIGHTS
from widemargin.objectives.pieces import MinLoss, Ramp, RelaxedMinLoss, SymmetricHinge
from widemargin.solvers.driver import drive
from widemargin.solvers.hinge import majorize_minimize, roughness
from widemargin.solvers.result import SolveResult, Status, worst
from widemargin.values import Value


class TriClassMethod(Value):
    """How the tri-class problem is solved: ``loss(epsilon)`` and ``minimize(...)``.

    `averaged` are the methods whose models are averaged, each with the weights of the
    unlabeled rows in its models. `single` is the method of a single model, for which
    the user sets the weight.
    """

    @property
    def averaged(self):
        """The method itself."""
        return ((self, HINGE_WEIGHTS),)

    @property
    def single(self):
        """The method itself."""
        return self


@dataclass(frozen=True)
class SeveralLosses(TriClassMethod, shorthand="auto"):
    """Models of several losses, weighted by their scores on held-out labels."""

    @property
    def averaged(self):
        """Those that have weights."""
        weights = TRI_CLASS_WEIGHTS
        methods = (
            (Direct(), weights.direct),
            (Transductive(), weights.transductive),
            (Relaxed(restore=False), weights.relaxed),
        )
        return tuple((method, own) for method, own in methods if own)

    @property
    def single(self):
        """The min loss itself."""
        return Direct()


@dataclass(frozen=True)
class Direct(TriClassMethod, shorthand="min"):
    """The min loss itself, by majorize-minimize."""

    def loss(self, epsilon):
        """The loss of an unlabeled row."""
        return MinLoss(epsilon)

    minimize = staticmethod(majorize_minimize)


@dataclass(frozen=True)
class Transductive(TriClassMethod):
    """The loss of `TransductiveSVC`, for which every unlabeled row is relevant."""

    def loss(self, epsilon):
        """The loss of an unlabeled row."""
        return SymmetricHinge()

    minimize = staticmethod(majorize_minimize)


@dataclass(frozen=True)
class Relaxed(TriClassMethod, shorthand="paper"):
    r"""Algorithm 1 of Yang et al., see `tri_class_cccp`.

    Parameters
    ----------
    restore : bool, default=True
        Whether steps that raise the objective are undone. In our experiments False was
        more accurate than the published algorithm.
    kappa : float, default=0.01
        Scores closer to zero are not pulled to either side; less than 1.
    reach : float, default=2.0
        The D of the paper, which makes :math:`(D - 1 + \varepsilon) / 2` the margin of
        relevant unlabeled rows; at least 1.

    Examples
    --------
    >>> from widemargin.solvers.cccp import Relaxed
    >>> Relaxed(restore=False)
    Relaxed(restore=False, kappa=0.01, reach=2.0)
    """

    restore: bool = True
    kappa: float = 0.01
    reach: float = 2.0

    def __post_init__(self):
        """Raise unless the fields are valid."""
        check_choice(self, "restore", (True, False))
        check_number(self, "kappa", low=0, high=1)
        check_number(self, "reach", low=1)

    def loss(self, epsilon):
        """The loss of an unlabeled row."""
        return RelaxedMinLoss(epsilon, self.kappa, self.reach)

    def minimize(self, problem, start, **options):
        """Solve the problem; `options` are those of `tri_class_cccp`."""
        return tri_class_cccp(problem, start, restore=self.restore, **options)


def tri_class_cccp(
    problem, start, *, scores=None, restore=True, max_iter=50, callback=None
):
    r"""Algorithm 1 of [1]_ with its quadratic program (21) in reduced form.

    A step solves the relaxed convex problem, rounds the decisions d by Eq. (19) and
    takes the slopes of the concave part by Eq. (20). If that raises the objective
    :math:`Q^\kappa`, the step is taken back and repeated with the decisions of before
    held fixed, which cannot raise it (Theorem 4). Without `restore` no step is taken
    back, and the procedure ends when decisions and slopes repeat.

    Columns are solved one after the other from `start`, the model of the labels alone.
    The "criterion" is the share of decisions and slopes that changed.

    Deviations from the print: labels in the quadratic and linear terms of (21); the
    concave term only where d = 1; the constant of (11) subtracted; the restoring step
    with d fixed and slopes taken at the last accepted function, as the proof needs.

    .. [1] H. Yang, K. Huang, I. King, M. R. Lyu. Maximum margin semi-supervised
       learning with irrelevant data. Neural Networks 70, 2015.
    """
    scores = problem.scores(start) if scores is None else scores
    pairs = zip(start.T, scores.T, strict=True)
    columns = [_Column(problem, k, *pair) for k, pair in enumerate(pairs)]
    status, history = Status.CONVERGED, {"objective": [], "criterion": []}
    for column in columns:
        steps = column.steps(restore, history)
        own, column.n_iter = drive(steps, history, max_iter=max_iter, callback=callback)
        status = worst(status, own)
        if status is Status.INTERRUPTED:
            break
    solution = np.column_stack([column.solution for column in columns])
    scores = np.column_stack([column.scores for column in columns])
    total = sum(own.value(own.solution, own.scores, own.relevant) for own in columns)
    n_iter = max(column.n_iter for column in columns)
    return SolveResult(solution, total, status, n_iter, history, scores)


class _Column:
    """The state of one function: its scores, the decisions d and the slopes."""

    def __init__(self, problem, k, start, scores):
        self.problem, self.k, self.n_iter = problem, k, 0
        self.loss, self.rows, self.costs = problem.loss, problem.rows, problem.costs
        self.solution, self.scores = start, scores
        f = self.scores[self.rows]
        self.relevant = np.ones(len(f), dtype=bool)  # the start uses every sample
        self.slopes = Ramp(self.loss.kappa).branches(f)

    def value(self, solution, scores, relevant):
        """The objective, Eq. (17)."""
        given = self.problem.given[self.k].value(scores)
        losses = self.loss.value(relevant, scores[self.rows])
        return 0.5 * roughness(solution, scores) + given + float(self.costs @ losses)

    def steps(self, restore, history):
        """Steps until nothing changes; yields the status in the end."""
        before = history["objective"][-1] if history["objective"] else 0.0
        lowest, seen, status = np.inf, set(), None
        while status is None:
            args = self.slopes, self.rows, self.costs, len(self.scores)
            result, found = self._step(self.loss.pieces(*args), restore)
            is_over = result.status is Status.INTERRUPTED
            if restore and not is_over and self.value(*found) > lowest:
                fixed = self.loss.fixed_pieces(self.relevant, *args)
                result, found = self._step(fixed, restore)
                is_over = result.status is Status.INTERRUPTED
                is_over |= self.value(*found) >= lowest  # within the solver's tolerance
            if is_over:
                yield result.status
                return
            relevant, f = found[2], found[1][self.rows]
            slopes = self.loss.branches(relevant, f)
            changed = (relevant != self.relevant) | (slopes != self.slopes)
            self.solution, self.scores, self.relevant = found
            self.slopes, lowest = slopes, self.value(*found)
            history["objective"].append(before + lowest)
            history["criterion"].append(float(changed.mean()) if len(changed) else 0.0)
            state = relevant.tobytes() + slopes.tobytes()
            # Without `restore` the objective may rise, and decisions may come back.
            if not changed.any() or state in seen:
                status = result.status
            seen.add(state)
            yield status

    def _step(self, pieces, restore):
        """Solve, and round the decisions: (result, (solution, scores, decisions))."""
        problem, intercept = self.problem, self.problem.intercepts[self.k]
        pieces = problem.given[self.k] + pieces
        args = problem.space, pieces, intercept, self.solution, self.scores
        result = problem.solver.solve(*args)
        scores = result.scores
        if restore:  # the rounding of the solver's scores would count as a rise
            scores = problem.space.dual_scores(result.solution)
        decisions = self.loss.decisions(scores[self.rows])
        return result, (result.solution, scores, decisions)
