from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_digits, make_blobs

import widemargin
from widemargin import LowDensityClassifier, SpectralClassifier
from widemargin.datasets import hide_labels
from widemargin.estimators import low_density_classifier
from widemargin.solvers.result import Status
from widemargin.solvers.self_training import self_train


@pytest.fixture
def digits():
    X, y = load_digits(return_X_y=True)
    return X[:300], y[:300]


@pytest.fixture
def partial(digits):
    return hide_labels(digits[1], 40, rng=0)


@pytest.fixture
def model(digits, partial):
    return LowDensityClassifier(random_state=0).fit(digits[0], partial)


def test_training_rows_are_predicted_as_inferred(model, digits, partial):
    X, hidden = digits[0], partial < 0
    assert_array_equal(model.predict(X)[hidden], model.transduction_[hidden])
    assert_allclose(model.predict_proba(X), model.label_distributions_, atol=1e-6)


def test_class_names_and_row_order_change_nothing(model, digits, partial, rng):
    X, order = digits[0], rng.permutation(len(partial))
    names = np.array([f"{9 - label}" if label >= 0 else None for label in partial])
    other = LowDensityClassifier(random_state=0).fit(X[order], names[order])
    expected = model.predict_proba(X)[:, ::-1]
    assert_allclose(other.predict_proba(X), expected, atol=1e-4)


def test_update_equals_a_new_fit(model, digits, partial):
    X, y = digits
    more = partial.copy()
    more[np.flatnonzero(partial < 0)[:5]] = y[np.flatnonzero(partial < 0)[:5]]
    fresh = LowDensityClassifier(random_state=0).fit(X, more)
    updated = model.update(more)
    assert_allclose(updated.predict_proba(X), fresh.predict_proba(X), atol=1e-8)


def test_held_out_labels_are_not_seen(digits, partial):
    """A wrong label does not change how it is predicted without itself, much."""
    X = digits[0]
    model = LowDensityClassifier(random_state=0).fit(X, partial)
    held_out = model.held_out_proba_
    labeled = np.flatnonzero(partial >= 0)
    right = held_out.argmax(axis=1) == partial[labeled]
    place = np.flatnonzero(right)[0]
    wrong = partial.copy()
    wrong[labeled[place]] = (partial[labeled[place]] + 1) % 10
    other = LowDensityClassifier(random_state=0).fit(X, wrong)
    code = np.searchsorted(model.classes_, partial[labeled[place]])
    assert other.held_out_proba_[place].argmax() == code


def test_penalties_are_averaged(model):
    assert len(model.names_) == len(model.average_.weights) == 2
    assert_allclose(model.average_.weights.sum(), 1.0)


def test_families_are_those_of_the_start(digits, partial):
    """The components of the kernel are made in any case."""
    model = LowDensityClassifier(families="labels", random_state=0)
    model.fit(digits[0], partial)
    assert {c.family for c in model.geometry_.covariances} == {"labels"}
    start = SpectralClassifier(families="labels", random_state=0)
    start.fit(digits[0], partial)
    shares = start.label_distributions_[partial < 0].mean(axis=0)
    inferred = model.transduction_[partial < 0]
    assert_allclose(np.bincount(inferred) / len(inferred), shares, atol=0.05)


def test_file_predicts_the_same(model, digits, tmp_path):
    widemargin.save(model, tmp_path / "m.wm")
    loaded = widemargin.load(tmp_path / "m.wm")
    X = digits[0]
    assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
    with pytest.raises(ValueError, match="LowDensityClassifier needs the eigenvectors"):
        loaded.update(np.zeros(300))


def test_two_classes_have_one_score():
    X, y = make_blobs(200, centers=[[0.0, 0.0], [6.0, 0.0]], random_state=0)
    model = LowDensityClassifier(random_state=0).fit(X, hide_labels(y, 10, rng=0))
    assert model.decision_function(X).shape == (200,)
    assert np.mean(model.transduction_ == y) > 0.95


def test_shares_are_those_of_the_unlabeled_rows():
    """Labels of other shares than the unlabeled rows do not move the boundary."""
    X, y = make_blobs(300, centers=[[0.0, 0.0], [6.0, 0.0]], random_state=0)
    free = np.concatenate([np.flatnonzero(y == 0)[:10], np.flatnonzero(y == 1)[:120]])
    y_partial = y.copy()
    y_partial[free] = -1
    model = LowDensityClassifier(random_state=0).fit(X, y_partial)
    assert np.mean(model.transduction_[free] == y[free]) > 0.98


def test_interrupt_is_passed_on(digits, partial, monkeypatch):
    def interrupted(*args, **options):
        return replace(self_train(*args, **options), status=Status.INTERRUPTED)

    monkeypatch.setattr(low_density_classifier, "self_train", interrupted)
    with pytest.raises(KeyboardInterrupt):
        LowDensityClassifier(random_state=0).fit(digits[0], partial)


@pytest.mark.slow
def test_labels_of_a_part_of_many_rows_are_inferred(monkeypatch):
    """All rows get scores, and held-out labels are those of the labeled rows."""
    X, y = load_digits(return_X_y=True)
    partial = hide_labels(y, 50, rng=0)
    whole = LowDensityClassifier(random_state=0).fit(X, partial)
    monkeypatch.setattr(low_density_classifier, "LOW_DENSITY_ROWS", 700)
    model = LowDensityClassifier(random_state=0).fit(X, partial)
    assert model.result_.scores.shape[0] == 700
    assert np.mean(model.transduction_ == whole.transduction_) > 0.95
    assert_allclose(model.label_distributions_, model.predict_proba(X), atol=1e-5)
    held_out = model.held_out_proba_.argmax(axis=1)
    assert np.mean(held_out == y[partial >= 0]) > 0.8
