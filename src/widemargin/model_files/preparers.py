"""Steps of scikit-learn before an estimator: which may be in a file, and their checks.

They declare nothing of what they consist of. So they are listed here, they are written
with all of their attributes, and those whose compiled code would write beyond a matrix
if a number were wrong are checked.
"""

import copy

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.feature_extraction.text import (
    CountVectorizer,
    TfidfTransformer,
    TfidfVectorizer,
)
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    OneHotEncoder,
    OrdinalEncoder,
    RobustScaler,
    StandardScaler,
)

from widemargin.model_files.archive import ModelFileError
from widemargin.stored import require

PREPARERS = (
    ColumnTransformer,
    CountVectorizer,
    MaxAbsScaler,
    MinMaxScaler,
    MissingIndicator,
    Normalizer,
    OneHotEncoder,
    OrdinalEncoder,
    PCA,
    Pipeline,
    RobustScaler,
    SimpleImputer,
    StandardScaler,
    TfidfTransformer,
    TfidfVectorizer,
    TruncatedSVD,
)
_PASSTHROUGH = "passthrough"


class Words:
    """The vocabulary of a text vectorizer, which files keep as two arrays.

    The arrays hold the letters of all words in the order of their columns, and where
    each word ends. The column of a word is its place. So no file can send a word to a
    column beyond the matrix.
    """

    def __init__(self, columns):  # from words to columns 0, 1, 2 and so on
        self.columns = columns

    def parts(self):
        """Letters and ends."""
        words = sorted(self.columns, key=self.columns.get)
        encoded = [word.encode("utf-8", "surrogatepass") for word in words]
        ends = np.cumsum([len(word) for word in encoded], dtype=np.int64)
        return np.frombuffer(b"".join(encoded), dtype=np.uint8), ends

    @classmethod
    def from_parts(cls, letters, ends):
        """The vocabulary; ValueError if the parts do not make one."""
        if not all(isinstance(p, np.ndarray) and p.ndim == 1 for p in (letters, ends)):
            raise ValueError("the parts of a vocabulary must be vectors")
        if letters.dtype != np.uint8 or ends.dtype.kind != "i" or not len(ends):
            raise ValueError("the parts of a vocabulary must be letters and places")
        starts = np.concatenate([[0], ends[:-1]])
        if (starts > ends).any() or starts[0] != 0 or ends[-1] != len(letters):
            raise ValueError("the words of a vocabulary must follow each other")
        data = letters.tobytes()
        pairs = zip(starts.tolist(), ends.tolist(), strict=True)
        words = [data[i:j].decode("utf-8", "surrogatepass") for i, j in pairs]
        columns = {word: column for column, word in enumerate(words)}
        if len(columns) != len(words):
            raise ValueError("a vocabulary must not hold a word twice")
        return cls(columns)


def pack_step(step):
    """A copy of a step of which all attributes can be written."""
    packed = copy.copy(step)
    if isinstance(step, ColumnTransformer) and hasattr(step, "transformers_"):
        _name_columns(packed)
    elif isinstance(step, CountVectorizer) and hasattr(step, "vocabulary_"):
        packed.vocabulary_ = Words(step.vocabulary_)
    return packed


def unpack_step(step):
    """Undo `pack_step` in place."""
    if isinstance(step, ColumnTransformer) and hasattr(step, "transformers_"):
        step.transformers_ = [
            (name, _fit_passthrough(step, inner, columns), columns)
            for name, inner, columns in step.transformers_
        ]
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


def pick(names, columns):
    """Those of all names that a ColumnTransformer's columns stand for.

    The columns are given by names, positions or a mask.
    """
    columns = [columns] if np.isscalar(columns) else columns
    if isinstance(columns, list) and all(isinstance(name, str) for name in columns):
        return columns
    return np.array(list(names), dtype=object)[columns].tolist()


