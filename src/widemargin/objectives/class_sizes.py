"""How many samples each class may have."""

import numpy as np


def size_bounds(shares, tolerance, n_movable):
    r"""Smallest and largest number of searched samples in each class.

    The sizes n_h with :math:`|n_h / u - b_h| < \varepsilon`, the constraint of Eqs. (7)
    and (10) of Gieseke et al., and always the whole numbers nearest to u b_h, so that a
    tolerance of zero asks for these.

    Parameters
    ----------
    shares : ndarray of shape (n_classes,)
        b_h, adding up to one.
    tolerance : float
        :math:`\varepsilon \ge 0`.
    n_movable : int
        u.

    Returns
    -------
    lower, upper : ndarrays of int, shape (n_classes,)

    Examples
    --------
    >>> size_bounds(np.array([0.3, 0.7]), 0.1, 20)
    (array([ 5, 13]), array([ 7, 15]))
    """
    exact = nearest_sizes(shares, n_movable)
    inner = 1e-9 * n_movable  # 20 * (0.3 - 0.1) is 4 up to rounding, not above it
    lower = np.floor(n_movable * (shares - tolerance) + inner).astype(int) + 1
    upper = np.ceil(n_movable * (shares + tolerance) - inner).astype(int) - 1
    lower = np.clip(np.minimum(lower, exact), 0, n_movable)
    upper = np.clip(np.maximum(upper, exact), 0, n_movable)
    return lower, upper


def factor_bounds(shares, n_movable, factor=1.5):
    """Bounds of class sizes that may be off their shares by a factor."""
    lower = np.floor(shares * n_movable / factor).astype(int)
    return lower, np.ceil(shares * n_movable * factor).astype(int)


def nearest_sizes(shares, n_movable):
    """Whole numbers that add up to `n_movable`, nearest to shares of it."""
    wanted = shares / shares.sum() * n_movable
    sizes = np.floor(wanted + 1e-9).astype(int)
    missing = n_movable - sizes.sum()
    sizes[np.argsort(sizes - wanted, kind="stable")[:missing]] += 1
    return sizes
