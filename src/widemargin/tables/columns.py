"""What the columns of a table hold, and which of them can be features."""

import re
from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass
from enum import Enum
from numbers import Number

import numpy as np
import pandas as pd
from scipy.stats import hypergeom

from widemargin.checks import is_table
from widemargin.defaults import FILLED_WITH_LABEL_RULE
from widemargin.stored import Stored
from widemargin.tables.cells import (
    MIN_READABLE,
    Reading,
    as_numbers,
    choose_date_form,
    choose_decimal,
    find_mixed_dates,
    find_units,
    parse_dates,
)
from widemargin.tables.errors import TableError, check_columns, check_twice, shorten

_LIKE_KEY = "looks like an identifier"  # why a column is left out
FILLED_WITH_LABEL = "filled only where the target is"
_MAX_CATEGORIES = 100  # features that one column becomes
_MIN_VALUES_OF_KEY = 10  # up to so many values may all differ and be no identifier
_IDENTIFIER = re.compile(r"(^|[^a-z])(id|index|row|key|nr|no|number)$|^column 1$", re.I)
_MIN_WORDS = 3  # per cell of free text; names and codes have fewer
# Up to so many values are categories, however many words they have: a list of choices
# in a form, such as "No, but I plan to".
_MAX_PHRASES = 20
_WORD = re.compile(r"\w\w+")
# What the columns hold that a command, or an export of the labeling page, adds
LABEL_NEXT, RANDOM_CHECK = "label next", "label next (random check)"
SUSPECT, UNCERTAIN = "suspect label", "uncertain"
REVIEWS = (LABEL_NEXT, RANDOM_CHECK, SUSPECT, UNCERTAIN)
_SOURCES, _EXPORTED = (
    ("given", "inferred", "irrelevant"),
    ("given", "labeled", "inferred"),
)
_PROBABILITY = re.compile(r"p\((.*)\)", re.DOTALL)
_OPTIONS = {  # parameter of TableEncoder: option of the command line
    "numeric": "--numeric",
    "categorical": "--categorical",
    "text": "--text",
    "dates": "--dates",
    "drop": "--drop",
}


class Kind(Enum):
    """What a column is used as."""

    NUMBERS = "numbers"
    CATEGORIES = "categories"
    DATES = "dates"
    TEXT = "text"
    LEFT_OUT = "left out"


_KINDS = {
    "numeric": Kind.NUMBERS,
    "categorical": Kind.CATEGORIES,
    "text": Kind.TEXT,
    "dates": Kind.DATES,
    "drop": Kind.LEFT_OUT,
}


@dataclass(frozen=True)
class Column(Stored):
    """A column, what it is used as, and how its cells are read."""

    name: str
    kind: Kind
    reason: str = ""  # why it is left out
    note: str = ""  # what a reader may not expect
    form: str = ""  # decimal mark of numbers, format of dates
    has_strays: bool = False  # some cells cannot be read, and count as missing

    @property
    def reading(self):
        """How the cells become numbers."""
        return Reading(self.name, self.form, self.has_strays)


def examine_columns(
    frame,
    *,
    name="the table",
    dropped_by="--drop",
    labeled=None,
    day_first=None,
    **uses,
):
    """The `Column` of each column, as the user lists it in `uses` or as it looks.

    `uses` are the parameters of `TableEncoder`: numeric, categorical and so on;
    `dropped_by` is what the user knows `drop` as. `labeled` is a mask of the rows with
    label, by which columns that are filled in only with it are left out; `day_first`
    is whether 1/2/2024 is in February, None to find out.
    """
    check_columns([column for names in uses.values() for column in names], frame, name)
    columns, written = [], find_written(frame)
    for column in frame:
        given = [use for use, names in uses.items() if column in names]
        if len(given) > 1:
            options = " and ".join(_OPTIONS[use] for use in given)
            raise TableError(f"Column {column!r} has both {options}; keep one of them.")
        values = frame[column]
        if given == ["drop"]:
            seen = Column(column, Kind.LEFT_OUT, f"by {dropped_by}")
        elif given:
            seen = _use(column, values, given[0], day_first)
        elif column in written:
            seen = Column(column, Kind.LEFT_OUT, "predictions of an earlier model")
        else:
            seen = _examine(column, values, day_first)
            is_used = seen.kind is not Kind.LEFT_OUT and labeled is not None
            if is_used and _is_filled_with_label(values, labeled):
                seen = Column(column, Kind.LEFT_OUT, FILLED_WITH_LABEL)
        columns.append(seen)
    if all(column.kind is Kind.LEFT_OUT for column in columns):
        reasons = "; ".join(f"{column.name!r}: {column.reason}" for column in columns)
        raise TableError(
            f"No column of {name} is left to learn from ({reasons or 'it has none'}). "
            "Choose one with --numeric, --categorical or --text (in Python: "
            "TableEncoder(numeric=...))."
        )
    return columns


