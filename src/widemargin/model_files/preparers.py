"""Steps of scikit-learn before an estimator: which may be in a file, and their checks.

Those whose compiled code would write beyond a matrix for a wrong number are checked.
"""

import copy
import re

import numpy as np
import pandas as pd
from sklearn import decomposition, feature_extraction, impute, preprocessing
from sklearn.base import BaseEstimator
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder

from widemargin.estimators.table_encoder import TableEncoder
from widemargin.model_files.archive import ModelFileError
from widemargin.stored import is_finite, require

_NAMES = {
    preprocessing: (
        "FunctionTransformer MaxAbsScaler MinMaxScaler Normalizer OneHotEncoder "
        "OrdinalEncoder RobustScaler StandardScaler"
    ),
    impute: "MissingIndicator SimpleImputer",
    decomposition: "PCA TruncatedSVD",
    feature_extraction.text: "CountVectorizer TfidfTransformer TfidfVectorizer",
}
PREPARERS = (
    ColumnTransformer,
    Pipeline,
    *(getattr(module, name) for module in _NAMES for name in _NAMES[module].split()),
)
_TRIAL_FEATURES = 10**5  # a pipeline of more is not tried
_TRIAL_WORDS = 1000
_LARGEST = 1e300  # that may be filled into a gap
_NUMBERS = np.array([0.0, 1e4])  # of any column of numbers: none, and a large one
_MOST_WORDS = 20  # of an n-gram
# A pattern in pieces: an escape, a set, the beginning of a group, another character
_PIECES = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?[:imsux]+\)?|.", re.DOTALL)
_MOST_REPEATS = 3  # in a pattern of words


def pack_step(step):
    """A copy of which all attributes can be written; words in the order of columns."""
    if isinstance(step, FunctionTransformer) and step.func is not None:
        raise ModelFileError(
            "holds a FunctionTransformer with a function, which would be code"
        )
    packed = copy.copy(step)
    if isinstance(step, ColumnTransformer) and hasattr(step, "transformers_"):
        _name_columns(packed)
    elif isinstance(step, CountVectorizer) and hasattr(step, "vocabulary_"):
        packed.vocabulary_ = sorted(step.vocabulary_, key=step.vocabulary_.get)
    return packed


def unpack_step(step):
    """Undo `pack_step` in place."""
    if isinstance(getattr(step, "vocabulary_", None), list):
        step.vocabulary_ = {word: i for i, word in enumerate(step.vocabulary_)}
    return step


def check_step(step):
    """Raise ValueError unless a fitted step, and those inside of it, can be used."""
    if isinstance(step, Pipeline) and step.memory is not None:
        raise ModelFileError(
            f"holds a Pipeline with memory={step.memory!r}, a folder of pickles; "
            "call set_params(memory=None)"
        )
    if isinstance(step, OneHotEncoder) and hasattr(step, "categories_"):
        _check_one_hot(step)
    elif isinstance(step, CountVectorizer):
        _check_vectorizer(step)
    elif isinstance(step, SimpleImputer):  # NaN stands for a column without values
        filled = np.asarray(getattr(step, "statistics_", 0.0))
        fits = filled.dtype.kind != "f" or not (np.abs(filled) > _LARGEST).any()
        require(fits, step, "statistics_")
    elif isinstance(step, TfidfTransformer):
        idf = getattr(step, "idf_", None)
        require(idf is None or is_finite(idf, 1), step, "idf_")
    elif isinstance(step, FunctionTransformer):  # what "passthrough" becomes
        require(step.func is None, step, "func")
        require(step.inverse_func is None, step, "inverse_func")
    for inner in _inner_steps(list(vars(step).values())):
        if type(inner) in PREPARERS:
            check_step(inner)
        elif hasattr(inner, "check_state"):  # an estimator of widemargin
            inner.check_state()


def _inner_steps(value):
    """Steps in a value, such as the steps of a pipeline."""
    if isinstance(value, BaseEstimator):
        yield value
    elif isinstance(value, dict | list | tuple):
        for member in value.values() if isinstance(value, dict) else value:
            yield from _inner_steps(member)


