"""What a fitted model asks of a table."""

from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline

from widemargin.tables.columns import Column, Kind
from widemargin.tables.errors import TableError, listed
from widemargin.tables.preparation import make_features


def columns_of(model):
    """The columns that a model needs; None if it knows them by their order only.

    Parameters
    ----------
    model : estimator
        Fitted; one that was not fitted on a table has columns of numbers.
    """
    names = getattr(model, "feature_names_in_", None)
    if names is None:
        return None
    categories = text_columns_of(model)
    return [
        Column(name, Kind.CATEGORIES if name in categories else Kind.NUMBERS)
        for name in names
    ]


def text_columns_of(model):
    """Names of the columns in which a model looks for text."""
    first = model[0] if isinstance(model, Pipeline) else model
    if not isinstance(first, ColumnTransformer):
        return set()
    found = set()
    for _, step, names in first.transformers_:
        encoder = step[-1] if isinstance(step, Pipeline) else step
        categories = getattr(encoder, "categories_", [])
        found |= {
            name
            for name, values in zip(names, categories, strict=False)
            if values.dtype.kind in "OU"
        }
    return found


def features_of(frame, model, name="the table"):
    """Rows of a table as a model wants them.

    Parameters
    ----------
    frame : DataFrame
        More columns than the model needs are left out, unless it has no names.
    model : estimator
    name : str
        What the table is called in messages.

    Raises
    ------
    TableError
        If columns are missing, or hold text in place of numbers.
    """
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
    if frame.shape[1] != model.n_features_in_:
        raise TableError(
            f"{name} must have the {model.n_features_in_:,} columns that the model was "
            f"fitted on, in the same order, got {frame.shape[1]:,}."
        )
    columns = [Column(column, Kind.NUMBERS) for column in frame]
    return make_features(frame, columns).to_numpy()
