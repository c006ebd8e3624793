from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import softmax

from widemargin.averaging import (
    ClassShares,
    average_models,
    average_scores,
    estimate_error,
    family_prior,
    find_likely,
    label_counts,
    posterior_weights,
    predicted_shares,
    trial_counts,
)
from widemargin.calibration import fit_calibration
from widemargin.labels import decide
from widemargin.stored import check_part


def predict(codes, right, n_classes=2, sureness=0.9):
    """Probabilities of a model that gets the labels in the mask `right` right."""
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
        [
            predict(codes, ~np.zeros(10, dtype=bool)),
            predict(codes, right, sureness=0.995),
        ]
    )
    found = average_models(held_out, codes, np.array([2.0, 1.0]))
    losses = [-10 * np.log(0.9), -7 * np.log(0.995) - 3 * np.log(0.02)]
    assert_allclose(found.losses, np.array(losses) / 10)
    assert_allclose(found.errors, [0, 0.3])
    ratio = np.exp(-0.5 * (losses[1] - losses[0])) / 2
    assert_allclose(found.weights[1] / found.weights[0], ratio)
    assert found.n_held_out == 10


@given(st.lists(st.integers(0, 6), min_size=2, max_size=5), st.floats(0.5, 5))
def test_weights_fall_exponentially_with_mistakes(mistakes, first):
    """Models that are equally sure differ by their mistakes only."""
    codes, n = np.array([0, 1] * 6), 12
    held_out = np.array([predict(codes, np.arange(n) >= m) for m in mistakes])
    prior = np.ones(len(mistakes))
    prior[0] = first
    weights = average_models(held_out, codes, prior).weights
    assert_allclose(weights.sum(), 1)
    ratio = weights / prior
    fall = (1 / 9) ** (0.5 * (np.array(mistakes) - mistakes[0]))
    assert_allclose(ratio / ratio[0], fall)


def test_without_evidence_the_prior_decides(codes):
    held_out = np.full((3, 10, 2), np.nan)
    found = average_models(held_out, codes, np.array([2.0, 1.0, 1.0]))
    assert_allclose(found.weights, [0.5, 0.25, 0.25])
    assert found.n_held_out == 0
    assert np.isnan(found.held_out).all()


def test_model_that_was_scored_on_no_label_counts_like_the_others(codes):
    """It is neither favored nor punished."""
    right = np.arange(10) >= 4
    held_out = np.array([predict(codes, right), np.full((10, 2), np.nan)])
    found = average_models(held_out, codes, np.ones(2))
    assert_allclose(found.weights, 0.5)


def test_means_are_compared_if_not_all_were_scored_on_the_same_labels(codes):
    """As many labels count as the model with the fewest was scored on."""
    right = np.arange(10) >= 2
    half = predict(codes, right)
    half[5:] = np.nan
    found = average_models(np.array([predict(codes, right), half]), codes, np.ones(2))
    assert_allclose(found.errors, [0.2, 0.4])
    assert_allclose(found.n_scored, [10, 5])
    means = (
        -np.array([2 * np.log(0.1) + 8 * np.log(0.9)]) / 10,
        -np.array([2 * np.log(0.1) + 3 * np.log(0.9)]) / 5,
    )
    assert_allclose(found.losses, np.concatenate(means))
    ratio = np.exp(-0.5 * 5 * (means[1] - means[0]))
    assert_allclose(found.weights[1] / found.weights[0], ratio)


def test_held_out_average_does_not_depend_on_its_label(codes, rng):
    """It equals the average under weights found without that label."""
    held_out = rng.dirichlet(np.ones(3), size=(4, 10))
    codes = rng.integers(3, size=10)
    prior = np.array([2.0, 1.0, 1.0, 1.0])
    found = average_models(held_out, codes, prior)
    for i in range(10):
        kept = np.arange(10) != i
        weights = average_models(held_out[:, kept], codes[kept], prior).weights
        assert_allclose(found.held_out[i], weights @ held_out[:, i])


def test_equally_probable_classes_share_the_mistake():
    held_out = np.full((1, 1, 4), 0.25)
    assert_allclose(average_models(held_out, np.array([2]), np.ones(1)).errors, 0.75)


