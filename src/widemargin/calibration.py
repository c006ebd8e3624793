"""One slope that turns one-vs-rest scores into probabilities."""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import log_expit, log_softmax

from widemargin.defaults import CALIBRATION_CENTER, CALIBRATION_SPREAD
from widemargin.stored import Stored, require


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
        scores = self.slope * scores.astype(np.float64, copy=False)
        if scores.shape[1] == 1:
            return log_expit(np.hstack([-scores, scores]))
        return log_softmax(scores, axis=1)

    def probabilities(self, scores):
        """Class probabilities, (n, n_classes), from one-vs-rest scores."""
        return np.exp(self.log_probabilities(scores))

    def check(self, n_features):
        """Raise ValueError unless the slope is a positive number."""
        require(0 < self.slope < np.inf, self, "slope")


def neg_log_prior(slope, *, center=CALIBRATION_CENTER, spread=CALIBRATION_SPREAD):
    """Minus the log prior of a slope, in nats, less that of the usual slope."""
    return 0.5 * (np.log(slope / center) / spread) ** 2


def calibrate_models(held_out, codes, weights):
    """Slopes of several models, and the probabilities that they give.

    Parameters
    ----------
    held_out : ndarray of shape (n_models, n_labels, n_columns)
        Scores of held-out labels.
    codes, weights
        As in `fit_calibration`.

    Returns
    -------
    slopes : ndarray of shape (n_models,)
    probabilities : ndarray of shape (n_models, n_labels, n_classes)
    """
    models = [fit_calibration(scores, codes, weights) for scores in held_out]
    pairs = zip(models, held_out, strict=True)
    probabilities = np.array([model.probabilities(scores) for model, scores in pairs])
    return np.array([model.slope for model in models]), probabilities


def fit_calibration(
    scores, codes, weights, *, center=CALIBRATION_CENTER, spread=CALIBRATION_SPREAD
):
    """The calibration of largest posterior probability, with a log-normal prior.

    Rows of NaN among the held-out scores, (n_labels, n_columns), are not counted; the
    weights, of any scale, together count as `n_labels` observations. `center` is the
    median of the prior of the slope and `spread` the standard deviation of its
    logarithm. Without held-out scores the calibration is the default one.
    """
    known = np.isfinite(scores).all(axis=1)
    if not known.any():
        return Calibration(float(center))
    scores, codes, weights = scores[known], codes[known], weights[known]
    counts = len(codes) * weights / weights.sum()

    def loss(log_slope):
        logs = Calibration(float(np.exp(log_slope))).log_probabilities(scores)
        fit = -counts @ logs[np.arange(len(codes)), codes]
        return fit + neg_log_prior(np.exp(log_slope), center=center, spread=spread)

    width = 8.0 * spread
    bounds = (np.log(center) - width, np.log(center) + width)
    found = minimize_scalar(loss, bounds=bounds, method="bounded")
    return Calibration(float(np.exp(found.x)))
