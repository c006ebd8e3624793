from dataclasses import replace

import numpy as np
import pytest
from laplacian_problems import make_objective
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import softmax

from widemargin.averaging import average_scores
from widemargin.calibration import fit_calibration, neg_log_prior
from widemargin.defaults import LEAST_PROBABILITY, TRUST
from widemargin.objectives.laplacian import share_graph
from widemargin.objectives.losses import Squared
from widemargin.rows import Rows
from widemargin.sample import collect_sample
from widemargin.solvers.laplacian import (
    Dual,
    Newton,
    Pcg,
    average_family,
    choose_solver,
    combine_results,
    hold_out_labels,
)
from widemargin.solvers.newton import reduced_newton
from widemargin.solvers.result import SolveResult, Status


def sample_of(objective, codes):
    """A sample with the labels of an objective."""
    y = np.full(objective.space.n_rows, -1)
    y[objective.label_idx] = codes
    weights = np.ones(len(y))
    weights[objective.label_idx] = objective.weights
    return collect_sample(Rows(np.arange(len(y))[:, None] + 0.0), y, weights)


@pytest.fixture
def scored(rng):
    """Models of all graph shares and two powers, their solutions and their sample."""
    objective = make_objective(rng, n_classes=2, loss=Squared(), n_labels=20)
    models = share_graph(objective, {1: 0.25, 2: 0.75}).models
    results = [reduced_newton(model.problem) for model in models]
    codes = (objective.targets[:, 0] > 0).astype(int)
    return models, results, sample_of(objective, codes)


def test_weights_follow_the_calibrated_leave_one_out_losses(scored):
    """Weights recomputed label by label, slopes by their prior included."""
    models, results, sample = scored
    average, calibration = average_family(models, results, sample, scarcity=6.0)
    counts = sample.label_weights * sample.label_weights.sum()
    counts = counts / (sample.label_weights @ sample.label_weights)
    signs, summed, slopes = 2.0 * sample.codes - 1.0, [], []
    for model, result in zip(models, results, strict=True):
        scores = model.problem.leave_one_out(result.solution)
        slope = fit_calibration(scores, sample.codes, counts).slope
        p = 1.0 / (1.0 + np.exp(-slope * signs * scores[:, 0]))
        loss = -sum(
            n * np.log(max(q, LEAST_PROBABILITY))
            for n, q in zip(counts, p, strict=True)
        )
        summed.append(loss + neg_log_prior(slope))
        slopes.append(slope)
    shares = np.array([0.0, 0.75, 0.75, 1.0, 1.0])
    powers = np.array([1.0, 0.25, 0.75, 0.25, 0.75])
    log_prior = np.log(powers) + 6.0 * sample.scarcity * shares
    weights = softmax(log_prior - TRUST * np.array(summed))
    assert_allclose(average.weights, weights)
    assert_allclose(calibration.slope, weights @ slopes)


def test_only_label_of_its_class_is_not_held_out(rng):
    """Three classes with one label each: the prior is all there is to go by."""
    objective = make_objective(rng, n_labels=3)
    models = share_graph(objective).models
    sample = sample_of(objective, np.arange(3))
    results = [reduced_newton(model.problem) for model in models]
    average, _ = average_family(models, results, sample, scarcity=2.0)
    assert_allclose(average.losses, 0.0)
    assert_allclose(average.weights, softmax([0.0, 1.5, 2.0]))
    assert np.isnan(average.held_out).all()


def test_combined_result_is_the_average_and_reports_a_failure(scored):
    models, results, sample = scored
    average, _ = average_family(models[:2], results[:2], sample)
    good = SolveResult(np.array([1.0, 3.0]), 2.0, Status.CONVERGED, 4)
    bad = replace(good, solution=np.array([5.0, 7.0]), status=Status.MAX_ITER, n_iter=9)
    mixed = combine_results([bad, good], average)
    expected = average.coef[0] * bad.solution + average.coef[1] * good.solution
    assert_allclose(mixed.solution, expected)
    assert_allclose(average.coef.sum(), 1.0)
    assert mixed.status is Status.MAX_ITER
    assert mixed.n_iter == 9
    assert combine_results([good, good], average).status is Status.CONVERGED


