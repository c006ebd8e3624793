"""What is chosen beyond parameters: mixtures, graphs, the number of clusters."""

from unittest.mock import patch

import numpy as np
import pytest
from clusterings import FIXED
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score
from sklearn.neighbors import KNeighborsTransformer

import widemargin
from widemargin.estimators.margin_clustering import MaxMarginClustering
from widemargin.graphs import KnnGraph
from widemargin.kernels import Rbf
from widemargin.labelling.clusters import cluster_graph


@pytest.fixture(scope="module")
def nested():
    """Two clouds around one place, one of them wide."""
    rng = np.random.default_rng(5)
    y = np.repeat([0, 1], 150)
    return rng.normal(size=(300, 8)) * np.where(y == 0, 0.6, 1.8)[:, None], y


@pytest.fixture(scope="module")
def rings():
    """Two rings in space, on each of which rows have two neighbors."""
    rng = np.random.default_rng(0)
    angle, y = rng.uniform(0, 2 * np.pi, 200), np.arange(200) % 2
    X = np.stack([np.cos(angle), np.sin(angle), 0.7 * y], axis=1)
    return X + 0.01 * rng.normal(size=X.shape), y


@pytest.fixture(scope="module")
def nested_model(nested):
    return MaxMarginClustering(2, random_state=0).fit(nested[0])


def test_a_mixture_finds_clusters_inside_each_other(nested, nested_model):
    (X, y), model = nested, nested_model
    assert model.parameters_.source == "mixture"
    assert any(trial.is_better for trial in model.choice_.mixtures)
    assert adjusted_rand_score(y, model.labels_) > 0.9
    assert_array_equal(model.predict(X), model.labels_)
    assert model.decision_function(X).shape == (300,)
    searched = MaxMarginClustering(2, kernel=Rbf(0.1), random_state=0).fit(X)
    assert searched.choice_.mixtures == ()
    assert adjusted_rand_score(y, searched.labels_) < 0.8


def test_a_mixture_is_saved_without_rows(nested, nested_model, tmp_path):
    (X, _), model = nested, nested_model
    widemargin.save(model, tmp_path / "model.wm")
    loaded = widemargin.load(tmp_path / "model.wm")
    assert_allclose(loaded.decision_function(X), model.decision_function(X))
    assert "no training row" in loaded.privacy_.lower()
    assert loaded.choice_.mixtures == model.choice_.mixtures


def test_shuffled_rows_have_the_same_mixture(nested, nested_model):
    X, _ = nested
    order = np.random.default_rng(1).permutation(len(X))
    other = MaxMarginClustering(2, random_state=0).fit(X[order])
    assert adjusted_rand_score(nested_model.labels_[order], other.labels_) > 0.97


def test_rows_along_curves_have_fewer_neighbors(rings, blobs):
    X, y = rings
    model = MaxMarginClustering(2, random_state=0).fit(X)
    assert model.graph_ == KnnGraph(n_neighbors=3)
    assert adjusted_rand_score(y, model.labels_) == 1.0
    given = MaxMarginClustering(2, graph=KnnGraph(), random_state=0).fit(X)
    assert given.graph_ == KnnGraph()
    cloud = np.random.default_rng(0).normal(size=(150, 5))
    assert MaxMarginClustering(2, random_state=0).fit(cloud).graph_ == KnnGraph()


class ManyRows(MaxMarginClustering):
    """Sees many rows in few of them."""

    limits = MaxMarginClustering.limits._replace(graph_rows=100)


def test_many_rows_are_clustered_along_the_graph(rings):
    X, y = rings
    model = ManyRows(2, random_state=0).fit(X)
    assert model.parameters_.source == "graph"
    assert model.choice_ is None
    assert adjusted_rand_score(y, model.labels_) == 1.0
    assert_array_equal(model.predict(X), model.labels_)
    order = np.random.default_rng(1).permutation(len(X))
    other = ManyRows(2, random_state=0).fit(X[order])
    assert adjusted_rand_score(model.labels_[order], other.labels_) == 1.0
    assert_array_equal(ManyRows(2, random_state=0).fit(X).labels_, model.labels_)


