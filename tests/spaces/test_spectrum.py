from dataclasses import dataclass

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse.linalg import ArpackNoConvergence

from widemargin.defaults import SPECTRAL_GRID
from widemargin.graphs import graph_laplacian, knn_adjacency
from widemargin.kernels import Rbf
from widemargin.rows import Rows
from widemargin.spaces import (
    FeatureSpace,
    graph_spectrum,
    kernel_spectrum,
    linear_space,
    nystrom_space,
    spectrum,
)
from widemargin.spaces.bases import GraphBasis
from widemargin.spaces.spectrum import (
    Power,
    Resolvent,
    Spectrum,
    Transfer,
    feature_spectrum,
)


def principal_components(product, weights, n_vectors):
    return kernel_spectrum(product, weights, n_vectors).vectors


def rows(rng, n):
    return rng.normal(size=(n, 4)) * [5.0, 3.0, 1.0, 0.5] + 2.0


def linear(X):
    return lambda V: X @ (X.T @ V)


def up_to_sign(found, expected):
    signs = np.sign((found * expected).sum(axis=0))
    assert_allclose(found * signs, expected, atol=1e-4)


@pytest.mark.parametrize("n", [20, 300])
def test_linear_kernel_gives_principal_components(rng, n):
    X = rows(rng, n)
    centered = X - X.mean(axis=0)
    directions = np.linalg.svd(centered, full_matrices=False)[2][:2]
    expected = centered @ directions.T
    found = principal_components(linear(X), np.ones(n), 2)
    up_to_sign(found, expected / expected.std(axis=0))


@pytest.mark.parametrize("n", [20, 300])
def test_weights_are_copies(rng, n):
    X, copies = rows(rng, n), rng.integers(1, 4, n)
    repeated = np.repeat(np.arange(n), copies)
    found = principal_components(linear(X), 0.7 * copies, 3)
    expected = principal_components(linear(X[repeated]), np.ones(len(repeated)), 3)
    up_to_sign(found[repeated], expected)
    assert_allclose(np.average(found, axis=0, weights=copies), 0.0, atol=1e-6)
    assert_allclose(np.average(found**2, axis=0, weights=copies), 1.0, atol=1e-6)


@pytest.mark.parametrize("n", [1, 2, 20, 300])
def test_components_without_variance_are_left_out(rng, n):
    weights = rng.uniform(0.5, 2.0, n)
    constant = principal_components(linear(np.ones((n, 1))), weights, 2)
    assert constant.shape == (n, 0)
    zero = principal_components(linear(np.zeros((n, 2))), weights, 2)
    assert zero.shape == (n, 0)
    line = principal_components(linear(np.arange(n)[:, None] + 1.0), weights, 2)
    assert line.shape == (n, min(1, n - 1))
    centered = np.arange(n)[:, None] - np.average(np.arange(n), weights=weights)
    assert principal_components(linear(centered), weights, 2).shape == line.shape


def test_same_every_time(rng):
    X = rows(rng, 300)
    first, second = (principal_components(linear(X), np.ones(300), 2) for _ in "ab")
    assert np.array_equal(first, second)


def test_what_has_converged_is_kept(rng, monkeypatch):
    vector = rng.normal(size=(300, 1))

    def fail(*_, **__):
        raise ArpackNoConvergence("no", np.array([1e9]), vector)

    monkeypatch.setattr(spectrum, "eigsh", fail)
    found = principal_components(linear(rows(rng, 300)), np.ones(300), 2)
    assert found.shape == (300, 1)


# Explicit features


@pytest.fixture(params=["equal", "unequal"])
def weights(request, rng):
    return np.ones(60) if request.param == "equal" else rng.uniform(0.5, 2.0, 60)


def nystrom(X):
    """Features of all rows as landmarks: those of the kernel itself."""
    return nystrom_space(Rbf(0.1), Rows(X), np.arange(len(X)))


@pytest.mark.parametrize("space_of", [lambda X: linear_space(Rows(X)), nystrom])
def test_components_of_features_are_those_of_their_gram_matrix(rng, weights, space_of):
    """Of the centered one, with roots of the shares on both sides."""
    space = space_of(rows(rng, 60))
    found, loadings, means = feature_spectrum(space, weights, 4)
    shares = weights / weights.sum()
    centering = np.eye(60) - shares
    gram = centering @ space.features @ space.features.T @ centering.T
    roots = np.sqrt(shares)
    values, vectors = np.linalg.eigh(roots[:, None] * gram * roots)
    assert_allclose(found.values, values[::-1][:4], rtol=1e-8)
    up_to_sign(found.vectors, vectors[:, ::-1][:, :4] / roots[:, None])
    assert_allclose(shares @ found.vectors, 0.0, atol=1e-10)
    assert_allclose(shares @ found.vectors**2, 1.0)
    assert_allclose(space.features @ loadings - means @ loadings, found.vectors)


