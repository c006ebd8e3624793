import pickle

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.datasets import load_iris, make_blobs
from sklearn.exceptions import NotFittedError
from sklearn.metrics import balanced_accuracy_score, f1_score, log_loss, make_scorer
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from widemargin import (
    FewLabelClassifier,
    LabelSearchClassifier,
    LaplacianRLSC,
    LaplacianSVC,
    SelfLabelingGPC,
    SelfLabelingSVC,
    SpectralClassifier,
    TransductiveSVC,
    TriClassSVC,
)
from widemargin.datasets import hide_labels
from widemargin.kernels import Rbf
from widemargin.labels import hide, labeled_mask
from widemargin.model_selection import (
    held_out_scorer,
    labeled_scorer,
    leave_one_out_score,
)


@pytest.fixture
def three():
    """Three overlapping classes, 90 rows, 24 labels."""
    X, y = make_blobs(90, centers=3, cluster_std=3.0, random_state=0)
    return X, hide_labels(y, 24, rng=0)


@pytest.fixture
def fitted(three):
    X, y = three
    return SpectralClassifier().fit(X, y), y


def test_laplacian_accuracy_is_that_of_refitting_without_each_label(three):
    X, y = three
    labeled = np.flatnonzero(y >= 0)
    weights = {"ambient_reg": 0.01, "intrinsic_reg": 0.02}
    model = LaplacianRLSC(**weights).fit(X, y)
    ratio = len(labeled) / (len(labeled) - 1)  # the loss is a mean over labels
    other = LaplacianRLSC(**{name: ratio * w for name, w in weights.items()})
    right = [
        other.fit(X, hide(y, np.arange(len(y)) == i)).predict(X[[i]])[0] == y[i]
        for i in labeled
    ]
    assert_allclose(leave_one_out_score(model, y), np.mean(right))


def test_names_of_scores(fitted):
    model, y = fitted
    truth, known = y[y >= 0], model.held_out_proba_
    guess = known.argmax(axis=1)
    score = {
        name: leave_one_out_score(model, y, scoring=name)
        for name in ("accuracy", "balanced_accuracy", "log_loss", "neg_log_loss",
                     "f1_macro", "roc_auc_ovr")
    }  # fmt: skip
    assert_allclose(score["accuracy"], np.mean(guess == truth))
    assert_allclose(score["balanced_accuracy"], balanced_accuracy_score(truth, guess))
    assert_allclose(score["log_loss"], log_loss(truth, known))
    assert score["neg_log_loss"] == -score["log_loss"]
    assert_allclose(score["f1_macro"], f1_score(truth, guess, average="macro"))
    assert 0.5 < score["roc_auc_ovr"] < 1.0


def test_callables(fitted):
    model, y = fitted
    scorer = make_scorer(f1_score, average="macro")
    expected = leave_one_out_score(model, y, scoring="f1_macro")
    assert leave_one_out_score(model, y, scoring=scorer) == expected

    def sureness(estimator, X, y):
        assert estimator.classes_.tolist() == [0, 1, 2]
        return estimator.predict_proba(X).max(axis=1).mean()

    found = leave_one_out_score(model, y, scoring=sureness)
    assert_allclose(found, model.held_out_proba_.max(axis=1).mean())


@pytest.mark.parametrize("scoring", ["accuracy", "balanced_accuracy", "log_loss"])
def test_order_and_names_do_not_matter(three, rng, scoring):
    X, y = three
    expected = leave_one_out_score(SpectralClassifier().fit(X, y), y, scoring=scoring)
    order = rng.permutation(len(y))
    names = np.array(["c", "a", "b", None], dtype=object)[y]
    for rows, targets in ((X[order], y[order]), (X, names)):
        model = SpectralClassifier().fit(rows, targets)
        found = leave_one_out_score(model, targets, scoring=scoring)
        assert_allclose(found, expected, rtol=1e-6)


