import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from widemargin.solvers.candidate_weights import estimate_error, weigh_candidates


def said(codes, right, n_classes=2, sureness=0.9):
    """Probabilities of a candidate that gets the labels in the mask `right` right."""
    shown = np.where(right, codes, (codes + 1) % n_classes)
    other = (1 - sureness) / (n_classes - 1)
    return np.where(shown[:, None] == np.arange(n_classes), sureness, other)


@pytest.fixture
def codes():
    return np.array([0, 1] * 5)


def test_weights_are_the_prior_times_half_the_likelihood(codes):
    """In logarithms, with what is less probable than 0.02 counted as 0.02."""
    right = np.ones(10, dtype=bool)
    right[:3] = False
    held_out = np.array(
        [said(codes, ~np.zeros(10, dtype=bool)), said(codes, right, sureness=0.995)]
    )
    found = weigh_candidates(held_out, codes, np.array([2.0, 1.0]))
    losses = [-10 * np.log(0.9), -7 * np.log(0.995) - 3 * np.log(0.02)]
    assert_allclose(found.losses, np.array(losses) / 10)
    assert_allclose(found.errors, [0, 0.3])
    ratio = np.exp(-0.5 * (losses[1] - losses[0])) / 2
    assert_allclose(found.weights[1] / found.weights[0], ratio)
    assert found.n_tested == 10


@given(st.lists(st.integers(0, 6), min_size=2, max_size=5), st.floats(0.5, 5))
def test_weights_fall_exponentially_with_mistakes(mistakes, first):
    """Candidates that are equally sure differ by their mistakes only."""
    codes, n = np.array([0, 1] * 6), 12
    held_out = np.array([said(codes, np.arange(n) >= m) for m in mistakes])
    prior = np.ones(len(mistakes))
    prior[0] = first
    weights = weigh_candidates(held_out, codes, prior).weights
    assert_allclose(weights.sum(), 1)
    ratio = weights / prior
    fall = (1 / 9) ** (0.5 * (np.array(mistakes) - mistakes[0]))
    assert_allclose(ratio / ratio[0], fall)


def test_without_evidence_the_prior_decides(codes):
    held_out = np.full((3, 10, 2), np.nan)
    found = weigh_candidates(held_out, codes, np.array([2.0, 1.0, 1.0]))
    assert_allclose(found.weights, [0.5, 0.25, 0.25])
    assert found.n_tested == 0
    assert np.isnan(found.held_out).all()


def test_who_was_not_asked_counts_like_the_others(codes):
    """Neither favored nor punished."""
    right = np.arange(10) >= 4
    held_out = np.array([said(codes, right), np.full((10, 2), np.nan)])
    found = weigh_candidates(held_out, codes, np.ones(2))
    assert_allclose(found.weights, 0.5)


def test_means_are_compared_if_not_all_were_asked_the_same(codes):
    """They count as far as the labels of who was asked the fewest."""
    right = np.arange(10) >= 2
    half = said(codes, right)
    half[5:] = np.nan
    found = weigh_candidates(np.array([said(codes, right), half]), codes, np.ones(2))
    assert_allclose(found.errors, [0.2, 0.4])
    assert_allclose(found.n_asked, [10, 5])
    means = (
        -np.array([2 * np.log(0.1) + 8 * np.log(0.9)]) / 10,
        -np.array([2 * np.log(0.1) + 3 * np.log(0.9)]) / 5,
    )
    assert_allclose(found.losses, np.concatenate(means))
    ratio = np.exp(-0.5 * 5 * (means[1] - means[0]))
    assert_allclose(found.weights[1] / found.weights[0], ratio)


def test_held_out_mixture_does_not_know_its_label(codes, rng):
    """It equals the mixture under weights found without that label."""
    held_out = rng.dirichlet(np.ones(3), size=(4, 10))
    codes = rng.integers(3, size=10)
    prior = np.array([2.0, 1.0, 1.0, 1.0])
    found = weigh_candidates(held_out, codes, prior)
    for i in range(10):
        kept = np.arange(10) != i
        weights = weigh_candidates(held_out[:, kept], codes[kept], prior).weights
        assert_allclose(found.held_out[i], weights @ held_out[:, i])


def test_equally_probable_classes_share_the_mistake():
    held_out = np.full((1, 1, 4), 0.25)
    assert_allclose(weigh_candidates(held_out, np.array([2]), np.ones(1)).errors, 0.75)


def test_label_weights_count_labels(codes):
    """A label of weight two is two labels."""
    right = np.arange(10) >= 2
    held_out = np.array([said(codes, right), said(codes, ~right)])
    rows = np.append(np.arange(10), 0)
    weights = np.ones(10)
    weights[0] = 2
    weighted = weigh_candidates(held_out, codes, np.ones(2), weights)
    repeated = weigh_candidates(held_out[:, rows], codes[rows], np.ones(2))
    assert_allclose(weighted.errors, repeated.errors)
    assert_allclose(weighted.n_asked, repeated.n_asked)
    assert_allclose(weighted.weights, repeated.weights)


def test_gain_counts_what_the_mixture_saves(codes):
    """Three mistakes of the first candidate, which the second one corrects."""
    right = np.arange(10) >= 3
    sure = said(codes, np.ones(10, dtype=bool), sureness=0.99)
    found = weigh_candidates(np.array([said(codes, right), sure]), codes, np.ones(2))
    assert_allclose(found.gain, 3)
    assert_allclose(found.gain_std, np.sqrt(3))


def test_one_label_is_no_gain_however_often_it_is_copied(codes):
    """Copies of it weigh as much as itself together."""
    right = np.arange(len(codes)) > 0
    both = np.array([said(codes, right), said(codes, True, sureness=0.99)])
    alone = weigh_candidates(both, codes, np.ones(2))
    assert_allclose([alone.gain, alone.gain_std], 1)
    rows = np.r_[np.zeros(7, dtype=int), np.arange(len(codes))]
    weights = np.where(rows == 0, 1 / 8, 1.0)
    copied = weigh_candidates(both[:, rows], codes[rows], np.ones(2), weights)
    assert_allclose([copied.gain, copied.gain_std], 1)


def test_labels_that_hardly_count_prove_no_gain(codes):
    right = np.arange(len(codes)) > 2
    both = np.array([said(codes, right), said(codes, True, sureness=0.99)])
    found = weigh_candidates(both, codes, np.ones(2), np.full(len(codes), 0.01))
    assert 0 < found.gain < found.gain_std


def test_error_of_held_out_labels(codes):
    """Three of ten wrong, and a quarter of two more."""
    error, spread = estimate_error(said(codes, np.arange(10) >= 3), codes)
    assert_allclose(error, (3 + 2 * 0.25) / 12)
    assert_allclose(spread, 1.25 * np.sqrt(5 / 14 * 9 / 14 / 14))


def test_error_without_tests_is_half_of_chance():
    error, spread = estimate_error(np.full((10, 5), np.nan), np.zeros(10, dtype=int))
    assert_allclose(error, 0.4)
    assert spread > 0.3


def test_perfect_score_leaves_a_doubt(codes):
    error, spread = estimate_error(said(codes, np.ones(10, dtype=bool)), codes)
    assert 0 < error < 0.05
    assert spread > error


def test_error_counts_label_weights(codes):
    """A label of weight two is two labels."""
    held_out, weights = said(codes, np.arange(10) >= 3), np.ones(10)
    weights[0] = 2
    rows = np.append(np.arange(10), 0)
    assert_allclose(
        estimate_error(held_out, codes, weights),
        estimate_error(held_out[rows], codes[rows]),
    )
