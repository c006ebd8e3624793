"""The target column of a table as labels."""

import unicodedata
from collections import Counter
from math import lgamma, log

import numpy as np
import pandas as pd

from widemargin.checks import is_table, warn_of_data
from widemargin.defaults import COPY_CHANCE, MANY_CLASSES, NAMED_COPY_CHANCE
from widemargin.labels import (
    UNLABELED,
    find_placeholders,
    labeled_mask,
    read_labels,
)
from widemargin.tables.cells import as_numbers, choose_decimal
from widemargin.tables.columns import as_frame
from widemargin.tables.errors import TableError, listed, shorten

_LARGEST = 2**53  # pandas reads numbers beside empty cells as floats, exact up to here


def read_target(values, *, as_names=False):
    """Labels of a column as estimators take them, and as `PartialLabels`.

    Texts stay as they are: "01", "1" and "1.0" are three classes.
    """
    name = values.name
    y = as_labels(values, as_names)
    labeled = labeled_mask(y)
    if not labeled.any():
        raise TableError(
            f"Column {name!r} has no label: all {len(y):,} cells are empty. Fill in a "
            f"few rows of each class, label rows in the browser (widemargin label FILE "
            f"--target {name!r}), or find groups without labels (widemargin cluster)."
        )
    n_labeled, different = int(labeled.sum()), set(y[labeled].tolist())
    if len(different) == 1:
        marked = ""
        if not labeled.all() and values.notna().all():
            marked = f", or add --categorical {name!r} if {UNLABELED} is one"
        raise TableError(
            f"Column {name!r} holds one class only, {different.pop()!r} "
            f"(labeled rows: {n_labeled:,}); label rows of at least one more "
            f"class{marked}."
        )
    if not as_names and len(different) > MANY_CLASSES:
        labels = pd.Series(y[labeled]).map(str)
        _refuse_amounts(name, pd.Series(sorted(set(labels))), labels)
    if len(different) > _most_classes(n_labeled):
        raise TableError(
            f"Column {name!r} holds {len(different):,} different labels in "
            f"{n_labeled:,} labeled rows; a target has several rows of each class. "
            "Choose another column with --target."
        )
    try:
        return y, read_labels(y)
    except ValueError as error:
        raise TableError(
            f"Column {name!r} cannot be the target: {error} To take its values as "
            f"names, add --categorical {name!r}."
        ) from error


def as_labels(values, as_names=False):
    """Numbers if all are whole, otherwise unchanged; None for unlabeled rows."""
    if pd.api.types.is_float_dtype(values):
        values = _whole_numbers(values, as_names)
    if isinstance(values.dtype, np.dtype) and values.dtype.kind in "iuf":
        return values.to_numpy()
    if pd.api.types.is_object_dtype(values) and not as_names:
        _refuse_mixture(values)
        values = _hide_marker(values)
    labels = np.empty(len(values), dtype=object)
    for i in np.flatnonzero(values.notna()):
        value = values.iloc[i]
        labels[i] = value.item() if isinstance(value, np.generic) else value
        if not isinstance(labels[i], str | bool | int | float):
            raise TableError(
                f"Column {values.name!r} holds values such as {value!r} "
                f"({type(value).__name__}), which are not classes; a target holds "
                "texts, whole numbers or booleans."
            )
    is_marker = [type(label) is int and label == UNLABELED for label in labels]
    if any(is_marker):
        _refuse_two_marks(values)
    return labels


def _refuse_two_marks(values):
    """Empty cells and -1 among whole numbers cannot both mean "unlabeled"."""
    if values.isna().any():
        raise TableError(
            f"Column {values.name!r} holds empty cells and {UNLABELED}, which both "
            f"mark a row without a label; use one of them, or add --categorical "
            f"{values.name!r} if {UNLABELED} is a class."
        )


def _hide_marker(values):
    """Texts without -1 if all others are whole numbers; fractions are refused."""
    filled = values.dropna()
    if not all(isinstance(value, str) for value in filled):
        return values
    numbers = pd.to_numeric(filled, errors="coerce")
    if numbers.isna().any():
        return values
    _refuse_measured(values.name, numbers)
    is_marker = numbers.reindex(values.index) == UNLABELED
    if not is_marker.any():
        return values
    _refuse_two_marks(values)
    return values.mask(is_marker, None)


