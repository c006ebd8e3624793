"""The hinge loss on the labels alone."""

from dataclasses import replace

import numpy as np
from scipy.linalg import lapack

from widemargin.objectives.pieces import labeled_hinges
from widemargin.solvers.proximal_multipliers import proximal_multipliers
from widemargin.solvers.result import SolveResult, Status, worst
from widemargin.solvers.smo import smo

_NEGLIGIBLE = 1e-12  # below this the graph does not see an intercept
_STEPS_PER_LABEL = 20  # of coordinates; well-scaled problems need fewer


def box_dual(problem, *, max_iter=1000, tol=1e-9):
    r"""Minimize a `ReducedObjective` with the hinge loss, Eqs. (5) and (6) of [1]_.

    For each column, over :math:`0 \le \beta_i \le w_i`,

    .. math:: \max_\beta\ 1^\top \beta - \tfrac12 \beta^\top Y \tfrac{S}{2} Y \beta ,
              \qquad g = -\tfrac12 Y \beta ,

    which is a support vector machine with the Gram matrix S / 2. An intercept that the
    graph penalizes adds a rank-one term to S; one that it does not penalize is free.
    `tol` is the largest duality gap relative to the objective. The solution,
    (n_labeled + 1, n_columns), is that of `reduced_newton`.

    Deviations: L K for the printed K L, and J for its transpose in (6).

    .. [1] Melacci and Belkin, Laplacian support vector machines trained in the primal.
    """
    gram, offset = problem.response / 2.0, problem.offset
    is_priced = problem.intercept and problem.offset_penalty > _NEGLIGIBLE
    if is_priced:
        # Scores b q with the price tau b^2 are a function of the kernel q q' / tau.
        gram = gram + np.outer(offset, offset) / (2.0 * problem.offset_penalty)
    fixed = None if problem.intercept and not is_priced else 0.0
    n_labels, n_columns = problem.targets.shape
    solution = np.zeros((n_labels + 1, n_columns))
    status, history = None, {"steps": [], "criterion": []}
    for column, signs in enumerate(problem.targets.T):
        pieces = labeled_hinges(np.arange(n_labels), signs, problem.weights, n_labels)
        result = _solve(gram, pieces, fixed, max_iter, tol)
        status = worst(status, result.status)
        # The objective here has half of g'S g and half of the loss; `smo` minimizes
        # half of the norm plus the whole loss.
        solution[:-1, column] = -0.5 * result.solution[:-1]
        solution[-1, column] = result.solution[-1]
        history["steps"].append(result.n_iter)
        history["criterion"].append(result.history["criterion"][-1])
        if status is Status.INTERRUPTED:
            break
    if is_priced:
        # The b at the minimum: q'g + tau b = 0.
        solution[-1] = -(offset @ solution[:-1]) / problem.offset_penalty
    objective = float(problem.value(solution[:-1], solution[-1]).sum())
    history["objective"] = [objective]
    return SolveResult(solution, objective, status, max(history["steps"]), history)


def _solve(gram, pieces, intercept, max_iter, tol):
    """One column by coordinate steps, or by Newton steps where these are slow."""
    n_steps = _STEPS_PER_LABEL * len(gram)
    near = smo(gram, pieces, intercept=intercept, tol=tol, max_iter=n_steps)
    gap = near.history["gap"][-1] / max(near.objective, np.finfo(np.float64).tiny)
    is_interrupted = near.status is Status.INTERRUPTED
    if gap <= tol or is_interrupted:
        status = near.status if is_interrupted else Status.CONVERGED
        return replace(near, status=status, n_iter=1, history={"criterion": [gap]})
    # A small ambient weight scales the problem badly, which Newton steps do not mind.
    lower, pivots, rank, _ = lapack.dpstrf(gram, lower=1)  # pivoted Cholesky
    features = np.empty((len(gram), rank))
    # gram = F F' with F (n_labels, rank): a linear problem in the features F.
    features[pivots - 1] = np.tril(lower)[:, :rank]
    options = {"intercept": intercept, "start": near.solution, "tol": tol}
    result = proximal_multipliers(features, pieces, max_iter=max_iter - 1, **options)
    return replace(result, n_iter=1 + result.n_iter)
