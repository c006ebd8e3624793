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
    advice = _advise(missing, columns)
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
        others = [column for column in columns if column not in wanted]
        raise TableError(
            f"{name} lacks the {noun} {listed(lacking)} that {who} was fitted on. "
            f"{_advise(lacking, others)}Its columns are {listed(columns)}."
        )


def _advise(names, columns):
    """The columns that a user may have meant, as a question; the case may differ."""
    by_text = {column.casefold(): column for column in columns}
    near = [get_close_matches(name.casefold(), by_text, 1) for name in names]
    found = [repr(by_text[each[0]]) for each in near if each]
    return f"Did you mean {' and '.join(dict.fromkeys(found))}? " if found else ""


def listed(names):
    """Names in quotes, the first ones of many."""
    return shorten(map(repr, names), most=10)


def shorten_text(text, most=60):
    """The beginning of a long text."""
    return text if len(text) <= most else f"{text[: most - 3]}..."


def shorten(names, most=8):
    """The first of many names, with the number of the others."""
    names = list(names)
    shown = ", ".join(names[:most])
    n_more = len(names) - most
    return f"{shown} and {n_more:,} more" if n_more > 0 else shown
