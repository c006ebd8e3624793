"""The commands ``widemargin bench`` and ``widemargin demo``."""

import itertools
import sys
import textwrap
import time
from difflib import get_close_matches
from pathlib import Path

import click
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from widemargin.cli.commands import Command, force_option, set_option
from widemargin.cli.reports import plural, print_error, print_json
from widemargin.cli.signals import exit_interrupted

_FOLDER = "widemargin-bench"

out_option = click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=_FOLDER,
    show_default=True,
    help="Folder of the results.",
)
quick_option = click.option(
    "--quick", is_flag=True, help="Few rows and runs, all within minutes."
)


_HELP = """Measure the papers' tables, beside other methods.

\b
widemargin bench list
widemargin bench run --quick --jobs 2
widemargin bench run umc-table1
widemargin bench run defaults --methods SelfLabelingGPC --methods SVC --runs 10
widemargin bench report --quick
"""


@click.group(help=_HELP)
def bench():
    """All commands of the benchmarks."""


@bench.command("list", cls=Command)
def list_benchmarks(as_json):
    """List all benchmarks."""
    from widemargin_bench import find_benchmark, list_names
    from widemargin_bench.runner import plan

    if as_json:
        print_json({"benchmarks": [_as_json(name) for name in list_names()]})
        return
    console, missing, paper = Console(highlight=False), set(), None
    for benchmark in _by_paper(map(find_benchmark, list_names())):
        rows, methods, _ = plan(benchmark, quick=False)
        missing |= _missing(benchmark.rows)
        whose = benchmark.paper.name if benchmark.paper else "our own"
        if whose != paper:
            console.print(f"[bold]{whose}[/bold]")
            paper = whose
        size = (
            f"{_share(rows, benchmark.rows, 'row')}, "
            f"{_share(methods, benchmark.methods, 'method')}, "
            f"{plural(benchmark.runs, 'run')}"
        )
        source = f" ({benchmark.source})" if benchmark.paper else ""
        console.print(f"  {benchmark.name}")
        text = f"{benchmark.title}{source}: {size}"
        margin = " " * 6
        for line in textwrap.wrap(text, console.width - len(margin)):
            console.print(f"{margin}{line}", markup=False)
    _explain(missing)


def _by_paper(benchmarks):
    """Benchmarks of one paper together, our own last."""
    papers = {}
    for benchmark in benchmarks:
        paper = benchmark.paper.name if benchmark.paper else None
        papers.setdefault(paper, []).append(benchmark)
    own = papers.pop(None, [])
    return [*itertools.chain.from_iterable(papers.values()), *own]


def _as_json(name):
    """A benchmark for scripts."""
    from widemargin_bench import find_benchmark

    benchmark = find_benchmark(name)
    return {
        "name": name,
        "title": benchmark.title,
        "paper": benchmark.paper.name if benchmark.paper else None,
        "rows": len(benchmark.rows),
        "methods": len(benchmark.methods),
        "runs": benchmark.runs,
        "missing_data": sorted(_missing(benchmark.rows)),
    }


def _share(here, every, noun):
    """How many of all can run here."""
    n_all = plural(len(every), noun)
    return n_all if len(here) == len(every) else f"{len(here)} of {n_all}"


def _missing(rows):
    """Sets that rows need and that are not there."""
    from widemargin_bench.runner import missing_data

    return {name for row in rows for name in missing_data(row)}


def _explain(missing):
    """Print which sets are missing and where to get them."""
    from widemargin_bench.catalog import explain_missing

    if missing:
        print_error(explain_missing(sorted(missing)))


@bench.command(cls=Command)
@click.argument("names", nargs=-1)
@quick_option
@click.option(
    "--rows", metavar="WORD", multiple=True, help="Only rows with WORD in their name."
)
@click.option(
    "--methods",
    metavar="WORD",
    multiple=True,
    help="Only methods with WORD in their name.",
)
@click.option(
    "--runs",
    type=click.IntRange(min=1),
    help="Runs of each cell, in place of the number that `bench list` shows.",
)
@click.option("--jobs", type=int, default=1, show_default=True, help="Processes.")
@click.option(
    "--memory/--no-memory",
    default=None,
    help="Also measure the memory of each method, in a fresh process each; by default "
    "in full runs.",
)
@click.option(
    "--fresh",
    is_flag=True,
    help="Move earlier results to files that end in .old, and start anew.",
)
@out_option
def run(names, quick, rows, methods, runs, jobs, memory, fresh, out, as_json):
    """Measure all cells that have no result yet, of all benchmarks or of NAMES.

    Each result is written as soon as it is measured: an interrupted run continues
    where it stopped.
    """
    from widemargin_bench import find_benchmark, list_names

    if jobs == 0 or jobs < -1:
        raise click.UsageError(
            f"--jobs must be a number of processes, or -1 for all, got {jobs}."
        )
    unknown = sorted(set(names) - set(list_names()))
    if unknown:
        near = get_close_matches(unknown[0], list_names(), 1)
        advice = f" Did you mean {near[0]!r}?" if near else ""
        raise click.UsageError(
            f"There is no benchmark {unknown[0]!r}.{advice} `widemargin bench list` "
            "shows all."
        )
    folder = out / "quick" if quick else out
    memory = not quick if memory is None else memory
    names, begin = names or list_names(), time.perf_counter()
    parts = (
        find_benchmark(name).part(rows=rows, methods=methods, runs=runs)
        for name in names
    )
    benchmarks = [part for part in parts if part is not None]
    if not benchmarks:
        words = ", ".join([*rows, *methods])
        raise click.UsageError(
            f"No benchmark of these has rows and methods with {words} in their names; "
            "the report shows them all."
        )
    names = [benchmark.name for benchmark in benchmarks]
    _consider(names, folder, fresh)
    try:
        n_failed = _run_all(benchmarks, folder, quick, jobs, memory)
    except OSError as problem:
        raise click.UsageError(f"Cannot write to {folder}: {problem}.") from problem
    except KeyboardInterrupt:
        exit_interrupted(f"Interrupted; results so far are in {folder}.")
    if not any((folder / f"{name}.jsonl").exists() for name in names):
        click.echo("Nothing could be run.", err=True)
        sys.exit(1)
    seconds = time.perf_counter() - begin
    if as_json:
        print_json({"folder": str(folder), "seconds": seconds, "failed": n_failed})
    else:
        click.echo(f"Results are in {folder} ({seconds:.0f} s).")
    if n_failed:
        click.echo(f"{n_failed} cells failed; the report names them.", err=True)
        sys.exit(1)


