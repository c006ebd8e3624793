"""One slope that turns scores into probabilities."""

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import log_expit, log_softmax

DEFAULT_SLOPE = 3.0  # where no label can say better


def log_probabilities(scores, slope):
    """Logarithms of class probabilities, (n, n_classes), from one-vs-rest scores.

    A softmax of `slope` times the scores; of two classes with a single column of
    scores f, the second has the probability 1 / (1 + exp(-slope f)). In double
    precision, so that large probabilities and their logarithms agree.
    """
    scores = slope * scores.astype(np.float64, copy=False)
    if scores.shape[1] == 1:
        return log_expit(np.hstack([-scores, scores]))
    return log_softmax(scores, axis=1)


def fit_slope(scores, codes, weights, *, center=DEFAULT_SLOPE, spread=0.5):
    """Slope of largest posterior probability, with a log-normal prior.

    Parameters
    ----------
    scores : ndarray of shape (n_labels, n_columns)
        Scores of labeled samples that did not see their own label.
    codes : ndarray of shape (n_labels,)
        Their classes.
    weights : ndarray of shape (n_labels,)
        Weights that add up to one; together they count as `n_labels` observations.
    center, spread : float
        Median of the prior, and standard deviation of the logarithm.

    Returns
    -------
    float
    """

    def loss(log_slope):
        logs = log_probabilities(scores, np.exp(log_slope))
        fit = -len(codes) * (weights @ logs[np.arange(len(codes)), codes])
        return fit + 0.5 * ((log_slope - np.log(center)) / spread) ** 2

    width = 8.0 * spread
    bounds = (np.log(center) - width, np.log(center) + width)
    return float(np.exp(minimize_scalar(loss, bounds=bounds, method="bounded").x))
