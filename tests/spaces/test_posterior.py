from dataclasses import replace

import numpy as np
import pytest
from label_reference import features_of, rbf_gram
from numpy.testing import assert_allclose
from reference import Process
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel

from widemargin.kernels import Linear, NystromMap, Rbf
from widemargin.objectives.gp_evidence import GpEvidence
from widemargin.rows import Rows
from widemargin.spaces import GramSpace, linear_space, nystrom_space
from widemargin.spaces.posterior import Posterior, ProfiledSmoother, VarianceFunction
from widemargin.spaces.smoother import DenseSmoother, LowRankSmoother
from widemargin.stored import check_part, parts_in

SCALE, GAMMA, NOISE = 2.5, 0.3, 0.2
N, REG = 25, 0.3


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
    process = Process(GpEvidence(X, np.zeros((30, 1)), weights), theta)
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


# The profiled mean


@pytest.fixture
def problem(rng):
    """A Gram matrix, unequal weights and three columns of labels, mostly positive."""
    gram, weights = rbf_gram(rng.normal(size=(N, 3))), rng.uniform(0.2, 5.0, N)
    return gram, weights, rng.choice([-1.0, 1.0], (N, 3), p=[0.2, 0.8])


@pytest.fixture(params=["dense", "low rank"])
def kind(request):
    """Makes a smoother of a Gram matrix."""
    if request.param == "dense":
        return DenseSmoother
    return lambda gram, weights, reg: LowRankSmoother(features_of(gram), weights, reg)


def least_squares(gram, weights, reg, Y):
    """Coefficients and constants by generalized least squares, with an inverse."""
    inverse = np.linalg.inv(gram + reg * np.diag(1 / weights))
    mean = inverse.sum(axis=0) @ Y / inverse.sum()
    return inverse @ (Y - mean), mean


def test_fit_is_generalized_least_squares(kind, problem):
    gram, weights, Y = problem
    ours = ProfiledSmoother(kind(gram, weights, REG))
    c, mean = least_squares(gram, weights, REG, Y)
    assert_allclose(ours.mean(Y), mean, atol=1e-9)
    assert_allclose(ours @ Y, gram @ c + mean, atol=1e-9)
    inverse = np.linalg.inv(gram + REG * np.diag(1 / weights))
    assert_allclose(REG * ours.mean_variance, 1 / inverse.sum(), rtol=1e-8)


def test_misfit_is_the_quadratic_form_of_the_likelihood(kind, problem):
    gram, weights, Y = problem
    c, mean = least_squares(gram, weights, REG, Y)
    expected = REG * np.vdot(Y - mean, c)
    ours = ProfiledSmoother(kind(gram, weights, REG))
    assert_allclose(ours.misfit(Y), expected, rtol=1e-8)
    loss = weights @ ((Y - gram @ c - mean) ** 2).sum(axis=1)
    assert_allclose(expected, loss + REG * np.vdot(c, gram @ c), rtol=1e-8)


def test_coordinates_are_those_of_the_fit(problem):
    gram, weights, Y = problem
    c, mean = least_squares(gram, weights, REG, Y)
    dense = ProfiledSmoother(DenseSmoother(gram, weights, REG))
    found, constants = dense.coordinates(Y)
    assert_allclose(found, c, atol=1e-9)
    assert_allclose(constants, mean, atol=1e-9)
    features = features_of(gram)
    low_rank = ProfiledSmoother(LowRankSmoother(features, weights, REG))
    found, constants = low_rank.coordinates(Y)
    assert_allclose(features @ found + constants, gram @ c + mean, atol=1e-9)


def test_diagonal_is_what_a_label_does_to_its_own_value(kind, problem):
    gram, weights, _ = problem
    ours = ProfiledSmoother(kind(gram, weights, REG))
    assert_allclose(ours.own, np.diagonal(ours @ np.eye(N)), atol=1e-9)


def test_left_out_values_are_those_of_fits_without_each_point(kind, problem):
    gram, weights, Y = problem
    ours = ProfiledSmoother(kind(gram, weights, REG)).leave_one_out(Y)
    for i in range(N):
        rest = np.delete(np.arange(N), i)
        part = gram[np.ix_(rest, rest)]
        c, mean = least_squares(part, weights[rest], REG, Y[rest])
        assert_allclose(ours[i], gram[i, rest] @ c + mean, atol=1e-8)


def test_constant_labels_are_fitted_by_the_constant_alone(kind, problem):
    gram, weights, _ = problem
    ours, Y = ProfiledSmoother(kind(gram, weights, REG)), np.full((N, 1), 7.0)
    coordinates, mean = ours.coordinates(Y)
    assert_allclose(ours @ Y, 7.0, atol=1e-9)
    assert_allclose(ours.leave_one_out(Y), 7.0, atol=1e-8)
    assert_allclose(mean, 7.0, atol=1e-9)
    assert_allclose(coordinates, 0.0, atol=1e-7)