def test_label_weights_count_labels(codes):
    """A label of weight two is two labels."""
    right = np.arange(10) >= 2
    held_out = np.array([predict(codes, right), predict(codes, ~right)])
    rows = np.append(np.arange(10), 0)
    weights = np.ones(10)
    weights[0] = 2
    weighted = average_models(held_out, codes, np.ones(2), weights)
    repeated = average_models(held_out[:, rows], codes[rows], np.ones(2))
    assert_allclose(weighted.errors, repeated.errors)
    assert_allclose(weighted.n_scored, repeated.n_scored)
    assert_allclose(weighted.weights, repeated.weights)


def test_gain_counts_what_the_average_saves(codes):
    """Three mistakes of the first model, which the second one corrects."""
    right = np.arange(10) >= 3
    sure = predict(codes, np.ones(10, dtype=bool), sureness=0.99)
    found = average_models(np.array([predict(codes, right), sure]), codes, np.ones(2))
    assert_allclose(found.gain, 3)
    assert_allclose(found.gain_std, np.sqrt(3))


def test_one_label_is_no_gain_however_often_it_is_copied(codes):
    """Copies of it weigh as much as itself together."""
    right = np.arange(len(codes)) > 0
    both = np.array([predict(codes, right), predict(codes, True, sureness=0.99)])
    alone = average_models(both, codes, np.ones(2))
    assert_allclose([alone.gain, alone.gain_std], 1)
    rows = np.r_[np.zeros(7, dtype=int), np.arange(len(codes))]
    weights = np.where(rows == 0, 1 / 8, 1.0)
    copied = average_models(both[:, rows], codes[rows], np.ones(2), weights)
    assert_allclose([copied.gain, copied.gain_std], 1)


def test_labels_of_little_weight_prove_no_gain(codes):
    right = np.arange(len(codes)) > 2
    both = np.array([predict(codes, right), predict(codes, True, sureness=0.99)])
    found = average_models(both, codes, np.ones(2), np.full(len(codes), 0.01))
    assert 0 < found.gain < found.gain_std


def test_error_of_held_out_labels(codes):
    """Three of ten wrong, and a quarter of two more."""
    error, spread = estimate_error(predict(codes, np.arange(10) >= 3), codes)
    assert_allclose(error, (3 + 2 * 0.25) / 12)
    assert_allclose(spread, 1.25 * np.sqrt(5 / 14 * 9 / 14 / 14))


def test_error_without_tests_is_half_of_chance():
    error, spread = estimate_error(np.full((10, 5), np.nan), np.zeros(10, dtype=int))
    assert_allclose(error, 0.4)
    assert spread > 0.3


def test_perfect_score_leaves_a_doubt(codes):
    error, spread = estimate_error(predict(codes, np.ones(10, dtype=bool)), codes)
    assert 0 < error < 0.05
    assert spread > error


def test_error_counts_label_weights(codes):
    """A label of weight two is two labels."""
    held_out, weights = predict(codes, np.arange(10) >= 3), np.ones(10)
    weights[0] = 2
    rows = np.append(np.arange(10), 0)
    assert_allclose(
        estimate_error(held_out, codes, weights),
        estimate_error(held_out[rows], codes[rows]),
    )


# How many labels each one counts for


def test_labels_of_the_same_weight_count_as_one_each():
    for weight in (1e-170, 1.0, 1000.0, 1e160):
        assert_array_equal(label_counts(np.full(7, weight)), 1.0)


def test_labels_of_little_weight_do_not_lend_theirs_to_the_others():
    counts = label_counts(np.array([1.0, 1.0, *np.full(14, 0.01)]))
    assert_allclose(counts[:2], 1.0, atol=0.1)
    assert counts.sum() < 2.5


@given(st.lists(st.floats(1e-3, 1e3), min_size=1, max_size=20), st.floats(1e-3, 1e3))
def test_counts_follow_weights_and_are_as_many_as_labels_at_most(weights, scale):
    weights = np.array(weights)
    counts = label_counts(weights)
    assert_allclose(counts * weights[0], counts[0] * weights)
    assert 1.0 - 1e-9 <= counts.sum() <= len(weights) * (1 + 1e-9)
    assert_allclose(label_counts(scale * weights), counts)


def test_a_label_and_its_copies_are_one_trial_at_most():
    weights, copy_idx = np.array([1.0, 9.0, 0.5, 0.2, 0.2, 3.0]), [0, 1, 2, 3, 3, 1]
    counts = trial_counts(weights, copy_idx)
    assert_allclose(counts, [1.0, 0.75, 0.5, 0.2, 0.2, 0.25])


