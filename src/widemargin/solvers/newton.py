"""Newton's method on the labels, with one factorization for all steps and classes."""

import numpy as np

from widemargin.solvers.driver import drive
from widemargin.solvers.line_search import exact_step
from widemargin.solvers.result import SolveResult, Status


def reduced_newton(problem, *, max_iter=1000, callback=None):
    r"""Minimize a `ReducedObjective`, all columns together.

    A Newton step solves :math:`(W_E^{-1} + S_{EE})\, g_E = b\, q_E - t_E` for the
    active labels E of each column, which is Eq. (11) of [1]_ after eliminating the
    n unknowns once for all; columns with the same active labels share one Cholesky
    factorization. As in the paper the step length is one and the method ends when E
    does not change; where a full step would raise the objective, an exact line search
    takes its place, so that it always ends.

    Parameters
    ----------
    problem : ReducedObjective
        With a squared or squared hinge loss.
    max_iter : int
        Newton steps at the most.
    callback : callable, optional
        Called as ``callback(iteration, history)``.

    Returns
    -------
    SolveResult
        The solution, (n_labeled + 1, n_columns), holds g and, in its last row, the
        intercept; ``problem.coordinates`` makes a function of it. The criterion is
        the number of labels that switched.

    References
    ----------
    .. [1] Melacci and Belkin, Laplacian support vector machines trained in the primal.
    """
    run = _LabelNewton(problem)
    history = {"objective": [run.values.sum()], "criterion": [], "steps": []}
    status, n_iter = drive(
        run.steps(history), history, max_iter=max_iter, callback=callback
    )
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
            aim_g, aim_b = problem.newton_points(active, open_columns, self.g, self.b)
            dg, db = aim_g - self.g, aim_b - self.b
            direction = problem.scores(dg, db)
            step = exact_step(
                loss,
                targets,
                problem.weights,
                scores,
                direction,
                slope=problem.norm(self.g, self.b, dg, db, direction),
                curvature=problem.norm(dg, db, dg, db, direction),
            )
            settled = (loss.active(targets, scores + direction) == active).all(axis=0)
            improves = problem.value(aim_g, aim_b, scores + direction) < self.values
            step = np.where(settled | improves, 1.0, step)
            self.g, self.b = self.g + step * dg, self.b + step * db
            scores = problem.scores(self.g, self.b)
            self.values = problem.value(self.g, self.b, scores)
            switched = loss.active(targets, scores) != active
            switched[:, settled] = False
            active ^= switched
            history["objective"].append(self.values.sum())
            history["criterion"].append(int(switched.sum()))
            open_columns = open_columns[~settled[open_columns]]
            yield None if len(open_columns) else Status.CONVERGED
