"""All benchmarks by name."""

import pkgutil
from functools import lru_cache
from importlib import import_module

from widemargin_bench import tables


@lru_cache
def _catalog():
    """Benchmarks of the modules in `tables`, in the order of these."""
    modules = sorted(info.name for info in pkgutil.iter_modules(tables.__path__))
    found = {}
    for name in modules:
        module = import_module(f"{tables.__name__}.{name}")
        for benchmark in getattr(module, "BENCHMARKS", ()):
            if benchmark.name in found:
                raise ValueError(f"Two benchmarks are named {benchmark.name!r}.")
            found[benchmark.name] = benchmark
    return found


def list_names():
    """Names of all benchmarks.

    Examples
    --------
    >>> from widemargin_bench import list_names
    >>> "umc-table1" in list_names()
    True
    """
    return list(_catalog())


def find_benchmark(name):
    """The benchmark of that name.

    Raises
    ------
    ValueError
        If there is none.

    Examples
    --------
    >>> from widemargin_bench import find_benchmark
    >>> find_benchmark("umc-table1").paper.name
    'Pahikkala et al. 2014'
    """
    if name not in _catalog():
        raise ValueError(
            f"There is no benchmark {name!r}; choose one of {', '.join(_catalog())}."
        )
    return _catalog()[name]
