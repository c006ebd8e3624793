"""Numbers and categories of a table as features."""

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from widemargin.tables.columns import Kind, as_numbers
from widemargin.tables.errors import TableError

_MISSING = "(missing)"  # a category like others


def make_preparation(columns):
    """The step that makes features of columns: impute, then scale or one-hot.

    Missing numbers become the median of their column, missing categories one of their
    own; categories that `fit` did not see count as none. A model file can hold it.

    Parameters
    ----------
    columns : iterable of Column
    """
    steps = {
        Kind.NUMBERS: [
            ("impute", SimpleImputer(strategy="median")),
            ("scale", StandardScaler()),
        ],
        Kind.CATEGORIES: [
            ("impute", SimpleImputer(strategy="constant", fill_value=_MISSING)),
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
        If a column of numbers holds text or infinity.
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
    ):
        if wrong.any():
            row = int(np.flatnonzero(wrong)[0])
            raise TableError(
                f"Column {name!r} {problem}, got {str(values.iloc[row])!r} in row "
                f"{row + 1:,}; mend it, or if it marks a missing cell, add --missing "
                f"{str(values.iloc[row])!r}."
            )
    return numbers


def _texts(values):
    texts = [str(value) if known else np.nan for value, known in _with_known(values)]
    return pd.Series(texts, index=values.index, dtype=object)


def _with_known(values):
    return zip(values, values.notna(), strict=True)
