import math
from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score
from studio_events import label, names, random_events, redo, undo

from widemargin.studio.state import (
    Conflict,
    Event,
    Refusal,
    State,
    apply,
    check_action,
    check_name,
    compare_people,
)


def test_the_latest_label_counts_and_can_be_taken_back():
    state = apply(State(), label("a", [1, 2], "cat"), label("b", [2], "dog"))
    assert names(state) == {1: "cat", 2: "dog"}
    assert state.classes == ("cat", "dog")
    state = apply(state, undo("c", "b"))
    assert names(state) == {1: "cat", 2: "cat"}
    assert (state.can_undo("ann"), state.can_redo("ann")) == ("a", "b")
    state = apply(state, undo("d", "a"))
    assert names(state) == {}
    assert state.can_undo("ann") is None
    state = apply(state, redo("e", "a"), redo("f", "b"))
    assert names(state) == {1: "cat", 2: "dog"}
    assert state.can_redo("ann") is None


def test_a_new_label_ends_what_can_be_redone():
    state = apply(State(), label("a", [1], "cat"), undo("b", "a"))
    state = apply(state, label("c", [2], "dog"))
    assert state.can_redo("ann") is None
    assert names(apply(state, redo("d", "a"))) == {2: "dog"}


def test_undoing_an_older_label_keeps_a_later_one_of_somebody_else():
    state = apply(State(), label("a", [1], "cat"), label("b", [1], "dog", "bob"))
    state = apply(state, undo("c", state.can_undo("ann")))
    assert names(state) == {1: "dog"}
    assert names(apply(state, undo("d", "b", "bob"))) == {}


def test_only_own_labels_can_be_undone():
    state = apply(State(), label("a", [1], "cat"))
    assert state.can_undo("bob") is None
    assert names(apply(state, undo("b", "a", "bob"))) == {1: "cat"}


def test_a_label_can_be_taken_away():
    state = apply(State(), label("a", [1], "cat"), label("b", [1], None))
    assert names(state) == {}
    assert names(apply(state, undo("c", "b"))) == {1: "cat"}


def test_states_are_not_changed():
    first = apply(State(), label("a", [1], "cat"))
    apply(first, label("b", [1], "dog"), undo("c", "a"))
    assert names(first) == {1: "cat"}
    with pytest.raises(TypeError):
        first.labels[3] = None


def test_events_one_by_one_give_the_same_state_as_all_at_once(rng):
    events = random_events(rng, 200)
    state = State()
    for event in events:
        state = apply(state, event)
    assert state == apply(State(), *events)


def test_random_rows_are_those_that_were_drawn():
    state = apply(
        State(),
        label("a", [1], "cat", why="check"),
        label("b", [2], "cat", why="map"),
        label("c", [1], "dog", why="review"),
        label("d", [3], "dog", why="given"),
        label("e", [4], "dog", why="check"),
        undo("f", "e"),
    )
    assert sorted(state.random_rows) == [1, 3]


def test_a_class_may_have_no_labels():
    state = apply(State(), Event("class", "a", "ann", label="cat"))
    assert state.classes == ("cat",)
    assert not state.labels


def name_class(batch, name, kind="class", who="ann"):
    return Event(kind, batch, who, label=name)


def test_a_new_class_can_be_undone():
    state = apply(State(), label("a", [1], "cat"), name_class("b", "dog"))
    assert state.can_undo("ann") == "b"
    state = apply(state, undo("c", "b"))
    assert state.classes == ("cat",)
    assert apply(state, redo("d", "b")).classes == ("cat", "dog")
    state = apply(state, label("e", [2], "dog"))  # it is named again
    assert state.classes == ("cat", "dog")
    twice = apply(State(), label("a", [1], "cat"), name_class("b", "cat"))
    assert twice.can_undo("ann") == "a"  # nothing was added


def test_a_class_stays_while_somebody_else_uses_it():
    state = apply(State(), name_class("a", "dog"), label("b", [1], "dog", "bob"))
    state = apply(state, undo("c", "a"))
    assert state.classes == ("dog",)
    state = apply(state, undo("d", "b", "bob"), name_class("e", "dog", "remove"))
    assert state.classes == ()
    assert apply(state, redo("f", "b", "bob")).classes == ("dog",)


def test_a_class_that_was_removed_goes_with_a_label_that_brought_it_back():
    state = apply(State(), name_class("a", "cat"), name_class("b", "cat", "remove"))
    state = apply(state, label("c", [1], "cat", "bob"))  # by an old window
    assert state.classes == ("cat",)
    state = apply(state, undo("d", "c", "bob"))
    assert state.classes == ()
    state = apply(state, redo("e", "c", "bob"))
    assert state.classes == ("cat",)
    assert names(state) == {1: "cat"}


