"""Artificial sets: curves in the plane, a Gaussian in each class, noisy waves."""

from numbers import Integral, Real

import numpy as np
from sklearn.utils import check_scalar

from widemargin.datasets.labels import balanced_labels
from widemargin.linalg.random import as_generator

# The clock shows three o'clock; its border has radius 1.
_HOUR_HAND = np.array([0.5, 0.0])
_MINUTE_HAND = np.array([0.0, 0.7])
# Breiman's waves
_PEAKS = (7, 11, 15)  # of the three triangles, counted from 1
_WAVES_OF_CLASS = ((0, 2), (0, 1), (1, 2))


def make_two_moons(n_samples=200, *, noise=0.1, random_state=None):
    r"""Draw two half circles that reach into each other.

    The upper moon, class 0, is :math:`(\cos t, \sin t)`, the lower one, class 1,
    :math:`(1 - \cos t, 1/2 - \sin t)`, with :math:`t` evenly spaced in :math:`[0,
    \pi]`. The size is that of Fig. 3 of S. Melacci and M. Belkin (JMLR 12, 2011), and
    of Table 1 of F. Gieseke et al. (Evolutionary Intelligence 5, 2012). Neither states
    the noise.

    Parameters
    ----------
    n_samples : int, default=200
        Number of rows, half of them in each class.
    noise : float, default=0.1
        Standard deviation of the Gaussian noise on both coordinates.
    random_state : None, int, Generator or RandomState, default=None
        Source of randomness; pass an int for the same data at every call.

    Returns
    -------
    X, y : ndarrays of shapes (n_samples, 2) and (n_samples,)

    Examples
    --------
    >>> X, y = make_two_moons(random_state=0)
    >>> X.shape, (y == 0).sum().item()
    ((200, 2), 100)
    """
    n_upper, n_lower = _halves(n_samples)
    upper = _circle(np.linspace(0, np.pi, n_upper))
    lower = [1.0, 0.5] - _circle(np.linspace(0, np.pi, n_lower))
    return _shuffled_curves(upper, lower, noise, random_state)


def make_clock(n_samples=200, *, noise=0.0, random_state=None):
    """Draw the border of a clock against its two hands.

    The shape is that of Fig. 1 of S. Melacci and M. Belkin (JMLR 12, 2011), which gives
    no numbers. Here the border, class 0, is the unit circle. Of the hands, class 1, one
    points to the right and is 0.5 long, the other points up and is 0.7 long. Rows are
    evenly spaced along both. Parameters and result are those of `make_two_moons`.

    Examples
    --------
    >>> X, y = make_clock(random_state=0)
    >>> X.shape, (y == 0).sum().item()
    ((200, 2), 100)
    """
    n_border, n_hands = _halves(n_samples)
    border = _circle(np.linspace(0, 2 * np.pi, n_border, endpoint=False))
    hour_length, minute_length = np.linalg.norm([_HOUR_HAND, _MINUTE_HAND], axis=1)
    walked = np.linspace(-hour_length, minute_length, n_hands)[:, None]  # center: 0
    hands = np.maximum(-walked, 0) * _HOUR_HAND / hour_length
    hands += np.maximum(walked, 0) * _MINUTE_HAND / minute_length
    return _shuffled_curves(border, hands, noise, random_state)


def make_gp_toy(n_samples=560, *, margin=1.0, noise=0.4, random_state=None):
    r"""Draw two bands on either side of a sine curve, with few points in between.

    The set of Sec. 4.1 of A. Patel, S. Sundararajan and S. Shevade (IJCAI 2009) is
    known from a figure only: 40 labeled and 520 unlabeled points (``hide_labels(y,
    40)``), and a curved boundary in a region of low density. This definition has both:

    .. math:: x_1 \sim U(-3, 3), \quad
              x_2 = \sin(x_1) \pm \text{margin} + \text{noise} \cdot N(0, 1) .

    The best boundary is the curve :math:`x_2 = \sin(x_1)`, and the Bayes error is
    :math:`\Phi(-\text{margin} / \text{noise})`, 0.6 % by default.

    Parameters
    ----------
    n_samples, random_state
        See `make_two_moons`. Class 0 is below the curve.
    margin : float, default=1.0
        Vertical distance from the curve to the middle of each band.
    noise : float, default=0.4
        Standard deviation of the vertical distance within a band.

    Returns
    -------
    X, y : ndarrays of shapes (n_samples, 2) and (n_samples,)

    Examples
    --------
    >>> X, y = make_gp_toy(random_state=0)
    >>> X.shape, (y == 0).sum().item()
    ((560, 2), 280)
    """
    check_scalar(n_samples, "n_samples", Integral, min_val=2)
    check_scalar(margin, "margin", Real, min_val=0)
    check_scalar(noise, "noise", Real, min_val=0)
    rng = as_generator(random_state)
    y = balanced_labels(n_samples, 2, rng)
    across = rng.uniform(-3, 3, n_samples)
    offset = np.where(y == 1, margin, -margin) + noise * rng.standard_normal(n_samples)
    return np.column_stack([across, np.sin(across) + offset]), y


