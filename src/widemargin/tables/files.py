"""Tables in files: text, Parquet, Excel, or NumPy arrays."""

import codecs
import csv
import gzip
import importlib.util
import io
import os
import re
import sys
import warnings
import zlib
from contextlib import contextmanager
from itertools import chain
from pathlib import Path

import numpy as np
import pandas as pd

from widemargin.checks import name_package
from widemargin.tables import FORMATS
from widemargin.tables.errors import TableError, check_twice

_ENDINGS = {f".{name}": name for name in FORMATS} | {".tab": "tsv", ".pq": "parquet"}
_GZIP = b"\x1f\x8b"  # the first bytes of such a file
_PACKED = (".zip", ".bz2", ".xz", ".zst", ".7z", ".rar", ".tar", ".tgz")
_WRITTEN = (".csv", ".tsv", ".parquet", ".xlsx")
_NEEDS = {  # package and extra for a format
    ".parquet": ("pyarrow", "parquet"),
    ".xlsx": ("openpyxl", "excel"),
}
_SEPARATORS = {"csv": ",", "tsv": "\t"}
_PLAIN_NUMBER = re.compile(r"[+-]?[\d.,]+([eE][+-]?\d+)?")
_MISSING = ("", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NaT", "null", "NULL")


def read_table(
    path,
    *,
    file_format=None,
    separator=None,
    decimal=".",
    encoding="utf-8",
    missing=(),
    text=(),
    target=None,
    keep_cells=False,
):
    """A table from a file, gzipped or not, or stdin; columns in `text` as text.

    Texts have no surrounding blanks, but those of `target` are kept as they stand. If
    `keep_cells`, also the table as it stands in the file: a pair of frames.
    """
    name = describe_path(path)
    endings = {Path(path).suffix.lower(), split_ending(path)[1]}
    if path != "-" and endings & set(_PACKED):
        raise TableError(f"{name} is an archive; unpack it first.")
    data = _read_bytes(path, name)
    if data.startswith(_GZIP):
        try:
            data = gzip.decompress(data)
        except (OSError, EOFError, zlib.error) as error:
            reason = str(error).rstrip(".")
            raise TableError(f"{name} cannot be unpacked by gzip: {reason}.") from error
    ending = split_ending(path)[1] if path != "-" else ".csv"
    if file_format is None and ending not in _ENDINGS:
        raise TableError(
            f"The ending of {path} does not show its format; add --format, one of "
            f"{', '.join(FORMATS)}, or save it as CSV."
        )
    file_format = file_format or _ENDINGS[ending]
    missing = all_marks(missing)
    if file_format in _SEPARATORS:
        separator = _SEPARATORS[file_format] if separator is None else separator
        separator = "\t" if separator == r"\t" else separator  # as typed in a shell
        if len(separator) != 1 or not separator.isascii():
            raise TableError(
                "--separator must be one character, such as ';' or '\\t', got "
                f"{separator!r}."
            )
        lines = _decode(data, name, encoding)
        options = {"sep": separator, "decimal": decimal, "skipinitialspace": True}
        frame, cells = _read_text(lines, name, missing, set(text), target, options)
    elif file_format == "parquet":
        frame = cells = _read_parquet(data, name)
    elif file_format == "xlsx":
        frame = cells = _read_excel(data, name)
    else:
        frame = cells = _read_npz(data, name)
    if not len(frame):
        raise TableError(f"{name} has no rows, only column names.")
    frame = tidy_cells(frame, missing, target)
    return (frame, cells) if keep_cells else frame


def all_marks(missing):
    """What marks a missing cell: the usual marks, and those of the user."""
    return [*_MISSING, *missing]


def describe_path(path):
    """What a file is called in messages."""
    return "stdin" if path == "-" else str(path)


def split_ending(path):
    """Name of a file without its folder and ending; the ending, such as ".csv"."""
    name = Path(path).name
    if name.lower().endswith(".gz"):
        name = name[: -len(".gz")]
    return Path(name).stem, Path(name).suffix.lower()


def is_table_name(path):
    """Whether the ending of a file's name is that of a table."""
    return split_ending(path)[1] in _ENDINGS


def _read_bytes(path, name):
    if path == "-":
        if sys.stdin is None:
            raise TableError("Cannot read stdin: it is closed.")
        return sys.stdin.buffer.read()
    try:
        return Path(path).read_bytes()
    except OSError as error:
        reason = os.strerror(error.errno).lower() if error.errno else error
        raise TableError(f"Cannot read {name}: {reason}.") from error


def _decode(data, name, encoding):
    """The text of a file."""
    try:
        return data.decode(encoding).removeprefix("\ufeff")
    except LookupError as error:
        raise TableError(
            f"--encoding must be the name of an encoding, such as cp1252, got "
            f"{encoding!r}."
        ) from error
    except UnicodeDecodeError as error:
        where = f"byte {error.start:,} is {data[error.start]:#04x}"
        likely = None if b"\0" in data else _likely_encoding(data)  # if it is a text
        if likely is not None:
            line = data.count(b"\n", 0, error.start) + 1
            where = f"line {line:,} has the byte {data[error.start]:#04x}"
        message = f"{name} is not a text file in {encoding.upper()} ({where}); save it"
        if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            likely = "utf-16"
        if likely is None or codecs.lookup(likely) == codecs.lookup(encoding):
            raise TableError(f"{message} as CSV in UTF-8.") from error
        raise TableError(
            f"{message} in UTF-8, or add --encoding {likely} if that is what it is."
        ) from error


def _likely_encoding(data):
    """That of Windows, in which 0x80 is the euro sign, unless bytes have no meaning."""
    try:
        data.decode("cp1252")
    except UnicodeDecodeError:
        return "latin-1"
    return "cp1252"


def _read_text(lines, name, missing, text, target, options):
    """A table of text, and its cells; pandas finds the types, not of the target."""
    rows = _read_rows(lines, name, options["sep"])
    names = _read_names(rows, name)
    cells = pd.DataFrame(
        list(_full(rows, names, name, options["sep"])), columns=names, dtype=object
    )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)
            frame = pd.read_csv(
                io.StringIO(lines),
                header=0,
                names=names,
                index_col=False,
                dtype={column: str for column in names if column in text},
                na_values=missing,
                keep_default_na=False,
                low_memory=False,
                **options,
            )
    except (pd.errors.ParserError, pd.errors.ParserWarning, ValueError) as error:
        reason = str(error).split("C error: ")[-1].strip().rstrip(".")
        raise _not_a_table(name, options["sep"], reason) from error
    if len(frame) != len(cells):  # of a line that pandas takes for a blank one
        raise _not_a_table(name, options["sep"], "a line holds nothing but blanks")
    if target in names:
        frame[target] = cells[target]
    return frame, cells


