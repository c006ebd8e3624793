from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize

from widemargin.kernels import select_gamma
from widemargin.objectives.gp_evidence import Evaluation, GpEvidence, LogNormalPrior
from widemargin.solvers.evidence import learn_hyperparameters
from widemargin.solvers.result import Status

METHODS = {
    "marginal-likelihood": GpEvidence.marginal_likelihood,
    "loo": GpEvidence.leave_one_out,
}
every_criterion = pytest.mark.parametrize("criterion", METHODS)


@pytest.fixture
def evidence(rng):
    """Eighty rows, whose second feature has no say; a tenth of the signs are wrong."""
    X = rng.normal(size=(80, 2))
    signs = np.sign(np.sin(2 * X[:, :1])) * rng.choice([-1, 1], (80, 1), p=[0.1, 0.9])
    return GpEvidence(X, signs, np.where(np.arange(80) < 10, 10.0, 1.0))


def heuristic(X, *, per_feature=False):
    """Where an estimator starts from: a theta that needs no targets."""
    n_widths = X.shape[1] if per_feature else 1
    return np.log([1.0, *[select_gamma("mean", X, None)] * n_widths, 0.5])


@every_criterion
@pytest.mark.parametrize("per_feature", [False, True])
def test_learning_reaches_a_maximum(evidence, criterion, per_feature):
    start = heuristic(evidence.X, per_feature=per_feature)
    result = learn_hyperparameters(evidence, start, criterion=criterion, tol=1e-6)
    assert result.status is Status.CONVERGED
    before = METHODS[criterion](evidence, start).value
    after = METHODS[criterion](evidence, result.solution)
    assert after.value > before + 1
    assert_allclose(result.objective, -after.value, rtol=1e-12)
    # the second feature may be worth nothing: then its width is as small as allowed
    inside = result.solution > start - np.log(1e3)
    assert inside.sum() >= 3
    assert np.abs(after.gradient[inside] / 80).max() <= 1e-6
    assert np.all(after.gradient[~inside] < 0)
    assert result.history["criterion"][-1] <= 1e-6
    assert len(result.history["objective"]) == result.n_iter > 1
    assert_allclose(result.history["objective"][-1], result.objective)
    assert result.history["jitter"] == [0.0] * result.n_iter


@every_criterion
def test_answer_is_that_of_a_search_without_gradients(evidence, criterion):
    start = heuristic(evidence.X)
    result = learn_hyperparameters(evidence, start, criterion=criterion, tol=1e-7)
    slow = minimize(
        lambda theta: -METHODS[criterion](evidence, theta).value,
        start,
        method="Nelder-Mead",
        options={"xatol": 1e-6, "fatol": 1e-9, "maxiter": 2000},
    )
    assert_allclose(result.objective, slow.fun, rtol=1e-8)
    assert_allclose(result.solution, slow.x, atol=1e-3)


def test_feature_without_say_gets_a_small_width(evidence):
    start = heuristic(evidence.X, per_feature=True)
    _, first, second, _ = learn_hyperparameters(evidence, start).solution
    assert first > second + np.log(10)


@every_criterion
def test_shuffled_rows_give_the_same_answer(evidence, rng, criterion):
    order = rng.permutation(80)
    shuffled = GpEvidence(evidence.X[order], evidence.Y[order], evidence.weights[order])
    ours, other = (
        learn_hyperparameters(e, heuristic(e.X), criterion=criterion, tol=1e-7)
        for e in (evidence, shuffled)
    )
    assert_allclose(other.solution, ours.solution, atol=1e-5)


@every_criterion
def test_bounds_hold_and_count_as_converged(criterion):
    """Targets that a smooth function explains: the noise would vanish."""
    X = np.linspace(-1, 1, 30)[:, None]
    evidence = GpEvidence(X, X**2 + X, np.ones(30))
    start, reach = heuristic(X), np.log(1e3)
    result = learn_hyperparameters(evidence, start, criterion=criterion)
    assert result.status is Status.CONVERGED
    assert np.all(np.abs(result.solution - start) <= reach + 1e-12)
    assert_allclose(result.solution[-1], start[-1] - reach)
    inside = METHODS[criterion](evidence, result.solution).gradient
    assert inside[-1] < -1e-2  # it would go on


