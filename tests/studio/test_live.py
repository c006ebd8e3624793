from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import load_digits
from studio_events import label, undo

from widemargin import FewLabelClassifier, SpectralClassifier
from widemargin.studio.live import NO_CLASS, LiveModel, choose_next, describe_error
from widemargin.studio.state import State, apply

NAMES = np.array(["zero", "one", "two", "three"], dtype=object)


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(n_class=4, return_X_y=True)
    return X[:300], y[:300]


@pytest.fixture(scope="module")
def live(digits):
    return LiveModel(digits[0]).prepare()


@pytest.fixture
def state(digits):
    """Labels of 16 rows, given one by one; the last four are random checks."""
    y, state = digits[1], State()
    for i in range(16):
        why = "check" if i >= 12 else "suggested"
        row = 7 * i
        state = apply(state, label(str(i), [row], NAMES[y[row]], why=why, place=i + 1))
    return state


def targets(state, n_rows):
    y = np.full(n_rows, None, dtype=object)
    for row, event in state.labels.items():
        y[row] = event.label
    return y


def fit_anew(state, X):
    """A new model of the labels, which is told which rows were random."""
    is_random = np.isin(np.arange(len(X)), state.random_rows)
    model = SpectralClassifier(random_state=0)
    return model.fit(X, targets(state, len(X)), random_labels=is_random)


def assert_as_fitted_anew(live, state, X):
    snapshot, model = live.learn(state), fit_anew(state, X)
    found = np.array(state.classes, dtype=object)[snapshot.codes]
    unlabeled = ~np.isin(np.arange(len(X)), list(state.labels))
    np.testing.assert_array_equal(found[unlabeled], model.transduction_[unlabeled])
    for row in range(0, len(X), 10):
        own = snapshot.probabilities(row, state.classes)
        own = dict(zip(state.classes, own, strict=True))
        own = [own[name] for name in model.classes_]
        np.testing.assert_allclose(own, model.label_distributions_[row], atol=1e-6)


def test_predictions_are_those_of_a_new_fit(live, state, digits):
    """After a few labels, a changed one, one taken away, and an undone batch."""
    assert_as_fitted_anew(live, state, digits[0])
    state = apply(state, label("x", [7], "two"), label("y", [14], None))
    assert_as_fitted_anew(live, state, digits[0])
    state = apply(state, label("z", range(100, 140), "one"), undo("u", "z"))
    assert_as_fitted_anew(live, state, digits[0])


def test_an_error_is_shown_from_five_random_labels_on():
    none = {"stage": "none", "n_missing": 0, "text": "unknown"}
    assert describe_error(50, None, None) == none
    for n in range(5):
        found = describe_error(n, 0.02, 0.1)
        text = "not known yet"
        assert found == {"stage": "unknown", "n_missing": 5 - n, "text": text}
    for n in range(5, 10):
        found = describe_error(n, 0.02, 0.091)
        known = {"stage": "bound", "n_missing": 10 - n, "bound": 12}
        assert found == {**known, "text": "below 12 %"}
    assert describe_error(9, 0.8, 0.3)["bound"] == 100
    known = {"stage": "estimate", "n_missing": 0, "text": "2.0 ± 10.0 %"}
    assert describe_error(10, 0.02, 0.1) == known
    assert describe_error(9, 0.02, 0.091)["text"] == "below 12 %"
    assert describe_error(4, 0.02, 0.1)["text"] == "not known yet"


def test_the_error_is_that_of_the_front_door(live, state, digits):
    """Estimated from random labels only, beside what the probabilities imply."""
    X, snapshot = digits[0], live.learn(state)
    is_random = np.isin(np.arange(len(X)), state.random_rows)
    model = FewLabelClassifier(["spectral"], random_state=0)
    model.fit(X, targets(state, len(X)), random_labels=is_random)
    assert snapshot.n_random == 4
    assert snapshot.error == pytest.approx(model.report_.error, abs=1e-3)
    assert snapshot.error_std == pytest.approx(model.report_.error_std, abs=1e-3)


def test_shares_add_up_and_labels_are_certain(live, state, digits):
    snapshot = live.learn(state)
    assert sum(snapshot.shares) == pytest.approx(1.0)
    truth = np.bincount(digits[1]) / len(digits[1])
    counts = np.bincount(snapshot.codes, minlength=len(state.classes))  # as on the map
    assert snapshot.shares == pytest.approx(counts / len(snapshot.codes))
    by_name = dict(zip(state.classes, snapshot.shares, strict=True))
    found = [by_name[name] for name in NAMES]
    np.testing.assert_allclose(found, truth, atol=0.05)
    rows = list(state.labels)
    assert (snapshot.certainty[rows] == 1).all()


