import numpy as np
import pytest
from label_reference import features_of
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.svm import SVR

from widemargin.kernels import Rbf
from widemargin.objectives.gp_evidence import GpEvidence
from widemargin.smoothers import DenseSmoother, LowRankSmoother
from widemargin.smoothers.profiled import ProfiledSmoother
from widemargin.solvers.hinge_machine import GramMachine, WeightMachine
from widemargin.solvers.informative_vectors import informative_vectors
from widemargin.solvers.regressors import (
    AbsoluteRegressor,
    ActiveRegressor,
    SmootherRegressor,
)

GAMMA, REG = 0.3, 0.2
ACTIVE = np.array([17, 3, 22, 8, 29, 0, 11, 5])


@pytest.fixture
def weights(rng):
    return rng.choice([1.0, 10.0], 30)


@pytest.fixture
def signs(rng):
    """Two columns of signs."""
    return rng.choice([-1.0, 1.0], (30, 2), p=[0.3, 0.7])


def process(X, signs, weights):
    """The Gaussian process itself, of scale one."""
    return GpEvidence(X, signs, weights).posterior(np.log([1.0, GAMMA, REG]))


def active_regressor(X, weights, *, leaves_out, active=ACTIVE):
    kernel = Rbf(GAMMA)
    smoother = DenseSmoother(kernel(X[active]), weights[active], REG)
    return ActiveRegressor(
        ProfiledSmoother(smoother), active, kernel(X, X[active]), leaves_out
    )


# All samples


@pytest.fixture(params=["dense", "low rank"])
def smoother(request, X, weights):
    gram = Rbf(GAMMA)(X)
    if request.param == "dense":
        return ProfiledSmoother(DenseSmoother(gram, weights, REG))
    return ProfiledSmoother(LowRankSmoother(features_of(gram), weights, REG))


def test_scores_are_fitted_values(smoother, X, weights, signs):
    scores = SmootherRegressor(smoother, False).scores(signs)
    assert_allclose(scores, process(X, signs, weights).mean_at(X), atol=1e-8)


def test_scores_are_those_of_processes_without_each_sample(smoother, X, weights, signs):
    regressor = SmootherRegressor(smoother, True)
    scores = regressor.scores(signs)
    for i in range(30):
        rest = np.delete(np.arange(30), i)
        without = process(X[rest], signs[rest], weights[rest])
        assert_allclose(scores[[i]], without.mean_at(X[[i]]), atol=1e-7)
    in_sample = SmootherRegressor(smoother, False)
    assert_array_equal(in_sample.left_out(signs), scores)


def test_surprise_is_the_likelihood_up_to_a_constant(X, weights, signs):
    scale, noise = 2.5, REG
    gram = Rbf(GAMMA)(X)
    smoother = DenseSmoother(gram, weights, noise / scale)
    regressor = SmootherRegressor(ProfiledSmoother(smoother), True, noise)
    inverse = np.linalg.inv(scale * gram + np.diag(noise / weights))

    def expected(y):
        rest = y - inverse.sum(axis=0) @ y / inverse.sum()
        return 0.5 * rest @ inverse @ rest

    for y in signs.T:
        assert_allclose(regressor.surprise(y[:, None]), expected(y), rtol=1e-8)


def test_fit_is_the_function_itself(X, X_new, weights, signs):
    smoother = ProfiledSmoother(DenseSmoother(Rbf(GAMMA)(X), weights, REG))
    expected = process(X, signs, weights).mean_at(X_new)
    for leaves_out in (False, True):
        c, constants = SmootherRegressor(smoother, leaves_out).fit(signs)
        values = Rbf(GAMMA)(X_new, X) @ c + constants
        assert_allclose(values, expected, atol=1e-8)


# Active samples


def test_active_scores_are_those_of_the_active_process(X, X_new, weights, signs):
    regressor = active_regressor(X, weights, leaves_out=False)
    known = process(X[ACTIVE], signs[ACTIVE], weights[ACTIVE])
    assert_allclose(regressor.scores(signs), known.mean_at(X), atol=1e-8)
    c, constants = regressor.fit(signs)
    values = Rbf(GAMMA)(X_new, X[ACTIVE]) @ c + constants
    assert_allclose(values, known.mean_at(X_new), atol=1e-8)


