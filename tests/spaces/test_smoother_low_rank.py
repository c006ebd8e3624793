import numpy as np
import pytest
from label_reference import features_of, rbf_gram
from numpy.testing import assert_allclose

from widemargin.spaces.smoother import DenseSmoother, LowRankSmoother


@pytest.mark.parametrize("reg", [1e-3, 0.5, 20.0])
def test_all_features_equal_the_dense_smoother(rng, reg):
    gram, weights = rbf_gram(rng.normal(size=(25, 3))), rng.uniform(0.2, 3.0, 25)
    ours = LowRankSmoother(features_of(gram), weights, reg)
    dense = DenseSmoother(gram, weights, reg)
    assert_allclose(ours.weighted_block(np.arange(25)), dense.matrix, atol=1e-9)
    assert_allclose(ours.diagonal(), dense.diagonal(), atol=1e-9)


@pytest.mark.parametrize("rank", [1, 5, 40])
def test_few_features_are_the_dense_smoother_of_their_kernel(rng, rank):
    """Also with more features than points, which are then dependent."""
    features, weights = rng.normal(size=(25, rank)), rng.uniform(0.2, 3.0, 25)
    ours = LowRankSmoother(features, weights, 0.1)
    dense = DenseSmoother(features @ features.T, weights, 0.1)
    Y = rng.normal(size=(25, 2))
    assert ours.matrix.shape == (25, rank)
    assert_allclose(ours @ Y, dense @ Y, atol=1e-9)
    assert_allclose(ours.leave_one_out(Y), dense.leave_one_out(Y), atol=1e-7)


def test_repeated_features(rng):
    features = rng.normal(size=(25, 3))[:, [0, 1, 2, 0, 1]]
    weights = rng.uniform(0.2, 3.0, 25)
    ours = LowRankSmoother(features, weights, 1e-6)
    dense = DenseSmoother(features @ features.T, weights, 1e-6)
    assert_allclose(ours.weighted_block(np.arange(25)), dense.matrix, atol=1e-6)


@pytest.mark.parametrize("rank", [1, 4, 40])
def test_explained_share_is_that_of_the_inverse(rng, rank):
    features, new = rng.normal(size=(25, rank)), rng.normal(size=(7, rank))
    weights, cross = rng.uniform(0.2, 5.0, 25), new @ features.T
    inverse = np.linalg.inv(features @ features.T + np.diag(0.3 / weights))
    expected = np.einsum("ij,jk,ik->i", cross, inverse, cross)
    found = LowRankSmoother(features, weights, 0.3).explanation()(new)
    assert_allclose(found, expected, rtol=1e-8)


@pytest.mark.parametrize("rank", [2, 5, 8])
def test_leading_points_are_those_of_the_dense_matrix(rng, rank):
    """Up to a rotation; all five dimensions if more are wanted than there are."""
    features, weights = rng.normal(size=(25, 5)), np.full(25, 0.04)
    ours = LowRankSmoother(features, weights, 0.1)
    points = ours.leading_points(rank)
    values, vectors = np.linalg.eigh(25 * ours.weighted_block(np.arange(25)))
    leading = vectors[:, -rank:] * np.sqrt(np.maximum(values[-rank:], 0.0))
    assert points.shape == (25, min(rank, 5))
    assert_allclose(points @ points.T, leading @ leading.T, atol=1e-9)
