"""Checks of a loaded model's parts against each other, before it is used."""

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder

from widemargin.estimators import FewLabelClassifier
from widemargin.model_files.allowed import MACHINES, PREPARERS, qualified
from widemargin.model_files.columns import is_passthrough
from widemargin.model_files.errors import ModelFileError
from widemargin.model_files.machines import check_machine
from widemargin.model_files.requirements import is_array, require


def check_fitted(model):
    """Raise `ModelFileError` unless it is a machine, or a pipeline that ends with one.

    The arrays of all its parts must fit each other.
    """
    last = model
    while isinstance(last, Pipeline):
        last = last.steps[-1][1]
    if qualified(type(last)) not in MACHINES:
        raise ModelFileError(
            f"holds {qualified(type(last))} in place of a machine of widemargin"
        )
    _check_part(model)


def _check_part(part):
    """A machine or a preparing step, and whatever estimators are inside."""
    name = qualified(type(part))
    if name in MACHINES:
        check_machine(part)
    elif name not in PREPARERS:
        raise ModelFileError(f"holds {name} in place of a step")
    elif isinstance(part, Pipeline) and part.memory is not None:
        raise ModelFileError(
            f"holds a Pipeline with memory={part.memory!r}, a folder of pickles; "
            "call set_params(memory=None)"
        )
    elif isinstance(part, OneHotEncoder) and hasattr(part, "categories_"):
        _check_one_hot(part)
    elif isinstance(part, CountVectorizer):
        _check_vectorizer(part)
    for inner in _estimators_in(_fitted_parts(part)):
        _check_part(inner)


def _fitted_parts(part):
    """Attributes; of candidates that a user gave, which are not fitted, theirs."""
    attributes = dict(vars(part))
    if isinstance(part, FewLabelClassifier) and isinstance(part.candidates, dict):
        given = part.candidates.values()
        attributes["candidates"] = [vars(machine) for machine in given]
    return attributes


def _estimators_in(value):
    """Estimators at any place of a value, such as the steps of a pipeline."""
    if isinstance(value, BaseEstimator) and not is_passthrough(value):
        yield value
    elif isinstance(value, dict | list | tuple):
        for member in value.values() if isinstance(value, dict) else value:
            yield from _estimators_in(member)


def _check_one_hot(model):
    """What places of ones are computed from: a wrong one would be beyond the matrix."""
    categories = model.categories_
    if getattr(model, "_infrequent_enabled", False) is not False:
        raise ModelFileError(
            "holds a OneHotEncoder with min_frequency or max_categories, which model "
            "files do not support"
        )
    for values in categories:
        is_sorted = is_array(values, 1, "O") or (
            is_array(values, 1, "biufU") and bool((values[:-1] < values[1:]).all())
        )
        # NaN, which is not less than anything, may only be the last
        is_sorted = is_sorted or (
            is_array(values, 1, "f")
            and bool((values[:-2] < values[1:-1]).all() and np.isnan(values[-1:]).all())
        )
        require(is_sorted, model, "categories_", values)
    sizes = [len(values) for values in categories]
    dropped = model.drop_idx_
    if dropped is None:
        dropped = [None] * len(sizes)
    for name in ("drop_idx_", "_drop_idx_after_grouping"):
        own = getattr(model, name, None)
        own = [None] * len(sizes) if own is None else list(own)
        require(own == list(dropped), model, name, own)
    pairs = list(zip(dropped, sizes, strict=True))
    fits = all(i is None or 0 <= i < size for i, size in pairs)
    require(fits, model, "drop_idx_", dropped)
    widths = [size - (i is not None) for i, size in pairs]
    given = getattr(model, "_n_features_outs", widths)
    require(list(given) == widths, model, "_n_features_outs", given)


def _check_vectorizer(model):
    """It must read texts, not files that they name, and count each word in a column.

    A wrong column would be beyond the matrix.
    """
    require(model.input == "content", model, "input", model.input)
    for name in ("preprocessor", "tokenizer"):
        require(getattr(model, name) is None, model, name, getattr(model, name))
    require(isinstance(model.analyzer, str), model, "analyzer", model.analyzer)
    words = model.vocabulary  # what it was given; what it uses is vocabulary_
    is_plain = words is None or isinstance(words, list)
    require(is_plain, model, "vocabulary", words)
    words = getattr(model, "vocabulary_", {})
    is_numbered = isinstance(words, dict) and set(words.values()) == set(
        range(len(words))
    )
    require(is_numbered, model, "vocabulary_", words)
