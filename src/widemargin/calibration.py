"""One slope that turns one-vs-rest scores into probabilities."""

from dataclasses import dataclass

import numpy as np
from scipy.special import log_expit, log_softmax

from widemargin.defaults import CALIBRATION_CENTER, CALIBRATION_SPREAD
from widemargin.labels import both_columns
from widemargin.stored import Stored, require

_LARGEST = 1e300  # beyond it probabilities are zero or one anyway
_LAST_STEP = 1e-6  # of Newton's method, whose errors are squared in each step
_MAX_STEPS = 6  # of it, which begin near the minimum


@dataclass(frozen=True)
class Calibration(Stored):
    """Probabilities as a softmax of a slope times the scores.

    The default slope is what models of this library need in the median.

    >>> Calibration(slope=2.0).probabilities(np.array([[0.0], [1.0]])).round(2)
    array([[0.5 , 0.5 ],
           [0.12, 0.88]])
    """

    slope: float = CALIBRATION_CENTER

    def log_probabilities(self, scores):
        """Logarithms of class probabilities, (n, n_classes), from one-vs-rest scores.

        Of two classes with a single column of scores f, the second has the probability
        1 / (1 + exp(-slope f)). In double precision, so that large probabilities and
        their logarithms agree.
        """
        largest = _LARGEST / self.slope  # differences of products stay finite
        scores = np.clip(scores.astype(np.float64, copy=False), -largest, largest)
        scores = self.slope * scores
        if scores.shape[1] == 1:
            return log_expit(both_columns(scores))
        return log_softmax(scores, axis=1)

    def probabilities(self, scores):
        """Class probabilities, (n, n_classes), from one-vs-rest scores."""
        return np.exp(self.log_probabilities(scores))

    def check(self, n_features):
        """Raise ValueError unless the slope is a positive number."""
        require(0 < self.slope < np.inf, self, "slope")


def neg_log_prior(slope):
    """Minus the log prior of a slope, in nats, less that of the usual slope."""
    return 0.5 * (np.log(slope / CALIBRATION_CENTER) / CALIBRATION_SPREAD) ** 2


def calibrate_models(held_out, codes, weights):
    """Slopes of several models, and their probabilities of held-out labels."""
    slopes = fit_slopes(held_out, codes, weights)
    scores = both_columns(slopes[:, None, None] * held_out, factor=0.5)
    scores = np.ascontiguousarray(np.moveaxis(scores, 2, 0))  # as in `fit_slopes`
    odds = np.exp(scores - scores.max(axis=0))
    return slopes, np.ascontiguousarray(np.moveaxis(odds / odds.sum(axis=0), 0, 2))


def fit_calibration(scores, codes, weights, **prior):
    """The calibration of one model from its held-out scores, see `fit_slopes`."""
    return Calibration(float(fit_slopes(scores[None], codes, weights, **prior)[0]))


def fit_slopes(
    held_out, codes, weights, *, center=CALIBRATION_CENTER, spread=CALIBRATION_SPREAD
):
    """The slopes of largest posterior probability, (n_models,), log-normal prior.

    Rows of NaN among the held-out scores, (n_models, n_labels, n_columns), are not
    counted; the weights, of any scale, together count as one observation per label.
    `center` is the median of the prior of a slope and `spread` the standard deviation
    of its logarithm. Without held-out scores the slope is the center.
    """
    scored = np.isfinite(held_out).all(axis=2)
    counts = np.where(scored, weights, 0.0)
    totals = np.maximum(counts.sum(axis=1, keepdims=True), 1e-300)
    # Rescaled to add up to the number of held-out labels of each model.
    counts *= scored.sum(axis=1, keepdims=True) / totals
    scores = np.where(scored[:, :, None], held_out, 0.0).astype(np.float64)
    scores = both_columns(scores, factor=0.5)
    # Classes first: sums over a short last axis would take longer than exponentials.
    scores = np.ascontiguousarray(np.moveaxis(scores, 2, 0))
    largest = scores.max(axis=0)
    # The loss is log sum_k exp(s (f_k - max)) + s (max - f_label): no overflow.
    leads = largest - scores[codes, :, np.arange(len(codes))].T  # over the label
    scores -= largest

    def value(x):
        """Minus the log posterior of center * exp(x)."""
        slopes = center * np.exp(x)
        odds = np.exp(slopes[:, None] * scores)
        losses = np.log(odds.sum(axis=0)) + slopes[:, None] * leads
        return np.einsum("ml,ml->m", counts, losses) + 0.5 * (x / spread) ** 2

    def derivatives(x):
        """The first and the second one of `value`."""
        slopes = center * np.exp(x)
        odds = np.exp(slopes[:, None] * scores)
        totals = odds.sum(axis=0)
        odds *= scores
        means = odds.sum(axis=0) / totals
        squares = np.einsum("kml,kml->ml", odds, scores) / totals
        # By x = log(s / center): s h'(s), and s h'(s) + s^2 h''(s), where h'' is the
        # variance of the scores under the predicted probabilities.
        first = slopes * np.einsum("ml,ml->m", counts, means + leads)
        second = slopes**2 * np.einsum("ml,ml->m", counts, squares - means**2)
        return first + x / spread**2, first + second + 1.0 / spread**2

    found = _minimize_each(value, derivatives, len(held_out), 8.0 * spread)
    return center * np.exp(found)


def _minimize_each(value, derivatives, n, width):
    """Minima of n functions of one number each, from -width to width.

    Newton's method starts at the best point of a grid and stays between its neighbors,
    by bisection if it must.
    """
    # The loss is convex in the slope but not in its logarithm, hence a grid first.
    grid = width * np.array([-1, -0.4, -0.25, -0.1, 0, 0.1, 0.25, 0.4, 1])
    best = np.argmin([value(np.full(n, x)) for x in grid[1:-1]], axis=0) + 1
    x, low, high = grid[best], grid[best - 1], grid[best + 1]
    for _ in range(_MAX_STEPS):
        slope, curvature = derivatives(x)
        low, high = np.where(slope < 0, x, low), np.where(slope < 0, high, x)
        step = np.divide(slope, curvature, out=np.full(n, np.inf), where=curvature > 0)
        inside = (x - step >= low) & (x - step <= high)
        last, x = x, np.where(inside, x - step, 0.5 * (low + high))
        if np.abs(x - last).max(initial=0.0) < _LAST_STEP:
            break
    return x