def _not_a_table(name, separator, reason):
    return TableError(
        f"{name} cannot be read as a table with cells separated by {separator!r}: "
        f"{reason}."
    )


def _read_rows(lines, name, separator):
    """The cells of each line that is not blank, as they stand; the header first.

    Blanks after a separator are part of the cell, unless cells in quotes follow them.
    """
    if "\0" in lines:
        raise TableError(
            f"{name} is not a text file: it contains NUL characters; save it as CSV in "
            "UTF-8."
        )
    # In a cell that is in quotes a quote is written twice.
    mark = re.escape(separator)
    spaced = rf'(^|{mark}) +"((?!")|"({mark}|$))'
    spaced = separator == " " or re.search(spaced, lines, re.MULTILINE)
    end = "\0"  # a cell of its own, unless a quote is still open
    with _long_cells(len(lines) + len(end)):
        cells = csv.reader(
            chain(io.StringIO(lines, newline=""), [end]),
            delimiter=separator,
            skipinitialspace=bool(spaced),
        )
        rows = list(cells)  # at once, since the limit holds for the whole process
    if rows[-1:] != [[end]]:
        raise _not_a_table(name, separator, "a quotation mark is never closed")
    return (row for row in rows[:-1] if row and not _is_blank(row))


def _is_blank(row):
    """Whether a line holds nothing but blanks."""
    return len(row) == 1 and bool(row[0]) and not row[0].strip(" \t")


