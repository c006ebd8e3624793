r"""Losses of scores as lists of hinges.

The support vector machine, its transductive and universum relatives and every step of
the tri-class procedure minimize a convex piecewise linear loss of the scores; only the
list of pieces differs (`HingePieces`).

A loss of unlabeled scores is a minimum of convex branches (`BranchLoss`). A branch is
a number: +1 or -1 for a row that counts as one of the class, 0 for one that counts as
neither. On a fixed branch a loss is a list of hinges, and the branch that is smallest
at a score gives the tightest bound of the loss that touches it there. Equation numbers
are those of Yang et al., *Maximum margin semi-supervised learning with irrelevant
data*.
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

    def dual_path(self, *, free_intercept):
        """What a dual solver needs: (lower, upper, starts, kinks, lengths).

        Smallest and largest coefficient of each sample, and its pieces as in
        `by_sample`, without those that cost nothing.

        Raises
        ------
        ValueError
            If the intercept is free and the loss falls without end as it moves.
        """
        if free_intercept:
            self.check_free_intercept()
        starts, kinks, lengths = self.by_sample()
        paid = lengths > 0
        counts = np.concatenate([[0], np.cumsum(paid)])
        return *self.bounds(), counts[starts], kinks[paid], lengths[paid]

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

    def evidence(self, coefficients, scores, intercept):
        """Objective of feasible coefficients, and the most that it may be too large.

        `scores` are those of the kernel functions, without the intercept.
        """
        roughness = float(coefficients @ scores)
        objective = roughness / 2.0 + self.value(scores + intercept)
        return objective, objective - self.dual_value(
            coefficients, roughness, intercept
        )


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


class BranchLoss:
    """A loss that is the smallest of several convex ones at every score.

    A member gives `branches` (the lowest ones at some scores), `value` (the loss of
    scores on given branches) and `pieces` (the hinges that it has there).
    """

    def lowest(self, scores):
        """The lowest branches of each column of scores, (n_rows, n_columns)."""
        return np.column_stack([self.branches(f) for f in scores.T])

    def total(self, given, scores, rows, costs, branches=None):
        """Given losses plus this one on some rows, summed over the columns of scores.

        Parameters
        ----------
        given : sequence of HingePieces
            One for each column.
        scores : ndarray of shape (n_samples, n_columns)
        rows, costs : ndarrays of shape (n_rows,)
            Where this loss applies, and its weights there.
        branches : ndarray of shape (n_rows, n_columns), optional
            By default the lowest ones.

        Returns
        -------
        branches, total
        """
        own_scores = scores[rows]
        branches = self.lowest(own_scores) if branches is None else branches
        losses = self.value(branches, own_scores)
        known = sum(own.value(f) for own, f in zip(given, scores.T, strict=True))
        return branches, known + float((costs @ losses).sum())

    def bound(self, given, branches, rows, costs):
        """The pieces of a given loss and of this one on its branches."""
        return given + self.pieces(branches, rows, costs, given.n_samples)


@dataclass(frozen=True)
class SymmetricHinge(BranchLoss):
    r"""The loss :math:`\max(0, 1 - |f|)` of the transductive model, Fig. 3(b)."""

    def branches(self, scores):
        """The side of each score; zero is on the positive one."""
        return np.where(scores < 0, -1, 1)

    def value(self, branches, scores):
        """Loss of each score on its branch."""
        return np.maximum(0.0, 1.0 - branches * scores)

    def pieces(self, branches, rows, costs, n_samples):
        """Hinges that pull each score to the margin of its side."""
        return hinges(n_samples, rows, branches, branches, costs)


@dataclass(frozen=True)
class EpsilonInsensitive(BranchLoss):
    r"""The loss :math:`\max(0, |f| - \varepsilon)` of universum samples, Fig. 3(c)."""

    epsilon: float

    def branches(self, scores):
        """Zero: the loss is convex."""
        return np.zeros(len(scores), dtype=int)

    def value(self, branches, scores):
        """Loss of each score."""
        return np.maximum(0.0, np.abs(scores) - self.epsilon)

    def pieces(self, branches, rows, costs, n_samples):
        """Two hinges each, which keep a score near zero."""
        return _pairs(rows, -self.epsilon, costs, n_samples)


@dataclass(frozen=True)
class MinLoss(BranchLoss):
    r"""The smaller one of both, Eq. (3): a sample is relevant or it is not."""

    epsilon: float

    def branches(self, scores):
        """Eq. (5): the side of relevant scores, zero for the others."""
        sides = np.sign(scores).astype(int)
        return np.where(is_relevant(scores, self.epsilon), sides, 0)

    def value(self, branches, scores):
        """Loss of each score on its branch."""
        irrelevant = EpsilonInsensitive(self.epsilon).value(branches, scores)
        relevant = SymmetricHinge().value(branches, scores)
        return np.where(branches != 0, relevant, irrelevant)

    def pieces(self, branches, rows, costs, n_samples):
        """A hinge for each relevant sample, two for each that is not."""
        return _mixture(
            branches != 0,
            SymmetricHinge(),
            EpsilonInsensitive(self.epsilon),
            (branches, rows, costs),
            n_samples,
        )


@dataclass(frozen=True)
class Ramp(BranchLoss):
    r"""The loss :math:`\min(\max(0, 1 - |f|), 1 - \kappa)`, Eq. (11) less its constant.

    The symmetric hinge as the paper approximates it: scores closer to zero than
    `kappa` are not pulled to either side.
    """

    kappa: float

    def branches(self, scores):
        """The side of each score, or zero if it is too close to call."""
        sides = np.sign(scores).astype(int)
        return np.where(np.abs(scores) > self.kappa, sides, 0)

    def value(self, branches, scores):
        """Loss of each score, its concave part replaced by the slope of the branch."""
        convex = np.maximum(0.0, 1.0 - scores) + np.maximum(0.0, 1.0 + scores)
        return convex - 1.0 - np.where(branches == 0, self.kappa, branches * scores)

    def pieces(self, branches, rows, costs, n_samples):
        """Hinges at both margins and the slope of the concave part, Eq. (20)."""
        both = _pairs(rows, 1.0, costs, n_samples)
        return both.with_slopes(rows, -costs * branches)


@dataclass(frozen=True)
class RelaxedMinLoss:
    r"""What the paper's quadratic program (21) makes of the min loss.

    With the decision variables d of Eq. (8) relaxed to [0, 1] and eliminated, an
    unlabeled sample costs, plus a slope for those on a side,

    .. math:: \max(0,\ |f| - (D - 1),\ 2 |f| - (D - 1) - \varepsilon) ,

    so that relevant samples are pulled to :math:`(D - 1 + \varepsilon) / 2`: D is the
    margin that is aimed at, and not a large constant.
    """

    epsilon: float
    kappa: float
    reach: float  # D, at least 1

    def decisions(self, scores):
        """The rounded d of Eq. (19), ties among them irrelevant."""
        return is_relevant(scores, self.epsilon, _TIE)

    def value(self, relevant, scores):
        """Loss of each score with the decisions d given, Eqs. (8) and (17)."""
        ramp = np.minimum(np.maximum(0.0, 1.0 - np.abs(scores)), 1.0 - self.kappa)
        irrelevant = EpsilonInsensitive(self.epsilon).value(None, scores)
        return np.where(relevant, ramp, irrelevant)

    def branches(self, relevant, scores):
        """The side of relevant scores that are not too close to zero, Eq. (20)."""
        return np.where(relevant, Ramp(self.kappa).branches(scores), 0)

    def pieces(self, branches, rows, costs, n_samples):
        """The relaxed loss, even in f, and the slope of the concave part."""
        kinks = np.array([self.reach - 1.0, self.epsilon])
        if kinks[0] >= kinks[1]:  # both at once
            kinks = np.full(2, kinks.mean())
        relaxed = _pairs(rows, -kinks[0], costs, n_samples)
        relaxed += _pairs(rows, -kinks[1], costs, n_samples)
        return relaxed.with_slopes(rows, -costs * branches)

    def fixed_pieces(self, relevant, branches, rows, costs, n_samples):
        """The loss with the decisions d held fixed, as Theorem 4 needs it."""
        return _mixture(
            relevant,
            Ramp(self.kappa),
            EpsilonInsensitive(self.epsilon),
            (branches, rows, costs),
            n_samples,
        )


def is_relevant(scores, epsilon, slack=0.0):
    r"""Eq. (5): whether a score is farther than :math:`(1 + \varepsilon) / 2` from 0.

    With a slack, those that are farther by more than it.
    """
    return np.abs(scores) > 0.5 * (1.0 + epsilon) + slack


_TIE = 1e-3  # of (21): with D = 2 it puts many scores on the threshold of (19)


def labeled_hinges(rows, signs, costs, n_samples):
    """Hinges of labeled samples, max(0, 1 - y f)."""
    return hinges(n_samples, rows, signs, signs, costs)


def _pairs(rows, margin, costs, n_samples):
    """Two hinges for each row, max(0, margin - f) and max(0, margin + f)."""
    signs = np.repeat([1.0, -1.0], len(rows))
    return hinges(n_samples, np.tile(rows, 2), margin * signs, signs, np.tile(costs, 2))


def _mixture(first, loss, other, of_rows, n_samples):
    """Pieces of one loss on the rows where `first` holds, of another elsewhere."""
    own = loss.pieces(*(values[first] for values in of_rows), n_samples)
    return own + other.pieces(*(values[~first] for values in of_rows), n_samples)
