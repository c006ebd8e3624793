from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from reference import Process
from scipy.linalg import null_space
from scipy.optimize import minimize_scalar
from scipy.stats import multivariate_normal, norm
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

from widemargin.objectives.gp_evidence import GpEvidence, LogNormalPrior

V, S = 1.7, 0.3  # variance and noise of all thetas below
CRITERIA = ["marginal_likelihood", "leave_one_out"]
every_criterion = pytest.mark.parametrize("criterion", CRITERIA)
every_width = pytest.mark.parametrize("gamma", [[0.4], [0.1, 0.5, 0.02]], ids=len)
with_or_without_mean = pytest.mark.parametrize("fit_mean", [True, False])


@pytest.fixture
def make_evidence(X, rng):
    """Thirty rows, the first five of weight ten; unbalanced targets, far from zero."""
    Y = np.where(X[:, [0, 2, 1]] + rng.normal(size=(30, 3)) > -0.5, 1.0, -1.0)

    def make(n_columns=1, **options):
        weights = np.where(np.arange(30) < 5, 10.0, 1.0)
        return GpEvidence(X, Y[:, :n_columns], weights, **options)

    return make


def theta_of(gamma):
    return np.log([V, *gamma, S])


def covariance(evidence, gamma):
    """The kernel and the noise written out, row by row."""
    gram = [
        [V * np.exp(-np.sum(gamma * (x - z) ** 2)) for z in evidence.X]
        for x in evidence.X
    ]
    return np.array(gram) + np.diag(S / evidence.weights)


def sklearn_process(evidence, gamma):
    lengths = 1 / np.sqrt(2 * np.asarray(gamma))
    lengths = lengths if len(lengths) > 1 else lengths[0]
    kernel = ConstantKernel(V) * RBF(lengths)
    process = GaussianProcessRegressor(
        kernel, alpha=S / evidence.weights, optimizer=None
    )
    return process.fit(evidence.X, evidence.Y)


@every_criterion
@every_width
@with_or_without_mean
@pytest.mark.parametrize("n_columns", [1, 3])
@pytest.mark.parametrize("has_prior", [False, True])
def test_gradient_matches_finite_differences(
    make_evidence, criterion, gamma, fit_mean, n_columns, has_prior
):
    theta, step = theta_of(gamma), 1e-5
    prior = LogNormalPrior(theta + 0.3) if has_prior else None
    evidence = make_evidence(n_columns, fit_mean=fit_mean, prior=prior)
    evaluate = getattr(evidence, criterion)
    expected = [
        (evaluate(theta + e).value - evaluate(theta - e).value) / (2 * step)
        for e in step * np.eye(len(theta))
    ]
    assert np.abs(expected).min() > 1e-3  # every entry is put to the test
    assert_allclose(evaluate(theta).gradient, expected, rtol=1e-6, atol=1e-7)


@every_width
@pytest.mark.parametrize("n_columns", [1, 3])
def test_without_mean_the_likelihood_is_that_of_sklearn(
    make_evidence, gamma, n_columns
):
    evidence = make_evidence(n_columns, fit_mean=False)
    ours = evidence.marginal_likelihood(theta_of(gamma))
    process = sklearn_process(evidence, gamma)
    value, gradient = process.log_marginal_likelihood(process.kernel_.theta, True)
    assert_allclose(ours.value, value, rtol=1e-10)
    # the derivative by log length is minus twice that by log gamma
    assert_allclose(ours.gradient[0], gradient[0], rtol=1e-8)
    assert_allclose(ours.gradient[1:-1], -gradient[1:] / 2, rtol=1e-8)


def test_noise_gradient_is_that_of_sklearns_white_kernel(make_evidence):
    evidence = replace(make_evidence(fit_mean=False), weights=np.ones(30))
    kernel = ConstantKernel(V) * RBF(1 / np.sqrt(0.8)) + WhiteKernel(S)
    process = GaussianProcessRegressor(kernel, alpha=0.0, optimizer=None)
    process.fit(evidence.X, evidence.Y)
    value, gradient = process.log_marginal_likelihood(process.kernel_.theta, True)
    ours = evidence.marginal_likelihood(theta_of([0.4]))
    assert_allclose(ours.value, value, rtol=1e-10)
    assert_allclose(ours.gradient, gradient * [1, -0.5, 1], rtol=1e-8)


