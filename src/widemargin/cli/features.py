"""Columns of a table as the input of a fitted model, also of one made elsewhere."""

import numpy as np
import pandas as pd
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import Pipeline

from widemargin.estimators.table_encoder import TableEncoder
from widemargin.model_files.preparers import example_cells
from widemargin.tables.cells import as_numbers, texts_of
from widemargin.tables.columns import Column, Kind
from widemargin.tables.encodings import find_unread
from widemargin.tables.errors import TableError, check_fitted, listed


def make_features(frame, columns):
    """The columns that are used, as floats or text; `TableError` otherwise."""
    features = {}
    for column in columns:
        values = frame[column.name]
        if column.kind is Kind.NUMBERS:
            features[column.name] = column.reading.numbers(values)
        elif column.kind is Kind.CATEGORIES:
            features[column.name] = texts_of(values).where(values.notna(), np.nan)
    return pd.DataFrame(features, index=frame.index)


def columns_of(model):
    """The columns that a fitted model needs; None if it only has their order."""
    encoder = encoder_of(model)
    if encoder is not None:
        return [each for each in encoder.columns_ if each.kind is not Kind.LEFT_OUT]
    names = getattr(model, "feature_names_in_", None)
    if names is None:
        return None
    kinds = {"O": Kind.CATEGORIES, "U": Kind.CATEGORIES}
    return [
        Column(name, kinds.get(cells.dtype.kind, Kind.NUMBERS))
        for name, cells in example_cells(model, list(names)).items()
    ]


def text_columns_of(model, decimal="."):
    """Names of the columns that a model uses as text."""
    columns = columns_of(model) or []
    kinds = (Kind.CATEGORIES, Kind.TEXT)
    # pandas would read "1.234" of a column with a decimal comma as a fraction.
    has_comma = {c.name for c in columns if c.form == ","}
    if decimal == ",":
        has_comma |= {c.name for c in columns if c.kind is Kind.NUMBERS}
    return has_comma | {c.name for c in columns if c.kind in kinds}


def with_decimal(frame, model, decimal):
    """Rows of a table whose numbers the user has said to have this decimal mark."""
    if decimal == ".":
        return frame
    numbers = {}
    for column in columns_of(model) or ():
        if column.kind is Kind.NUMBERS and column.name in frame and column.form != ",":
            values = frame[column.name]
            read = as_numbers(values, decimal)
            numbers[column.name] = read.astype(object).where(read.notna(), values)
    return frame.assign(**numbers)


def count_unread(frame, model):
    """Cells of new rows that a model does not know, for each column."""
    encoder = encoder_of(model)
    return [] if encoder is None else list(find_unread(encoder.features_, frame))


def describe_unread(found):
    """Notes on such cells."""
    return [str(each) for each in found if each.n_cells]


def encoder_of(model):
    """The `TableEncoder` of a fitted model, None if it has none."""
    first = model[0] if isinstance(model, Pipeline) else model
    is_encoder = isinstance(first, TableEncoder)
    return first if is_encoder else getattr(first, "encoder_", None)


def features_of(frame, model, name="the table"):
    """Rows of a table as the input of a model, which may ignore other columns."""
    columns = columns_of(model)
    if columns is not None:
        check_fitted([column.name for column in columns], frame, name, "the model")
        return frame if encoder_of(model) else make_features(frame, columns)
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
            f"fitted on, in the same order, got {frame.shape[1]:,}: "
            f"{_advise_on_columns(frame, model.n_features_in_)}"
        )
    columns = [Column(column, Kind.NUMBERS) for column in frame]
    return make_features(frame, columns).to_numpy()


def _advise_on_columns(frame, n_wanted):
    """Which columns of a table may be too many, for a model that stores no names."""
    columns, n_more = list(frame), frame.shape[1] - n_wanted
    if n_more < 0:
        return f"{listed(columns)}. Add those that are missing."
    texts = [c for c in columns if not pd.api.types.is_numeric_dtype(frame[c])]
    if len(texts) == n_more:
        return f"leave out {listed(texts)} (not numeric)."
    many = "the first is" if n_more == 1 else f"the first {n_more:,} are"
    last = "the last is" if n_more == 1 else f"the last {n_more:,} are"
    return (
        f"leave out those that are not features ({many} {listed(columns[:n_more])}, "
        f"{last} {listed(columns[-n_more:])})."
    )
