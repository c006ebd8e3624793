"""Parameters that are small frozen objects: kernels, graphs, landmarks, searches.

A user writes ``kernel=Rbf(gamma=0.5)``, or the shorthand ``kernel="rbf"`` for
``Rbf()``. A family of values is a direct subclass of `Value`; each member of it is a
frozen dataclass that names its shorthand where it is defined, so that a new member is
one file::

    @dataclass(frozen=True)
    class Cauchy(Kernel, shorthand="cauchy"):
        gamma: float = 1.0

A member checks its fields in ``__post_init__``, so that no invalid value exists.
`get_params` and `with_params` make ``set_params(kernel__gamma=2.0)``, grids and
`clone` work on them as on estimators. The registry of all members is what a model
file may hold.
"""

from collections.abc import Hashable
from contextlib import suppress
from dataclasses import fields, replace
from functools import cache


class Value:
    """A frozen dataclass that can be the parameter of an estimator."""

    storable = True  # whether a model file may hold it
    takes_auto = False  # whether the family leaves "auto" to the estimator
    # What a user may write, for the message, where the first field stands for a value
    written = None
    _members: dict = {}

    def __init_subclass__(cls, *, shorthand=None, **options):
        super().__init_subclass__(**options)
        if Value in cls.__bases__:  # a family, such as all kernels
            cls._members = {}
        if shorthand is not None:
            cls._members[shorthand] = cls

    @classmethod
    def shorthands(cls):
        """Names that stand for a member of the family, each with default fields."""
        return tuple(cls._members)

    @classmethod
    def read(cls, given, who):
        """The value that a user means: itself, that of a shorthand or of a first field.

        `who` is parameter and estimator, for the message: "kernel of LaplacianSVC".
        """
        is_auto = cls.takes_auto and isinstance(given, str) and given == "auto"
        if isinstance(given, cls) or is_auto:
            return given
        if isinstance(given, str) and given in cls._members:
            return _default(cls._members[given])
        if cls.written is not None:
            with suppress(ValueError):
                is_kept = isinstance(given, Hashable)
                return _default(cls, given) if is_kept else cls(given)
        auto = ("auto",) if cls.takes_auto else ()
        names = ", ".join(map(repr, (*auto, *cls._members)))
        wanted = cls.written or f"one of {names} or a {cls.__name__} value"
        raise ValueError(f"{who} must be {wanted}, got {given!r}.")

    def get_params(self, deep=True):
        """The fields by name, as `get_params` of a scikit-learn estimator."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def with_params(self, **params):
        """A copy with some fields replaced; ValueError for a name that is no field."""
        known = self.get_params()
        for name in params:
            if name not in known:
                listed = ", ".join(known) or "none"
                raise ValueError(
                    f"{type(self).__name__} has no parameter {name!r}; it has {listed}."
                )
        return replace(self, **params)


@cache
def _default(member, *given):
    """The value with default fields but the first; it is frozen: one serves all."""
    return member(*given)
