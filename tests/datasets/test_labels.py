from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from widemargin.datasets import hide_labels
from widemargin.labels import hide, labeled_mask


@st.composite
def labels_and_count(draw, max_size=40):
    """Labels of two to four classes, some rows unlabeled, and a feasible count."""
    n_classes = draw(st.integers(2, 4))
    more = draw(st.lists(st.integers(-1, n_classes - 1), max_size=max_size))
    y = np.array(draw(st.permutations([*range(n_classes), *more])))
    return y, draw(st.integers(n_classes, int((y >= 0).sum())))


@settings(deadline=None)
@given(labels_and_count(), st.booleans(), st.integers(0, 99))
def test_keeps_the_right_number_and_every_class(case, stratify, seed):
    y, n_labeled = case
    original = y.copy()
    hidden = hide_labels(y, n_labeled, rng=seed, stratify=stratify)
    labeled = labeled_mask(hidden)
    assert labeled.sum() == n_labeled
    assert_array_equal(hidden[labeled], original[labeled])
    assert_array_equal(np.unique(hidden[labeled]), np.unique(original[original >= 0]))
    assert not labeled[original < 0].any()
    assert_array_equal(y, original)  # the caller's labels are never written to


@settings(deadline=None)
@given(labels_and_count(), st.booleans(), st.integers(0, 99))
def test_same_seed_keeps_the_same_rows(case, stratify, seed):
    y, n_labeled = case
    first = hide_labels(y, n_labeled, seed, stratify)
    assert_array_equal(first, hide_labels(y, n_labeled, seed, stratify))


@settings(deadline=None)
@given(labels_and_count(max_size=12))
def test_stratified_counts_are_nearest_to_proportional(case):
    """No other whole numbers >= 1 have a smaller squared distance to the ideal."""
    y, n_labeled = case
    sizes = np.bincount(y[y >= 0])
    ideal = n_labeled * sizes / sizes.sum()
    hidden = hide_labels(y, n_labeled, rng=0)
    counts = np.bincount(hidden[hidden >= 0])
    best = min(
        np.sum((np.array(other) - ideal) ** 2)
        for other in product(*(range(1, size + 1) for size in sizes))
        if sum(other) == n_labeled
    )
    assert_allclose(np.sum((counts - ideal) ** 2), best, atol=1e-9)


@pytest.mark.parametrize(
    ("sizes", "n_labeled", "expected"),
    [
        ([60, 30, 10], 10, [6, 3, 1]),
        ([50, 31, 19], 10, [5, 3, 2]),  # 5.0, 3.1, 1.9
        ([96, 2, 2], 10, [8, 1, 1]),  # 9.6, 0.2, 0.2: one each, the rest to the first
        ([60, 40], 100, [60, 40]),
    ],
)
def test_stratified_counts(sizes, n_labeled, expected):
    y = np.repeat(np.arange(len(sizes)), sizes)
    hidden = hide_labels(y, n_labeled, rng=0)
    assert_array_equal(np.bincount(hidden[hidden >= 0]), expected)


def test_different_seeds_keep_different_rows():
    y = np.repeat([0, 1], 50)
    first, second = (hide_labels(y, 10, rng=seed) for seed in (0, 1))
    assert not np.array_equal(first, second)


@pytest.mark.parametrize("stratify", [True, False])
def test_every_row_of_a_class_is_equally_likely(stratify):
    y = np.append(np.zeros(99, dtype=int), 1)
    rng = np.random.default_rng(0)
    draws = [hide_labels(y, 10, rng, stratify)[:99] >= 0 for _ in range(2000)]
    expected = 9 / 99  # the single row of class 1 is always kept
    standard_error = np.sqrt(expected * (1 - expected) / len(draws))
    assert_allclose(np.mean(draws, axis=0), expected, atol=4.5 * standard_error)


def test_without_stratification_class_sizes_vary():
    y = np.repeat([0, 1], 50)
    kept = {
        (hide_labels(y, 10, rng=seed, stratify=False) == 0).sum() for seed in range(30)
    }
    assert len(kept) > 2


@pytest.mark.parametrize(("share", "expected"), [(0.1, 5), (0.25, 12), (0.99, 50)])
def test_float_is_a_share_of_the_rows(share, expected):
    hidden = hide_labels(np.arange(50) % 2, share, rng=0)
    assert (hidden >= 0).sum() == expected


def test_numpy_integer_is_a_count():
    assert (hide_labels([0, 1, 0, 1], np.int64(2)) >= 0).sum() == 2


@pytest.mark.parametrize(
    "values", [["a", "b"] * 5, [True, False] * 5, [1.0, 2.0] * 5, [3, 7] * 5]
)
def test_any_type_of_label(values):
    hidden = hide_labels(values, 4, rng=0)
    labeled = labeled_mask(hidden)
    assert labeled.sum() == 4
    assert all(np.array(values)[labeled] == hidden[labeled])


def test_series_keeps_its_index_and_name():
    y = pd.Series(["a", "b"] * 5, index=range(100, 110), name="kind")
    hidden = hide_labels(y, 4, rng=0)
    assert isinstance(hidden, pd.Series)
    assert hidden.index.equals(y.index)
    assert hidden.name == "kind"
    assert labeled_mask(hidden).sum() == 4


@pytest.mark.parametrize("n_labeled", [2, 0, -1, 0.1])
def test_fewer_labels_than_classes_are_refused(n_labeled):
    with pytest.raises(ValueError, match=f"n_labeled={n_labeled} keeps .* 3 classes"):
        hide_labels([0, 1, 2] * 5, n_labeled)


def test_more_labels_than_there_are_is_refused():
    y = hide(np.array([0, 1] * 5), np.arange(10) < 4)
    with pytest.raises(ValueError, match=r"only 6 of the 10 rows .* keep at most 6"):
        hide_labels(y, 7)
    with pytest.raises(ValueError, match="n_labeled=11 keeps 11 labels"):
        hide_labels([0, 1] * 5, 11)


@pytest.mark.parametrize("n_labeled", [1.0, 4.0, -0.5, "4", None])
def test_other_counts_are_refused(n_labeled):
    with pytest.raises(ValueError, match="n_labeled must be an integer or a share"):
        hide_labels([0, 1] * 5, n_labeled)


def test_bad_source_of_randomness_is_refused_by_name():
    with pytest.raises(ValueError, match="rng must be None"):
        hide_labels([0, 1] * 5, 4, rng="seed")