def test_added_constant_moves_the_fit_by_as_much(kind, problem):
    gram, weights, Y = problem
    ours = ProfiledSmoother(kind(gram, weights, REG))
    assert_allclose(ours @ (Y + 3.0), ours @ Y + 3.0, atol=1e-9)


def test_weight_is_a_number_of_copies(kind, problem, rng):
    gram, _, Y = problem
    copies = rng.integers(1, 4, N)
    repeated = np.repeat(np.arange(N), copies)
    first = np.cumsum(copies) - copies
    weighted = ProfiledSmoother(kind(gram, copies.astype(float), REG))
    whole = ProfiledSmoother(
        kind(gram[np.ix_(repeated, repeated)], np.ones(len(repeated)), REG)
    )
    assert_allclose(weighted @ Y, (whole @ Y[repeated])[first], atol=1e-8)
    assert_allclose(weighted.mean(Y), whole.mean(Y[repeated]), atol=1e-8)
    assert_allclose(weighted.mean_variance, whole.mean_variance, rtol=1e-8)


@pytest.mark.parametrize("reg", [1e-2, 0.5, 20.0])
def test_all_features_equal_the_dense_smoother(problem, reg):
    gram, weights, Y = problem
    dense = ProfiledSmoother(DenseSmoother(gram, weights, reg))
    low_rank = ProfiledSmoother(LowRankSmoother(features_of(gram), weights, reg))
    assert_allclose(low_rank @ Y, dense @ Y, atol=1e-8)
    assert_allclose(low_rank.own, dense.own, atol=1e-8)
    assert_allclose(low_rank.leave_one_out(Y), dense.leave_one_out(Y), atol=1e-6)
    assert_allclose(low_rank.mean_variance, dense.mean_variance, rtol=1e-6)


def test_few_features_are_the_dense_smoother_of_their_kernel(problem):
    gram, weights, Y = problem
    features = features_of(gram, 6)
    low_rank = ProfiledSmoother(LowRankSmoother(features, weights, REG))
    dense = ProfiledSmoother(DenseSmoother(features @ features.T, weights, REG))
    assert_allclose(low_rank @ Y, dense @ Y, atol=1e-9)
    assert_allclose(low_rank.leave_one_out(Y), dense.leave_one_out(Y), atol=1e-8)


@pytest.mark.parametrize("low_rank", [False, True])
def test_single_precision(problem, low_rank):
    gram, weights, Y = problem
    single = gram.astype(np.float32)
    if low_rank:
        smoother = LowRankSmoother(features_of(gram).astype("f4"), weights, REG)
    else:
        smoother = DenseSmoother(single, weights, REG)
    ours = ProfiledSmoother(smoother)
    c, mean = least_squares(gram, weights, REG, Y)
    assert_allclose(ours @ Y, gram @ c + mean, atol=1e-4)
    assert_allclose(ours.mean(Y), mean, atol=1e-4)


# As a fitted model keeps it


@pytest.mark.parametrize("kind", ["gram", "landmarks", "linear"])
def test_variance_function_is_the_posterior_at_new_rows(X, X_new, weights, kind):
    kernel, rows = Rbf(GAMMA), Rows(X)
    if kind == "gram":
        space = GramSpace(kernel(X), kernel, rows)
    elif kind == "landmarks":
        space = nystrom_space(kernel, rows, np.arange(30))
    else:
        space, kernel = linear_space(rows), Linear()
    smoother = space.smoother(weights, NOISE / SCALE)
    posterior = Posterior.of(ProfiledSmoother(smoother), SCALE, NOISE)
    found = VarianceFunction(space.embedding(), posterior)
    check_all(found, n_features=3)
    gram = GramSpace(kernel(X), kernel, rows).smoother(weights, NOISE / SCALE)
    expected = Posterior.of(ProfiledSmoother(gram), SCALE, NOISE)
    prior = kernel.diagonal(X_new)
    assert_allclose(found(X_new), expected.variance(kernel(X_new, X), prior), atol=1e-7)
    with pytest.raises(ValueError, match="does not fit"):
        check_all(found, n_features=4)
    with pytest.raises(ValueError, match="does not fit"):
        check_all(replace(found, posterior=replace(posterior, ones=np.ones((7, 1)))), 3)


def check_all(part, n_features):
    """Check a part and all inside of it, as a model file does."""
    for inner in parts_in(part):
        check_part(inner, n_features)
