import pickle

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.datasets import load_iris
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from widemargin import LaplacianSVC, RidgeAverageClassifier, SelfLabelingGPC
from widemargin.datasets import hide_labels
from widemargin.labels import labeled_mask
from widemargin.model_selection import (
    held_out_scorer,
    labeled_scorer,
    leave_one_out_score,
)

KINDS = {
    "integers": lambda y: y,
    "names": lambda y: np.array(["a", "b", "c"], dtype=object)[y],
    "strings": lambda y: np.array(["a", "b", "c"])[y],
    "floats": lambda y: y.astype(float),
    "nullable": lambda y: pd.Series(y, dtype="Int64"),
    "categories": lambda y: pd.Series(np.array(["a", "b", "c"])[y], dtype="category"),
}
GRID = {"gamma": [1e-4, 0.1, 100.0]}
RIDGE_GRID = {"kernel__gamma": [1e-4, 0.1, 100.0]}


@pytest.fixture
def iris():
    return load_iris(return_X_y=True)


@pytest.mark.parametrize("scoring", ["accuracy", "balanced_accuracy", "neg_log_loss"])
def test_grid_search_by_held_out_labels(iris, scoring):
    """It chooses what a plain loop over fits chooses, each candidate fitted once."""
    X, y = iris
    y, rows = hide_labels(y, 30, rng=0), np.arange(150)
    search = GridSearchCV(
        LaplacianSVC(), GRID, scoring=held_out_scorer(scoring), cv=[(rows, rows)]
    ).fit(X, y)
    scores = [
        leave_one_out_score(LaplacianSVC(gamma=g).fit(X, y), y, scoring=scoring)
        for g in GRID["gamma"]
    ]
    assert_allclose(search.cv_results_["mean_test_score"], scores)
    assert search.best_params_["gamma"] == GRID["gamma"][np.argmax(scores)]
    assert search.score(X, y) == leave_one_out_score(search, y, scoring=scoring)


@pytest.mark.parametrize("kind", KINDS)
def test_both_searches_take_any_targets(iris, kind):
    X, y = iris
    y, rows = hide_labels(KINDS[kind](y), 60, rng=0), np.arange(150)
    model = make_pipeline(StandardScaler(), RidgeAverageClassifier())
    grid = {"ridgeaverageclassifier__kernel__gamma": [1e-3, 1.0]}
    for scoring, cv in (
        (held_out_scorer("neg_log_loss"), [(rows, rows)]),
        (labeled_scorer("neg_log_loss"), KFold(3, shuffle=True, random_state=0)),
        (labeled_scorer(), KFold(3, shuffle=True, random_state=0)),
    ):
        search = GridSearchCV(model, grid, scoring=scoring, cv=cv, error_score="raise")
        assert np.isfinite(search.fit(X, y).best_score_)


def test_several_scores_at_once(iris):
    X, y = iris
    y, rows = hide_labels(y, 30, rng=0), np.arange(150)
    scoring = {"accuracy": held_out_scorer(), "loss": held_out_scorer("neg_log_loss")}
    search = GridSearchCV(
        RidgeAverageClassifier(),
        RIDGE_GRID,
        scoring=scoring,
        cv=[(rows, rows)],
        refit="loss",
    ).fit(X, y)
    assert (search.cv_results_["mean_test_loss"] < 0).all()
    assert (search.cv_results_["mean_test_accuracy"] > 0).all()


def test_held_out_scorer_refuses_rows_that_were_not_fitted(iris):
    X, y = iris
    y = hide_labels(y, 60, rng=0)
    with pytest.raises(ValueError, match=r"score the rows that were fitted"):
        cross_val_score(
            LaplacianSVC(), X, y, cv=KFold(3, shuffle=True, random_state=0),
            scoring=held_out_scorer(), error_score="raise",
        )  # fmt: skip


def test_held_out_scorer_needs_held_out_labels(iris):
    X, y = iris
    y = hide_labels(y, 30, rng=0)
    model = SelfLabelingGPC(random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="SelfLabelingGPC has no held_out_proba_"):
        held_out_scorer()(model, X, y)


