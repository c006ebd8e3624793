"""The columns of a ColumnTransformer as plain lists."""

import copy

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.preprocessing import FunctionTransformer


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


def is_passthrough(step):
    """Whether a step is what scikit-learn fits for "passthrough"."""
    return type(step) is FunctionTransformer and step.func is step.inverse_func is None


def make_passthrough(transformer, columns):
    """What scikit-learn fits for columns that a ColumnTransformer passes through."""
    step = FunctionTransformer(
        accept_sparse=True, check_inverse=False, feature_names_out="one-to-one"
    )
    names = getattr(transformer, "feature_names_in_", None)
    picked = pick(
        range(transformer.n_features_in_) if names is None else names, columns
    )
    step.n_features_in_ = len(picked)
    if names is not None:
        step.feature_names_in_ = np.array(picked, dtype=object)
    output = getattr(transformer, "_sklearn_output_config", {})
    return step.set_output(transform=output.get("transform"))


def pick(names, columns):
    """Those of the names that a ColumnTransformer's columns stand for.

    Parameters
    ----------
    names : iterable
        Of all columns.
    columns : str, int, slice or list
        Names, positions or a mask.
    """
    columns = [columns] if np.isscalar(columns) else columns
    if isinstance(columns, list) and all(isinstance(name, str) for name in columns):
        return columns
    return np.array(list(names), dtype=object)[columns].tolist()


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
