import numpy as np
import pytest
from label_reference import rbf_gram, smoother_matrix
from numpy.testing import assert_allclose, assert_array_equal

from widemargin.spaces.smoother import DenseSmoother, mirror


@pytest.mark.parametrize("n", [1, 3, 4, 11])
def test_mirror_in_blocks(rng, n):
    """Sizes that are and are not multiples of the block."""
    matrix = np.asfortranarray(rng.normal(size=(n, n)))
    upper = np.triu(matrix)
    mirror(matrix, block=4)
    assert_array_equal(matrix, upper + np.triu(upper, 1).T)


def test_more_points_than_a_block(rng):
    n = 530
    gram, weights = rbf_gram(rng.normal(size=(n, 3))), rng.uniform(0.5, 2.0, n)
    weighted = DenseSmoother(gram, weights, 0.5).matrix
    assert_allclose(weighted, weighted.T, rtol=1e-13, atol=1e-15)
    expected = weights[:, None] * smoother_matrix(gram, weights, 0.5)
    assert_allclose(weighted, expected, atol=1e-9)


def test_gram_of_zeros_fits_nothing():
    smoother = DenseSmoother(np.zeros((4, 4)), np.ones(4), 1e-3)
    assert_allclose(smoother.matrix, 0.0, atol=1e-15)


def test_matrix_that_is_no_kernel_is_refused():
    with pytest.raises(ValueError, match="positive semi-definite"):
        DenseSmoother(-np.eye(3), np.ones(3), 0.5)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_explained_share_is_that_of_the_inverse(rng, dtype):
    points, new = rng.normal(size=(25, 3)), rng.normal(size=(7, 3))
    gram, weights = rbf_gram(points), rng.uniform(0.2, 5.0, 25)
    cross = rbf_gram(np.vstack([points, new]))[25:, :25]
    inverse = np.linalg.inv(gram + np.diag(0.3 / weights))
    expected = np.einsum("ij,jk,ik->i", cross, inverse, cross)
    smoother = DenseSmoother(gram.astype(dtype), weights, 0.3)
    tolerance = 1e-9 if dtype is np.float64 else 1e-4
    for n_points in (7, 2, 1):
        part = cross[:n_points].astype(dtype)
        found = smoother.explanation()(part)
        assert_allclose(found, expected[:n_points], atol=tolerance)
