"""Tables as the bytes of a file."""

import importlib.util
import io
from pathlib import Path

from widemargin.tables.errors import TableError

_WRITTEN = (".csv", ".tsv", ".parquet")


def check_writable(path):
    """Raise `TableError` unless a table can be written in the format of that ending."""
    ending = Path(path).suffix.lower()
    if ending not in _WRITTEN:
        raise TableError(
            f"A table is written as CSV, TSV or Parquet, and {path} does not end in "
            f"one of {', '.join(_WRITTEN)}; change its name."
        )
    if ending == ".parquet" and importlib.util.find_spec("pyarrow") is None:
        raise TableError(
            f"Parquet needs pyarrow to write {path}: pip install 'widemargin[parquet]'."
        )


def table_bytes(frame, ending=".csv"):
    """What a file with that ending holds."""
    if ending.lower() == ".parquet":
        buffer = io.BytesIO()
        frame.to_parquet(buffer, index=False)
        return buffer.getvalue()
    separator = "\t" if ending.lower() == ".tsv" else ","
    return frame.to_csv(index=False, sep=separator, lineterminator="\n").encode()
