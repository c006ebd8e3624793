"""Parts of a fitted model that a model file may hold.

A fitted estimator declares which of its attributes a file keeps, and what they consist
of are frozen dataclasses below `Stored`, or parameters below
:class:`widemargin.values.Value`. Model files look types up in this registry: nothing
else can be built from a file, and a new part is known as soon as its class is defined.
"""

from dataclasses import is_dataclass


class Stored:
    """A frozen dataclass that can be part of a fitted model in a file.

    A field whose metadata has ``kept=False`` is not written: it has an entry for each
    training row, or is not needed for prediction. A file then holds None in its place.
    """


def stored_types(family=Stored):
    """Every dataclass below `Stored`."""
    for cls in family.__subclasses__():
        if is_dataclass(cls):
            yield cls
        yield from stored_types(cls)