@contextmanager
def _long_cells(length):
    """Let the module csv read cells of any length meanwhile."""
    before = csv.field_size_limit(length)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _full(rows, names, name, separator):
    """The rows, each of which must have a cell for every column."""
    for number, row in enumerate(rows, 1):
        if len(row) != len(names):
            what = f"it begins with {row[0][:40]!r}. Name all columns in the first line"
            if len(row) < len(names):
                what = "complete it. If it is the last one, the file may be cut off"
            elif row[0].strip():
                what = (
                    f"it begins with {row[0][:40]!r}. Cells that contain "
                    f"{separator!r} need quotation marks around them; check those of "
                    "this row, and whether the first line names all columns"
                )
            raise TableError(
                f"Row {number:,} of {name} has {len(row):,} cells, but the header "
                f"names {len(names):,} columns; {what}."
            )
        yield row


def _read_names(rows, name):
    """The first line; a column without a name gets its number as a name."""
    header = next(rows, None)
    if header is None:
        raise TableError(f"{name} is empty.")
    names = [value.strip() for value in header]
    names = [value or f"column {i + 1}" for i, value in enumerate(names)]
    check_twice(names, name)
    marks = [mark for mark in ";\t|," if mark in names[0]] if len(names) == 1 else ()
    if marks:
        raise TableError(
            f"{name} has one column, {names[0]!r}; if its cells are separated by "
            f"{marks[0]!r}, add --separator {marks[0]!r}."
        )
    return names


@contextmanager
def _reading(name, kind, ending):
    """Raise TableError if a package is missing, or a file is not of a kind."""
    try:
        yield
    except ImportError as error:
        needs = name_package(f"Reading {name}", *_NEEDS[ending])
        raise TableError(needs) from error
    except MemoryError:  # says nothing about the file
        raise
    except Exception as error:  # pyarrow, openpyxl and zipfile raise many kinds
        reason = str(error).splitlines()[0].rstrip(".")
        raise TableError(f"{name} is not {kind}: {reason}.") from error


def _read_parquet(data, name):
    with _reading(name, "a Parquet file", ".parquet"):
        frame = pd.read_parquet(io.BytesIO(data))
    frame.columns = [str(column) for column in frame.columns]
    check_twice(list(frame.columns), name)
    return frame.reset_index(drop=True)


def _read_excel(data, name):
    """The first sheet of a workbook."""
    options = {"keep_default_na": False, "na_values": [""]}
    with (
        _reading(name, "an Excel file (.xlsx)", ".xlsx"),
        pd.ExcelFile(io.BytesIO(data)) as book,
    ):
        frame = pd.read_excel(book, **options)
        header = pd.read_excel(book, header=None, nrows=1, **options)
    # Not the names that pandas gives, which renames the second "a" to "a.1".
    cells = header.iloc[:1].reindex(columns=range(frame.shape[1])).to_numpy().ravel()
    names = [
        f"column {i + 1}" if pd.isna(cell) else str(cell).strip()
        for i, cell in enumerate(cells)
    ]
    check_twice(names, name)
    return frame.set_axis(names, axis=1)


def _read_npz(data, name):
    """Vectors are columns; the columns of a matrix X are called X_0, X_1 and so on."""
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as file:
            arrays = dict(file)
    except Exception as error:  # numpy and zipfile raise many kinds for damaged files
        raise TableError(
            f"{name} is not an NPZ file of plain arrays; save it with numpy.savez, and "
            "text as an array of str, not of objects."
        ) from error
    columns = []
    for key, array in arrays.items():
        if array.ndim not in (1, 2) or array.dtype.kind not in "biufU":
            raise TableError(
                f"{name} holds {key!r} of shape {array.shape} and dtype {array.dtype}; "
                "a table consists of vectors and matrices of numbers or text."
            )
        if array.ndim == 1:
            columns.append((key, array))
        else:
            columns += [(f"{key}_{i}", column) for i, column in enumerate(array.T)]
    check_twice([key for key, _ in columns], name)
    lengths = {key: len(array) for key, array in arrays.items()}
    if len(set(lengths.values())) > 1:
        sizes = ", ".join(f"{key!r} {size:,}" for key, size in lengths.items())
        raise TableError(f"{name} holds arrays of different lengths: {sizes}.")
    return pd.DataFrame(dict(columns))


