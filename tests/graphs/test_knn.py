import numpy as np
import pytest
import reference
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from widemargin.graphs import KnnGraph, graph_laplacian, knn_adjacency
from widemargin.graphs.knn import WEIGHTS


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("n_neighbors", [1, 4, 29])
def test_matches_sorting_all_distances(X, n_neighbors, weights):
    adjacency = knn_adjacency(X, n_neighbors, weights)
    assert sparse.issparse(adjacency)
    assert adjacency.format == "csr"
    expected = reference.knn_adjacency(X, n_neighbors, weights)
    assert_allclose(adjacency.toarray(), expected, rtol=1e-9)


@pytest.mark.parametrize("weights", WEIGHTS)
def test_many_features_match_sorting_all_distances(rng, weights):
    """Beyond 15 features scikit-learn looks for neighbors in another way."""
    X = rng.normal(size=(40, 20))
    expected = reference.knn_adjacency(X, 5, weights)
    assert_allclose(knn_adjacency(X, 5, weights).toarray(), expected, rtol=1e-9)


def test_number_is_the_width_of_the_heat_kernel(X):
    adjacency = knn_adjacency(X, 4, 0.7).toarray()
    joined = knn_adjacency(X, 4, "binary").toarray() > 0
    expected = np.exp(-(reference.distances(X) ** 2) / (2 * 0.7**2))
    assert_allclose(adjacency, np.where(joined, expected, 0), rtol=1e-9)


@pytest.mark.parametrize("weights", WEIGHTS)
def test_symmetric_without_self_loops(X, weights):
    adjacency = knn_adjacency(X, 3, weights).toarray()
    assert_array_equal(adjacency, adjacency.T)
    assert not adjacency.diagonal().any()
    assert ((adjacency > 0).sum(axis=1) >= 3).all()
    assert adjacency.max() <= 1


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("unit", [10.0, 1e-6, 1e6])
def test_unit_of_the_features_does_not_matter(X, weights, unit):
    scaled = knn_adjacency(unit * X, 4, weights).toarray()
    assert_allclose(scaled, knn_adjacency(X, 4, weights).toarray(), rtol=1e-9)


@pytest.mark.parametrize("weights", WEIGHTS)
def test_shuffled_samples_permute_the_graph(X, rng, weights):
    order = rng.permutation(len(X))
    expected = knn_adjacency(X, 4, weights).toarray()[np.ix_(order, order)]
    assert_allclose(knn_adjacency(X[order], 4, weights).toarray(), expected, rtol=1e-12)


@pytest.mark.parametrize("weights", WEIGHTS)
def test_copies_are_joined_to_each_other_with_weight_one(X, weights):
    copies = np.repeat(X[:5], 3, axis=0)
    expected = np.kron(np.eye(5), np.ones((3, 3)) - np.eye(3))
    assert_array_equal(knn_adjacency(copies, 2, weights).toarray(), expected)


@pytest.mark.parametrize("weights", WEIGHTS)
def test_some_copies_keep_the_other_edges(X, weights):
    """Two copies and a farther third neighbor, whose weight is less than one."""
    X[1] = X[2] = X[0]
    row = knn_adjacency(X, 3, weights).toarray()[0]
    assert_array_equal(row[:3], [0, 1, 1])
    assert np.count_nonzero(row[3:]) >= 1
    assert np.isfinite(row).all()
    if weights != "binary":
        assert row[3:].max() < 1


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("to_format", [np.asarray, sparse.csr_matrix])
def test_all_samples_equal(weights, to_format):
    adjacency = knn_adjacency(to_format(np.full((6, 2), 0.1)), 3, weights).toarray()
    assert_array_equal(adjacency, adjacency.T)
    assert not adjacency.diagonal().any()
    assert set(adjacency.ravel()) == {0.0, 1.0}
    assert ((adjacency > 0).sum(axis=1) >= 3).all()