def test_model_that_is_right_by_chance_does_not_buy_certainty_with_its_slope(rng):
    """Small scores, all right: near certain by their slope, which costs its prior."""
    codes = np.repeat([0, 1], 8)
    signs = 2.0 * codes - 1.0
    sure = signs + 0.1 * rng.standard_normal(16)
    held_out = np.array([0.05 * sure, sure])[:, :, None]
    average, _ = average_scores(held_out, codes, np.ones(2) / 2, np.ones(16))
    assert average.weights[1] > 0.8


# Choices


def test_solver_that_is_chosen():
    """Few rows, many classes: Newton; many labels or very many rows: PCG."""

    def choice(n_rows, n_columns, n_labels=50, low_rank=False):
        return type(choose_solver(n_rows, n_columns, n_labels, low_rank=low_rank))

    assert choice(5000, 1) is Newton
    assert choice(6000, 1) is Pcg
    assert choice(9000, 10) is Newton
    assert choice(11_000, 26) is Pcg
    assert choice(1000, 1, n_labels=2500) is Pcg
    assert choice(10**6, 1, low_rank=True) is Newton


def test_a_share_of_each_class_is_held_out_but_never_all_of_it(rng):
    codes = np.repeat([0, 1, 2], [10, 4, 1])
    held_out = hold_out_labels(codes, 0.3, rng)
    assert_array_equal(np.bincount(codes[held_out], minlength=3), [3, 2, 0])
    with pytest.raises(ValueError, match="every class has one label only"):
        hold_out_labels(np.arange(3), 0.3, rng)


@pytest.mark.parametrize("early_stopping", ["stability", "validation", "mixed", None])
def test_checks_look_at_rows_that_are_not_trained_on(rng, early_stopping):
    X, y = rng.standard_normal((60, 2)), np.full(60, -1)
    given = np.arange(0, 60, 3)
    y[given] = np.arange(20) % 2
    sample = collect_sample(Rows(X), y)
    solver = Pcg(early_stopping=early_stopping)
    train, check = solver.plan_stopping(sample, rng)
    if early_stopping is None:
        assert check is None
        return
    checks = {
        "stability": [check],
        "validation": [check],
        "mixed": [getattr(check, name, None) for name in ("stability", "validation")],
    }[early_stopping]
    for one in checks:
        assert len(np.intersect1d(one.row_idx, train.label_idx)) == 0
    if early_stopping == "stability":
        assert_array_equal(np.sort(train.label_idx), given)
        assert_array_equal(one.row_idx, np.flatnonzero(y == -1))
    else:
        held_out = checks[-1]
        assert_array_equal(np.union1d(held_out.row_idx, train.label_idx), given)
        assert_array_equal(held_out.codes, y[held_out.row_idx])


def test_larger_share_of_validation_leaves_fewer_labels_to_train_on(rng):
    y = np.arange(40) % 2
    sample = collect_sample(Rows(rng.standard_normal((40, 2))), y)
    sizes = [
        Pcg(early_stopping="validation", validation_fraction=fraction)
        .plan_stopping(sample, rng)[0]
        .n_labels
        for fraction in (0.1, 0.4)
    ]
    assert sizes == [36, 24]


@pytest.mark.parametrize(
    ("solver", "options", "message"),
    [
        (Pcg, {"early_stopping": True}, "early_stopping of Pcg must be one of .* True"),
        (Pcg, {"validation_fraction": 1.0}, "validation_fraction of Pcg .* < 1, got 1"),
        (Pcg, {"max_iter": 0}, "max_iter of Pcg must be a whole number >= 1, got 0"),
        (Pcg, {"tol": float("nan")}, "tol of Pcg must be a number >= 0, got nan"),
        (Dual, {"max_iter": 2.5}, "max_iter of Dual must be a whole number .* got 2.5"),
        (Dual, {"tol": -1}, "tol of Dual must be a number >= 0, got -1"),
    ],
)
def test_bad_parameter_of_a_solver_is_named_with_its_value(solver, options, message):
    with pytest.raises(ValueError, match=message):
        solver(**options)