def make_gaussian2c(n_samples=500, *, n_features=500, random_state=None):
    r"""Draw two Gaussian clusters, one per class, in a space of many noise features.

    The covariance is the identity and the means are :math:`(\mp 2.5, 0, \dots, 0)`, as
    in Sec. 4.1.1 of F. Gieseke et al. (Evolutionary Intelligence 5, 2012), so that the
    Bayes error is :math:`\Phi(-2.5) = 0.62\,\%` whatever the number of features.

    Parameters
    ----------
    n_samples, random_state
        See `make_two_moons`.
    n_features : int, default=500
        Number of columns. Only the first one separates the classes.

    Returns
    -------
    X, y : ndarrays of shapes (n_samples, n_features) and (n_samples,)

    Examples
    --------
    >>> X, y = make_gaussian2c(random_state=0)
    >>> X.shape, (y == 0).sum().item()
    ((500, 500), 250)
    """
    check_scalar(n_samples, "n_samples", Integral, min_val=2)
    check_scalar(n_features, "n_features", Integral, min_val=1)
    rng = as_generator(random_state)
    y = balanced_labels(n_samples, 2, rng)
    X = rng.standard_normal((n_samples, n_features))
    X[:, 0] += np.where(y == 1, 2.5, -2.5)
    return X, y


def make_waveform(n_samples=5000, *, n_classes=3, random_state=None):
    r"""Draw noisy mixtures of two out of three triangular waves, sampled 21 times.

    The waves are :math:`h_p(i) = \max(6 - |i - p|, 0)` for :math:`i = 1, \dots, 21`
    with peaks :math:`p` at 7, 11 and 15 (L. Breiman et al., Classification and
    Regression Trees, 1984, pp. 49-55). A row is :math:`u h_p + (1 - u) h_q +
    \varepsilon` with one :math:`u \sim U(0, 1)` per row and :math:`\varepsilon \sim
    N(0, I)`; :math:`(p, q)` is (7, 15), (7, 11) or (11, 15) in class 0, 1 and 2, the
    order of the UCI file.

    Parameters
    ----------
    n_samples, random_state
        See `make_two_moons`; each class has probability 1/3.
    n_classes : {2, 3}, default=3
        3 for the original problem; 2 for class 1 of it against classes 0 and 2, as in
        G. Raetsch, T. Onoda and K.-R. Mueller (Machine Learning 42, 2001).

    Returns
    -------
    X, y : ndarrays of shapes (n_samples, 21) and (n_samples,)

    Examples
    --------
    >>> X, y = make_waveform(300, n_classes=2, random_state=0)
    >>> X.shape, sorted(set(y.tolist()))
    ((300, 21), [0, 1])
    """
    check_scalar(n_samples, "n_samples", Integral, min_val=1)
    if n_classes not in (2, 3):
        raise ValueError(f"n_classes of make_waveform must be 2 or 3, got {n_classes}.")
    rng = as_generator(random_state)
    y = rng.integers(3, size=n_samples)
    peaks = np.array(_PEAKS)[:, None]
    waves = np.maximum(6 - np.abs(np.arange(1, 22) - peaks), 0)  # (3, 21)
    first, second = waves[np.transpose(_WAVES_OF_CLASS)][:, y]  # (n, 21) each
    share = rng.uniform(size=(n_samples, 1))
    X = share * first + (1 - share) * second + rng.standard_normal((n_samples, 21))
    return X, y if n_classes == 3 else (y == 1).astype(int)


def _halves(n_samples):
    """Sizes of two classes that differ by at most one."""
    check_scalar(n_samples, "n_samples", Integral, min_val=2)
    return n_samples - n_samples // 2, n_samples // 2


def _circle(angles):
    """Points of the unit circle, shape (n, 2)."""
    return np.column_stack([np.cos(angles), np.sin(angles)])


def _shuffled_curves(first, second, noise, random_state):
    """Rows of class 0 and class 1 in random order, with noise on every coordinate."""
    check_scalar(noise, "noise", Real, min_val=0)
    rng = as_generator(random_state)
    X = np.concatenate([first, second])
    y = np.repeat([0, 1], [len(first), len(second)])
    order = rng.permutation(len(y))
    return X[order] + noise * rng.standard_normal(X.shape), y[order]
