"""Measured figures of a benchmark, beside the printed ones and beside the peers.

Pure functions of a benchmark, its records and the printed figures. Two figures are
equal if they differ by at most one standard error of their difference, or if the digits
shown do not differ. The standard error of few runs is itself uncertain; it is widened
so that it covers the difference as often as that of many runs, 68 times of 100. Fewer
than three runs do not show their spread: there is no verdict, unless the paper
printed a standard deviation.
"""

import math
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
from scipy.stats import norm, t

from widemargin_bench.benchmark import SECONDS, Benchmark, Metric
from widemargin_bench.catalog import Figure, find_benchmark, list_names, read_published
from widemargin_bench.runner import Store, failures
from widemargin_bench.runner import cells as measured_cells

_SIGNIFICANT = 4  # digits at most; 1234.567 seconds are 1235
SIGNS = {"better": "✓", "equal": "≈", "worse": "✗"}
TOO_FEW = "too few runs"
MIN_RUNS = 3  # fewer do not show their spread


def show(value, digits, *, beside=None):
    """A number for people: so many decimals, fewer if it is large.

    A spread has the decimals of the number that it stands `beside`.
    """
    if value is None:
        return "–"
    scale = abs(value if beside is None else beside)
    if scale > 0:
        digits = min(digits, _SIGNIFICANT - 1 - math.floor(math.log10(scale)))
    shown = f"{value:.{max(digits, 0)}f}"
    return shown.lstrip("-") if float(shown) == 0 else shown.replace("-", "−")


def show_difference(value, digits, *, beside=None):
    """A number with its sign."""
    shown = show(value, digits, beside=beside)
    return f"+{shown}" if value > 0 and float(shown) != 0 else shown


