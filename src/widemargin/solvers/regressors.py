"""Regressors that self-labeling machines fit to their labels.

A regressor is made for fixed weights of the samples. ``scores(signs)`` are the values
that samples are relabeled by, and ``fit(signs)`` is the function itself, as coordinates
and constants.
"""

from dataclasses import dataclass

import numpy as np

from widemargin.objectives.pieces import hinges
from widemargin.smoothers.profiled import ProfiledSmoother
from widemargin.solvers.result import Status, worst


@dataclass(frozen=True)
class SmootherRegressor:
    """Gaussian-process or ridge regression: everything from one smoother.

    Attributes
    ----------
    profiled : ProfiledSmoother
    leaves_out : bool
        Whether a sample is relabeled by the value that it has if it is left out.
    noise : float
        Variance of the noise of a sample of weight one.
    """

    profiled: ProfiledSmoother
    leaves_out: bool
    noise: float = 1.0

    def scores(self, signs):
        """Values to relabel by, (n, k) -> (n, k)."""
        return self.left_out(signs) if self.leaves_out else self.profiled @ signs

    def left_out(self, signs):
        """Value at each sample of the functions fitted without it, (n, k)."""
        return self.profiled.leave_one_out(signs)

    def surprise(self, signs):
        """Minus the log marginal likelihood of labels, up to what all of them share."""
        return 0.5 * self.profiled.misfit(signs) / self.noise

    def fit(self, signs):
        """Coordinates and constants of the functions."""
        return self.profiled.coordinates(signs)


@dataclass(frozen=True)
class ActiveRegressor:
    """The same, fitted to the labels of some of the samples only.

    Attributes
    ----------
    profiled : ProfiledSmoother
        Of the active samples.
    active : ndarray of shape (n_active,)
        Their positions.
    cross : ndarray of shape (n, n_active)
        Kernel values of all samples against them.
    leaves_out : bool
        Whether an active sample is relabeled by the value that it has if it is left
        out; the others are left out anyway.
    """

    profiled: ProfiledSmoother
    active: np.ndarray
    cross: np.ndarray
    leaves_out: bool

    def scores(self, signs):
        """Values to relabel by, (n, k) -> (n, k)."""
        if self.leaves_out:
            return self.left_out(signs)
        coefficients, constants = self.fit(signs)
        return self.cross @ coefficients + constants

    def left_out(self, signs):
        """Value at each sample of the functions fitted without it, (n, k)."""
        coefficients, constants = self.fit(signs)
        scores = self.cross @ coefficients + constants
        scores[self.active] = self.profiled.leave_one_out(signs[self.active])
        return scores

    def fit(self, signs):
        """Coefficients of the active samples' kernel functions, and constants."""
        return self.profiled.coordinates(signs[self.active])


class AbsoluteRegressor:
    r"""Support vector regression with the absolute loss, Eq. (4) of Patel et al.

    .. math:: \tfrac12 \|h\|^2 + \sum_i c_i |y_i - h(x_i) - b|

    Parameters
    ----------
    machine : GramMachine or WeightMachine
    costs : ndarray of shape (n,)
    """

    def __init__(self, machine, costs):
        self.machine, self.costs, self._last = machine, costs, {}
        self.status = Status.CONVERGED  # the worst so far

    def scores(self, signs):
        """Fitted values, (n, k) -> (n, k); an interrupt of a solver is passed on."""
        columns = [self._solve(k, y) for k, y in enumerate(signs.T)]
        if self.status is Status.INTERRUPTED:
            raise KeyboardInterrupt
        return np.column_stack([self.machine.scores(s) for s in columns])

    def fit(self, signs):
        """Coordinates and constants of the functions."""
        columns = [self._solve(k, y) for k, y in enumerate(signs.T)]
        return self.machine.function(np.column_stack(columns))

    def _solve(self, k, targets):
        """The solution of one column, from that of its last labels."""
        known, start = self._last.get(k, (None, None))
        if known is not None and np.array_equal(known, targets):
            return start
        n = len(targets)
        pieces = hinges(
            n,
            np.tile(np.arange(n), 2),
            np.tile(targets, 2),
            np.repeat([1.0, -1.0], n),
            np.tile(self.costs, 2),
        )
        result = self.machine.solve(pieces, None, start)
        self.status = worst(self.status, result.status)
        self._last[k] = targets.copy(), result.solution
        return result.solution
