"""What every solver returns."""

from dataclasses import dataclass, field
from enum import Enum

import numpy as np


class Status(Enum):
    """How a solver ended; the value is the advice shown to the user."""

    CONVERGED = "converged"
    STOPPED_EARLY = "stopped early, as asked: the decisions do not change any more"
    MAX_ITER = "hit the iteration limit; raise max_iter or loosen tol"
    INNER_LIMIT = (
        "a convex problem hit its limit of steps; lower C or unlabeled_weight, scale X "
        "or loosen tol"
    )
    STALLED = "no step lowers the objective; loosen tol, use float64 or rescale X"
    INTERRUPTED = "interrupted; the best result so far is kept"

    @property
    def is_success(self):
        """Whether the result is what was asked for."""
        return self in (Status.CONVERGED, Status.STOPPED_EARLY)


@dataclass(frozen=True)
class SolveResult:
    """A solution and the evidence for it.

    Attributes
    ----------
    solution : ndarray
        What was solved for; a solver's docstring gives its meaning and shape.
    objective : float
        Value of the objective there.
    status : Status
        Why the solver ended.
    n_iter : int
        Number of iterations.
    history : dict of lists
        One entry per iteration: "objective", "criterion" (what is compared with tol)
        and what else the solver records.
    scores : ndarray or None
        Scores of all rows there, where the solver has them anyway.
    """

    solution: np.ndarray = field(repr=False)
    objective: float
    status: Status
    n_iter: int
    history: dict[str, list[float]] = field(default_factory=dict, repr=False)
    scores: np.ndarray | None = field(default=None, repr=False)


def worst(status, other):
    """The one of two statuses that the user should hear of."""
    if status is None or status.is_success:
        return other
    return other if other is Status.INTERRUPTED else status