def test_labels_that_could_not_be_held_out_do_not_count(three):
    """The only label of a class is left out, without a warning from any score."""
    X, y = three
    y = y.copy()
    y[np.flatnonzero(y < 0)[0]] = 3
    model = SpectralClassifier().fit(X, y)
    kept = y[y >= 0] < 3
    right = model.held_out_proba_.argmax(axis=1)[kept] == y[y >= 0][kept]
    assert_allclose(leave_one_out_score(model, y), right.mean())
    recalls = [right[y[y >= 0][kept] == c].mean() for c in range(3)]
    found = leave_one_out_score(model, y, scoring="balanced_accuracy")
    assert_allclose(found, np.mean(recalls))
    own = model.held_out_proba_[kept, y[y >= 0][kept]]
    found = leave_one_out_score(model, y, scoring="log_loss")
    assert_allclose(found, -np.log(own).mean())


@pytest.mark.parametrize(
    "estimator", [SpectralClassifier, LaplacianSVC, TransductiveSVC]
)
def test_no_label_could_be_held_out(three, estimator):
    X, _ = three
    y = np.full(len(X), -1)
    y[:3] = 0, 1, 2
    model = estimator(random_state=0).fit(X, y)
    with pytest.raises(ValueError, match=r"none of the 3 labels .* label another row"):
        leave_one_out_score(model, y)


def test_pipelines_and_weights(three, rng):
    X, y = three
    model = make_pipeline(StandardScaler(), SpectralClassifier()).fit(X, y)
    assert 0.5 < leave_one_out_score(model, y) < 1.0
    weights = rng.uniform(0.5, 2.0, size=len(y))
    weights[np.flatnonzero(y >= 0)[:3]] = 0.0
    model = SpectralClassifier().fit(X, y, sample_weight=weights)
    truth, own = y[(y >= 0) & (weights > 0)], weights[(y >= 0) & (weights > 0)]
    right = model.held_out_proba_.argmax(axis=1) == truth
    found = leave_one_out_score(model, y, sample_weight=weights)
    assert_allclose(found, np.average(right, weights=own))
    with pytest.raises(ValueError, match="pass sample_weight"):
        leave_one_out_score(model, y)
    with pytest.raises(ValueError, match=r"each of the 90 entries .* shape \(2,\)"):
        leave_one_out_score(model, y, sample_weight=[1.0, 1.0])


def test_rows_known_to_be_irrelevant_are_not_scored(three):
    X, y = three
    y = np.array(["a", "b", "other", None], dtype=object)[y]
    model = TriClassSVC(irrelevant_label="other", random_state=0).fit(X, y)
    truth = y[(y == "a") | (y == "b")]
    right = model.classes_[model.held_out_proba_.argmax(axis=1)] == truth
    assert_allclose(leave_one_out_score(model, y), right.mean())


@pytest.mark.parametrize("estimator", [SelfLabelingGPC, SelfLabelingSVC])
def test_models_without_held_out_labels_name_the_way_out(three, estimator):
    X, y = three
    model = estimator(random_state=0).fit(X, y)
    name = estimator.__name__
    match = rf"{name} has no held_out_proba_: .*cv=SemiSupervisedSplit\(2\)"
    with pytest.raises(ValueError, match=match):
        leave_one_out_score(model, y)


def test_nothing_was_held_out(three):
    X, y = three
    model = LabelSearchClassifier(unlabeled_weight=1.0, random_state=0).fit(X, y)
    match = r"LabelSearchClassifier has no held_out_proba_: .*SemiSupervisedSplit"
    with pytest.raises(ValueError, match=match):
        leave_one_out_score(model, y)


def test_other_targets_are_refused(three):
    X, y = three
    model = LaplacianSVC().fit(X, y)
    labeled, unlabeled = np.flatnonzero(y >= 0), np.flatnonzero(y < 0)
    fewer, wrong, longer = y.copy(), y.copy(), np.append(y, -1)
    fewer[labeled[0]] = -1
    wrong[labeled[4]] = (wrong[labeled[4]] + 1) % 3
    match = (
        r"got 23 labels of the classes \[0, 1, 2\] where it saw 24 of .* cv=\[\(rows"
    )
    with pytest.raises(ValueError, match=match):
        leave_one_out_score(model, fewer)
    with pytest.raises(ValueError, match="24 labels of the classes"):
        leave_one_out_score(model, np.where(y == 2, 5, y))
    with pytest.raises(ValueError, match=rf"another label in row {labeled[4]}\."):
        leave_one_out_score(model, wrong)
    with pytest.raises(ValueError, match="got 91 rows where it saw 90"):
        leave_one_out_score(model, longer)
    moved = y.copy()
    moved[unlabeled[0]], moved[labeled[0]] = (moved[labeled[0]] + 1) % 3, -1
    with pytest.raises(ValueError, match="y must hold the targets"):
        leave_one_out_score(model, moved)


