"""The target column of a table as labels."""

import numpy as np
import pandas as pd

from widemargin.defaults import MANY_CLASSES
from widemargin.labels import labeled_mask, read_labels
from widemargin.tables.errors import TableError

_MARKER = -1  # marks an unlabeled row where all labels are whole numbers
_LARGEST = 2**53  # pandas reads numbers beside empty cells as floats, exact up to here


def read_target(values, *, as_names=False):
    """Labels of a column as estimators take them, and as `PartialLabels`."""
    name = values.name
    y = _as_labels(values, as_names)
    labeled = labeled_mask(y)
    if not labeled.any():
        raise TableError(
            f"Column {name!r} has no label: all {len(y):,} cells are empty. Fill in a "
            "few rows of each class, or find groups without labels: widemargin cluster."
        )
    n_labeled, different = int(labeled.sum()), set(y[labeled].tolist())
    if len(different) == 1:
        marked = ""
        if y.dtype.kind in "iu" and not labeled.all():
            marked = f", or add --categorical {name!r} if {_MARKER} is one"
        raise TableError(
            f"Column {name!r} holds one class only, {different.pop()!r} "
            f"(labeled rows: {n_labeled:,}); label rows of at least one more "
            f"class{marked}."
        )
    if len(different) > max(MANY_CLASSES, 0.9 * n_labeled):
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


def _as_labels(values, as_names):
    """Numbers if all are whole, otherwise unchanged; None for unlabeled rows."""
    if pd.api.types.is_float_dtype(values):
        values = _whole_numbers(values, as_names)
    if isinstance(values.dtype, np.dtype) and values.dtype.kind in "iuf":
        return values.to_numpy()
    if pd.api.types.is_object_dtype(values) and not as_names:
        _refuse_mixture(values)
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
    # Empty cells and -1 among whole numbers cannot both mean "unlabeled".
    is_marker = [type(label) is int and label == _MARKER for label in labels]
    if any(is_marker) and None in labels.tolist():
        raise TableError(
            f"Column {values.name!r} holds empty cells and {_MARKER}, which both mark "
            f"a row without a label; use one of them, or add --categorical "
            f"{values.name!r} if {_MARKER} is a class."
        )
    return labels


def _refuse_mixture(values):
    """Raise `TableError` for a column of text at least half of which are numbers."""
    filled = values.dropna()
    is_number = pd.to_numeric(filled, errors="coerce").notna()
    if is_number.all() or is_number.mean() < 0.5:
        return
    others = filled[~is_number]
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
    broken = filled[filled % 1 != 0]
    if len(broken) and as_names:
        return values.astype(object).map(str, na_action="ignore")
    if len(broken):
        raise TableError(
            f"Column {values.name!r} holds measured numbers such as "
            f"{broken.iloc[0]:g}, but a target holds classes; choose another column "
            f"with --target, or turn them into classes, such as low and high."
        )
    if (filled.abs() > _LARGEST).any():
        raise TableError(
            f"Column {values.name!r} holds numbers such as {filled.abs().max():.0f}, "
            "which are too long to be exact beside empty cells; add --categorical "
            f"{values.name!r} to take them as names."
        )
    return values.astype("Int64")
