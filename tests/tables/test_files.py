import contextlib
import csv
import gzip
import io
import sys

import numpy as np
import pandas as pd
import pytest

from widemargin.tables.errors import TableError, check_fitted
from widemargin.tables.files import (
    check_twice,
    check_writable,
    read_table,
    table_bytes,
)


@pytest.fixture
def read(tmp_path):
    def invoke(content, name="table.csv", **options):
        path = tmp_path / name
        path.write_text(content, encoding="utf-8")
        return read_table(path, **options)

    return invoke


def test_types_are_found(read):
    frame = read("a,b,c,d\n1,1.5,x,True\n2,,y,False\n")
    kinds = [frame[name].dtype.kind for name in "abcd"]
    assert kinds == ["i", "f", "O", "b"]


def test_missing_cells(read):
    frame = read("a,b\n NA ,\nnull,   \n?,none\n", missing=["?"])
    assert frame["a"].isna().all()
    assert frame["b"].tolist() == [None, None, "none"]


def test_blanks_around_cells_and_names_do_not_count(read):
    frame = read('a , b,"c"\nx , 1,"y "\nx, 2,y\n')
    assert list(frame) == ["a", "b", "c"]
    assert frame["a"].tolist() == ["x", "x"]
    assert frame["b"].tolist() == [1, 2]
    assert frame["c"].tolist() == ["y", "y"]


def test_quotes_and_unicode(read):
    frame = read('"größe, cm","say ""hi"""\n"1","line\nbreak"\n2,"a,b"\n')
    assert list(frame) == ["größe, cm", 'say "hi"']
    assert frame.iloc[:, 1].tolist() == ["line\nbreak", "a,b"]


def test_a_mark_of_byte_order_is_no_part_of_a_name(read):
    assert list(read("\ufeffa,b\n1,2\n")) == ["a", "b"]


def test_a_column_without_a_name_is_called_by_its_place(read):
    assert list(read(",a\n0,5\n1,6\n")) == ["column 1", "a"]


def test_numbers_with_separators_remain_text(read):
    assert read('a\n"1,234"\n"5,678"\n')["a"].tolist() == ["1,234", "5,678"]


def test_columns_can_be_read_as_text(read):
    assert read("a,b\n007,1\n01,2\n", text=["a"])["a"].tolist() == ["007", "01"]


def test_separators(read):
    assert read("a\tb\n1\t2\n", "table.tsv").shape == (1, 2)
    assert read("a;b\n1;2\n", separator=";").shape == (1, 2)
    assert read("a|b\n1|2\n", "t.txt", file_format="csv", separator="|").shape == (1, 2)


@pytest.mark.parametrize("separator", ["||", ", ", "§", ""])
def test_a_separator_is_one_character(read, separator):
    with pytest.raises(TableError, match="--separator must be one character"):
        read("a,b\n1,2\n", separator=separator)


def test_the_wrong_byte_of_a_long_file_is_named(tmp_path):
    path = tmp_path / "table.csv"
    path.write_bytes(b"a,y\n" + b"1,p\n" * 100_000 + b"2,\xe9\n")
    with pytest.raises(TableError, match="line 100,002 has the byte 0xe9"):
        read_table(path)


def test_encodings(tmp_path):
    path = tmp_path / "table.csv"
    path.write_bytes("größe,y\n1,ü\n".encode("latin-1"))
    assert list(read_table(path, encoding="latin-1")) == ["größe", "y"]
    with pytest.raises(TableError, match="is what it is") as info:
        read_table(path)
    assert "--encoding cp1252" in str(info.value)
    path.write_bytes(b"a,y\n1,\x81\n")  # nothing in cp1252
    with pytest.raises(TableError, match=r"line 2 has the byte 0x81\); .* latin-1 if"):
        read_table(path)
    path.write_bytes("größe,y\n1,ü\n".encode("latin-1"))
    assert "--format" not in str(info.value)
    path.write_bytes("größe,y\n1,ü\n".encode("utf-16"))
    with pytest.raises(TableError, match="add --encoding utf-16"):
        read_table(path)
    assert list(read_table(path, encoding="utf-16")) == ["größe", "y"]
    path.write_bytes(b"\x89PNG\0\0")
    with pytest.raises(TableError, match=r"\(byte 0 is 0x89\); save it as CSV"):
        read_table(path)


