"""Artificial data."""

from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils import check_scalar

from widemargin.linalg.random import as_generator


def make_two_moons(
    n_samples: int = 200, *, noise: float = 0.1, random_state: Any = None
) -> tuple[np.ndarray, np.ndarray]:
    r"""Draw two interleaving half circles.

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


def make_sheets(
    n_samples=1000, *, n_sheets=30, n_classes=10, n_features=50, noise=0.5,
    return_sheets=False, random_state=None,
):  # fmt: skip
    r"""Draw curved two-dimensional sheets that cross each other in many dimensions.

    Feature j of a row on sheet s is :math:`\sqrt 2 \cos(w_{sj}^\top u + b_{sj})` with
    :math:`u` uniform in the unit square, plus noise; :math:`w_{sj}` is Gaussian with
    standard deviation :math:`2 \pi`, so that a sheet has about two waves. All sheets
    have nearly the same mean and covariance: only neighborhoods reveal the classes, and
    with more rows, more neighbors are on the same sheet.

    Parameters
    ----------
    n_samples : int, default=1000
        Number of rows, equally many on all sheets.
    n_sheets, n_classes : int, default=30, 10
        Sheet s belongs to class ``s % n_classes``.
    n_features : int, default=50
    noise : float, default=0.5
        Standard deviation of the Gaussian noise on each feature; that of the features
        without it is one.
    return_sheets : bool, default=False
        Whether the sheet of each row is returned as well.
    random_state : None, int, Generator or RandomState, default=None
        Source of randomness; pass an int for the same data at every call.

    Returns
    -------
    X, y : ndarrays of shapes (n_samples, n_features), in float32, and (n_samples,)
    sheets : ndarray of shape (n_samples,)
        Only with ``return_sheets=True``.

    Examples
    --------
    >>> X, y, sheets = make_sheets(300, return_sheets=True, random_state=0)
    >>> X.shape, len(np.unique(sheets)), bool((sheets % 10 == y).all())
    ((300, 50), 30, True)
    """
    check_scalar(n_samples, "n_samples", Integral, min_val=1)
    check_scalar(n_sheets, "n_sheets", Integral, min_val=1)
    check_scalar(n_classes, "n_classes", Integral, min_val=1)
    check_scalar(n_features, "n_features", Integral, min_val=1)
    check_scalar(noise, "noise", Real, min_val=0)
    rng = as_generator(random_state)
    sheets = rng.permutation(np.arange(n_samples) % n_sheets)
    shape = n_sheets, n_features
    waves = rng.normal(scale=2.0 * np.pi, size=(2, *shape)).astype(np.float32)
    phases = rng.uniform(0.0, 2.0 * np.pi, size=shape).astype(np.float32)
    places = rng.uniform(size=(2, n_samples, 1)).astype(np.float32)
    X = np.empty((n_samples, n_features), dtype=np.float32)
    for start in range(0, n_samples, 2**16):  # copies of a block, not of all rows
        rows = slice(start, start + 2**16)
        own = sheets[rows]
        angles = places[0, rows] * waves[0, own] + places[1, rows] * waves[1, own]
        X[rows] = np.sqrt(2.0) * np.cos(angles + phases[own])
        X[rows] += noise * rng.standard_normal(X[rows].shape, dtype=np.float32)
    y = sheets % n_classes
    return (X, y, sheets) if return_sheets else (X, y)


def _half_circle(n_points):
    """Evenly spaced points of the upper half of the unit circle, shape (n, 2)."""
    angles = np.linspace(0, np.pi, n_points)
    return np.column_stack([np.cos(angles), np.sin(angles)])
