"""What is known about the labels, derived from events; nothing here has side effects.

An event is appended and never changed. Undoing a batch of labels is a new event, and so
is redoing it: a batch counts unless the last of these events about it is "undo". The
label of a row is that of its latest batch that counts.
"""

import unicodedata
from collections import Counter
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType

KINDS = ("label", "skip", "undo", "redo", "class", "remove")  # the last two of classes
# Why a label was given. Rows of RANDOM were not chosen because of what they are, so
# that the error can be estimated from their labels.
REASONS = (
    "given",
    "random",
    "check",
    "suggested",
    "cluster",
    "map",
    "review",
    "search",
)
RANDOM = frozenset({"given", "random", "check"})
LONGEST_NAME = 200
_OVERRIDES = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def _empty():
    return MappingProxyType({})


class Refusal(ValueError):
    """An action that cannot be carried out; the message says why."""


class Conflict(Refusal):
    """Somebody else labeled the row first."""


@dataclass(frozen=True)
class Event:
    """Something that a person did, with all rows that it was done to at once."""

    kind: str
    batch: str  # a name that its sender chose; a second one of the same name is a retry
    who: str
    rows: tuple = ()
    label: str | None = None  # None takes a label away
    why: str = ""
    target: str | None = None  # the batch that is undone or redone
    at: str = ""  # when it was stored
    place: int = 0  # its number in the store


@dataclass(frozen=True)
class State:
    """Labels, classes, and what can be undone."""

    named: tuple = ()  # all classes that there were, in order
    removed: frozenset = frozenset()  # some of them
    # name -> names of batches that added or removed this class, in order
    namings: MappingProxyType = field(default_factory=_empty)
    # row -> Event that gave its label
    labels: MappingProxyType = field(default_factory=_empty)
    # row -> names of its batches, in order
    opinions: MappingProxyType = field(default_factory=_empty)
    # name -> Event that labeled rows, or added or removed a class
    batches: MappingProxyType = field(default_factory=_empty)
    skipped: frozenset = frozenset()
    # who -> names of batches that can be undone
    done: MappingProxyType = field(default_factory=_empty)
    # who -> names of batches that can be redone
    undone: MappingProxyType = field(default_factory=_empty)
    inactive: frozenset = frozenset()
    place: int = 0  # of the last event

    @cached_property
    def classes(self):
        """Names of the classes, in the order of their keys."""
        return tuple(name for name in self.named if name not in self.removed)

    @property
    def random_rows(self):
        """Labeled rows that were drawn at random, as far as is known."""
        return [
            row
            for row in self.labels
            if any(self.batches[name].why in RANDOM for name in self.active(row))
        ]

    @property
    def names(self):
        """The class of each labeled row."""
        return {row: event.label for row, event in self.labels.items()}

    def active(self, row):
        """Names of the batches that count for a row, in order."""
        names = self.opinions.get(row, ())
        return [name for name in names if name not in self.inactive]

    def is_confirmed(self, row):
        """Whether a person reviewed the label of a row and kept it."""
        names = self.active(row)[-2:]
        if len(names) < 2:
            return False
        before, last = (self.batches[name] for name in names)
        return last.why == "review" and last.label == before.label is not None

    @property
    def confirmed_rows(self):
        """Labeled rows whose label a person reviewed and kept."""
        return [row for row in self.labels if self.is_confirmed(row)]

    def version(self, row):
        """The number of the event that labeled a row, 0 for none."""
        return self.labels[row].place if row in self.labels else 0

    def can_undo(self, who):
        """Name of the batch that a person would undo; None for none."""
        return (self.done.get(who) or (None,))[-1]

    def can_redo(self, who):
        """Name of the batch that a person would redo; None for none."""
        return (self.undone.get(who) or (None,))[-1]

    @property
    def n_proposed(self):
        """Labels of rows that the page proposed; every fifth is a random check."""
        return sum(
            event.why in ("suggested", "check") for event in self.labels.values()
        )

    def opinion(self, row, who):
        """The label that one person gave to a row; None for none."""
        for name in reversed(self.active(row)):
            if self.batches[name].who == who:
                return self.batches[name].label
        return None


