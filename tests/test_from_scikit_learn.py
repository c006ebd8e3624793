"""What the page "From scikit-learn" says of scikit-learn's tools is true."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import make_blobs
from sklearn.ensemble import BaggingClassifier, StackingClassifier, VotingClassifier
from sklearn.feature_selection import SelectKBest
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score
from sklearn.model_selection import (
    StratifiedKFold,
    cross_val_predict,
    cross_val_score,
    learning_curve,
    train_test_split,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import LabelEncoder, TargetEncoder
from sklearn.semi_supervised import LabelSpreading, SelfTrainingClassifier
from sklearn.svm import SVC

from widemargin import SemiSupervisedSplit, SpectralClassifier
from widemargin.datasets import hide_labels

NAMES = np.array(["red", "green", "blue"], dtype=object)
WITH_MINUS_ONE = [-1, 0, 1, 2]


@pytest.fixture(scope="module")
def data():
    """Rows, labels, and the same with -1 and with None."""
    X, y = make_blobs(90, centers=3, cluster_std=2.0, random_state=0)
    y_partial = hide_labels(y, 18, rng=0)
    return X, y, y_partial, np.where(y_partial < 0, None, NAMES[y])


@pytest.mark.parametrize(
    "model",
    [
        SVC(),
        VotingClassifier([("one", SpectralClassifier())]),
        StackingClassifier([("one", SpectralClassifier())], cv=3),
        OneVsRestClassifier(SpectralClassifier()),
        BaggingClassifier(SpectralClassifier(), 2, random_state=0),
    ],
    ids=lambda model: type(model).__name__,
)
def test_minus_one_becomes_a_class_that_is_predicted(data, model):
    X, _, y_partial, _ = data
    model.fit(X, y_partial)
    assert model.classes_.tolist() == WITH_MINUS_ONE
    assert (model.predict(X) == -1).mean() > 0.5


@pytest.mark.filterwarnings("ignore:invalid value encountered in cast")
def test_calibration_adds_a_class_and_refuses_other_marks(data):
    X, _, y_partial, names = data
    for cv in (3, SemiSupervisedSplit(3)):
        model = CalibratedClassifierCV(SpectralClassifier(), cv=cv).fit(X, y_partial)
        assert model.classes_.tolist() == WITH_MINUS_ONE
        assert model.predict_proba(X).shape[1] == 4
        for y in (names, np.where(y_partial < 0, np.nan, y_partial)):
            with pytest.raises(ValueError, match=r"Unknown label type|contains NaN"):
                CalibratedClassifierCV(SpectralClassifier(), cv=cv).fit(X, y)
    with pytest.raises(ValueError, match="partitions"):
        CalibratedClassifierCV(
            SpectralClassifier(), cv=SemiSupervisedSplit(3), ensemble=False
        ).fit(X, y_partial)


def test_default_folds_score_the_unlabeled_rows(data):
    X, _, y_partial, _ = data
    folds = StratifiedKFold(3)
    scores = cross_val_score(SVC(), X, y_partial, cv=folds)
    assert abs(scores.mean() - np.mean(y_partial < 0)) < 0.1
    model = SpectralClassifier()
    with pytest.raises(ValueError, match="known labels only"):
        cross_val_score(model, X, y_partial, cv=folds, error_score="raise")
    with pytest.warns(UserWarning, match="Scoring failed"):
        assert np.isnan(cross_val_score(model, X, y_partial, cv=folds)).all()
    scores = cross_val_score(model, X, y_partial, cv=SemiSupervisedSplit(3))
    assert scores.mean() > 0.5


def test_tools_of_model_selection(data):
    X, _, y_partial, names = data
    train_test_split(X, y_partial, stratify=y_partial)
    train_test_split(X, names, stratify=pd.isna(names))
    with pytest.raises(TypeError, match="NoneType"):
        train_test_split(X, names, stratify=names)
    with pytest.raises(ValueError, match="partitions"):
        cross_val_predict(SpectralClassifier(), X, y_partial, cv=SemiSupervisedSplit(3))
    assert -1 in cross_val_predict(SVC(), X, y_partial, cv=3)
    with pytest.raises(ValueError, match="known labels only"):
        learning_curve(
            SpectralClassifier(), X, y_partial, cv=3, error_score="raise",
            train_sizes=[1.0],
        )  # fmt: skip


def test_scores_count_unlabeled_rows(data):
    X, y, y_partial, _ = data
    model = SpectralClassifier().fit(X, y_partial)
    assert accuracy_score(y_partial, model.predict(X)) <= np.mean(y_partial >= 0)
    assert model.score(X, y) > 0.5
    with pytest.raises(ValueError, match="known labels only"):
        permutation_importance(model, X, y_partial)


def test_encoders_and_selectors_treat_the_mark_as_a_class(data):
    X, _, y_partial, names = data
    assert LabelEncoder().fit(y_partial).classes_.tolist() == WITH_MINUS_ONE
    assert None in LabelEncoder().fit(names).classes_
    words = (X[:, :1] > 0).astype(str)
    assert TargetEncoder().fit(words, y_partial).classes_.tolist() == WITH_MINUS_ONE
    labeled = y_partial >= 0
    all_scores = SelectKBest(k=1).fit(X, y_partial).scores_
    as_one_more = SelectKBest(k=1).fit(X, np.where(labeled, y_partial, 3)).scores_
    np.testing.assert_allclose(all_scores, as_one_more)


def test_marks_of_other_types(data):
    X, _, y_partial, names = data
    floats = np.where(y_partial < 0, np.nan, y_partial)
    categories = pd.Series(names).astype("category")
    for y in (names, floats, categories):
        assert len(SpectralClassifier().fit(X, y).classes_) == 3
        with pytest.raises(ValueError, match=r"Unknown label type|NaN"):
            LabelSpreading(kernel="knn").fit(X, y)
    minus_one = np.where(y_partial < 0, -1, names)
    model = SelfTrainingClassifier(LogisticRegression()).fit(X, minus_one)
    assert sorted(model.classes_) == sorted(NAMES)
    with pytest.raises(ValueError, match="Unknown label type"):
        LabelSpreading(kernel="knn").fit(X, minus_one)
    signs = np.where(data[1] > 0, 1, -1)
    assert LabelSpreading(kernel="knn").fit(X, signs).classes_.tolist() == [1]
    with pytest.raises(ValueError, match=r"\(y > 0\)"):
        SpectralClassifier().fit(X, signs)


def test_label_spreading_needs_scaled_columns(data):
    """Its default width, 20, sees no neighbors in columns of large spread."""
    X, y, y_partial, _ = data
    near = LabelSpreading().fit(X / 10, y_partial).score(X / 10, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        far = LabelSpreading().fit(100 * X, y_partial).score(100 * X, y)
    assert far < 0.5 < near