@every_width
@pytest.mark.parametrize("n_columns", [1, 3])
def test_posterior_without_mean_is_that_of_sklearn(
    make_evidence, X_new, gamma, n_columns
):
    evidence = make_evidence(n_columns, fit_mean=False)
    fit = Process(evidence, theta_of(gamma))
    mean, sd = sklearn_process(evidence, gamma).predict(X_new, return_std=True)
    assert_allclose(fit.mean_at(X_new), mean.reshape(-1, n_columns), atol=1e-8)
    expected = np.repeat(fit.variance_at(X_new)[:, None], n_columns, axis=1)
    assert_allclose(expected, sd.reshape(-1, n_columns) ** 2, atol=1e-8)
    assert fit.fit.jitter == 0
    assert_allclose(fit.fit.level, 0)


@every_width
def test_fitted_mean_is_the_limit_of_a_large_constant_in_sklearns_kernel(
    make_evidence, X_new, gamma
):
    """A flat prior of the mean, made of a kernel that is large everywhere."""
    evidence, large = make_evidence(3), 1e6
    process = sklearn_process(evidence, gamma)
    kernel = process.kernel_ + ConstantKernel(large, "fixed")
    process = GaussianProcessRegressor(kernel, alpha=process.alpha, optimizer=None)
    process.fit(evidence.X, evidence.Y)
    mean, sd = process.predict(X_new, return_std=True)
    fit = Process(evidence, theta_of(gamma))
    assert_allclose(fit.mean_at(X_new), mean, atol=1e-5)
    assert_allclose(fit.variance_at(X_new), sd[:, 0] ** 2, atol=1e-5)


def test_restricted_likelihood_is_the_density_of_the_contrasts(make_evidence):
    evidence, gamma = make_evidence(3), [0.1, 0.5, 0.02]
    contrasts = null_space(np.ones((1, 30)))  # (n, n - 1), orthonormal
    density = multivariate_normal(
        cov=contrasts.T @ covariance(evidence, gamma) @ contrasts
    )
    expected = density.logpdf(evidence.Y.T @ contrasts).sum()
    value = evidence.marginal_likelihood(theta_of(gamma)).value
    assert_allclose(value, expected, rtol=1e-10)


def test_restricted_likelihood_sees_no_constant(make_evidence):
    evidence = make_evidence(3)
    moved = replace(evidence, Y=evidence.Y + np.array([5.0, -2.0, 100.0]))
    theta = theta_of([0.4])
    for criterion in CRITERIA:
        ours, other = getattr(evidence, criterion), getattr(moved, criterion)
        assert_allclose(other(theta).value, ours(theta).value, rtol=1e-8)
        assert_allclose(other(theta).gradient, ours(theta).gradient, rtol=1e-6)


def test_level_is_the_most_likely_mean(make_evidence):
    """By brute force: take a mean off the targets and evaluate without any."""
    evidence, theta = make_evidence(3), theta_of([0.4])
    level = evidence.posterior(theta).level
    assert np.abs(level).min() > 1e-2
    for column, found in zip(evidence.Y.T, level, strict=True):

        def cost(mean, y=column[:, None]):
            less = replace(evidence, Y=y - mean, fit_mean=False)
            return -less.marginal_likelihood(theta).value

        best = minimize_scalar(cost, bracket=(-1, 1), tol=1e-10).x
        assert_allclose(found, best, atol=1e-6)


@every_width
@with_or_without_mean
def test_leave_one_out_equals_refitting_without_each_row(
    make_evidence, gamma, fit_mean
):
    evidence, theta = make_evidence(3, fit_mean=fit_mean), theta_of(gamma)
    expected = 0.0
    for i in range(30):
        kept = np.arange(30) != i
        others = replace(
            evidence,
            X=evidence.X[kept],
            Y=evidence.Y[kept],
            weights=evidence.weights[kept],
        )
        others = Process(others, theta)
        x = evidence.X[i : i + 1]
        sd = np.sqrt(others.variance_at(x) + S / evidence.weights[i])
        expected += norm(others.mean_at(x)[0], sd).logpdf(evidence.Y[i]).sum()
    assert_allclose(evidence.leave_one_out(theta).value, expected, rtol=1e-9)


@every_criterion
def test_columns_add_up(make_evidence, criterion):
    evidence, theta = make_evidence(3), theta_of([0.1, 0.5, 0.02])
    together = getattr(evidence, criterion)(theta)
    alone = [
        getattr(replace(evidence, Y=evidence.Y[:, [j]]), criterion)(theta)
        for j in range(3)
    ]
    assert_allclose(together.value, sum(one.value for one in alone))
    assert_allclose(together.gradient, sum(one.gradient for one in alone))