@pytest.mark.parametrize(
    "options", [{"landmarks": 50}, {"kernel": Rbf(1.0)}, {"balance": "equal"}]
)
def test_what_is_prescribed_is_not_left_to_the_graph(rings, options):
    X, _ = rings
    model = ManyRows(2, random_state=0, **options).fit(X)
    assert model.parameters_.source != "graph"


@pytest.mark.parametrize(("smallest", "is_sound"), [(25, False), (60, True)])
def test_a_few_rows_far_away_are_no_cluster_of_the_graph(smallest, is_sound):
    centers = [[0, 0], [9, 0], [99, 99]]
    X, y = make_blobs([150, 150, smallest], random_state=0, centers=centers)
    adjacency = KnnGraph().adjacency(X)
    laplacian = KnnGraph().laplacian_of(adjacency, auto_power=1, normalized=True).matrix
    degrees, order = np.ravel(adjacency.sum(axis=0)), np.arange(len(X))
    found = cluster_graph(laplacian, degrees, 3, order, np.random.default_rng(0))
    assert (found is not None) == is_sound
    if is_sound:
        assert adjusted_rand_score(y, found[0]) == 1.0


def test_clusters_of_the_graph_may_have_different_sizes():
    """Parts of the largest one are smoother than some differences between others."""
    X, y = make_blobs([800, 400, 300, 110], n_features=3, random_state=1)
    model = ManyRows(4, random_state=0).fit(X)
    assert model.parameters_.source == "graph"
    assert adjusted_rand_score(y, model.labels_) > 0.99


SLOW = pytest.mark.slow


@pytest.mark.slow
@pytest.mark.parametrize("n_clusters", [2, 3, 5])
def test_auto_finds_the_number_of_blobs(n_clusters):
    centers = 8 * np.random.default_rng(n_clusters).normal(size=(n_clusters, 4))
    X, y = make_blobs(40 * n_clusters, centers=centers, random_state=0)
    model = MaxMarginClustering("auto", random_state=0).fit(X)
    choice = model.number_choice_
    assert model.n_clusters_ == choice.chosen == n_clusters
    assert adjusted_rand_score(y, model.labels_) == 1.0
    assert_array_equal(choice.numbers, np.arange(2, 13))
    total = choice.agreement + choice.stability
    assert total[choice.best] > total.max() - 0.01
    assert_array_equal(model.predict(X), model.labels_)


@pytest.mark.slow
def test_auto_is_repeatable_and_saved(blobs, tmp_path):
    X, _ = blobs
    first = MaxMarginClustering("auto", random_state=3).fit(X)
    again = MaxMarginClustering("auto", random_state=3).fit(X)
    assert_array_equal(first.labels_, again.labels_)
    widemargin.save(first, tmp_path / "model.wm")
    loaded = widemargin.load(tmp_path / "model.wm")
    assert loaded.n_clusters_ == first.n_clusters_
    assert_allclose(loaded.number_choice_.stability, first.number_choice_.stability)
    assert_array_equal(loaded.predict(X), first.predict(X))


def test_auto_names_what_it_needs(blobs):
    X, y = blobs
    with pytest.raises(ValueError, match=r"n_clusters .* must be a number if fit gets"):
        MaxMarginClustering("auto").fit(X, init=y)
    with pytest.raises(ValueError, match="compares the clusters of several parameters"):
        MaxMarginClustering("auto", **FIXED).fit(X)
    with pytest.raises(ValueError, match="fit_path must be a number"):
        MaxMarginClustering("auto").fit_path(X, ambient_reg=[0.1])
    with pytest.raises(ValueError, match="n_clusters of MaxMarginClustering must be"):
        MaxMarginClustering("many").fit(X)


def test_auto_tries_no_more_clusters_than_pairs_of_rows(blobs):
    X, _ = blobs
    model = MaxMarginClustering("auto", random_state=0).fit(X[::9])
    assert model.number_choice_.numbers.max() == len(X[::9]) // 2


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("n_distinct", [2, 3, pytest.param(5, marks=SLOW)])
def test_copies_are_one_cluster(n_distinct):
    places = np.array([[0.0, 0], [1, 1], [3, 0], [0, 4], [5, 5]])[:n_distinct]
    X = np.repeat(places, 30, axis=0)
    model = MaxMarginClustering("auto", random_state=0).fit(X)
    assert model.number_choice_.numbers.max() == n_distinct
    assert model.n_clusters_ == n_distinct
    assert len(np.unique(np.column_stack([X, model.labels_]), axis=0)) == n_distinct


