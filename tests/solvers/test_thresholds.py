from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from widemargin.solvers.thresholds import best_threshold, threshold_interval

REACH = 50.0  # where an infinite interval ends for the slow version
either_loss = pytest.mark.parametrize("squared", [False, True])


@st.composite
def problems(draw, *, ties=True):
    """Scores, residuals, weights, and bounds of the number of positive scores."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, n_labeled = draw(st.integers(1, 9)), draw(st.integers(0, 5))
    scores, residuals = 2 * rng.normal(size=n), 2 * rng.normal(size=n_labeled)
    if ties:
        decimals = draw(st.integers(0, 2))
        scores, residuals = np.round(scores, decimals), np.round(residuals, decimals)
    lower = draw(st.integers(0, n))
    upper = draw(st.integers(lower, n))
    return scores, residuals, rng.uniform(0.1, 10.0, n_labeled), lower, upper


def direct_loss(b, scores, residuals, weights, *, squared):
    """Eqs. (9) and (8) as they are written."""
    power = 2 if squared else 1
    labeled = (weights * np.abs(residuals - b) ** power).sum()
    return labeled + (np.abs(np.abs(scores + b) - 1) ** power).sum()


def lowest_loss(scores, residuals, weights, low, high, *, squared):
    """Lowest loss in a closed interval, from parabolas between all kinks."""
    low, high = max(low, -REACH), min(high, REACH)
    kinks = np.concatenate([residuals, -scores, -scores - 1, -scores + 1])
    inside = kinks[(kinks > low) & (kinks < high)]
    ends = np.unique(np.concatenate([[low, high], inside]))
    tried = list(ends)
    for left, right in pairwise(ends):
        three = (left, 0.5 * (left + right), right)
        first, middle, last = (
            direct_loss(b, scores, residuals, weights, squared=squared) for b in three
        )
        bend = 2 * (first - 2 * middle + last)  # the loss is first + slope u + bend u^2
        slope = last - first - bend
        if bend > 1e-9:
            u = np.clip(-slope / (2 * bend), 0, 1)
            tried.append(left + u * (right - left))
    return min(
        direct_loss(b, scores, residuals, weights, squared=squared) for b in tried
    )


@either_loss
@settings(deadline=None, max_examples=300)
@given(problems())
def test_no_constant_within_the_interval_is_better(squared, problem):
    *parts, lower, upper = problem
    interval = threshold_interval(parts[0], lower, upper)
    kept = [part.copy() for part in parts]
    b = best_threshold(*parts, interval, squared=squared)
    assert type(b) is float
    found = direct_loss(b, *parts, squared=squared)
    assert_allclose(found, lowest_loss(*parts, *interval, squared=squared), atol=1e-8)
    for part, before in zip(parts, kept, strict=True):
        assert_allclose(part, before, rtol=0)


@either_loss
@settings(deadline=None, max_examples=200)
@given(problems(), st.integers(0, 1000))
def test_whole_weights_of_scores_are_copies(squared, problem, seed):
    scores, residuals, weights, _, _ = problem
    times = np.random.default_rng(seed).integers(1, 4, size=len(scores))
    free = -np.inf, np.inf
    own = best_threshold(
        scores, residuals, weights, free, score_weights=times * 1.0, squared=squared
    )
    copied = np.repeat(scores, times), residuals, weights
    expected = lowest_loss(*copied, *free, squared=squared)
    assert_allclose(direct_loss(own, *copied, squared=squared), expected, atol=1e-8)


@either_loss
@settings(deadline=None, max_examples=300)
@given(problems(ties=False))
def test_number_of_positive_scores_is_within_its_bounds(squared, problem):
    scores, residuals, weights, lower, upper = problem
    interval = threshold_interval(scores, lower, upper)
    b = best_threshold(scores, residuals, weights, interval, squared=squared)
    assert lower <= np.sum(scores + b > 0) <= upper


@either_loss
@settings(deadline=None, max_examples=200)
@given(problems())
def test_tied_scores_are_outside_the_bounds_together_only(squared, problem):
    """Were any one more tied score positive, or not, the bounds would be passed."""
    scores, residuals, weights, lower, upper = problem
    interval = threshold_interval(scores, lower, upper)
    b = best_threshold(scores, residuals, weights, interval, squared=squared)
    shifted = scores + b
    least = shifted[shifted > 1e-9]
    clear, positive = len(least), np.sum(shifted > 0)
    nearly = np.sum(np.abs(shifted) <= 1e-9)
    assert clear <= upper
    assert clear + nearly >= lower
    assert positive <= upper or nearly > 1


@pytest.mark.parametrize(
    ("lower", "upper", "expected"),
    [
        (0, 4, (-np.inf, np.inf)),
        (1, 4, (-3.0, np.inf)),
        (0, 3, (-np.inf, 2.0)),
        (2, 3, (-1.0, 2.0)),
        (4, 4, (2.0, np.inf)),
        (0, 0, (-np.inf, -3.0)),
    ],
)
def test_interval_is_between_the_scores_that_the_bounds_separate(
    lower, upper, expected
):
    assert threshold_interval(np.array([-2.0, 3.0, 1.0, 0.5]), lower, upper) == expected


@settings(deadline=None)
@given(problems(ties=False))
def test_constants_of_the_interval_are_those_that_keep_the_bounds(problem):
    scores, _, _, lower, upper = problem
    low, high = threshold_interval(scores, lower, upper)
    for b in np.linspace(-8, 8, 101):
        keeps = lower <= np.sum(scores + b > 0) <= upper
        assert keeps == (low < b < high or b == high)


@either_loss
def test_labels_alone_give_their_median_or_mean(squared):
    residuals, weights = np.array([1.0, 4.0, 2.0]), np.array([1.0, 1.0, 3.0])
    b = best_threshold(
        np.empty(0), residuals, weights, (-np.inf, np.inf), squared=squared
    )
    assert_allclose(b, 11 / 5 if squared else 2.0)


@either_loss
def test_nothing_to_go_by_gives_zero(squared):
    nothing = np.empty(0)
    found = best_threshold(
        nothing, nothing, nothing, (-np.inf, np.inf), squared=squared
    )
    assert found == 0.0


def test_heavy_labels_have_their_way():
    scores, residuals = np.array([0.9, 1.1, -1.0]), np.array([0.7])
    interval = -np.inf, np.inf
    light = best_threshold(scores, residuals, np.array([0.01]), interval)
    heavy = best_threshold(scores, residuals, np.array([100.0]), interval)
    assert abs(light) <= 0.1
    assert_allclose(heavy, 0.7)


def test_losses_differ():
    """One score far out moves the squared loss only."""
    scores, nothing = np.array([1.0, 1.0, -1.0, -1.0, 3.0]), np.empty(0)
    interval = -np.inf, np.inf
    absolute = best_threshold(scores, nothing, nothing, interval)
    squared = best_threshold(scores, nothing, nothing, interval, squared=True)
    assert_allclose([absolute, squared], [0.0, -0.4])


def test_empty_interval_is_refused():
    nothing = np.empty(0)
    with pytest.raises(ValueError, match="no constant is above 2 and below 1"):
        best_threshold(np.zeros(3), nothing, nothing, (2.0, 1.0))
