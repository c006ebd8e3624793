import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import linear_sum_assignment

from widemargin.labels import sign_coding
from widemargin.solvers.class_offsets import JointChoice, assign_classes


@st.composite
def bounded_scores(draw, n_classes=None, *, ties=True, exact=False):
    """Scores, and bounds that some class sizes keep."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_samples = draw(st.integers(1, 14))
    n_classes = draw(st.integers(2, 5)) if n_classes is None else n_classes
    scores = rng.normal(size=(n_samples, n_classes))
    if ties:
        scores = np.round(scores, draw(st.integers(0, 2)))
    sizes = np.bincount(rng.integers(n_classes, size=n_samples), minlength=n_classes)
    if exact:
        return scores, sizes, sizes
    lower = np.maximum(sizes - rng.integers(4, size=n_classes), 0)
    return scores, lower, np.minimum(sizes + rng.integers(4, size=n_classes), n_samples)


def total(scores, codes):
    return scores[np.arange(len(codes)), codes].sum()


def best_total(scores, sizes):
    """Largest summed score of a labeling with exactly these class sizes."""
    places = scores[:, np.repeat(np.arange(len(sizes)), sizes)]
    return places[linear_sum_assignment(places, maximize=True)].sum()


def best_within(scores, lower, upper):
    """Of all class sizes within the bounds, one after the other."""
    ranges = [range(low, high + 1) for low, high in zip(lower, upper, strict=True)]
    return max(
        best_total(scores, sizes)
        for sizes in itertools.product(*ranges)
        if sum(sizes) == len(scores)
    )


@settings(deadline=None, max_examples=300)
@given(bounded_scores())
def test_sizes_are_within_the_bounds(case):
    scores, lower, upper = case
    kept = scores.copy()
    codes, offsets = assign_classes(scores, lower, upper)
    counts = np.bincount(codes, minlength=len(lower))
    assert codes.shape == (len(scores),)
    assert offsets.shape == lower.shape
    assert (counts >= lower).all()
    assert (counts <= upper).all()
    assert_array_equal(scores, kept)


@settings(deadline=None)
@given(bounded_scores(ties=False))
def test_codes_are_the_largest_shifted_scores(case):
    codes, offsets = assign_classes(*case)
    assert_array_equal(codes, (case[0] + offsets).argmax(axis=1))


@settings(deadline=None)
@given(bounded_scores(), st.integers(0, 3))
def test_largest_scores_stay_if_they_may(case, slack):
    scores = case[0]
    largest = scores.argmax(axis=1)
    counts = np.bincount(largest, minlength=scores.shape[1])
    lower = np.maximum(counts - slack, 0)
    codes, offsets = assign_classes(scores, lower, counts + slack)
    assert_array_equal(codes, largest)
    assert_array_equal(offsets, 0.0)


@settings(deadline=None, max_examples=300)
@given(bounded_scores(ties=False, exact=True))
def test_exact_sizes_have_the_largest_total(case):
    scores, sizes, _ = case
    codes, _ = assign_classes(scores, sizes, sizes)
    assert_allclose(total(scores, codes), best_total(scores, sizes))


@settings(deadline=None)
@given(bounded_scores(ties=False))
def test_no_labeling_of_the_same_sizes_is_better(case):
    """That is what offsets prove, whatever the bounds."""
    scores, lower, upper = case
    codes, _ = assign_classes(scores, lower, upper)
    counts = np.bincount(codes, minlength=len(lower))
    assert_allclose(total(scores, codes), best_total(scores, counts))


@settings(deadline=None)
@given(bounded_scores(n_classes=2, ties=False))
def test_two_classes_have_the_largest_total_within_any_bounds(case):
    """The samples that lose least change class, and no more than must."""
    codes, _ = assign_classes(*case)
    assert_allclose(total(case[0], codes), best_within(*case), atol=1e-12)


def test_more_classes_have_the_largest_total_mostly(rng):
    """Offsets that others have made needless stay, if bounds are loose."""
    best, found = [], []
    for _ in range(100):
        scores = rng.normal(size=(9, 3))
        sizes = np.bincount(rng.integers(3, size=9), minlength=3)
        bounds = np.maximum(sizes - 1, 0), sizes + 1
        found.append(total(scores, assign_classes(scores, *bounds)[0]))
        best.append(best_within(scores, *bounds))
    gaps = np.subtract(best, found)
    assert gaps.min() > -1e-9
    assert (gaps < 1e-9).mean() >= 0.8
    assert gaps.sum() < 0.03 * np.sum(best)


@settings(deadline=None)
@given(bounded_scores(ties=False), st.randoms(use_true_random=False))
def test_shuffled_samples_have_the_shuffled_classes(case, random):
    scores, lower, upper = case
    order = np.array(random.sample(range(len(scores)), len(scores)))
    codes, offsets = assign_classes(scores, lower, upper)
    shuffled, others = assign_classes(scores[order], lower, upper)
    assert_array_equal(shuffled, codes[order])
    assert_allclose(others, offsets)


@pytest.mark.parametrize("sizes", [[3, 3], [0, 6], [6, 0], [1, 2, 3], [0, 0, 6, 0]])
def test_equal_scores_are_dealt_out(sizes):
    sizes = np.array(sizes)
    codes, _ = assign_classes(np.zeros((6, len(sizes))), sizes, sizes)
    assert_array_equal(np.bincount(codes, minlength=len(sizes)), sizes)


def test_ties_are_not_moved_before_their_time():
    """Samples that are clear keep their class while equal ones are dealt out."""
    scores = np.array([[5.0, 0.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [0.0, 5.0]])
    sizes = np.array([2, 3])
    codes, _ = assign_classes(scores, sizes, sizes)
    assert codes[0] == 0
    assert codes[4] == 1
    assert_array_equal(np.bincount(codes), sizes)


def test_empty_class_and_class_of_all():
    scores = np.array([[0.9, 0.1], [0.2, 0.3], [0.5, 0.4]])
    everything = assign_classes(scores, np.array([3, 0]), np.array([3, 0]))[0]
    nothing = assign_classes(scores, np.array([0, 3]), np.array([0, 3]))[0]
    assert_array_equal(everything, [0, 0, 0])
    assert_array_equal(nothing, [1, 1, 1])


def test_no_samples():
    codes, offsets = assign_classes(np.zeros((0, 3)), np.zeros(3), np.ones(3))
    assert len(codes) == 0
    assert_array_equal(offsets, 0.0)


def test_bounds_that_nothing_keeps_are_refused():
    with pytest.raises(ValueError, match=r"no labeling has class sizes from \[2, 2\]"):
        assign_classes(np.eye(2), np.array([2, 2]), np.array([2, 2]))


def test_branches_of_a_joint_choice_put_each_row_into_one_class(rng):
    scores = rng.normal(size=(12, 3))
    choice = JointChoice(np.array([2, 2, 2]), np.array([5, 5, 5]))
    codes = choice.codes(scores)
    assert_array_equal(codes, assign_classes(scores, choice.lower, choice.upper)[0])
    assert_array_equal(choice(scores), sign_coding(codes, 3))
    assert choice(scores).dtype.kind == "i"


def test_ties_do_not_cost_more_than_they_must():
    scores = np.array([[0, 1], [0, -1], [1, 0], [-1, 1], [0, 0], [0, 1.0]])
    codes, _ = assign_classes(scores, np.array([4, 1]), np.array([6, 2]))
    assert scores[np.arange(6), codes].sum() == 3.0
