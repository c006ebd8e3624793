import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from scipy.spatial.distance import cdist

from widemargin.graphs import NearestPoints
from widemargin.kernels import Cosine


@pytest.fixture
def points(rng):
    return rng.normal(size=(30, 4))


def nearest(found, X):
    """Lengths of all blocks, and whether they cover the rows."""
    lengths = np.full((len(X), min(found.n_neighbors, 30)), np.nan)
    for block, own, _ in found.blocks(X):
        lengths[block] = own
    return lengths


@pytest.mark.parametrize("n_neighbors", [1, 5, 50])
def test_lengths_are_the_smallest_distances(points, rng, monkeypatch, n_neighbors):
    monkeypatch.setattr(
        "widemargin.graphs.neighbors.row_blocks",
        lambda n, *sizes: [slice(0, 3), slice(3, n)],
    )
    X = rng.normal(size=(8, 4))
    expected = np.sort(cdist(X, points), axis=1)[:, :n_neighbors]
    assert_allclose(nearest(NearestPoints(points, n_neighbors), X), expected)
    sparse_points = NearestPoints(sparse.csr_array(points), n_neighbors)
    assert_allclose(nearest(sparse_points, X), expected)


def test_points_are_near_in_the_geometry_of_a_kernel(points, rng):
    found = NearestPoints(points, 2, Cosine().geometry)
    X = points[:5] * rng.uniform(1, 9, size=(5, 1))
    assert_allclose(nearest(found, X)[:, 0], 0, atol=1e-6)


def test_an_index_is_not_pickled(points, rng):
    found = NearestPoints(points, 2)
    before = pickle.dumps(found)
    lengths = nearest(found, points[:3] + 0.1)
    assert pickle.dumps(found) == before
    assert_allclose(nearest(pickle.loads(before), points[:3] + 0.1), lengths)
