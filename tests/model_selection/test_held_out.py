import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import make_blobs
from sklearn.exceptions import NotFittedError
from sklearn.metrics import balanced_accuracy_score, f1_score, log_loss, make_scorer
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from widemargin import (
    FewLabelClassifier,
    LabelSearchClassifier,
    LaplacianRLSC,
    LaplacianSVC,
    RidgeAverageClassifier,
    SelfLabelingGPC,
    SelfLabelingSVC,
    TransductiveSVC,
    TriClassSVC,
)
from widemargin.datasets import hide_labels
from widemargin.kernels import Rbf
from widemargin.labels import hide
from widemargin.model_selection import leave_one_out_score


@pytest.fixture
def three():
    """Three overlapping classes, 90 rows, 24 labels."""
    X, y = make_blobs(90, centers=3, cluster_std=3.0, random_state=0)
    return X, hide_labels(y, 24, rng=0)


@pytest.fixture
def fitted(three):
    X, y = three
    return RidgeAverageClassifier().fit(X, y), y


def test_accuracy_is_that_of_refitting_without_each_label(three):
    """One machine: without a label, the penalty of the others stays the same."""
    X, y = three
    labeled = np.flatnonzero(y >= 0)
    penalty, gamma = 0.01, 0.1
    options = {"kernel": Rbf(gamma), "widths": (1.0,)}
    model = RidgeAverageClassifier(ambient_reg=(penalty,), **options).fit(X, y)

    def total(rows):  # of the penalty: labels times the mean diagonal, centered
        gram = rbf_kernel(X[rows], gamma=gamma)
        return np.trace(gram) - gram.mean() * len(rows)

    wrong = 0
    for i in labeled:
        others = np.setdiff1d(labeled, i)
        same = penalty * total(labeled) / total(others)
        other = RidgeAverageClassifier(ambient_reg=(same,), **options)
        other.fit(X, hide(y, np.arange(len(y)) == i))
        wrong += other.predict(X[[i]])[0] != y[i]
    assert 0 < wrong < len(labeled)
    assert_allclose(leave_one_out_score(model, y), 1 - wrong / len(labeled))


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
    expected = leave_one_out_score(
        RidgeAverageClassifier().fit(X, y), y, scoring=scoring
    )
    order = rng.permutation(len(y))
    names = np.array(["c", "a", "b", None], dtype=object)[y]
    for rows, targets in ((X[order], y[order]), (X, names)):
        model = RidgeAverageClassifier().fit(rows, targets)
        found = leave_one_out_score(model, targets, scoring=scoring)
        assert_allclose(found, expected, rtol=1e-6)


def test_labels_that_could_not_be_held_out_do_not_count(three):
    """The only label of a class is left out, without a warning from any score."""
    X, y = three
    y = y.copy()
    y[np.flatnonzero(y < 0)[0]] = 3
    model = RidgeAverageClassifier().fit(X, y)
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
    "machine", [RidgeAverageClassifier, LaplacianSVC, TransductiveSVC]
)
def test_no_label_could_be_held_out(three, machine):
    X, _ = three
    y = np.full(len(X), -1)
    y[:3] = 0, 1, 2
    model = machine(random_state=0).fit(X, y)
    with pytest.raises(ValueError, match=r"none of the 3 labels .* label another row"):
        leave_one_out_score(model, y)


def test_pipelines_and_weights(three, rng):
    X, y = three
    model = make_pipeline(StandardScaler(), RidgeAverageClassifier()).fit(X, y)
    assert 0.5 < leave_one_out_score(model, y) < 1.0
    weights = rng.uniform(0.5, 2.0, size=len(y))
    weights[np.flatnonzero(y >= 0)[:3]] = 0.0
    model = RidgeAverageClassifier().fit(X, y, sample_weight=weights)
    truth, own = y[(y >= 0) & (weights > 0)], weights[(y >= 0) & (weights > 0)]
    right = model.held_out_proba_.argmax(axis=1) == truth
    found = leave_one_out_score(model, y, sample_weight=weights)
    assert_allclose(found, np.average(right, weights=own))
    with pytest.raises(ValueError, match="pass sample_weight"):
        leave_one_out_score(model, y)
    with pytest.raises(ValueError, match=r"must have shape \(90,\), .* got \(2,\)"):
        leave_one_out_score(model, y, sample_weight=[1.0, 1.0])


def test_rows_known_to_be_irrelevant_are_not_scored(three):
    X, y = three
    y = np.array(["a", "b", "other", None], dtype=object)[y]
    model = TriClassSVC(irrelevant_label="other", random_state=0).fit(X, y)
    truth = y[(y == "a") | (y == "b")]
    right = model.classes_[model.held_out_proba_.argmax(axis=1)] == truth
    assert_allclose(leave_one_out_score(model, y), right.mean())


@pytest.mark.parametrize("machine", [SelfLabelingGPC, SelfLabelingSVC])
def test_machines_without_held_out_labels_name_the_way_out(three, machine):
    X, y = three
    model = machine(random_state=0).fit(X, y)
    match = rf"{machine.__name__} has no held_out_proba_ .*cv=SemiSupervisedSplit\(5\)"
    with pytest.raises(ValueError, match=match):
        leave_one_out_score(model, y)


def test_nothing_was_held_out(three):
    X, y = three
    model = LabelSearchClassifier(unlabeled_weight=1.0, random_state=0).fit(X, y)
    match = r"held_out_proba_ of LabelSearchClassifier is None: .*SemiSupervisedSplit"
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
