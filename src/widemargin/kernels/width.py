"""Kernel widths from the data."""

import numpy as np
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.utils.sparsefuncs import mean_variance_axis

from widemargin.linalg.rows import squared_norms

WIDTHS = ("auto", "scale", "median", "mean")  # rules by name
_SAMPLE = 1000  # rows whose distances give the median
_ROUNDING = 1e-13  # of a squared distance, relative to the squared norms


def select_gamma(gamma, X, rng):
    r"""The number behind `gamma`; 1.0 where the data do not vary, up to rounding.

    Parameters
    ----------
    gamma : float, "scale", "median" or "mean"
        A number is returned as it is. "scale" is :math:`1 / (d \operatorname{var} X)`,
        as in scikit-learn; "median" is one over the median squared distance between
        two of (at most) 1,000 random rows; "mean" one over the mean squared distance,
        which is twice the summed variance of the features.
    X : ndarray or CSR matrix of shape (n_samples, n_features)
    rng : numpy.random.Generator

    Examples
    --------
    >>> import numpy as np
    >>> from widemargin.kernels import select_gamma
    >>> X, rng = np.array([[0.0], [4.0]]), np.random.default_rng(0)
    >>> [select_gamma(gamma, X, rng) for gamma in (0.5, "scale", "median", "mean")]
    [0.5, 0.25, 0.0625, 0.125]
    """
    if not isinstance(gamma, str):
        return float(gamma)
    if gamma == "scale":
        spread = X.shape[1] * _variance(X)
    elif gamma == "median":
        spread = _median_squared_distance(X, rng)
    elif gamma == "mean":
        spread = 2.0 * _summed_variance(X)
    else:
        raise ValueError(
            f"gamma must be a number, 'scale', 'median' or 'mean', got {gamma!r}."
        )
    return 1.0 / spread if spread > 0 else 1.0


def _variance(X):
    """Variance of all entries, zeros of a sparse matrix included."""
    if X.max() == X.min():  # exactly zero, which rounding of the mean would spoil
        return 0.0
    if not hasattr(X, "multiply"):
        return float(X.var(dtype=np.float64))
    n_entries = X.shape[0] * X.shape[1]
    values = X.data.astype(np.float64)
    mean = values.sum() / n_entries
    of_zeros = (n_entries - len(values)) * mean**2
    return float((((values - mean) ** 2).sum() + of_zeros) / n_entries)


def _summed_variance(X):
    """Sum over the features of their variances, zeros of a sparse matrix included."""
    if hasattr(X, "multiply"):
        center, variances = mean_variance_axis(X.astype(np.float64).tocsr(), axis=0)
    else:
        center = X.mean(axis=0, dtype=np.float64)
        variances = X.var(axis=0, dtype=np.float64)
    spread = float(variances.sum())
    return spread if spread > _ROUNDING * float(center @ center) else 0.0


def _median_squared_distance(X, rng):
    n_samples = X.shape[0]
    if n_samples < 2:
        return 0.0
    if n_samples > _SAMPLE:
        X = X[rng.choice(n_samples, _SAMPLE, replace=False)]
    squared = euclidean_distances(X, squared=True)
    median = float(np.median(squared[np.triu_indices_from(squared, k=1)]))
    return median if median > _ROUNDING * squared_norms(X).max() else 0.0
