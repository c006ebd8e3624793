"""``widemargin bench``: the papers' tables and the peers, side by side."""

import sys
import time
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
from rich.table import Table

_FOLDER = "widemargin-bench"
_INTERRUPTED = 130  # as a shell says it

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


@click.group()
def command():
    r"""Run the papers' tables and the peers, side by side.

    \b
    widemargin bench list
    widemargin bench run --quick --jobs 2
    widemargin bench run umc-table1
    widemargin bench report --quick
    """


@command.command("list")
def list_benchmarks():
    """Show all benchmarks."""
    from widemargin.bench import find_benchmark, list_names
    from widemargin.bench.runner import plan

    table = Table(title="Benchmarks", title_justify="left")
    table.add_column("name", no_wrap=True)
    for column in ("source", "title"):
        table.add_column(column)
    for column in ("rows", "methods", "runs"):
        table.add_column(column, justify="right", no_wrap=True)
    missing = set()
    for name in list_names():
        benchmark = find_benchmark(name)
        rows, methods, _ = plan(benchmark, quick=False)
        missing |= _missing(benchmark.rows)
        table.add_row(
            name,
            benchmark.source,
            benchmark.title,
            _share(len(rows), len(benchmark.rows)),
            _share(len(methods), len(benchmark.methods)),
            str(benchmark.runs),
        )
    Console().print(table)
    _explain(missing)


def _share(n_here, n_all):
    """How many of all can run here."""
    return str(n_all) if n_here == n_all else f"{n_here} of {n_all}"


def _missing(rows):
    """Sets that rows need and that are not there."""
    from widemargin.bench.runner import missing_data

    return {name for row in rows for name in missing_data(row)}


def _explain(missing):
    """Say which sets are missing and where they come from."""
    from widemargin.bench.sources import explain_missing

    if missing:
        click.echo(explain_missing(sorted(missing)), err=True)


@command.command()
@click.argument("names", nargs=-1)
@quick_option
@click.option("--jobs", type=int, default=1, show_default=True, help="Processes.")
@click.option("--memory", is_flag=True, help="Measure memory, too (fresh processes).")
@out_option
def run(names, quick, jobs, memory, out):
    """Measure all cells that have no result yet, of all benchmarks or of NAMES.

    Results are kept as they are found: an interrupted run goes on where it stopped.
    """
    from widemargin.bench import list_names

    if jobs == 0:
        raise click.UsageError("--jobs must be a number of processes or -1, got 0.")
    unknown = sorted(set(names) - set(list_names()))
    if unknown:
        raise click.UsageError(
            f"There is no benchmark {unknown[0]!r}; `widemargin bench list` shows all."
        )
    folder = out / "quick" if quick else out
    begin = time.perf_counter()
    try:
        n_failed = _run_all(names or list_names(), folder, quick, jobs, memory)
    except KeyboardInterrupt:
        click.echo(f"Interrupted; results so far are in {folder}.", err=True)
        sys.exit(_INTERRUPTED)
    click.echo(f"Results are in {folder} ({time.perf_counter() - begin:.0f} s).")
    if n_failed:
        click.echo(f"{n_failed} cells failed; the report names them.", err=True)
        sys.exit(1)


def _run_all(names, folder, quick, jobs, memory):
    """Run benchmarks one after the other; the number of cells that failed."""
    from widemargin.bench import find_benchmark, run_benchmark
    from widemargin.bench.store import failures

    missing, n_failed = set(), 0
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True)) as progress:
        for name in names:
            benchmark = find_benchmark(name)
            missing |= _missing(benchmark.plan(quick=quick)[0])
            store = run_benchmark(
                benchmark,
                folder,
                quick=quick,
                n_jobs=jobs,
                memory=memory,
                tell=_follow(progress, name),
            )
            n_failed += len(failures(store.read()))
    _explain(missing)
    return n_failed


def _follow(progress, name):
    """A bar that is told of the work done."""
    bar = progress.add_task(name, total=None)

    def tell(n_done, n_all):
        progress.update(bar, completed=n_done, total=n_all)

    return tell


@command.command()
@quick_option
@out_option
@click.option(
    "--html",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File of the report, by default report.html in the folder of the results.",
)
def report(quick, out, html):
    """Write one page of HTML with all results, and print a summary."""
    from widemargin.bench.report import write_report
    from widemargin.bench.text import summarize

    folder = out / "quick" if quick else out
    if not any(folder.glob("*.jsonl")):
        raise click.UsageError(
            f"There are no results in {folder}; `widemargin bench run` makes them."
        )
    html = html or folder / "report.html"
    summarize(folder, Console())
    write_report(folder, html)
    click.echo(f"The report is {html}.")
