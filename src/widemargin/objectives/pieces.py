r"""Losses of scores as sums of hinges.

A loss of unlabeled scores is a minimum of convex branches (`BranchLoss`). A branch is
a number: +1 or -1 for a row that counts as one of the class, 0 for one that counts as
neither. On a fixed branch a loss is a sum of hinges, and the branch that is smallest
at a score gives the tightest bound of the loss that touches it there. Equation numbers
are those of Yang et al., *Maximum margin semi-supervised learning with irrelevant
data*.
"""

from dataclasses import dataclass, replace

import numpy as np

_BY_PIECE = ("rows", "kinks", "sides", "costs")  # what has an entry for each piece
_MAX_TRIALS = 100  # of a line search, which needs a few
_ROUNDING = 1e-15
_TIE = 1e-3  # of (21): with D = 2 it puts many scores on the threshold of (19)
_TINY = 1e-300


@dataclass(frozen=True)
class HingePieces:
    r"""Weighted hinges of the scores plus a linear term.

    .. math:: \sum_p c_p \max(0, s_p (\tau_p - f_{i_p})) + \sum_i l_i f_i
    """

    n_samples: int  # length of the scores f
    rows: np.ndarray  # sample i_p of each piece; a sample may have any number of pieces
    kinks: np.ndarray  # score tau_p at which the piece has its kink
    sides: np.ndarray  # s_p: +1 if scores below the kink cost, -1 if scores above do
    costs: np.ndarray  # slope c_p >= 0 on that side
    linear: np.ndarray  # l, (n_samples,)

    def __add__(self, other):
        """The sum of two losses of the same scores."""
        both = {
            name: np.concatenate([getattr(self, name), getattr(other, name)])
            for name in _BY_PIECE
        }
        return replace(self, linear=self.linear + other.linear, **both)

    def with_slopes(self, rows, slopes):
        """The loss plus slopes times the scores of some samples."""
        more = np.bincount(rows, slopes, self.n_samples)
        return replace(self, linear=self.linear + more)

    def value(self, scores):
        """Loss of the scores, summed."""
        slack = np.maximum(0.0, self.sides * (self.kinks - scores[self.rows]))
        return float(self.costs @ slack + self.linear @ scores)

    def bounds(self):
        """Smallest and largest dual coefficient, minus the slopes of each loss."""
        costs, n = self.costs, self.n_samples
        below = np.where(self.sides > 0, costs, 0.0)
        above = np.where(self.sides > 0, 0.0, costs)
        # Minus the slope of the loss far above all kinks, and far below them.
        lower = -np.bincount(self.rows, above, n) - self.linear
        return lower, np.bincount(self.rows, below, n) - self.linear

    def by_sample(self):
        """Pieces by sample and falling kink, as (starts, kinks, costs).

        A coefficient that rises passes them in this order, each over its cost.
        """
        order = np.lexsort((-self.kinks, self.rows))
        counts = np.bincount(self.rows, minlength=self.n_samples)
        starts = np.concatenate([[0], np.cumsum(counts)])
        return starts, self.kinks[order], self.costs[order]

    def paid(self):
        """The pieces that cost something."""
        paid = self.costs > 0
        return replace(self, **{name: getattr(self, name)[paid] for name in _BY_PIECE})

    def coefficients(self, multipliers):
        """Coefficients of the samples with given multipliers of the pieces."""
        signed = self.sides * multipliers
        return np.bincount(self.rows, signed, self.n_samples) - self.linear

    def multipliers(self, coefficients):
        """Multipliers with given coefficients, as far as the costs allow.

        What a coefficient has passed of a piece's cost is the multiplier, or the rest
        of the cost where scores above the kink cost.
        """
        order = np.lexsort((-self.kinks, self.rows))
        starts, _, costs = self.by_sample()
        counts, total = np.diff(starts), np.concatenate([[0.0], np.cumsum(costs)])
        before = total[:-1] - np.repeat(total[starts[:-1]], counts)
        # How far a coefficient is above the place where each piece begins, (n_pieces,).
        room = np.repeat(coefficients - self.bounds()[0], counts) - before
        passed = np.empty(len(order))
        passed[order] = np.clip(room, 0.0, costs)
        return np.where(self.sides > 0, passed, self.costs - passed)

    def dual_path(self, *, free_intercept):
        """The `bounds` and what `by_sample` gives, for a dual solver."""
        if free_intercept:
            self.check_free_intercept()
        return *self.bounds(), *self.paid().by_sample()

    def check_free_intercept(self):
        """Raise unless the loss is bounded from below in a free intercept."""
        lower, upper = self.bounds()
        # Slopes of the total loss in b far below and far above all kinks: the loss is
        # bounded if zero is between them.
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

        Of :math:`\frac12 \|h\|^2` plus the loss of :math:`h + b`, for a fixed b, or for
        the best one if the coefficients sum to zero; `roughness` is :math:`\|h\|^2`.
        """
        # Each hinge is at least its multiplier times s (tau - h - b). The sum of these
        # and half of |h|^2 is smallest at h = K a, where h contributes -|h|^2 / 2.
        gained = (self.sides * self.multipliers(coefficients)) @ self.kinks
        return float(gained - intercept * coefficients.sum() - roughness / 2.0)

    def evidence(self, coefficients, scores, intercept):
        """Objective of feasible coefficients, and the most that it may be too large."""
        # `scores` are those of h, without the intercept: a'K a.
        roughness = float(coefficients @ scores)
        objective = roughness / 2.0 + self.value(scores + intercept)
        proved = self.dual_value(coefficients, roughness, intercept)
        return objective, objective - proved


def hinges(n_samples, rows, kinks, sides, costs):
    """Pieces without a linear term; numbers of any type."""
    rows, linear = np.asarray(rows, dtype=np.intp), np.zeros(n_samples)
    floats = (np.asarray(own, dtype=np.float64) for own in (kinks, sides, costs))
    return HingePieces(n_samples, rows, *floats, linear)


@dataclass(frozen=True)
class ProximalHinges:
    r"""The smooth function of the scores in a step of the method of multipliers.

    Every hinge is :math:`c \max(0, u) = \max_{0 \le \beta \le c} \beta u` with
    :math:`u = s (\tau - f)`. Its place is taken by

    .. math:: \max_{0 \le \beta \le c} \beta u - \frac{\delta}{2c} (\beta - \alpha)^2 ,

    whose derivative by u is :math:`\beta = \operatorname{clip}(\alpha + cu/\delta, 0,
    c)`: the kink becomes a parabola of width :math:`\delta`. If :math:`\alpha` is
    optimal, so are the scores that minimize the smooth function, for every width.
    """

    pieces: HingePieces  # with positive costs
    multipliers: np.ndarray  # alpha, from zero to the costs, (n_pieces,)
    width: float  # delta > 0

    def multipliers_at(self, scores):
        """The maximizing multipliers, (n_pieces,): the next ones of the method."""
        return np.clip(self._raised(scores), 0.0, self.pieces.costs)

    def curvature(self, scores):
        """Second derivative by each score, (n_samples,); zero away from the kinks."""
        pieces, raised = self.pieces, self._raised(scores)
        bends = (raised > 0.0) & (raised < pieces.costs)
        costs = pieces.costs[bends] / self.width
        return np.bincount(pieces.rows[bends], costs, pieces.n_samples)

    def step(self, scores, direction, slope=0.0, curvature=0.0):
        r"""Minimum along a line, to rounding.

        Of the smooth hinges, the linear term and
        :math:`\mathrm{slope}\, t + \frac12 \mathrm{curvature}\, t^2` at
        `scores + t * direction`. The derivative by t is increasing and piecewise
        linear: Newton's method ends on the right piece, halving helps where it circles.
        """
        pieces = self.pieces
        raised = self._raised(scores)
        change = -pieces.sides * direction[pieces.rows]  # of u, for t = 1
        drift = pieces.costs / self.width * change
        slope = slope + float(pieces.linear @ direction)
        # A smaller t changes no digit of the scores.
        finest = _ROUNDING * np.abs(scores).max() / max(np.abs(direction).max(), _TINY)
        low, high, t, reach = -np.inf, np.inf, 0.0, 1.0
        for n_trials in range(1, _MAX_TRIALS + 1):
            moved = raised + t * drift
            pulls = np.clip(moved, 0.0, pieces.costs) * change
            rise = float(pulls.sum()) + slope + curvature * t
            size = float(np.abs(pulls).sum()) + abs(slope) + abs(curvature * t)
            if abs(rise) <= _ROUNDING * size:
                break
            low, high = (t, high) if rise < 0 else (low, t)
            bends = (moved > 0.0) & (moved < pieces.costs)
            bend = curvature + float(drift[bends] @ change[bends])
            # On a flat piece the minimum is infinitely far ahead; the bracket ends it.
            aim = t - rise / bend if bend > 0 else -np.inf * rise
            patient = n_trials % 3 > 0  # Newton may crawl from piece to piece
            # No bracket yet: at most `reach` further, which then grows.
            if np.isinf(high - low):
                near, far = (t, t + reach) if rise < 0 else (t - reach, t)
                aim = min(max(aim, near), far) if patient else near + far - t
                reach *= 4.0
            elif not (low < aim < high and patient):
                aim = (low + high) / 2.0
            t, before = float(aim), t
            if abs(t - before) <= finest:
                break
        return t

    def _raised(self, scores):
        """Multipliers before they are clipped."""
        pieces = self.pieces
        slack = pieces.sides * (pieces.kinks - scores[pieces.rows])
        return self.multipliers + pieces.costs / self.width * slack


class BranchLoss:
    """A loss that is the smallest of several convex ones at every score.

    A member gives the lowest `branches` at scores, and `value` and `pieces` on these.
    """

    def touch(self, given, scores, rows, costs, branches=None):
        """The branches, lowest by default, the bounds there, and all losses summed.

        The `given` losses and the bounds, sums of these and this loss on its branches,
        are those of the columns of the scores.
        """
        own_scores = scores[rows]
        if branches is None:
            branches = np.column_stack([self.branches(f) for f in own_scores.T])
        losses = self.value(branches, own_scores)
        known = sum(own.value(f) for own, f in zip(given, scores.T, strict=True))
        bounds = [
            own + self.pieces(column, rows, costs, own.n_samples)
            for own, column in zip(given, branches.T, strict=True)
        ]
        return branches, bounds, known + float((costs @ losses).sum())


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
        return labeled_hinges(rows, branches, costs, n_samples)


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
        losses = SymmetricHinge(), EpsilonInsensitive(self.epsilon)
        return _mixture(branches != 0, losses, (branches, rows, costs), n_samples)


@dataclass(frozen=True)
class Ramp(BranchLoss):
    r"""The loss :math:`\min(\max(0, 1 - |f|), 1 - \kappa)`, Eq. (11) up to a constant.

    Scores closer to zero than `kappa` are not pulled to either side.
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
        # Kinks of the three branches of the relaxed loss. For D - 1 >= epsilon the
        # middle branch is never the largest, and both kinks are in one place.
        kinks = np.array([self.reach - 1.0, self.epsilon])
        if kinks[0] >= kinks[1]:
            kinks = np.full(2, kinks.mean())
        relaxed = _pairs(rows, -kinks[0], costs, n_samples)
        relaxed += _pairs(rows, -kinks[1], costs, n_samples)
        return relaxed.with_slopes(rows, -costs * branches)

    def fixed_pieces(self, relevant, branches, rows, costs, n_samples):
        """The loss with the decisions d held fixed, as Theorem 4 needs it."""
        losses = Ramp(self.kappa), EpsilonInsensitive(self.epsilon)
        return _mixture(relevant, losses, (branches, rows, costs), n_samples)


def is_relevant(scores, epsilon, slack=0.0):
    r"""Eq. (5): farther from 0 than :math:`(1 + \varepsilon) / 2`, by the slack."""
    return np.abs(scores) > 0.5 * (1.0 + epsilon) + slack


def labeled_hinges(rows, signs, costs, n_samples):
    """Hinges of labeled samples, max(0, 1 - y f)."""
    return hinges(n_samples, rows, signs, signs, costs)


def _pairs(rows, margin, costs, n_samples):
    """Two hinges for each row, max(0, margin - f) and max(0, margin + f)."""
    signs = np.repeat([1.0, -1.0], len(rows))
    return hinges(n_samples, np.tile(rows, 2), margin * signs, signs, np.tile(costs, 2))


def _mixture(first, losses, of_rows, n_samples):
    """Pieces of one loss on the rows where `first` holds, of another elsewhere."""
    parts = ([values[mask] for values in of_rows] for mask in (first, ~first))
    own, other = (
        loss.pieces(*part, n_samples) for loss, part in zip(losses, parts, strict=True)
    )
    return own + other