def test_a_wrong_label_is_suspect(live, state, digits):
    row = 200
    name = NAMES[digits[1][row]]
    wrong = next(other for other in NAMES if other != name)
    snapshot = live.learn(apply(state, label("w", [row], wrong)))
    assert snapshot.suspects[0][0] == row
    assert state.classes[snapshot.suspects[0][2]] == name


def test_a_snapshot_stays_as_it_is(live, state):
    snapshot = live.learn(state)
    codes, suggested = snapshot.codes.copy(), live.suggest(snapshot, state, 5)
    more = apply(state, label("m", range(50, 90), "three"))
    live.learn(more)
    np.testing.assert_array_equal(snapshot.codes, codes)
    again = live.suggest(snapshot, state, 5)
    np.testing.assert_array_equal(again.rows, suggested.rows)


def test_without_two_classes_only_labels_are_shown(live, digits):
    state = apply(State(), label("a", [3, 5], "one"))
    snapshot = live.learn(state)
    assert snapshot.model is None
    assert snapshot.error is None
    assert (snapshot.codes != NO_CLASS).sum() == 2
    assert live.explain(snapshot, 0) == []
    found = live.suggest(snapshot, state, 6)
    assert len(set(found.rows)) == 6
    assert not {3, 5} & set(found.rows.tolist())


def test_amounts_are_those_of_the_model(live, state, digits):
    snapshot = live.learn(state)
    found = live.explain(snapshot, 250, n=3)
    model = fit_anew(state, digits[0])
    expected = model.explain(digits[0][[250]], 3)
    assert [row for row, _, _ in found] == expected.rows[0].tolist()
    amounts = [amount for _, _, amount in found]
    np.testing.assert_allclose(amounts, expected.amounts[0], atol=1e-6)


def test_clusters_are_groups_of_alike_rows(live, digits):
    clusters = live.find_clusters(8)
    sizes = [len(rows) for rows in clusters]
    assert sizes == sorted(sizes, reverse=True)
    assert sorted(row for rows in clusters for row in rows) == list(range(300))
    alike = [len(set(digits[1][rows[:5]])) == 1 for rows in clusters]
    assert np.mean(alike) >= 0.8


def test_every_fifth_proposal_is_a_random_check(live, digits, rng):
    """Also if the person labels other rows between them."""
    y, state, reasons = digits[1], State(), []
    suggestions = live.suggest(live.learn(state), state, 12)
    for i in range(32):
        found = choose_next(state, suggestions, (), rng, 300)
        assert found.row not in state.labels
        reasons.append(found.why)
        name = NAMES[y[found.row]]
        state = apply(state, label(str(i), [found.row], name, why=found.why))
        if i == 17:
            rows = [row for row in range(290, 297) if row not in state.labels]
            state = apply(state, label("lasso", rows, "one", why="map"))
        suggestions = live.suggest(live.learn(state), state, 12)
    assert reasons[:10] == ["suggested"] * 10
    checks = [i for i, why in enumerate(reasons) if why == "check"]
    assert checks == [14, 19, 24, 29]
    found = choose_next(replace(state, labels={}), suggestions, (), rng, 300)
    assert found.text == "Its label would help with many uncertain rows."
    assert found.text_if_sure.startswith("The model is sure of this row, but")


def test_proposals_avoid_rows_of_other_windows_and_skipped_ones(live, rng):
    state = State()
    suggestions = live.suggest(live.learn(state), state, 12)
    first = choose_next(state, suggestions, (), rng, 300)
    second = choose_next(state, suggestions, (first.row,), rng, 300)
    assert first.row != second.row
    from widemargin.studio.state import Event

    skipped = apply(state, Event("skip", "s", "ann", (first.row,)))
    assert choose_next(skipped, suggestions, (), rng, 300).row == second.row


def test_before_there_is_a_model_rows_are_random(rng):
    found = choose_next(State(), None, (), rng, 5)
    assert found.why == "random"
    state = apply(State(), label("a", range(5), "x"))
    assert choose_next(state, None, (), rng, 5) is None


def test_one_label_per_class_prints_no_warning(rng):
    """Warnings are errors in tests, and a fit warns that these may be identifiers."""
    live, state = LiveModel(rng.normal(size=(60, 3))).prepare(), State()
    for i in range(11):
        state = apply(state, label(str(i), [i], f"name {i}", place=i + 1))
    assert live.learn(state).n_labels == 11


def test_rows_that_are_all_the_same_are_refused():
    with pytest.raises(ValueError, match="All 20 rows are the same"):
        LiveModel(np.ones((20, 2))).prepare()
