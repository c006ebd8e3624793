from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from widemargin.labels import decide
from widemargin.solvers.relabeling import LOSSES, Relabeling
from widemargin.solvers.thresholds import best_threshold, threshold_interval


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
    given_labels, kept = relabel.given.copy(), scores.copy()
    codes = relabel(scores)
    assert codes.shape == (len(scores),)
    assert_array_equal(codes[~relabel.movable], given_labels[~relabel.movable])
    sizes = np.bincount(codes[relabel.movable], minlength=relabel.n_classes)
    assert (sizes >= relabel.lower).all()
    assert (sizes <= relabel.upper).all()
    assert_array_equal(relabel.given, given_labels)
    assert_array_equal(scores, kept)


@settings(deadline=None, max_examples=300)
@given(cases(ties=False))
def test_offsets_reproduce_the_labels(case):
    relabel, scores = case
    offsets = relabel.offsets(scores)
    assert offsets.shape == (scores.shape[1],)
    assert_array_equal(
        decide(scores + offsets)[relabel.movable], relabel(scores)[relabel.movable]
    )


@settings(deadline=None)
@given(cases(n_classes=2, ties=False), st.sampled_from(LOSSES))
def test_swapped_classes_mirror_the_labels(case, loss):
    relabel, scores = case
    relabel = replace(relabel, loss=loss)
    mirrored = replace(
        relabel,
        given=1 - relabel.given,
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
    assert_allclose(relabel.offsets(scores), 0.0)


def test_without_a_loss_the_threshold_moves_no_further_than_it_must(relabel):
    """Three of eight must be positive; one is: the two next ones become it."""
    scores = np.array([5, -5, 1, -0.1, -0.2, -0.3, -2, -3, -4, -5.0])[:, None]
    relabel = replace(relabel, lower=np.array([0, 3]))
    assert_array_equal(relabel(scores), [0, 1, 1, 1, 1, 0, 0, 0, 0, 0])
    offset = relabel.offsets(scores)[0]
    assert 0.2 < offset < 0.3


@pytest.mark.parametrize("loss", ["absolute", "squared"])
def test_loss_moves_the_threshold_where_the_bounds_do_not(relabel, loss):
    """All scores are 1.6 too high, which the labels and the clusters tell."""
    scores = np.array([0.6, 2.6, 2.6, 2.6, 0.6, 2.6, 0.6, 0.6, 2.6, 0.6])[:, None]
    plain, moved = relabel, replace(relabel, loss=loss)
    assert_array_equal(plain(scores)[2:], 1)
    assert_array_equal(moved(scores), [0, 1, 1, 1, 0, 1, 0, 0, 1, 0])
    assert_allclose(moved.offsets(scores), -1.6)


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
            2.0 * relabel.given[~relabel.movable] - 1 - fixed,
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
    assert_allclose(light.offsets(scores), 0.0, atol=1e-2)
    assert_allclose(heavy.offsets(scores), 1.0, atol=1e-2)


def test_losses_are_those_of_their_names(relabel):
    """One score far out moves the squared loss only."""
    scores = np.array([-1, 1, 1, 1, -1, 1, -1, -1, 1, 3.0])[:, None]
    absolute = replace(relabel, loss="absolute").offsets(scores)
    squared = replace(relabel, loss="squared").offsets(scores)
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
    assert_array_equal(relabel.offsets(scores), 0.0)


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
