"""The error for a table that cannot be used as it is."""

from collections import Counter
from difflib import get_close_matches


class TableError(ValueError):
    """A table, or a column of it, cannot be used; the message names the way out."""


def check_columns(wanted, columns, name):
    """Raise `TableError` unless all wanted columns are among those of a table."""
    columns = list(columns)
    missing = [column for column in wanted if column not in columns]
    if not missing:
        return
    near = get_close_matches(missing[0], columns, 1)
    advice = f"Did you mean {near[0]!r}? " if near else ""
    noun = "is no column" if len(missing) == 1 else "are no columns"
    raise TableError(
        f"There {noun} {listed(missing)} in {name}. {advice}Its columns are "
        f"{listed(columns)}."
    )


def check_twice(names, name):
    """Raise `TableError` if two columns of a table have the same name."""
    twice = [value for value, count in Counter(names).items() if count > 1]
    if twice:
        raise TableError(
            f"{name} has more than one column {listed(twice)}; give each column a "
            "different name."
        )


def check_fitted(wanted, columns, name, who):
    """Raise `TableError` unless a table has all columns that `who` was fitted on."""
    lacking = [column for column in wanted if column not in columns]
    if lacking:
        noun = "column" if len(lacking) == 1 else "columns"
        raise TableError(
            f"{name} lacks the {noun} {listed(lacking)} that {who} was fitted on; its "
            f"columns are {listed(columns)}."
        )


def listed(names):
    """Names in quotes, the first ones of many."""
    return shorten(map(repr, names), most=10)


def shorten(names, most=8):
    """The first of many names, with the number of the others."""
    names = list(names)
    shown = ", ".join(names[:most])
    n_more = len(names) - most
    return f"{shown} and {n_more:,} more" if n_more > 0 else shown
