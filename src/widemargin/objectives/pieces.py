"""Convex piecewise linear losses of the scores, one for each sample.

The support vector machine, its transductive and universum relatives and every step of
the tri-class machine minimize the same kind of function; only the list of pieces
differs.
"""

from dataclasses import dataclass, replace

import numpy as np


@dataclass(frozen=True)
class HingePieces:
    r"""Weighted hinges of the scores plus a linear term.

    .. math:: \sum_p c_p \max(0, s_p (\tau_p - f_{i_p})) + \sum_i l_i f_i

    Attributes
    ----------
    n_samples : int
        Length of the scores f.
    rows : ndarray of shape (n_pieces,)
        Sample :math:`i_p` of each piece; a sample may have any number of pieces.
    kinks : ndarray of shape (n_pieces,)
        Score :math:`\tau_p` at which the piece has its kink.
    sides : ndarray of shape (n_pieces,)
        :math:`s_p`: +1 if scores below the kink cost, -1 if scores above it do.
    costs : ndarray of shape (n_pieces,)
        Slope :math:`c_p \ge 0` on that side.
    linear : ndarray of shape (n_samples,)
        Linear term :math:`l`.
    """

    n_samples: int
    rows: np.ndarray
    kinks: np.ndarray
    sides: np.ndarray
    costs: np.ndarray
    linear: np.ndarray

    def __add__(self, other):
        """The sum of two losses of the same scores."""
        return join([self, other])

    def with_slopes(self, rows, slopes):
        """The loss plus slopes times the scores of some samples."""
        more = np.bincount(rows, slopes, self.n_samples)
        return replace(self, linear=self.linear + more)

    def value(self, scores):
        """Loss of the scores, summed."""
        slack = np.maximum(0.0, self.sides * (self.kinks - scores[self.rows]))
        return float(self.costs @ slack + self.linear @ scores)

    def bounds(self):
        """Smallest and largest coefficient of each sample, two arrays.

        In the dual a sample's kernel function has a coefficient between minus the
        largest and minus the smallest slope of its loss.
        """
        costs, n = self.costs, self.n_samples
        below = np.where(self.sides > 0, costs, 0.0)
        above = np.where(self.sides > 0, 0.0, costs)
        lower = -np.bincount(self.rows, above, n) - self.linear
        return lower, np.bincount(self.rows, below, n) - self.linear

    def by_sample(self):
        """Pieces ordered by sample and by falling kink: (starts, kinks, costs).

        Pieces of sample i are at ``starts[i]:starts[i + 1]``. A coefficient that rises
        from its smallest to its largest value passes them in this order, each over a
        length of its cost.
        """
        order = np.lexsort((-self.kinks, self.rows))
        counts = np.bincount(self.rows, minlength=self.n_samples)
        starts = np.concatenate([[0], np.cumsum(counts)])
        return starts, self.kinks[order], self.costs[order]

    def fill(self, coefficients):
        """How much of its cost each piece has passed, in the order of `by_sample`."""
        starts, _, costs = self.by_sample()
        counts, total = np.diff(starts), np.concatenate([[0.0], np.cumsum(costs)])
        before = total[:-1] - np.repeat(total[starts[:-1]], counts)
        room = np.repeat(coefficients - self.bounds()[0], counts) - before
        return np.clip(room, 0.0, costs)

    def check_free_intercept(self):
        """Raise unless the loss is bounded from below in a free intercept."""
        lower, upper = self.bounds()
        slack = 1e-12 * (np.abs(lower) + np.abs(upper)).sum()
        least, most = lower.sum(), upper.sum()
        if least > slack or most < -slack:
            way = "grows" if least > slack else "falls"
            raise ValueError(
                "pieces must let coefficients sum to zero if the intercept is free, "
                f"got sums from {least:.6g} to {most:.6g}: the loss falls without end "
                f"as the intercept {way}. Fix the intercept, or weaken the linear term."
            )

    def dual_value(self, coefficients, roughness, intercept=0.0):
        r"""Lower bound of the objective that feasible coefficients prove.

        The objective is :math:`\frac12 \|h\|^2` plus the loss of :math:`h + b`, for a
        fixed intercept b, or for the best one if the coefficients sum to zero.

        Parameters
        ----------
        coefficients : ndarray of shape (n_samples,)
            Within `bounds`.
        roughness : float
            Squared norm of the function with these coefficients.
        intercept : float
            The fixed intercept; of no effect if the coefficients sum to zero.
        """
        _, kinks, _ = self.by_sample()
        lower_value = -self.costs[self.sides < 0] @ self.kinks[self.sides < 0]
        gained = kinks @ self.fill(coefficients) + lower_value
        return float(gained - intercept * coefficients.sum() - roughness / 2.0)


def hinges(n_samples, rows, kinks, sides, costs):
    """Pieces without a linear term; numbers of any type."""
    return HingePieces(
        n_samples,
        np.asarray(rows, dtype=np.intp),
        np.asarray(kinks, dtype=np.float64),
        np.asarray(sides, dtype=np.float64),
        np.asarray(costs, dtype=np.float64),
        np.zeros(n_samples),
    )


def join(pieces):
    """The sum of several losses of the same scores."""
    first = pieces[0]
    parts = {
        name: np.concatenate([getattr(part, name) for part in pieces])
        for name in ("rows", "kinks", "sides", "costs")
    }
    return HingePieces(
        first.n_samples, **parts, linear=sum(part.linear for part in pieces)
    )
