import io
import threading
import zipfile
from contextlib import closing
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from PIL import Image

import widemargin
from widemargin.labels import labeled_mask
from widemargin.studio.export import export_bytes, labeled_table
from widemargin.studio.jobs import Job, targets
from widemargin.studio.session import Session, _percent
from widemargin.studio.sources import ImageFiles, from_arrays, read_source
from widemargin.studio.state import Conflict, Refusal
from widemargin.studio.store import Store, StoreError


@pytest.fixture
def session(source, tmp_path):
    session = Session(source, Store(tmp_path / "labels.sqlite"), "ann").start()
    yield session
    session.close()


def give(session, names, rows, batch="b", **options):
    for row in rows:
        session.act(
            "label", f"{batch}{row}", "ann", rows=[row], label=names[row],
            **{"why": "suggested", **options},
        )  # fmt: skip


def test_labels_are_stored_before_they_are_answered(session, digits):
    answer = session.act("label", "a", "ann", rows=[4], label="zero", why="map")
    assert answer["rows"] == [4]
    assert session.store.read()[-1].batch == "a"
    assert session.describe_labels()["rows"] == [4]


def test_the_model_follows(session, digits):
    _, names = digits
    give(session, names, range(0, 200, 10))
    session.settle()
    predicted, _, model = session.predictions()
    assert model == "live"
    assert np.mean(predicted == np.array(names)) > 0.95
    facts = session.describe_model()
    assert facts["status"] == "ready"
    assert facts["labels"] == 20
    assert 0 < facts["error"] < 0.5
    assert len(session.colors()) == 3 * 300


def test_a_retry_is_answered_like_the_first_time(session):
    options = {"rows": [4], "label": "zero", "why": "map", "seen": {4: 0}}
    first = session.act("label", "a", "ann", **options)
    assert session.act("label", "a", "ann", **options) == first
    assert len(session.store.read()) == 1


