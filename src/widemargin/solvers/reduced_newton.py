"""Newton's method on the labels, with one factorization for everything."""

import numpy as np

from widemargin.objectives.reduced import column_groups
from widemargin.solvers.line_search import exact_step
from widemargin.solvers.result import SolveResult, Status


def reduced_newton(problem, *, max_iter=100, callback=None):
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
    targets, weights, loss = problem.targets, problem.weights, problem.loss
    g, b = np.zeros(targets.shape), np.zeros(targets.shape[1])
    scores = problem.scores(g, b)
    active = loss.active(targets, scores)
    open_columns = np.arange(targets.shape[1])
    history = {"objective": [problem.value(g, b).sum()], "criterion": [], "steps": []}
    status, n_iter = Status.MAX_ITER, 0
    n_steps = np.zeros(targets.shape[1], dtype=int)
    for n_iter in range(1, max_iter + 1):
        n_steps[open_columns] += 1
        aim_g, aim_b = _newton_points(problem, active, open_columns, g, b)
        dg, db = aim_g - g, aim_b - b
        direction = problem.scores(dg, db)
        step = exact_step(
            loss,
            targets,
            weights,
            scores,
            direction,
            slope=problem.norm(g, b, dg, db),
            curvature=problem.norm(dg, db, dg, db),
        )
        settled = (loss.active(targets, scores + direction) == active).all(axis=0)
        improves = problem.value(aim_g, aim_b) < problem.value(g, b)
        step = np.where(settled | improves, 1.0, step)
        g, b = g + step * dg, b + step * db
        scores = problem.scores(g, b)
        switched = loss.active(targets, scores) != active
        switched[:, settled] = False
        active ^= switched
        history["objective"].append(problem.value(g, b).sum())
        history["criterion"].append(int(switched.sum()))
        if callback is not None:
            callback(n_iter, history)
        open_columns = open_columns[~settled[open_columns]]
        if not len(open_columns):
            status = Status.CONVERGED
            break
    history["steps"] = n_steps.tolist()
    return SolveResult(
        np.vstack([g, b]), history["objective"][-1], status, n_iter, history
    )


def _newton_points(problem, active, columns, g, b):
    """Minimum of each open column's current quadratic; the others stay."""
    g, b = g.copy(), b.copy()
    for pattern, positions in column_groups(active[:, columns]):
        members = columns[positions]
        g[:, members], b[members] = problem.stationary(pattern)(
            problem.targets[:, members]
        )
    return g, b
