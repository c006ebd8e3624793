import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.cluster import DBSCAN
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from widemargin import MaxMarginClustering, load, save
from widemargin.plots import ClusterDisplay, ClusterNumberDisplay


def test_clusters_and_sizes(blobs, clusterer, ax):
    X = blobs[0]
    display = ClusterDisplay.from_estimator(clusterer, X, ax=ax)
    assert display.ax_ is ax
    assert_array_equal(display.labels, clusterer.labels_)
    assert_array_equal(display.sizes, np.bincount(clusterer.labels_))
    assert len(ax.collections) == 3
    for number, scatter in display.clusters_.items():
        expected = display.points[clusterer.labels_ == number]
        assert_allclose(scatter.get_offsets(), expected)
    names = [text.get_text() for text in display.legend_.get_texts()]
    assert names == [f"{i}  ({size})" for i, size in enumerate(display.sizes)]


def test_numbers_stand_at_a_row_of_their_cluster(blobs, clusterer):
    display = ClusterDisplay.from_estimator(clusterer, blobs[0])
    for number, text in display.numbers_.items():
        own = display.points[display.labels == number]
        assert np.abs(own - text.get_position()).sum(axis=1).min() == 0
    assert display.plot(numbers=False, legend=False).numbers_ == {}
    assert display.legend_ is None


def test_a_model_from_a_file_predicts_its_rows(blobs, clusterer, tmp_path):
    """A file holds no labels of training rows."""
    save(clusterer, tmp_path / "model.wm")
    display = ClusterDisplay.from_estimator(load(tmp_path / "model.wm"), blobs[0])
    assert_array_equal(display.labels, clusterer.predict(blobs[0]))
    assert len(display.sizes) == 3


def test_other_rows_are_predicted(blobs, clusterer):
    X = blobs[0][15:50]
    display = ClusterDisplay.from_estimator(clusterer, X)
    assert_array_equal(display.labels, clusterer.predict(X))
    assert len(display.sizes) == 3


def test_rows_of_no_cluster(blobs):
    X = np.vstack([blobs[0][:, :2], [[50.0, 50.0]]])
    display = ClusterDisplay.from_estimator(DBSCAN(eps=2.0).fit(X), X)
    assert display.labels[-1] == -1
    assert display.sizes.sum() == (display.labels >= 0).sum()
    assert -1 in display.clusters_
    assert "none" in display.legend_.get_texts()[-1].get_text()


def test_many_clusters():
    labels = np.repeat(np.arange(26), 2)
    points = np.random.default_rng(0).normal(size=(52, 2))
    display = ClusterDisplay(points, labels, np.bincount(labels)).plot()
    assert len(display.clusters_) == 26
    assert_array_equal(display.frame()["cluster"], labels)


def test_rows_are_projected_as_the_model_behind_a_pipeline_sees_them(blobs):
    X = blobs[0] * [1, 1, 1, 1, 1000.0]
    model = make_pipeline(
        StandardScaler(), MaxMarginClustering(3, ambient_reg=0.01, random_state=0)
    ).fit(X)
    display = ClusterDisplay.from_estimator(model, X)
    alone = ClusterDisplay.from_estimator(model[-1], model[:-1].transform(X))
    assert_allclose(display.points, alone.points)
    others = ClusterDisplay.from_estimator(model, X[:7])
    assert_array_equal(others.labels, model.predict(X[:7]))


def test_sparse_rows(blobs, clusterer):
    display = ClusterDisplay.from_estimator(clusterer, sparse.csr_matrix(blobs[0]))
    assert display.points.shape == (60, 2)


def test_wrong_arguments_are_named(blobs, blobs_model, clusterer):
    X = blobs[0]
    with pytest.raises(TypeError, match=r"labels_, .*LaplacianSVC.*DecisionDisplay"):
        ClusterDisplay.from_estimator(blobs_model, X)
    with pytest.raises(NotFittedError):
        ClusterDisplay.from_estimator(MaxMarginClustering(3), X)
    with pytest.raises(ValueError, match="projection=None, got 5"):
        ClusterDisplay.from_estimator(clusterer, X, projection=None)


@pytest.mark.slow
def test_evidence_for_numbers_of_clusters(blobs, clusterer, ax):
    model = MaxMarginClustering("auto", random_state=0).fit(blobs[0])
    display = ClusterNumberDisplay.from_estimator(model, ax=ax)
    choice = display.choice
    assert choice is model.number_choice_
    frame = display.frame()
    assert frame["clusters"].tolist() == list(range(1, 13))
    tried = frame[1:]  # one cluster has neither agreement nor stability
    assert_array_equal(tried["agreement"], choice.agreement)
    assert_array_equal(tried["stability"], choice.stability)
    assert_allclose(tried["mean"], 0.5 * (choice.agreement + choice.stability))
    gains = choice.gaussians.gains
    assert_array_equal(frame["gain"], gains)
    assert_allclose(frame["Gaussians"], np.maximum(gains, 0) / gains.max())
    assert list(display.lines_) == ["mean", "agreement", "stability", "Gaussians"]
    for name, line in display.lines_.items():
        assert_array_equal(line.get_ydata(), frame[name])
    assert display.best_.get_xdata() == [choice.chosen]
    assert display.best_.get_label() == "chosen: 3, by Gaussians"
    assert ax.get_xlabel() == "number of clusters"
    with pytest.raises(ValueError, match="was fitted with n_clusters=3"):
        ClusterNumberDisplay.from_estimator(clusterer)
