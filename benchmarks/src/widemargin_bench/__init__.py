"""Tables of the papers measured again, beside what one would use instead."""

from importlib import import_module

_HOMES = {  # imported at first use: `widemargin --help` loads this package
    "Advice": "benchmark",
    "Benchmark": "benchmark",
    "Claim": "benchmark",
    "Method": "benchmark",
    "Metric": "benchmark",
    "Paper": "benchmark",
    "Quick": "benchmark",
    "Row": "benchmark",
    "find_benchmark": "catalog",
    "list_names": "catalog",
    "list_sets": "stored_sets",
    "load_set": "stored_sets",
    "run_benchmark": "runner",
}

__all__ = list(_HOMES)


def __getattr__(name):
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__():
    return sorted({*globals(), *__all__})
