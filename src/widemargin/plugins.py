"""Plug-ins: other packages that add estimators, kernels and other parameters.

A package names a module in the entry-point group ``widemargin.plugins``. Importing it
is all there is to do, because classes register themselves where they are defined::

    [project.entry-points."widemargin.plugins"]
    cauchy = "my_package.cauchy"
"""

import warnings
from importlib.metadata import entry_points

GROUP = "widemargin.plugins"


def load_plugins():
    """Import all plug-ins that are installed; warn of those that cannot be imported.

    Returns
    -------
    list of str
        Names of the entry points.
    """
    loaded = []
    for point in entry_points(group=GROUP):
        try:
            point.load()
        except Exception as problem:  # a plug-in must not break the library
            warnings.warn(
                f"Plug-in {point.name} ({point.value}) cannot be loaded: {problem}.",
                UserWarning,
                stacklevel=2,
            )
        else:
            loaded.append(point.name)
    return loaded
