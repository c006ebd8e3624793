"""Numbers and categories of a table as features."""

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from widemargin.tables.columns import Kind, as_numbers
from widemargin.tables.errors import TableError
from widemargin.tables.number_text import advise

_MISSING = "(missing)"  # a category like others
_LARGEST = 1e100  # whose square is a number, too


def make_preparation(columns):
    """The step that makes features of columns: impute, then scale or one-hot.

    Missing numbers become the median of their column, missing categories one of their
    own; categories that `fit` did not see count as none. A model file can hold it.

    Parameters
    ----------
    columns : iterable of Column
    """
    as_missing = {
        "strategy": "constant",
        "fill_value": _MISSING,
        "keep_empty_features": True,
    }
    steps = {
        Kind.NUMBERS: [
            ("impute", SimpleImputer(strategy="median", keep_empty_features=True)),
            ("scale", StandardScaler()),
        ],
        Kind.CATEGORIES: [
            ("impute", SimpleImputer(**as_missing)),
            ("impute_none", SimpleImputer(missing_values=None, **as_missing)),
            ("encode", OneHotEncoder(handle_unknown="ignore", sparse_output=False)),
        ],
    }
    names = {
        kind: [column.name for column in columns if column.kind is kind]
        for kind in steps
    }
    return ColumnTransformer(
        [(kind.value, Pipeline(steps[kind]), names[kind]) for kind in steps],
        verbose_feature_names_out=False,
    )


def make_features(frame, columns):
    """The columns that are used, numbers as floats and categories as text.

    Raises
    ------
    TableError
        If a column of numbers holds text, infinity or numbers near to it.
    """
    features = {}
    for column in columns:
        if column.kind is Kind.NUMBERS:
            features[column.name] = _numbers(column.name, frame[column.name])
        elif column.kind is Kind.CATEGORIES:
            features[column.name] = _texts(frame[column.name])
    return pd.DataFrame(features, index=frame.index)


def _numbers(name, values):
    numbers = as_numbers(values)
    for problem, wrong in (
        ("must hold numbers", numbers.isna() & values.notna()),
        ("must hold finite numbers", np.isinf(numbers)),
        (f"must hold numbers up to {_LARGEST:g}", numbers.abs() > _LARGEST),
    ):
        if wrong.any():
            row = int(np.flatnonzero(wrong)[0])
            value = str(values.iloc[row])
            as_missing = f"if it marks a missing cell, add --missing {value!r}"
            raise TableError(
                f"Column {name!r} {problem}, got {value!r} in row {row + 1:,}; "
                f"{advise(value) or f'mend it, or {as_missing}'}."
            )
    return numbers


def _texts(values):
    pairs = zip(values, values.notna(), strict=True)
    texts = [_text(value) if is_known else np.nan for value, is_known in pairs]
    return pd.Series(texts, index=values.index, dtype=object)


def _text(value):
    """A whole number is the same name whether or not other cells made it a float."""
    is_whole = isinstance(value, float | np.floating) and value.is_integer()
    return str(int(value)) if is_whole else str(value)
