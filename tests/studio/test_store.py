import os
import signal
import sqlite3
import subprocess
import sys
import threading

import pytest
from studio_events import label, names, random_events, redo, undo

from widemargin.studio.state import State, apply
from widemargin.studio.store import Store, StoreError, read_store


@pytest.fixture
def store(tmp_path):
    store = Store(tmp_path / "labels.sqlite")
    yield store
    store.close()


def test_what_is_read_is_what_was_appended(store):
    events = label("a", [3, 1, 2], "cat"), undo("b", "a"), redo("c", "a")
    for event in events:
        assert store.append(event)
    found = store.read()
    assert [
        (e.kind, e.batch, e.rows, e.label, e.who, e.why, e.target) for e in found
    ] == [(e.kind, e.batch, e.rows, e.label, e.who, e.why, e.target) for e in events]
    assert all(event.at.endswith("+00:00") for event in found)
    assert names(store.catch_up(State())) == {1: "cat", 2: "cat", 3: "cat"}


def test_a_retry_changes_nothing(store):
    assert store.append(label("a", [1, 2], "cat"))
    assert not store.append(label("a", [1, 2], "cat"))
    assert not store.append(label("a", [3], "dog"))
    assert len(store.read()) == 1


def test_the_view_of_the_file_has_the_current_labels(store, rng):
    events = random_events(rng, 300)
    for event in events:
        store.append(event)
    state = store.catch_up(State())
    with sqlite3.connect(store.path) as db:
        found = dict(db.execute("SELECT row, label FROM labels"))
    db.close()
    assert found == names(state)
    assert names(state) == names(apply(State(), *events))


@pytest.mark.parametrize(
    "change", ["UPDATE events SET label = 'dog'", "DELETE FROM events"]
)
def test_events_are_never_changed(store, change):
    store.append(label("a", [1], "cat"))
    with pytest.raises(sqlite3.IntegrityError, match="never"):
        store._db.execute(change)


def test_the_file_is_as_safe_as_it_says(store):
    assert store._db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert store._db.execute("PRAGMA synchronous").fetchone() == (2,)  # FULL
    with pytest.raises(sqlite3.IntegrityError):  # a strict table
        store._db.execute("INSERT INTO events VALUES (1, 'a', 'x', 'y', 0, 0, 0, 0, 0)")


def test_a_store_goes_on_where_it_stopped(store):
    store.append(label("a", [1], "cat"))
    state = store.catch_up(State())
    other = Store(store.path)  # such as a second process
    other.append(label("b", [2], "dog", "bob"))
    other.close()
    assert names(store.catch_up(state)) == {1: "cat", 2: "dog"}
    assert names(read_store(store.path)[0]) == {1: "cat", 2: "dog"}


def test_threads_may_append_at_the_same_time(store):
    def work(who):
        for i in range(20):
            store.append(label(f"{who}{i}", [i], who, who))

    threads = [threading.Thread(target=work, args=(who,)) for who in "abc"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(store.read()) == 60


def test_changed_data_are_noticed(store):
    store.bind("abc", 10)
    store.bind("abc", 10)
    with pytest.raises(StoreError, match=r"other data.* had 10 rows and has 11 now"):
        store.bind("xyz", 11)
    # Another target is also another set of columns, but that is not what to name.
    with pytest.raises(StoreError, match="for the column 'label', but the target is"):
        store.bind("xyz", 10, target="kind")


def test_other_files_are_refused_and_left_alone(tmp_path):
    text = tmp_path / "table.csv"
    text.write_text("a,b\n1,2\n" * 300)
    with pytest.raises(StoreError, match="not a file of labels"):
        Store(text)
    assert text.read_text().startswith("a,b")
    other = tmp_path / "other.sqlite"
    with sqlite3.connect(other) as db:
        db.execute("CREATE TABLE t (x)")
    db.close()
    before = other.read_bytes()
    with pytest.raises(StoreError, match="not a file of labels"):
        Store(other)
    assert [
        name
        for (name,) in sqlite3.connect(other).execute("SELECT name FROM sqlite_master")
    ] == ["t"]
    assert len(other.read_bytes()) == len(before)
    with pytest.raises(StoreError, match=r"Cannot use .*nowhere"):
        Store(tmp_path / "nowhere" / "labels.sqlite")
    with pytest.raises(StoreError, match="no file of labels"):
        read_store(tmp_path / "labels.sqlite")


WRITER = """
import sys
from widemargin.studio.state import Event
from widemargin.studio.store import Store

store, name = Store(sys.argv[1]), sys.argv[2]
for i in range(10**6):
    event = Event("label", f"{name}-{i}", "ann", (2 * i, 2 * i + 1), "cat", "map")
    store.append(event)
    print(event.batch, flush=True)
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_no_acknowledged_label_is_lost_by_a_kill(tmp_path, rng):
    """Fifty times; both rows of a batch are there, or none."""
    path, acknowledged = os.fspath(tmp_path / "labels.sqlite"), []
    for k in range(50):
        process = subprocess.Popen(
            [sys.executable, "-c", WRITER, path, str(k)],
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(rng.integers(1, 8)):
            acknowledged.append(process.stdout.readline().strip())
        process.kill()
        acknowledged += process.communicate()[0].split("\n")[:-1]
    store = Store(path)
    events = store.read()
    store.close()
    assert set(acknowledged) <= {event.batch for event in events}
    assert len(acknowledged) >= 50
    assert all(len(event.rows) == 2 for event in events)