def test_a_number_has_no_evidence(blobs):
    X, _ = blobs
    with patch.object(MaxMarginClustering, "n_restarts", 1):
        model = MaxMarginClustering(3, random_state=0).fit(X)
    assert model.number_choice_ is None
    assert model.n_clusters_ == 3


def test_many_rows_are_clustered_along_a_graph_of_the_user():
    X, y = make_blobs(300, centers=3, cluster_std=0.5, random_state=0)
    graph = KNeighborsTransformer(n_neighbors=6)
    model = MaxMarginClustering(3, graph=graph, random_state=0)
    with patch.object(
        MaxMarginClustering, "limits", model.limits._replace(graph_rows=100)
    ):
        model.fit(X)
    assert model.parameters_.source == "graph"
    assert_array_equal(model.predict(X), model.labels_)
    assert adjusted_rand_score(y, model.labels_) > 0.95


@pytest.fixture(scope="module")
def mixed():
    """Four clusters, and a one-hot category that has nothing to do with them."""
    X, y = make_blobs(300, n_features=4, centers=4, cluster_std=1.2, random_state=3)
    category = np.random.default_rng(3).integers(0, 4, 300)
    return np.hstack([X / X.std(axis=0), np.eye(4)[category]]), y


@pytest.fixture(scope="module")
def mixed_model(mixed):
    return MaxMarginClustering(4, random_state=0).fit(mixed[0])


def test_categories_are_not_taken_for_clusters(mixed, mixed_model):
    (X, y), model = mixed, mixed_model
    assert adjusted_rand_score(y, model.labels_) == 1.0
    assert_array_equal(model.predict(X), model.labels_)
    indicator = np.hstack([X[:, :4], X[:, 4:6] @ [[1.0], [1.0]]])
    model = MaxMarginClustering(4, random_state=0).fit(indicator)
    assert adjusted_rand_score(y, model.labels_) == 1.0


def test_a_model_of_narrowed_columns_is_saved(mixed, mixed_model, tmp_path):
    (X, _), model = mixed, mixed_model
    widemargin.save(model, tmp_path / "model.wm")
    loaded = widemargin.load(tmp_path / "model.wm")
    assert_allclose(loaded.decision_function(X), model.decision_function(X))


def test_a_model_of_narrowed_columns_takes_other_ways(mixed):
    X, y = mixed
    path = MaxMarginClustering(4, random_state=0).fit_path(X, ambient_reg=[1e-3, 1e-2])
    for model in path:
        assert adjusted_rand_score(y, model.labels_) > 0.95
        assert adjusted_rand_score(y, model.predict(X)) > 0.95
    with patch.object(
        MaxMarginClustering,
        "limits",
        MaxMarginClustering.limits._replace(graph_rows=100),
    ):
        model = MaxMarginClustering(4, random_state=0).fit(X)
    assert model.parameters_.source == "graph"
    assert adjusted_rand_score(y, model.labels_) > 0.95
    assert_array_equal(model.predict(X), model.labels_)
    model = MaxMarginClustering(4, outliers="auto", random_state=0).fit(X)
    assert adjusted_rand_score(y, model.labels_) > 0.9
    assert_array_equal(model.predict(X) == -1, model.labels_ == -1)


def test_a_given_width_is_that_of_the_given_rows(mixed):
    X, _ = mixed
    model = MaxMarginClustering(4, **FIXED, random_state=0).fit(X)
    assert_allclose(model.function_.points, X)


@pytest.mark.slow
def test_the_number_of_clusters_beside_a_category(mixed):
    X, y = mixed
    model = MaxMarginClustering("auto", random_state=0).fit(X)
    assert model.n_clusters_ == 4
    assert adjusted_rand_score(y, model.labels_) == 1.0
    assert_array_equal(model.predict(X), model.labels_)