def test_compressed_by_gzip(tmp_path):
    path = tmp_path / "table.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n1,2\n"))
    assert read_table(path).shape == (1, 2)
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(TableError, match="cannot be unpacked by gzip"):
        read_table(path)
    with pytest.raises(TableError, match="is an archive; unpack it first"):
        read_table(tmp_path / "table.tar.gz", file_format="csv")


def test_decimal_commas(read):
    frame = read('a,b\n"1,5",x\n"2",y\n', decimal=",")
    assert frame["a"].tolist() == [1.5, 2.0]


def test_a_closed_standard_input_is_told(monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(TableError, match="stdin: it is closed"):
        read_table("-")


def test_standard_input_is_csv(monkeypatch):
    stream = io.TextIOWrapper(io.BytesIO(b"a,b\n1,2\n"))
    monkeypatch.setattr(sys, "stdin", stream)
    assert read_table("-").shape == (1, 2)


def test_arrays(tmp_path):
    path = tmp_path / "table.npz"
    X, y = np.arange(6.0).reshape(3, 2), np.array(["u", "", "v"])
    np.savez(path, X=X, y=y)
    frame = read_table(path)
    assert list(frame) == ["X_0", "X_1", "y"]
    assert frame["y"].tolist() == ["u", None, "v"]
    np.savez(path, y=np.array(["u", None], dtype=object))
    with pytest.raises(TableError, match="not of objects"):
        read_table(path)


def test_arrays_of_the_same_name(tmp_path):
    path = tmp_path / "table.npz"
    np.savez(path, X=np.zeros((3, 2)), X_0=np.ones(3))
    with pytest.raises(TableError, match="more than one column 'X_0'"):
        read_table(path)


def test_numbers_that_mark_missing_cells_of_arrays(tmp_path):
    path = tmp_path / "table.npz"
    np.savez(path, a=np.array([1, -99, 3]), b=np.array([0.5, 1.5, -99.0]))
    frame = read_table(path, missing=["-99"])
    assert frame["a"].isna().tolist() == [False, True, False]
    assert frame["b"].isna().tolist() == [False, False, True]


def test_parquet_keeps_types(tmp_path):
    pytest.importorskip("pyarrow")
    path = tmp_path / "table.parquet"
    frame = pd.DataFrame(
        {"a": [1, 2], "b": ["x", None], "c": pd.Categorical(["u", "v"])}
    )
    frame.to_parquet(path)
    read = read_table(path)
    assert read["a"].tolist() == [1, 2]
    assert read["b"].tolist() == ["x", None]
    path.write_bytes(b"nothing of the kind")
    with pytest.raises(TableError, match="is not a Parquet file"):
        read_table(path)


def test_names_are_compared_in_linear_time():
    """20,000 columns took four seconds."""

    class Counted(str):
        n_compared = 0
        __hash__ = str.__hash__

        def __eq__(self, other):
            Counted.n_compared += 1
            return str.__eq__(self, other)

    names = [Counted(f"column {i}") for i in range(5000)]
    check_twice([*names], "table.csv")
    assert Counted.n_compared < len(names)
    with pytest.raises(TableError, match="more than one column 'column 7'"):
        check_twice([*names, Counted("column 7")], "table.csv")


FRAME = pd.DataFrame({"row": [1, 2], "label": ["a,b", 'say "c"']})


def test_text():
    assert table_bytes(FRAME) == b'row,label\n1,"a,b"\n2,"say ""c"""\n'
    assert table_bytes(FRAME, ".TSV").splitlines()[1] == b"1\ta,b"


def test_every_cell_can_be_read_again():
    cells = ["a\rb", "a\nb", "a\r\nb", " a", 'a"', "a,b", "a\tb", "=a"]
    for ending, separator in ((".csv", ","), (".tsv", "\t")):
        data = table_bytes(pd.DataFrame({"label": cells, "n": range(8)}), ending)
        read = pd.read_csv(io.BytesIO(data), sep=separator)
        assert read["label"].tolist() == cells
        assert read["n"].tolist() == list(range(8))


def test_parquet():
    pytest.importorskip("pyarrow")
    read = pd.read_parquet(io.BytesIO(table_bytes(FRAME, ".parquet")))
    assert read["label"].tolist() == FRAME["label"].tolist()


@pytest.mark.parametrize("path", ["table", "table.npz", "table.doc"])
def test_other_endings_are_refused(path):
    with pytest.raises(TableError, match="change its name"):
        check_writable(path)


def test_the_length_of_cells_stays_unlimited_elsewhere(tmp_path):
    """The limit of the module csv holds for the whole process, also after errors."""
    before = csv.field_size_limit()
    path = tmp_path / "table.csv"
    for text in ("a,b\n1,2\n", "a,b\n1\n2,3\n", 'a,b\n"1\n', ""):
        path.write_text(text)
        with contextlib.suppress(TableError):
            read_table(path)
        assert csv.field_size_limit() == before


def test_formulas_are_guarded():
    """Cells and names, but neither numbers nor columns that are not named."""
    texts = ["-2+3", "@a", "+1", "\tx", "a=b", ""]
    frame = pd.DataFrame({"=x": texts, "n": range(-3, 3), "=y": texts})
    data = table_bytes(frame, guarded=["=x", "n"])
    found = pd.read_csv(io.BytesIO(data), keep_default_na=False)
    assert list(found) == ["'=x", "n", "=y"]
    assert found["'=x"].tolist() == ["'-2+3", "'@a", "+1", "'\tx", "a=b", ""]
    assert found["n"].tolist() == list(range(-3, 3))
    assert found["=y"].tolist() == texts


def test_repeated_names_in_a_workbook_are_refused(tmp_path):
    """pandas would rename the second one without a word."""
    openpyxl = pytest.importorskip("openpyxl")
    book, path = openpyxl.Workbook(), tmp_path / "t.xlsx"
    for line in (["a", "b", "a", None], [1, 2, 3, 4], [5, 6, 7, 8]):
        book.active.append(line)
    book.save(path)
    with pytest.raises(TableError, match="more than one column 'a'"):
        read_table(path)
    book.active["C1"] = 2024
    book.save(path)
    assert list(read_table(path)) == ["a", "b", "2024", "column 4"]


@pytest.mark.parametrize("ending", ["parquet", "xlsx"])
def test_a_table_that_is_too_large_is_not_taken_for_a_broken_one(
    tmp_path, monkeypatch, ending
):
    def fail(*_, **__):
        raise MemoryError

    monkeypatch.setattr("pandas.read_parquet", fail)
    monkeypatch.setattr("pandas.ExcelFile", fail)
    path = tmp_path / f"table.{ending}"
    path.write_bytes(b"some bytes")
    with pytest.raises(MemoryError):
        read_table(path)


def test_a_euro_sign_of_windows_is_read_as_advised(tmp_path):
    path = tmp_path / "table.csv"
    path.write_bytes("a,y\n12€,p\n".encode("cp1252"))
    with pytest.raises(
        TableError, match=r"line 2 has the byte 0x80.* --encoding cp1252"
    ):
        read_table(path)
    assert read_table(path, encoding="cp1252")["a"].tolist() == ["12€"]


def test_quotes_are_what_to_check_in_a_row_that_is_too_long(read):
    with pytest.raises(
        TableError, match=r"begins with '2'\. Cells that contain ',' need"
    ):
        read("a,b\n1,x\n2,x, y\n")


def test_all_columns_that_may_be_meant_are_named():
    with pytest.raises(TableError, match="Did you mean 'Message' and 'PLAN'"):
        check_fitted(["message", "plan"], ["Message", "PLAN"], "new.csv", "the model")
