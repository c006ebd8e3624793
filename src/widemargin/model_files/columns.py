"""The columns of a ColumnTransformer as plain lists."""

import copy

import numpy as np
from sklearn.compose import ColumnTransformer


def with_plain_columns(transformer):
    """A copy of a fitted ColumnTransformer that names its columns by lists.

    It may have been given a pandas Index, a function that picks columns or a slice of
    names; what they stood for when it was fitted is what counts.
    """
    plain = copy.copy(transformer)
    resolved = [_as_list(columns, transformer) for columns in transformer._columns]
    plain._columns = resolved
    plain.transformers = [
        (name, step, columns)
        for (name, step, _), columns in zip(
            transformer.transformers, resolved, strict=True
        )
    ]
    plain.transformers_ = [
        (name, step, _as_list(columns, transformer))
        for name, step, columns in transformer.transformers_
    ]
    name, step, columns = transformer._remainder
    plain._remainder = name, step, _as_list(columns, transformer)
    return plain


def is_column_transformer(step):
    """Whether a step picks columns, and is fitted."""
    return isinstance(step, ColumnTransformer) and hasattr(step, "transformers_")


def _as_list(columns, transformer):
    """A list of names, positions or a mask; a single name stays one."""
    if isinstance(columns, slice) and isinstance(columns.start or columns.stop, str):
        names = list(transformer.feature_names_in_)
        first = 0 if columns.start is None else names.index(columns.start)
        last = len(names) if columns.stop is None else names.index(columns.stop) + 1
        return names[first : last : columns.step]  # names count to the last one
    if isinstance(columns, str | slice) or np.isscalar(columns):
        return columns
    return [item.item() if isinstance(item, np.generic) else item for item in columns]
