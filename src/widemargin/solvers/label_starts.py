"""Labelings to start a search from, all of them within the bounds."""

import numpy as np


def random_start(problem, rng):
    """Classes drawn with the chances of their target sizes, then mended.

    Deviation from the footnote of the binary paper: given labels stay.
    """
    fixed = np.bincount(problem.given[~problem.movable], minlength=problem.n_classes)
    chance = np.maximum(problem.target - fixed, 1e-9)
    codes = problem.given.copy()
    codes[problem.order] = rng.choice(
        problem.n_classes, len(problem.order), p=chance / chance.sum()
    )
    liking = np.empty((problem.n_classes, problem.n_samples))
    liking[:, problem.order] = rng.random((problem.n_classes, len(problem.order)))
    return mend(problem, codes, liking)


def smoothed_start(problem):
    """The class whose given points the smoother ties each point to most, on average.

    Unlabeled points have a say by their weights: for a linear kernel this is the
    discriminant with the covariance of all points.
    """
    fixed = np.flatnonzero(~problem.movable)
    codes = problem.given[fixed]
    shares = np.zeros((problem.n_samples, problem.n_classes))
    shares[fixed, codes] = 1.0 / np.bincount(codes, minlength=problem.n_classes)[codes]
    smoother = problem.smoother
    ties = smoother.mass_product(shares.astype(smoother.matrix.dtype))
    liking = (ties / smoother.weights[:, None]).T.astype(np.float64)
    return mend(problem, best_codes(problem, liking), liking)


def best_codes(problem, liking):
    """Each movable point in the class that it likes best."""
    codes = problem.given.copy()
    codes[problem.movable] = liking[:, problem.movable].argmax(axis=0)
    return codes


def mend(problem, codes, liking):
    """The labeling with all bounds kept, at the least loss of liking, greedily.

    Parameters
    ----------
    codes : ndarray of shape (n,)
    liking : ndarray of shape (n_classes, n)
        How well each class suits each point; those that lose least move.
    """
    codes = codes.astype(np.int32)
    counts = np.bincount(codes, minlength=problem.n_classes)
    while True:
        over = np.flatnonzero(counts > problem.upper)
        under = np.flatnonzero(counts < problem.lower)
        if not len(over) and not len(under):
            return codes
        givers = over if len(over) else np.flatnonzero(counts > problem.lower)
        takers = under if len(under) else np.flatnonzero(counts < problem.upper)
        movers = np.flatnonzero(problem.movable & np.isin(codes, givers))
        if not len(movers) or not len(takers):
            raise ValueError(
                f"no labeling has class sizes from {problem.lower.tolist()} to "
                f"{problem.upper.tolist()} with the given labels; loosen the balance, "
                "or give fewer labels."
            )
        loss = liking[codes[movers], movers] - liking[np.ix_(takers, movers)]
        order = np.argsort(loss.min(axis=0), kind="stable")
        new = takers[loss.argmin(axis=0)]
        for i in order:  # each giver and taker only as far as its bound
            point, source, sink = movers[i], codes[movers[i]], new[i]
            giving = counts[source] > (
                problem.upper[source] if len(over) else problem.lower[source]
            )
            taking = counts[sink] < (
                problem.lower[sink] if len(under) else problem.upper[sink]
            )
            if giving and taking:
                codes[point] = sink
                counts[source] -= 1
                counts[sink] += 1