_SETS = "skipped", "inactive", "removed"  # fields of a state
_MAPS = "labels", "opinions", "batches", "done", "undone", "namings"


@dataclass
class _Draft:
    """A state that is being changed."""

    state: State

    def __post_init__(self):
        self.named, self.place = list(self.state.named), self.state.place
        for name in _SETS:
            setattr(self, name, set(getattr(self.state, name)))
        for name in _MAPS:
            setattr(self, name, dict(getattr(self.state, name)))

    def freeze(self):
        return replace(
            self.state,
            named=tuple(self.named),
            place=self.place,
            **{name: frozenset(getattr(self, name)) for name in _SETS},
            **{name: MappingProxyType(getattr(self, name)) for name in _MAPS},
        )

    def apply(self, event):
        self.place = max(self.place, event.place)
        getattr(self, f"_{event.kind}")(event)

    def _class(self, event):
        if event.label not in self.named or event.label in self.removed:
            self._name(event)

    def _remove(self, event):
        is_there = event.label in self.named and event.label not in self.removed
        if is_there and not self._is_used(event.label):
            self._name(event)

    def _name(self, event):
        """Add or remove a class."""
        name = event.label
        self.namings[name] = (*self.namings.get(name, ()), event.batch)
        self._note(event)
        self._derive_class(name)

    def _is_used(self, name):
        return any(event.label == name for event in self.labels.values())

    def _show(self, name):
        if name not in self.named:
            self.named.append(name)
        self.removed.discard(name)

    def _derive_class(self, name):
        """Show or hide a class by the last batch about it that counts.

        Without any, it is there if a label named it before the first of them.
        """
        namings = [self.batches[batch] for batch in self.namings[name]]
        active = [event for event in namings if event.batch not in self.inactive]
        is_added = active[-1].kind == "class" if active else namings[0].kind == "remove"
        if is_added or self._is_used(name):
            self._show(name)
        else:
            self.removed.add(name)

    def _note(self, event):
        """Let a batch be undone."""
        self.batches[event.batch] = event
        self.done[event.who] = (*self.done.get(event.who, ()), event.batch)
        self.undone[event.who] = ()  # what was undone before cannot be redone

    def _skip(self, event):
        self.skipped.update(event.rows)

    def _label(self, event):
        if event.label is not None:
            self._show(event.label)
        self._note(event)
        for row in event.rows:
            self.opinions[row] = (*self.opinions.get(row, ()), event.batch)
        self._derive(event.rows)

    def _undo(self, event):
        self._move(event, self.done, self.undone)

    def _redo(self, event):
        self._move(event, self.undone, self.done)

    def _move(self, event, source, goal):
        names = source.get(event.who, ())
        if event.target not in names:  # of another store, or a second time
            return
        source[event.who] = tuple(name for name in names if name != event.target)
        goal[event.who] = (*goal.get(event.who, ()), event.target)
        (self.inactive.add if event.kind == "undo" else self.inactive.discard)(
            event.target
        )
        batch = self.batches[event.target]
        if batch.kind == "label":
            self._derive(batch.rows)
        if batch.label in self.namings:
            self._derive_class(batch.label)

    def _derive(self, rows):
        """Set the labels of some rows by their latest batch that counts."""
        for row in rows:
            names = [n for n in self.opinions[row] if n not in self.inactive]
            event = self.batches[names[-1]] if names else None
            if event is None or event.label is None:
                self.labels.pop(row, None)
            else:
                self.labels[row] = event
                self._show(event.label)  # if it was removed meanwhile


def apply(state, *events):
    """The state after some events."""
    draft = _Draft(state)
    for event in events:
        draft.apply(event)
    return draft.freeze()


