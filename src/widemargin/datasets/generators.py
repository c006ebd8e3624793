"""Artificial data."""

from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils import check_scalar

from widemargin.linalg.random import as_generator


def make_two_moons(
    n_samples: int = 200, *, noise: float = 0.1, random_state: Any = None
) -> tuple[np.ndarray, np.ndarray]:
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
    check_scalar(n_samples, "n_samples", Integral, min_val=2)
    check_scalar(noise, "noise", Real, min_val=0)
    rng = as_generator(random_state)
    upper = _half_circle(n_samples - n_samples // 2)
    lower = [1.0, 0.5] - _half_circle(n_samples // 2)
    X = np.concatenate([upper, lower])
    y = np.repeat([0, 1], [len(upper), len(lower)])
    order = rng.permutation(n_samples)
    return X[order] + noise * rng.standard_normal(X.shape), y[order]


def _half_circle(n_points):
    """Evenly spaced points of the upper half of the unit circle, shape (n, 2)."""
    angles = np.linspace(0, np.pi, n_points)
    return np.column_stack([np.cos(angles), np.sin(angles)])
