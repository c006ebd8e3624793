"""What a fitted model asks of a table."""

from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline

from widemargin.model_files.preparers import pick
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
    return [Column(name, kind) for name, kind in _uses(model, list(names)).items()]


def text_columns_of(model):
    """Names of the columns in which a model looks for text."""
    columns = columns_of(model) or []
    return {column.name for column in columns if column.kind is Kind.CATEGORIES}


def _uses(step, names):
    """What a fitted step uses its columns as, by name; those it drops are not there."""
    if isinstance(step, ColumnTransformer):
        uses = {}
        for _, inner, columns in step.transformers_:
            if not isinstance(inner, str):  # "drop"
                uses |= _uses(inner, pick(names, columns))
        return {name: uses[name] for name in names if name in uses}
    if isinstance(step, Pipeline):
        return _uses(_first_step(step), names)
    if isinstance(step, CountVectorizer):
        return dict.fromkeys(names, Kind.CATEGORIES)
    uses = dict.fromkeys(names, Kind.NUMBERS)
    for name, values in zip(names, getattr(step, "categories_", ()), strict=False):
        if values.dtype.kind in "OU":
            uses[name] = Kind.CATEGORIES
    return uses


def _first_step(pipeline):
    """The first one that does more than to fill gaps."""
    steps = [step for _, step in pipeline.steps if not isinstance(step, str | None)]
    others = [step for step in steps if not isinstance(step, SimpleImputer)]
    return (others or steps)[0]


def _reads_texts(model):
    """Whether a model was fitted on a list of texts."""
    return isinstance(model, Pipeline) and isinstance(model[0], CountVectorizer)


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
    if _reads_texts(model):
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
