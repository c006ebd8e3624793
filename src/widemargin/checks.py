"""Checks of parameters and data: messages name who, what, the value, the way out."""

import math
import numbers
import sys
import warnings

import numpy as np


class DataWarning(UserWarning):
    """X or y can be learned from, but may not mean what the user expects."""


def warn_caller(message, category=UserWarning):
    """Issue a warning at the line that called the library."""
    frame, level = sys._getframe(), 1
    while frame.f_back and frame.f_globals["__name__"].startswith("widemargin."):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


def warn_of_data(message):
    """Issue a `DataWarning` at the line that called the library."""
    warn_caller(message, DataWarning)


def warn_of_order(X, y):
    """Warn if the index of y has the values of that of X in another order.

    Rows and labels are matched by position, as in scikit-learn.
    """
    ours, theirs = (getattr(each, "index", None) for each in (X, y))
    if not (hasattr(X, "iloc") and hasattr(y, "iloc")) or len(ours) != len(theirs):
        return
    if ours.equals(theirs) or not (ours.is_unique and theirs.is_unique):
        return
    if ours.isin(theirs).all():
        warn_of_data(
            "y has the same index as X in another order, but labels belong to rows by "
            "their position. To match them by the index, pass y.loc[X.index]."
        )


def check_number(owner, name, *, low=None, strict=False, high=None, integer=False):
    """Raise unless a parameter is a number; `high` is excluded, `low` if `strict`."""
    value = getattr(owner, name)
    kind = numbers.Integral if integer else numbers.Real
    is_number = isinstance(value, kind) and not isinstance(value, bool)
    below = is_number and low is not None and (value <= low if strict else value < low)
    above = is_number and high is not None and value >= high
    if not is_number or below or above or not math.isfinite(value):
        refuse(owner, name, _describe(low, strict, high, integer))


def _describe(low=None, strict=False, high=None, integer=False):
    """A number within bounds, in a message."""
    wanted = "a whole number" if integer else "a number"
    if low is not None:
        wanted += f" {'>' if strict else '>='} {low:g}"
    if high is not None:
        wanted += f" {'and' if low is not None else ''} < {high:g}"
    return wanted


def check_choice(owner, name, choices, alternative=""):
    """Raise unless a parameter is one of `choices`; the message adds `alternative`."""
    value = getattr(owner, name)
    for choice in choices:
        # Not `in choices`: 1 == True, and an array has no single truth value.
        if value is choice or (isinstance(value, str) and value == choice):
            return
    wanted = ", ".join(map(repr, choices))
    wanted = f"one of {wanted}" if len(choices) > 1 else wanted
    refuse(owner, name, f"{wanted} {alternative}".strip())


def check_number_or(owner, name, choices, **bounds):
    """Raise unless a parameter is one of some names, or a number within bounds."""
    value = getattr(owner, name)
    if isinstance(value, str) or value is None:
        check_choice(owner, name, choices, f"or {_describe(**bounds)}")
    else:
        check_number(owner, name, **bounds)


def refuse(owner, name, wanted):
    """Raise the ValueError for a parameter that is not what is wanted."""
    value = plain(getattr(owner, name))
    who = type(owner).__name__
    raise ValueError(f"{name} of {who} must be {wanted}, got {value!r}.")


def name_package(what, package, extra):
    """The message that `what` needs optional packages, with the way to install them.

    `package` is a name, or several with blanks between them. The packages themselves
    are named first: they work for every installation of widemargin, an extra such as
    ``.[excel]`` only in a clone of its repository.
    """
    packages = package.split()
    names = ", ".join(each.partition("[")[0] for each in packages)
    quoted = " ".join(f"'{each}'" if "[" in each else each for each in packages)
    return (
        f"{what} needs {names}: pip install {quoted} (or the extra, in a clone of "
        f"widemargin: pip install '.[{extra}]')."
    )


def is_table(X):
    """Whether X has named columns, as tables of pandas and of polars have."""
    return hasattr(X, "columns") and hasattr(X, "dtypes")


def plain(value):
    """A value as the user would type it: numbers of NumPy as those of Python."""
    return value.item() if isinstance(value, np.generic) else value
