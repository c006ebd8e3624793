"""What all tables of a paper say together."""

from dataclasses import dataclass

from widemargin_bench.benchmark import Paper
from widemargin_bench.summary import compare
from widemargin_bench.verdicts import MIN_RUNS, Tally


@dataclass(frozen=True)
class Headline:
    """What all tables of a paper say together.

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
            "the paper, its own methods": self.own,
            "the paper, its baselines": self.baselines,
            **self.against_peers,
        }

    def sentence(self):
        """What is to be said in words; empty if there is nothing."""
        said = [] if self.paper is None else [self._against_paper()]
        if self.n_unmeasured and (self.own.total or self.own.too_few):
            said.append(
                f"Printed figures of its own methods that are not measured: "
                f"{self.n_unmeasured}."
            )
        said.append(self._too_few())
        if self.n_failed:
            said.append(f"Runs that failed and count nowhere: {self.n_failed}.")
        return " ".join(filter(None, said))

    def _against_paper(self):
        own, others = self.own, self.baselines
        if own.total:
            said = f"Our reproduction of its own methods is {_in_words(own)}"
            if others.total:
                said += (
                    f"; of its baselines on {others.better}, {others.equal} and "
                    f"{others.worse} of {others.total}"
                )
            return f"{said}."
        if own.too_few:
            said = f"None of {own.too_few} figures of its own methods has enough runs"
        elif self.n_unmeasured:
            said = f"None of {self.n_unmeasured} figures of its own methods is measured"
        else:
            said = "No printed figure can be held against ours of its own methods"
        if others.total:
            said += f"; our reproduction of its baselines is {_in_words(others)}"
        return f"{said}."

    def _too_few(self):
        counts = {
            "the paper": self.own.too_few + self.baselines.too_few,
            "peers": sum(tally.too_few for tally in self.against_peers.values()),
        }
        said = [f"{n} with {name}" for name, n in counts.items() if n]
        if not said:
            return ""
        return (
            f"Comparisons without a verdict, for fewer than {MIN_RUNS} runs: "
            f"{', '.join(said)}."
        )


def _in_words(tally):
    return (
        f"better than printed on {tally.better}, equal within one standard error on "
        f"{tally.equal} and worse on {tally.worse} of {tally.total} figures"
    )


def headlines(summaries, not_run=()):
    """One headline a paper with results, tables of our own last.

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
