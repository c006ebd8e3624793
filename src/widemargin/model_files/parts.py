"""Which classes a file may hold, and how their objects are taken apart.

Classes below `Estimator`, `Value` and `Stored` declare what they consist of.
"""

import inspect
from dataclasses import MISSING, fields, is_dataclass
from enum import EnumType
from typing import get_type_hints

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.pipeline import Pipeline

import widemargin.estimators.table_encoder  # so that all classes exist
import widemargin.tables.encodings  # noqa: F401
from widemargin.estimators._estimator import Estimator
from widemargin.linalg.rows import distinct_rows
from widemargin.model_files.archive import ModelFileError
from widemargin.model_files.preparers import PREPARERS, pack_step, unpack_step
from widemargin.plugins import subclasses
from widemargin.stored import Stored, parts_in, replace_parts
from widemargin.values import Value

# What scikit-learn's validation, or the number of steps, sets in any estimator.
_ALWAYS_KEPT = ("n_features_in_", "feature_names_in_", "n_iter_")
_BASES = "widemargin.estimators._"  # modules of classes that are only inherited from


class Record:
    """How a value or a stored part, both frozen dataclasses, is written."""

    rank = 0  # an object may hold others of its own rank or below

    def __init__(self, cls):
        self.cls = cls
        self._fields = {field.name: field for field in fields(cls) if field.init}
        hints = get_type_hints(cls).items()
        self._enums = {name: hint for name, hint in hints if isinstance(hint, EnumType)}

    def take_apart(self, part):
        """Its fields by name; a member of an enumeration by its name."""
        part = part.kept() if isinstance(part, Stored) else part
        content = {name: getattr(part, name) for name in self._fields}
        for name in self._enums:
            content[name] = getattr(content[name], "name", None)
        return content

    def wrong_names(self, names):
        """Those of some names that are no fields, and fields that are missing."""
        needed = {
            name
            for name, field in self._fields.items()
            if field.default is MISSING and field.default_factory is MISSING
        }
        return (names - self._fields.keys()) | (needed - names)

    def build(self, content):
        """The object, whose own checks run."""
        for name in self._enums.keys() & content.keys():
            content[name] = self._enums[name][content[name]]
        return self.cls(**content)


class FittedEstimator:
    """How an estimator is written: its parameters and its declared state."""

    rank = 1

    def __init__(self, cls):
        self.cls = cls
        self._parameters = set(inspect.signature(cls).parameters)
        self._state = {*cls.saved_state, *_ALWAYS_KEPT}

    def take_apart(self, estimator):
        """Parameters, without what estimators among them have learned, and state."""
        parameters = estimator.get_params(deep=False)
        content = {name: _unfitted(value) for name, value in parameters.items()}
        learned = vars(estimator).items()
        return content | {name: part for name, part in learned if name in self._state}

    def wrong_names(self, names):
        """Those of some names that are neither parameters nor declared state."""
        return names - self._parameters - self._state

    def build(self, content):
        """The estimator with its state."""
        given = {name: content.pop(name) for name in self._parameters & set(content)}
        estimator = self.cls(**given)
        vars(estimator).update(content)  # what is left is state
        return estimator


class Step:
    """How a step of scikit-learn is written: by all of its attributes."""

    rank = 2

    def __init__(self, cls):
        self.cls = cls
        known = inspect.signature(cls).parameters.values()
        known = [each for each in known if each.default is not each.empty]
        self._defaults = {each.name: each.default for each in known}

    def take_apart(self, step):
        """Its attributes, with the version of scikit-learn."""
        content = pack_step(step).__getstate__()
        content.pop("privacy_", None)  # `load` sets it
        return content

    def wrong_names(self, names):
        """Those of some names that would hide a method or mean something to Python."""
        return {
            name
            for name in names
            # NumPy would take __array_interface__ of any object for an array in memory
            if callable(getattr(self.cls, name, None))
            or name.startswith("__")
            or not name.isidentifier()
        }

    def build(self, content):
        """The step; parameters that another version did not have get defaults."""
        step = self.cls.__new__(self.cls)
        missing = self._defaults.keys() - content.keys()
        step.__setstate__(content | {name: self._defaults[name] for name in missing})
        return unpack_step(step)


def known_classes():
    """How objects of each class that a file may hold are written, by its name."""
    values = (cls for cls in subclasses(Value) if cls.storable)
    records = filter(is_dataclass, (*values, *subclasses(Stored)))
    writings = [*map(Step, PREPARERS), *map(Record, records)]
    for cls in subclasses(Estimator):
        is_base = cls.__module__.startswith(_BASES) or cls.__name__.startswith("_")
        writings += [] if is_base or not hasattr(cls, "fit") else [FittedEstimator(cls)]
    return {name_of(writing.cls): writing for writing in writings}


def describe_unknown(value, where):
    """The error for an object that cannot be written, with the way out."""
    name = name_of(type(value))
    if isinstance(value, np.random.RandomState | np.random.Generator):
        return ModelFileError(
            f"holds a {type(value).__name__} at {where}; call "
            "set_params(random_state=0) before saving, which leaves the fitted state "
            "as it is"
        )
    if callable(value):
        return ModelFileError(
            f"holds a function at {where} ({name}: {value!r}), which would be code; "
            "use kernel='precomputed' with the values of the function, a named kernel, "
            "or a class of your own below Kernel"
        )
    return ModelFileError(f"holds {name} at {where}")


def name_of(cls):
    """Module and name of a class, as a file writes them."""
    return f"{cls.__module__}.{cls.__qualname__}"


def _unfitted(value):
    """A parameter in which every estimator is as if never fitted."""
    return replace_parts(value, Estimator, clone)


def describe_privacy(model, n_given=None):
    """A sentence on the training rows that a fitted model, or pipeline, holds.

    `n_given` is the number of rows that it was fitted to, if it is known.
    """
    if isinstance(model, Pipeline):
        return (
            f"{describe_privacy(model[-1])} Its preprocessing contains column "
            "statistics, categories and words."
        )
    tables = stored_rows(model)
    if not tables:
        return "The model contains no training rows."
    if any(sparse.issparse(rows) for rows in tables):
        stacked = sparse.vstack([sparse.csr_matrix(rows) for rows in tables]).tocsr()
    else:
        stacked = np.vstack(tables)
    n_rows = len(distinct_rows(stacked)[0])
    rows = "1 training row" if n_rows == 1 else f"{n_rows:,} training rows"
    if n_given is not None and n_rows < n_given:
        rows += f" (of {n_given:,})"
    return f"The model contains {rows}: anyone with the file can read their features."


def stored_rows(model):
    """The tables of training rows that an estimator holds."""
    tables = [part.training_rows for part in _stored_parts(model)]
    return [rows for rows in tables if rows is not None and rows.shape[0]]


def _stored_parts(model):
    """The stored parts of an estimator, and of estimators inside of it."""
    state = [getattr(model, name, None) for name in model.saved_state]
    for part in parts_in(state, (Stored, Estimator)):
        yield from [part] if isinstance(part, Stored) else _stored_parts(part)
