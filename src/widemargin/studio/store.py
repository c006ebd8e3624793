"""Events in an SQLite file: appended, never changed, on the disk before they count."""

import json
import os
import sqlite3
import threading
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import groupby

from widemargin.studio.contents import find_change
from widemargin.studio.state import Event, State, apply

FORMAT = "widemargin labels 1"
_NO_ROW = -1  # of events that are about no row
_TABLES = """
CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE events (
    id INTEGER PRIMARY KEY,
    batch TEXT NOT NULL,
    row INTEGER NOT NULL,
    kind TEXT NOT NULL,
    label TEXT,
    target TEXT,
    who TEXT NOT NULL,
    at TEXT NOT NULL,
    why TEXT NOT NULL,
    UNIQUE (batch, row)
) STRICT;
CREATE INDEX targets ON events (target, id) WHERE target IS NOT NULL;
CREATE TRIGGER no_update BEFORE UPDATE ON events
BEGIN SELECT RAISE(ABORT, 'events are never changed'); END;
CREATE TRIGGER no_delete BEFORE DELETE ON events
BEGIN SELECT RAISE(ABORT, 'events are never deleted'); END;
CREATE VIEW labels AS
SELECT row, label, who, at, why FROM (
    SELECT *, row_number() OVER (PARTITION BY row ORDER BY id DESC) AS place
    FROM events AS given
    WHERE kind = 'label' AND coalesce((
        SELECT kind FROM events AS later WHERE later.target = given.batch
        ORDER BY id DESC LIMIT 1
    ), 'redo') = 'redo'
)
WHERE place = 1 AND label IS NOT NULL;
"""


class StoreError(ValueError):
    """A file of labels cannot be used; the message names the way out."""


class Store:
    """A file of events. Several threads and several processes may use it at a time.

    The view `labels` of the file has the current labels, for other programs.
    """

    def __init__(self, path):
        self.path, self._lock = os.fspath(path), threading.Lock()
        is_new = not os.path.exists(self.path)
        try:
            self._db = sqlite3.connect(
                self.path, timeout=30, isolation_level=None, check_same_thread=False
            )
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = FULL")  # a commit is on the disk
            with self._transaction():
                known = self._db.execute(
                    "SELECT count(*) FROM sqlite_master WHERE name = 'facts'"
                ).fetchone()[0]
                if not known and not is_new and self._has_tables():
                    raise StoreError(_other_file(self.path))
                if not known:
                    for statement in _split(_TABLES):
                        self._db.execute(statement)
                    self._set("format", FORMAT)
            if self.fact("format") != FORMAT:
                raise StoreError(_other_file(self.path))
        except sqlite3.OperationalError as error:
            raise StoreError(f"Cannot use {self.path}: {error}.") from error
        except sqlite3.DatabaseError as error:
            raise StoreError(_other_file(self.path)) from error

    def _has_tables(self):
        return bool(
            self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        )

    @contextmanager
    def _transaction(self):
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")

    def _set(self, name, value):
        text = json.dumps(value)
        self._db.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (name, text))

    def fact(self, name):
        """What is noted under a name; None for nothing."""
        with self._lock:
            found = self._db.execute("SELECT value FROM facts WHERE name = ?", (name,))
            found = found.fetchone()
        return None if found is None else json.loads(found[0])

    def note(self, **facts):
        """Note facts by name."""
        with self._lock, self._transaction():
            for name, value in facts.items():
                self._set(name, value)

    def append(self, event):
        """Store an event; False if its batch is there already, as after a retry."""
        at = datetime.now(UTC).isoformat(timespec="milliseconds")
        rest = event.kind, event.label, event.target, event.who, at, event.why
        lines = [(event.batch, row, *rest) for row in event.rows or (_NO_ROW,)]
        with self._lock, self._transaction():
            found = self._db.execute(
                "SELECT 1 FROM events WHERE batch = ? LIMIT 1", (event.batch,)
            )
            if found.fetchone():
                return False
            self._db.executemany(
                "INSERT INTO events (batch, row, kind, label, target, who, at, why) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                lines,
            )
        return True

    def read(self, after=0):
        """Events with numbers above `after`, each with all its rows."""
        with self._lock:
            lines = self._db.execute(
                "SELECT batch, kind, label, target, who, at, why, row, id FROM events "
                "WHERE id > ? ORDER BY id",
                (after,),
            ).fetchall()
        events = []
        for (batch, *rest), group in groupby(lines, key=lambda line: line[:7]):
            kind, label, target, who, at, why = rest
            numbers = [line[7:] for line in group]
            rows = tuple(row for row, _ in numbers if row != _NO_ROW)
            place = numbers[-1][1]
            events.append(Event(kind, batch, who, rows, label, why, target, at, place))
        return events

    def catch_up(self, state):
        """A state with the events that were stored since, by whomever."""
        events = self.read(state.place)
        return apply(state, *events) if events else state

    def bind(self, data_hash, n_rows, *, target="label", contents=None, **facts):
        """Note which data the rows belong to; `StoreError` if it is not the same.

        `contents` describes the rows, see `describe_rows`. Arrays have none; they are
        the same if their hashes are.
        """
        known, column = self.fact("data_hash"), self.fact("target")
        before, change = self.fact("contents"), None
        if known is None:
            facts = {"n_rows": n_rows, "target": target, **facts}
            self.note(data_hash=data_hash, contents=contents, **facts)
        elif column not in (None, target):  # files of version 0.2 do not have it
            raise StoreError(
                f"{self.path} holds labels for the column {column!r}, but the target "
                f"is {target!r}. Use --target {column!r} to continue, or start again "
                "with --labels and another file."
            )
        elif before is not None and contents is not None:
            change = find_change(before, contents)
        elif known != data_hash:
            what = f"the input had {self.fact('n_rows'):,} rows and has {n_rows:,} now"
            if n_rows == self.fact("n_rows"):
                what = "values or the columns in use have changed"
            change = what, "Restore the input"
        elif contents is not None:
            self.note(contents=contents, **facts)
        if change is not None:
            raise StoreError(
                f"The labels in {self.path} belong to other data: {change[0]}. "
                f"{change[1]}, or start again with --labels and another file."
            )

    def close(self):
        """Close the file."""
        with self._lock:
            self._db.close()


def read_store(path):
    """State of a file of labels, which must exist, and facts about its rows."""
    if not os.path.isfile(path):
        raise StoreError(f"There is no file of labels {path}.")
    store = Store(path)
    try:
        names = "n_rows", "contents", "source", "is_file", "target"
        return store.catch_up(State()), {name: store.fact(name) for name in names}
    finally:
        store.close()


def _split(script):
    """Statements of a script; those of triggers hold semicolons themselves."""
    lines = ""
    for line in script.splitlines(keepends=True):
        lines += line
        if sqlite3.complete_statement(lines):
            yield lines
            lines = ""


def _other_file(path):
    return (
        f"{path} is not a file of labels of widemargin; choose another with --labels."
    )
