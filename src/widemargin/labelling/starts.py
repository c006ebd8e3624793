"""Labels to start a search from, all of them within the bounds."""

from dataclasses import dataclass

import numpy as np

from widemargin.checks import check_choice, check_number
from widemargin.values import Value

KINDS = ("supervised", "smoothed", "random", "both")


@dataclass(frozen=True)
class Starts(Value):
    """Where searches for missing labels start; a string is shorthand for its kind.

    Parameters
    ----------
    kind : {"supervised", "smoothed", "random", "both"}, default="supervised"
        The labels that the model of the given labels predicts; those of the smoother
        of all rows, applied to the given labels (with a linear kernel, the discriminant
        with the covariance of all rows); random ones; or the first and random ones.
    n_starts : int, default=10
        Number of starts if they are random; "both" has the supervised one among them.

    Examples
    --------
    >>> from widemargin import LabelSearchClassifier
    >>> from widemargin.parameters import Starts
    >>> LabelSearchClassifier(start=Starts("random", n_starts=20)).start
    Starts(kind='random', n_starts=20)
    """

    kind: str = "supervised"
    n_starts: int = 10

    written = f"one of {', '.join(map(repr, KINDS))} or a Starts value"

    def __post_init__(self):
        check_choice(self, "kind", KINDS)
        check_number(self, "n_starts", low=1, integer=True)

    def make(self, problem, preference, rng):
        """Starts, and a seed for each; `preference` is by the supervised scores."""
        n_random = {"random": self.n_starts, "both": self.n_starts - 1}
        starts, seeds = make_starts(problem, n_random.get(self.kind, 0), rng)
        if self.kind == "random":
            return starts, seeds
        if self.kind == "smoothed":
            informed = smoothed_start(problem)
        else:
            informed = problem.preferred_codes(preference)
        return [informed, *starts], np.append(rng.integers(2**62), seeds)


def make_starts(problem, n_starts, rng):
    """Random labels to start from, and a seed for each."""
    starts = [random_start(problem, rng) for _ in range(n_starts)]
    return starts, rng.integers(2**62, size=n_starts)


def random_start(problem, rng):
    """Classes drawn by target sizes; unlike in the binary paper, given labels stay."""
    movable, order, n_classes = problem.movable, problem.order, problem.n_classes
    fixed = np.bincount(problem.given[~movable], minlength=n_classes)
    # Given points fill their classes first; a full class keeps a tiny chance.
    chance = np.maximum(problem.target - fixed, 1e-9)
    codes = problem.given.copy()
    codes[order] = rng.choice(n_classes, len(order), p=chance / chance.sum())
    preference = np.empty((n_classes, len(movable)))
    preference[:, order] = rng.random((n_classes, len(order)))
    return problem.repair(codes, preference)


def smoothed_start(problem):
    """The class whose given points the smoother ties each point to most, on average.

    Unlabeled points count by their weights: for a linear kernel this is the
    discriminant with the covariance of all points.
    """
    fixed = np.flatnonzero(~problem.movable)
    codes, n_classes = problem.given[fixed], problem.n_classes
    shares = np.zeros((problem.n_samples, n_classes))
    shares[fixed, codes] = 1.0 / np.bincount(codes, minlength=n_classes)[codes]
    return problem.preferred_codes((problem.smoother @ shares).T.astype(np.float64))
