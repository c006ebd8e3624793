"""From records to figures: means and spreads, verdicts, ranks and exponents.

Pure functions of a benchmark, its records and what the paper printed. Two figures are
equal if they differ by at most one standard error of their difference, or if the digits
that are shown do not differ.
"""

import math
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from scipy.stats import friedmanchisquare, rankdata, studentized_range

from widemargin.bench.benchmark import SECONDS, Benchmark, Metric, Paper
from widemargin.bench.published import Figure
from widemargin.bench.store import cells as measured_cells
from widemargin.bench.store import failures

_SIGNIFICANT = 4  # digits at most; 1234.567 seconds are 1235


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


def judge(ours, theirs, error, metric):
    """Whether our figure is "better", "equal" or "worse".

    Parameters
    ----------
    ours, theirs : float
    error : float or None
        Standard error of their difference; None if nothing tells it: then only equal
        digits are equal.
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
    if error is not None and abs(ours - theirs) <= error:
        return "equal"
    return "better" if (ours < theirs) == metric.lower_is_better else "worse"


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
        return _sd(list(self.values.values()))

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
        """Standard error of the difference to the paper; None if nothing tells it.

        A single run of ours is taken to spread as the paper's do.
        """
        printed = None if self.published is None else self.published.sd
        ours = printed if self.standard_error is None else self.standard_error
        if ours is None:
            return None
        return math.hypot(ours, (printed or 0.0) / math.sqrt(self.paper_runs))

    @property
    def verdict(self):
        """Ours against the paper's: "better", "equal", "worse" or None.

        Times have none: the paper's machine was another.
        """
        if self.published is None or is_time(self.metric):
            return None
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
        """Standard error of the mean difference; None for a single run."""
        sd = _sd(np.subtract(self.ours, self.theirs))
        return None if sd is None else sd / math.sqrt(len(self.ours))

    @property
    def verdict(self):
        """Ours against the peer's: "better", "equal", "worse" or None."""
        means = float(np.mean(self.ours)), float(np.mean(self.theirs))
        return judge(*means, self.error, self.metric)


def is_time(metric):
    """Whether a metric is in seconds."""
    return metric.name.endswith("seconds")


