import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.exceptions import NotFittedError

from widemargin import (
    LaplacianSVC,
    LowDensityClassifier,
    SpectralClassifier,
    TransductiveSVC,
    load,
    save,
)
from widemargin.graphs import knn_adjacency
from widemargin.plots import GraphDisplay


def matrix(display, n_samples):
    """The adjacency of what was drawn."""
    upper = sparse.coo_matrix(
        (display.weights, display.edges.T), shape=(n_samples, n_samples)
    ).toarray()
    return upper + upper.T


def test_edges_are_those_of_the_model(moons, moons_model):
    X, _, y_partial = moons
    display = GraphDisplay.from_estimator(moons_model, X, y_partial)
    expected = knn_adjacency(X, 8, "self-tuned").toarray()
    assert_allclose(matrix(display, len(X)), expected)


def test_each_edge_is_drawn_once_where_its_rows_are(moons, moons_model, ax):
    X, _, y_partial = moons
    display = GraphDisplay.from_estimator(moons_model, X, y_partial, ax=ax)
    assert display.ax_ is ax
    n_cut = int(display.is_cut.sum())
    cut = display.cut_edges_.get_segments() if n_cut else []
    inner = display.edges_.get_segments()
    assert len(inner) + len(cut) == len(display.edges)
    assert len(cut) == n_cut
    first, second = display.edges[~display.is_cut][0]
    assert_allclose(inner[0], X[[first, second]])
    assert (display.edges[:, 0] < display.edges[:, 1]).all()


def test_cut_edges_join_different_classes(rng):
    X = rng.normal(size=(30, 2))
    y = np.where(X[:, 0] > 0, "right", "left")
    display = GraphDisplay.from_points(X, y, n_neighbors=3)
    first, second = display.edges.T
    assert_array_equal(display.is_cut, y[first] != y[second])
    assert display.is_cut.any()
    partial = y.astype(object)
    partial[::2] = None
    display = GraphDisplay.from_points(X, partial, n_neighbors=3)
    assert not display.is_cut[(first % 2 == 0) | (second % 2 == 0)].any()
    assert display.classes.tolist() == ["left", "right"]
    assert sum(len(s.get_offsets()) for s in display.labeled_.values()) == 15


def test_unlabeled_rows_are_dots_and_not_the_crosses_of_irrelevant_ones(rng):
    X = rng.normal(size=(30, 2))
    y = np.append(np.arange(6) % 2, np.full(24, -1))
    display = GraphDisplay.from_points(X, y, n_neighbors=3)
    assert list(display.unlabeled_) == [-1]
    assert_allclose(display.unlabeled_[-1].get_offsets(), X[6:])
    names = [text.get_text() for text in display.legend_.get_texts()]
    assert names[:3] == ["0", "1", "unlabeled"]
    assert display.legend_.legend_handles[2].get_marker() == "o"


def test_light_edges_are_pale_and_many_edges_thin(rng):
    X = rng.normal(size=(40, 2))
    display = GraphDisplay.from_points(X, n_neighbors=3, weights="heat")
    strength = display.edges_.get_colors()[:, 3]
    assert_allclose(strength, 0.1 + 0.9 * display.weights / display.weights.max())
    many = GraphDisplay.from_points(rng.normal(size=(600, 2)), n_neighbors=8)
    assert many.edges_.get_linewidths()[0] < display.edges_.get_linewidths()[0]


def test_copies_have_no_edges_of_their_own(moons):
    X, _, y_partial = moons
    X, y_partial = np.vstack([X[:5], X]), np.append(y_partial[:5], y_partial)
    model = LaplacianSVC().fit(X, y_partial)
    display = GraphDisplay.from_estimator(model, X, y_partial)
    assert not np.isin(display.edges, np.arange(5, 10)).any()
    assert display.edges.max() == 124


def test_own_graph_and_rows_without_classes(rng):
    X = rng.normal(size=(4, 3))
    adjacency = sparse.csr_matrix(np.diag([1.0, 2.0, 3.0], 1))
    display = GraphDisplay.from_adjacency(adjacency + adjacency.T, X)
    assert_array_equal(display.edges, [[0, 1], [1, 2], [2, 3]])
    assert_array_equal(display.weights, [1, 2, 3])
    assert display.cut_edges_ is None
    assert display.legend_ is None
    alphas = display.edges_.get_colors()[:, 3]
    assert (np.diff(alphas) > 0).all()
    assert_array_equal(display.frame()["second"], [1, 2, 3])


def test_a_model_with_a_graph_of_its_own_has_no_other_one(moons, tmp_path):
    X, _, y_partial = moons
    adjacency = knn_adjacency(X, 10)
    model = LaplacianSVC().fit(X, y_partial, adjacency=adjacency)
    grid = {"ambient_reg": 1e-3, "intrinsic_reg": 0.01, "adjacency": adjacency}
    save(model, tmp_path / "own.wm")
    models = model, *LaplacianSVC().fit_grid(X, y_partial, **grid)
    for own in (*models, load(tmp_path / "own.wm")):
        with pytest.raises(ValueError, match="LaplacianSVC was fitted with an adjace"):
            GraphDisplay.from_estimator(own, X, y_partial)
    again = GraphDisplay.from_estimator(model.fit(X, y_partial), X, y_partial)
    assert_allclose(matrix(again, len(X)), knn_adjacency(X, 8, "self-tuned").toarray())


@pytest.mark.parametrize("estimator", [SpectralClassifier, LowDensityClassifier])
def test_spectral_models_know_of_their_own_graph(estimator, moons, tmp_path):
    """Also from a file, and after other labels; not after a fit without a graph."""
    X, _, y_partial = moons
    model = estimator(random_state=0)
    model.fit(X, y_partial, adjacency=knn_adjacency(X, 10))
    save(model, tmp_path / "own.wm")
    loaded = load(tmp_path / "own.wm")
    for own in (loaded, model, model.update(y_partial)):
        with pytest.raises(
            ValueError, match=f"{estimator.__name__} was fitted with an"
        ):
            GraphDisplay.from_estimator(own, X, y_partial)
    again = GraphDisplay.from_estimator(model.fit(X, y_partial), X, y_partial)
    assert len(again.edges)


def test_sparse_rows_and_clusters(blobs, clusterer):
    X = blobs[0]
    dense = GraphDisplay.from_estimator(clusterer, X)
    found = GraphDisplay.from_estimator(clusterer, sparse.csr_matrix(X))
    assert_array_equal(found.edges, dense.edges)
    assert_array_equal(dense.codes, clusterer.labels_)


def test_wrong_arguments_are_named(moons):
    X, _, y_partial = moons
    model = TransductiveSVC(random_state=0).fit(X, y_partial)
    with pytest.raises(TypeError, match=r"graph, .*TransductiveSVC.*from_points"):
        GraphDisplay.from_estimator(model, X, y_partial)
    with pytest.raises(NotFittedError):
        GraphDisplay.from_estimator(LaplacianSVC(), X, y_partial)
    with pytest.raises(ValueError, match="120 rows of X, got 3"):
        GraphDisplay.from_points(X, [0, 1, 0])
