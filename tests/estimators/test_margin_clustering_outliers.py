"""Rows that belong to no cluster."""

from unittest.mock import patch

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.cluster import HDBSCAN
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

import widemargin
from widemargin.estimators import margin_clustering
from widemargin.estimators.margin_clustering import MaxMarginClustering
from widemargin.kernels import Cosine, Linear, Rbf

FIRST = {"kernel": "rbf", "ambient_reg": 2.0**-9}


@pytest.fixture(scope="module")
def noisy():
    """Three blobs in five dimensions and a third as many rows anywhere; -1 is these."""
    centers = 8 * np.eye(3, 5)
    X, y = make_blobs(180, centers=centers, random_state=0)
    rng = np.random.default_rng(0)
    noise = rng.uniform(-8, 12, (60, 5))
    order = rng.permutation(240)
    return np.vstack([X, noise])[order], np.append(y, np.full(60, -1))[order]


@pytest.fixture(scope="module")
def model(noisy):
    return MaxMarginClustering(3, outliers="auto", random_state=0).fit(noisy[0])


def test_noise_is_left_out(noisy, model):
    X, y = noisy
    index = adjusted_rand_score(y, model.labels_)
    assert set(model.labels_) == {-1, 0, 1, 2}
    assert index > 0.9
    everything = MaxMarginClustering(3, random_state=0).fit(X)
    assert everything.labels_.min() == 0
    assert everything.reach_ is None
    peer = HDBSCAN(min_cluster_size=10, copy=True).fit(X)
    assert index > adjusted_rand_score(y, peer.labels_) - 0.05


def test_prediction_agrees_with_labels(noisy, model):
    X, _ = noisy
    assert_array_equal(model.predict(X), model.labels_)
    assert_array_equal(model.predict(np.full((1, 5), 1e6)), [-1])
    assert np.isfinite(model.decision_function(X)).all()


def test_outliers_have_no_influence(noisy, model):
    """The clusters are those of the other rows alone, wherever outliers are."""
    X, _ = noisy
    kept = model.labels_ >= 0
    alone = MaxMarginClustering(3, random_state=0).fit(X[kept])
    assert adjusted_rand_score(model.labels_[kept], alone.labels_) > 0.98
    moved = np.where(kept[:, None], X, 1e3 * X)
    again = MaxMarginClustering(3, outliers="auto", random_state=0).fit(moved)
    assert (again.labels_[~kept] == -1).mean() > 0.9
    assert adjusted_rand_score(model.labels_[kept], again.labels_[kept]) > 0.98


def test_a_share_is_left_out(noisy):
    X, _ = noisy
    model = MaxMarginClustering(3, outliers=0.1, random_state=0, **FIRST).fit(X)
    assert 20 <= (model.labels_ == -1).sum() <= 24


@pytest.mark.parametrize("kernel", [Rbf(0.05), Linear(), Cosine(), "linear"])
def test_every_kernel_with_a_geometry(noisy, kernel):
    X, _ = noisy
    model = MaxMarginClustering(3, kernel=kernel, outliers="auto", random_state=0)
    model.fit(X)
    assert 0 < (model.labels_ == -1).sum() < 100
    assert_array_equal(model.predict(X) == -1, model.labels_ == -1)


@pytest.mark.parametrize("outliers", ["auto", 0.3, 0.45])
@pytest.mark.parametrize("n_rows", [4, 10, 25])
def test_prediction_agrees_with_labels_of_few_rows(n_rows, outliers):
    for seed in range(3):
        X = np.random.default_rng([n_rows, seed]).normal(size=(n_rows, 2))
        model = MaxMarginClustering(2, outliers=outliers, random_state=0).fit(X)
        assert_array_equal(model.predict(X) == -1, model.labels_ == -1)


@pytest.mark.slow
def test_with_the_number_of_clusters_chosen(noisy):
    X, y = noisy
    model = MaxMarginClustering("auto", outliers="auto", random_state=0).fit(X)
    assert model.n_clusters_ == model.number_choice_.chosen == 3
    assert adjusted_rand_score(y, model.labels_) > 0.9
    assert_array_equal(model.predict(X), model.labels_)


def test_saved_with_the_rows_of_clusters(noisy, model, tmp_path):
    X, _ = noisy
    widemargin.save(model, tmp_path / "model.wm")
    loaded = widemargin.load(tmp_path / "model.wm")
    assert_array_equal(loaded.predict(X), model.predict(X))
    assert (loaded.predict(X) == -1).any()
    assert "no training row" not in loaded.privacy_.lower()


def test_columns_have_names(noisy):
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(noisy[0], columns=list("abcde"))
    model = MaxMarginClustering(3, outliers="auto", random_state=0, **FIRST).fit(table)
    assert list(model.feature_names_in_) == list("abcde")
    assert_array_equal(model.predict(table), model.labels_)


def test_an_interrupt_leaves_a_model(noisy):
    X, _ = noisy
    store = margin_clustering.store_result

    def interrupt(*given):
        store(*given)
        raise KeyboardInterrupt

    model = MaxMarginClustering(3, outliers="auto", random_state=0, **FIRST)
    with (
        patch.object(margin_clustering, "store_result", interrupt),
        pytest.raises(KeyboardInterrupt),
    ):
        model.fit(X)
    assert_array_equal(model.predict(X) == -1, model.labels_ == -1)


def test_what_cannot_be_is_refused(noisy):
    X, y = noisy
    with pytest.raises(
        ValueError, match=r"outliers .* must be one of None, 'auto' or a"
    ):
        MaxMarginClustering(3, outliers="many").fit(X)
    for share in (0.0, 0.5, True):
        with pytest.raises(ValueError, match="outliers of MaxMarginClustering must be"):
            MaxMarginClustering(3, outliers=share).fit(X)
    model = MaxMarginClustering(3, outliers="auto")
    with pytest.raises(ValueError, match="must be None if fit gets init or fixed"):
        model.fit(X, init=y)
    with pytest.raises(ValueError, match="needs distances between rows"):
        model.fit([X[:90], X[90:]])
    for kernel in ("precomputed", lambda A, B: A @ B.T):
        odd = MaxMarginClustering(3, outliers="auto", kernel=kernel)
        with pytest.raises(ValueError, match="needs distances between rows"):
            odd.fit(X @ X.T)
    with pytest.raises(ValueError, match="at least 2 distinct rows, got 1 row"):
        MaxMarginClustering(1, outliers="auto").fit(X[:1])
    model = MaxMarginClustering(12, outliers=0.49)
    message = "outliers=0.49 of MaxMarginClustering leaves 7 of 14 rows for n_clusters"
    with pytest.raises(ValueError, match=f"{message}=12; use a smaller share"):
        model.fit(X[:14])
    with pytest.raises(ValueError, match="n_samples=11 should be >= n_clusters=12"):
        model.fit(X[:11])
    with pytest.raises(ValueError, match=r"outliers of .*fit_path must be None"):
        model.fit_path(X, ambient_reg=[0.1])
