import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import expit

from widemargin.solvers.temperature import DEFAULT_SLOPE, fit_slope, log_probabilities


def test_two_classes_share_one_score():
    scores = np.array([[0.5], [-2.0]])
    expected = np.column_stack([expit(-3 * scores), expit(3 * scores)])
    assert_allclose(np.exp(log_probabilities(scores, 3.0)), expected)


def test_several_classes_are_a_softmax(rng):
    scores = rng.standard_normal((5, 4))
    odds = np.exp(2 * scores)
    assert_allclose(
        np.exp(log_probabilities(scores, 2.0)), odds / odds.sum(axis=1, keepdims=True)
    )


def test_no_score_is_too_large():
    assert np.isfinite(log_probabilities(np.array([[900.0], [-900.0]]), 5.0)).all()


@pytest.mark.parametrize("slope", [1.5, 6.0])
def test_many_labels_find_the_slope_that_made_them(rng, slope):
    scores = rng.uniform(-1.5, 1.5, (20_000, 1))
    codes = (rng.random(20_000) < expit(slope * scores[:, 0])).astype(int)
    fitted = fit_slope(scores, codes, np.full(20_000, 1 / 20_000))
    assert_allclose(fitted, slope, rtol=0.05)


def test_few_labels_stay_near_the_prior():
    scores, codes = np.array([[1.0], [-1.0]]), np.array([1, 0])
    fitted = fit_slope(scores, codes, np.full(2, 0.5))
    assert DEFAULT_SLOPE < fitted < 1.2 * DEFAULT_SLOPE