def _refuse_measured(name, numbers):
    broken = numbers[~(numbers % 1 == 0)]  # infinity included
    if len(broken):
        raise TableError(
            f"Column {name!r} holds measured numbers such as {broken.iloc[0]:g}, but a "
            "target holds classes; choose another column with --target, or turn them "
            f"into classes, such as low and high{_or_names(name, numbers)}."
        )


def _or_names(name, values):
    """The advice to take numbers as names, if they are not too many for classes."""
    if values.nunique() > _most_classes(len(values)):
        return ""
    return f", or add --categorical {name!r} to take them as names"


def _most_classes(n_labeled):
    return max(MANY_CLASSES, 0.9 * n_labeled)


def _refuse_amounts(name, texts, labels):
    """Raise `TableError` if nearly all of many different labels are amounts."""
    numbers = as_numbers(texts, choose_decimal(texts))
    plain = pd.to_numeric(texts, errors="coerce")
    if numbers.notna().mean() > 0.9 and plain.isna().mean() > 0.1:
        example = texts[numbers.notna() & plain.isna()].iloc[0]
        raise TableError(
            f"Column {name!r} holds {len(texts):,} different amounts such as "
            f"{example!r}, but a target holds classes; choose another column with "
            "--target, or turn them into classes, such as low and high"
            f"{_or_names(name, labels)}."
        )


def _refuse_mixture(values):
    """Raise `TableError` for a column of text at least half of which are numbers."""
    filled = values.dropna()
    numbers = pd.to_numeric(filled, errors="coerce")
    is_number = numbers.notna()
    if is_number.all() or is_number.mean() < 0.5:
        return
    others, known = filled[~is_number], filled[is_number]
    mark = str(known.iloc[0])
    is_single = known.map(str).nunique() == 1 and np.isfinite(numbers[known.index[0]])
    if is_single and len(known) > len(others):  # one number among names is no name
        raise TableError(
            f"Column {values.name!r} mixes text and the number {mark}, which is in "
            f"{len(known):,} of its {len(filled):,} filled cells; if it marks "
            f"unlabeled rows, add --missing {mark!r}, or --categorical "
            f"{values.name!r} if it is the name of a class."
        )
    example, row = str(others.iloc[0]), others.index[0] + 1
    verb = "is" if len(others) == 1 else "are"
    raise TableError(
        f"Column {values.name!r} mixes numbers and text: {len(others):,} of its "
        f"{len(filled):,} values {verb} like {example!r} (row {row:,}); correct them, "
        f"or add --missing {example!r} if that marks a missing cell, --categorical "
        f"{values.name!r} if the numbers are names."
    )


def _whole_numbers(values, as_names):
    """As integers; fractions are refused unless they are names."""
    filled = values.dropna()
    if as_names and (filled % 1 != 0).any():
        return values.astype(object).map(str, na_action="ignore")
    _refuse_measured(values.name, filled)
    if (filled.abs() > _LARGEST).any():
        raise TableError(
            f"Column {values.name!r} holds numbers such as {filled.abs().max():.0f}, "
            "which are too long to be exact beside empty cells; add --categorical "
            f"{values.name!r} to take them as names."
        )
    return values.astype("Int64")


def describe_placeholders(names):
    """A note on each class name that looks like a mark of unlabeled rows."""
    for name in find_placeholders(names):
        yield (
            f"{name!r} is used as a class; if it marks unlabeled rows, add "
            f"--missing {name!r}"
        )


def describe_alike(names):
    """A note on two class names that a reader may take for one, if there are any."""
    alike = find_alike(names)
    if alike is not None:
        yield (
            f"the labels {' and '.join(map(ascii, alike))} are two classes; if they "
            "are one, write them the same way"
        )


def find_alike(names):
    """Two texts that a reader may take for one class, None if there are none.

    They differ in blanks, case, Unicode form or how a number is written.
    """
    seen = {}
    for name in names:
        if isinstance(name, str):
            first = seen.setdefault(_essence(name), name)
            if first != name:
                return first, name
    return None


