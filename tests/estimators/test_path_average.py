import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_blobs

from widemargin.datasets import hide_labels
from widemargin.estimators._path_average import deal_folds, deal_sample, weigh_path
from widemargin.estimators._reading import read_sample
from widemargin.estimators.label_search_classifier import LabelSearchClassifier


@pytest.fixture
def blobs():
    """Three overlapping classes, 90 rows, 12 labels."""
    X, y = make_blobs(90, centers=3, cluster_std=1.2, random_state=0)
    return X, y, hide_labels(y, 12, rng=0)


@settings(deadline=None)
@given(
    st.lists(st.integers(0, 4), min_size=1, max_size=40),
    st.integers(2, 6),
    st.integers(0, 9),
)
def test_folds_never_hold_all_labels_of_a_class(codes, n_folds, seed):
    codes = np.array(codes)
    folds = deal_folds(codes, n_folds, np.random.default_rng(seed))
    assert folds.shape == codes.shape
    for code in np.unique(codes):
        of_class = folds[codes == code]
        if len(of_class) == 1:
            assert of_class[0] == -1
            continue
        sizes = np.bincount(of_class, minlength=n_folds)
        assert len(sizes) == n_folds
        assert sizes.max() < len(of_class)
        assert sizes.max() - sizes.min() <= 1  # dealt out one by one
    sizes = np.bincount(folds[folds >= 0], minlength=n_folds)
    assert sizes.max() - sizes.min() <= 1


def test_folds_are_dealt_by_chance(rng):
    codes = np.repeat([0, 1], 10)
    one = deal_folds(codes, 5, np.random.default_rng(0))
    assert_array_equal(one, deal_folds(codes, 5, np.random.default_rng(0)))
    assert (one != deal_folds(codes, 5, np.random.default_rng(1))).any()


def test_folds_follow_the_rows_and_not_the_names_of_classes(blobs, rng):
    X, _, y = blobs
    _, _, _, sample = read_sample(LabelSearchClassifier(), X, y, None)
    fold_of = np.full(90, -1)
    fold_of[y >= 0] = deal_sample(sample, np.random.default_rng(0))
    assert set(fold_of[y >= 0]) == set(range(5))
    for _ in range(5):
        order, names = rng.permutation(90), rng.permutation(3)
        renamed = np.where(y >= 0, names[y], -1)[order]
        _, _, _, shuffled = read_sample(
            LabelSearchClassifier(), X[order], renamed, None
        )
        folds = deal_sample(shuffled, np.random.default_rng(0))
        assert_array_equal(folds, fold_of[order][renamed >= 0])


def test_doubtful_labels_count_less_in_the_choice_of_a_machine(blobs):
    X, _, y = blobs
    labeled = np.flatnonzero(y >= 0)
    sample_weight = np.ones(90)
    sample_weight[labeled[:4]] = 0.25

    def average(weights):
        _, _, _, sample = read_sample(LabelSearchClassifier(), X, y, weights)
        right = np.eye(3)[sample.labels.codes]
        wrong = np.roll(right, 1, axis=1)
        late = right.copy()
        late[:4] = wrong[:4]  # the second machine misses the doubtful labels alone
        folds = deal_sample(sample, np.random.default_rng(0))
        return weigh_path(
            lambda held_out: [wrong[held_out], late[held_out]],
            sample,
            folds,
            (0.0, 1.0),
        )

    assert_allclose(average(np.ones(90)).errors, [12, 4])
    one = 9 / 8.25  # nine labels' worth of weight, 9^2 / 8.25 labels in all
    assert_allclose(average(sample_weight).errors, [9 * one, one])
    assert_allclose(average(8.0 * sample_weight).errors, [9 * one, one])