# Priors


def test_families_share_the_prior_equally():
    prior = family_prior(["labels", "graph", "graph", "graph"])
    assert_allclose(prior, [1 / 2, 1 / 6, 1 / 6, 1 / 6])


def test_members_share_the_prior_of_their_family_as_given():
    prior = family_prior(["path", "path", "other"], within=[3.0, 1.0, 7.0])
    assert_allclose(prior, [3 / 8, 1 / 8, 1 / 2])


@given(st.integers(1, 4), st.integers(0, 2))
def test_twins_change_neither_other_families_nor_the_average(n_twins, copied):
    """A copy of a model takes its share from its own family only."""
    rng = np.random.default_rng(0)
    held_out, codes = rng.dirichlet(np.ones(2), size=(3, 12)), rng.integers(2, size=12)
    families, models = ["a", "b", "c"], list(range(3))
    families += [families[copied]] * n_twins
    models += [copied] * n_twins
    alone = average_models(held_out, codes, family_prior(list("abc")))
    twins = average_models(held_out[models], codes, family_prior(families))
    total = np.bincount(models, weights=twins.weights)
    assert_allclose(total, alone.weights)
    assert_allclose(twins.held_out, alone.held_out)


def test_posterior_weights_are_prior_times_likelihood():
    weights = posterior_weights([2.0, 0.0], np.array([0.8, 0.2]), trust=1.0)
    assert_allclose(weights[0] / weights[1], 4 * np.exp(-2))


# Class shares of unlabeled rows


def average_by_shares(
    held_out, codes, prior, predicted, expected=(0.5, 0.5), n_labels=5.0
):
    """The average with shares that are predicted by each likely model."""
    used = find_likely(held_out, codes, np.ones(len(codes)))
    shares = ClassShares(np.array(expected), used, predicted[used], n_labels)
    return average_models(held_out, codes, prior, shares=shares)


def test_class_shares_count_as_more_labels(codes):
    """As labels in proportion to the expected shares, each of the predicted share."""
    held_out = np.array([predict(codes, np.ones(10, dtype=bool))] * 2)
    predicted = np.array([[0.5, 0.5], [0.97, 0.03]])
    prior = np.array([2.0, 1.0])
    found = average_by_shares(held_out, codes, prior, predicted, (0.6, 0.4))
    logs = np.log((predicted + 0.01) / 1.02) @ [0.6, 0.4]
    ratio = 0.5 * np.exp(0.5 * 5.0 * (logs[1] - logs[0]))
    assert_allclose(found.weights[1] / found.weights[0], ratio)
    assert_allclose(found.losses, -np.log(0.9))  # of held-out labels alone


def test_class_shares_decide_where_no_label_is_held_out(codes):
    held_out, predicted = np.full((2, 10, 2), np.nan), np.array([[1.0, 0], [0.5, 0.5]])
    given = held_out, codes, np.ones(2), predicted
    assert average_by_shares(*given).weights[1] > 0.9
    assert_allclose(average_by_shares(*given, n_labels=0.0).weights, 0.5)


def test_unlikely_models_need_not_predict_and_stay_unlikely(codes):
    held_out = np.array([predict(codes, np.arange(10) >= m) for m in (0, 1, 9)])
    predicted = np.array([[0.5, 0.5], [0.9, 0.1], [np.nan, np.nan]])
    is_likely = find_likely(held_out, codes, np.ones(10))
    assert is_likely.tolist() == [True, True, False]
    found = average_by_shares(held_out, codes, np.ones(3), predicted)
    assert found.weights[2] < average_models(held_out, codes, np.ones(3)).weights[2]


def test_twins_change_no_class_shares(rng):
    """Nor which models predict, however many share the prior of a family."""
    held_out, codes = rng.dirichlet(np.ones(2), size=(4, 12)), rng.integers(2, size=12)
    models, predicted = [0, 1, 2, 3, 3, 3, 3], rng.dirichlet(np.ones(2), size=4)
    alone = average_by_shares(held_out, codes, family_prior([*"aabb"]), predicted)
    prior = family_prior([*"aab"] + ["b"] * 4, [1, 1, 1, 0.25, 0.25, 0.25, 0.25])
    twins = average_by_shares(held_out[models], codes, prior, predicted[models])
    assert_allclose(np.bincount(models, weights=twins.weights), alone.weights)
    assert_allclose(twins.held_out, alone.held_out)


