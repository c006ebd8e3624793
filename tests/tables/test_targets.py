from datetime import date

import pandas as pd
import pytest

from widemargin.tables.errors import TableError
from widemargin.tables.targets import read_target


def read(values, dtype=None, **options):
    return read_target(pd.Series(values, name="y", dtype=dtype), **options)[1]


@pytest.mark.parametrize(
    ("values", "dtype", "classes"),
    [
        (["b", None, "a", "b"], object, ["a", "b"]),
        ([1.0, None, 0.0, 1.0], float, [0, 1]),
        ([1, -1, 0, 1], int, [0, 1]),
        ([True, None, False, True], object, [False, True]),
        (["b", None, "a", "b"], "category", ["a", "b"]),
        ([1, None, 0, 1], "Int64", [0, 1]),
        ([1, None, 0, 1], "float32", [0, 1]),
        ([1, None, 0, 1], "Float64", [0, 1]),
    ],
)
def test_empty_cells_are_unlabeled(values, dtype, classes):
    labels = read(values, dtype)
    assert labels.classes.tolist() == classes
    assert [type(name) for name in labels.classes.tolist()] == [type(classes[0])] * 2
    assert labels.labeled.tolist() == [True, False, True, True]


def test_numbers_beside_text_can_be_names():
    values = ["1", "2", "two", None]
    with pytest.raises(TableError, match="'y' mixes numbers and text"):
        read(values, object)
    assert read(values, object, as_names=True).classes.tolist() == ["1", "2", "two"]


def test_measured_numbers_are_no_classes():
    with pytest.raises(TableError, match=r"'y' holds measured numbers such as 0.5"):
        read([0.5, 1.0, None])
    assert read([0.5, 1.0, None], as_names=True).classes.tolist() == ["0.5", "1.0"]


def test_one_thing_marks_a_row_without_a_label():
    with pytest.raises(TableError, match="'y' holds empty cells and -1, which both"):
        read([1.0, -1.0, None])
    with pytest.raises(TableError, match="add --categorical 'y' if -1 is one"):
        read([1, -1, 1])


def test_long_numbers_beside_empty_cells_are_refused():
    """As floats some of them would be the same."""
    with pytest.raises(TableError, match="add --categorical 'y'"):
        read([1e16, 1e16 + 2, None])
    assert read([10**16, 10**16 + 1]).classes.tolist() == [10**16, 10**16 + 1]


@pytest.mark.parametrize("value", [date(2024, 1, 5), b"name", ["a", "b"]])
def test_what_can_be_no_class_is_refused(value):
    with pytest.raises(TableError, match=r"'y' holds values such as .* not classes"):
        read([value, "other", None], object)