def _sd(values):
    return float(np.std(values, ddof=1)) if len(values) > 1 else None


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
        """What the headline counts."""
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
        benchmark, (fewest, most) = self.benchmark, self.runs
        n_rows = len(self.rows), len(benchmark.rows)
        whole = fewest == most == benchmark.runs and n_rows[0] == n_rows[1]
        if whole and not self.is_quick:
            return None
        runs = str(most) if fewest == most else f"{fewest} to {most}"
        name = "quick run" if self.is_quick else "not complete"
        return (
            f"{name}: {runs} of {benchmark.runs} runs, {n_rows[0]} of {n_rows[1]} rows"
        )

    def printed_only(self, metric):
        """Methods that did not run and that the paper has figures of, on these rows."""
        rows = {row.name for row in self.rows}
        ran = {method.name for method in self.methods}
        names = [
            m for r, m, name in self.published if name == metric.name and r in rows
        ]
        return [name for name in dict.fromkeys(names) if name not in ran]

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
        cells=_cells(found, metrics, published, benchmark.runs),
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
    """Ours with each peer on the same draws.

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
    cells = summary.cells_of(metric)
    found = []
    for row in summary.rows:
        for method in ours:
            for peer in peers:
                pair = [cells.get((row.name, m.name)) for m in (method, peer)]
                if None in pair:
                    continue
                runs = sorted(pair[0].values.keys() & pair[1].values.keys())
                values = [tuple(cell.values[run] for run in runs) for cell in pair]
                if runs:
                    names = row.name, method.name, peer.name
                    found.append(Comparison(*names, metric, *values))
    return found


@dataclass(frozen=True)
class Tally:
    """How many cells are better, equal and worse."""

    better: int = 0
    equal: int = 0
    worse: int = 0

    @classmethod
    def of(cls, verdicts):
        """Count verdicts; None does not count."""
        verdicts = list(verdicts)
        return cls(*(verdicts.count(name) for name in ("better", "equal", "worse")))

    def __add__(self, other):
        return Tally(
            self.better + other.better,
            self.equal + other.equal,
            self.worse + other.worse,
        )

    @property
    def total(self):
        """Number of cells with a verdict."""
        return self.better + self.equal + self.worse


@dataclass(frozen=True)
class Headline:
    """What all tables of a paper say together, by their first metrics.

    Attributes
    ----------
    paper : Paper or None
        None for tables of our own.
    against_paper : Tally
        Cells that the paper printed and that a method of the paper or of ours ran.
    against_peers : dict of Tally by str
        Rows x our methods, by the name of the peer.
    n_printed : int
        Cells that the paper printed of these methods, run or not.
    n_single : int
        Counted cells against the paper that rest on one run.
    n_failed : int
        Runs that failed.
    is_quick : bool
    """

    paper: Paper | None
    against_paper: Tally = Tally()
    against_peers: dict[str, Tally] = field(default_factory=dict)
    n_printed: int = 0
    n_single: int = 0
    n_failed: int = 0
    is_quick: bool = False

    def sentence(self):
        """What is to be said in words; empty if there is nothing."""
        said = [] if self.paper is None else [self._against_paper()]
        if self.n_single:
            said.append(f"{self.n_single} rest on a single run.")
        if self.n_failed:
            said.append(f"{self.n_failed} runs failed and count nowhere.")
        return " ".join(said)

    def _against_paper(self):
        tally = self.against_paper
        if not self.n_printed:
            return "No figure of the paper can be held against ours."
        if not tally.total:
            return f"None of the paper's {self.n_printed} figures was measured yet."
        return (
            f"Of {self.n_printed} figures of the paper we measured {tally.total}: ours "
            f"are better on {tally.better}, equal within one standard error on "
            f"{tally.equal} and worse on {tally.worse}."
        )


def headlines(summaries):
    """One headline a paper, in the order of the summaries, tables of our own last.

    Parameters
    ----------
    summaries : list of Summary

    Returns
    -------
    list of Headline
    """
    found = {}
    for summary in summaries:
        paper = summary.benchmark.paper
        found[paper] = _add(found.get(paper, Headline(paper)), summary)
    return sorted(found.values(), key=lambda headline: headline.paper is None)


def _add(headline, summary):
    """The headline with the cells of one more benchmark."""
    metric = summary.first_metric
    ours = {m.name for m in summary.benchmark.methods if m.kind != "peer"}
    rows = {row.name for row in summary.benchmark.rows}
    cells = [c for k, c in summary.cells_of(metric).items() if k[1] in ours]
    judged = [cell for cell in cells if cell.verdict is not None]
    peers = dict(headline.against_peers)
    for comparison in [] if is_time(metric) else compare(summary):
        tally = Tally.of([comparison.verdict])
        peers[comparison.peer] = peers.get(comparison.peer, Tally()) + tally
    printed = [
        key
        for key in summary.published
        if key[0] in rows and key[1] in ours and key[2] == metric.name
    ]
    counted = metric.lower_is_better is not None and not is_time(metric)
    return replace(
        headline,
        against_paper=headline.against_paper + Tally.of(c.verdict for c in judged),
        against_peers={name: t for name, t in peers.items() if t.total},
        n_printed=headline.n_printed + counted * len(printed),
        n_single=headline.n_single + sum(cell.n_runs == 1 for cell in judged),
        n_failed=headline.n_failed + len(summary.failures),
        is_quick=headline.is_quick or summary.is_quick,
    )


@dataclass(frozen=True)
class Ranking:
    """Mean ranks of methods over rows.

    Attributes
    ----------
    mean_ranks : dict of float by str
        By method, the best one first.
    n_rows : int
        Rows on which all of them have results.
    p_value : float or None
        Of Friedman's test that all methods are alike; None for fewer than three.
    critical_distance : float
        Of Nemenyi's test: mean ranks that lie closer do not differ at the level.
    level : float
    """

    mean_ranks: dict[str, float]
    n_rows: int
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
    """Ranks of all methods by the first metric; None if there is nothing to rank.

    Parameters
    ----------
    summary : Summary
    level : float
        Probability of a difference where there is none.

    Returns
    -------
    Ranking or None
        None if fewer than two rows have results of all methods, or fewer than two
        methods have results, or rows are points of a curve and no sets of their own.
    """
    metric = summary.first_metric
    cells = summary.cells_of(metric)
    tried = [m.name for m in summary.methods if any(m.name == key[1] for key in cells)]
    rows = [r.name for r in summary.rows if all((r.name, m) in cells for m in tried)]
    is_curve = summary.benchmark.picture is not None
    if is_curve or metric.lower_is_better is None or min(len(rows), len(tried)) < 2:
        return None
    means = np.array([[cells[row, m].mean for m in tried] for row in rows])
    return rank_table(means if metric.lower_is_better else -means, tried, level=level)


def rank_table(losses, names, *, level=0.05):
    """Mean ranks with Friedman's and Nemenyi's tests.

    Parameters
    ----------
    losses : ndarray of shape (n_rows, n_methods)
        The lowest of a row has rank 1; ties share theirs.
    names : list of str
        Of the methods.
    level : float

    Returns
    -------
    Ranking
    """
    n_rows, n_methods = losses.shape
    mean_ranks = rankdata(losses, axis=1).mean(axis=0)
    order = np.argsort(mean_ranks, kind="stable")
    p_value = None
    if n_methods > 2:  # all rows tied throughout: nothing speaks for a difference
        is_flat = np.all(losses == losses[:, :1])
        p_value = 1.0 if is_flat else float(friedmanchisquare(*losses.T).pvalue)
    quantile = studentized_range.ppf(1 - level, n_methods, np.inf) / math.sqrt(2)
    distance = quantile * math.sqrt(n_methods * (n_methods + 1) / (6 * n_rows))
    ranks = {names[i]: float(mean_ranks[i]) for i in order}
    return Ranking(ranks, n_rows, p_value, float(distance), level)


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
    in_seconds = [metric for metric in summary.metrics if is_time(metric)]
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
