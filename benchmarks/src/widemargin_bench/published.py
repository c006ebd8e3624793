"""Figures that the papers print, as tables of comma-separated values.

One file a benchmark, one line a figure: ``row, method, metric, value, sd``. Rows and
methods have the names of the benchmark's; methods that the benchmark does not run are
figures of others that the paper compares with.
"""

import csv
from dataclasses import dataclass
from importlib import resources


@dataclass(frozen=True)
class Figure:
    """A printed value, and its standard deviation over runs if there is one."""

    value: float
    sd: float | None = None


def read_published(name):
    """Figures of a benchmark by (row, method, metric); empty if it has none."""
    path = resources.files("widemargin_bench") / "published" / f"{name}.csv"
    if not path.is_file():
        return {}
    figures = {}
    for line in csv.DictReader(path.read_text(encoding="utf-8").splitlines()):
        key = line["row"], line["method"], line["metric"]
        if key in figures:
            raise ValueError(f"{name}.csv has {key} twice.")
        sd = float(line["sd"]) if line["sd"] else None
        figures[key] = Figure(float(line["value"]), sd)
    return figures