def find_copies(frame, y, labeled):
    """Columns that hold the target wherever it is known: the same names, or others.

    Returns pairs of a column and whether it has the same names, as a reader sees them.
    A column that agrees with few labels may do so by chance, see `_may_be_chance`.
    """
    labels = [_essence(str(label)) for label in y[labeled]]
    counts = list(Counter(labels).values())
    if len(counts) < 2:
        return ()
    is_text = any(isinstance(label, str) for label in labels)
    known, copies = frame[labeled], []
    for name in frame:
        if not _is_one_to_one(known[name], labels):
            continue
        is_same = [_essence(str(cell)) for cell in known[name]] == labels
        if not (is_same or frame[name].nunique() == len(counts)):
            continue
        has_same_gaps = bool((frame[name].notna().to_numpy() == labeled).all())
        n_rows = len(labeled) if has_same_gaps else len(labels)
        chance = NAMED_COPY_CHANCE if is_same and is_text else COPY_CHANCE
        if not _may_be_chance(counts, n_rows, is_same, chance):
            copies.append((name, is_same))
    return tuple(copies)


def warn_of_equal_columns(X, y, columns):
    """Warn if some columns of an array X equal the labels in y, which are numbers."""
    labeled = labeled_mask(y)
    frame = pd.DataFrame(X[:, columns], columns=columns.tolist())
    frame = frame.loc[:, (y[labeled] == frame[labeled].T).all(axis=1).to_numpy()]
    copies = [name for name, _ in find_copies(frame, np.asarray(y, object), labeled)]
    if copies:
        one = len(copies) == 1
        warn_of_data(
            f"The column{'' if one else 's'} {shorten(map(str, copies))} of X "
            f"{'equals' if one else 'equal'} y in all labeled rows. If "
            f"{'it is' if one else 'they are'} not known for new rows, pass "
            f"np.delete(X, {copies!r}, axis=1)."
        )


def warn_of_copies(X, y, columns=None):
    """Warn if columns of a table X hold the target y; arrays are not examined.

    `columns` are the positions of those to examine, all if it is None.
    """
    if not is_table(X) or np.shape(y) != (len(X),):
        return
    frame, names = as_frame(X), list(X.columns)  # the frame has these names as text
    if columns is not None:
        frame, names = frame.iloc[:, columns], [names[i] for i in columns]
    found = find_copies(frame, np.asarray(y, dtype=object), labeled_mask(y))
    copies = [names[frame.columns.get_loc(name)] for name, _ in found]
    if copies:
        one, is_pandas = len(copies) == 1, isinstance(X, pd.DataFrame)
        warn_of_data(
            f"The column{'' if one else 's'} {listed(copies)} of X "
            f"{'has' if one else 'have'} one value for each class in all labeled rows, "
            f"like {'a copy' if one else 'copies'} of y. If "
            f"{'it is' if one else 'they are'} not known for new rows, pass "
            f"X.drop({'columns=' if is_pandas else ''}{copies!r})."
        )


def _is_one_to_one(cells, labels):
    """Whether each label comes with one value and each value with one label."""
    if cells.isna().any():
        return False
    value_of, label_of = {}, {}
    try:
        return all(
            value_of.setdefault(label, cell) == cell
            and label_of.setdefault(cell, label) == label
            for cell, label in zip(cells, labels, strict=True)
        )
    except (TypeError, ValueError):  # cells that are lists or arrays
        return False


def _may_be_chance(counts, n_rows, is_same, chance):
    """Whether cells in random order would agree with the labels that often.

    `counts` are the labels of each class, among `n_rows` rows; more than there are
    labels if the column is empty where the target is.
    """
    n_labels = sum(counts)
    logs = lgamma(n_rows + 1) - lgamma(n_rows - n_labels + 1)
    logs -= sum(lgamma(count + 1) for count in counts)
    if not is_same:  # classes may have any of the names
        logs -= lgamma(len(counts) + 1)
    return logs < -log(chance)


def _essence(text):
    """What is left of a text without what `find_alike` names."""
    text = unicodedata.normalize("NFKC", text)
    kept = [c for c in text if unicodedata.category(c) not in ("Cf", "Cc")]
    text = " ".join("".join(kept).split()).casefold()
    try:
        return float(text)
    except ValueError:
        return text