def find_written(frame):
    """Names of the columns that `widemargin` added to a table as its predictions.

    They are recognized together, by their names and by what they hold, so that a
    column of the user with one of these names is not among them.
    """
    names_of = {}  # a name that was taken is written with "predicted " before it
    for name in frame:
        names_of.setdefault(re.sub(r"^(predicted )+", "", name), []).append(name)
    classes = [_PROBABILITY.fullmatch(base) for base in names_of]
    classes = [match[1] for match in classes if match]
    if len(classes) > 1 and {"label", "probability"} <= names_of.keys():
        shares = ["probability", *(f"p({each})" for each in classes)]
        contents = {"label": classes, "source": _SOURCES, "review": REVIEWS}
        required = {"label", *shares}
    elif {"prediction", "probability", "source"} <= names_of.keys():  # an export
        shares, contents = ["probability"], {"prediction": None, "source": _EXPORTED}
        required = {"prediction", "probability", "source"}
    else:
        return set()
    found = set()
    for base in [*shares, *contents, "relevant"]:
        names = names_of.get(base, [])
        for name in names:
            cells = frame[name].dropna()
            if base in contents:
                values = contents[base]
                # A person may have corrected labels.
                is_free = values is None or (base == "label" and len(names) == 1)
                is_ours = is_free or set(cells.map(str)) <= set(values)
            else:
                is_ours = bool(as_numbers(cells).between(0, 1).all())
            found |= {name} if is_ours else set()
    is_whole = all(found & set(names_of[base]) for base in required)
    return found if is_whole else set()


def _is_filled_with_label(values, labeled):
    """Whether a column has values in rows with a label and hardly any in others.

    Nothing about the other rows can be learned from it.
    """
    filled = values.notna().to_numpy()
    shares = [
        filled[rows].mean() if rows.any() else 1.0 for rows in (labeled, ~labeled)
    ]
    if shares[0] < FILLED_WITH_LABEL_RULE.labeled:
        return False
    if shares[1] > FILLED_WITH_LABEL_RULE.unlabeled:
        return False
    sizes = len(filled), int(filled.sum()), int(labeled.sum())
    chance = hypergeom.sf(int(filled[labeled].sum()) - 1, *sizes)
    return bool(chance < FILLED_WITH_LABEL_RULE.chance)


def find_key(columns):
    """Name of the first column that was left out as an identifier; None if none was."""
    found = (column.name for column in columns if column.reason.startswith(_LIKE_KEY))
    return next(found, None)


def list_notes(frame, columns):
    """What a reader may not expect of a table and of its columns, as sentences."""
    for column in columns:
        if column.note:
            yield f"{column.name!r}: {column.note}"
    used = [column.name for column in columns if column.kind is not Kind.LEFT_OUT]
    empty = np.flatnonzero(frame[used].isna().to_numpy().all(axis=1))
    if len(empty) and len(used) > 1:  # gaps of a single column are nothing special
        rows = "row" if len(empty) == 1 else "rows"
        numbers = shorten([f"{row + 1:,}" for row in empty], most=5)
        yield f"all cells of {rows} {numbers} are empty; consider removing such rows"


def needs_encoding(X):
    """Whether X is a table with missing cells, or with more than numbers and booleans.

    Others are used as they are, like arrays.
    """
    if not is_table(X):
        return False
    frame, is_number = as_frame(X), pd.api.types.is_numeric_dtype
    return not all(map(is_number, frame.dtypes)) or bool(frame.isna().any(axis=None))


def as_frame(table):
    """A pandas DataFrame of a table; column names as text, each once."""
    frame = table if isinstance(table, pd.DataFrame) else _to_pandas(table)
    names = [str(name) for name in frame.columns]
    check_twice(names, "The table")
    return frame.set_axis(names, axis=1)


def _to_pandas(table):
    try:
        return table.to_pandas()
    except (AttributeError, ImportError):  # polars needs pyarrow, an optional package
        return pd.DataFrame({name: np.asarray(table[name]) for name in table.columns})


def _use(name, values, use, day_first):
    """A column that the user has listed."""
    kind, filled = _KINDS[use], values.dropna()
    if kind is Kind.NUMBERS:
        return Column(name, kind, form=choose_decimal(filled))
    if kind is Kind.DATES:
        form, note = choose_date_form(filled, day_first=day_first)
        if not form:
            raise TableError(
                f"Column {name!r} is listed as dates, but {_why_no_dates(filled)}"
            )
        return Column(name, kind, note=note, form=form)
    return Column(name, kind)


def _why_no_dates(filled):
    if not len(filled):
        return "all its cells are empty."
    mixed = find_mixed_dates(filled)
    if mixed is not None:
        return (
            f"its cells are dates in different formats, such as {mixed[0]!r} and "
            f"{mixed[1]!r}. Write all dates in one format."
        )
    return (
        "its cells have no common format that is known, such as 2024-01-31 or "
        f"31.01.2024; the first is {str(filled.iloc[0])!r}. Write all dates in one "
        "format."
    )


