import numpy as np
from numpy.testing import assert_allclose, assert_array_equal
from reference import distances

from widemargin.kernels import Cosine


def test_zero_rows_are_similar_to_nothing(X):
    X[3] = 0
    gram = Cosine()(X)
    assert not gram[3].any()
    assert not gram[:, 3].any()
    assert_array_equal(Cosine().diagonal(X), np.arange(30) != 3)


def test_length_of_rows_does_not_matter(X, rng):
    scaled = X * rng.uniform(0.1, 10, size=(30, 1))
    assert_allclose(Cosine()(scaled), Cosine()(X), atol=1e-14)


def test_neighbors_are_looked_for_among_directions(X):
    """Squared distances of the geometry are k(x, x) + k(z, z) - 2 k(x, z)."""
    data, metric = Cosine().geometry(X)
    assert metric == "euclidean"
    assert_allclose(distances(data) ** 2, 2 - 2 * Cosine()(X), atol=1e-12)