def test_labeled_scorer_is_the_score_of_the_labeled_rows(iris):
    X, y = iris
    y_partial = hide_labels(y, 60, rng=0)
    labeled = y_partial >= 0
    model = SVC(gamma=0.01).fit(X[::7], y[::7])
    expected = model.score(X[labeled], y[labeled])
    assert labeled_scorer()(model, X, y_partial) == expected < 1.0
    assert labeled_scorer()(model, X, y) == model.score(X, y)
    model = RidgeAverageClassifier().fit(X[::7], y[::7])
    found = labeled_scorer("neg_log_loss")(model, X, y_partial)
    assert_allclose(found, -log_loss(y[labeled], model.predict_proba(X[labeled])))


def test_labeled_scorer_takes_what_the_model_takes(iris):
    X, y = iris
    y_partial = hide_labels(y, 20, rng=0)
    model = RidgeAverageClassifier().fit(X, y)
    expected = labeled_scorer()(model, X, y_partial)
    for rows in (sparse.csr_array(X), sparse.coo_array(X), X.tolist()):
        assert labeled_scorer()(model, rows, y_partial) == expected
    frame = pd.DataFrame(X, columns=list("abcd"), index=np.arange(150)[::-1])
    model = RidgeAverageClassifier().fit(frame, y)
    assert labeled_scorer()(model, frame, y_partial) == expected
    polars = pytest.importorskip("polars")
    assert labeled_scorer()(model, polars.DataFrame(frame), y_partial) == expected


def test_labeled_scorer_with_one_class_among_the_rows(iris):
    """Test parts of few labels may lack classes."""
    X, y = iris
    model = RidgeAverageClassifier().fit(X, y)
    y_partial = np.where(np.arange(150) < 3, y, -1)
    own = model.predict_proba(X[:3])[:, 0]
    found = labeled_scorer("neg_log_loss")(model, X, y_partial)
    assert_allclose(found, np.log(own).mean())
    model = SVC().fit(X, np.roll(y, 60))  # predicts what is not there
    for name in ("accuracy", "balanced_accuracy"):
        assert labeled_scorer(name)(model, X, y_partial) < 1.0


def test_labeled_scorer_leaves_irrelevant_rows_out(iris):
    X, y = iris
    names = np.array(["a", "b", "other"], dtype=object)[y]
    model = SVC().fit(X[y < 2], names[y < 2].astype(str))
    assert labeled_scorer()(model, X, names) < 0.7
    assert labeled_scorer(irrelevant_label="other")(model, X, names) == 1.0


def test_labeled_scorer_calls_a_scorer_with_the_labeled_rows(iris):
    X, y = iris
    y_partial = hide_labels(y, 20, rng=0)

    def scorer(estimator, X, y):
        assert labeled_mask(y).all()
        assert len(X) == len(y) == 20
        return 0.25

    assert labeled_scorer(scorer)(None, X, y_partial) == 0.25


def test_labeled_scorer_needs_a_label(iris):
    X, y = iris
    match = r"got 150 rows and no label among them; use cv=SemiSupervisedSplit\(5\)"
    with pytest.raises(ValueError, match=match):
        labeled_scorer()(SVC().fit(X, y), X, np.full(150, -1))


@pytest.mark.parametrize("make", [held_out_scorer, labeled_scorer])
def test_scorers_can_be_sent_and_read(make):
    scorer = make("neg_log_loss")
    assert pickle.loads(pickle.dumps(scorer)) == scorer
    assert repr(scorer) == f"{make.__name__}('neg_log_loss')"


@pytest.mark.parametrize("make", [held_out_scorer, labeled_scorer])
def test_wrong_scoring_is_refused_at_once(make):
    match = (
        rf"scoring of {make.__name__} must be a name .*get_scorer_names.* got 'nope'"
    )
    with pytest.raises(ValueError, match=match):
        make("nope")
    with pytest.raises(ValueError, match="'neg_log_loss', got 'log_loss'"):
        make("log_loss")
