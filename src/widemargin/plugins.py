"""Estimators, kernels and other values from installed packages.

A package adds its own by naming a module in its ``pyproject.toml``::

    [project.entry-points."widemargin.plugins"]
    cauchy = "my_package.kernels"

Whatever the module defines below :class:`widemargin.estimators.Estimator`,
:class:`widemargin.values.Value` or :class:`widemargin.rows.BlockRows` is known from
its class alone. Only packages that the user installed are imported, never what a model
file names.
"""

import functools
import warnings
from importlib.metadata import entry_points

GROUP = "widemargin.plugins"


def subclasses(family):
    """Every class below a family, those of imported plug-ins included."""
    for cls in family.__subclasses__():
        yield cls
        yield from subclasses(cls)


@functools.cache
def load_plugins():
    """Import the modules that installed packages name, once per process.

    Warns
    -----
    UserWarning
        For a module that cannot be imported; the others are imported all the same.
    """
    for point in entry_points(group=GROUP):
        try:
            point.load()
        except Exception as error:  # of code that is not ours
            warnings.warn(
                f"the plug-in {point.name!r} ({point.value}) cannot be imported "
                f"({type(error).__name__}: {error}); repair or remove its package.",
                UserWarning,
                stacklevel=2,
            )
