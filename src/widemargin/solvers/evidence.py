"""Hyperparameters of a Gaussian process by the evidence for them."""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

from widemargin.checks import check_choice, check_number
from widemargin.defaults import EVIDENCE_ROWS
from widemargin.objectives.gp_evidence import GpEvidence
from widemargin.solvers.driver import Interruptible
from widemargin.solvers.result import SolveResult, Status
from widemargin.values import Value

CRITERIA = {
    "marginal-likelihood": GpEvidence.marginal_likelihood,
    "loo": GpEvidence.leave_one_out,
}
_REACH = np.log(1e3)  # largest distance of an entry of theta from its start


class Hyperparameters(Value):
    """Where width, scale and noise of a process come from; a family of parameters."""


@dataclass(frozen=True)
class Heuristic(Hyperparameters, shorthand="heuristic"):
    """Take the hyperparameters as they are."""

    criterion = None


@dataclass(frozen=True)
class LearnedHyperparameters(Hyperparameters):
    """Learn the hyperparameters by a criterion, in turns with the labels."""

    per_feature: bool = False
    n_rounds: int = 5
    max_rows: int = EVIDENCE_ROWS
    max_iter: int = 100

    def __post_init__(self):
        """Raise unless the limits are whole numbers."""
        check_choice(self, "per_feature", (True, False))
        for name in ("n_rounds", "max_rows", "max_iter"):
            check_number(self, name, low=1, integer=True)


@dataclass(frozen=True)
class MarginalLikelihood(LearnedHyperparameters, shorthand="marginal-likelihood"):
    """Learn the hyperparameters by the marginal likelihood of the labels.

    Parameters
    ----------
    per_feature : bool, default=False
        Whether each feature has a width of its own.
    n_rounds : int, default=5
        Largest number of alternations between hyperparameters and labels.
    max_rows : int, default=1000
        Largest number of rows to learn from, labeled ones first.
    max_iter : int, default=100
        Largest number of iterations per alternation.

    Examples
    --------
    >>> from widemargin.solvers.evidence import MarginalLikelihood
    >>> MarginalLikelihood(per_feature=True).per_feature
    True
    """

    criterion = "marginal-likelihood"


@dataclass(frozen=True)
class LeaveOneOutDensity(LearnedHyperparameters, shorthand="loo"):
    """Learn the hyperparameters by the density of each label given all others.

    Parameters
    ----------
    per_feature : bool, default=False
        Whether each feature has a width of its own.
    n_rounds : int, default=5
        Largest number of alternations between hyperparameters and labels.
    max_rows : int, default=1000
        Largest number of rows to learn from, labeled ones first.
    max_iter : int, default=100
        Largest number of iterations per alternation.

    Examples
    --------
    >>> from widemargin.solvers.evidence import LeaveOneOutDensity
    >>> LeaveOneOutDensity(n_rounds=1).n_rounds
    1
    """

    criterion = "loo"


def learn_hyperparameters(
    evidence, start, *, criterion="marginal-likelihood", max_iter=100, tol=1e-5
):
    """Hyperparameters for which a criterion of `GpEvidence` is largest, by L-BFGS-B.

    A local maximum near the start, of which theta stays within a factor of 1,000. The
    criterion is one of `CRITERIA` or ``criterion(evidence, theta)``, `tol` the largest
    entry of its gradient for each target. The solution is the best theta seen, the
    objective *minus* the criterion there; infinite if nothing was evaluated.
    """
    search = _Search(evidence, CRITERIA.get(criterion, criterion), start)
    status = Status.STALLED
    with Interruptible() as work:
        found = minimize(
            search.evaluate,
            search.best,
            jac=True,
            method="L-BFGS-B",
            bounds=np.column_stack([search.lower, search.upper]),
            callback=search.note,
            options={"maxiter": max_iter, "gtol": tol, "ftol": 0.0},
        )
        if search.violation() <= tol:
            status = Status.CONVERGED
            search.keep()  # even if rounding, or a step too short, was a little better
        elif found.status == 1:
            status = Status.MAX_ITER
    status = work.status(status)
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
        # Per target, so that `tol` means the same for few rows and for many.
        n_targets = self.evidence.Y.size
        return -last.value / n_targets, -last.gradient / n_targets

    def keep(self):
        """Take the last theta for the best."""
        self.best, self.lowest = self.theta, -self.last.value

    def violation(self):
        """Largest entry of the last gradient, projected onto the bounds."""
        ahead = self.theta + self.last.gradient / self.evidence.Y.size
        return float(np.abs(np.clip(ahead, self.lower, self.upper) - self.theta).max())

    def note(self, theta):
        """Write the last theta, where an iteration ended, into the history."""
        self.history["objective"].append(-self.last.value)
        self.history["criterion"].append(self.violation())
        self.history["jitter"].append(self.last.jitter)
