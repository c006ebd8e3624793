import numpy as np
import pandas as pd
import pytest

from widemargin.studio.cards import CardMaker
from widemargin.studio.live import LiveModel
from widemargin.studio.sources import Source, from_arrays
from widemargin.studio.state import State


@pytest.fixture
def frame(rng):
    """Forty columns of noise, each with another scale; the first ones constant."""
    columns = {f"c{i}": 10.0 ** (i % 5) * rng.normal(size=60) for i in range(40)}
    constant = {"zero": np.zeros(60), "same": ["same"] * 60, "none": [np.nan] * 60}
    return pd.DataFrame({**constant, **columns, "kind": ["a", "b"] * 30})


def cards_of(frame):
    X = np.arange(2.0 * len(frame)).reshape(-1, 2)
    return CardMaker(Source("table", X, frame=frame, shown=frame))


def names_in(line):
    return [part.split()[0] for part in line["text"].split(", ")]


def test_a_row_in_a_line_has_its_most_unusual_columns(frame):
    frame.loc[7, "c33"] = -50.0 * 10.0**3
    frame.loc[7, "c12"] = 40.0 * 10.0**2
    frame.loc[8, "c33"] = np.nan
    cards = cards_of(frame)
    names = names_in(cards.brief(7))
    assert {"c33", "c12"} <= set(names)
    assert names.index("c12") < names.index("c33")  # in the order of the table
    assert len(names) <= 6
    for row in range(60):
        assert not {"zero", "same", "none"} & set(names_in(cards.brief(row)))
    assert "c33" not in names_in(cards.brief(8))


def test_a_group_has_the_columns_in_which_its_mean_differs(frame):
    group = list(range(20, 35))
    frame.loc[group, "c25"] += 9.0
    frame.loc[20, "c3"] = 30.0 * 10.0**3  # in a single row
    cards = cards_of(frame)
    lines = cards.briefs(group, 4)
    assert [line["row"] for line in lines] == group[:4]
    assert all("c25" in names_in(line) for line in lines)
    kinds = {"a", "b"}  # words are shown without the name of their column
    assert len({frozenset({*names_in(line)} - kinds) for line in lines}) == 1
    assert "c3" in names_in(cards.brief(20))


def test_a_wide_card_leaves_out_constant_columns(frame):
    state = State()
    snapshot = LiveModel(np.zeros((60, 1))).empty(state)
    card = cards_of(frame).make(0, snapshot, state.classes)
    names = [cell["name"] for cell in card["columns"]]
    assert len(names) == 30
    assert not {"zero", "same", "none"} & set(names)
    assert names == [name for name in frame if name in names]  # in their order
    assert card["n_columns"] == 44


def test_identifiers_are_the_last_columns(rng):
    keys = [f"k{number}" for number in rng.permutation(60)]
    frame = pd.DataFrame({"key": keys, "b": rng.normal(size=60)})
    frame["a"] = ["x", "y", "z"] * 20
    source = from_arrays(frame)
    state = State()
    snapshot = LiveModel(source.X).empty(state)
    cards = CardMaker(source)
    card = cards.make(3, snapshot, state.classes)
    assert [cell["name"] for cell in card["columns"]] == ["b", "a", "key"]
    assert names_in(cards.brief(3)) == ["b", "x", keys[3]]


def test_missing_cells_are_no_problem():
    frame = pd.DataFrame({"a": [np.nan, 1, 2, np.nan], "b": [1, 2, 3, 4]})
    cards = cards_of(frame)
    assert names_in(cards.brief(3)) == ["b"]
    assert len(cards.briefs([0, 3], 2)) == 2
