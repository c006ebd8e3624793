import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from widemargin.graphs import graph_laplacian, knn_adjacency
from widemargin.kernels import Rbf
from widemargin.spaces.deformation import DeformedFeatures, DeformedKernel


@pytest.fixture
def laplacian(X):
    return graph_laplacian(knn_adjacency(X, 4), power=2)


@pytest.fixture
def gram(X):
    return Rbf(2.0)(X)


@pytest.fixture
def features(rng, X):
    return rng.normal(size=(len(X), 6))


@pytest.fixture(params=["kernel", "features"])
def case(request, gram, features):
    """The class with its matrices B and P."""
    if request.param == "kernel":
        return DeformedKernel, gram, gram
    return DeformedFeatures, features, np.eye(6)


@pytest.mark.parametrize("ratio", [0.0, 1e-3, 1.0, 1e3])
def test_solve_matches_the_inverse(case, laplacian, rng, ratio):
    """The coordinates are (P + ratio B'L B)^-1 B'h."""
    kind, B, P = case
    norm = P + ratio * B.T @ laplacian.to_dense() @ B
    all_coordinates = np.linalg.inv(norm) @ B.T
    before = B.copy()
    deformed = kind(B, laplacian, ratio)
    h = rng.normal(size=(30, 4))
    assert_allclose(deformed.solve(h), all_coordinates @ h, atol=1e-7)
    rows = np.array([3, 17, 5])
    assert_allclose(deformed.solve_rows(rows), all_coordinates[:, rows], atol=1e-7)
    assert_array_equal(B, before)


def test_scores_at_some_rows(case, laplacian, rng):
    kind, B, _ = case
    c, rows = rng.normal(size=(B.shape[1], 2)), [4, 0]
    assert_allclose(kind(B, laplacian, 0.5).scores_at(rows, c), (B @ c)[rows])


def test_singular_gram_still_solves(X, laplacian, rng):
    """With copies among the samples K has no inverse, but A c = B'h holds."""
    X[10:20] = X[:10]
    gram = Rbf(2.0)(X)
    assert np.linalg.matrix_rank(gram) == 20
    h = rng.normal(size=(30, 3))
    coordinates = DeformedKernel(gram, laplacian, 10.0).solve(h)
    norm = gram + 10.0 * gram @ laplacian.to_dense() @ gram
    assert_allclose(norm @ coordinates, gram @ h, atol=1e-9)


def test_both_kinds_give_the_same_scores(features, laplacian, rng):
    """Features Z and their Gram matrix ZZ' span the same functions and norm."""
    h = rng.normal(size=(30, 3))
    by_features = DeformedFeatures(features, laplacian, 2.0).solve(h)
    by_kernel = DeformedKernel(features @ features.T, laplacian, 2.0).solve(h)
    assert_allclose(
        features @ by_features, features @ features.T @ by_kernel, atol=1e-9
    )


def test_single_precision_gram_is_factorized_in_double(X, gram, rng):
    """Float32 values are solved as exactly as the same values in float64."""
    single = gram.astype(np.float32)
    laplacian = graph_laplacian(knn_adjacency(X.astype(np.float32), 4))
    assert laplacian.matrix.dtype == np.float32
    h = rng.normal(size=(30, 3))
    exact = DeformedKernel(single.astype(np.float64), laplacian, 100.0).solve(h)
    assert_allclose(DeformedKernel(single, laplacian, 100.0).solve(h), exact)