def _name_columns(transformer):
    """Replace the columns of a fitted ColumnTransformer by lists, in place.

    It may have been given a pandas Index, a function that picks columns or a slice of
    names. A file keeps what they stood for when it was fitted.
    """

    def name_columns(name, step, columns):
        return name, step, _as_list(columns, transformer)

    resolved = transformer._columns  # functions have been called
    given = zip(transformer.transformers, resolved, strict=True)
    transformer.transformers = [
        name_columns(name, step, columns) for (name, step, _), columns in given
    ]
    transformer._columns = [columns for _, _, columns in transformer.transformers]
    fitted = [name_columns(*each) for each in transformer.transformers_]
    transformer.transformers_ = [
        (name, _PASSTHROUGH if _is_passthrough(inner) else inner, columns)
        for name, inner, columns in fitted
    ]
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


def _is_passthrough(step):
    """Whether a step is what scikit-learn fits for "passthrough"."""
    return type(step) is FunctionTransformer and step.func is step.inverse_func is None


def _fit_passthrough(transformer, step, columns):
    """What scikit-learn fits for "passthrough"; other steps as they are."""
    if not isinstance(step, str) or step != _PASSTHROUGH:
        return step
    step = FunctionTransformer(
        accept_sparse=True, check_inverse=False, feature_names_out="one-to-one"
    )
    names = getattr(transformer, "feature_names_in_", None)
    if names is None:
        step.n_features_in_ = _count(columns, transformer.n_features_in_)
    else:
        step.feature_names_in_ = np.array(pick(names, columns), dtype=object)
        step.n_features_in_ = len(step.feature_names_in_)
    output = getattr(transformer, "_sklearn_output_config", {})
    return step.set_output(transform=output.get("transform"))


def _count(columns, n_features):
    """Number of columns that are picked by position; makes no list of all of them."""
    if isinstance(columns, slice):
        return len(range(n_features)[columns])
    is_mask = isinstance(columns, list) and any(item is True for item in columns)
    return sum(columns) if is_mask else np.size(columns)


def _check_one_hot(encoder):
    """What places of ones are computed from: a wrong one would be beyond the matrix."""
    if getattr(encoder, "_infrequent_enabled", False) is not False:
        raise ModelFileError(
            "holds a OneHotEncoder with min_frequency or max_categories, which model "
            "files do not support"
        )
    require(all(map(_is_sorted, encoder.categories_)), encoder, "categories_")
    sizes = [len(values) for values in encoder.categories_]
    dropped = _or_none(encoder.drop_idx_, len(sizes))
    grouped = _or_none(getattr(encoder, "_drop_idx_after_grouping", None), len(sizes))
    require(grouped == dropped, encoder, "_drop_idx_after_grouping")
    pairs = list(zip(dropped, sizes, strict=True))
    fits = all(i is None or 0 <= i < size for i, size in pairs)
    require(fits, encoder, "drop_idx_")
    widths = [size - (i is not None) for i, size in pairs]
    given = getattr(encoder, "_n_features_outs", widths)
    require(list(given) == widths, encoder, "_n_features_outs")


def _or_none(positions, n_features):
    return [None] * n_features if positions is None else list(positions)


def _is_sorted(values):
    """Whether categories are increasing; NaN, which is less than nothing, is last."""
    if not isinstance(values, np.ndarray) or values.ndim != 1:
        return False
    if values.dtype.kind == "f" and np.isnan(values[-1:]).all():
        values = values[:-1]
    return values.dtype.kind == "O" or bool((values[:-1] < values[1:]).all())


def _check_vectorizer(vectorizer):
    """It must read texts, not files that they name, and count each word in a column.

    A wrong column would be beyond the matrix.
    """
    require(vectorizer.input == "content", vectorizer, "input")
    for name in ("preprocessor", "tokenizer"):
        require(getattr(vectorizer, name) is None, vectorizer, name)
    require(isinstance(vectorizer.analyzer, str), vectorizer, "analyzer")
    given = vectorizer.vocabulary  # what it uses is vocabulary_
    require(given is None or isinstance(given, list), vectorizer, "vocabulary")
    columns = getattr(vectorizer, "vocabulary_", {})
    is_numbered = isinstance(columns, dict) and set(columns.values()) == set(
        range(len(columns))
    )
    require(is_numbered, vectorizer, "vocabulary_")
