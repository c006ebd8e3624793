"""Rows as points of a plane: their two features, a projection, or your own points."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from sklearn.decomposition import PCA
from sklearn.utils import check_array

from widemargin.plots._style import short_name


@dataclass(frozen=True)
class Plane:
    """Where rows are drawn.

    Attributes
    ----------
    points : ndarray of shape (n_samples, 2)
    axis_names : tuple of two str
    is_projection : bool
        Whether rows had more than two features.
    lift : callable or None
        Maps points (n, 2) to rows that a model can be asked about; None if there is no
        way back from the plane.
    """

    points: np.ndarray
    axis_names: tuple
    is_projection: bool
    lift: Callable | None


def make_plane(X, projection, *, who, is_pairwise=False):
    """The plane in which to draw the rows of X.

    Parameters
    ----------
    X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
    projection : "pca", None or array-like of shape (n_samples, 2)
        What to do with more than two features: the two principal components, an error,
        or your own points.
    who : str
        Who asks, for messages.
    is_pairwise : bool
        Whether X is a Gram matrix, whose columns are no features.
    """
    if not (projection is None or isinstance(projection, str)):
        return _own_points(projection, X, who)
    if projection not in ("pca", None):
        raise ValueError(
            f"projection of {who} must be 'pca', None or an array of shape "
            f"(n_samples, 2), got {projection!r}."
        )
    if is_pairwise:
        raise ValueError(
            f"X of {who} is a precomputed Gram matrix, which has no features to draw; "
            "pass points as projection, an array of shape (n_samples, 2)."
        )
    rows = check_array(X, accept_sparse="csr", dtype=np.float64, input_name="X")
    n_features = rows.shape[1]
    if n_features < 2:
        raise ValueError(
            f"X of {who} must have at least 2 features, got 1; pass points as "
            "projection, an array of shape (n_samples, 2)."
        )
    if n_features == 2:
        points = rows.toarray() if sparse.issparse(rows) else rows
        names = getattr(X, "columns", ("feature 1", "feature 2"))
        names = tuple(short_name(name) for name in names)
        return Plane(points, names, False, lambda new: _like(X, new))
    if projection is None:
        raise ValueError(
            f"X of {who} must have 2 features with projection=None, got {n_features}; "
            "use projection='pca', or pass an array of shape (n_samples, 2)."
        )
    return _principal_plane(X, rows)


def _principal_plane(X, rows):
    solver = "arpack" if sparse.issparse(rows) else "auto"
    pca = PCA(n_components=2, svd_solver=solver, random_state=0)
    points = pca.fit_transform(rows)
    names = tuple(
        f"component {number} ({100 * share:.0f} % of the variance)"
        for number, share in enumerate(np.nan_to_num(pca.explained_variance_ratio_), 1)
    )
    return Plane(points, names, True, lambda new: _like(X, pca.inverse_transform(new)))


def _own_points(projection, X, who):
    points = np.asarray(projection, dtype=np.float64)
    wanted = (X.shape[0] if hasattr(X, "shape") else len(X), 2)
    if points.shape != wanted:
        raise ValueError(
            f"projection of {who} must have shape {wanted}, one point for each row of "
            f"X, got {points.shape}."
        )
    return Plane(points, ("coordinate 1", "coordinate 2"), True, None)


def _like(X, rows):
    """The rows as the kind of table that X is, so that column names are there."""
    if not hasattr(X, "columns"):
        return rows
    if hasattr(X, "iloc"):  # pandas
        return type(X)(rows, columns=X.columns)
    return type(X)(rows, schema=list(X.columns))
