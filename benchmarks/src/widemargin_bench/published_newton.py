"""Newton's method for Laplacian models as published.

Each step of each class solves a linear system; `reduced_newton` of the library finds
the same minimum with one factorization.
"""

import numpy as np
from scipy.linalg import solve

from widemargin.solvers.driver import drive
from widemargin.solvers.result import SolveResult, Status, worst


def newton(objective, *, max_iter=50):
    r"""Minimize a `ManifoldObjective` over a Gram matrix by Eq. (11) of [1]_.

    Each step solves :math:`(W_E K + \gamma_A I + \gamma_I L K)\, a = W_E y` for the
    active labels E, with step length one, until E does not change: one n-by-n system
    for each step and class.

    Parameters
    ----------
    objective : ManifoldObjective
        Over a `GramSpace`.
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
    c = np.zeros((objective.functions.n_coordinates, objective.targets.shape[1]))
    system = NewtonSystem(objective)
    status, history = None, {"steps": []}
    for column in range(c.shape[1]):
        steps = system.steps(c, column)
        ended, n_steps = drive(steps, history, max_iter=max_iter)
        status = worst(status, ended)
        history["steps"].append(n_steps)
        if ended is Status.INTERRUPTED:
            break
    scores = objective.functions.scores(c)
    value = objective.value(c, scores, objective.smoothing(c, scores)).sum()
    return SolveResult(c, float(value), status, max(history["steps"]), history)


class NewtonSystem:
    """The linear system of a Newton step, for all steps and columns.

    Parameters
    ----------
    objective : ManifoldObjective
        Over a `GramSpace`.
    """

    def __init__(self, objective):
        self.objective = objective
        self.gram = objective.space.gram.astype(np.float64, copy=False)
        # the part of the Hessian that no label changes
        self.penalty = objective.intrinsic * (objective.laplacian @ self.gram)
        self.penalty.flat[:: len(self.gram) + 1] += objective.ambient

    def hessian(self, active):
        """Preconditioned Hessian of a column, ``W_E K + ambient I + intrinsic L K``.

        K times it is the Hessian. `active` are the labels whose loss is a square.
        """
        hessian, E = self.penalty.copy(), self.objective.label_idx[active]
        weights = self.objective.weights[active]
        np.add.at(hessian, E, weights[:, None] * self.gram[E])
        return hessian

    def steps(self, c, column):
        """Newton steps of one column, which they write into the coordinates c."""
        objective = self.objective
        targets = objective.targets[:, column]
        active = np.ones(len(targets), dtype=bool)  # at zero every label is active
        while True:
            c[:, column] = self._stationary_point(targets, active)
            scores = objective.functions.scores(c[:, [column]])
            before = active
            active = objective.loss.active(targets, scores[objective.label_idx, 0])
            yield Status.CONVERGED if (active == before).all() else None

    def _stationary_point(self, targets, active):
        """Minimum of the quadratic that holds while the active labels do."""
        objective, matrix = self.objective, self.hessian(active)
        n, E = len(matrix), objective.label_idx[active]
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
            row = weights[None] @ self.gram[E]
            corner += weights.sum() + objective.intercept.penalty
            right = np.append(right, weights @ targets[active])
        matrix = np.block([[matrix, column], [row, corner]])
        return solve(matrix, right, check_finite=False)
