import numpy as np
import pytest
from label_reference import rbf_gram
from numpy.testing import assert_allclose

from widemargin.spaces.smoother import DenseSmoother, SpectralPath


@pytest.mark.parametrize("singular", [False, True])
def test_path_equals_the_dense_smoother_for_every_reg(rng, singular):
    """One decomposition, used again and again; the path is not used up."""
    X, weights = rng.normal(size=(25, 4)), rng.uniform(0.2, 3.0, 25)
    gram = X @ X.T if singular else rbf_gram(X)
    path, Y = SpectralPath(gram, weights), rng.normal(size=(25, 2))
    for reg in (1e-3, 0.1, 1.0, 50.0, 0.1):
        ours, dense = path(reg), DenseSmoother(gram, weights, reg)
        assert_allclose(ours.matrix, dense.matrix, atol=1e-9)
        assert_allclose(ours @ Y, dense @ Y, atol=1e-9)
        assert_allclose(
            gram @ ours.coordinates(Y), gram @ dense.coordinates(Y), atol=1e-9
        )


def test_directions_that_the_kernel_lacks_are_left_out(rng):
    X = rng.normal(size=(25, 4))
    path = SpectralPath(X @ X.T, rng.uniform(0.2, 3.0, 25))
    assert path.values.shape == (4,)
    assert path.rooted_vectors.shape == (25, 4)


def test_gram_of_zeros_fits_nothing():
    smoother = SpectralPath(np.zeros((4, 4)), np.ones(4))(1e-3)
    assert_allclose(smoother.matrix, 0.0, atol=1e-15)
