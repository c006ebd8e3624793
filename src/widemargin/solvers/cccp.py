"""The concave-convex procedure of the tri-class paper, in its reduced form."""

import numpy as np

from widemargin.objectives.tri_class import Ramp
from widemargin.solvers.hinge_machine import roughness
from widemargin.solvers.result import SolveResult, Status, worst


def tri_class_cccp(problem, start, *, restore=True, max_iter=50, callback=None):
    r"""Algorithm 1 of [1]_ with its quadratic program (21) in reduced form.

    A step solves the relaxed convex problem, rounds the decisions d by Eq. (19) and
    takes the slopes of the concave part by Eq. (20). If that raises the objective
    :math:`Q^\kappa`, the step is taken back and repeated with the decisions of before
    held fixed, which cannot raise it (Theorem 4).

    Parameters
    ----------
    problem : BranchProblem
        Its loss is a `RelaxedMinLoss`. Columns are solved one after the other.
    start : ndarray of shape (n_samples + 1, n_columns)
        The machine of the labels alone: coefficients and, in the last row, intercepts.
    restore : bool
        Whether steps that raise the objective are taken back. Without it the procedure
        ends when decisions and slopes repeat.
    max_iter : int
        Steps at the most, for each column.
    callback : callable, optional
        Called as ``callback(n_iter, history)`` after each step.

    Returns
    -------
    SolveResult
        The history has the "objective" after each step, of all columns so far, and as
        "criterion" the share of decisions and slopes that changed.

    Notes
    -----
    Deviations from the print: labels in the quadratic and linear terms of (21); the
    concave term only where d = 1; the constant of (11) subtracted; the restoring step
    with d fixed and slopes taken at the last accepted function, as the proof needs.

    References
    ----------
    .. [1] H. Yang, K. Huang, I. King, M. R. Lyu. Maximum margin semi-supervised
       learning with irrelevant data. Neural Networks 70, 2015.
    """
    columns = [_Column(problem, k, start[:, k]) for k in range(problem.n_columns)]
    status, history = Status.CONVERGED, {"objective": [], "criterion": []}
    try:
        for column in columns:
            own = column.descend(restore, max_iter, history, callback)
            status = worst(status, own)
            if status is Status.INTERRUPTED:
                break
    except KeyboardInterrupt:
        status = Status.INTERRUPTED
    return SolveResult(
        np.column_stack([column.solution for column in columns]),
        sum(column.current_value() for column in columns),
        status,
        max(column.n_iter for column in columns),
        history,
    )


class _Column:
    """The state of one function: its scores, the decisions d and the slopes."""

    def __init__(self, problem, k, start):
        self.problem, self.k, self.n_iter = problem, k, 0
        self.loss, self.rows, self.costs = problem.loss, problem.rows, problem.costs
        self.solution, self.scores = start, problem.machine.scores(start)
        f = self.scores[self.rows]
        self.relevant = np.ones(len(f), dtype=bool)  # the start uses every sample
        self.slopes = Ramp(self.loss.kappa).branches(f)

    def value(self, solution, scores, relevant):
        """The objective, Eq. (17)."""
        given = self.problem.given[self.k].value(scores)
        losses = self.loss.value(relevant, scores[self.rows])
        return 0.5 * roughness(solution, scores) + given + float(self.costs @ losses)

    def current_value(self):
        """The objective where the column stands."""
        return self.value(self.solution, self.scores, self.relevant)

    def descend(self, restore, max_iter, history, callback):
        """Steps until nothing changes; how it ended."""
        before = history["objective"][-1] if history["objective"] else 0.0
        lowest, seen = np.inf, set()
        for self.n_iter in range(1, max_iter + 1):
            result, found = self._step(self._relaxed_pieces())
            if result.status is Status.INTERRUPTED:
                return result.status
            if restore and self.value(*found) > lowest:
                result, found = self._step(self._fixed_pieces())
                if result.status is Status.INTERRUPTED:
                    return result.status
                if self.value(*found) >= lowest:  # within the solver's tolerance
                    return result.status
            relevant, f = found[2], found[1][self.rows]
            slopes = self.loss.branches(relevant, f)
            changed = (relevant != self.relevant) | (slopes != self.slopes)
            self.solution, self.scores, self.relevant = found
            self.slopes, lowest = slopes, self.value(*found)
            history["objective"].append(before + lowest)
            history["criterion"].append(float(changed.mean()) if len(changed) else 0.0)
            if callback is not None:
                callback(self.n_iter, history)
            state = relevant.tobytes() + slopes.tobytes()
            if not changed.any() or state in seen:
                return result.status
            seen.add(state)
        return Status.MAX_ITER

    def _step(self, pieces):
        """Solve, and round the decisions: (result, (solution, scores, decisions))."""
        machine, intercept = self.problem.machine, self.problem.intercepts[self.k]
        given = self.problem.given[self.k]
        result = machine.solve(given + pieces, intercept, self.solution)
        scores = machine.scores(result.solution)
        decisions = self.loss.decisions(scores[self.rows])
        return result, (result.solution, scores, decisions)

    def _relaxed_pieces(self):
        n_samples = self.problem.machine.n_samples
        return self.loss.pieces(self.slopes, self.rows, self.costs, n_samples)

    def _fixed_pieces(self):
        n_samples = self.problem.machine.n_samples
        return self.loss.fixed_pieces(
            self.relevant, self.slopes, self.rows, self.costs, n_samples
        )
