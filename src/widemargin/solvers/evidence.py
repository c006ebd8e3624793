"""Hyperparameters of a Gaussian process by the evidence for them."""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

from widemargin.checks import check_choice, check_number
from widemargin.defaults import (
    EVIDENCE_ROWS,
    LABEL_EVIDENCE_ROWS,
    LABEL_NOISE_SD,
    LABEL_WIDTH,
    LABEL_WIDTH_SD,
)
from widemargin.objectives.gp_evidence import GpEvidence, LogNormalPrior
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

    criterion = None  # by which they are learned, a key of `CRITERIA`
    n_rounds = 0  # largest number of alternations between hyperparameters and labels


@dataclass(frozen=True)
class Heuristic(Hyperparameters, shorthand="heuristic"):
    """Take the hyperparameters as they are."""


@dataclass(frozen=True)
class LabelEvidence(Hyperparameters, shorthand="labels"):
    """Learn the hyperparameters by the marginal likelihood of the given labels alone.

    Only those that are "auto" are learned, once, before any unlabeled row is labeled,
    under a log-normal prior around their usual values. Labels that are inferred with
    hyperparameters agree with these, even where both are wrong; given labels need not.

    Parameters
    ----------
    max_rows : int, default=200
        Largest number of labels to learn from; more are thinned class by class.
    max_iter : int, default=100
        Largest number of iterations.

    Examples
    --------
    >>> from widemargin.solvers.evidence import LabelEvidence
    >>> LabelEvidence().max_rows
    200
    """

    max_rows: int = LABEL_EVIDENCE_ROWS
    max_iter: int = 100

    criterion = "marginal-likelihood"
    per_feature = False

    def __post_init__(self):
        """Raise unless the limits are whole numbers."""
        check_number(self, "max_rows", low=2, integer=True)
        check_number(self, "max_iter", low=1, integer=True)

    def prior_around(self, center):
        """The prior of theta: narrow kernels, and labels of any noise."""
        shift = np.array([0.0, np.log(LABEL_WIDTH), 0.0])
        sd = {"width_sd": LABEL_WIDTH_SD, "noise_sd": LABEL_NOISE_SD}
        return LogNormalPrior(center + shift, **sd)


@dataclass(frozen=True)
class LearnedHyperparameters(Hyperparameters):
    """Learn the hyperparameters by a criterion, alternately with the labels."""

    per_feature: bool = False
    n_rounds: int = 5
    max_rows: int = EVIDENCE_ROWS
    max_iter: int = 100
    prior: bool = True

    def __post_init__(self):
        """Raise unless the limits are whole numbers."""
        check_choice(self, "per_feature", (True, False))
        check_choice(self, "prior", (True, False))
        for name in ("n_rounds", "max_rows", "max_iter"):
            check_number(self, name, low=1, integer=True)

    def prior_around(self, center):
        """The prior of theta, or None."""
        return LogNormalPrior(center) if self.prior else None


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
    prior : bool, default=True
        Whether a log-normal prior around the values that learning starts from is added
        to the criterion; False, as in the paper, for none. Without it the learned
        values may only fit the mistakes of inferred labels.

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
    per_feature, n_rounds, max_rows, max_iter, prior
        As in `MarginalLikelihood`.

    Examples
    --------
    >>> from widemargin.solvers.evidence import LeaveOneOutDensity
    >>> LeaveOneOutDensity(n_rounds=1).n_rounds
    1
    """

    criterion = "loo"


def learn_hyperparameters(
    evidence,
    start,
    *,
    criterion="marginal-likelihood",
    free=True,
    max_iter=100,
    tol=1e-5,
):
    """Hyperparameters for which a criterion of `GpEvidence` is largest, by L-BFGS-B.

    A local maximum near the start, of which theta stays within a factor of 1,000; what
    is not `free`, a mask of its entries, stays there. The criterion is one of
    `CRITERIA` or ``criterion(evidence, theta)``, `tol` the largest entry of its
    gradient for each target. The solution is the best theta seen, the objective *minus*
    the criterion there; infinite if nothing was evaluated.
    """
    search = _Search(evidence, CRITERIA.get(criterion, criterion), start, free)
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
    """The last theta that L-BFGS-B evaluated, and the best one."""

    def __init__(self, evidence, criterion, start, free):
        self.evidence, self.criterion = evidence, criterion
        self.best, self.lowest = np.array(start, dtype=np.float64), np.inf
        reach = np.where(free, _REACH, 0.0)
        self.lower, self.upper = self.best - reach, self.best + reach
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