def test_a_class_without_labels_can_be_removed():
    state = apply(
        State(), *(label(name, [i], name) for i, name in enumerate(["cat", "dog"]))
    )
    remove = name_class("x", "cat", "remove")
    with pytest.raises(Refusal, match="1 row has the label 'cat'; a class can be"):
        check_action(state, remove, 10)
    assert apply(state, remove).classes == ("cat", "dog")  # of another process
    state = apply(state, label("u", [0], None))
    check_action(state, remove, 10)
    state = apply(state, remove)
    assert state.classes == ("dog",)
    check_action(state, remove, 10)  # a retry
    with pytest.raises(Refusal, match="There is no class 'cat'"):
        check_action(state, name_class("y", "cat", "remove"), 10)
    assert apply(state, undo("z", "x")).classes == ("cat", "dog")  # where it was
    assert apply(state, name_class("z", "cat")).classes == ("cat", "dog")


@pytest.mark.parametrize(
    ("event", "message"),
    [
        (label("a", [10], "cat"), "no row 10; rows are 0 to 9"),
        (label("a", [-1], "cat"), "no row -1"),
        (label("a", [True], "cat"), "no row True"),
        (label("a", ["1"], "cat"), "no row '1'"),
        (label("a", [], "cat"), "no row to label"),
        (label("a", [{}], "cat"), "no row {}"),
        (Event("remove", "a", "ann", (1,), "cat"), "'remove' has no rows, got 1"),
        (Event("undo", "a", "ann", ("x",)), "'undo' has no rows"),
        (label("a", [1, 1], "cat"), "one label at a time"),
        (label("a", [1], ""), "1 to 200 characters, got 0"),
        (label("a", [1], "x" * 201), "got 201"),
        (label("a", [1], "a\x00b"), "control characters, got U\\+0000"),
        (label("a", [1], "a\nb"), "U\\+000A"),
        (label("a", [1], "\u202etac"), "U\\+202E"),
        (label("a", [1], "cat", why="whim"), "no reason 'whim'"),
        (label("a", [1], 3), "must be text, got int"),
        (label("", [1], "cat"), "name of a batch"),
        (label("a", [1], "cat", who="\x1b[31m"), "name of a person"),
        (Event("burn", "a", "ann"), "no action 'burn'"),
        (Event("class", "a", "ann"), "must be text, got NoneType"),
    ],
)
def test_bad_actions_are_refused(event, message):
    with pytest.raises(Refusal, match=message):
        check_action(State(), event, 10)


def test_names_are_compared_as_they_look():
    assert check_name("  nai\u0308ve ") == "na\u00efve"
    joined = "نیم\u200cفاصله"  # the joiner is part of the spelling
    assert check_name(joined) == joined


def test_the_second_of_two_windows_is_told():
    state = apply(State(), label("a", [1], "cat", place=7))
    check_action(state, label("b", [1], "dog"), 10, seen={1: 7})
    with pytest.raises(
        Conflict, match="Row 2 was changed in the meantime: it is labeled 'cat'"
    ):
        check_action(state, label("b", [1], "dog"), 10, seen={1: 0})


def test_a_label_is_confirmed_by_a_review_that_keeps_it():
    given = label("a", [1, 2], "cat")
    kept, other = label("b", [1], "cat", why="review"), label("b", [1], "dog")
    assert not apply(State(), given).is_confirmed(1)
    assert not apply(State(), kept).is_confirmed(1)  # its first label
    assert not apply(State(), given, replace(kept, why="map")).is_confirmed(1)
    state = apply(State(), given, kept)
    assert state.is_confirmed(1)
    assert not state.is_confirmed(2)
    assert state.confirmed_rows == [1]
    assert not state.is_confirmed(9)
    changed = apply(State(), given, replace(other, why="review"))
    assert not changed.is_confirmed(1)
    assert not apply(state, replace(other, batch="c")).is_confirmed(1)
    state = apply(state, undo("u", "b"))
    assert not state.is_confirmed(1)
    assert apply(state, redo("r", "b")).is_confirmed(1)
    removed = label("x", [1], None), label("y", [1], None, why="review")
    assert not apply(State(), given, *removed).is_confirmed(1)


def test_agreement_is_that_of_scikit_learn(rng):
    n, names = 40, np.array(["x", "y", "z"])
    first, second = rng.integers(3, size=(2, n))
    events = [label(f"a{i}", [i], names[first[i]]) for i in range(n)]
    events += [label(f"b{i}", [i], names[second[i]], "bob") for i in range(5, n)]
    events += [label("c", [99], "x", "file", why="given")]
    (found,) = compare_people(apply(State(), *events))
    assert found.people == ("ann", "bob")
    assert found.n_rows == n - 5
    assert found.n_same == (first[5:] == second[5:]).sum()
    assert found.kappa == pytest.approx(cohen_kappa_score(first[5:], second[5:]))
    assert set(found.different) == set(5 + np.flatnonzero(first[5:] != second[5:]))


def test_agreement_beyond_chance_is_not_defined_for_a_single_class():
    events = label("a", [1], "x"), label("b", [1], "x", "bob")
    (found,) = compare_people(apply(State(), *events))
    assert (found.n_same, math.isnan(found.kappa)) == (1, True)
