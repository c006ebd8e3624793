import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    LeaveOneOut,
    cross_val_score,
)

from widemargin import LaplacianSVC, SemiSupervisedSplit
from widemargin.datasets import hide_labels
from widemargin.labels import hide, labeled_mask


@given(seed=st.integers(0, 1000), n_folds=st.integers(2, 5), n_each=st.integers(5, 12))
def test_folds(seed, n_folds, n_each):
    """Labeled rows are tested once; unlabeled ones are in every training fold."""
    rng = np.random.default_rng(seed)
    y = hide(np.tile([0, 1], 40), np.arange(80) >= 2 * n_each)
    order = rng.permutation(80)
    y = y[order]
    X = np.zeros((80, 1))
    labeled = labeled_mask(y)
    tested = []
    for train, test in SemiSupervisedSplit(n_folds).split(X, y):
        assert labeled[test].all()
        assert np.isin(np.flatnonzero(~labeled), train).all()
        assert len(np.intersect1d(train, test)) == 0
        assert len(train) + len(test) == 80
        assert set(y[train][labeled[train]]) == {0, 1}
        tested.extend(test)
    assert sorted(tested) == np.flatnonzero(labeled).tolist()


@pytest.mark.parametrize("kind", ["integers", "names", "floats", "nullable"])
def test_grid_search_on_partly_labeled_y(kind):
    X, y = load_iris(return_X_y=True)
    y = {
        "integers": lambda: y,
        "names": lambda: np.array(["a", "b", "c"], dtype=object)[y],
        "floats": lambda: y.astype(float),
        "nullable": lambda: pd.Series(y, dtype="Int64"),
    }[kind]()
    y_partial = hide_labels(y, 30, rng=0)
    search = GridSearchCV(
        LaplacianSVC(), {"kernel__gamma": [0.1, 1.0]}, cv=SemiSupervisedSplit(3)
    )
    search.fit(X, y_partial)
    assert search.best_score_ > 0.8
    assert np.mean(search.predict(X) == np.asarray(y)) > 0.8


def test_scores_are_of_labeled_rows_only():
    """Wrong targets on hidden rows cannot show: there are none to compare with."""
    X, y = load_iris(return_X_y=True)
    y_partial = hide_labels(y, 30, rng=0)
    scores = cross_val_score(LaplacianSVC(), X, y_partial, cv=SemiSupervisedSplit(5))
    assert len(scores) == 5
    assert np.allclose(scores * 6, np.round(scores * 6))  # six labels in each fold


def test_any_splitter():
    y = np.array([0, 1, 0, 1, -1, -1])
    X, groups = np.zeros((6, 1)), np.array([0, 0, 1, 1, 5, 5])
    split = SemiSupervisedSplit(LeaveOneOut())
    assert split.get_n_splits(X, y) == 4
    assert [test.tolist() for _, test in split.split(X, y)] == [[0], [1], [2], [3]]
    split = SemiSupervisedSplit(GroupKFold(2))
    folds = sorted(test.tolist() for _, test in split.split(X, y, groups))
    assert folds == [[0, 1], [2, 3]]


def test_repeatable_and_shuffled():
    y = hide_labels(np.arange(60) % 2, 20, rng=0)
    folds = [
        [
            test.tolist()
            for _, test in SemiSupervisedSplit(4, random_state=s).split(y, y)
        ]
        for s in (0, 0, 1)
    ]
    assert folds[0] == folds[1] != folds[2]
    assert SemiSupervisedSplit(4).get_n_splits() == 4


def test_more_folds_than_labels_of_a_class_names_the_way_out():
    y = hide_labels(np.arange(60) % 3, 6, rng=0)
    with pytest.raises(ValueError, match=r"use at most SemiSupervisedSplit\(2\)"):
        list(SemiSupervisedSplit(5).split(np.zeros((60, 1)), y))


@pytest.mark.parametrize("cv", [1, 7])
def test_number_of_folds_must_fit_the_labels(cv):
    y = np.array([0, 0, 0, 1, 1, 1, -1, -1, -1])
    with pytest.raises(ValueError, match=rf"from 2 to the number .* \(6\), got {cv}"):
        list(SemiSupervisedSplit(cv).split(np.zeros((9, 1)), y))


def test_rows_known_to_be_irrelevant_are_never_scored():
    y = np.array([0, 1, 2, -1] * 6)
    cv = SemiSupervisedSplit(3, irrelevant_label=2)
    assert cv.get_n_splits(None, y) == 3
    tested = []
    for train, test in cv.split(y, y):
        assert set(np.flatnonzero((y == 2) | (y == -1))) <= set(train)
        assert not set(train) & set(test)
        assert len(train) + len(test) == 24
        tested.extend(test)
    assert sorted(tested) == np.flatnonzero((y == 0) | (y == 1)).tolist()