@pytest.mark.parametrize("scoring", ["nope", None, 3])
def test_unknown_scoring(fitted, scoring):
    model, y = fitted
    match = rf"scoring of leave_one_out_score must be a name .*, got {scoring!r}\."
    with pytest.raises(ValueError, match=match):
        leave_one_out_score(model, y, scoring=scoring)


def test_estimator_and_targets_must_be_there(fitted):
    with pytest.raises(NotFittedError):
        leave_one_out_score(FewLabelClassifier(), [0, 1])
    with pytest.raises(ValueError, match="requires y to be passed"):
        leave_one_out_score(fitted[0], None)


KINDS = {
    "integers": lambda y: y,
    "names": lambda y: np.array(["a", "b", "c"], dtype=object)[y],
    "strings": lambda y: np.array(["a", "b", "c"])[y],
    "floats": lambda y: y.astype(float),
    "nullable": lambda y: pd.Series(y, dtype="Int64"),
    "categories": lambda y: pd.Series(np.array(["a", "b", "c"])[y], dtype="category"),
}
GRID = {"kernel__gamma": [1e-4, 0.1, 100.0]}


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
        leave_one_out_score(LaplacianSVC(kernel=Rbf(g)).fit(X, y), y, scoring=scoring)
        for g in GRID["kernel__gamma"]
    ]
    assert_allclose(search.cv_results_["mean_test_score"], scores)
    assert (
        search.best_params_["kernel__gamma"] == GRID["kernel__gamma"][np.argmax(scores)]
    )
    assert search.score(X, y) == leave_one_out_score(search, y, scoring=scoring)


@pytest.mark.parametrize("kind", KINDS)
def test_both_searches_take_any_targets(iris, kind):
    X, y = iris
    X, y, rows = X[::2], hide_labels(KINDS[kind](y[::2]), 40, rng=0), np.arange(75)
    model = make_pipeline(StandardScaler(), SpectralClassifier())
    grid = {"spectralclassifier__kernel__gamma": [1.0]}
    for scoring, cv in (
        (held_out_scorer("neg_log_loss"), [(rows, rows)]),
        (labeled_scorer("neg_log_loss"), KFold(2, shuffle=True, random_state=0)),
        (labeled_scorer(), KFold(2, shuffle=True, random_state=0)),
    ):
        search = GridSearchCV(model, grid, scoring=scoring, cv=cv, error_score="raise")
        assert np.isfinite(search.fit(X, y).best_score_)


def test_several_scores_at_once(iris):
    X, y = iris
    y, rows = hide_labels(y, 30, rng=0), np.arange(150)
    scoring = {"accuracy": held_out_scorer(), "loss": held_out_scorer("neg_log_loss")}
    search = GridSearchCV(
        SpectralClassifier(), GRID, scoring=scoring, cv=[(rows, rows)], refit="loss"
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
    model = SpectralClassifier().fit(X[::7], y[::7])
    found = labeled_scorer("neg_log_loss")(model, X, y_partial)
    assert_allclose(found, -log_loss(y[labeled], model.predict_proba(X[labeled])))


def test_labeled_scorer_takes_what_the_model_takes(iris):
    X, y = iris
    y_partial = hide_labels(y, 20, rng=0)
    model = SpectralClassifier().fit(X, y)
    expected = labeled_scorer()(model, X, y_partial)
    for rows in (sparse.csr_array(X), sparse.coo_array(X), X.tolist()):
        assert labeled_scorer()(model, rows, y_partial) == expected
    frame = pd.DataFrame(X, columns=list("abcd"), index=np.arange(150)[::-1])
    model = SpectralClassifier().fit(frame, y)
    assert labeled_scorer()(model, frame, y_partial) == expected
    polars = pytest.importorskip("polars")
    assert labeled_scorer()(model, polars.DataFrame(frame), y_partial) == expected


def test_labeled_scorer_with_one_class_among_the_rows(iris):
    """Test parts of few labels may lack classes."""
    X, y = iris
    model = SpectralClassifier().fit(X, y)
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
    match = r"got 150 rows and no label among them; use cv=SemiSupervisedSplit\(2\)"
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
