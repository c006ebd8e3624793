"""Tables from files: read, prepared as features, and written."""

from widemargin.tables.columns import Column, Kind, examine_columns
from widemargin.tables.errors import TableError, check_columns
from widemargin.tables.preparation import make_features, make_preparation
from widemargin.tables.reading import (
    FORMATS,
    describe_path,
    is_table_name,
    read_table,
    split_ending,
)
from widemargin.tables.requirements import columns_of, features_of, text_columns_of
from widemargin.tables.targets import read_target
from widemargin.tables.writing import check_writable, table_bytes

__all__ = [
    "FORMATS",
    "Column",
    "Kind",
    "TableError",
    "check_columns",
    "check_writable",
    "columns_of",
    "describe_path",
    "examine_columns",
    "features_of",
    "is_table_name",
    "make_features",
    "make_preparation",
    "read_table",
    "read_target",
    "split_ending",
    "table_bytes",
    "text_columns_of",
]
