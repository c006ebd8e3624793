"""The report as text for the terminal."""

from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table

from widemargin_bench.benchmark import SECONDS
from widemargin_bench.results import SIGNS, TOO_FEW, Tally, read_folder, show
from widemargin_bench.statements import (
    Results,
    answer,
    find_cells,
    group_by_advice,
    headlines,
    judge_claim,
)
from widemargin_bench.statistics import growth_exponents, rank_methods

_COLORS = {"better": "green", "equal": "default", "worse": "red"}


def summarize(folder, console):
    """Print one table per benchmark, comparisons with methods we recommend, and counts.

    Parameters
    ----------
    folder : path-like
        With files ``<name>.jsonl``, one per benchmark.
    console : rich.console.Console
    """
    print_summaries(*read_folder(folder), console)


def print_summaries(summaries, not_run, console):
    """Print summaries that are already there, see `summarize`."""
    if not summaries:
        console.print("There are no results yet: `widemargin bench run` makes them.")
        return
    for summary in summaries:
        _print(summary, console)
    _print_answers(summaries, console)
    if not_run:
        names = ", ".join(summary.benchmark.name for summary in not_run)
        console.print(f"Not run: {escape(names)}.")
    console.rule("headline")
    results = Results(summaries)
    for headline in headlines(summaries, not_run):
        name = "Our own tables" if headline.paper is None else headline.paper.name
        quick = " (quick run)" if headline.is_quick else ""
        console.print(f"[bold]{escape(name)}[/bold]{quick}")
        sentence = headline.sentence()
        if sentence:
            console.print(Padding(sentence, (0, 0, 0, 2)), highlight=False)
        for claim in headline.paper.claims if headline.paper else ():
            verdict, evidence = judge_claim(claim, results)
            line = (
                f"{escape(claim.text)} [bold]This {verdict}.[/bold] {escape(evidence)}"
            )
            console.print(Padding(line, (0, 0, 0, 2)), highlight=False)
        for peer, tally in headline.against_peers.items():
            if not tally.total:
                continue
            counts = _counts(tally, {name: name for name in SIGNS})
            counts += f" ({tally.too_few} with {TOO_FEW})" if tally.too_few else ""
            console.print(f"  against {escape(peer)}: {counts}", highlight=False)


def _print(summary, console):
    """Name, how much of it ran, and methods with their means, ranks and verdicts."""
    benchmark = summary.benchmark
    source = benchmark.source
    if benchmark.paper is not None:
        source = f"{benchmark.paper.name}, {source}"
    name = f"[bold]{escape(benchmark.name)}[/bold] ({escape(source)})"
    note = "" if summary.note is None else f" [yellow]{summary.note}[/yellow]"
    console.print(name + note, highlight=False)
    columns, notes = make_columns(summary, _counts)
    if not columns:
        console.print("  only curves, which the page draws")
        return
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("method")
    table.add_column("kind")
    for name in columns:
        table.add_column(escape(name), justify="right")
    for method in sorted(summary.methods, key=lambda m: m.kind == "peer"):
        figures = [column.get(method.name, "–") for column in columns.values()]
        table.add_row(escape(method.name), method.kind, *figures)
    console.print(table)
    for what, number in notes.items():
        console.print(f"  uses {number}: {escape(what)}", highlight=False)
    if notes:
        console.print()


def make_columns(summary, counts):
    """What is shown of each method of a benchmark.

    Parameters
    ----------
    summary : Summary
    counts : callable
        Turns a `Tally` against the paper into text.

    Returns
    -------
    columns : dict
        Texts by name of the method, by heading; without columns that are empty.
    notes : dict
        Numbers of footnotes by the input that only some methods use.
    """
    metric = summary.first_metric
    ranking = rank_methods(summary)
    ranks = {} if ranking is None else ranking.mean_ranks
    known = dict.fromkeys(m.extra_input for m in summary.methods if m.extra_input)
    notes = {what: str(number) for number, what in enumerate(known, 1)}
    against = _against_paper(summary)
    columns = {
        f"mean {metric.label}": _means(summary),
        "rank": {name: f"{rank:.1f}" for name, rank in ranks.items()},
        "exponent": _exponents(summary),
        "against the paper": {name: counts(of) for name, of in against.items()},
        "uses": {
            m.name: notes[m.extra_input] for m in summary.methods if m.extra_input
        },
        "seconds": {} if metric.is_time else _seconds(summary),
    }
    return {name: column for name, column in columns.items() if column}, notes


def _print_answers(summaries, console):
    """Whether advice is good: words, and figures of parts of the cells."""
    for advice, of_advice in group_by_advice(summaries).items():
        cells = [cell for summary in of_advice for cell in find_cells(summary)]
        if not cells:
            continue
        first, *others = answer(advice, cells)
        console.rule(escape(advice.title))
        notes = dict.fromkeys(summary.note for summary in of_advice if summary.note)
        for note in notes:
            console.print(f"[yellow]{note}[/yellow]", highlight=False)
        console.print(escape(first.sentence(advice)), highlight=False)
        table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
        table.add_column("subset")
        for name in first.figures:
            table.add_column(escape(name), justify="right")
        for answers in (first, *others):
            table.add_row(escape(answers.part), *answers.figures.values())
        console.print(table)


def _means(summary):
    """Means over rows by method; over how many, if not over all."""
    metric, n_rows, found = summary.first_metric, len(summary.rows), {}
    for name, cells in _by_method(summary, metric).items():
        shown = show(sum(cell.mean for cell in cells) / len(cells), metric.digits)
        part = "" if len(cells) == n_rows else f" ({len(cells)} of {n_rows} rows)"
        found[name] = shown + part
    return found


def _seconds(summary):
    """Mean seconds over rows by method."""
    return {
        name: show(sum(cell.mean for cell in cells) / len(cells), SECONDS.digits)
        for name, cells in _by_method(summary, SECONDS).items()
    }


def _by_method(summary, metric):
    """Cells of one metric by method."""
    found = {}
    for (_, name), cell in summary.cells_of(metric).items():
        found.setdefault(name, []).append(cell)
    return found


def _exponents(summary):
    """Exponents of growth by method, of all groups."""
    if summary.benchmark.picture != "growth":
        return {}
    found = {}
    for (_, method), exponent in growth_exponents(summary).items():
        found.setdefault(method, []).append(f"{exponent.value:.2f}")
    return {method: ", ".join(values) for method, values in found.items()}


def _against_paper(summary):
    """Tallies against the paper's figures by method, where there are some."""
    cells = _by_method(summary, summary.first_metric)
    tallies = {name: Tally.of(c.verdict for c in of) for name, of in cells.items()}
    return {name: tally for name, tally in tallies.items() if tally.total}


def _counts(tally, words=SIGNS):
    """Counts with their signs, or words, and colors."""
    return " ".join(
        f"[{_COLORS[name]}]{getattr(tally, name)} {word}[/]"
        for name, word in words.items()
    )
