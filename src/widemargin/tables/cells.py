"""Cells of a column as numbers or as dates, as people write them."""

import re
from dataclasses import dataclass
from datetime import date

import numpy as np
import pandas as pd

from widemargin.tables.errors import TableError

_LARGEST = 1e100  # its square is still finite
_TRUTH = {"true": 1.0, "false": 0.0}

# A number with a currency, a percent sign, or marks between groups of three digits;
# parentheses around it, as in accounting, make it negative.
_GROUPS = r"\d{1,3}(?P<mark>[,.' \u00a0\u202f])\d{3}(?:(?P=mark)\d{3})*|\d+"
_UNITS = r"[%‰$€£¥]|USD|EUR|GBP|CHF"
_SAME_UNITS = {"USD": "$", "EUR": "€", "GBP": "£"}
_WRITTEN = re.compile(
    rf"(?P<open>\()?(?P<sign>[+-])?\s?(?:{_UNITS})?\s?(?P<inner>[+-])?"
    rf"(?P<digits>(?:{_GROUPS})(?:[.,]\d+)?|[.,]\d+)\s?(?:{_UNITS})?(?(open)\))"
)
_GROUPED = re.compile(rf"(?:{_GROUPS})?")
# Of two equal marks in a number, none is decimal.
_DECIMAL_COMMA = re.compile(r"\.\d{3}[.,]\d|(^|[^\d]),\d|,(\d{1,2}|\d{4,})(\D|$)")
_DECIMAL_POINT = re.compile(r",\d{3}[.,]\d|(^|[^\d])\.\d|\.(\d{1,2}|\d{4,})(\D|$)")

_ISO = "ISO8601"
_FORMATS = {_ISO: "%Y-%m-%d"}  # how an example of it is written
_DAY_FORMS = (
    "%d.%m.%Y", "%m/%d/%Y", "%d/%m/%Y", "%d-%m-%Y", "%Y/%m/%d", "%Y.%m.%d",
    "%d.%m.%y", "%m/%d/%y", "%d/%m/%y", "%d %b %Y", "%d %B %Y", "%b %d, %Y",
    "%B %d, %Y", "%d-%b-%Y", "%d-%b-%y",
)  # fmt: skip
_TIME_FORMS = ("", " %H:%M", " %H:%M:%S")
_FORMS = (_ISO, *(day + time for day in _DAY_FORMS for time in _TIME_FORMS))
_LIKE_DATE = re.compile(
    r"\s*(\d{4}-\d\d?-\d\d?|\d{1,4}[./]\d{1,2}[./]\d{2,4}|\d{1,2}-\d{1,2}-\d{4}"
    r"|\d{1,2}[ -][A-Za-z]{3,9}[ -]\d{2,4}|[A-Za-z]{3,9} \d{1,2}, \d{4})"
    r"([T ]\d{1,2}:\d\d.*)?\s*"
)
_TRIED = 200  # cells that decide which formats are tried on all
# Share of dates in a column of dates: one cell of twenty may be a typing error, and a
# column of texts with some dates among them stays one of texts.
_MIN_DATES = 0.95


@dataclass(frozen=True)
class Reading:
    """How the cells of a column become numbers."""

    name: str  # of the column
    form: str  # decimal mark, or format of dates
    has_strays: bool = False  # cells that cannot be read are missing, not an error

    def numbers(self, values):
        """The cells as floats, NaN for missing ones; `TableError` for other cells."""
        numbers = as_numbers(values, self.form or ".")
        unread = numbers.isna() & values.notna() & (not self.has_strays)
        self._refuse(values, unread, "must hold numbers")
        self._refuse(values, np.isinf(numbers), "must hold finite numbers")
        too_large = numbers.abs() > _LARGEST
        self._refuse(values, too_large, f"must hold numbers up to {_LARGEST:g}")
        return numbers

    def dates(self, values):
        """The cells as points in time, NaT for missing ones."""
        dates = parse_dates(values, self.form)
        unread = dates.isna() & values.notna() & (not self.has_strays)
        example = pd.Timestamp("2024-01-31").strftime(
            _FORMATS.get(self.form, self.form)
        )
        self._refuse(values, unread, f"must hold dates such as {example}")
        return dates

    def _refuse(self, values, wrong, problem):
        if wrong.any():
            row = int(np.flatnonzero(wrong)[0])
            value = str(values.iloc[row])
            raise TableError(
                f"Column {self.name!r} {problem}, got {value!r} in row {row + 1:,}; "
                f"correct it, or if it marks a missing cell, add --missing {value!r} "
                "(in Python, replace it by None)."
            )


def texts_of(values):
    """The cells as text, None for missing ones."""
    cells = zip(values, values.notna(), strict=True)
    texts = [_text(value) if is_known else None for value, is_known in cells]
    return pd.Series(texts, values.index, dtype=object)


