"""Tables from files: text, Parquet, or NumPy arrays."""

import io
import os
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

from widemargin.tables.errors import TableError, listed

FORMATS = ("csv", "tsv", "parquet", "npz")
_ENDINGS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".npz": "npz",
}
_SEPARATORS = {"csv": ",", "tsv": "\t"}
_MISSING = ("", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NaT", "null", "NULL")


def read_table(path, *, file_format=None, separator=None, missing=(), text=()):
    r"""Read a table as a DataFrame whose missing cells are missing values.

    Parameters
    ----------
    path : str
        A file, or "-" for the standard input.
    file_format : {"csv", "tsv", "parquet", "npz"} or None, default=None
        None goes by the ending of the file's name, and is CSV for the standard input.
    separator : str or None, default=None
        What stands between the cells of a text file; by default a comma, and a tab in
        TSV.
    missing : iterable of str
        Texts that mark a missing cell, besides an empty one, NA, NaN and null.
    text : iterable of str
        Columns of a text file to be read as text, even where they hold numbers.

    Raises
    ------
    TableError
        If the file is no such table; the message says why.
    """
    name = describe_path(path)
    data = _read_bytes(path, name)
    file_format = file_format or _guess_format(path)
    missing = [*_MISSING, *missing]
    if file_format in _SEPARATORS:
        separator = separator or _SEPARATORS[file_format]
        _check_separator(separator)
        frame = _read_text(data, name, separator, missing, set(text))
    elif file_format == "parquet":
        frame = _read_parquet(data, name)
    else:
        frame = _read_npz(data, name)
    if not len(frame):
        raise TableError(f"{name} has no rows, only the names of columns.")
    return frame.apply(_tidy, missing=set(missing))


def describe_path(path):
    """What a file is called in messages."""
    return "stdin" if path == "-" else str(path)


def _guess_format(path):
    if path == "-":
        return "csv"
    ending = Path(path).suffix.lower()
    if ending not in _ENDINGS:
        raise TableError(
            f"The ending of {path} does not tell its format; add --format, one of "
            f"{', '.join(FORMATS)}, or save it as CSV."
        )
    return _ENDINGS[ending]


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


def _check_separator(separator):
    if len(separator) != 1 or not separator.isascii():
        raise TableError(
            "--separator must be one character, such as ';' or '\\t', got "
            f"{separator!r}."
        )


def _read_text(data, name, separator, missing, text):
    options = {"sep": separator, "encoding": "utf-8-sig", "skipinitialspace": True}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)
            names = _read_names(data, name, options)
            return pd.read_csv(
                io.BytesIO(data),
                header=0,
                names=names,
                index_col=False,
                dtype={column: str for column in names if column in text},
                na_values=missing,
                keep_default_na=False,
                low_memory=False,
                **options,
            )
    except pd.errors.EmptyDataError:
        raise TableError(f"{name} is empty.") from None
    except UnicodeDecodeError as error:  # that counts from the start of a block
        place = _first_wrong_byte(data)
        raise TableError(
            f"{name} is not a text file in UTF-8 (byte {place:,} is "
            f"{data[place]:#04x}); save it as CSV in UTF-8, or add --format."
        ) from error
    except pd.errors.ParserWarning as error:
        raise TableError(
            f"{name} has rows with more cells than its header names; name all columns "
            "in the first line."
        ) from error
    except (pd.errors.ParserError, ValueError) as error:
        if isinstance(error, TableError):
            raise
        reason = str(error).split("C error: ")[-1].strip().rstrip(".")
        raise TableError(
            f"{name} cannot be read as a table with cells separated by "
            f"{separator!r}: {reason}."
        ) from error


def _first_wrong_byte(data):
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return error.start
    return 0


def _read_names(data, name, options):
    """The first line; a column without a name is called by its place."""
    head = pd.read_csv(
        io.BytesIO(data), header=None, nrows=1, dtype=str, na_filter=False, **options
    )
    names = [str(value).strip() for value in head.iloc[0]]
    names = [value or f"column {i + 1}" for i, value in enumerate(names)]
    _check_twice(names, name)
    if len(names) == 1:
        _suspect_separator(names[0], name)
    return names


def _suspect_separator(only_name, name):
    for mark in (";", "\t", "|", ","):
        if mark in only_name:
            raise TableError(
                f"{name} has one column, {only_name!r}; if its cells are separated by "
                f"{mark!r}, add --separator {mark!r}."
            )


def _check_twice(names, name):
    twice = sorted({value for value in names if names.count(value) > 1})
    if twice:
        raise TableError(
            f"{name} has more than one column {listed(twice)}; give each column a "
            "name of its own."
        )


def _read_parquet(data, name):
    try:
        frame = pd.read_parquet(io.BytesIO(data))
    except ImportError as error:
        raise TableError(
            f"Parquet needs pyarrow to read {name}: pip install 'widemargin[parquet]'."
        ) from error
    except Exception as error:  # pyarrow has errors of its own
        reason = str(error).splitlines()[0].rstrip(".")
        raise TableError(f"{name} is no Parquet file: {reason}.") from error
    frame.columns = [str(column) for column in frame.columns]
    _check_twice(list(frame.columns), name)
    return frame.reset_index(drop=True)


def _read_npz(data, name):
    """Vectors are columns; the columns of a matrix X are called X_0, X_1 and so on."""
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as file:
            arrays = dict(file)
    except Exception as error:  # numpy and zipfile raise many kinds for damaged files
        raise TableError(
            f"{name} is no NPZ file of plain arrays; save it with numpy.savez, and "
            "text as an array of str, not of objects."
        ) from error
    columns = []
    for key, array in arrays.items():
        if array.ndim not in (1, 2) or array.dtype.kind not in "biufU":
            raise TableError(
                f"{name} holds {key!r} of shape {array.shape} and dtype {array.dtype}; "
                "a table is made of vectors and matrices of numbers or text."
            )
        if array.ndim == 1:
            columns.append((key, array))
        else:
            columns += [(f"{key}_{i}", column) for i, column in enumerate(array.T)]
    _check_twice([key for key, _ in columns], name)
    lengths = {key: len(array) for key, array in arrays.items()}
    if len(set(lengths.values())) > 1:
        sizes = ", ".join(f"{key!r} {size:,}" for key, size in lengths.items())
        raise TableError(f"{name} holds arrays of different lengths: {sizes}.")
    return pd.DataFrame(dict(columns))


def _tidy(column, missing):
    """Texts without the blanks around them; what marks a missing cell is None."""
    if not _is_text(column):
        return _tidy_numbers(column, missing)
    cells = column.astype(object).where(column.notna(), None)
    cells = [cell.strip() if isinstance(cell, str) else cell for cell in cells]
    cells = [None if isinstance(c, str) and c in missing else c for c in cells]
    return pd.Series(cells, index=column.index, dtype=object)


def _tidy_numbers(column, missing):
    """A column of Parquet or NPZ, whose cells were not compared when it was read."""
    marks = pd.to_numeric(pd.Series(list(missing), dtype=object), errors="coerce")
    is_mark = column.isin(marks.dropna().tolist())
    is_number = pd.api.types.is_any_real_numeric_dtype(column)
    return column.mask(is_mark) if is_number and is_mark.any() else column


def _is_text(column):
    return pd.api.types.is_object_dtype(column) or pd.api.types.is_string_dtype(column)
