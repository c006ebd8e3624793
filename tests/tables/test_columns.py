from datetime import date

import numpy as np
import pandas as pd
import pytest

from widemargin.tables.columns import Kind, examine_columns
from widemargin.tables.errors import TableError

N = 200


def judge(values, name="a", **options):
    frame = pd.DataFrame({name: values, "other": np.linspace(0, 1, len(values))})
    return examine_columns(frame, **options)[0]


@pytest.mark.parametrize(
    "values",
    [
        np.linspace(0, 1, N),
        np.arange(N) % 7,
        np.arange(N) % 2 == 0,
        ["true", "False"] * (N // 2),
        [True, None] * (N // 4) + [False] * (N // 2),
        [f"{i}.5" for i in range(N)],
        np.random.default_rng(0).permutation(N),  # whole, different, in no order
    ],
)
def test_numbers(values):
    assert judge(values).kind is Kind.NUMBERS


@pytest.mark.parametrize(
    "values",
    [
        ["red", "green"] * (N // 2),
        ["yes", None] * (N // 2),  # a gap is also a value
        ["1,000", "2,500"] * (N // 2),
        [f"town {i % 90}" for i in range(N)],
        ["a", "b", "c"],
    ],
)
def test_categories(values):
    assert judge(values).kind is Kind.CATEGORIES


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ([None] * N, "empty"),
        ([3.5] * N, "always 3.5"),
        ([3.5, None] * (N // 2), "always 3.5"),
        (["x"] * N, "always 'x'"),
        (np.arange(N), "looks like an identifier: a different number"),
        ([f"user-{i}" for i in range(N)], "identifier or free text: 200 different"),
        ([f"town {i % 150}" for i in range(400)], "150 different values are too many"),
        (["2024-01-05", "2024-02-01 12:00"] * (N // 2), "dates"),
        (["5.1.2024", "31/12/99"] * (N // 2), "dates"),
        (pd.date_range("2024", periods=N), "dates"),
        ([date(2024, 1, 5), date(2024, 2, 1)] * (N // 2), "dates"),
        ([[1, 2]] * N, "each cell is a list"),
    ],
)
def test_left_out(values, reason):
    column = judge(values)
    assert column.kind is Kind.LEFT_OUT
    assert reason in column.reason


@pytest.mark.parametrize(
    ("values", "advice"),
    [
        ([f"{i % 9} %" for i in range(N)], "write numbers without '%'"),
        ([f"€{i % 9}.50" for i in range(N)], "write numbers without '€'"),
        ([f"{i % 9},5" for i in range(N)], "--decimal ','"),
        ([f"1'{i % 9}00" for i in range(N)], 'without "\'"'),
        (["1,5", "2", None, "?"] * (N // 4), "--decimal ','"),
    ],
)
def test_numbers_written_otherwise_are_doubted(values, advice):
    column = judge(values)
    assert column.kind is Kind.CATEGORIES
    assert advice in column.doubt


def test_different_numbers_written_otherwise_are_no_identifiers():
    column = judge([f"{i},25" for i in range(N)])
    assert column.kind is Kind.LEFT_OUT
    assert "looks like numbers such as '0,25'" in column.reason


@pytest.mark.parametrize("text", ["5 apples", "1.2.3", "v5", "10-20", "a%", "1,2,3"])
def test_other_texts_are_not_doubted(text):
    assert judge([text, "b", "b"] * (N // 3)).doubt == ""


def test_a_mixture_with_a_separator_is_not_called_missing():
    with pytest.raises(
        TableError, match=r"\(row 3\); write numbers without ','"
    ) as info:
        judge(["1", "2", "1,234"] * (N // 3))
    assert "--missing" not in str(info.value)


@pytest.mark.parametrize("name", ["id", "ID", "customer_id", "Order No", "column 1"])
def test_names_tell_identifiers(name):
    values = np.random.default_rng(0).permutation(10 * N)[:N]
    assert judge(values, name).kind is Kind.LEFT_OUT
    assert judge(values, "width").kind is Kind.NUMBERS
    assert judge(values % 50, name).kind is Kind.NUMBERS  # not different in each row


def test_mixtures_are_refused_with_a_way_out():
    values = ["1.5"] * (N - 1) + ["lots"]
    with pytest.raises(TableError, match="1 of its 200 values is like 'lots'"):
        judge(values)
    assert judge(values, categorical=["a"]).kind is Kind.CATEGORIES
    assert judge(values, dropped=["a"]).reason == "by --drop"
    assert judge(["12", "b", "c"] * 60).kind is Kind.CATEGORIES  # mostly text


def test_a_column_has_one_use():
    with pytest.raises(TableError, match="'a' has more than one of --numeric"):
        judge(np.arange(N) % 7, numeric=["a"], dropped=["a"])


def test_a_table_without_features_is_refused():
    with pytest.raises(TableError, match=r"No column of x.csv is left .*'a': empty"):
        examine_columns(pd.DataFrame({"a": [None, None]}), name="x.csv")
