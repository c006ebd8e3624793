import pytest
from sklearn.datasets import make_blobs

from widemargin.defaults import ClusterLimits, Ladder
from widemargin.estimators.margin_clustering import MaxMarginClustering


@pytest.fixture
def blobs():
    """Three blobs far apart, of 45, 30 and 15 rows, shuffled."""
    centers = [[0, 0], [8, 0], [0, 8]]
    return make_blobs([45, 30, 15], centers=centers, random_state=0)


@pytest.fixture
def cloud(rng):
    """Sixty rows without clusters."""
    return rng.normal(size=(60, 3))


class SmallClustering(MaxMarginClustering):
    """A clustering for which sixty rows are many."""

    ladder = Ladder(exact_rows=60, n_landmarks=30)
    limits = ClusterLimits(60, 50, 60, 45, 10**9)


@pytest.fixture
def small_clustering():
    """The class of a clustering for which sixty rows are many."""
    return SmallClustering
