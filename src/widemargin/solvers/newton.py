"""Newton's method as published: one n-by-n solve for each step and class."""

import numpy as np
from scipy.linalg import solve

from widemargin.solvers.result import SolveResult, Status


def newton(objective, *, max_iter=50):
    r"""Minimize a `ManifoldObjective` over a Gram matrix by Eq. (11) of [1]_.

    Each step solves :math:`(W_E K + \gamma_A I + \gamma_I L K)\, a = W_E y` for the
    active labels E, with step length one, until E does not change. Kept as the
    published reference for `reduced_newton`, which finds the same minimum much faster.

    Parameters
    ----------
    objective : ManifoldObjective
        Over a `KernelExpansion`.
    max_iter : int
        Steps at the most, for each column.

    Returns
    -------
    SolveResult
        The solution holds the coordinates, (n_coordinates, n_columns).

    Notes
    -----
    Deviations: with an intercept, which is part of the intrinsic norm here, the first
    column of the system gets the term :math:`\gamma_I L 1`, without which the printed
    row :math:`[0, 1^\top]` belongs to no objective unless :math:`L 1 = 0`.

    References
    ----------
    .. [1] Melacci and Belkin, Laplacian support vector machines trained in the primal.
    """
    columns, history = [], {"steps": []}
    status = Status.CONVERGED
    for targets in objective.targets.T:
        active = np.ones(len(targets), dtype=bool)  # at zero every label is active
        for n_steps in range(1, max_iter + 1):
            c = _newton_point(objective, targets, active)
            scores = objective.space.scores(c[:, None])[objective.rows, 0]
            now_active = objective.loss.active(targets, scores)
            if (now_active == active).all():
                break
            active = now_active
        else:
            status = Status.MAX_ITER
        columns.append(c)
        history["steps"].append(n_steps)
    c = np.stack(columns, axis=1)
    scores = objective.space.scores(c)
    value = objective.value(c, scores, objective.smoothing(c, scores)).sum()
    return SolveResult(c, float(value), status, max(history["steps"]), history)


def _newton_point(objective, targets, active):
    """Minimum of the quadratic that holds while the active labels do."""
    matrix = objective.hessian(active)
    n, E = len(matrix), objective.rows[active]
    weights = objective.weights[active]
    right = np.zeros(n)
    np.add.at(right, E, weights * targets[active])
    if objective.intercept is None:
        return solve(matrix, right, check_finite=False)
    column, row, corner = np.zeros((n, 1)), np.ones((1, n)), np.zeros((1, 1))
    np.add.at(column, (E, 0), weights)
    if objective.intercept.inside:  # the derivative by b simplifies to 1'a = 0
        column += objective.intrinsic * (objective.laplacian @ np.ones((n, 1)))
        right = np.append(right, 0.0)
    else:
        row = weights[None] @ objective.expansion.gram[E]
        corner += weights.sum() + objective.intercept.penalty
        right = np.append(right, weights @ targets[active])
    matrix = np.block([[matrix, column], [row, corner]])
    return solve(matrix, right, check_finite=False)
