"""Parts of a fitted model that a model file may hold.

A fitted estimator declares which of its attributes a file keeps, and what they consist
of are frozen dataclasses below `Stored`, or parameters below
:class:`widemargin.values.Value`. Model files look types up in this registry: nothing
else can be built from a file, and a new part is usable once its class is defined.
"""

import numbers
import types
from dataclasses import fields, replace
from typing import Any, Union, get_args, get_origin, get_type_hints

import numpy as np


class Stored:
    """A frozen dataclass that can be part of a fitted model in a file.

    A field with the metadata ``kept=False``, such as one with an entry for each
    training row, is not written; a file then holds None in its place.
    """

    @property
    def training_rows(self):
        """Training rows in the file, if any; not those of parts inside of this one."""
        return None

    def kept(self):
        """The part as a file keeps it."""
        dropped = {field.name: None for field in fields(self) if not _is_kept(field)}
        return replace(self, **dropped) if dropped else self

    def condensed(self, n_points):
        """The part with up to `n_points` means of training rows in place of rows.

        Itself if it holds none, or none that means can stand for.
        """
        return self

    def check(self, n_features):
        """Raise ValueError unless the fields fit each other and rows of `n_features`.

        Their types, and parts inside of this one, have been checked before.
        """


def parts_in(value, kinds=Stored):
    """Parts of some kinds at any depth of fields and containers, inner ones first."""
    members = ()
    if isinstance(value, Stored):
        members = [getattr(value, field.name) for field in fields(value)]
    elif isinstance(value, dict):
        members = value.values()
    elif isinstance(value, list | tuple):
        members = value
    for member in members:
        yield from parts_in(member, kinds)
    if isinstance(value, kinds):
        yield value


def replace_parts(value, kinds, function):
    """The value with ``function(part)`` for parts of some kinds, also in containers."""
    if isinstance(value, kinds):
        return function(value)
    if isinstance(value, dict):
        return {key: replace_parts(own, kinds, function) for key, own in value.items()}
    if type(value) in (list, tuple):
        return type(value)(replace_parts(own, kinds, function) for own in value)
    return value


def check_part(part, n_features):
    """Raise ValueError unless the fields of a part have their types and fit."""
    hints = get_type_hints(type(part))
    for field in fields(part):
        value = getattr(part, field.name)
        is_left_out = value is None and not _is_kept(field)
        if not is_left_out and not _is_a(value, hints[field.name]):
            raise ValueError(
                f"{field.name} of {type(part).__name__} must be "
                f"{_describe(hints[field.name])}, got {describe_value(value)}"
            )
    part.check(n_features)


def require(condition, part, name):
    """Raise ValueError unless a condition on a field of a part holds."""
    if not condition:
        value = describe_value(getattr(part, name, None))
        raise ValueError(f"{name} of {type(part).__name__} does not fit: {value}")


def is_finite(array, ndim):
    """Whether a value is an array of finite floating numbers."""
    is_array = isinstance(array, np.ndarray) and array.ndim == ndim
    return is_array and array.dtype.kind == "f" and bool(np.isfinite(array).all())


def describe_value(value):
    """A value in a message: short, and of an array shape and type."""
    shape = getattr(value, "shape", None)
    if shape is None or shape == ():
        return repr(value)[:80]
    return f"an array of shape {shape} and dtype {value.dtype}"


def _is_kept(field):
    return field.metadata.get("kept", True)


def _is_a(value, hint):
    """Whether a value has a type as a dataclass declares it."""
    if get_origin(hint) in (Union, types.UnionType):
        return any(_is_a(value, choice) for choice in get_args(hint))
    hint = get_origin(hint) or hint
    if hint in (object, Any):
        return True
    if hint in (int, float):  # NumPy's numbers will do, truth values will not
        abstract = numbers.Integral if hint is int else numbers.Real
        return isinstance(value, abstract) and not isinstance(value, bool)
    return isinstance(value, hint)


def _describe(hint):
    return hint.__name__ if isinstance(hint, type) else str(hint)
