"""Newton's method on the labels, and the exact line search for piecewise squares.

.. [1] Melacci and Belkin, Laplacian support vector machines trained in the primal.
"""

import numpy as np

from widemargin.solvers.driver import drive
from widemargin.solvers.result import SolveResult, Status


def reduced_newton(problem, *, max_iter=1000):
    r"""Minimize a `ReducedObjective`, all columns together.

    A Newton step solves :math:`(W_E^{-1} + S_{EE})\, g_E = b\, q_E - t_E` for the
    active labels E of each column, which is Eq. (11) of [1]_ after eliminating the
    n unknowns once for all. As in the paper the step length is one and the method ends
    when E does not change; where a full step would raise the objective, an exact line
    search takes its place, so that it always ends. The solution, (n_labeled + 1,
    n_columns), holds g and intercepts; ``problem.coordinates`` makes functions of it.
    """
    run = _LabelNewton(problem)
    history = {"objective": [run.values.sum()], "criterion": [], "steps": []}
    status, n_iter = drive(run.steps(history), history, max_iter=max_iter)
    history["steps"] = run.n_steps.tolist()
    solution = np.vstack([run.g, run.b])
    return SolveResult(solution, history["objective"][-1], status, n_iter, history)


class _LabelNewton:
    """The state of `reduced_newton`: g and intercepts b of all columns."""

    def __init__(self, problem):
        self.problem = problem
        n_columns = problem.targets.shape[1]
        self.g, self.b = np.zeros(problem.targets.shape), np.zeros(n_columns)
        self.values = problem.value(self.g, self.b)
        self.n_steps = np.zeros(n_columns, dtype=int)

    def steps(self, history):
        """Newton steps until no column changes its active labels."""
        problem, loss, targets = self.problem, self.problem.loss, self.problem.targets
        scores = problem.scores(self.g, self.b)
        active = loss.active(targets, scores)
        open_columns = np.arange(targets.shape[1])
        while True:
            self.n_steps[open_columns] += 1
            # Eq. (11) with s = 1: the minimum of the current quadratic does not depend
            # on where the column is.
            aim_g, aim_b = problem.newton_points(active, open_columns, self.g, self.b)
            dg, db = aim_g - self.g, aim_b - self.b
            direction = problem.scores(dg, db)
            slope = problem.norm(self.g, self.b, dg, db, direction)
            curvature = problem.norm(dg, db, dg, db, direction)
            args = targets, problem.weights, scores, direction
            step, _ = exact_step(loss, *args, slope, curvature)
            settled = (loss.active(targets, scores + direction) == active).all(axis=0)
            improves = problem.value(aim_g, aim_b, scores + direction) < self.values
            # With unchanged active labels the full step ends at the minimum. Elsewhere
            # it is taken while it lowers the objective, as in the paper.
            step = np.where(settled | improves, 1.0, step)
            self.g, self.b = self.g + step * dg, self.b + step * db
            scores = problem.scores(self.g, self.b)
            self.values = problem.value(self.g, self.b, scores)
            switched = loss.active(targets, scores) != active
            # Computed anew, a score on the margin's edge may differ by rounding.
            switched[:, settled] = False
            active ^= switched
            history["objective"].append(self.values.sum())
            history["criterion"].append(int(switched.sum()))
            open_columns = open_columns[~settled[open_columns]]
            yield None if len(open_columns) else Status.CONVERGED


def exact_step(loss, targets, weights, scores, direction, slope, curvature):
    r"""Step s >= 0 that minimizes each column exactly, and pieces up to the minimum.

    This is the line search of Sec. 3.2.1 of [1]_. The function of s is
    :math:`\frac12 \sum_i w_i \ell(t_i, f_i + s d_i) + \mathrm{slope}\, s
    + \frac12 \mathrm{curvature}\, s^2`. Its derivative is continuous, increasing and
    piecewise linear; it bends where a label enters or leaves the margin. Sorting
    these points and adding up the changes gives every piece at once, and the first
    piece whose zero lies inside it is the answer: O(n_labeled log n_labeled). Its
    number, from 1, is what the paper counts as iterations of the line search.

    Deviation: only labels that move towards the margin's edge can switch; the
    printed update rule does not say so.
    """
    active = loss.active(targets, scores)
    pull = weights[:, None] * direction * (scores - targets)  # slope of each square
    bend = weights[:, None] * direction**2  # their curvature
    slope = slope + np.where(active, pull, 0.0).sum(axis=0)
    curvature = curvature + np.where(active, bend, 0.0).sum(axis=0)
    if not loss.has_kink:
        return _ratio(-slope, curvature), np.ones(len(slope), dtype=int)
    outward = targets * direction  # > 0: out of the margin
    switches = np.where(active, outward > 0, outward < 0)
    # Step at which t_i (f_i + s d_i) = 1, that is f_i + s d_i = t_i.
    edge = np.full(scores.shape, np.inf)
    np.divide(targets - scores, direction, out=edge, where=switches)
    order = np.argsort(edge, axis=0)
    edge = np.take_along_axis(edge, order, axis=0)
    change = np.where(switches, np.where(active, -1.0, 1.0), 0.0)
    change, pull, bend = (
        np.take_along_axis(values, order, axis=0) for values in (change, pull, bend)
    )
    # Derivative on piece j: slopes[j] + s curvatures[j], (n_labeled + 1, n_columns).
    # The update of Sec. 3.2.1 for all pieces at once.
    slopes = np.vstack([slope, slope + np.cumsum(change * pull, axis=0)])
    curvatures = np.vstack([curvature, curvature + np.cumsum(change * bend, axis=0)])
    ends = np.vstack([edge, np.full(edge.shape[1], np.inf)])
    zeros = _ratio(-slopes, curvatures)
    piece = np.argmax(zeros <= ends, axis=0)  # the first whose zero lies inside it
    columns = np.arange(edge.shape[1])
    # Rounding may put the zero just before its piece begins.
    starts = np.where(piece > 0, ends[piece - 1, columns], 0.0)
    return np.maximum(zeros[piece, columns], starts), piece + 1


def _ratio(numerator, denominator):
    """Quotient of non-negative steps; a flat piece (0 curvature) is never left."""
    safe = np.where(denominator > 0, denominator, 1.0)
    return np.where(denominator > 0, numerator / safe, 0.0)
