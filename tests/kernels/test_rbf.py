import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from widemargin.kernels import ArdRbf, NystromMap, Rbf

GAMMAS = np.array([0.1, 2.0, 0.7])
every_format = pytest.mark.parametrize(
    "to_format", [np.asarray, sparse.csr_matrix, sparse.csr_array]
)


@every_format
def test_it_is_the_gaussian_kernel_of_scaled_rows(X, X_new, to_format):
    kernel, root = ArdRbf(GAMMAS), np.sqrt(GAMMAS)
    found = kernel(to_format(X_new), to_format(X))
    assert_allclose(found, Rbf(1.0)(X_new * root, X * root), atol=1e-13)
    assert_allclose(kernel(to_format(X)), Rbf(1.0)(X * root), atol=1e-13)


def test_one_value_by_its_formula(X):
    value = np.exp(-(GAMMAS * (X[3] - X[8]) ** 2).sum())
    assert_allclose(ArdRbf(GAMMAS)(X)[3, 8], value)


@every_format
@pytest.mark.parametrize("n_widths", [1, 3])
def test_equal_widths_are_the_gaussian_kernel(X, X_new, to_format, n_widths):
    kernel = ArdRbf(np.full(n_widths, 0.3))
    found = kernel(to_format(X_new), to_format(X))
    assert_allclose(found, Rbf(0.3)(X_new, X), atol=1e-13)


@every_format
def test_feature_of_width_zero_has_no_say(X, to_format):
    other = X.copy()
    other[:, 1] = 5.0
    kernel = ArdRbf(np.array([0.5, 0.0, 0.5]))
    assert_allclose(kernel(to_format(other)), kernel(to_format(X)), atol=1e-13)


@every_format
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_diagonal_and_type_are_those_of_the_rows(X, to_format, dtype):
    X, kernel = to_format(X.astype(dtype)), ArdRbf(GAMMAS)
    assert kernel(X).dtype == kernel(X, X[:2]).dtype == dtype
    assert kernel.diagonal(X).dtype == dtype
    assert_array_equal(kernel.diagonal(X), np.ones(30))
    assert_allclose(kernel.diagonal(X), np.diagonal(kernel(X)), atol=1e-6)


def test_all_samples_as_landmarks_reproduce_it(X, X_new):
    kernel = ArdRbf(GAMMAS)
    features = NystromMap.fit(kernel, X, np.arange(30))
    found = features(X_new) @ features(X).T
    assert_allclose(found, kernel(X_new, X), atol=1e-8)


def test_equal_widths_are_equal_kernels():
    """Also as keys, which share what was computed for a kernel."""
    kernel = ArdRbf(np.array([1.0, 0.0]))
    for same in (ArdRbf([1, -0.0]), ArdRbf(np.array([1, 0], dtype=np.float32))):
        assert kernel == same
        assert hash(kernel) == hash(same)
    assert kernel != ArdRbf(np.array([1.0, 2.0]))
    assert kernel != ArdRbf(np.array([1.0]))
    assert kernel != Rbf(1.0)