def _consider(names, folder, fresh):
    """Move earlier results away, or warn that other code measured them."""
    from widemargin_bench.runner import Store, has_other_code

    stores = {name: Store(folder / f"{name}.jsonl") for name in names}
    if fresh:
        for store in stores.values():
            store.set_aside()
        return
    old = [name for name, store in stores.items() if has_other_code(store.read())]
    if old:
        click.echo(
            f"Results for {', '.join(old)} come from another version of the code and "
            "are kept; --fresh moves them away.",
            err=True,
        )


def _run_all(benchmarks, folder, quick, jobs, memory):
    """Run benchmarks one after the other; the number of cells that failed."""
    from widemargin_bench import run_benchmark
    from widemargin_bench.runner import failures

    missing, n_failed = set(), 0
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True)) as progress:
        for benchmark in benchmarks:
            missing |= _missing(benchmark.plan(quick=quick)[0])
            store = run_benchmark(
                benchmark,
                folder,
                quick=quick,
                n_jobs=jobs,
                memory=memory,
                progress=_follow(progress, benchmark.name),
            )
            n_failed += len(failures(store.read()))
    _explain(missing)
    return n_failed


def _follow(progress, name):
    """A progress bar of one benchmark, as a function that updates it."""
    bar = progress.add_task(name, total=None)

    def update(n_done, n_all):
        progress.update(bar, completed=n_done, total=n_all)

    return update


@bench.command(cls=Command)
@quick_option
@out_option
@click.option(
    "--html",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File of the report, by default report.html in the folder of the results.",
)
def report(quick, out, html, as_json):
    """Write one page of HTML with all results, and print a summary."""
    from widemargin_bench.html_report import write_report
    from widemargin_bench.text_report import summarize

    folder = out / "quick" if quick else out
    if not any(folder.glob("*.jsonl")):
        advice = f"widemargin bench run{' --quick' if quick else ''}"
        other = out if quick else out / "quick"
        if any(other.glob("*.jsonl")):
            advice += f"; there are some in {other}"
        raise click.UsageError(
            f"There are no results in {folder}; measure them with: {advice}."
        )
    html = html or folder / "report.html"
    if not html.parent.is_dir():
        raise click.UsageError(f"There is no folder {html.parent} for the report.")
    write_report(folder, html)
    if as_json:
        print_json({"report": str(html)})
        return
    summarize(folder, Console())
    click.echo(f"The report is {html}.")


_DEMO_HELP = """Classify bundled data: 20 labels of 1,797 digits.

Prints the accuracy of FewLabelClassifier, of the candidates that it averages, and of an
SVC on the labels alone. Also draws a picture of it, which needs matplotlib:
pip install matplotlib.

\b
widemargin demo
widemargin demo digits.png
widemargin demo --json
"""


@click.command(cls=Command, help=_DEMO_HELP)
@click.argument("picture", default="widemargin-demo.png")
@set_option("Parameter of FewLabelClassifier, such as n_jobs=2.")
@force_option
def demo(picture, settings, force, as_json):
    """Classify bundled data."""
    from widemargin.cli.methods import DEFAULTS, find_offer, parse_settings
    from widemargin.cli.outputs import Output
    from widemargin.cli.reports import progress_bar, report_as_json
    from widemargin_bench import demo as digits

    output = Output(picture, force)
    if not as_json:
        output.check()
        digits.check_picture(picture)
    offer = find_offer(DEFAULTS["classify"], "classify")
    classifier = offer.make(0, parse_settings(settings))
    if not as_json:
        digits.main(picture, classifier)
        return
    with progress_bar(digits.WORK):
        outcomes, report = digits.run(digits.load_data(), classifier)
    methods = {
        outcome.name: {"accuracy": outcome.accuracy, "seconds": outcome.seconds}
        for outcome in outcomes
    }
    print_json({"methods": methods, "report": report_as_json(report)})