def test_two_windows_race_for_a_row(session):
    session.act("label", "a", "ann", rows=[4], label="zero", why="map", seen={4: 0})
    with pytest.raises(Conflict, match="labeled 'zero' now"):
        session.act("label", "b", "ann", rows=[4], label="one", why="map", seen={4: 0})
    outcomes, barrier = [], threading.Barrier(2)

    def label(batch):
        barrier.wait()
        try:
            session.act(
                "label", batch, "ann", rows=[7], label=batch, why="map", seen={7: 0}
            )
            outcomes.append(batch)
        except Conflict:
            outcomes.append(None)

    threads = [threading.Thread(target=label, args=(name,)) for name in ("x", "y")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    (winner,) = [name for name in outcomes if name]
    assert session.state.labels[7].label == winner


def test_windows_get_different_rows(session):
    session.settle()
    rows = [session.next_row(window).row for window in "abc"]
    assert len(set(rows)) == 3
    assert session.next_row("a").row == rows[0]
    session.leave("b")
    assert session.next_row("d").row == rows[1]


def test_rows_that_nobody_can_see_are_not_proposed(source, tmp_path):
    hidden = set(range(0, source.n_rows, 2))
    source = replace(source, unreadable=dict.fromkeys(hidden, "It is broken."))
    with closing(Session(source, Store(tmp_path / "labels.sqlite"), "ann")) as session:
        session.start().settle()
        rows = {session.next_row(window).row for window in range(30)}
        assert len(rows) == 30
        assert not rows & hidden
        for group in session.clusters(5):
            assert not {line["row"] for line in group["rows"]} & hidden
        fact = {"label": "zero", "why": "map"}
        with pytest.raises(Refusal, match="broken, so that the row cannot be labeled"):
            session.act("label", "a", "ann", rows=[0], **fact)
        assert session.act("label", "b", "ann", rows=[0, 1, 2], **fact)["rows"] == [1]
        session.act("label", "c", "ann", rows=[3], label="one", why="map")
        session.settle()
        names = session.predictions()[0]
        assert {row for row, name in enumerate(names) if name is None} == hidden
        assert session.card(0)["likely"] == []
        assert session.card(0)["unreadable"] == "It is broken."


def test_files_that_cannot_be_read_are_noticed_when_they_are_proposed(
    tmp_path, rng, monkeypatch
):
    for i in range(12):
        path = tmp_path / f"{i}.png"
        Image.fromarray(rng.integers(255, size=(8, 8), dtype=np.uint8)).save(path)
        if i % 2:
            path.write_bytes(b"not an image")
    np.save(tmp_path / "e.npy", rng.normal(size=(12, 3)))
    source = read_source(str(tmp_path), embeddings=str(tmp_path / "e.npy"))
    broken = [int(name[:-4]) % 2 == 1 for name in source.frame["file"]]
    with closing(Session(source, Store(tmp_path / "l.sqlite"), "ann")) as session:
        rows = [session.next_row(window) for window in range(7)]
        assert rows[6] is None
        assert {found.row for found in rows[:6]} == {*np.flatnonzero(~np.array(broken))}
        monkeypatch.delattr(ImageFiles, "open")  # each was opened once
        assert session.next_row(0).row == rows[0].row
        assert "cannot be read" in session.card(broken.index(True))["unreadable"]


def test_undo_and_redo_without_end(session, digits):
    give(session, digits[1], range(5))
    for i in range(5):
        session.act("undo", f"u{i}", "ann")
    assert not session.state.labels
    assert session.act("undo", "more", "ann")["rows"] == []
    assert not session.describe_labels()["undo"]
    for i in range(5):
        session.act("redo", f"r{i}", "ann")
    assert sorted(session.state.labels) == [0, 1, 2, 3, 4]
    assert not session.describe_labels()["redo"]
    answer = session.act("undo", "again", "ann")
    assert (answer["rows"], answer["why"]) == ([4], "suggested")
    assert session.act("undo", "again", "ann")["rows"] == []  # a retry
    assert len(session.state.labels) == 4


def test_a_session_goes_on_where_it_stopped(source, tmp_path, digits):
    path = tmp_path / "labels.sqlite"
    first = Session(source, Store(path), "ann").start()
    give(first, digits[1], range(0, 200, 10))
    first.settle()
    error = first.snapshot.error
    first.close()
    second = Session(source, Store(path), "ann").start()
    second.settle()
    assert len(second.state.labels) == 20
    assert second.snapshot.error == pytest.approx(error)
    second._wait_for(lambda: len(second.curve) > 10)  # earlier states are learned again
    second.close()
    changed = from_arrays(source.X + 1)
    with pytest.raises(StoreError, match="belong to other data"):
        Session(changed, Store(path))


def test_the_error_curve_forgets_labels_that_were_undone(source, tmp_path, digits):
    path, names = tmp_path / "labels.sqlite", digits[1]
    with closing(Session(source, Store(path), "ann").start(arranges=False)) as session:
        for row in range(0, 120, 10):
            give(session, names, [row])
            session.settle()
        curve = {n: known[:2] for n, known in session.curve.items()}
        session.act(
            "label", "lasso", "ann", rows=[*range(1, 9)], label="one", why="map"
        )
        session.settle()
        assert max(session.curve) == 20
        session.act("undo", "u", "ann")
        session.settle()
        assert session.describe_model()["curve"][-1][0] == 12
        kept = {n: known[:2] for n, known in session.curve.items()}
        assert {n: kept[n] for n in curve} == curve
        session.act("label", "x", "ann", rows=[0, 10, 20], label=None, why="map")
        session.settle()
        assert max(session.curve) == 9
    with closing(Session(source, Store(path), "ann").start(arranges=False)) as session:
        session.settle()
        assert list(session._replay())
        assert 5 < max(session.curve) <= 9


def test_labels_of_somebody_else_that_are_undone_leave_the_curve(session, digits):
    for row in range(0, 160, 10):
        who = "bob" if row == 20 else "ann"
        options = {"rows": [row], "label": digits[1][row], "why": "map"}
        session.act("label", f"b{row}", who, **options)
        session.settle()
    with_bob = session.curve[10]
    session.act("undo", "u", "bob")
    session.settle()
    session._wait_for(lambda: 10 in session.curve)  # it is learned again
    assert session.curve[10] != with_bob
    assert max(session.curve) == 15


def test_predictions_follow_a_class_that_is_removed(session, digits):
    session.act("class", "c", "ann", label="empty")
    give(session, digits[1], range(0, 200, 10))
    session.settle()
    before, card = session.predictions()[0].tolist(), session.card(1)
    listed, review = session.search(show="class:two"), session.review()
    shares = session.describe_model()["shares"]
    assert session.state.classes.index("empty") == 0
    session.live.learn = lambda state: session._wait_for(lambda: False)  # it is slow
    session.act("remove", "r", "ann", label="empty")
    assert session.predictions()[0].tolist() == before
    assert session.card(1)["likely"][:3] == card["likely"][:3]
    assert session.search(show="class:two") == listed
    assert session.review() == review
    assert session.describe_model()["shares"] == shares[1:]
    assert len(session.state.classes) == 4
    assert max(session.colors()[:600:2]) < 4


def test_classes_are_undone_in_words(session):
    session.act("class", "a", "ann", label="cat")
    assert session.describe_labels()["undo"]
    assert session.act("undo", "b", "ann")["text"] == "The class cat was removed."
    assert session.describe_labels()["classes"] == []
    assert session.act("redo", "c", "ann")["text"] == "The class cat is back."
    session.act("label", "d", "ann", rows=[3], label="cat", why="map")
    with pytest.raises(Refusal, match="1 row has the label 'cat'"):
        session.act("remove", "e", "ann", label="cat")
    session.act("label", "f", "ann", rows=[3], label=None, why="map")
    assert session.card(3)["label"] is None
    for _ in range(2):  # and a retry
        session.act("remove", "g", "ann", label="cat")
    assert session.state.classes == ()
    assert session.act("undo", "h", "ann")["text"] == "The class cat is back."
    session.act("class", "i", "ann", label="dog")
    session.act("label", "j", "bob", rows=[3], label="dog", why="map")
    assert session.act("undo", "k", "ann")["text"] == "The class dog is still used."
    assert session.act("redo", "l", "ann")["text"] == "The class dog is still used."


def test_known_labels_are_taken_over_once(digits, tmp_path):
    X, names = digits
    y = [name if i % 30 == 0 else None for i, name in enumerate(names)]
    source, path = from_arrays(X, y), tmp_path / "labels.sqlite"
    for _ in range(2):
        session = Session(source, Store(path), "ann")
        assert len(session.state.labels) == 10
        assert len(session.state.random_rows) == 10
        assert {event.who for event in session.state.labels.values()} == {"file"}
        session.store.close()


def test_other_processes_may_label_too(session, tmp_path):
    other = Session(session.source, Store(tmp_path / "labels.sqlite"), "bob")
    other.act("label", "x", "bob", rows=[3], label="one", why="map")
    session.refresh()
    assert session.state.labels[3].who == "bob"
    other.store.close()


def test_second_opinions_measure_agreement(session, digits):
    give(session, digits[1], range(6))
    seen = set()
    for i in range(6):
        found = session.next_row("b", "bob", "second")
        label = digits[1][found.row]
        label = ("two" if label == "three" else "three") if i == 0 else label
        session.act(
            "label", f"s{i}", "bob", rows=[found.row], label=label, why="review"
        )
        seen.add(found.row)
    assert seen == set(range(6))
    assert session.next_row("b", "bob", "second") is None
    (pair,) = session.review()["people"]
    assert pair["people"] == ["ann", "bob"]
    assert (pair["rows"], pair["same"]) == (6, 5)
    assert pair["kappa"] < 1
    assert any(
        line["why"].endswith("two people disagree")
        for line in session.review()["lines"]
    )


def test_probabilities_are_not_rounded_to_certainty():
    values = 0.0, 0.0099, 0.01, 0.5, 0.99, 0.998
    said = ["< 1 %", "< 1 %", "1 %", "50 %", "99 %", "> 99 %"]
    assert [_percent(value) for value in values] == said


def test_suspects_are_reviewed(session, digits):
    names = list(digits[1])
    wrong = 60
    names[wrong] = "one" if names[wrong] != "one" else "two"
    give(session, names, range(0, 200, 10))
    session.settle()
    line = session.review()["lines"][0]
    assert (line["row"], line["better"]) == (wrong, digits[1][wrong])
    said = f'Labeled "{names[wrong]}"; the other labels suggest "{digits[1][wrong]}" ('
    assert line["why"].startswith(f'{said}probability of "{names[wrong]}": ')
    assert session.card(wrong)["suspect"]["better"] == digits[1][wrong]
    assert wrong not in [line["row"] for line in session.explain(wrong)]
    n = session.describe_model()["suspects"]
    assert n == len(session.review()["lines"])
    fact = {"rows": [wrong], "label": names[wrong], "why": "review"}
    session.act("label", "kept", "ann", **fact)
    for _ in range(2):  # at once, and after the model has learned
        assert wrong not in [line["row"] for line in session.review()["lines"]]
        assert session.card(wrong)["suspect"] is None
        assert session.describe_model()["suspects"] == n - 1
        session.settle()
    session.act("undo", "u", "ann")
    session.settle()
    assert session.review()["lines"][0]["row"] == wrong


def test_cards_and_explanations(session, digits):
    give(session, digits[1], range(0, 200, 10))
    session.settle()
    card = session.card(250)
    assert card["likely"][0][0] == digits[1][250]
    assert card["image"]
    why = session.explain(250)
    assert len(why) == 5
    assert all(line["row"] % 10 == 0 for line in why)
    for row in (-1, 300, True, "3"):
        with pytest.raises(Refusal, match="There is no row"):
            session.card(row)


def test_search_and_filter(tmp_path, digits):
    X, names = digits
    texts = [f"the digit {name} in row {i}" for i, name in enumerate(names)]
    source = from_arrays(X, texts=texts)
    session = Session(source, Store(tmp_path / "labels.sqlite"), "ann").start()
    give(session, names, range(0, 200, 10))
    session.settle()
    assert session.search("three ROW")["rows"] == [
        i for i, name in enumerate(names) if name == "three"
    ]
    assert session.search("#17")["rows"] == [16]
    assert session.search(show="labeled")["rows"] == list(range(0, 200, 10))
    assert len(session.search(show="unlabeled")["rows"]) == 280
    found = session.search(show="class:two")["rows"]
    assert np.mean([names[row] == "two" for row in found]) > 0.9
    certainty = session.snapshot.certainty[session.search(show="uncertain")["rows"]]
    assert (np.diff(certainty) >= 0).all()
    assert session.search(show="class:nope")["rows"] == []
    session.close()


@pytest.mark.slow
def test_a_full_fit_runs_beside_and_is_exported(session, digits):
    with pytest.raises(ValueError, match="at least two classes"):
        session.fit_fully()
    names = list(digits[1])
    for row in (60, 70):  # wrong labels
        names[row] = "one" if names[row] != "one" else "two"
    give(session, names, range(0, 200, 10))
    session.settle()
    give(session, names, [70], "kept", why="review")
    with pytest.raises(ValueError, match="no full model yet"):
        export_bytes(session, "model")
    session.fit_fully()
    session._wait_for(lambda: session.full["status"] != "running")
    assert session.full["status"] == "done", session.full
    assert session.full["report"]["candidates"][0]["name"] == "supervised"
    assert any("spectral" in line for line in session.full["lines"])
    full, live = session.full["report"], session.describe_model()
    assert full["shown_error"]["text"] == live["shown_error"]["text"] == "not known yet"
    assert "Estimated error of the average: not known yet\n" in full["text"]
    data, ending = export_bytes(session, "model")
    assert ending == ".wm"
    assert zipfile.is_zipfile(io.BytesIO(data))
    assert session.predictions()[2] == "full"
    table = labeled_table(session)
    model = session.read_full_model()
    assert isinstance(model, widemargin.FewLabelClassifier)
    assert not model.verbose
    report, text = model.report_, session.full["report"]["text"]  # from 0, and from 1
    rows = ", ".join(str(row + 1) for row in report.label_next)
    checks = ", ".join(str(row + 1) for row in report.check_rows)
    listed = f"{rows} (random checks: {checks})"
    assert f"Rows to label next (counted from 1): {listed}\n" in text
    (first, *_) = (row for row in report.suspect_labels.rows if row != 70)
    first = f"row {first + 1} ("
    assert f"Labels to check (rows counted from 1): {first}" in text
    assert 70 in report.suspect_labels.rows
    assert "row 71 (" not in text  # it was kept
    assert "+-" not in text
    X = session.source.X
    unlabeled = table["source"] == "inferred"
    np.testing.assert_array_equal(
        table["prediction"][unlabeled], model.predict(X)[unlabeled]
    )
    give(session, digits[1], [299])
    assert session.predictions()[2] == "live"
    session.act("undo", "u", "ann")  # the labels of the fit again
    assert session.predictions()[2] == "full"
    assert session.describe_model()["full"]["is_current"]


def test_the_history_has_every_event(session, digits):
    give(session, digits[1], range(3))
    session.act("undo", "u", "ann")
    data, ending = export_bytes(session, "history")
    table = pd.read_csv(io.BytesIO(data))
    assert ending == "-history.csv"
    assert table["action"].tolist() == ["label"] * 3 + ["undo"]
    assert table["row"].tolist()[:3] == [1, 2, 3]
    assert table["undoes"].tolist()[3] == "b2"


def test_a_model_that_fails_says_so_and_labels_are_still_stored(session, caplog):
    session.settle()

    def fail(state):
        raise RuntimeError("no memory")

    session.live.learn = fail
    session.act("label", "a", "ann", rows=[1], label="x", why="map")
    session._wait_for(lambda: session.problem is not None)
    assert session.describe_model()["problem"] == "no memory"
    assert "the model has failed" in caplog.text
    session.act("label", "b", "ann", rows=[2], label="y", why="map")
    session.settle()
    assert len(session.state.labels) == 2
    assert session.next_row("w") is not None


def test_a_session_can_be_closed_while_the_model_is_prepared(source, tmp_path):
    waiting = threading.Event()
    session = Session(source, Store(tmp_path / "labels.sqlite"), "ann")
    session.live.prepare = waiting.wait
    session.start(arranges=False)
    session.close()
    waiting.set()


def test_rows_that_are_all_the_same_have_no_model(tmp_path):
    source = from_arrays(np.ones((20, 2)))
    session = Session(source, Store(tmp_path / "labels.sqlite"), "ann").start()
    session.settle()
    facts = session.describe_model()
    assert facts["status"] == "failed"
    assert "All 20 rows are the same" in facts["problem"]
    session.close()


def test_labels_that_the_source_has_got_since_are_taken_over(source, tmp_path):
    path, given = tmp_path / "labels.sqlite", {0: "zero", 1: "one", 2: "two"}
    for labels, of_person, expected in (
        (given, {}, given),
        # the person's own label of row 1 stays
        ({**given, 9: "nine"}, {1: "seven"}, {**given, 1: "one", 9: "nine"}),
        # until the source changes at this row; row 2 is no longer labeled there
        (
            {0: "zero", 1: "six", 9: "eight"},
            {},
            {0: "zero", 1: "six", 2: "two", 9: "eight"},
        ),
        (
            {0: "zero", 1: "one", 9: "eight"},
            {},
            {0: "zero", 1: "one", 2: "two", 9: "eight"},
        ),
    ):
        session = Session(replace(source, labels=labels), Store(path), "ann")
        with closing(session):
            assert session.state.names == expected
            for row, name in of_person.items():
                session.act(
                    "label", f"b{row}", "ann", rows=[row], label=name, why="map"
                )
                again = Session(replace(source, labels=labels), Store(path), "ann")
                with closing(again):
                    assert again.state.names == {**expected, row: name}


def test_the_rest_of_labels_is_taken_over_after_a_kill(source, tmp_path, monkeypatch):
    path, labels = tmp_path / "labels.sqlite", {0: "zero", 1: "one", 2: "two"}
    append = Store.append

    def stop_at_the_second(self, event):
        if event.label == "two":
            raise KeyboardInterrupt
        return append(self, event)

    monkeypatch.setattr(Store, "append", stop_at_the_second)
    with pytest.raises(KeyboardInterrupt):
        Session(replace(source, labels=labels), Store(path), "ann")
    monkeypatch.undo()
    with closing(Session(replace(source, labels=labels), Store(path), "ann")) as found:
        assert found.state.names == labels


def test_rows_that_were_skipped_are_no_random_checks(source, tmp_path):
    with closing(Session(source, Store(tmp_path / "labels.sqlite"), "ann")) as session:
        rows = list(range(source.n_rows))
        session.act("skip", "a", "ann", rows=rows)
        found = session.next_row("w")
        assert (found.why, "skipped it before" in found.text) == ("suggested", True)


def test_a_process_that_fails_says_why(source):
    """Not the line that a candidate adds to it."""
    job = Job(
        "fit",
        source.X,
        codes=[0] * 300,
        classes=["a"],
        random_rows=[],
        confirmed_rows=[],
    )
    with pytest.raises(RuntimeError, match="at least two labeled classes"):
        job.wait()
    job.close()


def test_a_class_minus_one_stays_a_class():
    assert targets([0, 1, -1], [-1, 1]).tolist()[:2] == [-1.0, 1.0]
    assert targets([0, 1, -1], [0, 1]).tolist() == [0, 1, -1]
    assert labeled_mask(targets([0, 1, -1], [-1, 1])).tolist() == [True, True, False]
