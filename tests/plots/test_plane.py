import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.svm import SVC

from widemargin.plots._models import make_plane


def test_two_features_are_the_plane(rng):
    X = rng.normal(size=(9, 2))
    plane = make_plane(X, "pca", who="Display")
    assert_allclose(plane.points, X)
    assert not plane.is_projection


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix])
def test_lifted_points_are_the_rows_of_a_plane(rng, kind):
    """Rows that lie in a plane come back from it, dense or sparse."""
    X = rng.normal(size=(12, 2)) @ rng.normal(size=(2, 6)) + 1.0
    plane = make_plane(kind(X), "pca", who="Display")
    assert plane.is_projection
    assert_allclose(plane.lift(plane.points), X, atol=1e-8)


def test_sparse_rows_lie_where_dense_ones_do(rng):
    X = rng.normal(size=(20, 5)) * [5, 3, 1, 1, 1]
    dense = make_plane(X, "pca", who="Display").points
    found = make_plane(sparse.csr_matrix(X), "pca", who="Display").points
    assert_allclose(np.abs(found), np.abs(dense), atol=1e-6)


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame])
def test_column_names_are_axis_names_and_come_back(rng, kind):
    table = kind({"width": rng.normal(size=5), "height": rng.normal(size=5)})
    plane = make_plane(table, "pca", who="Display")
    assert plane.axis_names == ("width", "height")
    lifted = plane.lift(plane.points)
    assert isinstance(lifted, kind)
    assert list(lifted.columns) == ["width", "height"]


def test_own_points_have_no_way_back(X):
    plane = make_plane(X, X[:, :2], who="Display")
    assert plane.lift is None
    assert_allclose(plane.points, X[:, :2])


@pytest.mark.parametrize(
    ("columns", "projection", "message"),
    [
        (3, None, r"2 features with projection=None, got 3; use projection='pca'"),
        (3, "tsne", r"projection of Display .* got 'tsne'"),
        (1, "pca", r"at least 2 features, got 1"),
        (3, np.zeros((4, 2)), r"shape \(30, 2\), .* got \(4, 2\)"),
    ],
)
def test_wrong_projections_are_named(X, columns, projection, message):
    with pytest.raises(ValueError, match=message):
        make_plane(X[:, :columns], projection, who="Display")


def test_gram_matrix_has_no_features(X):
    with pytest.raises(ValueError, match="precomputed Gram matrix"):
        make_plane(X @ X.T, "pca", who="Display", estimator=SVC(kernel="precomputed"))
