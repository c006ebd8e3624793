"""All that the report says of one benchmark, from its records.

Pure functions of a benchmark, its records and what the paper printed.
"""

import math
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from widemargin_bench.benchmark import SECONDS, Benchmark, Metric
from widemargin_bench.numerals import show_range
from widemargin_bench.published import Figure
from widemargin_bench.store import cells as measured_cells
from widemargin_bench.store import failures
from widemargin_bench.verdicts import Cell, Comparison


@dataclass(frozen=True)
class Summary:
    """All that the report says of one benchmark.

    Attributes
    ----------
    benchmark : Benchmark
    metrics : tuple of Metric
        Those of the benchmark, and seconds if they were measured.
    cells : dict of Cell by (row, method, metric)
        Names of what has numbers.
    curves : dict of list of ndarray by (row, method, metric)
        What is recorded along a run, an array a run.
    published : dict of Figure by (row, method, metric)
    origins : list of dict
        When and with what the results were found.
    failures : dict of str by (row, method, run)
    unconverged : dict of int by (row, method)
        Number of runs that hit a limit.
    memory : dict of float by (row, method)
        Peak in MiB.
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
        whole = self.runs[0] >= n_runs and len(self.rows) == n_rows
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
    """Ours with each peer that is told the same, on the same draws.

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
    pairs = [(m.name, p.name) for m in ours for p in peers if m.knows == p.knows]
    cells, found = summary.cells_of(metric), []
    for row in summary.rows:
        for pair in pairs:
            both = [cells.get((row.name, name)) for name in pair]
            if None in both:
                continue
            runs = sorted(both[0].values.keys() & both[1].values.keys())
            values = [tuple(cell.values[run] for run in runs) for cell in both]
            if runs:
                found.append(Comparison(row.name, *pair, metric, *values))
    return found
