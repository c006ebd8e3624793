"""Preconditioned conjugate gradient, all classes in one block."""

import numpy as np

from widemargin.solvers.line_search import exact_step
from widemargin.solvers.result import SolveResult, Status

_REFRESH = 50  # iterations after which scores are computed anew, against drift


def pcg(objective, start=None, *, max_iter=1000, tol=1e-6, check=None, callback=None):
    r"""Minimize a `ManifoldObjective`, Algorithm 1 of [1]_.

    Polak-Ribiere conjugate gradient with restarts, preconditioned by the Gram matrix
    and with an exact line search. All columns advance together, so that an iteration
    is one product with the Gram matrix whatever the number of classes; a column that
    has converged leaves the block. Neither L K nor an inverse is formed and a singular
    Gram matrix is harmless: what is called the preconditioned gradient comes first,
    the gradient is K times it.

    Parameters
    ----------
    objective : ManifoldObjective
        Over any expansion.
    start : ndarray of shape (n_coordinates, n_columns), optional
        Where to start; at zero if not given.
    max_iter : int
        Iterations at the most.
    tol : float
        A column has converged when its preconditioned gradient, in the norm of the
        preconditioner, is at most `tol` times that at zero; less than 200 times the
        machine precision is not asked for.
    check : StabilityCheck, ValidationCheck or MixedCheck, optional
        Early stopping on the joint decision.
    callback : callable, optional
        Called as ``callback(iteration, history)`` after each iteration.

    Returns
    -------
    SolveResult
        The solution holds the coordinates, (n_coordinates, n_columns). The history
        holds "objective" (sum over columns), "criterion" (largest over columns),
        "gradient_norm" and, at each look of the check, "decision_change". A keyboard
        interrupt ends the run with what it has.

    References
    ----------
    .. [1] Melacci and Belkin, Laplacian support vector machines trained in the primal.
    """
    run = _Block(objective, start)
    tol = max(tol, 200 * float(np.finfo(objective.expansion.dtype).eps))
    history = {"objective": [], "criterion": [], "gradient_norm": []}
    history |= {"decision_change": [], "decision_iteration": []}
    status, n_iter, seen = Status.MAX_ITER, 0, None
    try:
        while n_iter < max_iter:
            norm = run.differentiate()
            criterion = norm / run.scale
            history["objective"].append(float(run.values.sum()))
            history["criterion"].append(float(criterion.max(initial=0.0)))
            history["gradient_norm"].append(float(norm.max(initial=0.0)))
            run.release(criterion <= tol)
            if not len(run.columns):
                status = Status.CONVERGED
                break
            n_iter += 1
            if not run.advance(refresh=n_iter % _REFRESH == 0):
                status = Status.STALLED
                break
            if check is not None and n_iter % check.interval == 0:
                before, seen = seen, check.look(run.all_scores())
                if before is not None:
                    stop, change = check.compare(before, seen)
                    history["decision_change"].append(change)
                    history["decision_iteration"].append(n_iter)
                    if stop:
                        status = Status.STOPPED_EARLY
                        break
            if callback is not None:
                callback(n_iter, history)
    except KeyboardInterrupt:
        status = Status.INTERRUPTED
    run.release(np.ones(len(run.columns), dtype=bool))
    history["objective"].append(float(run.values.sum()))
    return SolveResult(run.solution, history["objective"][-1], status, n_iter, history)


class _Block:
    """The columns that are still moving, and the results of those that are not.

    Of the arrays below, `c`, `d`, `gradient` live in coordinates, (m, k); `scores`,
    `smoothing` (intrinsic L f) and their `d_` and `gradient_` twins live on the
    samples, (n, k), and follow by recurrence: one product B @ gradient an iteration.
    """

    def __init__(self, objective, start):
        space = objective.space
        n_columns = objective.targets.shape[1]
        self.objective, self.space = objective, space
        self.columns = np.arange(n_columns)
        self.solution = np.zeros((space.n_coordinates, n_columns), dtype=space.dtype)
        self.final_scores = np.zeros((space.n_samples, n_columns), dtype=space.dtype)
        self.values = np.zeros(n_columns)
        self.c, self.scores = self.solution.copy(), self.final_scores.copy()
        self.smoothing = np.zeros_like(self.scores)
        self.gradient = objective.gradient(self.c, self.scores, self.smoothing)
        gradient_scores = space.scores(self.gradient)
        squared = space.inner(self.gradient, self.gradient, gradient_scores)
        self.scale = np.sqrt(np.maximum(squared, np.finfo(space.dtype).tiny))
        if start is not None:
            self.c = start.astype(space.dtype)
            self._recompute()
        self.d = self.d_scores = self.squared = None

    def _recompute(self):
        self.scores = self.space.scores(self.c)
        self.smoothing = self.objective.smoothing(self.c, self.scores)

    def differentiate(self):
        """Gradient and next direction; the norm of the gradient of each column."""
        objective, space = self.objective, self.space
        self.values[self.columns] = objective.value(
            self.c, self.scores, self.smoothing, self.columns
        )
        gradient = objective.gradient(self.c, self.scores, self.smoothing, self.columns)
        gradient_scores = space.scores(gradient)  # the one product with the Gram matrix
        squared = np.maximum(space.inner(gradient, gradient, gradient_scores), 0.0)
        if self.d is None:
            self.d, self.d_scores = -gradient, -gradient_scores
        else:
            shared = space.inner(gradient, self.gradient, self.gradient_scores)
            safe = np.where(self.squared > 0, self.squared, 1.0)
            beta = np.maximum((squared - shared) / safe, 0.0).astype(space.dtype)
            self.d = beta * self.d - gradient
            self.d_scores = beta * self.d_scores - gradient_scores
        self.gradient, self.gradient_scores = gradient, gradient_scores
        self.squared = squared
        return np.sqrt(squared)

    def advance(self, refresh):
        """Exact line search along the direction; whether any column moved."""
        objective = self.objective
        d_smoothing = objective.smoothing(self.d, self.d_scores)
        along = (self.d, self.d_scores, d_smoothing)
        step = exact_step(
            objective.loss,
            objective.targets[:, self.columns],
            objective.weights,
            self.scores[objective.rows].astype(np.float64),
            self.d_scores[objective.rows].astype(np.float64),
            slope=objective.norm(self.c, self.scores, *along),
            curvature=objective.norm(self.d, self.d_scores, *along),
        ).astype(self.space.dtype)
        self.c += step * self.d
        if refresh:
            self._recompute()
        else:
            self.scores += step * self.d_scores
            self.smoothing += step * d_smoothing
        return bool((step > 0).any())

    def release(self, done):
        """Store the columns that are done and go on with the others."""
        if not done.any():
            return
        columns = self.columns[done]
        self.solution[:, columns] = self.c[:, done]
        self.final_scores[:, columns] = self.scores[:, done]
        self.values[columns] = self.objective.value(
            self.c[:, done], self.scores[:, done], self.smoothing[:, done], columns
        )
        self.columns = self.columns[~done]
        for name in _PER_COLUMN:
            values = getattr(self, name)
            if values is not None:
                setattr(self, name, values[..., ~done])

    def all_scores(self):
        """Scores of every column, moving or not."""
        scores = self.final_scores.copy()
        scores[:, self.columns] = self.scores
        return scores


_PER_COLUMN = (
    "c",
    "scores",
    "smoothing",
    "gradient",
    "gradient_scores",
    "d",
    "d_scores",
    "squared",
    "scale",
)
