"""The region of clusters, and which rows are outside of it."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.cluster import DBSCAN

from widemargin.kernels import Cosine, Rbf
from widemargin.labelling.outliers import Reach, find_reach, usual_distance

KERNEL = Rbf(1.0)


@pytest.fixture(scope="module")
def noisy():
    """Two clouds, and rows anywhere around them."""
    rng = np.random.default_rng(0)
    clouds = rng.normal(size=(120, 2)) + np.repeat(
        [[0.0, 0.0], [12.0, 0.0]], 60, axis=0
    )
    return np.vstack([clouds, rng.uniform((-8, -12), (20, 12), (40, 2))])


@pytest.mark.parametrize("share", ["auto", 0.1, 0.3])
def test_rows_inside_are_those_that_were_kept(noisy, share):
    reach, kept = find_reach(KERNEL, noisy, share)
    assert 0 < len(kept) < len(noisy)
    inside = reach(noisy)
    assert_array_equal(np.flatnonzero(inside), kept)
    assert_array_equal(reach(sparse.csr_matrix(noisy)), inside)


@pytest.mark.parametrize("share", ["auto", 0.1, 0.3])
@pytest.mark.parametrize("n_copies", [1, 3])
def test_rows_inside_are_those_of_dbscan(noisy, share, n_copies):
    """Copies are rows as all others."""
    X = np.vstack([noisy, *[noisy[::2]] * (n_copies - 1)])
    reach, kept = find_reach(KERNEL, X, share)
    peer = DBSCAN(eps=reach.distance, min_samples=6).fit(X)
    assert_array_equal(kept, np.flatnonzero(peer.labels_ >= 0))
    dense = np.unique(X[peer.core_sample_indices_], axis=0)
    assert_array_equal(np.unique(reach.points, axis=0), dense)


@pytest.mark.parametrize("share", [0.05, 0.2, 0.4])
@pytest.mark.parametrize("n_features", [1, 2, 20])
def test_the_share_is_met(share, n_features):
    X = np.random.default_rng(0).uniform(size=(300, n_features))
    _, kept = find_reach(KERNEL, X, share)
    assert abs(1 - len(kept) / 300 - share) <= 0.01


@pytest.mark.parametrize("share", ["auto", 0.02, 0.25, 0.45])
@pytest.mark.parametrize("n_rows", [2, 3, 5, 6, 7, 10, 30])
def test_few_rows_are_inside_exactly_if_kept(n_rows, share):
    for seed in range(5):
        rng = np.random.default_rng([n_rows, seed])
        for X in (rng.normal(size=(n_rows, 2)), np.arange(1.0 + n_rows)[:, None]):
            reach, kept = find_reach(KERNEL, X, share)
            reach.check(X.shape[1])
            assert len(kept) > 0
            assert_array_equal(np.flatnonzero(reach(X)), kept)
            alone = [reach(X[[place]])[0] for place in range(len(X))]
            assert_array_equal(np.flatnonzero(alone), kept)


@pytest.mark.parametrize("share", ["auto", 0.05, 0.2, 0.45])
@pytest.mark.parametrize("step", [1.0, 0.1])
def test_evenly_spaced_rows_have_no_outliers(share, step):
    line = step * np.arange(100.0)[:, None]
    grid = step * np.argwhere(np.ones((12, 12)))
    for X in (line, grid):
        assert len(find_reach(KERNEL, X, share)[1]) == len(X)
        far = np.vstack([X, np.full((1, X.shape[1]), 300 * step)])
        _, kept = find_reach(KERNEL, far, "auto")
        assert_array_equal(kept, np.arange(len(X)))


def test_rounded_rows_have_as_few_outliers_as_others():
    X = np.random.default_rng(0).normal(scale=3.0, size=(300, 2))
    _, kept = find_reach(KERNEL, X, "auto")
    _, rounded = find_reach(KERNEL, np.round(X), "auto")
    assert len(rounded) >= len(kept) - 3


def test_noise_is_found_and_clusters_are_kept(noisy):
    _, kept = find_reach(KERNEL, noisy, "auto")
    assert np.isin(np.arange(120), kept).mean() > 0.9
    assert np.isin(np.arange(120, 160), kept).mean() < 0.3


def test_clouds_without_noise_lose_few_rows():
    rng = np.random.default_rng(0)
    clouds = [rng.normal(size=(300, n_features)) for n_features in (2, 3, 5, 10, 20)]
    kept = [len(find_reach(KERNEL, X, "auto")[1]) / 300 for X in clouds]
    assert np.mean(kept) > 0.95
    assert min(kept) > 0.85


def test_distance_by_spreads_below_the_median():
    logs = np.random.default_rng(0).normal(size=20000)
    assert_allclose(usual_distance(np.exp(logs), 5), np.exp(3.0), rtol=0.1)
    assert_allclose(usual_distance(np.ones(9), 10), np.exp(0.141), rtol=0.01)
    assert 0 < usual_distance(np.append(np.zeros(8), 1.0), 10) < np.inf


def test_lengths_of_uniform_rows_have_the_least_spread():
    """As small as they are without outliers and without clusters."""
    X = np.random.default_rng(0).uniform(size=(2000, 2))
    lengths = np.sort(cdist(X, X), axis=1)[:, 1:6]
    own = lengths[:, -1]
    assert_allclose(
        usual_distance(own, 2), usual_distance(np.full(9, np.median(own)), 2), rtol=0.2
    )


@pytest.mark.parametrize("share", ["auto", 0.2])
def test_copies_stay_and_new_rows_near_them_are_inside(share):
    X = np.repeat(np.eye(3), 10, axis=0)
    reach, kept = find_reach(KERNEL, X, share)
    assert len(kept) == 30
    assert_array_equal(reach(np.array([[1.0, 1e-9, 0], [5.0, 0, 0]])), [True, False])


def test_copies_of_all_rows_change_no_distance(noisy):
    reach, _ = find_reach(KERNEL, noisy, "auto")
    again, kept = find_reach(KERNEL, np.repeat(noisy, 6, axis=0), "auto")
    assert_allclose(again.distance, reach.distance)
    assert len(kept) == 6 * len(noisy)  # each row has five others at its place
    assert again(noisy + 1e-9).all()


def test_a_place_of_many_rows_is_no_outlier(noisy):
    far = np.full((20, 2), 100.0)
    _, kept = find_reach(KERNEL, np.vstack([noisy, far]), "auto")
    assert np.isin(np.arange(160, 180), kept).all()


def test_equal_rows_have_no_distance():
    for X in (np.ones((1, 2)), np.ones((9, 2))):
        with pytest.raises(ValueError, match="at least 2 distinct rows, got"):
            find_reach(KERNEL, X, "auto")
    with pytest.raises(ValueError, match="at least 2 distinct rows, got 2 row"):
        find_reach(Cosine(), np.array([[1.0, 0.0], [2.0, 0.0]]), "auto")


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"points": np.zeros((9, 3))}, "points"),
        ({"points": np.zeros((0, 2))}, "points"),
        ({"distance": np.inf}, "distance"),
    ],
)
def test_wrong_parts_are_refused(change, name):
    own = {"kernel": KERNEL, "points": np.zeros((9, 2))}
    with pytest.raises(ValueError, match=f"{name} of Reach does not fit"):
        Reach(**({**own, "distance": 1.0} | change)).check(2)