def tidy_cells(frame, missing=_MISSING, target=None):
    """Texts without surrounding blanks, but exact in the target; None if missing."""
    kinds, missing = pd.api.types, set(missing)
    # of Parquet or NPZ, whose marks of missing cells are still there
    marks = pd.to_numeric(pd.Series(list(missing), dtype=object), errors="coerce")
    marks, tidy = marks.dropna().tolist(), {}
    for name, dtype in frame.dtypes.items():
        is_text = kinds.is_object_dtype(dtype) or kinds.is_string_dtype(dtype)
        if is_text or isinstance(dtype, pd.CategoricalDtype):
            tidy[name] = _tidy_texts(frame[name], missing, exact=name == target)
        elif marks and kinds.is_any_real_numeric_dtype(dtype):
            is_mark = frame[name].isin(marks)
            tidy |= {name: frame[name].mask(is_mark)} if is_mark.any() else {}
    return frame.assign(**tidy)


def _tidy_texts(column, missing, *, exact):
    def tidy(cell):
        if not isinstance(cell, str):
            return cell
        stripped = cell.strip()
        return None if stripped in missing else cell if exact else stripped

    cells = column.astype(object).where(column.notna(), None)
    return pd.Series(map(tidy, cells), index=column.index, dtype=object)


def check_writable(path):
    """Raise `TableError` unless a table can be written in the format of that ending."""
    ending = Path(path).suffix.lower()
    if ending not in _WRITTEN:
        raise TableError(
            f"A table is written as CSV, TSV, Parquet or Excel, but {path} does not "
            f"end in one of {', '.join(_WRITTEN)}; change its name."
        )
    package, extra = _NEEDS.get(ending, ("pandas", ""))
    if importlib.util.find_spec(package) is None:
        raise TableError(name_package(f"Writing {path}", package, extra))


def table_bytes(frame, ending=".csv", *, guarded=()):
    """The bytes of a file with that ending.

    In a text file, an apostrophe precedes the cells and names of the columns `guarded`
    that a spreadsheet would run as a formula. Excel files hold them as text anyway.
    """
    buffer = io.BytesIO()
    if ending.lower() == ".parquet":
        frame.to_parquet(buffer, index=False)
        return buffer.getvalue()
    if ending.lower() == ".xlsx":
        _write_excel(frame, buffer)
        return buffer.getvalue()
    frame = frame.copy(deep=False)
    for column in guarded:
        if not pd.api.types.is_numeric_dtype(frame[column]):
            frame[column] = frame[column].map(_guard)
    frame.columns = [_guard(name) if name in guarded else name for name in frame]
    # By default a line feed is quoted, but not a carriage return.
    returns = frame.map(lambda cell: isinstance(cell, str) and "\r" in cell)
    quoting = csv.QUOTE_NONNUMERIC if returns.any(axis=None) else csv.QUOTE_MINIMAL
    separator = "\t" if ending.lower() == ".tsv" else ","
    options = {"sep": separator, "quoting": quoting, "lineterminator": "\n"}
    return frame.to_csv(index=False, **options).encode()


def _write_excel(frame, buffer):
    """Write a workbook with one sheet, in which texts are texts, never formulas."""
    from openpyxl import Workbook
    from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE

    book = Workbook(write_only=True)
    sheet = book.create_sheet("predictions")
    for row in [list(frame.columns), *frame.astype(object).to_numpy().tolist()]:
        sheet.append(
            [_excel_cell(sheet, value, ILLEGAL_CHARACTERS_RE) for value in row]
        )
    book.save(buffer)


def _excel_cell(sheet, value, illegal):
    from openpyxl.cell import WriteOnlyCell

    if isinstance(value, str):
        cell = WriteOnlyCell(sheet, illegal.sub("\N{REPLACEMENT CHARACTER}", value))
        cell.data_type = "s"
        return cell
    if value is None or (pd.api.types.is_scalar(value) and pd.isna(value)):
        return None
    if isinstance(value, pd.Timestamp):
        return value.tz_localize(None).to_pydatetime()
    return value if isinstance(value, int | float) else str(value)


def _guard(cell):
    """A cell with an apostrophe before it if a spreadsheet would run it."""
    if not isinstance(cell, str) or not cell.startswith(tuple("=+-@\t\r")):
        return cell
    return cell if _PLAIN_NUMBER.fullmatch(cell) else f"'{cell}"
