"""Hinges made smooth by staying close to given multipliers."""

from dataclasses import dataclass

import numpy as np

from widemargin.objectives.pieces import HingePieces


@dataclass(frozen=True)
class ProximalHinges:
    r"""The smooth function of the scores in a step of the method of multipliers.

    Every hinge is :math:`c \max(0, u) = \max_{0 \le \beta \le c} \beta u` with
    :math:`u = s (\tau - f)`. Its place is taken by

    .. math:: \max_{0 \le \beta \le c} \beta u - \frac{\delta}{2c} (\beta - \alpha)^2 ,

    whose derivative by u is :math:`\beta = \operatorname{clip}(\alpha + cu/\delta, 0,
    c)`: the kink becomes a parabola of width :math:`\delta`. If :math:`\alpha` is
    optimal, so are the scores that minimize the smooth function, for every width.

    Attributes
    ----------
    pieces : HingePieces
        With positive costs.
    multipliers : ndarray of shape (n_pieces,)
        :math:`\alpha`, from zero to the costs.
    width : float
        :math:`\delta > 0`.
    """

    pieces: HingePieces
    multipliers: np.ndarray
    width: float

    def value(self, scores):
        """Sum of the smooth hinges plus the linear term."""
        pieces = self.pieces
        slack, moved = self._slack(scores), self.multipliers_at(scores)
        away = (moved - self.multipliers) ** 2 / pieces.costs
        linear = pieces.linear @ scores
        return float(moved @ slack - self.width / 2.0 * away.sum() + linear)

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
        linear, so that Newton's method ends on the right piece; halving the interval
        helps where it circles. O(n_pieces) for each of a few trials.
        """
        pieces = self.pieces
        raised = self._raised(scores)
        change = -pieces.sides * direction[pieces.rows]  # of u, for t = 1
        drift = pieces.costs / self.width * change
        slope = slope + float(pieces.linear @ direction)
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
            aim = t - rise / bend if bend > 0 else -np.inf * rise
            patient = n_trials % 3 > 0  # Newton may crawl from piece to piece
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

    def _slack(self, scores):
        pieces = self.pieces
        return pieces.sides * (pieces.kinks - scores[pieces.rows])

    def _raised(self, scores):
        return self.multipliers + self.pieces.costs / self.width * self._slack(scores)


def coefficients(pieces, multipliers):
    """Coefficients of the samples with given multipliers of the pieces."""
    signed = pieces.sides * multipliers
    return np.bincount(pieces.rows, signed, pieces.n_samples) - pieces.linear


def spread(pieces, coefficients):
    """Multipliers with given coefficients, as far as the costs allow, (n_pieces,).

    A coefficient rises from its smallest value over the sample's pieces by falling
    kink, as in `HingePieces.by_sample`.
    """
    order = np.lexsort((-pieces.kinks, pieces.rows))
    passed = np.empty(len(order))
    passed[order] = pieces.fill(coefficients)
    return np.where(pieces.sides > 0, passed, pieces.costs - passed)


_MAX_TRIALS = 100
_ROUNDING = 1e-15
_TINY = 1e-300
