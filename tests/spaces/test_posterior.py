import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel

from widemargin.kernels import NystromMap, Rbf
from widemargin.objectives.gp_evidence import GpEvidence
from widemargin.spaces.posterior import Posterior, ProfiledSmoother
from widemargin.spaces.smoother import DenseSmoother, LowRankSmoother

SCALE, GAMMA, NOISE = 2.5, 0.3, 0.2


@pytest.fixture
def weights(rng):
    return rng.choice([1.0, 10.0], 30)


def dense_posterior(X, weights):
    """The posterior, and what it is asked with."""
    smoother = DenseSmoother(Rbf(GAMMA)(X), weights, NOISE / SCALE)
    return Posterior.of(ProfiledSmoother(smoother), SCALE, NOISE), lambda Z: Rbf(GAMMA)(
        Z, X
    )


def landmark_posterior(X, weights, rows):
    """The same over landmarks."""
    features = NystromMap.fit(Rbf(GAMMA), X, rows)
    smoother = LowRankSmoother(features(X), weights, NOISE / SCALE)
    return Posterior.of(ProfiledSmoother(smoother), SCALE, NOISE), features


def doubt(X, Z, weights):
    """What a fitted mean adds to the variance, by an inverse."""
    matrix = SCALE * Rbf(GAMMA)(X) + np.diag(NOISE / weights)
    ones = np.linalg.inv(matrix).sum(axis=1)
    return (1 - SCALE * Rbf(GAMMA)(Z, X) @ ones) ** 2 / ones.sum()


@pytest.mark.parametrize("low_rank", [False, True])
def test_variance_is_that_of_the_process(X, X_new, weights, low_rank):
    if low_rank:
        ours, values = landmark_posterior(X, weights, np.arange(30))
    else:
        ours, values = dense_posterior(X, weights)
    theta = np.log([SCALE, GAMMA, NOISE])
    process = GpEvidence(X, np.zeros((30, 1)), weights).posterior(theta)
    for Z in (X, X_new, 100 + X_new):
        found = ours.variance(values(Z), np.ones(len(Z)))
        assert_allclose(found, process.variance_at(Z), rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("low_rank", [False, True])
def test_variance_less_the_doubt_about_the_mean_is_scikit_learns(
    X, X_new, weights, low_rank
):
    kernel = ConstantKernel(SCALE) * RBF((2 * GAMMA) ** -0.5)
    model = GaussianProcessRegressor(kernel, alpha=NOISE / weights, optimizer=None)
    _, std = model.fit(X, np.zeros(30)).predict(X_new, return_std=True)
    if low_rank:
        ours, values = landmark_posterior(X, weights, np.arange(30))
    else:
        ours, values = dense_posterior(X, weights)
    variance = ours.variance(values(X_new), np.ones(7))
    more = doubt(X, X_new, weights)
    assert more.max() > 1e-2
    assert_allclose(variance - more, std**2, atol=1e-8)


def test_few_landmarks_keep_what_they_cannot_explain(X, X_new, weights):
    """The posterior of their kernel, plus the variance that it lacks."""
    ours, features = landmark_posterior(X, weights, np.arange(5))
    Z, Z_new = features(X), features(X_new)
    matrix = SCALE * Z @ Z.T + np.diag(NOISE / weights)
    cross, inverse = SCALE * Z_new @ Z.T, np.linalg.inv(matrix)
    own = SCALE * np.einsum("ij,ij->i", Z_new, Z_new)
    known = own - np.einsum("ij,jk,ik->i", cross, inverse, cross)
    mean = (1 - cross @ inverse.sum(axis=1)) ** 2 / inverse.sum()
    lacking = SCALE - own
    assert lacking.max() > 0.1
    found = ours.variance(Z_new, np.ones(7))
    assert_allclose(found, known + mean + lacking, atol=1e-9)


def test_far_away_nothing_is_known(X, weights):
    """The prior variance, and that of the mean."""
    ours, values = dense_posterior(X, weights)
    found = ours.variance(values(X[:1] + 1e3), np.ones(1))
    matrix = SCALE * Rbf(GAMMA)(X) + np.diag(NOISE / weights)
    assert_allclose(found, SCALE + 1 / np.linalg.inv(matrix).sum())


def test_variance_is_never_negative(X):
    """As good as no noise: rounding would take it below zero at the samples."""
    gram = Rbf(GAMMA)(X)
    smoother = DenseSmoother(gram, np.ones(30), 1e-14)
    variance = Posterior.of(ProfiledSmoother(smoother), 1.0, 1e-14).variance(
        gram, np.full(30, 1.0 - 1e-13)
    )
    assert (variance >= 0).all()
    assert_allclose(variance, 0.0, atol=1e-6)
