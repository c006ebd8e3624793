"""Checks of a loaded model's parts against each other, before it is used."""

import numbers

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder

from widemargin.kernels import Precomputed
from widemargin.model_files.allowed import KERNELS, MACHINES, PREPARERS, qualified
from widemargin.model_files.columns import is_passthrough
from widemargin.model_files.errors import ModelFileError
from widemargin.smoothers.dense import DenseExplanation
from widemargin.smoothers.low_rank import LowRankExplanation


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
        _check_machine(part)
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
    for inner in _estimators_in(vars(part)):
        _check_part(inner)


def _estimators_in(value):
    """Estimators at any place of a value, such as the steps of a pipeline."""
    if isinstance(value, BaseEstimator) and not is_passthrough(value):
        yield value
    elif isinstance(value, dict | list | tuple):
        for member in value.values() if isinstance(value, dict) else value:
            yield from _estimators_in(member)


def _check_machine(model):
    """The function of a kernel machine, and a Gaussian process's certainty."""
    coefficients, constants = model.dual_coef_, model.intercept_
    is_matrix = _is_array(coefficients, 2, "f")
    _require(is_matrix, model, "dual_coef_", coefficients)
    n_points, n_columns = coefficients.shape
    fits = _is_array(constants, 1, "f") and len(constants) == n_columns
    _require(fits, model, "intercept_", constants)
    n_features = model.n_features_in_
    is_count = type(n_features) is int and n_features > 0
    _require(is_count, model, "n_features_in_", n_features)
    is_kernel = qualified(type(model.kernel_)) in KERNELS
    _require(is_kernel, model, "kernel_", model.kernel_)
    for name, value in vars(model.kernel_).items():
        is_widths = _is_array(value, 1, "f") and len(value) == n_features
        is_number = isinstance(value, numbers.Real)
        _require(is_widths or is_number, model, f"kernel_.{name}", value)
    fits = _are_points(model, model.points_, n_points)
    _require(fits, model, "points_", model.points_)
    if hasattr(model, "classes_"):
        classes = model.classes_
        n_scores = len(classes) if len(classes) > 2 else 1
        fits = _is_array(classes, 1, "biufUO") and n_columns in (n_scores, len(classes))
        _require(fits, model, "classes_", classes)
    for name in ("slope_", "scale_", "noise_"):
        value = getattr(model, name, 1.0)
        _require(isinstance(value, numbers.Real), model, name, value)
    prior = getattr(model, "_prior", None)
    is_number = prior is None or isinstance(prior, numbers.Real)
    _require(is_number, model, "_prior", prior)
    if hasattr(model, "_posterior"):
        _check_posterior(model)


def _check_posterior(model):
    posterior, whitening = model._posterior, model._whitening
    is_vector = _is_array(posterior.ones, 2, "f") and posterior.ones.shape[1] == 1
    _require(is_vector, model, "_posterior.ones", posterior.ones)
    n_kept = size = len(posterior.ones)
    if whitening is not None:
        fits = _is_array(whitening, 2, "f") and whitening.shape[1] == size
        _require(fits, model, "_whitening", whitening)
        n_kept = len(whitening)
    _require(_are_points(model, model._kept, n_kept), model, "_kept", model._kept)
    explanation = posterior.explanation
    is_known = isinstance(explanation, DenseExplanation | LowRankExplanation)
    _require(is_known, model, "_posterior.explanation", explanation)
    factor = explanation.factor
    fits = _is_array(factor, 2, "f") and factor.shape == (size, size)
    _require(fits, model, "_posterior.explanation.factor", factor)


def _are_points(model, points, n_points):
    """Whether points are rows, or positions, that the kernel can be asked about."""
    if isinstance(model.kernel_, Precomputed):
        fits = _is_array(points, 1, "i") and len(points) == n_points
        return fits and bool(((points >= 0) & (points < model.n_features_in_)).all())
    is_rows = _is_array(points, 2, "f") or sparse.issparse(points)
    return is_rows and points.shape == (n_points, model.n_features_in_)


def _check_one_hot(model):
    """What places of ones are computed from: a wrong one would be beyond the matrix."""
    categories = model.categories_
    if getattr(model, "_infrequent_enabled", False) is not False:
        raise ModelFileError(
            "holds a OneHotEncoder with min_frequency or max_categories, which model "
            "files do not support"
        )
    for values in categories:
        is_sorted = _is_array(values, 1, "O") or (
            _is_array(values, 1, "biufU") and bool((values[:-1] < values[1:]).all())
        )
        # NaN, which is not less than anything, may only be the last
        is_sorted = is_sorted or (
            _is_array(values, 1, "f")
            and bool((values[:-2] < values[1:-1]).all() and np.isnan(values[-1:]).all())
        )
        _require(is_sorted, model, "categories_", values)
    sizes = [len(values) for values in categories]
    dropped = model.drop_idx_
    if dropped is None:
        dropped = [None] * len(sizes)
    for name in ("drop_idx_", "_drop_idx_after_grouping"):
        own = getattr(model, name, None)
        own = [None] * len(sizes) if own is None else list(own)
        _require(own == list(dropped), model, name, own)
    pairs = list(zip(dropped, sizes, strict=True))
    fits = all(i is None or 0 <= i < size for i, size in pairs)
    _require(fits, model, "drop_idx_", dropped)
    widths = [size - (i is not None) for i, size in pairs]
    given = getattr(model, "_n_features_outs", widths)
    _require(list(given) == widths, model, "_n_features_outs", given)


def _check_vectorizer(model):
    """It must read texts, not files that they name, and count each word in a column.

    A wrong column would be beyond the matrix.
    """
    _require(model.input == "content", model, "input", model.input)
    for name in ("preprocessor", "tokenizer"):
        _require(getattr(model, name) is None, model, name, getattr(model, name))
    _require(isinstance(model.analyzer, str), model, "analyzer", model.analyzer)
    words = model.vocabulary  # what it was given; what it uses is vocabulary_
    is_plain = words is None or isinstance(words, list)
    _require(is_plain, model, "vocabulary", words)
    words = getattr(model, "vocabulary_", {})
    is_numbered = isinstance(words, dict) and set(words.values()) == set(
        range(len(words))
    )
    _require(is_numbered, model, "vocabulary_", words)


def _is_array(value, n_dimensions, kinds):
    is_array = isinstance(value, np.ndarray) and value.ndim == n_dimensions
    return is_array and value.dtype.kind in kinds


def _require(condition, model, name, value):
    if not condition:
        shape = getattr(value, "shape", None)
        got = (
            f"shape {shape}, dtype {value.dtype}" if shape is not None else repr(value)
        )
        raise ModelFileError(f"holds {type(model).__name__} with a wrong {name}: {got}")