@pytest.mark.parametrize("weights", WEIGHTS)
def test_fewer_samples_than_neighbors_are_all_joined(X, weights):
    adjacency = knn_adjacency(X[:4], 10, weights)
    assert_array_equal(adjacency.toarray() > 0, ~np.eye(4, dtype=bool))
    expected = knn_adjacency(X[:4], 3, weights)
    assert_array_equal(adjacency.toarray(), expected.toarray())


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_one_sample_has_no_edges(dtype):
    adjacency = knn_adjacency(np.ones((1, 2), dtype=dtype), 3)
    assert adjacency.shape == (1, 1)
    assert adjacency.nnz == 0
    assert adjacency.dtype == dtype


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize(
    ("given", "kept"),
    [(np.float32, np.float32), (np.float64, np.float64), (np.int64, np.float64)],
)
def test_floating_type_is_kept(X, weights, given, kept):
    samples = (100 * X).astype(given)
    adjacency = knn_adjacency(samples, 3, weights)
    assert adjacency.dtype == kept
    exact = knn_adjacency(samples.astype(float), 3, weights).toarray()
    assert_allclose(adjacency.toarray(), exact, rtol=1e-4)


@pytest.mark.parametrize("weights", WEIGHTS)
def test_sparse_equals_dense(X, weights):
    X[X < 0.2] = 0
    X = np.unique(X, axis=0)
    adjacency = knn_adjacency(sparse.csr_matrix(X), 3, weights).toarray()
    assert_allclose(adjacency, knn_adjacency(X, 3, weights).toarray(), rtol=1e-6)


@pytest.mark.parametrize("weights", WEIGHTS)
def test_distances_equal_samples(X, weights):
    adjacency = knn_adjacency(reference.distances(X), 4, weights, metric="precomputed")
    expected = knn_adjacency(X, 4, weights)
    assert_allclose(adjacency.toarray(), expected.toarray(), rtol=1e-9)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_far_sample_keeps_its_edges(X, dtype):
    """exp(-d^2 / 2t^2) is below the smallest double; the edges must not vanish."""
    X = np.repeat(X, 50, axis=0) + np.arange(1500)[:, None] * 1e-6
    X[0] = 1e6
    row = knn_adjacency(X.astype(dtype), 3).toarray()[0]
    assert np.count_nonzero(row) == 3
    assert row.max() < 1e-30


def test_unknown_weights_are_refused_by_value(X):
    message = "weights of knn_adjacency must be one of .* got 'gaussian'"
    with pytest.raises(ValueError, match=message):
        knn_adjacency(X, 3, "gaussian")


@pytest.mark.parametrize("power", ["auto", 2])
@pytest.mark.parametrize("normalized", [True, False])
def test_a_graph_gives_the_laplacian_of_its_edges(X, power, normalized):
    graph = KnnGraph(5, "heat", power=power, normalized=normalized)
    made = graph.laplacian_of(graph.adjacency(X), auto_power=3)
    adjacency = knn_adjacency(X, 5, "heat")
    power = 3 if power == "auto" else power
    expected = graph_laplacian(adjacency, normalized=normalized, power=power)
    assert_array_equal(made.to_dense(), expected.to_dense())
    again = graph.laplacian_of(adjacency, auto_power=3, normalized=True)
    expected = graph_laplacian(adjacency, normalized=True, power=power)
    assert_array_equal(again.to_dense(), expected.to_dense())


def test_of_several_powers_the_one_for_the_dimension_is_most_probable(X):
    graph = KnnGraph(5, power=(3, 1, 2))
    prior = graph.power_prior(graph.adjacency(X), auto_power=3)
    assert_allclose(sum(prior.values()), 1.0)
    assert list(prior) == sorted(prior)
    made = graph.laplacian_of(graph.adjacency(X), auto_power=3)
    assert prior[made.power] == max(prior.values())
    assert KnnGraph().power_prior(graph.adjacency(X), 3) == {3: 1.0}


@pytest.mark.parametrize("power", [(), (1, 0), (1.5,), [1, 2], ("auto",), True, None])
def test_powers_are_whole_numbers(power):
    with pytest.raises(ValueError, match=r"power of KnnGraph must be 'auto', a whole"):
        KnnGraph(power=power)
