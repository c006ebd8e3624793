"""Hyperparameters of a Gaussian process by the evidence for them."""

import numpy as np
from scipy.optimize import minimize

from widemargin.objectives.gp_evidence import GpEvidence
from widemargin.solvers.result import SolveResult, Status

CRITERIA = {
    "marginal-likelihood": GpEvidence.marginal_likelihood,
    "loo": GpEvidence.leave_one_out,
}
_REACH = np.log(1e3)  # how far an entry of theta may go from where it starts
_NOISE = 0.5  # where to start


def heuristic(X, *, per_feature=False):
    r"""A theta that needs no targets: where to start, and a prior's center.

    The kernel is :math:`\exp(-\|x - z\|^2 / 2 \sigma^2)`, where :math:`\sigma^2` is the
    sum of the features' variances (1/2 if nothing varies); its variance is 1, and the
    noise has the variance 1/2.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    per_feature : bool
        Whether every feature has a width of its own; they start as one.

    Returns
    -------
    ndarray of shape (3,) or (n_features + 2,)
        (log v, log gamma, log s).
    """
    spread = float(X.var(axis=0, dtype=np.float64).sum())
    gamma = 1.0 / (2.0 * spread) if spread > 0 else 1.0
    n_widths = X.shape[1] if per_feature else 1
    return np.log([1.0, *[gamma] * n_widths, _NOISE])


def learn_hyperparameters(
    evidence,
    start,
    *,
    criterion="marginal-likelihood",
    max_iter=100,
    tol=1e-5,
    callback=None,
):
    """Hyperparameters for which a criterion of `GpEvidence` is largest, by L-BFGS-B.

    Every entry of theta stays within a factor of 1,000 of where it starts. The
    criterion may have several local maxima: the answer is one near the start.

    Parameters
    ----------
    evidence : GpEvidence
        With its prior, if any.
    start : ndarray of shape (n_theta,)
        A theta such as `heuristic` gives.
    criterion : {"marginal-likelihood", "loo"}
    max_iter : int
        Iterations at the most; most of them evaluate the criterion once.
    tol : float
        Largest entry of the gradient for each target, n_samples * n_columns in all;
        entries that point out of the bounds do not count.
    callback : callable, optional
        Called with theta and the history after every iteration.

    Returns
    -------
    SolveResult
        The solution is the best theta seen, (n_theta,), and the objective *minus* the
        criterion there. The history has one entry an iteration: "objective",
        "criterion" (compared with `tol`) and "jitter" (see `Evaluation`). An interrupt
        ends the search; with nothing evaluated the objective is infinite.
    """
    if criterion not in CRITERIA:
        raise ValueError(
            f"criterion must be one of {', '.join(CRITERIA)}, got {criterion!r}."
        )
    search = _Search(evidence, CRITERIA[criterion], start)

    def note(theta):
        search.note()
        if callback is not None:
            callback(theta, search.history)

    try:
        found = minimize(
            search.evaluate,
            search.best,
            jac=True,
            method="L-BFGS-B",
            bounds=np.column_stack([search.lower, search.upper]),
            callback=note,
            options={"maxiter": max_iter, "gtol": tol, "ftol": 0.0},
        )
        if search.violation() <= tol:
            status = Status.CONVERGED
            search.keep()  # even if rounding, or a step too short, was a little better
        else:
            status = Status.MAX_ITER if found.status == 1 else Status.STALLED
    except KeyboardInterrupt:
        status = Status.INTERRUPTED
    n_iter = len(search.history["objective"])
    return SolveResult(search.best, search.lowest, status, n_iter, search.history)


class _Search:
    """What L-BFGS-B has seen: the last theta, and the best one."""

    def __init__(self, evidence, criterion, start):
        self.evidence, self.criterion = evidence, criterion
        self.best, self.lowest = np.array(start, dtype=np.float64), np.inf
        self.lower, self.upper = self.best - _REACH, self.best + _REACH
        self.theta = self.last = None
        self.history = {"objective": [], "criterion": [], "jitter": []}

    def evaluate(self, theta):
        """Minus the criterion for each target, and its gradient."""
        last = self.criterion(self.evidence, theta)
        self.theta, self.last = theta, last
        if -last.value < self.lowest:
            self.keep()
        n_targets = self.evidence.Y.size
        return -last.value / n_targets, -last.gradient / n_targets

    def keep(self):
        """Take the last theta for the best."""
        self.best, self.lowest = self.theta, -self.last.value

    def violation(self):
        """Largest entry of the last gradient, projected onto the bounds."""
        ahead = self.theta + self.last.gradient / self.evidence.Y.size
        return float(np.abs(np.clip(ahead, self.lower, self.upper) - self.theta).max())

    def note(self):
        """Write the last theta, where an iteration ended, into the history."""
        self.history["objective"].append(-self.last.value)
        self.history["criterion"].append(self.violation())
        self.history["jitter"].append(self.last.jitter)
