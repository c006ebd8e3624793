import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse.linalg import ArpackNoConvergence

from widemargin.spaces import spectrum
from widemargin.spaces.spectrum import kernel_spectrum


def rows(rng, n):
    return rng.normal(size=(n, 4)) * [5.0, 3.0, 1.0, 0.5] + 2.0


def linear(X):
    return lambda V: X @ (X.T @ V)


def principal_components(product, weights, n_components):
    return kernel_spectrum(product, weights, n_components).vectors


def up_to_sign(found, expected):
    signs = np.sign((found * expected).sum(axis=0))
    assert_allclose(found * signs, expected, atol=1e-4)


@pytest.mark.parametrize("n", [20, 300])
def test_linear_kernel_gives_principal_components(rng, n):
    X = rows(rng, n)
    centered = X - X.mean(axis=0)
    directions = np.linalg.svd(centered, full_matrices=False)[2][:2]
    expected = centered @ directions.T
    found = kernel_spectrum(linear(X), np.ones(n), 2)
    up_to_sign(found.vectors, expected / expected.std(axis=0))
    assert_allclose(found.values, expected.var(axis=0), rtol=1e-6)


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