def show_range(fewest, most):
    """One number, or from one to another."""
    return str(most) if fewest == most else f"{fewest} to {most}"


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
    """Factor of a standard error from `n_runs` values; 1 for very many.

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

        Times have none: the paper's computer was another.
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


@dataclass(frozen=True)
class Summary:
    """All figures of one benchmark.

    Attributes
    ----------
    benchmark : Benchmark
    metrics : tuple of Metric
        Those of the benchmark, and seconds if they were measured.
    cells : dict of Cell by (row, method, metric)
        Names of what has numbers.
    curves : dict of list of ndarray by (row, method, metric)
        What is recorded along a run, one array per run.
    published : dict of Figure by (row, method, metric)
    origins : list of dict
        When and with what the results were found.
    failures : dict of str by (row, method, run)
    unconverged : dict of int by (row, method)
        Number of runs that hit a limit.
    memory : dict of float by (row, method)
        Peak in MiB.
    seconds : dict of float or None by (row, method, run)
        Processor time of all that was measured, with data, choices and scores; None for
        results of earlier versions, which did not keep it.
    """

    benchmark: Benchmark
    metrics: tuple[Metric, ...]
    cells: dict[tuple[str, str, str], Cell]
    curves: dict[tuple[str, str, str], list[np.ndarray]]
    published: dict[tuple[str, str, str], Figure] = field(default_factory=dict)
    origins: list[dict] = field(default_factory=list)
    failures: dict[tuple[str, str, int], str] = field(default_factory=dict)
    unconverged: dict[tuple[str, str], int] = field(default_factory=dict)
    memory: dict[tuple[str, str], float] = field(default_factory=dict)
    seconds: dict[tuple[str, str, int], float | None] = field(default_factory=dict)

    @cached_property
    def _touched(self):
        """(row, method) of all that was tried."""
        return {key[:2] for key in (*self.cells, *self.curves, *self.failures)}

    @property
    def rows(self):
        """Rows that were tried, in the order of the benchmark."""
        names = {row for row, _ in self._touched}
        return [row for row in self.benchmark.rows if row.name in names]

    @property
    def methods(self):
        """Methods that were tried, in the order of the benchmark."""
        names = {method for _, method in self._touched}
        return [method for method in self.benchmark.methods if method.name in names]

    @property
    def first_metric(self):
        """By which methods are compared with peers, and ranked."""
        return self.benchmark.metrics[0]

    @property
    def is_quick(self):
        """Whether some of the results come from a quick run."""
        return any(origin.get("quick") for origin in self.origins)

    @property
    def runs(self):
        """Fewest and most runs of a method on a row."""
        counts = [cell.n_runs for cell in self.cells.values()]
        counts += [len(curves) for curves in self.curves.values()]
        return (min(counts), max(counts)) if counts else (0, 0)

    @property
    def note(self):
        """That this is not all of the benchmark, and how much of it; else None."""
        n_runs, n_rows = self.benchmark.runs, len(self.benchmark.rows)
        fewest = min(method.limit(n_runs) for method in self.benchmark.methods)
        whole = self.runs[0] >= fewest and len(self.rows) == n_rows
        if whole and not self.is_quick:
            return None
        name = "quick run" if self.is_quick else "not complete"
        return (
            f"{name}: {show_range(*self.runs)} of {n_runs} runs, "
            f"{len(self.rows)} of {n_rows} rows"
        )

    def printed(self, metric):
        """Names of methods that the paper has figures of, on the rows that ran."""
        rows = {row.name for row in self.rows}
        names = (
            m for r, m, name in self.published if name == metric.name and r in rows
        )
        return list(dict.fromkeys(names))

    def cells_of(self, metric):
        """Cells of one metric by (row, method)."""
        return {key[:2]: c for key, c in self.cells.items() if key[2] == metric.name}


def read_folder(folder):
    """Summaries of all benchmarks with results in a folder, and those without.

    Returns
    -------
    summaries, not_run : list of Summary
    """
    summaries, not_run = [], []
    for name in list_names():
        benchmark = find_benchmark(name)
        records = Store(Path(folder) / f"{name}.jsonl").read()
        summary = summarize_benchmark(benchmark, records, read_published(name))
        (summaries if summary.rows else not_run).append(summary)
    return summaries, not_run


def summarize_benchmark(benchmark, records, published):
    """Figures of a benchmark.

    Parameters
    ----------
    benchmark : Benchmark
    records : list of dict
        As `Store.read` returns them; rows and methods that the benchmark does not have
        are passed over.
    published : dict of Figure by (row, method, metric)

    Returns
    -------
    Summary
    """
    rows = {row.name for row in benchmark.rows}
    methods = {method.name for method in benchmark.methods}
    found = {
        key: record
        for key, record in measured_cells(records).items()
        if key[0] in rows and key[1] in methods
    }
    metrics = benchmark.metrics
    if SECONDS.name not in {metric.name for metric in metrics} and any(
        SECONDS.name in record["metrics"] for record in found.values()
    ):
        metrics = (*metrics, SECONDS)
    failed = failures(records)
    return Summary(
        benchmark=benchmark,
        metrics=metrics,
        cells=_cells(found, metrics, published, benchmark.paper_runs or benchmark.runs),
        curves=_curves(found, metrics),
        published=published,
        origins=[record for record in records if record.get("kind") == "origin"],
        failures={k: v for k, v in failed.items() if k[0] in rows and k[1] in methods},
        unconverged=_unconverged(found),
        memory={
            (row, method): record["peak_mib"]
            for (row, method, _), record in found.items()
            if record.get("peak_mib") is not None
        },
        seconds={key: record.get("seconds") for key, record in found.items()},
    )


def _cells(found, metrics, published, paper_runs):
    """Numbers of all runs, with what the paper printed."""
    values = {}
    for (row, method, run), record in sorted(found.items()):
        for metric in metrics:
            value = record["metrics"].get(metric.name)
            if isinstance(value, int | float) and math.isfinite(value):
                of_cell = values.setdefault((row, method, metric), {})
                of_cell[run] = float(value)
    return {
        (row, method, metric.name): Cell(
            metric, of_cell, published.get((row, method, metric.name)), paper_runs
        )
        for (row, method, metric), of_cell in values.items()
    }


def _curves(found, metrics):
    """Lists of numbers of all runs."""
    curves = {}
    for (row, method, _), record in sorted(found.items()):
        for metric in metrics:
            value = record["metrics"].get(metric.name)
            if isinstance(value, list) and value:
                curve = np.array(value, dtype=float)
                curves.setdefault((row, method, metric.name), []).append(curve)
    return curves


def _unconverged(found):
    counts = {}
    for (row, method, _), record in found.items():
        if record.get("not_converged"):
            counts[row, method] = counts.get((row, method), 0) + 1
    return counts


def compare(summary, metric=None):
    """Ours with each peer that has the same input, on the same draws.

    Ours are the methods of the kind "ours"; where there are none, those of the paper.

    Parameters
    ----------
    summary : Summary
    metric : Metric, optional
        By default the first one.

    Returns
    -------
    list of Comparison
    """
    metric = metric or summary.first_metric
    ours = [m for m in summary.methods if m.kind == "ours"]
    ours = ours or [m for m in summary.methods if m.kind == "paper"]
    peers = [m for m in summary.methods if m.kind == "peer"]
    pairs = [
        (m.name, p.name) for m in ours for p in peers if m.extra_input == p.extra_input
    ]
    cells, found = summary.cells_of(metric), []
    for row in summary.rows:
        for pair in pairs:
            both = [cells.get((row.name, name)) for name in pair]
            values = ((), ()) if None in both else pair_runs(*both)
            if values[0]:
                found.append(Comparison(row.name, *pair, metric, *values))
    return found


def pair_runs(*cells):
    """Values of each cell on the runs that all of them have."""
    runs = sorted(set.intersection(*(set(cell.values) for cell in cells)))
    return [tuple(cell.values[run] for run in runs) for cell in cells]
