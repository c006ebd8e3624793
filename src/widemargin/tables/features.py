"""Columns of a table as features, for a new model or for a fitted one."""

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from widemargin.model_files.preparers import example_cells
from widemargin.tables.columns import Column, Kind, advise, as_numbers
from widemargin.tables.errors import TableError, listed

_MISSING = "(missing)"  # a category like others
_LARGEST = 1e100  # its square is still finite


def make_preparation(columns):
    """The step that makes features of columns: impute, then scale or encode."""
    keep = {"keep_empty_features": True}
    as_missing = {"strategy": "constant", "fill_value": _MISSING, **keep}
    numbers = [
        ("impute", SimpleImputer(strategy="median", **keep)),
        ("scale", StandardScaler()),
    ]
    categories = [
        ("impute", SimpleImputer(**as_missing)),
        ("impute_none", SimpleImputer(missing_values=None, **as_missing)),
        ("encode", OneHotEncoder(handle_unknown="ignore", sparse_output=False)),
    ]
    parts = []
    for kind, steps in ((Kind.NUMBERS, numbers), (Kind.CATEGORIES, categories)):
        names = [column.name for column in columns if column.kind is kind]
        parts.append((kind.value, Pipeline(steps), names))
    return ColumnTransformer(parts, verbose_feature_names_out=False)


def make_features(frame, columns):
    """The columns that are used, as floats or text; `TableError` otherwise."""
    features = {}
    for column in columns:
        if column.kind is Kind.NUMBERS:
            features[column.name] = _numbers(column.name, frame[column.name])
        elif column.kind is Kind.CATEGORIES:
            cells = zip(frame[column.name], frame[column.name].notna(), strict=True)
            texts = [_text(value) if is_known else np.nan for value, is_known in cells]
            features[column.name] = pd.Series(texts, frame.index, dtype=object)
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
                f"{advise(value) or f'correct it, or {as_missing}'}."
            )
    return numbers


def _text(value):
    """A whole number has the same name if other cells made its column a float."""
    is_whole = isinstance(value, float | np.floating) and value.is_integer()
    return str(int(value)) if is_whole else str(value)


def columns_of(model):
    """The columns that a fitted model needs; None if it only has their order."""
    names = getattr(model, "feature_names_in_", None)
    if names is None:
        return None
    kinds = {"O": Kind.CATEGORIES, "U": Kind.CATEGORIES}
    return [
        Column(name, kinds.get(cells.dtype.kind, Kind.NUMBERS))
        for name, cells in example_cells(model, list(names)).items()
    ]


def text_columns_of(model):
    """Names of the columns that a model uses as text."""
    columns = columns_of(model) or []
    return {column.name for column in columns if column.kind is Kind.CATEGORIES}


def features_of(frame, model, name="the table"):
    """Rows of a table as the input of a model, which may ignore other columns."""
    columns = columns_of(model)
    if columns is not None:
        lacking = [column.name for column in columns if column.name not in frame]
        if lacking:
            noun = "column" if len(lacking) == 1 else "columns"
            raise TableError(
                f"{name} lacks the {noun} {listed(lacking)} that the model was fitted "
                f"on; its columns are {listed(frame)}."
            )
        return make_features(frame, columns)
    if isinstance(model, Pipeline) and isinstance(model[0], CountVectorizer):  # texts
        if frame.shape[1] != 1:
            raise TableError(
                f"{name} must have one column, of texts like those that the model was "
                f"fitted on, got {frame.shape[1]:,}: {listed(frame)}."
            )
        texts = make_features(frame, [Column(frame.columns[0], Kind.CATEGORIES)])
        return texts.iloc[:, 0].fillna("").tolist()
    if frame.shape[1] != model.n_features_in_:
        raise TableError(
            f"{name} must have the {model.n_features_in_:,} columns that the model was "
            f"fitted on, in the same order, got {frame.shape[1]:,}."
        )
    columns = [Column(column, Kind.NUMBERS) for column in frame]
    return make_features(frame, columns).to_numpy()
