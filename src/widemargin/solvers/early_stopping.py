"""When to stop by what the classifier decides, Algorithms 2 and 3 of [1]_.

A check looks at the scores of all training samples every `interval` iterations and
compares what it sees with what it saw the last time; the first look never stops.

References
----------
.. [1] Melacci and Belkin, Laplacian support vector machines trained in the primal.
"""

from dataclasses import dataclass

import numpy as np


def check_interval(n_samples):
    """Iterations between two looks: half the root of n, but at least ten.

    Deviation: the floor, below n = 400; checked more often, the decisions of slow
    early iterations look stable although they are far from the solution's.
    """
    return max(10, round(np.sqrt(n_samples) / 2))


@dataclass(frozen=True)
class StabilityCheck:
    """Stop when few of the decisions on the unlabeled samples still change (Alg. 2).

    Attributes
    ----------
    rows : ndarray
        The unlabeled samples.
    decide : callable
        Maps scores (n, n_columns) to decisions (n,).
    interval : int
        Iterations between two looks.
    tolerance : float
        Share of changed decisions below which to stop. Deviation: the share is
        meant, and not the printed distance of -1/+1 vectors, which is twice as large.
    """

    rows: np.ndarray
    decide: object
    interval: int
    tolerance: float = 0.015

    def look(self, scores):
        """The decisions."""
        return self.decide(scores[self.rows])

    def compare(self, before, now):
        """Whether to stop, and the share of decisions that changed."""
        change = float(np.mean(before != now)) if len(now) else 0.0
        return change < self.tolerance, change


@dataclass(frozen=True)
class ValidationCheck:
    """Stop unless one more held-out sample is classified correctly (Alg. 3).

    Attributes
    ----------
    rows, codes : ndarrays
        The held-out samples and their classes.
    decide, interval : see `StabilityCheck`
    """

    rows: np.ndarray
    codes: np.ndarray
    decide: object
    interval: int

    def look(self, scores):
        """Number of correct decisions."""
        return int(np.sum(self.decide(scores[self.rows]) == self.codes))

    def compare(self, before, now):
        """Whether to stop, and the share of held-out samples newly correct."""
        return now <= before, (now - before) / len(self.rows)


@dataclass(frozen=True)
class MixedCheck:
    """Stop when both checks say so at the same look."""

    stability: StabilityCheck
    validation: ValidationCheck

    @property
    def interval(self):
        """Iterations between two looks."""
        return self.stability.interval

    def look(self, scores):
        """What both see."""
        return self.stability.look(scores), self.validation.look(scores)

    def compare(self, before, now):
        """Whether to stop, and the share of decisions that changed."""
        stable, change = self.stability.compare(before[0], now[0])
        settled, _ = self.validation.compare(before[1], now[1])
        return stable and settled, change
