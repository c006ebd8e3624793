"""The hinge loss by its dual, on the labels alone."""

import numpy as np

from widemargin.solvers.driver import drive
from widemargin.solvers.result import SolveResult, Status, worst


def box_dual(problem, *, max_iter=1000, tol=1e-8):
    r"""Minimize a `ReducedObjective` with the hinge loss, Eqs. (5) and (6) of [1]_.

    For each column, over :math:`0 \le \beta_i \le w_i`,

    .. math:: \max_\beta\ 1^\top \beta - \tfrac12 \beta^\top Y \tfrac{S}{2} Y \beta ,
              \qquad g = -\tfrac12 Y \beta .

    An iteration is a few steps of coordinate ascent for each label, which find out
    what is at its bounds, and then a Newton step for what is not, which makes badly
    scaled problems harmless. An intercept that the graph penalizes adds a rank-one
    term to S; one that it does not penalize adds the constraint
    :math:`t^\top \beta = 0`, and coordinates move in pairs.

    Parameters
    ----------
    problem : ReducedObjective
        With the hinge loss.
    max_iter : int
        Iterations at the most, for each column.
    tol : float
        Largest violation of the optimality conditions.

    Returns
    -------
    SolveResult
        The solution, (n_labeled + 1, n_columns), holds g and, in its last row, the
        intercept; ``problem.coordinates`` makes a function of it.

    Notes
    -----
    Deviations: L K for the printed K L, and J for its transpose in (6).

    References
    ----------
    .. [1] Melacci and Belkin, Laplacian support vector machines trained in the primal.
    """
    kernel = problem.response / 2.0
    priced = problem.intercept and problem.offset_penalty > _NEGLIGIBLE
    if priced:
        q = problem.offset
        kernel = kernel + np.outer(q, q) / (2.0 * problem.offset_penalty)
    paired = problem.intercept and not priced
    g, intercepts = np.zeros(problem.targets.shape), np.zeros(problem.targets.shape[1])
    status, history = None, {"steps": [], "violation": []}
    for column, signs in enumerate(np.ascontiguousarray(problem.targets.T)):
        ascent = _Ascent(kernel, signs, problem.weights, paired)
        ended, n_rounds = drive(ascent.steps(tol), history, max_iter=max_iter)
        status = worst(status, ended)
        g[:, column] = -0.5 * signs * ascent.beta
        intercepts[column] = ascent.intercept
        history["steps"].append(n_rounds)
        history["violation"].append(ascent.violation)
        if ended is Status.INTERRUPTED:
            break
    if priced:
        intercepts = -(problem.offset @ g) / problem.offset_penalty
    history["objective"] = [float(problem.value(g, intercepts).sum())]
    history["criterion"] = [max(history["violation"])]
    return SolveResult(
        np.vstack([g, intercepts]),
        history["objective"][0],
        status,
        max(history["steps"]),
        history,
    )


class _Ascent:
    """One column: its dual variables, intercept and violation."""

    def __init__(self, kernel, signs, upper, paired):
        self.Q = signs[:, None] * kernel * signs
        self.signs, self.upper, self.paired = signs, upper, paired
        self.beta, self.intercept, self.violation = np.zeros(len(signs)), 0.0, np.inf

    def steps(self, tol):
        """Rounds of coordinate ascent and Newton steps until no label violates."""
        from widemargin.solvers import box_dual_loops as loops  # compiles: if needed

        Q, upper, signs = self.Q, self.upper, self.signs
        gradient, n_steps = -np.ones(len(signs)), _STEPS_PER_LABEL * len(signs)
        while True:
            if self.paired:
                self.violation, self.intercept = loops.ascend_pairs(
                    Q, signs, upper, self.beta, gradient, n_steps, tol
                )
            else:
                self.violation = loops.ascend_single(
                    Q, upper, self.beta, gradient, n_steps, tol
                )
            if self.violation <= tol:
                yield Status.CONVERGED
            self.beta = _newton_on_free(
                Q, upper, self.beta, gradient, signs if self.paired else None
            )
            gradient = Q @ self.beta - 1.0
            yield None


def _newton_on_free(Q, upper, beta, gradient, signs):
    """Minimum over the variables inside the box, as far as the box allows."""
    free = np.flatnonzero((beta > 0) & (beta < upper))
    if not len(free):
        return beta
    matrix, right = Q[np.ix_(free, free)], -gradient[free]
    if signs is not None:
        border = signs[free][:, None]
        matrix = np.block([[matrix, border], [border.T, np.zeros((1, 1))]])
        right = np.append(right, 0.0)
    move, longest = np.linalg.lstsq(matrix, right)[0], 1.0
    unreached = right - matrix @ move
    if np.abs(unreached).max() > _FLAT:  # hardly any curvature there: go a long way
        curvature = unreached @ matrix @ unreached
        move = unreached
        longest = move @ right / curvature if curvature > 0 else np.inf
    move = move[: len(free)]
    room = np.where(move > 0, upper[free] - beta[free], beta[free])
    reach = np.full(len(free), np.inf)
    np.divide(room, np.abs(move), out=reach, where=move != 0)
    beta = beta.copy()
    step = min(longest, reach.min())
    beta[free] = np.clip(beta[free] + step * move, 0.0, upper[free])
    return beta


_FLAT = 1e-9  # slopes above this are not rounding
_NEGLIGIBLE = 1e-12  # below this the graph does not see an intercept
_STEPS_PER_LABEL = 20