@every_criterion
def test_prior_pulls_towards_its_center(evidence, criterion):
    start = heuristic(evidence.X)
    distances = [
        np.abs(
            learn_hyperparameters(
                replace(evidence, prior=prior), start, criterion=criterion
            ).solution
            - start
        )
        for prior in (
            LogNormalPrior(start, 1e-3, 1e-3, 1e-3),
            LogNormalPrior(start),
            None,
        )
    ]
    assert distances[0].max() < 1e-3
    assert np.linalg.norm(distances[1]) < 0.9 * np.linalg.norm(distances[2])
    assert np.linalg.norm(distances[1]) > 10 * np.linalg.norm(distances[0])


def test_prior_far_away_pulls_there(evidence):
    start = heuristic(evidence.X)
    center = start + np.array([1.0, 2.0, -1.0])
    prior = LogNormalPrior(center, 1e-3, 1e-3, 1e-3)
    result = learn_hyperparameters(replace(evidence, prior=prior), start)
    assert_allclose(result.solution, center, atol=1e-3)


@pytest.mark.parametrize("max_iter", [1, 3])
def test_iteration_limit_is_reported(evidence, max_iter):
    start = heuristic(evidence.X)
    result = learn_hyperparameters(evidence, start, max_iter=max_iter)
    assert result.status is Status.MAX_ITER
    assert result.n_iter == max_iter
    assert result.objective < -evidence.marginal_likelihood(start).value
    value = evidence.marginal_likelihood(result.solution).value
    assert_allclose(result.objective, -value, rtol=1e-12)


def test_tolerance_out_of_reach_stalls(evidence):
    result = learn_hyperparameters(evidence, heuristic(evidence.X), tol=1e-30)
    assert result.status is Status.STALLED
    best = learn_hyperparameters(evidence, heuristic(evidence.X), tol=1e-7)
    assert_allclose(result.objective, best.objective, rtol=1e-10)


def test_interrupt_in_an_evaluation_keeps_the_best(evidence):
    """The interrupted evaluation comes after a better and a worse one."""
    start, values = heuristic(evidence.X), iter([1.0, 5.0, 2.0])

    def scripted(evidence, theta):
        seen.append(theta.copy())
        value = next(values, None)
        if value is None:
            raise KeyboardInterrupt
        return Evaluation(value, np.array([0.3, -0.1, 0.2]) * 80)

    seen = []
    result = learn_hyperparameters(evidence, start, criterion=scripted)
    assert result.status is Status.INTERRUPTED
    assert len(seen) == 4
    assert result.objective == -5.0
    assert_array_equal(result.solution, seen[1])


def test_converged_answer_is_the_one_that_meets_the_tolerance(evidence):
    """A step on the way has the largest value, but a gradient that says: go on."""
    steep = 80 * np.array([0.3, -0.1, 0.2])
    script, seen = [(1.0, steep), (5.0, steep), (4.9, 0 * steep)], []

    def scripted(evidence, theta):
        seen.append(theta.copy())
        return Evaluation(*script[min(len(seen), 3) - 1])

    start = heuristic(evidence.X)
    result = learn_hyperparameters(evidence, start, criterion=scripted)
    assert result.status is Status.CONVERGED
    assert result.objective == -4.9
    assert_array_equal(result.solution, seen[-1])


def test_interrupt_of_the_first_evaluation_returns_the_start(evidence):
    def interrupted(evidence, theta):
        raise KeyboardInterrupt

    start = heuristic(evidence.X)
    result = learn_hyperparameters(evidence, start, criterion=interrupted)
    assert result.status is Status.INTERRUPTED
    assert result.n_iter == 0
    assert result.objective == np.inf
    assert_array_equal(result.solution, start)


def test_the_callers_start_is_not_written_to(evidence):
    start = heuristic(evidence.X)
    before = start.copy()
    learn_hyperparameters(evidence, start, max_iter=3)
    assert_array_equal(start, before)
