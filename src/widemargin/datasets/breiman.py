"""Breiman's waveform and ringnorm problems."""

from numbers import Integral

import numpy as np
from sklearn.utils import check_scalar

from widemargin.linalg.random import as_generator

_PEAKS = (7, 11, 15)  # of the three triangular waves, counted from 1
_WAVES_OF_CLASS = ((0, 2), (0, 1), (1, 2))


def make_waveform(n_samples=5000, *, n_classes=3, random_state=None):
    r"""Draw noisy mixtures of two out of three triangular waves, sampled 21 times.

    Parameters
    ----------
    n_samples : int, default=5000
        Number of rows.
    n_classes : {2, 3}, default=3
        3 for the original problem; 2 for the version of the benchmark of [2]_, class
        1 of the original against its classes 0 and 2.
    random_state : None, int, Generator or RandomState, default=None
        Source of randomness; pass an int for the same data at every call.

    Returns
    -------
    X : ndarray of shape (n_samples, 21)
    y : ndarray of shape (n_samples,)
        Class of each row. The three original classes are drawn with probability 1/3
        each; with two classes, class 1 is the mixture of the first two waves.

    Notes
    -----
    The waves are :math:`h_p(i) = \max(6 - |i - p|, 0)` for :math:`i = 1, \dots, 21`
    with peaks :math:`p` at 7, 11 and 15 [1]_. A row is
    :math:`u h_p + (1 - u) h_q + \varepsilon` with one :math:`u \sim U(0, 1)` per row
    and :math:`\varepsilon \sim N(0, I)`; :math:`(p, q)` is (7, 15), (7, 11) or
    (11, 15) in class 0, 1 and 2, the order of the UCI file.

    References
    ----------
    .. [1] L. Breiman, J. Friedman, R. Olshen, C. Stone, "Classification and
       Regression Trees", Wadsworth, 1984, pp. 49-55.
    .. [2] G. Raetsch, T. Onoda, K.-R. Mueller, "Soft margins for AdaBoost", Machine
       Learning 42, 2001.

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
    first, second = _triangular_waves()[np.transpose(_WAVES_OF_CLASS)][:, y]  # (n, 21)
    share = rng.uniform(size=(n_samples, 1))
    X = share * first + (1 - share) * second + rng.standard_normal((n_samples, 21))
    return X, y if n_classes == 3 else (y == 1).astype(int)


def make_ringnorm(n_samples=7400, *, random_state=None):
    r"""Draw a narrow Gaussian inside a wide one, in 20 dimensions.

    Parameters
    ----------
    n_samples : int, default=7400
        Number of rows.
    random_state : None, int, Generator or RandomState, default=None
        Source of randomness; pass an int for the same data at every call.

    Returns
    -------
    X : ndarray of shape (n_samples, 20)
    y : ndarray of shape (n_samples,)
        Class 0 (narrow) or 1 (wide), each drawn with probability 1/2.

    Notes
    -----
    Class 1 is :math:`N(0, 4 I)`, class 0 is :math:`N((a, \dots, a), I)` with
    :math:`a = 2 / \sqrt{20}` [1]_. The best decision boundary is a sphere; its error is
    1.24 %, a little less than the 1.3 % that are usually quoted. Some descriptions
    have :math:`a = 1 / \sqrt{20}`, with which it would be 1.5 %; the means of the Delve
    file agree with :math:`2 / \sqrt{20}`. That file is standardized column by column,
    these rows are not.

    References
    ----------
    .. [1] L. Breiman, "Bias, variance, and arcing classifiers", Technical Report 460,
       Statistics Department, University of California, Berkeley, 1996.

    Examples
    --------
    >>> X, y = make_ringnorm(300, random_state=0)
    >>> X.shape, sorted(set(y.tolist()))
    ((300, 20), [0, 1])
    """
    check_scalar(n_samples, "n_samples", Integral, min_val=1)
    rng = as_generator(random_state)
    y = rng.integers(2, size=n_samples)
    wide = (y == 1)[:, None]
    noise = rng.standard_normal((n_samples, 20))
    return np.where(wide, 2 * noise, 2 / np.sqrt(20) + noise), y


def _triangular_waves():
    """Triangles of height 6 around the three peaks, shape (3, 21)."""
    position = np.arange(1, 22)
    return np.maximum(6 - np.abs(position - np.array(_PEAKS)[:, None]), 0)
