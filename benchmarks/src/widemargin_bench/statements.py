"""Sentences about results, all computed from them.

`Results` gives the figures that statements of the tables need, `judge_claim` and
`make_remarks` make these statements. `headlines` counts verdicts paper by paper, and
`answer` compares a method that we recommend with what its user would do without it.
`conclude` says in a few sentences what all results show.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean

from widemargin_bench.benchmark import Paper, Row
from widemargin_bench.results import (
    MIN_RUNS,
    Comparison,
    Tally,
    compare,
    pair_runs,
    show,
    show_difference,
)

HOLDS, IN_PART, FAILS = "holds", "holds in part", "does not hold"
MOST, SOME = 0.8, 0.4  # shares of the rows on which a claim must be true
NOT_JUDGED = (
    "was not judged",
    "Some of the full results that it needs are missing.",
)
POINTS = (1, 3)  # in how many cells and draws it is worse by more than these
N_ERRORS = 2  # standard errors within which an estimate holds
_DECIMALS = 3  # records have six digits, so that further ones mean nothing


class NotMeasured(LookupError):
    """A figure that a statement needs is not among the results."""


class Results:
    """Figures of all benchmarks by name.

    A figure that is missing, or that comes from a quick run, raises `NotMeasured`: a
    statement is made from full results or not at all. Metrics are given by name and
    are by default the first one of the benchmark.

    Parameters
    ----------
    summaries : iterable of Summary
    """

    def __init__(self, summaries):
        self._summaries = {s.benchmark.name: s for s in summaries}

    def summary(self, name):
        """All results of a benchmark."""
        summary = self._summaries.get(name)
        if summary is None or summary.is_quick:
            raise NotMeasured(name)
        return summary

    def summaries(self):
        """Those of all benchmarks."""
        return list(self._summaries.values())

    def rows(self, name):
        """Names of the rows of a benchmark."""
        return [row.name for row in self.summary(name).benchmark.rows]

    def cell(self, name, row, method, metric=None):
        """What a method reached on a row."""
        summary = self.summary(name)
        key = row, method, metric or summary.first_metric.name
        if key not in summary.cells:
            raise NotMeasured(f"{name}: {key}")
        return summary.cells[key]

    def mean(self, name, row, method, metric=None):
        """Mean over runs."""
        return self.cell(name, row, method, metric).mean

    def means(self, name, method, metric=None, *, rows=None):
        """Means over runs on all rows, or on some."""
        rows = self.rows(name) if rows is None else rows
        return [self.mean(name, row, method, metric) for row in rows]

    def printed(self, name, row, method, metric=None):
        """The figure of the paper."""
        cell = self.cell(name, row, method, metric)
        if cell.published is None:
            raise NotMeasured(f"{name}: {row}, {method} is not in print")
        return cell.published.value

    def compare(self, name, method, other, metric=None, *, rows=None):
        """Two methods on the same runs of all rows, or of some."""
        rows, found = self.rows(name) if rows is None else rows, []
        for row in rows:
            pair = [self.cell(name, row, of, metric) for of in (method, other)]
            values = pair_runs(*pair)
            found.append(Comparison(row, method, other, pair[0].metric, *values))
        return found

    def differences(self, name, method, other, metric=None, *, rows=None):
        """Mean differences on the same runs of all rows, or of some."""
        found = self.compare(name, method, other, metric, rows=rows)
        return [comparison.difference for comparison in found]

    def tally(self, name, method, other, metric=None, *, rows=None):
        """On how many rows a method is better than, equal to and worse than another."""
        found = self.compare(name, method, other, metric, rows=rows)
        return Tally.of(comparison.verdict for comparison in found)


def by_share(n_true, n_all):
    """The verdict on a claim that is true on some of all rows."""
    if n_true >= MOST * n_all:
        return HOLDS
    return IN_PART if n_true >= SOME * n_all else FAILS


def span(values, digits=1):
    """The smallest and the largest of some numbers."""
    return _span(show(min(values), digits), show(max(values), digits))


def signed_span(values, digits=1):
    """The smallest and the largest of some differences."""
    low, high = (show_difference(of, digits) for of in (min(values), max(values)))
    return _span(low, high)


def _span(low, high):
    return low if low == high else f"{low} to {high}"


def judge_claim(claim, results):
    """Verdict on a claim of a paper, and the evidence in a sentence.

    Parameters
    ----------
    claim : Claim
    results : Results

    Returns
    -------
    verdict, evidence : str
    """
    try:
        return claim.judge(results)
    except NotMeasured:
        return NOT_JUDGED


def make_remarks(benchmark, results):
    """Remarks on a benchmark, without those whose figures are not measured."""
    found = []
    for remark in benchmark.remarks:
        try:
            found.append(remark(results) if callable(remark) else remark)
        except NotMeasured:
            continue
    return found


@dataclass(frozen=True)
class Headline:
    """Counts of verdicts over all tables of a paper.

    Against the paper all metrics but times count, against peers the first one of a
    table. A figure that the paper prints twice counts once.

    Attributes
    ----------
    paper : Paper or None
        None for tables of our own.
    own : Tally
        Figures that the paper printed of its own methods.
    baselines : Tally
        Those of methods of others, run again by us.
    against_peers : dict of Tally by str
        Rows x our methods, by the name of the peer.
    n_unmeasured : int
        Printed figures of the paper's own methods that nothing was measured for.
    n_failed : int
        Runs that failed.
    is_quick : bool
    """

    paper: Paper | None
    own: Tally
    baselines: Tally
    against_peers: dict[str, Tally]
    n_unmeasured: int
    n_failed: int
    is_quick: bool

    @property
    def tallies(self):
        """All counts by what ours is held against."""
        return {
            "the paper's own methods": self.own,
            "the paper's baselines": self.baselines,
            **self.against_peers,
        }

    def sentence(self):
        """The counts in words; empty if there are none."""
        said = [] if self.paper is None else [self._against_paper()]
        if self.n_unmeasured and (self.own.total or self.own.too_few):
            figures = _count(self.n_unmeasured, "other figure")
            said.append(f"We did not measure {figures} of its own methods.")
        said.append(self._too_few())
        if self.n_failed:
            are = "is" if self.n_failed == 1 else "are"
            failed = _count(self.n_failed, "run")
            said.append(f"{failed} failed and {are} not counted.")
        return " ".join(filter(None, said))

    def _against_paper(self):
        own, others = self.own, self.baselines
        if own.total:
            said = _in_words(own, "its own methods")
        elif own.too_few:
            figures = _count(own.too_few, "figure")
            said = (
                f"We have too few runs for a comparison with {figures} that the paper "
                "printed of its own methods."
            )
        elif self.n_unmeasured:
            figures = _count(self.n_unmeasured, "figure")
            said = f"We did not measure {figures} of the paper's own methods."
        else:
            said = "The paper printed no figure of its own methods that we measured."
        if others.total:
            said += " " + _in_words(others, "its baselines")
        return said

    def _too_few(self):
        counts = {
            "the paper": self.own.too_few + self.baselines.too_few,
            "other methods": sum(of.too_few for of in self.against_peers.values()),
        }
        said = [
            f"{_count(n, 'comparison')} with {name}" for name, n in counts.items() if n
        ]
        if not said:
            return ""
        return (
            f"There is no verdict on {' and '.join(said)}, because there are fewer "
            f"than {MIN_RUNS} runs."
        )


def _count(n, noun):
    """A number of things."""
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def _in_words(tally, of):
    return (
        f"We measured {_count(tally.total, 'figure')} that the paper printed of {of}: "
        f"ours is better for {tally.better}, equal within one standard error for "
        f"{tally.equal}, and worse for {tally.worse}."
    )


def headlines(summaries, not_run=()):
    """One headline per paper with results, tables of our own last.

    Parameters
    ----------
    summaries : list of Summary
        With results.
    not_run : list of Summary
        Without any: what the paper printed there was not measured.

    Returns
    -------
    list of Headline
    """
    papers = dict.fromkeys(summary.benchmark.paper for summary in summaries)
    ordered = sorted(papers, key=lambda paper: paper is None)
    return [
        _headline(
            paper, [s for s in (*summaries, *not_run) if s.benchmark.paper == paper]
        )
        for paper in ordered
    ]


def _headline(paper, summaries):
    verdicts, n_unmeasured = _against_paper(summaries)
    return Headline(
        paper,
        own=Tally.of(verdicts["paper"]),
        baselines=Tally.of(verdicts["baseline"]),
        against_peers=_against_peers(summaries),
        n_unmeasured=n_unmeasured,
        n_failed=sum(len(summary.failures) for summary in summaries),
        is_quick=any(summary.is_quick for summary in summaries),
    )


def _against_paper(summaries):
    """Verdicts by kind of method, and how many figures of "paper" have no cell.

    Methods are known by name in all tables of a paper: one that a table does not run
    may be the paper's own all the same. Peers that the paper printed are its baselines.
    """
    kinds = {m.name: m.kind for s in summaries for m in s.benchmark.methods}
    cells, printed = {}, set()  # by row, method, metric and value
    for summary in summaries:
        scores = {m.name for m in summary.benchmark.metrics if m.is_score}
        for key, figure in summary.published.items():
            if key[2] not in scores:
                continue
            printed.add((*key, figure.value))
            cell = summary.cells.get(key)
            if cell is not None:
                cells.setdefault((*key, figure.value), []).append(cell)
    verdicts = {"paper": [], "baseline": []}
    for (_, method, *_), found in cells.items():
        kind = "baseline" if kinds[method] == "peer" else kinds[method]
        if kind in verdicts:
            verdicts[kind].append(max(found, key=lambda cell: cell.n_runs).verdict)
    own = {key for key in printed if kinds.get(key[1]) == "paper"}
    return verdicts, len(own - cells.keys())


def _against_peers(summaries):
    """Counts of the first metric by peer, times left out."""
    verdicts = {}
    for summary in summaries:
        for comparison in compare(summary) if summary.first_metric.is_score else ():
            verdicts.setdefault(comparison.peer, []).append(comparison.verdict)
    return {peer: Tally.of(of_peer) for peer, of_peer in verdicts.items()}


@dataclass(frozen=True)
class AdvisedCell:
    """The recommended method and all others, on the same draws of a row.

    Attributes
    ----------
    benchmark : str
    row : Row
    ours, instead : tuple of float
        Values of the draws that both methods have.
    others : mapping of float by str
        Means over the same draws of all methods but ours that have them all.
    estimates : tuple of (float, float, float)
        Value, estimated value and its standard error, of draws that have them.
    """

    benchmark: str
    row: Row
    ours: tuple[float, ...]
    instead: tuple[float, ...]
    others: Mapping[str, float]
    estimates: tuple[tuple[float, float, float], ...] = ()

    @property
    def differences(self):
        """Ours minus what one would use instead, of each draw."""
        pairs = zip(self.ours, self.instead, strict=True)
        return [round(ours - theirs, _DECIMALS) for ours, theirs in pairs]

    @property
    def difference(self):
        """Their mean."""
        return round(fmean(self.ours) - fmean(self.instead), _DECIMALS)

    @property
    def best(self):
        """The best of the other methods in hindsight."""
        return min(self.others, key=self.others.get)

    @property
    def distance(self):
        """Ours minus the best in hindsight; negative if ours is better than all."""
        return round(fmean(self.ours) - self.others[self.best], _DECIMALS)

    @property
    def holds(self):
        """Whether each estimate is within two standard errors of the value."""
        return [
            abs(value - estimate) <= N_ERRORS * std
            for value, estimate, std in self.estimates
        ]


@dataclass(frozen=True)
class Answers:
    """Comparison of the recommended method over some cells.

    Attributes
    ----------
    part : str
        Which cells.
    n_cells, n_draws : int
    difference : float
        Mean over cells of ours minus what one would use instead.
    worse_cells, worse_draws : dict of float by int
        Shares of cells and of draws in which ours is worse by more than so many points.
    distance : float
        Mean over cells of ours minus the best in hindsight.
    holding : float or None
        Share of draws whose value is within two standard errors of the estimated one;
        None if nothing was estimated.
    """

    part: str
    n_cells: int
    n_draws: int
    difference: float
    worse_cells: dict[int, float]
    worse_draws: dict[int, float]
    distance: float
    holding: float | None

    @classmethod
    def of(cls, part, cells):
        """Answers of at least one cell."""
        draws = [difference for cell in cells for difference in cell.differences]
        holds = [is_held for cell in cells for is_held in cell.holds]
        means = [cell.difference for cell in cells]
        return cls(
            part,
            n_cells=len(cells),
            n_draws=len(draws),
            difference=fmean(means),
            worse_cells={n: fmean(d > n for d in means) for n in POINTS},
            worse_draws={n: fmean(d > n for d in draws) for n in POINTS},
            distance=fmean(cell.distance for cell in cells),
            holding=fmean(holds) if holds else None,
        )

    @property
    def figures(self):
        """What is shown by what it is, in the order of a table."""
        shares = {
            f"worse by > {_count(n, 'point')}, % of {what}": _percent(of[n])
            for n in POINTS
            for what, of in (
                ("combinations", self.worse_cells),
                ("draws", self.worse_draws),
            )
        }
        holding = "–" if self.holding is None else _percent(self.holding)
        return {
            "combinations": str(self.n_cells),
            "draws": str(self.n_draws),
            "mean difference": show_difference(self.difference, 2),
            **shares,
            "difference from the best": show_difference(self.distance, 2),
            "estimates that hold, % of draws": holding,
        }

    def sentence(self, advice):
        """The comparison in words."""
        worse = ", and ".join(
            f"more than {_count(n, 'point')} higher in "
            f"{_percent(self.worse_cells[n])}\u00a0% of the combinations and "
            f"{_percent(self.worse_draws[n])}\u00a0% of the draws"
            for n in POINTS
        )
        said = (
            f"The comparison covers {_count(self.n_cells, 'combination')} of a data "
            f"set and a number of labels, with {_count(self.n_draws, 'draw')} of the "
            f"labels in total. The mean error of {advice.method} is "
            f"{_beside(self.difference)} that of {advice.name_instead}. Its error is "
            f"{worse}. The mean error of {advice.method} is {_beside(self.distance)} "
            "that of the best other method of each combination, which is known only "
            "in hindsight."
        )
        if self.holding is not None:
            said += (
                f" In {_percent(self.holding)}\u00a0% of the draws, the true error is "
                "within two standard errors of the error that the method estimates."
            )
        return said

    def short_sentence(self, advice):
        """The difference alone, with the data that it is measured on."""
        return (
            f"The mean error of {advice.method} is {_beside(self.difference, 1)} that "
            f"of {advice.name_instead}, over {_count(self.n_cells, 'combination')} of "
            f"a number of labels and {advice.data}."
        )


def _percent(share):
    return show(100 * share, 1)


def _beside(difference, digits=2):
    """A difference of errors in words."""
    side = "below" if difference < 0 else "above"
    return f"{show(abs(difference), digits)} points {side}"


def group_by_advice(summaries):
    """Summaries of benchmarks with an advice, {advice: summaries}."""
    found = {}
    for summary in summaries:
        if summary.benchmark.advice is not None:
            found.setdefault(summary.benchmark.advice, []).append(summary)
    return found


def find_cells(summary):
    """Cells of a benchmark with an advice in which both methods have results."""
    found = (_find_cell(summary, row) for row in summary.rows)
    return [cell for cell in found if cell is not None]


def _find_cell(summary, row):
    advice, metric = summary.benchmark.advice, summary.first_metric

    def values(method, name=metric.name):
        cell = summary.cells.get((row.name, method, name))
        return {} if cell is None else cell.values

    ours, instead = values(advice.method), values(advice.instead)
    runs = sorted(ours.keys() & instead.keys())
    if not runs:
        return None
    names = [m.name for m in summary.methods if m.name != advice.method]
    estimates = values(advice.method, advice.estimate)
    stds = values(advice.method, advice.estimate_std)
    return AdvisedCell(
        summary.benchmark.name,
        row,
        tuple(ours[run] for run in runs),
        tuple(instead[run] for run in runs),
        {
            name: fmean(values(name)[run] for run in runs)
            for name in names
            if values(name).keys() >= set(runs)
        },
        tuple(
            (ours[run], estimates[run], stds[run])
            for run in runs
            if run in estimates and run in stds
        ),
    )


def answer(advice, cells):
    """Answers of all cells, and of those that share an option.

    Parameters
    ----------
    advice : Advice
    cells : list of AdvisedCell

    Returns
    -------
    list of Answers
        Empty if there are no cells.
    """
    parts = {(None, "all"): cells} if cells else {}
    for option in advice.by:
        for cell in cells:
            if option in cell.row.options:
                key = option, cell.row[option]
                parts.setdefault(key, []).append(cell)
    return [Answers.of(str(part), of_part) for (_, part), of_part in parts.items()]


def conclude(summaries, not_run=()):
    """What all results show, in a few sentences.

    Parameters
    ----------
    summaries, not_run
        As in `headlines`.

    Returns
    -------
    list of str
        One on each advice, one on clustering without labels, one on the papers; without
        those whose figures are not measured.
    """
    said = []
    for advice, of_advice in group_by_advice(summaries).items():
        cells = [cell for summary in of_advice for cell in find_cells(summary)]
        said += [found.short_sentence(advice) for found in answer(advice, cells)[:1]]
    said += make_conclusions(summaries)
    own = [h.own for h in headlines(summaries, not_run) if h.paper and h.own.total]
    if own:
        total, better, equal, worse = (
            sum(getattr(tally, name) for tally in own)
            for name in ("total", "better", "equal", "worse")
        )
        said.append(
            f"We measured {_count(total, 'figure')} that {_count(len(own), 'paper')} "
            f"printed of their own methods: ours is better for {better}, equal within "
            f"one standard error for {equal}, and worse for {worse}."
        )
    return said


def make_conclusions(summaries):
    """The conclusions of benchmarks that have one, in full sentences."""
    results, said = Results(summaries), []
    for summary in summaries:
        if summary.benchmark.conclusion is not None:
            try:
                said.append(summary.benchmark.conclusion(results))
            except NotMeasured:
                continue
    return said
