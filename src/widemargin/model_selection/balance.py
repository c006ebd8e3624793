"""Class shares from few labels."""

import math
import numbers
from typing import Any

import numpy as np
from scipy.special import betaincinv

from widemargin.labels import has_label, read_labels


def select_balance(
    y: Any,
    *,
    concentration: float = 1.0,
    interval: float | None = None,
    irrelevant_label: Any = None,
) -> Any:
    """Estimate the share of each class from the labels.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Labels of any type. Integer -1, NaN or None marks an unlabeled sample.
    concentration : float, default=1.0
        Pseudo-count added to each class. 0 gives the shares of the labels; larger
        values give more equal shares.
    interval : float or None, default=None
        Probability of the intervals that are also returned: 0.9, for example.
    irrelevant_label : label or None, default=None
        The value in y that marks rows known to be irrelevant: they are not counted.

    Returns
    -------
    balance : dict
        ``{class: fraction}``, for the parameter `balance` of an estimator.
    intervals : dict
        ``{class: (low, high)}``, only if `interval` was given: each share lies in its
        interval with this probability, and below and above it equally often.

    Notes
    -----
    With :math:`n_c` labels of class c among n, of k classes, and a symmetric Dirichlet
    prior of concentration a, the fractions are the mean of the posterior,
    :math:`(n_c + a) / (n + k a)`, and the intervals are quantiles of its marginal beta
    distributions.

    The labeled rows must be a random sample, not labeled class by class. With 20 labels
    and a share of one half, the 90 % interval is from 0.33 to 0.67, and estimators
    keep the given `balance` even if it is wrong; ``balance="labeled"`` is more careful.

    Examples
    --------
    >>> from widemargin.model_selection import select_balance
    >>> y = [0] * 70 + [1] * 30 + [-1] * 900
    >>> balance, intervals = select_balance(y, interval=0.9)
    >>> low, high = intervals[1]
    >>> round(low, 2), round(balance[1], 2), round(high, 2)
    (0.23, 0.3, 0.38)
    """
    _check(concentration, "concentration", "a number >= 0", lambda a: 0 <= a < math.inf)
    if interval is not None:
        _check(interval, "interval", "None or between 0 and 1", lambda p: 0 < p < 1)
    labels = read_labels(y, ~has_label(y, irrelevant_label))
    names = labels.classes.tolist()
    counts = np.bincount(labels.codes, minlength=labels.n_classes) + concentration
    total = counts.sum()
    balance = dict(zip(names, (counts / total).tolist(), strict=True))
    if interval is None:
        return balance
    outside = (1.0 - interval) / 2.0
    ends = [[outside], [1.0 - outside]]
    pairs = map(tuple, betaincinv(counts, total - counts, ends).T.tolist())
    return balance, dict(zip(names, pairs, strict=True))


def _check(value, name, wanted, is_valid):
    is_number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if not is_number or not is_valid(value):
        raise ValueError(f"{name} of select_balance must be {wanted}, got {value!r}.")