@pytest.mark.parametrize("n_columns", [1, 4])
def test_predicted_shares_are_those_of_the_decisions(rng, n_columns):
    scores, weights = rng.normal(size=(3, 20, n_columns)), rng.uniform(size=20)
    n_classes = max(n_columns, 2)
    expected = [np.bincount(decide(own), weights, n_classes) for own in scores]
    found = predicted_shares(scores, weights)
    assert_allclose(found, np.array(expected) / weights.sum())


@pytest.mark.parametrize("n_columns", [1, 4])
def test_classes_of_equal_scores_share_a_row(n_columns):
    found = predicted_shares(np.zeros((1, 3, n_columns)), np.ones(3))
    assert_allclose(found, 1 / max(n_columns, 2))


# Models that give scores


@pytest.fixture
def scores(rng):
    """Held-out scores of three models, the last on another scale, and the classes."""
    codes = rng.integers(3, size=40)
    signs = np.where(codes[:, None] == np.arange(3), 1.0, -1.0)
    held_out = 0.4 * signs + rng.normal(size=(3, 40, 3))
    held_out[2] *= 10.0
    return held_out, codes


def test_average_of_scores_is_the_softmax_of_calibrated_scores(scores):
    """`coef` and the calibration give the probabilities of averaged log odds."""
    held_out, codes = scores
    average, calibration = average_scores(held_out, codes, np.ones(3) / 3)
    slopes = [fit_calibration(s, codes, np.ones(40)).slope for s in held_out]
    mixed = np.tensordot(average.weights * slopes, held_out, axes=1)
    combined = average.combine(list(held_out))
    found = calibration.probabilities(combined)
    assert_allclose(found, softmax(mixed, axis=1))
    assert_allclose(average.coef.sum(), 1)


def test_one_model_keeps_its_scores(scores):
    held_out, codes = scores
    average, calibration = average_scores(held_out[:1], codes, np.ones(1))
    assert_allclose(average.combine([held_out[0]]), held_out[0])
    expected = fit_calibration(held_out[0], codes, np.ones(40))
    assert calibration == expected
    assert_allclose(average.held_out, expected.probabilities(held_out[0]))


def test_two_classes_with_one_column_of_scores(rng):
    codes = rng.integers(2, size=30)
    held_out = rng.normal(size=(2, 30, 1)) + (2.0 * codes - 1)[:, None]
    average, calibration = average_scores(held_out, codes, np.ones(2))
    assert average.held_out.shape == (30, 2)
    assert_allclose(average.held_out.sum(axis=1), 1)
    probabilities = calibration.probabilities(average.combine(list(held_out)))
    assert np.mean(probabilities.argmax(axis=1) == codes) > 0.7


def test_scores_that_were_not_held_out_are_not_counted(scores):
    held_out, codes = scores
    some = held_out.copy()
    some[:, 20:] = np.nan
    found, calibration = average_scores(some, codes, np.ones(3))
    expected, of_half = average_scores(held_out[:, :20], codes[:20], np.ones(3))
    assert_allclose(found.weights, expected.weights)
    assert calibration == of_half
    assert np.isnan(found.held_out[20:]).all()


def test_combining_fewer_models_keeps_their_proportions(scores):
    average, _ = average_scores(*scores, np.ones(3))
    parts = [np.eye(2), 2 * np.eye(2)]
    coef = average.coef[:2] / average.coef[:2].sum()
    assert_allclose(average.combine(parts), (coef @ [1, 2]) * np.eye(2))


@pytest.mark.parametrize(
    "changes",
    [{"weights": np.array([0.5, 0.4])}, {"weights": np.array([1.5, -0.5])},
     {"losses": np.zeros(3)}, {"coef": None}],
)  # fmt: skip
def test_average_that_cannot_be_one_is_refused(codes, changes):
    held_out = np.array([predict(codes, True), predict(codes, True)])
    average = average_models(held_out, codes, np.ones(2))
    check_part(average, 1)
    with pytest.raises(ValueError, match=r"of Average (does not fit|must be)"):
        check_part(replace(average, **changes), 1)
