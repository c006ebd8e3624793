import numpy as np
import pandas as pd
import pytest

from widemargin.studio.contents import describe_rows, find_change


@pytest.fixture
def frame(rng):
    words = rng.choice(["a", "b", "n/a"], 20)
    return pd.DataFrame({"x": rng.normal(size=20), "n": np.arange(20), "w": words})


def said(known, now, **uses):
    return find_change(describe_rows(known, "table"), describe_rows(now, "table"))


def test_a_file_that_was_written_again_is_the_same(frame, tmp_path):
    assert said(frame, frame) is None
    frame.to_csv(tmp_path / "t.csv", index=False)
    texts = pd.read_csv(tmp_path / "t.csv", dtype=str, keep_default_na=False)
    assert said(frame, texts) is None
    texts["x"] += "0"  # another way to write the same number
    texts["w"] = texts["w"].replace("n/a", "")
    assert said(frame, texts[["w", "x", "n"]]) is None
    frame.loc[3, "n"] = 2**60  # longer than a float is exact
    assert said(frame, frame.assign(n=frame["n"] + (frame["n"] == 2**60))) is not None


def test_what_has_changed_is_named(frame):
    order = frame["x"].argsort()
    moved = frame.iloc[order].reset_index(drop=True)
    for now, text in (
        (frame[:9], "the input had 20 rows and has 9 now"),
        (moved, "the rows are in another order"),
        (frame.assign(x=frame["x"] + (frame.index == 3)), "values in the column 'x'"),
        (frame.assign(x=1.0, w="a"), "values in the columns 'x', 'w' have changed"),
        (frame.drop(columns="w"), "the column 'w' is no longer there"),
        (frame.assign(u=1, v=2), "the columns 'u', 'v' are new"),
        (frame.rename(columns={"w": "W"}), "no longer there, and the column 'W' is"),
    ):
        assert text in said(frame, now)[0]
        assert said(frame, now)[1] == "Restore the input"


def test_columns_in_use_are_compared_if_both_are_known(frame):
    known = describe_rows(frame, "table", uses={"x": "numbers", "n": "numbers"})
    now = describe_rows(frame, "table", uses={"x": "categories", "w": "text"})
    what, way = find_change(known, now)
    assert "'n' was used and is left out now" in what
    assert "'w' was left out and is used now" in what
    assert "'x' was used as numbers and is used as categories now" in what
    assert "--drop" in way
    assert find_change(known, now, features=False) is None
    assert find_change(known, describe_rows(frame, "table")) is None
    embedded = describe_rows(frame, "table", features="abc")
    assert find_change(known, embedded)[0] == "the features have changed"
