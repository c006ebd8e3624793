import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse

from widemargin.kernels import KernelRows, Polynomial, Rbf


@pytest.mark.parametrize("kernel", [Rbf(0.3), Polynomial(0.2, 2, 1.0)])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("is_centered", [False, True])
def test_everything_is_as_with_the_whole_matrix(X, rng, kernel, kind, is_centered):
    n = len(X)
    shift = rng.normal(size=n) if is_centered else None
    gram = kernel(X)
    if is_centered:
        gram = gram - shift - shift[:, None]
    rows = KernelRows(kernel, kind(X), shift)
    assert rows.shape == (n, n)
    assert_allclose(rows.diagonal(), np.diagonal(gram))
    idx = np.array([3, 0, 5])
    assert_allclose(rows.rows(idx), gram[idx])
    assert_allclose(rows.part(idx), kernel(X[idx]))
    coefficients = np.where(rng.random(n) < 0.5, rng.normal(size=n), 0.0)
    assert_allclose(rows.product(coefficients), gram @ coefficients)


def test_no_coefficients_no_points(X):
    assert_allclose(KernelRows(Rbf(0.3), X).product(np.zeros(len(X))), 0.0)
