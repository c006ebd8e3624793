import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits
from sklearn.neighbors import KNeighborsClassifier

from widemargin.studio.layout import neighbor_plane, principal_plane


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X[:600], y[:600]


def accuracy(plane, y):
    """Accuracy of nearest neighbors in the plane; every second row is held out."""
    model = KNeighborsClassifier(5).fit(plane[::2], y[::2])
    return model.score(plane[1::2], y[1::2])


def test_neighbors_come_together(digits):
    X, y = digits
    start = principal_plane(X)
    plane = neighbor_plane(X, start)
    assert accuracy(start, y) < 0.7
    assert accuracy(plane, y) > 0.9
    for found in (start, plane):
        assert found.dtype == np.float32
        assert np.abs(found).max() <= 1.21


def test_the_same_rows_have_the_same_places(digits):
    X = digits[0][:100]
    start = principal_plane(X)
    np.testing.assert_array_equal(neighbor_plane(X, start), neighbor_plane(X, start))


def test_copies_and_few_columns_are_no_problem(rng):
    X = np.repeat(rng.normal(size=(10, 1)), 5, axis=0)
    plane = neighbor_plane(X, principal_plane(X))
    assert np.isfinite(plane).all()
    assert np.isfinite(principal_plane(np.ones((5, 3)))).all()


def test_sparse_rows(rng):
    X = sparse.random(60, 30, density=0.2, random_state=0, format="csr")
    start = principal_plane(X)
    assert np.isfinite(neighbor_plane(X, start)).all()
    assert np.isfinite(principal_plane(sparse.csr_matrix(np.ones((4, 1))))).all()
