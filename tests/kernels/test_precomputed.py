import numpy as np
from numpy.testing import assert_allclose, assert_array_equal
from reference import distances

from widemargin.kernels import Linear, Precomputed, Rbf


def test_samples_are_rows_and_points_are_positions(X, X_new):
    base, rows = Rbf(1.0), np.array([5, 2, 11])
    gram, values = base(X), base(X_new, X)
    points = Precomputed().points(gram, rows)
    assert_array_equal(points, rows)
    assert_array_equal(Precomputed()(values, points), base(X_new, X[rows]))
    assert_array_equal(Precomputed()(gram), gram)


def test_positions_of_a_mask(X):
    gram = Rbf(1.0)(X)
    mask = np.arange(30) % 7 == 0
    assert_array_equal(Precomputed().points(gram, mask), np.flatnonzero(mask))


def test_diagonal(X):
    gram = Linear()(X)
    diagonal = Precomputed().diagonal(gram)
    assert_array_equal(diagonal, np.diagonal(gram))
    diagonal[:] = 0  # the caller's matrix is never written to
    assert np.diagonal(gram).all()


def test_neighbors_are_looked_for_in_feature_space(X):
    """The linear kernel's feature space is that of the samples."""
    data, metric = Precomputed().geometry(Linear()(X))
    assert metric == "precomputed"
    assert_allclose(data, distances(X), atol=1e-7)
    assert (data >= 0).all()


def test_copies_have_distance_zero_whatever_the_rounding():
    """Rounded up, k(x, z) exceeds k(x, x): the squared distance is negative."""
    above = np.nextafter(1.0, 2.0)
    data, _ = Precomputed().geometry(np.array([[1.0, above], [above, 1.0]]))
    assert_array_equal(data, np.zeros((2, 2)))