def _text(value):
    """A whole number has the same name if other cells made its column a float."""
    is_whole = isinstance(value, float | np.floating) and value.is_integer()
    return str(int(value)) if is_whole else str(value)


def choose_decimal(filled):
    """The decimal mark of a column of numbers, "." unless commas must be decimal."""
    if pd.api.types.is_numeric_dtype(filled):
        return "."
    texts = [text for text in filled if isinstance(text, str)]
    texts = [text for text in texts if _WRITTEN.fullmatch(text.strip())]
    has_comma = any(_DECIMAL_COMMA.search(text) for text in texts)
    has_point = any(_DECIMAL_POINT.search(text) for text in texts)
    return "," if has_comma and not has_point else "."


def as_numbers(values, decimal="."):
    """A column as floats; true and false are 1 and 0, NaN for what is no number."""
    if pd.api.types.is_numeric_dtype(values):
        return values.astype(float)
    if pd.api.types.is_timedelta64_dtype(values):
        return values / pd.Timedelta("1D")
    if pd.api.types.is_datetime64_any_dtype(values):
        return pd.Series(np.nan, values.index)
    truth = values.map(lambda value: _TRUTH.get(str(value).lower()), na_action="ignore")
    if truth.notna().equals(values.notna()):
        return truth.astype(float)
    if decimal == ".":
        numbers = pd.to_numeric(values, errors="coerce").astype(float)
    else:
        numbers = pd.Series(np.nan, values.index)
    left = values.notna() & numbers.isna()
    numbers[left] = [_parse(value, decimal) for value in values[left]]
    return numbers


def _parse(value, decimal):
    if not isinstance(value, str):
        is_number = isinstance(value, int | float | np.number)
        return float(value) if is_number else np.nan
    match = _WRITTEN.fullmatch(value.strip())
    if match is None:
        return np.nan
    whole, _, rest = match["digits"].partition(decimal)
    if _GROUPED.fullmatch(whole) is None or re.search(r"\D", rest):
        return np.nan  # a mark that neither is decimal nor groups three digits
    whole = re.sub(r"\D", "", whole)
    number = float(f"{whole or 0}.{rest or 0}")
    is_negative = match["open"] or "-" in (match["sign"], match["inner"])
    return -number if is_negative else number


def find_units(texts):
    """Currencies and percent signs in numbers, each once, in order of appearance.

    >>> find_units(["$5", "7 EUR", "USD 3", "€2"])
    ['$', '€']
    """
    found = [unit for text in texts for unit in re.findall(_UNITS, str(text))]
    return list(dict.fromkeys(_SAME_UNITS.get(unit, unit) for unit in found))


def choose_date_form(filled):
    """The format of a column of dates, "" if it holds none; a note if it is a guess."""
    if pd.api.types.is_datetime64_any_dtype(filled):
        return _ISO, ""
    some = filled.iloc[:_TRIED]
    texts = some[[isinstance(value, str) for value in some]]
    if not len(texts):
        are_dates = len(some) and all(isinstance(value, date) for value in some)
        return (_ISO if are_dates else ""), ""
    if texts.map(lambda text: _LIKE_DATE.fullmatch(text) is not None).mean() < 0.8:
        return "", ""
    fitting = [form for form in _FORMS if _share(texts, form) >= _MIN_DATES]
    fitting = [form for form in fitting if _share(filled, form) >= _MIN_DATES]
    if not fitting:
        return "", ""
    form, *others = fitting
    swapped = [other for other in others if sorted(other) == sorted(form)]
    if not swapped:
        return form, ""
    other = "month" if form.startswith("%d") else "day"
    return form, (
        f"{texts.iloc[0]!r} is read as {parse_dates(texts, form).iloc[0]:%d %B %Y}; "
        f"the {other} could also come first"
    )


def find_mixed_dates(filled):
    """Two dates in different formats, if nearly all texts look like dates; or None.

    The first is in the most frequent format.
    """
    texts = filled[[isinstance(value, str) for value in filled]]
    is_like = texts.map(lambda text: _LIKE_DATE.fullmatch(text) is not None)
    if not len(texts) or is_like.sum() < _MIN_DATES * len(filled):
        return None
    texts = texts[is_like.astype(bool)]
    some = texts.iloc[:_TRIED]
    dates = parse_dates(texts, max(_FORMS, key=lambda form: _share(some, form)))
    if dates.isna().all() or dates.notna().all():
        return None
    return texts[dates.notna()].iloc[0], texts[dates.isna()].iloc[0]


def parse_dates(values, form):
    """Points in time without a time zone; NaT for what is not in the format."""
    if not pd.api.types.is_datetime64_any_dtype(values):
        values = pd.to_datetime(
            values.astype(object), format=form, errors="coerce", utc=True
        )
    is_aware = isinstance(values.dtype, pd.DatetimeTZDtype)
    return values.dt.tz_convert("UTC").dt.tz_localize(None) if is_aware else values


def _share(values, form):
    return parse_dates(values, form).notna().mean()