@every_criterion
def test_equal_widths_are_one_width(make_evidence, criterion):
    evaluate = getattr(make_evidence(), criterion)
    one, each = evaluate(theta_of([0.4])), evaluate(theta_of([0.4] * 3))
    assert_allclose(each.value, one.value, rtol=1e-12)
    v, *widths, s = each.gradient
    assert_allclose([v, sum(widths), s], one.gradient, rtol=1e-9)


@every_criterion
def test_features_far_from_zero_do_no_harm(make_evidence, criterion):
    evidence, theta = make_evidence(), theta_of([0.1, 0.5, 0.02])
    far = replace(evidence, X=evidence.X + np.array([1e6, 0.0, -1e5]))
    ours, other = getattr(evidence, criterion), getattr(far, criterion)
    assert_allclose(other(theta).gradient, ours(theta).gradient, rtol=1e-7)


def test_prior_is_a_normal_density_of_theta():
    center, theta = np.array([0.0, -1.0, 0.5, 2.0, -0.7]), np.linspace(-1, 1, 5)
    prior = LogNormalPrior(center)
    expected = norm(center, [1, 0.5, 0.5, 0.5, 0.5]).logpdf
    assert_allclose(prior(theta).value, expected(theta).sum())
    other = LogNormalPrior(center, variance_sd=2.0, width_sd=3.0, noise_sd=4.0)
    expected = norm(center, [2, 3, 3, 3, 4]).logpdf
    assert_allclose(other(theta).value, expected(theta).sum())


@every_criterion
def test_prior_is_added(make_evidence, criterion):
    theta = theta_of([0.4])
    prior = LogNormalPrior(theta - [1.0, 0.2, -0.4])
    plain, both = (
        getattr(make_evidence(prior=p), criterion)(theta) for p in (None, prior)
    )
    assert_allclose(both.value - plain.value, prior(theta).value)
    assert_allclose(both.gradient - plain.gradient, [-1.0, -0.8, 1.6])


def test_jitter_is_reported(make_evidence):
    """Two copies of all rows and next to no noise: singular but for rounding."""
    evidence = make_evidence()
    X, Y = (np.concatenate([a, a]) for a in (evidence.X, evidence.Y))
    twice = GpEvidence(X, Y, np.ones(60))
    theta = np.log([1.0, 0.4, 1e-19])
    fit, evaluation = twice.posterior(theta), twice.marginal_likelihood(theta)
    assert fit.jitter == evaluation.jitter > 0
    assert twice.leave_one_out(theta).jitter == fit.jitter
    matrix = np.tril(fit.factor[0]) @ np.tril(fit.factor[0]).T
    assert_allclose(matrix, fit.gram + fit.jitter * np.eye(60), atol=1e-12)


def test_single_precision_is_computed_in_double(make_evidence):
    evidence, theta = make_evidence(), theta_of([0.4])
    single = replace(
        evidence, X=evidence.X.astype(np.float32), Y=evidence.Y.astype(np.float32)
    )
    double = replace(evidence, X=single.X.astype(np.float64))
    for criterion in CRITERIA:
        ours, other = (getattr(e, criterion)(theta) for e in (single, double))
        assert_allclose(ours.value, other.value, rtol=1e-13)
        assert_allclose(ours.gradient, other.gradient, rtol=1e-10)
    assert_allclose(
        Process(single, theta).mean_at(single.X),
        Process(double, theta).mean_at(double.X),
        rtol=1e-12,
    )


@pytest.mark.parametrize("n_theta", [2, 4, 6])
def test_theta_of_a_wrong_length_is_refused(make_evidence, n_theta):
    with pytest.raises(ValueError, match=f"3 or 5 numbers, got {n_theta}"):
        make_evidence().marginal_likelihood(np.zeros(n_theta))


def test_arguments_are_not_written_to(make_evidence):
    evidence, theta = make_evidence(3), theta_of([0.1, 0.5, 0.02])
    arrays = evidence.X, evidence.Y, evidence.weights, theta
    before = [array.copy() for array in arrays]
    for criterion in CRITERIA:
        getattr(evidence, criterion)(theta)
    for array, old in zip(arrays, before, strict=True):
        assert_allclose(array, old, rtol=0)
