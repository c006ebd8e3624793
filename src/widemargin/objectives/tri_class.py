r"""Losses of an unlabeled score, each a minimum of convex branches.

A branch is a number: +1 or -1 for a sample that counts as one of the class, 0 for one
that counts as neither. On a fixed branch a loss is a list of hinges, and the branch
that is smallest at a score gives the tightest bound of the loss that touches it there.
So a solver asks for three things: the lowest `branches` at some scores, the `value` of
the loss on given branches, and the `pieces` that it has there.
Equation numbers are those of Yang et al., *Maximum margin semi-supervised learning
with irrelevant data*.
"""

from dataclasses import dataclass

import numpy as np

from widemargin.objectives.pieces import hinges


@dataclass(frozen=True)
class SymmetricHinge:
    r"""The loss :math:`\max(0, 1 - |f|)` of the transductive machine, Fig. 3(b)."""

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
class EpsilonInsensitive:
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
class MinLoss:
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
class Ramp:
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