@pytest.mark.parametrize("n_active", [5, 12, 30])
def test_active_scores_are_those_of_the_informative_vectors(
    X, weights, signs, n_active
):
    kernel = Rbf(GAMMA)
    found = informative_vectors(
        lambda rows: kernel(X, X[rows]), np.ones(30), REG / weights, n_active
    )
    regressor = active_regressor(X, weights, leaves_out=False, active=found.rows)
    assert_allclose(regressor.scores(signs), found.mean(signs), atol=1e-8)


def test_active_samples_are_left_out_one_by_one(X, weights, signs):
    """The others are left out anyway."""
    scores = active_regressor(X, weights, leaves_out=True).scores(signs)
    for i in range(30):
        rest = ACTIVE[i != ACTIVE]
        without = process(X[rest], signs[rest], weights[rest])
        assert_allclose(scores[[i]], without.mean_at(X[[i]]), atol=1e-7)
    in_sample = active_regressor(X, weights, leaves_out=False)
    assert_array_equal(in_sample.left_out(signs), scores)
    assert np.abs(in_sample.scores(signs) - scores)[ACTIVE].max() > 0.1


def test_labels_of_other_samples_do_not_count(X, weights, signs):
    other = np.full_like(signs, np.nan)
    other[ACTIVE] = signs[ACTIVE]
    for leaves_out in (False, True):
        regressor = active_regressor(X, weights, leaves_out=leaves_out)
        assert_array_equal(regressor.scores(other), regressor.scores(signs))


# The absolute loss


@pytest.fixture
def costs(rng):
    return rng.uniform(0.1, 3.0, 30)


def support_vector_scores(X, column, costs):
    svr = SVR(C=1.0, epsilon=0.0, gamma=GAMMA, tol=1e-9)
    return svr.fit(X, column, sample_weight=costs).predict(X)


def machines(X):
    gram = Rbf(GAMMA)(X)
    return [GramMachine(gram, 1e-8), WeightMachine(features_of(gram), 1e-10)]


@pytest.mark.parametrize("which", [0, 1])
def test_absolute_loss_is_that_of_support_vector_regression(
    X, X_new, rng, costs, which
):
    """Targets of any size, so that the best function is unique."""
    targets, machine = rng.normal(size=(30, 2)), machines(X)[which]
    regressor = AbsoluteRegressor(machine, costs)
    scores = regressor.scores(targets)
    for k in range(2):
        expected = support_vector_scores(X, targets[:, k], costs)
        assert_allclose(scores[:, k], expected, atol=1e-4)
    c, constants = regressor.fit(targets)
    values = machine.features if which else machine.gram
    assert_allclose(values @ c + constants, scores, atol=1e-10)


def test_costs_count(X, rng, costs):
    targets, machine = rng.normal(size=(30, 1)), machines(X)[0]
    one = AbsoluteRegressor(machine, np.ones(30)).scores(targets)
    other = AbsoluteRegressor(machine, costs).scores(targets)
    assert np.abs(one - other).max() > 0.1


def test_warm_start_does_not_change_the_answer(X, rng, costs):
    """Whatever was solved before, for each column on its own."""
    machine, Y = machines(X)[0], rng.normal(size=(30, 2))
    warm = AbsoluteRegressor(machine, costs)
    path = [Y, -Y, Y + rng.normal(size=Y.shape), Y]
    for targets in path:
        cold = AbsoluteRegressor(machine, costs)
        assert_allclose(warm.scores(targets), cold.scores(targets), atol=1e-5)


def test_same_targets_are_solved_once(X, rng, costs):
    """Columns that change are solved again, from where they were."""
    starts = []

    class Counting(GramMachine):
        def solve(self, pieces, intercept=None, start=None):
            starts.append(start)
            return super().solve(pieces, intercept, start)

    regressor = AbsoluteRegressor(Counting(Rbf(GAMMA)(X), 1e-3), costs)
    Y = rng.normal(size=(30, 2))
    scores = regressor.scores(Y)
    regressor.fit(Y)
    assert [start is None for start in starts] == [True, True]
    Y[:, 1] *= -1  # in place: the regressor must have kept a copy
    changed = regressor.scores(Y)
    assert len(starts) == 3
    assert starts[2] is not None
    assert_array_equal(changed[:, 0], scores[:, 0])
    assert np.abs(changed[:, 1] - scores[:, 1]).max() > 0.1
