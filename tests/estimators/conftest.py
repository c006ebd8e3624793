import pytest
from sklearn.datasets import make_blobs

from widemargin.estimators import _cluster_finder, _cluster_trials
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


@pytest.fixture
def small_limits(monkeypatch):
    """Everything is large."""
    monkeypatch.setattr(_cluster_finder, "_LARGE_ROWS", 60)
    monkeypatch.setattr(_cluster_finder, "_LARGE_SAMPLE", 45)
    monkeypatch.setattr(_cluster_trials, "_CHOICE_ROWS", 60)
    monkeypatch.setattr(_cluster_trials, "_CHOICE_SAMPLE", 50)
    monkeypatch.setattr(MaxMarginClustering, "_auto_landmarks", (60, 30))
