import numpy as np
import pytest
import reference
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.svm import SVC

from widemargin.graphs import graph_laplacian, knn_adjacency
from widemargin.kernels import Laplacian, Rbf
from widemargin.spaces.deformed import Deformed, DeformedFeatures, DeformedKernel


@pytest.fixture
def laplacian(X):
    return graph_laplacian(knn_adjacency(X, 4), power=2)


@pytest.fixture(params=[Rbf(2.0), Laplacian(1.0)], ids=repr)
def base(request):
    return request.param


@pytest.fixture
def y(X):
    return (X[:, 0] > 0).astype(int)


@pytest.mark.parametrize("ratio", [1e-3, 1.0, 50.0])
def test_matches_explicit_inverses(base, X, X_new, laplacian, ratio):
    """On the samples of the graph and on new ones, which have no edges."""
    both = np.vstack([X, X_new])
    expected = reference.deformed_gram(base(both), laplacian.to_dense(), ratio)
    kernel = Deformed(base, X, laplacian, ratio)
    assert_allclose(kernel(both), expected, atol=1e-9)
    assert_allclose(kernel(X), expected[:30, :30], atol=1e-9)
    assert_allclose(kernel(X_new, X), expected[30:, :30], atol=1e-9)
    assert_allclose(kernel(X_new, X_new), expected[30:, 30:], atol=1e-9)
    assert_allclose(kernel.diagonal(both), np.diagonal(expected), atol=1e-9)


def test_symmetric_positive_semidefinite(base, X, X_new, laplacian):
    gram = Deformed(base, X, laplacian, 100.0)(np.vstack([X, X_new]))
    assert_allclose(gram, gram.T, atol=1e-10)
    assert np.linalg.eigvalsh(gram)[0] > -1e-10


def test_copies_among_the_samples(X, laplacian):
    """Where K has no inverse, K - K rho L (I + K rho L)^-1 K is still defined."""
    X[10:20] = X[:10]
    gram, penalty = Rbf(2.0)(X), 5.0 * laplacian.to_dense()
    expected = gram - gram @ penalty @ np.linalg.inv(np.eye(30) + gram @ penalty) @ gram
    assert_allclose(Deformed(Rbf(2.0), X, laplacian, 5.0)(X), expected, atol=1e-9)


def test_ratio_zero_is_the_base_kernel(base, X, X_new, laplacian):
    kernel = Deformed(base, X, laplacian, 0.0)
    assert_array_equal(kernel(X_new, X), base(X_new, X))
    assert_array_equal(kernel(X), base(X))


def test_constant_of_a_normalized_graph_with_equal_degrees_is_free(X):
    """The graph penalizes differences only: the norm of a constant stays."""
    ring = np.roll(np.eye(30), 1, axis=1)
    laplacian = graph_laplacian(sparse.csr_matrix(ring + ring.T))
    ones = np.ones(30)
    for ratio in (1.0, 1e3):
        deformed = Deformed(Rbf(2.0), X, laplacian, ratio)(X)
        norm, bare = (ones @ np.linalg.solve(K, ones) for K in (deformed, Rbf(2.0)(X)))
        assert_allclose(norm, bare, rtol=1e-6)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_floating_type_is_kept(X, X_new, laplacian, dtype):
    exact = Deformed(Rbf(2.0), X, laplacian, 1.0)(X_new, X)
    kernel = Deformed(Rbf(2.0), X.astype(dtype), laplacian, 1.0)
    gram = kernel(X_new.astype(dtype), X.astype(dtype))
    assert gram.dtype == dtype
    assert_allclose(gram, exact, atol=100 * np.finfo(dtype).eps)


def test_sparse_samples(X, X_new, laplacian):
    kernel = Deformed(Rbf(2.0), sparse.csr_matrix(X), laplacian, 1.0)
    expected = Deformed(Rbf(2.0), X, laplacian, 1.0)(X_new, X)
    gram = kernel(sparse.csr_matrix(X_new), sparse.csr_matrix(X))
    assert_allclose(gram, expected, atol=1e-12)


def test_kernel_ridge_is_the_graph_regularized_machine(X, X_new, laplacian, y):
    """Few labels and the deformed kernel, or all samples and a graph penalty.

    The second model minimizes, by its normal equations over all coefficients a,
    sum of (y - f)^2 on the labels + ambient a'K a + ambient ratio f'L f with f = K a.
    """
    labeled, ambient, ratio = np.array([0, 3, 8, 21]), 0.1, 7.0
    targets = 2.0 * y[labeled] - 1
    kernel = Deformed(Rbf(2.0), X, laplacian, ratio)
    ridge = kernel(X[labeled]) + ambient * np.eye(4)
    scores = kernel(X_new, X[labeled]) @ np.linalg.solve(ridge, targets)

    K, L = Rbf(2.0)(X), laplacian.to_dense()
    normal = K[:, labeled] @ K[labeled] + ambient * (K + ratio * K @ L @ K)
    coef = np.linalg.solve(normal, K[:, labeled] @ targets)
    assert_allclose(scores, Rbf(2.0)(X_new, X) @ coef, atol=1e-8)


def test_inside_a_support_vector_machine(X, X_new, laplacian, y):
    """SVC with the kernel itself equals SVC with its Gram matrices."""
    kernel = Deformed(Rbf(2.0), X, laplacian, 10.0)
    labeled = np.arange(8)
    svc = SVC(kernel=kernel, C=10.0).fit(X[labeled], y[labeled])
    by_matrix = SVC(kernel="precomputed", C=10.0)
    by_matrix.fit(kernel(X[labeled]), y[labeled])
    expected = by_matrix.decision_function(kernel(X_new, X[labeled]))
    assert_allclose(svc.decision_function(X_new), expected, atol=1e-6)
    plain = SVC(gamma=2.0, C=10.0).fit(X[labeled], y[labeled])
    difference = expected - plain.decision_function(X_new)
    assert abs(difference).max() > 0.1  # the graph does matter here


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