def trial_rows(model):
    """Rows that a fitted pipeline must be able to predict; None if none are known."""
    first = model.steps[0][1]
    if isinstance(first, CountVectorizer):
        return list(_example_texts(first))
    if isinstance(first, TableEncoder):
        return first.empty_row()
    n_features, names = model.n_features_in_, getattr(model, "feature_names_in_", None)
    require(type(n_features) is int and n_features > 0, first, "n_features_in_")
    fits = names is None or len(names) == n_features
    fits = fits and (names is None or all(isinstance(name, str) for name in names))
    require(fits, first, "feature_names_in_")
    if n_features > _TRIAL_FEATURES or _is_strict(model):
        return None
    names = list(range(n_features) if names is None else names)
    examples = dict.fromkeys(names, _NUMBERS) | example_cells(model, names)
    pairs = {name: [cells[0], cells[-1]] for name, cells in examples.items()}
    frame = pd.DataFrame(pairs)
    return frame if isinstance(names[0], str) else frame.to_numpy()


def _is_strict(step):
    """Whether an encoder behind other steps reads only the categories it knows."""
    behind = step.steps[1:] if isinstance(step, Pipeline) else ()
    if any(getattr(each, "handle_unknown", "") == "error" for _, each in behind):
        return True
    return any(map(_is_strict, _inner_steps(list(vars(step).values()))))


def example_cells(step, names):
    """Cells that a fitted step can read, an array for each column that it uses."""
    if isinstance(step, ColumnTransformer):
        cells = {}
        for _, inner, columns in step.transformers_:
            if not isinstance(inner, str):  # "drop"
                cells |= example_cells(inner, pick(names, columns))
        return {name: cells[name] for name in names if name in cells}
    if isinstance(step, Pipeline):
        steps = [part for _, part in step.steps if not isinstance(part, str | None)]
        others = [part for part in steps if not isinstance(part, SimpleImputer)]
        return example_cells((others or steps)[0], names)
    if isinstance(step, CountVectorizer):
        return dict.fromkeys(names, _example_texts(step))
    known = zip(names, getattr(step, "categories_", ()), strict=False)
    known = {name: values for name, values in known if len(values)}
    return dict.fromkeys(names, _NUMBERS) | known


def _example_texts(vectorizer):
    """Nothing, and words of the vocabulary."""
    words = list(vectorizer.vocabulary_)[:_TRIAL_WORDS]
    return np.array(["", " ".join(words)], dtype=object)


def pick(names, columns):
    """Names that columns of a ColumnTransformer stand for: names, positions, a mask."""
    columns = [columns] if np.isscalar(columns) else columns
    if isinstance(columns, list) and all(isinstance(name, str) for name in columns):
        return columns
    return np.array(list(names), dtype=object)[columns].tolist()


def _name_columns(transformer):
    """Replace columns of a fitted ColumnTransformer by the lists they stand for."""

    def name_columns(name, step, columns):
        return name, step, _as_list(columns, transformer)

    resolved = transformer._columns  # functions have been called
    given = zip(transformer.transformers, resolved, strict=True)
    transformer.transformers = [
        name_columns(name, step, columns) for (name, step, _), columns in given
    ]
    transformer._columns = [columns for _, _, columns in transformer.transformers]
    fitted = transformer.transformers_
    transformer.transformers_ = [name_columns(*each) for each in fitted]
    transformer._remainder = name_columns(*transformer._remainder)


def _as_list(columns, transformer):
    """A list of names, positions or a mask; a single name stays one."""
    if isinstance(columns, slice) and isinstance(columns.start or columns.stop, str):
        names = list(transformer.feature_names_in_)
        first = 0 if columns.start is None else names.index(columns.start)
        last = len(names) if columns.stop is None else names.index(columns.stop) + 1
        return names[first : last : columns.step]  # the last name is included
    if isinstance(columns, str | slice) or np.isscalar(columns):
        return columns
    return [item.item() if isinstance(item, np.generic) else item for item in columns]


