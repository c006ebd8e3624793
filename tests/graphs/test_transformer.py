import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.neighbors import KNeighborsTransformer, RadiusNeighborsTransformer

from widemargin import LaplacianSVC, SpectralClassifier, save
from widemargin.datasets import hide_labels, make_two_moons
from widemargin.graphs import KnnGraph, knn_adjacency
from widemargin.kernels import Precomputed
from widemargin.parameters import TransformerGraph


@pytest.fixture
def X(rng):
    return rng.normal(size=(60, 5))


class Found:
    """A transformer that gives a matrix."""

    def __init__(self, matrix):
        self.matrix = matrix

    def fit_transform(self, X):
        return self.matrix


@pytest.mark.parametrize("weights", ["self-tuned", "heat", "binary", 0.7])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_edges_are_those_of_the_same_neighbors(X, weights, dtype):
    X = X.astype(dtype)
    graph = TransformerGraph(KNeighborsTransformer(n_neighbors=8), weights)
    found = graph.adjacency(X)
    assert found.dtype == dtype
    expected = knn_adjacency(X, 8, weights)
    assert_allclose(found.toarray(), expected.toarray(), rtol=1e-5)


def test_rows_of_a_radius_may_have_no_neighbor(rng):
    X = np.vstack([rng.normal(size=(20, 2)), [[50.0, 50.0]]])
    graph = TransformerGraph(RadiusNeighborsTransformer(radius=2.0))
    found = graph.adjacency(X).toarray()
    distances = np.linalg.norm(X[:, None] - X[None], axis=2)
    is_near = (distances <= 2.0) & ~np.eye(21, dtype=bool)
    farthest = np.where(is_near, distances, 0.0).max(axis=1)
    scale = np.maximum(np.outer(farthest, farthest), 1e-300)
    assert_allclose(found, np.where(is_near, np.exp(-(distances**2) / scale), 0.0))
    assert not found[20].any()


@pytest.mark.parametrize("kind", [LaplacianSVC, SpectralClassifier])
def test_a_transformer_is_a_graph(kind):
    X, y = make_two_moons(200, random_state=0)
    partial = hide_labels(y, 10, rng=0)
    expected = kind(graph=KnnGraph(10), random_state=0).fit(X, partial)
    model = kind(graph=KNeighborsTransformer(n_neighbors=10), random_state=0)
    model = clone(model).fit(X, partial)
    assert_allclose(
        model.decision_function(X), expected.decision_function(X), atol=0.05
    )
    assert_array_equal(model.transduction_, expected.transduction_)


def test_own_graph_of_a_spectral_model(rng):
    """The same edges give the same model, whatever the order of the rows."""
    X, y = make_two_moons(200, random_state=0)
    partial, order = hide_labels(y, 10, rng=0), rng.permutation(200)
    expected = SpectralClassifier(random_state=0).fit(X, partial)
    edges = knn_adjacency(X, 8, "self-tuned")
    model = SpectralClassifier(random_state=0)
    model.fit(X[order], partial[order], adjacency=edges[order][:, order])
    scores = model.decision_function(X)
    assert_allclose(scores, expected.decision_function(X), atol=1e-6)
    # Other edges make another model: between random rows, nothing is smooth.
    shuffled = edges[order][:, order]
    other = SpectralClassifier(random_state=0).fit(X, partial, adjacency=shuffled)
    assert np.abs(other.decision_function(X) - scores).max() > 0.1
    assert_allclose(model.update(partial[order]).decision_function(X), scores)
    weights = np.ones(200)
    weights[np.flatnonzero(partial[order] < 0)[0]] = 0.0
    with pytest.raises(ValueError, match="with your own graph"):
        model.update(partial[order], sample_weight=weights)
    with pytest.raises(ValueError, match=r"adjacency must have shape \(200, 200\)"):
        model.fit(X, partial, adjacency=sparse.eye(3))


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (np.zeros((60, 60)), "must give a sparse matrix"),
        (sparse.eye(3, format="csr"), r"shape \(60, 60\)"),
        (-np.ones((60, 60)), "finite distances >= 0"),
        (np.full((60, 60), np.nan), "finite distances >= 0"),
    ],
)
def test_what_is_no_graph_of_distances_is_refused(X, matrix, message):
    if message.startswith("finite"):
        matrix = sparse.csr_matrix(matrix)
    with pytest.raises(ValueError, match=message):
        TransformerGraph(Found(matrix)).adjacency(X)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"transformer": 3}, "transformer of TransformerGraph"),
        ({"weights": "no"}, "weights of TransformerGraph"),
        ({"power": 0}, "power of TransformerGraph"),
        ({"normalized": 2}, "normalized of TransformerGraph"),
    ],
)
def test_fields_are_checked(fields, message):
    with pytest.raises(ValueError, match=message):
        TransformerGraph(**{"transformer": KNeighborsTransformer()} | fields)


def test_a_gram_matrix_has_no_rows(X):
    model = LaplacianSVC(kernel=Precomputed(), graph=KNeighborsTransformer())
    y = np.r_[0, 1, np.full(58, -1)]
    with pytest.raises(ValueError, match="pass your graph to fit, as adjacency"):
        model.fit(X @ X.T, y)


def test_a_file_holds_no_transformer(X, tmp_path):
    y = np.r_[0, 0, 1, 1, np.full(56, -1)]
    model = SpectralClassifier(graph=KNeighborsTransformer(), random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="graph"):
        save(model, tmp_path / "model.wmz")
