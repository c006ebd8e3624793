"""Ranks of methods over sets of data, and exponents with which times grow."""

import math
from collections import Counter
from dataclasses import dataclass

import numpy as np
from scipy.stats import friedmanchisquare, rankdata, studentized_range


@dataclass(frozen=True)
class Ranking:
    """Mean ranks of methods over sets of data.

    Attributes
    ----------
    mean_ranks : dict of float by str
        By method, the best one first.
    n_sets : int
        Sets on which all of them have results.
    p_value : float or None
        Of Friedman's test that all methods are alike; None for fewer than three.
    critical_distance : float
        Of Nemenyi's test: mean ranks that lie closer do not differ at the level.
    level : float
    """

    mean_ranks: dict[str, float]
    n_sets: int
    p_value: float | None
    critical_distance: float
    level: float = 0.05

    @property
    def cliques(self):
        """Largest sets of neighbors in rank that do not differ, as lists of names."""
        names, ranks = list(self.mean_ranks), list(self.mean_ranks.values())
        found, reached = [], 0
        for first, rank in enumerate(ranks):
            last = sum(r <= rank + self.critical_distance for r in ranks)
            if last > max(reached, first + 1):
                found.append(names[first:last])
            reached = max(reached, last)
        return found


def rank_methods(summary, *, level=0.05):
    """Ranks of methods by the first metric; None if there is nothing to rank.

    Only methods with the same input are ranked: that of the peers or, without peers,
    that of most methods. Rows of one set are averaged first, since they share data.

    Parameters
    ----------
    summary : Summary
    level : float
        Probability of a difference where there is none.

    Returns
    -------
    Ranking or None
        None if fewer than two sets have results of all these methods, or fewer than
        two methods have results, or rows are points of a curve.
    """
    metric, cells = summary.first_metric, summary.cells_of(summary.first_metric)
    tried = [m for m in summary.methods if any(m.name == key[1] for key in cells)]
    if summary.benchmark.picture is not None or metric.lower_is_better is None:
        return None
    names = _with_same_input(tried)
    by_set = {}
    for row in summary.rows:
        if all((row.name, name) in cells for name in names):
            means = [cells[row.name, name].mean for name in names]
            by_set.setdefault(row.set or row.name, []).append(means)
    if min(len(by_set), len(names)) < 2:
        return None
    means = np.array([np.mean(of_set, axis=0) for of_set in by_set.values()])
    return rank_table(means if metric.lower_is_better else -means, names, level=level)


def _with_same_input(methods):
    """Names of methods with the input of the peers, else with that of most methods."""
    counts = Counter(m.extra_input for m in methods if m.kind == "peer")
    counts = counts or Counter(m.extra_input for m in methods)
    if not counts:
        return []
    ((extra_input, _),) = counts.most_common(1)
    return [m.name for m in methods if m.extra_input == extra_input]


def rank_table(losses, names, *, level=0.05):
    """Mean ranks with Friedman's and Nemenyi's tests.

    Parameters
    ----------
    losses : ndarray of shape (n_sets, n_methods)
        The lowest of a set has rank 1; ties share theirs.
    names : list of str
        Of the methods.
    level : float

    Returns
    -------
    Ranking
    """
    n_sets, n_methods = losses.shape
    mean_ranks = rankdata(losses, axis=1).mean(axis=0)
    order = np.argsort(mean_ranks, kind="stable")
    p_value = None
    if n_methods > 2:  # all sets tied throughout: nothing speaks for a difference
        is_flat = np.all(losses == losses[:, :1])
        p_value = 1.0 if is_flat else float(friedmanchisquare(*losses.T).pvalue)
    quantile = studentized_range.ppf(1 - level, n_methods, np.inf) / math.sqrt(2)
    distance = quantile * math.sqrt(n_methods * (n_methods + 1) / (6 * n_sets))
    ranks = {names[i]: float(mean_ranks[i]) for i in order}
    return Ranking(ranks, n_sets, p_value, float(distance), level)


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