def _check_one_hot(encoder):
    """What places of ones are computed from: a wrong one would be beyond the matrix."""
    if getattr(encoder, "_infrequent_enabled", False) is not False:
        raise ModelFileError(
            "holds a OneHotEncoder with min_frequency or max_categories, which model "
            "files do not support"
        )
    require(all(map(_is_sorted, encoder.categories_)), encoder, "categories_")
    sizes = [len(values) for values in encoder.categories_]
    grouped = getattr(encoder, "_drop_idx_after_grouping", None)
    dropped, grouped = (
        [None] * len(sizes) if positions is None else list(positions)
        for positions in (encoder.drop_idx_, grouped)
    )
    require(grouped == dropped, encoder, "_drop_idx_after_grouping")
    pairs = list(zip(dropped, sizes, strict=True))
    fits = all(i is None or 0 <= i < size for i, size in pairs)
    require(fits, encoder, "drop_idx_")
    widths = [size - (i is not None) for i, size in pairs]
    given = getattr(encoder, "_n_features_outs", widths)
    require(list(given) == widths, encoder, "_n_features_outs")


def _is_sorted(values):
    """Whether categories are increasing; NaN, which is less than nothing, is last."""
    if not isinstance(values, np.ndarray) or values.ndim != 1:
        return False
    if values.dtype.kind == "f" and np.isnan(values[-1:]).all():
        values = values[:-1]
    return values.dtype.kind == "O" or bool((values[:-1] < values[1:]).all())


def _check_vectorizer(vectorizer):
    """It must read texts, not files; a wrong column would be beyond the matrix."""
    require(vectorizer.input == "content", vectorizer, "input")
    for name in ("preprocessor", "tokenizer"):
        require(getattr(vectorizer, name) is None, vectorizer, name)
    require(isinstance(vectorizer.analyzer, str), vectorizer, "analyzer")
    given = vectorizer.vocabulary  # what it uses is vocabulary_
    require(given is None or isinstance(given, list), vectorizer, "vocabulary")
    columns = getattr(vectorizer, "vocabulary_", {})
    fits = isinstance(columns, dict) and all(isinstance(word, str) for word in columns)
    fits = fits and set(columns.values()) == set(range(len(columns)))
    require(fits, vectorizer, "vocabulary_")
    sizes = vectorizer.ngram_range
    fits = isinstance(sizes, list | tuple) and len(sizes) == 2
    fits = fits and all(type(size) is int and size <= _MOST_WORDS for size in sizes)
    require(fits, vectorizer, "ngram_range")
    pattern = vectorizer.token_pattern
    if pattern is not None and not (isinstance(pattern, str) and is_quick(pattern)):
        raise ModelFileError(
            f"holds a vectorizer with token_pattern={pattern!r}, which could take "
            "forever; repeat single characters only, and not more than "
            f"{_MOST_REPEATS} times, as in '[a-z]+'"
        )


def is_quick(pattern):
    r"""Whether a regular expression cannot take exponential time.

    Only single characters and sets are repeated, a few times in each alternative; a
    group may be optional.

    >>> is_quick(r"(?u)\b\w\w+\b"), is_quick("(a+)+$")
    (True, False)
    """
    n_repeats, before = 0, ""
    for piece in _PIECES.findall(pattern):
        is_lazy = piece in ("?", "+") and before in ("*", "+", "?", "}")
        is_reference = piece.startswith("\\") and piece[1:].isdigit()
        is_special = piece == "?" and before == "("  # looks ahead, for example
        if is_reference or is_special:
            return False
        if piece == "|":
            n_repeats = 0
        elif piece in ("*", "+", "?", "{") and not is_lazy:
            n_repeats += 1
            if n_repeats > _MOST_REPEATS or (before == ")" and piece != "?"):
                return False
        before = piece
    return True
