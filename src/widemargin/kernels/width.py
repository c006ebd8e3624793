"""Kernel widths from the data."""

import numpy as np
from sklearn.utils.sparsefuncs import mean_variance_axis

from widemargin.linalg.rows import (
    column_ranges,
    is_rounding,
    near_origin,
    row_blocks,
    squared_distances,
    squared_norms,
)

WIDTHS = ("auto", "scale", "median", "mean")  # rules by name
MEDIAN_ROWS = 1000  # rows whose distances give the median
_ROUNDING = 1e-13  # of a squared distance, relative to the squared norms


def select_gamma(gamma, X, rng):
    r"""The number behind `gamma`; 1.0 where the data do not vary, up to rounding.

    Parameters
    ----------
    gamma : float, "scale", "median" or "mean"
        A number is returned as it is. "scale" is one over the summed variance of the
        features; "median" is one over the median squared distance between two of (at
        most) 1,000 random rows; "mean" one over the mean squared distance, which is
        twice the summed variance. None depends on the means of the features or on
        features that are constant. For features of the same mean "scale" is that of
        scikit-learn, whose variance of all entries also includes differences of means.
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        Or the result of `merge_moments`, for "scale" and "mean".
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
    if gamma == "median":
        spread = _median_squared_distance(X, rng)
    elif gamma in ("scale", "mean"):
        known = X if isinstance(X, dict) else merge_moments([moments(X)])
        spread = float(known[gamma])
    else:
        raise ValueError(
            f"gamma must be a number, 'scale', 'median' or 'mean', got {gamma!r}."
        )
    return 1.0 / spread if spread > 0 else 1.0


def moments(X):
    """Number of rows, and means, variances, smallest and largest value of features."""
    if hasattr(X, "multiply"):  # zeros of a sparse matrix included
        means, variances = mean_variance_axis(X.astype(np.float64).tocsr(), axis=0)
    else:
        means, blocks = X.mean(axis=0, dtype=np.float64), row_blocks(*X.shape, 8)
        # Around the means: the difference of two large moments would be rounding.
        squares = (((X[block] - means) ** 2).sum(axis=0) for block in blocks)
        variances = sum(squares) / X.shape[0]
    return X.shape[0], means, variances, *column_ranges(X)


def merge_moments(parts):
    """What "scale" and "mean" are one over, from the moments of the rows in parts."""
    sizes, means, variances, low, high = map(np.array, zip(*parts, strict=True))
    shares = sizes / sizes.sum()
    center = shares @ means
    # Law of total variance, over the parts; as stable as one pass over all rows.
    variances = shares @ (variances + (means - center) ** 2)
    low, high = low.min(axis=0), high.max(axis=0)
    # Also of equal rows, whose variance is the squared rounding of their mean
    varies = ~is_rounding(low, high)
    spread, n_varying = float(variances[varies].sum()), np.count_nonzero(varies)
    found = {"scale": spread, "mean": 2.0 * spread, "n_varying": n_varying}
    return found | {"offset": float(center @ center)}


def count_varying(X):
    """Number of features that vary, of a matrix or of the result of `merge_moments`."""
    if isinstance(X, dict):
        return X["n_varying"]
    return np.count_nonzero(~is_rounding(*column_ranges(X)))


def _median_squared_distance(X, rng):
    n_samples = X.shape[0]
    if n_samples < 2:
        return 0.0
    if n_samples > MEDIAN_ROWS:
        X = X[rng.choice(n_samples, MEDIAN_ROWS, replace=False)]
    X, _ = near_origin(X)
    squared = squared_distances(X)
    # Each pair once, no row with itself.
    median = float(np.median(squared[np.triu_indices_from(squared, k=1)]))
    return median if median > _ROUNDING * squared_norms(X).max() else 0.0
