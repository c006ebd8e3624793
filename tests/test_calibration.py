import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize_scalar
from scipy.special import expit

from widemargin.calibration import (
    Calibration,
    calibrate_models,
    fit_calibration,
    fit_slopes,
    neg_log_prior,
)
from widemargin.stored import check_part


def test_two_classes_share_one_score():
    scores = np.array([[0.5], [-2.0]])
    expected = np.column_stack([expit(-3 * scores), expit(3 * scores)])
    assert_allclose(Calibration(3.0).probabilities(scores), expected)


def test_several_classes_are_a_softmax(rng):
    scores = rng.standard_normal((5, 4))
    odds = np.exp(2 * scores)
    expected = odds / odds.sum(axis=1, keepdims=True)
    assert_allclose(Calibration(2.0).probabilities(scores), expected)


def test_no_score_is_too_large():
    logs = Calibration(5.0).log_probabilities(np.array([[900.0], [-900.0]]))
    assert np.isfinite(logs).all()


@pytest.mark.parametrize("slope", [1.5, 6.0])
def test_many_labels_find_the_slope_that_made_them(rng, slope):
    scores = rng.uniform(-1.5, 1.5, (20_000, 1))
    codes = (rng.random(20_000) < expit(slope * scores[:, 0])).astype(int)
    fitted = fit_calibration(scores, codes, np.ones(20_000))
    assert_allclose(fitted.slope, slope, rtol=0.05)


def test_few_labels_stay_near_the_prior():
    scores, codes = np.array([[1.0], [-1.0]]), np.array([1, 0])
    default = Calibration().slope
    fitted = fit_calibration(scores, codes, np.ones(2))
    assert default < fitted.slope < 1.2 * default


def test_scale_of_the_weights_changes_nothing(rng):
    scores, codes = rng.normal(size=(12, 1)), rng.integers(2, size=12)
    weights = rng.uniform(0.5, 2.0, 12)
    expected = fit_calibration(scores, codes, weights)
    assert_allclose(fit_calibration(scores, codes, 1e6 * weights).slope, expected.slope)


def test_labels_that_were_not_held_out_are_not_counted(rng):
    scores, codes = rng.normal(size=(12, 3)), rng.integers(3, size=12)
    expected = fit_calibration(scores[:8], codes[:8], np.ones(8))
    scores[8:] = np.nan
    assert fit_calibration(scores, codes, np.ones(12)) == expected
    scores[:] = np.nan
    assert fit_calibration(scores, codes, np.ones(12)) == Calibration()


def best_slope(scores, codes, weights):
    """The slope of largest posterior probability, by a search without derivatives."""
    scored = np.isfinite(scores).all(axis=1)
    scores, codes, weights = scores[scored], codes[scored], weights[scored]
    weights = weights * (len(weights) / weights.sum())

    def loss(x):
        logs = Calibration(np.exp(x)).log_probabilities(scores)
        own = logs[np.arange(len(codes)), codes]
        return neg_log_prior(np.exp(x)) - weights @ own

    center = np.log(Calibration().slope)
    grid = center + np.linspace(-10, 10, 400)
    start = grid[np.argmin([loss(x) for x in grid])]
    found = minimize_scalar(
        loss, bounds=(start - 0.1, start + 0.1), options={"xatol": 1e-10}
    )
    return np.exp(found.x)


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("n_labels", [3, 40])
def test_slopes_of_all_models_are_the_best(rng, n_classes, n_labels):
    """Of models that are useless, good, wrong, on any scale, each on its own labels."""
    n_columns = 1 if n_classes == 2 else n_classes
    codes = rng.integers(n_classes, size=n_labels)
    truth = 2.0 * np.eye(n_classes)[codes][:, -n_columns:] - 1.0
    noise = rng.normal(size=(12, n_labels, n_columns))
    shares = np.array([0.0, 0.5, 1.0, -1.0]).repeat(3)[:, None, None]
    scales = np.tile([1e-3, 1.0, 4.0], 4)[:, None, None]
    held_out = scales * (shares * truth + (1.0 - abs(shares)) * noise)
    held_out[1, :2] = np.nan
    weights = rng.uniform(0.5, 2.0, n_labels)
    slopes = fit_slopes(held_out, codes, weights)
    expected = [best_slope(scores, codes, weights) for scores in held_out]
    assert_allclose(slopes, expected, rtol=1e-4)
    alone = [fit_calibration(scores, codes, weights).slope for scores in held_out]
    assert_allclose(slopes, alone)


def test_no_slope_is_beyond_all_that_the_prior_allows(rng):
    """Eight standard deviations, for scores that are large and wrong."""
    codes = rng.integers(2, size=40)
    held_out = 1e4 * (1.0 - 2.0 * codes)[None, :, None]
    (slope,) = fit_slopes(held_out, codes, np.ones(40), center=2.0, spread=0.5)
    assert 2.0 * np.exp(-4.0) <= slope < 2.0 * np.exp(-3.9)


def test_models_are_calibrated_by_their_slopes(rng):
    held_out, codes = rng.normal(size=(3, 9, 4)), rng.integers(4, size=9)
    slopes, probabilities = calibrate_models(held_out, codes, np.ones(9))
    assert_allclose(slopes, fit_slopes(held_out, codes, np.ones(9)))
    for slope, scores, found in zip(slopes, held_out, probabilities, strict=True):
        assert_allclose(found, Calibration(slope).probabilities(scores))


@pytest.mark.parametrize("slope", [0.0, -1.0, np.nan, np.inf, "3", None])
def test_impossible_slope_is_refused(slope):
    with pytest.raises(ValueError, match=r"slope of Calibration (does not|must)"):
        check_part(Calibration(slope), 1)
