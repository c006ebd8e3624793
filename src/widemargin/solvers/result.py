"""What every solver returns."""

from dataclasses import dataclass, field, replace
from enum import Enum

import numpy as np

from widemargin.stored import Stored, require


class Status(Enum):
    """How a solver ended; the value is the advice shown to the user."""

    CONVERGED = "converged"
    STOPPED_EARLY = "stopped early: the decisions no longer change"
    MAX_ITER = "hit the iteration limit; raise max_iter or loosen tol"
    INNER_LIMIT = (
        "a convex problem hit its limit of steps; lower C or unlabeled_weight, scale X "
        "or loosen tol"
    )
    STALLED = "no step lowers the objective; loosen tol, use float64 or rescale X"
    INTERRUPTED = "interrupted; the best result so far is kept"

    @property
    def is_success(self):
        """Whether the solver succeeded."""
        return self in (Status.CONVERGED, Status.STOPPED_EARLY)


@dataclass(frozen=True)
class SolveResult(Stored):
    """A solution and the evidence for it.

    Attributes
    ----------
    solution : ndarray or None
        What was solved for; a solver's docstring gives its meaning and shape. Model
        files do not keep it.
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

    solution: np.ndarray | None = field(repr=False, metadata={"kept": False})
    objective: float
    status: Status
    n_iter: int
    history: dict[str, list[float]] = field(default_factory=dict, repr=False)
    scores: np.ndarray | None = field(default=None, repr=False)

    def kept(self):
        """Without the solution, and of the history what has one number per step."""
        arrays = {name: np.asarray(values) for name, values in self.history.items()}
        history = {
            name: array.tolist()
            for name, array in arrays.items()
            if array.ndim == 1 and array.dtype.kind in "bif"
        }
        return replace(super().kept(), history=history)

    def check(self, n_features):
        """Raise ValueError unless the history is lists of numbers."""
        for values in self.history.values():
            fits = isinstance(values, list) and all(
                isinstance(value, bool | int | float) for value in values
            )
            require(fits, self, "history")


def worst(*statuses):
    """An interrupt, the first failure, or the last status; None is no status yet."""
    failed = [own for own in statuses if own is not None and not own.is_success]
    if Status.INTERRUPTED in failed:
        return Status.INTERRUPTED
    return failed[0] if failed else statuses[-1]