def test_components_of_features_are_those_of_the_kernel(rng, weights):
    X = rows(rng, 60)
    found = feature_spectrum(linear_space(Rows(X)), weights, 3)[0]
    expected = kernel_spectrum(linear(X), weights, 3)
    assert_allclose(found.values, expected.values, rtol=1e-6)
    up_to_sign(found.vectors, expected.vectors)


def test_no_more_components_than_directions_of_variance(rng, weights):
    X = np.column_stack([rows(rng, 60), np.full(60, 3.0)])
    found = feature_spectrum(FeatureSpace(X), weights, 200)
    assert found[0].vectors.shape == (60, 4)
    few = feature_spectrum(FeatureSpace(X[:3]), np.ones(3), 200)[0]
    assert few.vectors.shape == (3, 2)
    constant = feature_spectrum(FeatureSpace(np.full((60, 2), 0.1)), weights, 5)
    assert constant[0].vectors.shape == (60, 0)


@pytest.mark.parametrize(("dtype", "tolerance"), [(float, 1e-6), (np.float32, 1e-2)])
def test_large_means_hide_no_component(rng, dtype, tolerance):
    """Features far from zero have the components of their deviations."""
    X = rows(rng, 60)
    far = np.column_stack([X, np.full(60, 1e5)]).astype(dtype)
    expected = feature_spectrum(FeatureSpace(X), np.ones(60), 9)[0]
    found = feature_spectrum(FeatureSpace(far), np.ones(60), 9)[0]
    assert found.vectors.dtype == np.float64
    assert_allclose(found.values, expected.values, rtol=tolerance)
    far = feature_spectrum(FeatureSpace(X + 1e5), np.ones(60), 9)[0]
    assert_allclose(far.values, expected.values, rtol=1e-6)


def test_blocks_of_features_do_not_matter(rng, weights, monkeypatch):
    space = linear_space(Rows(rows(rng, 60)))
    expected = feature_spectrum(space, weights, 3)[0]
    blocks = [slice(i, i + 7) for i in range(0, 60, 7)]
    monkeypatch.setattr(spectrum, "row_blocks", lambda *_: blocks)
    found = feature_spectrum(space, weights, 3)[0]
    assert_allclose(found.values, expected.values)
    up_to_sign(found.vectors, expected.vectors)


# Graphs


@pytest.fixture(params=[40, 400])
def laplacian(rng, request):
    """The normalized Laplacian of two far groups of rows: two parts of a graph."""
    X = rng.normal(size=(request.param, 2))
    X[::2] += 50.0
    return graph_laplacian(knn_adjacency(X, 6, "binary")).matrix


def test_lowest_eigenvectors_of_the_graph(laplacian):
    found = graph_spectrum(laplacian, 6)
    values, vectors = np.linalg.eigh(laplacian.toarray())
    assert_allclose(found.values, values[:6], atol=1e-5)
    assert_allclose(laplacian @ found.vectors, found.vectors * found.values, atol=1e-3)
    assert_allclose(found.vectors.T @ found.vectors, np.eye(6), atol=1e-6)
    # those of the two parts span the same plane
    projected = vectors[:, :2].T @ found.vectors[:, :2]
    assert_allclose(np.linalg.svd(projected)[1], 1.0, atol=1e-6)


def neighbor_laplacian(rng, n, n_groups=1):
    """The normalized Laplacian of rows in far groups."""
    X = rng.normal(size=(n, 3))
    X[:, 0] += 100.0 * (np.arange(n) % n_groups)
    return graph_laplacian(knn_adjacency(X, 8, "self-tuned")).matrix


@pytest.mark.parametrize("n_groups", [1, 5])
def test_filtered_vectors_are_the_lowest(rng, n_groups):
    """Also of a graph in parts, where the value zero has as many vectors."""
    laplacian = neighbor_laplacian(rng, 600, n_groups)
    values, vectors = spectrum._filtered(laplacian, 30)
    expected, axes = np.linalg.eigh(laplacian.toarray())
    assert_allclose(values, expected[:30], atol=1e-3)
    assert_allclose(values[:n_groups], 0.0, atol=1e-5)
    assert (np.diff(values) >= 0).all()
    assert vectors.dtype == np.float64
    assert_allclose(vectors.T @ vectors, np.eye(30), atol=1e-5)
    residuals = np.linalg.norm(laplacian @ vectors - vectors * values, axis=0)
    assert residuals[:20].max() < 0.02
    assert residuals.max() < 0.1
    # the space of the smoothest functions is that of the exact ones
    angles = np.linalg.svd(axes[:, :30].T @ vectors[:, :20])[1]
    assert angles.min() > 0.99


def test_filtered_vectors_are_the_same_in_every_run(rng):
    laplacian = neighbor_laplacian(rng, 300)
    one, other = (spectrum._filtered(laplacian, 10) for _ in "ab")
    assert np.array_equal(one[0], other[0])
    assert np.array_equal(one[1], other[1])


