from datetime import date

import numpy as np
import pandas as pd
import pytest

from widemargin.tables.cells import find_mixed_dates
from widemargin.tables.columns import Kind, examine_columns, list_notes
from widemargin.tables.errors import TableError

N = 200


def judge(values, name="a", **options):
    frame = pd.DataFrame({name: values, "other": np.linspace(0, 1, len(values))})
    return examine_columns(frame, **options)[0]


DATES = [
    ["2024-01-05", "2024-02-01 12:00"],
    ["5.1.2024", "31.12.1999"],
    ["13/01/2024", "2/12/2023"],
    ["1/31/24", "12/1/23"],
    ["3 Mar 2024", "14 Apr 2023"],
    ["March 3, 2024", "April 14, 2023"],
    ["March 3rd, 2024", "Sept 14, 2023"],
    ["2. Mai 2024", "4. Dezember 2024", "1. Maerz 2023", "15. Jän. 2023"],
    ["2 mai 2024", "1er août 2024", "4 déc. 2023", "3 janvier 2023"],
    ["3 janvier 2023 14:05", "2 mai 2024 9:00"],
    ["2 de mayo de 2024", "4 diciembre 2024", "3 ene 2023", "1 de marzo del 2023"],
    ["3-Mai-24", "4-Okt-23"],
    [date(2024, 1, 5), date(2024, 2, 1)],
    list(pd.to_datetime(["2024-01-05", "2023-02-01"], utc=True)),
]


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
        [f"{i % 9} %" for i in range(N)],
        [f"€{i % 9}.50" for i in range(N)],
        [f"-${i},000.25" for i in range(N)],
        [f"1'{i % 9}00" for i in range(N)],
        ["1,000", "2,500"] * (N // 2),
        [f"{i},25" for i in range(N)],  # different, and no identifier
    ],
)
def test_numbers(values):
    assert judge(values).kind is Kind.NUMBERS


