import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel

from widemargin.kernels import Linear, Rbf
from widemargin.labels import sign_coding
from widemargin.solvers.closed_form import fit_labels

NOISES, CONSTANTS = (1e-2, 1.0), (0.0, 1.0, 5.0)


@pytest.fixture
def points(rng):
    return rng.normal(size=(18, 3))


@pytest.fixture(params=[2, 4])
def targets(rng, request):
    others = rng.integers(request.param, size=18 - 2 * request.param)
    codes = np.concatenate([np.arange(request.param).repeat(2), others])
    return sign_coding(codes, request.param)


@pytest.fixture(params=["equal", "unequal"])
def weights(request, rng):
    weights = np.ones(18) if request.param == "equal" else rng.uniform(0.5, 2, 18)
    return weights / weights.mean()


def settings(noises=NOISES, constants=CONSTANTS):
    """Noise and constant of each model, in the order of the fits."""
    return [(noise, constant) for noise in noises for constant in constants]


@pytest.mark.parametrize("kernel", [Rbf(0.3), Linear()], ids=["rbf", "linear"])
def test_coefficients_solve_the_linear_system(points, targets, weights, kernel):
    gram = kernel(points)
    fits = fit_labels(gram, targets, weights, NOISES, CONSTANTS)
    assert fits.coef.shape == fits.held_out.shape == (6, *targets.shape)
    for coef, (noise, constant) in zip(fits.coef, settings(), strict=True):
        system = gram + constant + noise * np.diag(1.0 / weights)
        assert_allclose(coef, np.linalg.solve(system, targets), atol=1e-7)
    assert_allclose(fits.constants, [constant for _, constant in settings()])


@pytest.mark.parametrize("kernel", [Rbf(0.3), Linear()], ids=["rbf", "linear"])
def test_held_out_scores_equal_refitting(points, targets, weights, kernel):
    """The closed form is a model that did not see the label."""
    gram = kernel(points)
    fits = fit_labels(gram, targets, weights, NOISES, CONSTANTS)
    for found, (noise, constant) in zip(fits.held_out, settings(), strict=True):
        total = gram + constant
        for i in range(18):
            kept = np.arange(18) != i
            system = total[np.ix_(kept, kept)] + noise * np.diag(1.0 / weights[kept])
            expected = total[i, kept] @ np.linalg.solve(system, targets[kept])
            assert_allclose(found[i], expected, atol=1e-7)


def test_scores_are_those_of_gaussian_process_regression(points, targets, X_new):
    """As scikit-learn computes them, with a constant in the kernel."""
    fits = fit_labels(Rbf(0.5)(points), targets, np.ones(18), [0.1], [2.0])
    scores = Rbf(0.5)(X_new, points) @ fits.coef[0] + 2.0 * fits.coef[0].sum(axis=0)
    kernel = RBF(1.0) + ConstantKernel(2.0)
    other = GaussianProcessRegressor(kernel, alpha=0.1, optimizer=None)
    expected = other.fit(points, targets).predict(X_new)
    assert_allclose(scores, expected.reshape(scores.shape), atol=1e-8)


def test_a_weight_of_two_is_a_repeated_label(points, targets):
    """As far as the function goes; both copies are held out together."""
    gram, weights = Rbf(0.3)(points), np.ones(18)
    weights[3] = 2.0
    once = fit_labels(gram, targets, weights, NOISES, CONSTANTS)
    rows = np.append(np.arange(18), 3)
    twice = fit_labels(
        gram[np.ix_(rows, rows)], targets[rows], np.ones(19), NOISES, CONSTANTS
    )
    merged = twice.coef[:, :18].copy()
    merged[:, 3] += twice.coef[:, 18]
    assert_allclose(once.coef, merged, atol=1e-9)
    kept = np.arange(18) != 3
    assert_allclose(once.held_out[:, kept], twice.held_out[:, :18][:, kept], atol=1e-9)


def test_points_that_are_all_the_same_share_the_mean(targets):
    """A large variance leaves the mean of the targets."""
    fits = fit_labels(np.full((18, 18), 1e6), targets, np.ones(18), [0.1], [0.0])
    scores = 1e6 * fits.coef[0].sum(axis=0)
    assert_allclose(scores, targets.mean(axis=0), atol=1e-6)
    others = (targets.sum(axis=0) - targets) / 17
    assert_allclose(fits.held_out[0], others, atol=1e-5)


def test_a_kernel_that_is_no_covariance_is_refused():
    gram = np.array([[1.0, 2.0], [2.0, 1.0]])
    with pytest.raises(ValueError, match=r"not positive definite; check a kernel"):
        fit_labels(gram, np.array([[1.0], [-1.0]]), np.ones(2), [0.01], [0.0])
