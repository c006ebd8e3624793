"""Events for tests of the page to label on."""

from widemargin.studio.state import Event, State, apply


def label(batch, rows, name, who="ann", why="suggested", place=0):
    return Event("label", batch, who, tuple(rows), name, why, place=place)


def undo(batch, target, who="ann"):
    return Event("undo", batch, who, target=target)


def redo(batch, target, who="ann"):
    return Event("redo", batch, who, target=target)


def names(state):
    return {row: event.label for row, event in state.labels.items()}


def random_events(rng, n):
    """Labels of few rows by two people, and undos and redos that can be done."""
    state, events = State(), []
    for i in range(n):
        who, kind = str(rng.choice(["ann", "bob"])), str(rng.choice(list("lllurcx")))
        target = {"u": state.can_undo, "r": state.can_redo}.get(kind, lambda _: 0)(who)
        if target is None:
            continue
        rows = rng.choice(6, rng.integers(1, 4), replace=False).tolist()
        name = [None, "cat", "dog"][rng.integers(3)]
        event = {
            "l": label(str(i), rows, name, who, place=i + 1),
            "u": undo(str(i), target, who),
            "r": redo(str(i), target, who),
            "c": Event("class", str(i), who, label=str(name), place=i + 1),
            "x": Event("remove", str(i), who, label=str(name), place=i + 1),
        }[kind]
        events.append(event)
        state = apply(state, event)
    return events
