import itertools
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import linear_sum_assignment

from widemargin.labels import decide, sign_coding
from widemargin.solvers.relabeling import (
    InSample,
    JointChoice,
    LeaveOneOut,
    Relabel,
    Relabeling,
    assign_classes,
    best_threshold,
    threshold_interval,
)

LOSSES = ("absolute", "squared", None)

REACH = 50.0  # where an infinite interval ends for the slow version
either_loss = pytest.mark.parametrize("squared", [False, True])


@st.composite
def cases(draw, n_classes=None, *, ties=True):
    """A relabeling and scores for it; bounds that some class sizes keep."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.integers(2, 16))
    n_classes = draw(st.integers(2, 4)) if n_classes is None else n_classes
    scores = rng.normal(size=(n, 1 if n_classes == 2 else n_classes))
    if ties:
        scores = np.round(scores, draw(st.integers(0, 1)))
    movable = rng.random(n) < 0.7
    n_free = int(movable.sum())
    sizes = np.bincount(rng.integers(n_classes, size=n_free), minlength=n_classes)
    lower = np.maximum(sizes - rng.integers(3, size=n_classes), 0)
    upper = sizes + rng.integers(3, size=n_classes)
    return (
        Relabeling(
            rng.integers(n_classes, size=n),
            movable,
            lower,
            upper,
            draw(st.sampled_from(LOSSES)),
            rng.uniform(0.1, 10.0, n - n_free),
        ),
        scores,
    )


@settings(deadline=None, max_examples=400)
@given(cases())
def test_given_labels_stay_and_sizes_are_within_their_bounds(case):
    relabel, scores = case
    given_labels, kept = relabel.codes.copy(), scores.copy()
    codes = relabel(scores)
    assert codes.shape == (len(scores),)
    assert_array_equal(codes[~relabel.movable], given_labels[~relabel.movable])
    sizes = np.bincount(codes[relabel.movable], minlength=len(relabel.lower))
    assert (sizes >= relabel.lower).all()
    assert (sizes <= relabel.upper).all()
    assert_array_equal(relabel.codes, given_labels)
    assert_array_equal(scores, kept)


@settings(deadline=None, max_examples=100)
@given(cases(ties=False))
def test_offsets_reproduce_the_labels(case):
    """Unless no round of them keeps all bounds, so that some rows move without one."""
    relabel, scores = case
    offsets = relabel.assign(scores)[1]
    assert offsets.shape == (scores.shape[1],)
    codes = decide(scores + offsets)[relabel.movable]
    sizes = np.bincount(codes, minlength=len(relabel.lower))
    assume((sizes >= relabel.lower).all() and (sizes <= relabel.upper).all())
    assert_array_equal(codes, relabel(scores)[relabel.movable])


@settings(deadline=None)
@given(cases(n_classes=2, ties=False), st.sampled_from(LOSSES))
def test_swapped_classes_mirror_the_labels(case, loss):
    relabel, scores = case
    relabel = replace(relabel, loss=loss)
    mirrored = replace(
        relabel,
        codes=1 - relabel.codes,
        lower=relabel.lower[::-1],
        upper=relabel.upper[::-1],
    )
    if loss is None:  # a loss may have two constants that are best
        assert_array_equal(mirrored(-scores), 1 - relabel(scores))
    sizes = np.bincount(mirrored(-scores)[relabel.movable], minlength=2)[::-1]
    assert (sizes >= relabel.lower).all()
    assert (sizes <= relabel.upper).all()


@pytest.fixture
def relabel():
    """Ten samples, of which the first two are labeled; any sizes."""
    given_labels = np.zeros(10, dtype=int)
    given_labels[1] = 1
    movable = np.arange(10) > 1
    return Relabeling(
        given_labels, movable, np.array([0, 0]), np.array([8, 8]), None, np.ones(2)
    )


@pytest.mark.parametrize("loss", LOSSES)
def test_any_sizes_of_clear_scores_are_their_signs(relabel, loss):
    scores = np.array([-1, 1, 1, 1, -1, 1, -1, -1, 1, -1.0])[:, None]
    relabel = replace(relabel, loss=loss)
    expected = (scores[:, 0] > 0).astype(int)
    assert_array_equal(relabel(scores), expected)
    assert_allclose(relabel.assign(scores)[1], 0.0)


def test_without_a_loss_the_threshold_moves_no_further_than_it_must(relabel):
    """Three of eight must be positive; one is: the two next ones become it."""
    scores = np.array([5, -5, 1, -0.1, -0.2, -0.3, -2, -3, -4, -5.0])[:, None]
    relabel = replace(relabel, lower=np.array([0, 3]))
    assert_array_equal(relabel(scores), [0, 1, 1, 1, 1, 0, 0, 0, 0, 0])
    offset = relabel.assign(scores)[1][0]
    assert 0.2 < offset < 0.3


@pytest.mark.parametrize("loss", ["absolute", "squared"])
def test_loss_moves_the_threshold_where_the_bounds_do_not(relabel, loss):
    """All scores are 1.6 too high, which the labels and the clusters tell."""
    scores = np.array([0.6, 2.6, 2.6, 2.6, 0.6, 2.6, 0.6, 0.6, 2.6, 0.6])[:, None]
    plain, moved = relabel, replace(relabel, loss=loss)
    assert_array_equal(plain(scores)[2:], 1)
    assert_array_equal(moved(scores), [0, 1, 1, 1, 0, 1, 0, 0, 1, 0])
    assert_allclose(moved.assign(scores)[1], -1.6)


@settings(deadline=None)
@given(cases(n_classes=2, ties=False), st.integers(0, 16), st.integers(0, 16))
def test_threshold_is_the_best_within_the_bounds(case, lower, upper):
    """Bounds of the two classes that say the same."""
    relabel, scores = case
    free, fixed = scores[relabel.movable, 0], scores[~relabel.movable, 0]
    lower, upper = sorted([min(lower, len(free)), min(upper, len(free))])
    relabel = replace(
        relabel,
        lower=np.array([len(free) - upper, lower]),
        upper=np.array([len(free) - lower, upper]),
    )
    for loss in ("absolute", "squared"):
        b = best_threshold(
            free,
            2.0 * relabel.codes[~relabel.movable] - 1 - fixed,
            relabel.label_weights,
            threshold_interval(free, lower, upper),
            squared=loss == "squared",
        )
        codes = replace(relabel, loss=loss)(scores)
        assert_array_equal(codes[relabel.movable], (free + b > 0).astype(int))


def test_weights_of_labels_count_in_the_loss(relabel):
    """Labels ask for a shift of one, the unlabeled samples for none."""
    scores = np.array([-2, 0, 1, 1, -1, 1, -1, -1, 1, -1.0])[:, None]
    light = replace(relabel, loss="squared", label_weights=np.full(2, 1e-3))
    heavy = replace(relabel, loss="squared", label_weights=np.full(2, 1e3))
    assert_allclose(light.assign(scores)[1], 0.0, atol=1e-2)
    assert_allclose(heavy.assign(scores)[1], 1.0, atol=1e-2)


def test_losses_are_those_of_their_names(relabel):
    """One score far out moves the squared loss only."""
    scores = np.array([-1, 1, 1, 1, -1, 1, -1, -1, 1, 3.0])[:, None]
    absolute = replace(relabel, loss="absolute").assign(scores)[1]
    squared = replace(relabel, loss="squared").assign(scores)[1]
    assert_allclose(absolute, 0.0)
    assert_allclose(squared, -0.2)


@pytest.mark.parametrize("loss", LOSSES)
def test_more_classes_take_the_largest_scores(rng, loss):
    scores = rng.normal(size=(12, 3))
    movable = np.arange(12) > 2
    relabel = Relabeling(
        np.arange(12) % 3, movable, np.zeros(3, int), np.full(3, 9), loss, np.ones(3)
    )
    codes = relabel(scores)
    assert_array_equal(codes[:3], [0, 1, 2])
    assert_array_equal(codes[3:], scores[3:].argmax(axis=1))
    assert_array_equal(relabel.assign(scores)[1], 0.0)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("n_columns", [1, 3])
def test_nothing_to_label(n_columns, loss):
    n_classes = max(2, n_columns)
    given_labels = np.arange(6) % n_classes
    bounds = np.zeros(n_classes, int)
    relabel = Relabeling(
        given_labels, np.zeros(6, bool), bounds, bounds, loss, np.ones(6)
    )
    assert_array_equal(relabel(np.ones((6, n_columns))), given_labels)


def test_values_of_the_parameter():
    assert Relabel.read("loo", "relabel") == LeaveOneOut()
    assert Relabel.read("in-sample", "relabel") == InSample()
    assert (LeaveOneOut().threshold, InSample().threshold) == (None, "absolute")
    for options, message in (
        ({"threshold": "hinge"}, "'absolute', 'squared', None, got 'hinge'"),
        ({"tol": -0.1}, "tol of InSample must be a number >= 0, got -0.1"),
        ({"max_iter": 0}, "max_iter of InSample must be a whole number >= 1, got 0"),
    ):
        with pytest.raises(ValueError, match=message):
            InSample(**options)


# Thresholds


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
@settings(deadline=None, max_examples=100)
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
@settings(deadline=None, max_examples=100)
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


@settings(deadline=None, max_examples=100)
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


@settings(deadline=None, max_examples=100)
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