@pytest.mark.parametrize(
    "values",
    [
        ["red", "green"] * (N // 2),
        ["yes", None] * (N // 2),  # a gap is also a value
        [f"town {i % 90}" for i in range(N)],
        ["a", "b", "c"],
        [f"New York City {i % 15}" for i in range(N)],  # few phrases
        [f"a{i % 60}b c{i % 60}d e{i % 60}f" for i in range(N)],  # no word in common
        [
            ["x", "one of the very long names"][i % 4 == 0] + f" {i % 30}"
            for i in range(N)
        ],
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
        ([f"user-{i}" for i in range(N)], "identifier: 200 different"),
        ([f"Ann{i} Lee{i}" for i in range(N)], "identifier: 200 different"),
        (["2024-01-05"] * N, "always '2024-01-05'"),
        ([[1, 2]] * N, "each cell is a list"),
    ],
)
def test_left_out(values, reason):
    column = judge(values)
    assert column.kind is Kind.LEFT_OUT
    assert reason in column.reason


@pytest.mark.parametrize("values", DATES)
def test_dates(values):
    assert judge(values * (N // 2)).kind is Kind.DATES


MIXED_DATES = ["2024-01-30", "30.01.2024", "2024-02-28", "Sep 11, 2024"]


def test_dates_in_different_formats_are_named():
    column = judge(MIXED_DATES * (N // 4))
    assert column.kind is Kind.LEFT_OUT
    assert column.reason == (
        "dates in different formats, such as '2024-01-30' and '30.01.2024'; write them "
        "in one format"
    )
    frame = pd.DataFrame({"a": MIXED_DATES})
    with pytest.raises(TableError, match=r"such as '2024-01-30' and '30\.01\.2024'"):
        examine_columns(frame, dates=["a"])
    assert find_mixed_dates(pd.Series(["2024-01-30", "a text", "3"])) is None
    assert find_mixed_dates(pd.Series(["2024-01-30", "2024-02-28"])) is None
    assert find_mixed_dates(pd.Series([3.5, True])) is None
    salaries = pd.Series(["12.10.24", *map(str, range(20_000, 60_000, 150))])
    assert find_mixed_dates(salaries) is None  # one date among numbers


@pytest.mark.parametrize(
    "values",
    [
        [f"the {i % 90} cup is red and number {i}" for i in range(N)],
        [f"town {i % 150}" for i in range(2 * N)],  # too many for categories
        [f"the cup {i % 60} is red" for i in range(N)],  # sentences that reoccur
        [f"the cup {i % 21} is red" for i in range(N - 50)] + [None] * 50,
    ],
)
def test_text(values):
    assert judge(values).kind is Kind.TEXT


@pytest.mark.parametrize(
    ("values", "note"),
    [
        (["5 %", "7 %"], "'5 %' is read as 5"),
        (["1,234", "2,000"], "'1,234' is read as 1234"),
        (["1.234,5", "2"], "'1.234,5' is read as 1234.5"),
        (["5,5", "6"], "'5,5' is read as 5.5"),
        (["(3.5)", "4"], "'(3.5)' is read as -3.5"),
        (["1/2/2024", "3/4/2024"], "'1/2/2024' is read as 02 January 2024; if the day"),
        (["1.2.2024", "3.4.2024"], ""),
        (["1.5", "true"], ""),
        (["12", "b"], ""),
    ],
)
def test_what_a_reader_may_not_expect_is_noted(values, note):
    found = judge(values * (N // 2)).note
    assert note in found if note else not found


def test_a_few_unreadable_cells_count_as_missing():
    for values, kind in (("1.5", Kind.NUMBERS), ("2024-01-05", Kind.DATES)):
        other = values.replace("5", "6")
        column = judge([values, other] * (N // 2 - 1) + ["lots", None])
        assert (column.kind, column.has_strays) == (kind, True)
        assert column.note == "1 cell such as 'lots' counted as missing"
    assert judge(["1", "2", "some", "many"] * (N // 4)).kind is Kind.CATEGORIES


@pytest.mark.parametrize("name", ["id", "ID", "customer_id", "Order No", "column 1"])
def test_names_tell_identifiers(name):
    values = np.random.default_rng(0).permutation(10 * N)[:N]
    assert judge(values, name).kind is Kind.LEFT_OUT
    assert judge(values, "width").kind is Kind.NUMBERS
    assert judge(values % 50, name).kind is Kind.NUMBERS  # not different in each row


def test_the_user_decides():
    values = ["1.5"] * (N - 1) + ["2"]
    for use, kind in (
        ("numeric", Kind.NUMBERS),
        ("categorical", Kind.CATEGORIES),
        ("text", Kind.TEXT),
        ("drop", Kind.LEFT_OUT),
    ):
        assert judge(values, **{use: ["a"]}).kind is kind
    with pytest.raises(TableError, match=r"the first is '1.5'"):
        judge(values, dates=["a"])


def test_a_column_has_one_use():
    with pytest.raises(TableError, match="'a' has both --numeric and --drop"):
        judge(np.arange(N) % 7, numeric=["a"], drop=["a"])


def test_a_table_without_features_is_refused():
    with pytest.raises(TableError, match=r"No column of x.csv is left .*'a': empty"):
        examine_columns(pd.DataFrame({"a": [None, None]}), name="x.csv")


def test_mixed_currencies_are_noted():
    column = judge(["$5", "7 EUR", "USD 3", "€2.50"] * 5)
    assert column.kind is Kind.NUMBERS
    assert column.note == "amounts in $ and € are used without conversion"
    assert "without conversion" not in judge(["$5", "USD 7", "3"] * 5).note


def test_rows_of_empty_cells_are_noted():
    frame = pd.DataFrame({"a": [1.0, None, 3.0, None] * 3, "b": ["x", None] * 6})
    frame["c"] = 1  # left out
    notes = list(list_notes(frame, examine_columns(frame)))
    assert notes == [
        "all cells of rows 2, 4, 6, 8, 10 and 1 more are empty; consider removing such "
        "rows"
    ]


@pytest.mark.parametrize("n_serial", [20, 100, 180])
def test_numbers_of_days_among_dates_are_left_out(n_serial):
    """Excel makes them of the dates that it takes for dates."""
    values = [str(45_000 + i) for i in range(n_serial)]
    values += [f"{13 + i % 15}/08/2024" for i in range(N - n_serial)]
    column = judge(values)
    assert column.kind is Kind.LEFT_OUT
    assert "'13/08/2024' and '45000'; write them in one format" in column.reason


def test_other_numbers_among_dates_are_strays():
    column = judge(["0"] * 10 + [f"{13 + i % 15}/08/2024" for i in range(N - 10)])
    assert (column.kind, column.has_strays) == (Kind.DATES, True)


@pytest.mark.parametrize(
    "text", ["2. Mai", "Mai 2024", "3 marathon 2024", "2 jui 2024"]
)
def test_not_every_word_is_a_month(text):
    assert judge([text, "x"] * 20).kind is Kind.CATEGORIES


@pytest.mark.parametrize(
    ("day_first", "form"), [(None, "%m/%d/%Y"), (False, "%m/%d/%Y"), (True, "%d/%m/%Y")]
)
def test_the_user_says_what_comes_first(day_first, form):
    column = judge(["02/05/2024", "03/04/2024"], day_first=day_first)
    assert column.form == form
    advice = "read as 05 February 2024; if the day comes first, add --day-first"
    assert (advice in column.note) == (day_first is None)
    listed = judge(["02/05/2024", "03/04/2024"], dates=["a"], day_first=day_first)
    assert listed.form == form
    clear = judge(["02/15/2024", "03/04/2024"], day_first=day_first)
    assert (clear.form, clear.note) == ("%m/%d/%Y", "")


@pytest.mark.parametrize(
    ("good", "cell", "advice"),
    [
        ("1.5", "70,70", "a decimal point, as in 28.70; write all of them in this way"),
        (
            "1,5",
            "$70.70",
            "a decimal comma, as in 28,70; write all of them in this way",
        ),
        ("31.01.2024", "10/24/2024", "in row 1; write all dates in one format"),
        ("1.5", "see the invoice of May", "correct it, or leave the column out"),
        ("1.5", "unclear", "if it marks a missing cell, add --missing 'unclear'"),
    ],
)
def test_only_what_may_mark_a_missing_cell_is_advised_as_one(good, cell, advice):
    others = {"1.5": "2.5", "1,5": "2,5", "31.01.2024": "01.02.2024"}
    reading = judge([good, others[good]] * 20).reading
    read = reading.dates if "%" in reading.form else reading.numbers
    with pytest.raises(TableError) as raised:
        read(pd.Series([cell, good]))
    assert advice in str(raised.value)
    assert ("--missing" in str(raised.value)) == (cell == "unclear")


def test_strays_of_new_rows_are_refused_if_they_are_many():
    """More than a fifth, as in training, and not only by chance."""
    reading = judge(["?"] * 9 + [f"{i}.5" for i in range(N - 9)]).reading
    assert reading.has_strays
    rows = pd.Series(["$1", "unclear"] * 20)
    with pytest.raises(TableError, match="20 of 40 cells cannot be read as such"):
        reading.numbers(rows)
    assert reading.numbers(pd.Series(["unclear"])).isna().all()
    assert reading.numbers(pd.Series(["1"] * 30 + ["unclear"] * 9)).isna().sum() == 9