def check_name(name, what="The name of a class"):
    """A name without surrounding blanks; `Refusal` if it cannot be shown safely."""
    if not isinstance(name, str):
        raise Refusal(f"{what} must be text, got {type(name).__name__}.")
    name = unicodedata.normalize("NFC", name).strip()
    if not 0 < len(name) <= LONGEST_NAME:
        raise Refusal(
            f"{what} must have 1 to {LONGEST_NAME} characters, got {len(name)}."
        )
    for character in name:
        is_control = unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp")
        if is_control or character in _OVERRIDES:
            raise Refusal(
                f"{what} must not hold control characters, got U+{ord(character):04X}."
            )
    return name


def check_action(state, event, n_rows, seen=None):
    """Raise `Refusal` unless an event can follow a state.

    `seen` is the version of each row that its sender knew, see `State.version`;
    `Conflict` if another person has changed a row since.
    """
    if event.kind not in KINDS:
        raise Refusal(f"There is no action {event.kind!r}; use one of {KINDS}.")
    check_name(event.batch, "The name of a batch")
    check_name(event.who, "The name of a person")
    if event.kind in ("label", "skip"):
        check_rows(event.rows, n_rows)
    elif event.rows:
        raise Refusal(f"The action {event.kind!r} has no rows, got {len(event.rows)}.")
    if event.kind == "label" and event.why not in REASONS:
        raise Refusal(f"There is no reason {event.why!r}; use one of {REASONS}.")
    if event.kind in ("class", "remove") or event.label is not None:
        check_name(event.label)
    if event.kind == "remove" and event.batch not in state.batches:
        _check_unused(state, event.label)
    for row, version in (seen or {}).items():
        if state.version(row) != version:
            label = state.labels[row].label if row in state.labels else None
            now = f"labeled {label!r}" if label else "not labeled"
            raise Conflict(
                f"Row {row + 1:,} was changed in the meantime: it is {now} now."
            )


def _check_unused(state, name):
    if name not in state.classes:
        raise Refusal(f"There is no class {name!r}.")
    n_labels = sum(event.label == name for event in state.labels.values())
    if n_labels:
        rows = "row has" if n_labels == 1 else "rows have"
        raise Refusal(
            f"{n_labels:,} {rows} the label {name!r}; a class can be removed when it "
            "has no labels."
        )


def check_rows(rows, n_rows):
    """Raise `Refusal` unless rows can be labeled together."""
    if not rows:
        raise Refusal("There is no row to label.")
    for row in rows:
        if type(row) is not int or not 0 <= row < n_rows:
            raise Refusal(f"There is no row {row!r}; rows are 0 to {n_rows - 1:,}.")
    if len(set(rows)) < len(rows):
        raise Refusal("A row can be given one label at a time.")


@dataclass(frozen=True)
class Agreement:
    """How far two people gave the same labels to the same rows."""

    people: tuple
    n_rows: int  # that both labeled
    n_same: int
    kappa: float  # Cohen's; NaN if chance alone would make all the same
    different: tuple  # rows


def compare_people(state):
    """`Agreement` of each two people with a row in common; files are no people."""
    given = {}
    for row in state.opinions:
        for name in state.active(row):
            event = state.batches[name]
            if event.why != "given":
                given.setdefault(event.who, {})[row] = event.label
    people, found = sorted(given), []
    for i, first in enumerate(people):
        for second in people[i + 1 :]:
            a, b = given[first], given[second]
            rows = [r for r in a if b.get(r) is not None and a[r] is not None]
            if rows:
                found.append(_compare((first, second), rows, a, b))
    return found


def _compare(people, rows, a, b):
    n, same = len(rows), [row for row in rows if a[row] == b[row]]
    counts = Counter(a[row] for row in rows), Counter(b[row] for row in rows)
    chance = sum(counts[0][name] * counts[1][name] for name in counts[0]) / n**2
    kappa = float("nan") if chance == 1 else (len(same) / n - chance) / (1 - chance)
    different = tuple(sorted(set(rows) - set(same)))
    return Agreement(people, n, len(same), kappa, different)
