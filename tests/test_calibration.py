import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import expit

from widemargin.calibration import Calibration, fit_calibration
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


@pytest.mark.parametrize("slope", [0.0, -1.0, np.nan, np.inf, "3", None])
def test_impossible_slope_is_refused(slope):
    with pytest.raises(ValueError, match=r"slope of Calibration (does not|must)"):
        check_part(Calibration(slope), 1)
