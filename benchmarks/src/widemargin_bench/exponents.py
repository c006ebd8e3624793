"""The powers with which times grow."""

import math
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Exponent:
    """The power with which something grows, and its standard error if it has one."""

    value: float
    error: float | None
    n_points: int


def fit_exponent(x, y):
    """Slope of log y over log x by least squares; None without two points.

    Points that are not positive have no logarithm and are left out.
    """
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    kept = (x > 0) & (y > 0)
    if len(np.unique(x[kept])) < 2:
        return None
    log_x, log_y = np.log(x[kept]), np.log(y[kept])
    centered = log_x - log_x.mean()
    slope = centered @ log_y / (centered @ centered)
    rest = log_y - log_y.mean() - slope * centered
    error = None
    if len(rest) > 2:
        error = math.sqrt(rest @ rest / (len(rest) - 2) / (centered @ centered))
    return Exponent(float(slope), error, len(rest))


def growth_metric(summary):
    """What grows: the first metric in seconds, else the first one."""
    in_seconds = [metric for metric in summary.metrics if metric.is_time]
    return (in_seconds or summary.metrics)[0]


def points(summary, metric, group, method):
    """Rows of a group that a method has results on, as x and cells, by x."""
    cells = summary.cells_of(metric)
    found = [
        (row.x, cells[row.name, method])
        for row in summary.rows
        if row.group == group and row.x is not None and (row.name, method) in cells
    ]
    return sorted(found, key=lambda point: point[0])


def growth_exponents(summary):
    """Exponents of the time by (group, method), of those with two points."""
    metric, found = growth_metric(summary), {}
    for group in dict.fromkeys(row.group for row in summary.rows):
        for method in summary.methods:
            known = points(summary, metric, group, method.name)
            x, y = [x for x, _ in known], [cell.mean for _, cell in known]
            exponent = fit_exponent(x, y)
            if exponent is not None:
                found[group, method.name] = exponent
    return found
