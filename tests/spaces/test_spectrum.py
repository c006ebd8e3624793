import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse.linalg import ArpackNoConvergence

from widemargin.graphs import graph_laplacian, knn_adjacency
from widemargin.spaces import graph_spectrum, kernel_spectrum, spectrum
from widemargin.spaces.spectrum import Power, Resolvent


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
    block = space.block(rows, labels)
    assert_allclose(block, expected[np.ix_(rows, labels)], atol=1e-12)
    unit = spectrum.space(transfer)
    assert_allclose(unit.mean_diagonal(), 1.0)
    scale = np.diagonal(expected).mean()
    assert_allclose(unit.block(labels, labels), space.block(labels, labels) / scale)


def test_first_power_is_the_centered_kernel_itself(rng):
    X = rows(rng, 50)
    spectrum = kernel_spectrum(linear(X), np.ones(50), 4)
    centered = X - X.mean(axis=0)
    gram = centered @ centered.T
    found = spectrum.space(Power(1)).block(np.arange(50), np.arange(50))
    assert_allclose(found, gram / np.diagonal(gram).mean(), atol=1e-6)


@pytest.mark.parametrize("power", [2, 4])
def test_larger_powers_rely_on_leading_directions(rng, power):
    spectrum = kernel_spectrum(linear(rows(rng, 300)), np.ones(300), 4)
    shares = Power(power)(spectrum.values)
    assert_allclose(shares, (spectrum.values / spectrum.values[0]) ** power)
    assert shares[0] == 1.0
    assert (np.diff(shares) < 0).all()
