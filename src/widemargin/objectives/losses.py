"""Losses of one-vs-rest models with targets -1 and +1.

A smooth loss here is a square on its active labels and zero elsewhere.
"""

import numpy as np


class Hinge:
    """The loss max(0, 1 - t f), which only the dual solver minimizes."""

    has_kink = True

    def value(self, targets, scores):
        """Loss of each entry."""
        return np.maximum(0.0, 1.0 - targets * scores)


class SquaredHinge(Hinge):
    """The loss max(0, 1 - t f)^2: active inside the margin (the "error vectors")."""

    def value(self, targets, scores):
        """Loss of each entry."""
        return super().value(targets, scores) ** 2

    def active(self, targets, scores):
        """Entries on which the loss is the square; exactly on the margin is not."""
        return targets * scores < 1.0


class Squared:
    """The loss (t - f)^2: always active."""

    has_kink = False

    def value(self, targets, scores):
        """Loss of each entry."""
        return (targets - scores) ** 2

    def active(self, targets, scores):
        """Every entry."""
        return np.ones(np.broadcast(targets, scores).shape, dtype=bool)
