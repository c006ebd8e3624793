"""Ours against theirs: figures over runs, and whether they are better or worse.

Two figures are equal if they differ by at most one standard error of their difference,
or if the digits that are shown do not differ. The standard error of few runs is itself
uncertain and is widened, so that it holds the difference as often as that of many
runs, 68 times of 100. Fewer than three runs say nothing of their spread: there is no
verdict, but for the paper's standard deviation in its place.
"""

import math
from collections import Counter
from dataclasses import dataclass

import numpy as np
from scipy.stats import norm, t

from widemargin_bench.benchmark import Metric
from widemargin_bench.numerals import show
from widemargin_bench.published import Figure

SIGNS = {"better": "✓", "equal": "≈", "worse": "✗"}
TOO_FEW = "too few runs"
MIN_RUNS = 3  # fewer do not tell their spread


def judge(ours, theirs, error, metric):
    """Whether our figure is "better", "equal" or "worse".

    Parameters
    ----------
    ours, theirs : float
    error : float
        How far equal figures may differ.
    metric : Metric

    Returns
    -------
    str or None
        None if the metric is neither better nor worse.
    """
    if metric.lower_is_better is None:
        return None
    if show(ours, metric.digits) == show(theirs, metric.digits):
        return "equal"
    if abs(ours - theirs) <= error:
        return "equal"
    return "better" if (ours < theirs) == metric.lower_is_better else "worse"


def spread(values):
    """Standard deviation over runs; None for a single one."""
    return float(np.std(values, ddof=1)) if len(values) > 1 else None


def widening(n_runs):
    """Factor of a standard error that `n_runs` values tell; 1 for very many.

    The quantile of Student's distribution that one standard error is of the normal one.
    """
    return float(t.ppf(norm.cdf(1.0), n_runs - 1)) if n_runs > 1 else 1.0


@dataclass(frozen=True)
class Cell:
    """What a method reached on a row, and what the paper printed there.

    Attributes
    ----------
    metric : Metric
    values : dict of float by int
        Measured values by run.
    published : Figure or None
    paper_runs : int
        Number of runs over which the paper's standard deviation is taken to be.
    """

    metric: Metric
    values: dict[int, float]
    published: Figure | None = None
    paper_runs: int = 1

    @property
    def n_runs(self):
        """Number of runs that have a value."""
        return len(self.values)

    @property
    def mean(self):
        """Mean over runs."""
        return float(np.mean(list(self.values.values())))

    @property
    def sd(self):
        """Standard deviation over runs; None for a single one."""
        return spread(list(self.values.values()))

    @property
    def standard_error(self):
        """Of the mean; None for a single run."""
        return None if self.sd is None else self.sd / math.sqrt(self.n_runs)

    @property
    def difference(self):
        """Ours minus the paper's; None if the paper printed nothing."""
        return None if self.published is None else self.mean - self.published.value

    @property
    def error(self):
        """Widened standard error of the difference; None if there are too few runs.

        A few runs of ours are taken to spread as the paper's do.
        """
        printed = None if self.published is None else self.published.sd
        theirs = (printed or 0.0) / math.sqrt(self.paper_runs)
        theirs *= widening(self.paper_runs)
        if self.n_runs >= MIN_RUNS:
            return math.hypot(self.standard_error * widening(self.n_runs), theirs)
        if printed is None:
            return None
        return theirs * math.hypot(1.0, math.sqrt(self.paper_runs / self.n_runs))

    @property
    def verdict(self):
        """Ours against the paper's: "better", "equal", "worse", `TOO_FEW` or None.

        Times have none: the paper's machine was another.
        """
        if self.published is None or not self.metric.is_score:
            return None
        if self.error is None:
            return TOO_FEW
        return judge(self.mean, self.published.value, self.error, self.metric)


@dataclass(frozen=True)
class Comparison:
    """Two methods on the same draws of a row.

    Attributes
    ----------
    row, method, peer : str
    metric : Metric
    ours, theirs : tuple of float
        Values of the runs that both have.
    """

    row: str
    method: str
    peer: str
    metric: Metric
    ours: tuple[float, ...]
    theirs: tuple[float, ...]

    @property
    def difference(self):
        """Mean of the differences, ours minus theirs."""
        return float(np.mean(np.subtract(self.ours, self.theirs)))

    @property
    def error(self):
        """Widened standard error of the difference; None if there are too few runs."""
        n_runs = len(self.ours)
        if n_runs < MIN_RUNS:
            return None
        sd = spread(np.subtract(self.ours, self.theirs))
        return sd / math.sqrt(n_runs) * widening(n_runs)

    @property
    def verdict(self):
        """Ours against the peer's: "better", "equal", "worse", `TOO_FEW` or None."""
        if self.metric.lower_is_better is None:
            return None
        if self.error is None:
            return TOO_FEW
        means = float(np.mean(self.ours)), float(np.mean(self.theirs))
        return judge(*means, self.error, self.metric)


@dataclass(frozen=True)
class Tally:
    """How many figures are better, equal and worse, and how many cannot be judged."""

    better: int = 0
    equal: int = 0
    worse: int = 0
    too_few: int = 0

    @classmethod
    def of(cls, verdicts):
        """Count verdicts; None does not count."""
        counts = Counter(verdicts)
        return cls(*(counts[verdict] for verdict in (*SIGNS, TOO_FEW)))

    @property
    def total(self):
        """Number of figures with a verdict."""
        return self.better + self.equal + self.worse