def _examine(name, values, day_first):
    values = values.reset_index(drop=True)  # names of rows may occur twice
    filled = values.dropna()
    if not len(filled):
        return Column(name, Kind.LEFT_OUT, "empty")
    if not all(isinstance(value, Hashable) for value in filled):
        kind = type(filled.iloc[0]).__name__
        return Column(name, Kind.LEFT_OUT, f"each cell is a {kind}")
    if filled.nunique() == 1 and len(filled) == len(values):
        return Column(name, Kind.LEFT_OUT, f"always {_shown(filled.iloc[0])}")
    decimal = choose_decimal(filled)
    numbers = as_numbers(filled, decimal)
    is_number = numbers.notna().mean() >= MIN_READABLE
    mixed = find_mixed_dates(filled) if numbers.isna().any() else None
    if is_number and mixed is None:
        return _examine_numbers(name, values, filled, numbers, decimal)
    form, note = choose_date_form(filled, day_first=day_first)
    if form and not is_number:
        return _examine_dates(name, values, filled, form, note)
    if mixed is not None:
        reason = f"dates in different formats, such as {mixed[0]!r} and {mixed[1]!r}"
        return Column(name, Kind.LEFT_OUT, f"{reason}; write them in one format")
    return _examine_text(name, filled)


def _examine_numbers(name, values, filled, numbers, decimal):
    strays, known = filled[numbers.isna()], numbers.dropna()
    if known.nunique() == 1 and not len(strays):
        return Column(name, Kind.LEFT_OUT, f"always {known.iloc[0]:g}")
    is_key = len(known) == len(values) > _MIN_VALUES_OF_KEY and known.is_unique
    is_key = is_key and bool((known % 1 == 0).all())
    if is_key and (_IDENTIFIER.search(name) or bool((known.diff()[1:] == 1).all())):
        reason = f"{_LIKE_KEY}: a different number in each row"
        return Column(name, Kind.LEFT_OUT, reason)
    note = _stray_note(strays)
    if not pd.api.types.is_numeric_dtype(filled):
        texts = known.index[pd.to_numeric(filled[known.index], errors="coerce").isna()]
        texts = [i for i in texts if str(filled[i]).lower() not in ("true", "false")]
        units = find_units(filled[texts])
        if len(units) > 1:
            mixed = f"amounts in {' and '.join(units)} are used without conversion"
            note = f"{mixed}; {note}" if note else mixed
        elif texts and not note:
            note = f"{str(filled[texts[0]])!r} is read as {known[texts[0]]:g}"
    return Column(
        name, Kind.NUMBERS, note=note, form=decimal, has_strays=len(strays) > 0
    )


def _examine_dates(name, values, filled, form, note):
    dates = parse_dates(filled, form)
    strays = filled[dates.isna()]
    if dates.nunique() == 1 and len(filled) == len(values):
        return Column(name, Kind.LEFT_OUT, f"always {_shown(filled.iloc[0])}")
    note = "; ".join(filter(None, (note, _stray_note(strays))))
    return Column(name, Kind.DATES, note=note, form=form, has_strays=len(strays) > 0)


def _examine_text(name, filled):
    texts = filled.map(str)
    n_different = texts.nunique()
    n_words = texts.map(lambda text: len(text.split()))
    is_few = n_different <= max(_MIN_VALUES_OF_KEY, len(texts) / 2)
    if is_few and n_different <= _MAX_CATEGORIES:
        # Sentences that occur repeatedly are still free text if they share words, by
        # which a model can compare them. The median ignores a few long names.
        is_prose = n_different > _MAX_PHRASES and n_words.median() >= _MIN_WORDS
        if is_prose and _share_words(texts.drop_duplicates()) >= 0.5:
            note = f"{n_different:,} different texts, used by their words"
            return Column(name, Kind.TEXT, note=note)
        return Column(name, Kind.CATEGORIES)
    # Words of free text, and names of a town or a brand, occur in several rows.
    shared = _share_words(texts)
    is_free = n_words.mean() >= _MIN_WORDS
    is_repeated = n_different <= len(texts) / 2
    if shared >= 0.5 and (is_free or is_repeated):
        note = (
            "" if is_free else f"{n_different:,} different values, used by their words"
        )
        return Column(name, Kind.TEXT, note=note)
    return Column(
        name,
        Kind.LEFT_OUT,
        f"{_LIKE_KEY}: {n_different:,} different values in {len(texts):,} rows",
    )


def _share_words(texts):
    """Share of texts with a word that another one of them also has."""
    words = texts.map(lambda text: set(_WORD.findall(text.lower())))
    counts = Counter(word for cell in words for word in cell)
    return words.map(lambda cell: any(counts[word] > 1 for word in cell)).mean()


def _stray_note(strays):
    if not len(strays):
        return ""
    cells = "1 cell" if len(strays) == 1 else f"{len(strays):,} cells"
    return f"{cells} such as {str(strays.iloc[0])!r} counted as missing"


def _shown(value):
    is_number = isinstance(value, Number) and not isinstance(value, bool)
    return f"{value:g}" if is_number else repr(value)