@pytest.mark.parametrize("n", [3, 9, 21, 24])
def test_small_graphs_have_all_lowest_vectors(rng, n):
    """Also with fewer rows than the filtered subspace has vectors."""
    laplacian = neighbor_laplacian(rng, n)
    for n_vectors in (1, 5, 200):
        found = graph_spectrum(laplacian, n_vectors)
        rank = min(n_vectors, n - 1)
        assert found.vectors.shape == (n, rank)
        expected = np.linalg.eigvalsh(laplacian.toarray())[:rank]
        assert_allclose(found.values, expected, atol=1e-5)


def test_rows_without_neighbors_are_parts_of_their_own(rng):
    """As many vectors of the value zero as there are parts."""
    laplacian = neighbor_laplacian(rng, 40)
    lonely = laplacian.toarray()
    lonely[:2], lonely[:, :2] = 0.0, 0.0
    found = graph_spectrum(type(laplacian)(lonely), 4)
    assert_allclose(found.values[:2], 0.0, atol=1e-6)
    assert np.isfinite(found.vectors).all()


def test_no_more_vectors_than_rows(rng):
    X = rng.normal(size=(5, 2))
    found = graph_spectrum(graph_laplacian(knn_adjacency(X, 2)).matrix, 50)
    assert found.vectors.shape == (5, 4)


# Prior covariances


@pytest.mark.parametrize("transfer", [Resolvent(0.1, 1), Resolvent(0.05, 3)])
def test_covariance_of_a_graph(laplacian, transfer):
    spectrum = graph_spectrum(laplacian, 8)
    space = spectrum.space(transfer, unit=False)
    variances = transfer(spectrum.values)
    expected = spectrum.vectors @ np.diag(variances) @ spectrum.vectors.T
    rows, labels = np.arange(20), np.array([3, 1, 7])
    found = space.features[rows] @ space.features[labels].T
    assert_allclose(found, expected[np.ix_(rows, labels)], atol=1e-12)
    unit = spectrum.space(transfer)
    assert_allclose(unit.mean_diagonal(), 1.0)
    scale = np.diagonal(expected).mean()
    assert_allclose(unit.features, space.features / np.sqrt(scale))


def test_first_power_is_the_centered_kernel_itself(rng):
    X = rows(rng, 50)
    spectrum = kernel_spectrum(linear(X), np.ones(50), 4)
    centered = X - X.mean(axis=0)
    gram = centered @ centered.T
    features = spectrum.space(Power(1)).features
    assert_allclose(features @ features.T, gram / np.diagonal(gram).mean(), atol=1e-6)


@pytest.mark.parametrize("power", [2, 4])
def test_larger_powers_rely_on_leading_directions(rng, power):
    spectrum = kernel_spectrum(linear(rows(rng, 300)), np.ones(300), 4)
    shares = Power(power)(spectrum.values)
    assert_allclose(shares, (spectrum.values / spectrum.values[0]) ** power)
    assert shares[0] == 1.0
    assert (np.diff(shares) < 0).all()


# Members that models average over


def test_only_the_smallest_power_of_the_graph_is_local(rng):
    spectrum = Spectrum(np.linspace(0, 2, 40), rng.normal(size=(50, 40)))
    found = Transfer.listed("graph", spectrum, SPECTRAL_GRID)
    assert [one.title for one in found] == ["power 1", "power 2", "power 3"]
    assert [one.is_local(SPECTRAL_GRID) for one in found] == [True, False, False]
    assert {one.epsilon for one in found} == {0.1 * spectrum.values[30]}
    found = Transfer.listed("kernel", spectrum, SPECTRAL_GRID)
    assert found == [Power(1), Power(2), Power(4), Power(8)]
    assert not any(one.is_local(SPECTRAL_GRID) for one in found)


def test_a_transfer_function_of_ones_own_lists_itself(rng, monkeypatch):
    monkeypatch.setattr(Transfer, "_members", dict(Transfer._members))

    @dataclass(frozen=True)
    class Heat(Transfer, shorthand="heat"):
        time: float = 1.0

        spectrum_of = "graph"

        def __call__(self, values):
            return np.exp(-self.time * values)

        def is_local(self, grid):
            return self.time < 1

        @classmethod
        def choices(cls, spectrum, grid):
            return [cls(0.5), cls(2.0)]

    spectrum = Spectrum(np.linspace(0, 2, 4), rng.normal(size=(9, 4)))
    listed = GraphBasis(spectrum, Rbf(1.0), None, 3).covariances("graph", SPECTRAL_GRID)
    assert "Heat(time=2.0)" in listed[-1].name
    assert_allclose(listed[-1].terms[0][2], np.exp(-2.0 * spectrum.values))
    n_shares = len(SPECTRAL_GRID.graph_shares)
    heat = [c for c in listed if "Heat" in c.name and "share 1" in c.name]
    assert [c.needs_labels for c in heat] == [True, False]
    assert len(listed) == 5 * n_shares
