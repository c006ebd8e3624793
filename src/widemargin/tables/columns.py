"""What the columns of a table hold, and which of them can be features."""

import re
from collections.abc import Hashable
from dataclasses import dataclass
from datetime import date
from enum import Enum

import pandas as pd

from widemargin.tables.errors import TableError, check_columns

_MAX_CATEGORIES = 100  # features that one column becomes
_MIN_VALUES_OF_KEY = 10  # up to so many values may all differ and be no identifier
_IDENTIFIER = re.compile(r"(^|[^a-z])(id|index|row|key|nr|no|number)$|^column 1$", re.I)
_DATE = re.compile(r"\d{4}-\d{1,2}-\d{1,2}([ T].*)?|\d{1,2}([./-])\d{1,2}\2\d{2,4}")
_TRUTH = {"true": 1.0, "false": 0.0}

# Texts that a reader sees as numbers: with a unit, a decimal comma or separators.
_NUMBER = (
    r"[+-]?(\d{1,3}(?P<mark>[,.' \u00a0\u202f])\d{3}((?P=mark)\d{3})*|\d+)([.,]\d+)?"
)
_WRITTEN = re.compile(rf"[$€£¥]?\s?{_NUMBER}\s?[%‰$€£¥]?")
_MARKS = re.compile(r"[%‰$€£¥]|[,' \u00a0\u202f]")
_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+")


class Kind(Enum):
    """What a column is used as."""

    NUMBERS = "numbers"
    CATEGORIES = "categories"
    LEFT_OUT = "left out"


@dataclass(frozen=True)
class Column:
    """A column and what it is used as."""

    name: str
    kind: Kind
    reason: str = ""  # why it is left out
    doubt: str = ""  # what else it may be


def examine_columns(frame, *, numeric=(), categorical=(), dropped=(), name="the table"):
    """The `Column` of each column without the target, as given or as it looks."""
    check_columns([*numeric, *categorical, *dropped], frame.columns, name)
    for column in frame:
        if sum(column in use for use in (numeric, categorical, dropped)) > 1:
            raise TableError(
                f"Column {column!r} has more than one of --numeric, --categorical and "
                "--drop; keep one of them."
            )
    given = {column: Column(column, Kind.LEFT_OUT, "by --drop") for column in dropped}
    given |= {column: Column(column, Kind.CATEGORIES) for column in categorical}
    given |= {column: Column(column, Kind.NUMBERS) for column in numeric}
    columns = [given.get(column) or _examine(column, frame[column]) for column in frame]
    if all(column.kind is Kind.LEFT_OUT for column in columns):
        reasons = "; ".join(f"{column.name!r}: {column.reason}" for column in columns)
        raise TableError(
            f"No column of {name} is left to learn from ({reasons or 'it has none'}). "
            "Choose one with --numeric or --categorical."
        )
    return columns


def as_numbers(values):
    """A column as numbers, true and false as 1 and 0; NaN for other values."""
    if pd.api.types.is_numeric_dtype(values):
        return values.astype(float)
    truth = values.map(lambda value: _TRUTH.get(str(value).lower()), na_action="ignore")
    if truth.notna().equals(values.notna()):
        return truth.astype(float)
    return pd.to_numeric(values, errors="coerce").astype(float)


def refuse_mixture(name, values, also=""):
    """Raise `TableError` for a column of text at least half of which are numbers."""
    filled = values.dropna()
    is_number = as_numbers(filled).notna()
    if is_number.all() or is_number.mean() < 0.5:
        return
    others = filled[~is_number]
    example, row = str(others.iloc[0]), others.index[0] + 1
    way_out = f"--missing {example!r} if that marks a missing cell"
    way_out = advise(example) or f"correct them, or add {way_out}"
    verb = "is" if len(others) == 1 else "are"
    raise TableError(
        f"Column {name!r} mixes numbers and text: {len(others):,} of its "
        f"{len(filled):,} values {verb} like {example!r} (row {row:,}); "
        f"{way_out}, --categorical {name!r} if the numbers are names{also}."
    )


def _examine(name, values):
    filled = values.dropna()
    if not len(filled):
        return Column(name, Kind.LEFT_OUT, "empty")
    are_dates = all(
        _DATE.fullmatch(value) if isinstance(value, str) else isinstance(value, date)
        for value in filled
    )
    if pd.api.types.is_datetime64_any_dtype(filled) or are_dates:
        reason = "dates; convert them to numbers, such as days"
        return Column(name, Kind.LEFT_OUT, reason)
    if not all(isinstance(value, Hashable) for value in filled):
        kind = type(filled.iloc[0]).__name__
        return Column(name, Kind.LEFT_OUT, f"each cell is a {kind}")
    numbers = as_numbers(filled)
    if numbers.notna().all():
        return Column(name, *_classify_numbers(name, numbers, len(values)))
    refuse_mixture(name, values, f", or --drop {name!r}")
    kind, reason = _classify_text(filled, len(values))
    marks = filled[numbers.isna()].map(find_mark).dropna()
    if not len(marks) or len(marks) + numbers.notna().sum() <= len(filled) / 2:
        return Column(name, kind, reason)
    example = filled[marks.index[0]]  # most of the texts look like numbers
    doubt = f"looks like numbers such as {example!r}"
    if kind is Kind.LEFT_OUT:
        return Column(name, kind, f"{doubt}; {advise(example)}")
    doubt += f" and is used as categories; {advise(example)}, or --drop it"
    return Column(name, kind, doubt=doubt)


def _classify_numbers(name, numbers, n_rows):
    if numbers.nunique() == 1:
        return Kind.LEFT_OUT, f"always {numbers.iloc[0]:g}"
    is_key = len(numbers) == n_rows > _MIN_VALUES_OF_KEY and numbers.is_unique
    is_key = is_key and bool((numbers % 1 == 0).all())
    if is_key and (_IDENTIFIER.search(name) or bool((numbers.diff()[1:] == 1).all())):
        return Kind.LEFT_OUT, "looks like an identifier: a different number in each row"
    return (Kind.NUMBERS,)


def _classify_text(texts, n_rows):
    n_different = texts.nunique()
    if n_different == 1 and len(texts) == n_rows:
        return Kind.LEFT_OUT, f"always {texts.iloc[0]!r}"
    if n_different > max(_MIN_VALUES_OF_KEY, len(texts) / 2):
        return Kind.LEFT_OUT, (
            f"looks like an identifier or free text: {n_different:,} different values "
            f"in {len(texts):,} rows"
        )
    if n_different > _MAX_CATEGORIES:
        return Kind.LEFT_OUT, f"{n_different:,} different values are too many"
    return Kind.CATEGORIES, ""


def find_mark(text):
    """The mark that keeps a text from being a number, such as "%"; None without one."""
    if not isinstance(text, str) or not _WRITTEN.fullmatch(text):
        return None
    marks = sorted(_MARKS.findall(text), key="%‰$€£¥,' \u00a0\u202f".index)
    return marks[0] if marks else None


def advise(text):
    """How to turn such a text into a number; None if it does not look like one."""
    mark = find_mark(text)
    if mark is None:
        return None
    advice = f"write numbers without {mark!r}"
    if _DECIMAL_COMMA.fullmatch(text):
        advice += ", or add --decimal ',' if it is a decimal comma"
    return advice
