"""Run benchmarks: every cell without a result, in parallel, results kept at once."""

from dataclasses import dataclass
from importlib.util import find_spec

from joblib import Parallel, delayed

from widemargin.datasets import list_benchmarks
from widemargin_bench.cell import choose_parameters, measure_cell, peak_memory
from widemargin_bench.store import Store, cells, choices, origin


@dataclass(frozen=True)
class Task:
    """A cell that is still to be measured."""

    row: object
    method: object
    run: int


def missing_data(row):
    """Sets that a row needs and that are not there."""
    try:
        available = set(list_benchmarks())
    except FileNotFoundError:
        available = set()
    return sorted(set(row.needs) - available)


def missing_modules(method):
    """Modules that a method needs and that are not installed."""
    return [name for name in method.needs if find_spec(name) is None]


def plan(benchmark, *, quick):
    """Rows and methods that can run here, and the number of runs."""
    rows, methods, runs = benchmark.plan(quick=quick)
    rows = [row for row in rows if not missing_data(row)]
    methods = [method for method in methods if not missing_modules(method)]
    return rows, methods, runs


def open_tasks(benchmark, records, *, quick, memory=False):
    """Cells without a result, methods of one draw together.

    With `memory` also those of the first run whose memory was not measured.
    """
    rows, methods, runs = plan(benchmark, quick=quick)
    done = cells(records)
    return [
        Task(row, method, run)
        for row in rows
        for run in range(runs)
        for method in methods
        if _is_open(done.get((row.name, method.name, run)), memory and run == 0)
    ]


def _is_open(record, with_memory):
    return record is None or (with_memory and "peak_mib" not in record)


def open_choices(benchmark, records, tasks, *, quick):
    """Rows of open tasks whose parameters are still to be chosen, with methods."""
    if benchmark.choose is None:
        return []
    chosen, wanted = choices(records, quick=quick), {}
    for task in tasks:
        if task.method.name not in chosen.get(task.row.name, {}):
            of_row = wanted.setdefault(task.row.name, (task.row, {}))
            of_row[1][task.method.name] = task.method
    return [(row, list(methods.values())) for row, methods in wanted.values()]


def run_benchmark(benchmark, folder, *, quick=False, n_jobs=1, memory=False, tell=None):
    """Measure what is not measured yet.

    Parameters
    ----------
    benchmark : Benchmark
    folder : path-like
        Where results are kept, in the file ``<name>.jsonl``.
    quick : bool
        Whether to run less.
    n_jobs : int
        Processes; any backend of joblib works.
    memory : bool
        Whether the memory of the first run of each method is measured, too.
    tell : callable, optional
        ``tell(n_done, n_all)`` is called at the start and after each piece of work.

    Returns
    -------
    Store

    Examples
    --------
    >>> import tempfile
    >>> from widemargin_bench import find_benchmark, run_benchmark
    >>> part = find_benchmark("defaults-clustering").part(
    ...     rows=["iris"], methods=["KMeans"], runs=2
    ... )
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     records = run_benchmark(part, folder).read()
    >>> [record["run"] for record in records if record["kind"] == "cell"]
    [0, 1]
    """
    store = Store(f"{folder}/{benchmark.name}.jsonl")
    records = store.read()
    tasks = open_tasks(benchmark, records, quick=quick, memory=memory)
    rows = open_choices(benchmark, records, tasks, quick=quick)
    n_all, n_done = len(tasks) + len(rows), 0
    tell = tell or (lambda n_done, n_all: None)
    tell(n_done, n_all)
    if not tasks:
        return store
    store.append(origin() | {"quick": quick})
    pool = Parallel(n_jobs, return_as="generator_unordered")
    for calls in (
        lambda: (delayed(choose_parameters)(benchmark, *row, quick) for row in rows),
        lambda: _cell_calls(benchmark, tasks, store.read(), quick, memory),
    ):
        for record in pool(calls()):
            store.append(record)
            n_done += 1
            tell(n_done, n_all)
    return store


def _cell_calls(benchmark, tasks, records, quick, memory):
    """What is to be called for each task."""
    chosen = choices(records, quick=quick)
    for task in tasks:
        of_row = chosen.get(task.row.name, {})
        if benchmark.choose is not None and task.method.name not in of_row:
            yield delayed(_without_parameters)(task)
            continue
        parameters = of_row.get(task.method.name)
        with_memory = memory and task.run == 0
        yield delayed(_measure)(benchmark, task, parameters, with_memory)


def _without_parameters(task):
    """The record of a task whose parameters could not be chosen."""
    cell = {"row": task.row.name, "method": task.method.name, "run": task.run}
    return {"kind": "cell", **cell, "failure": "no parameters were chosen"}


def _measure(benchmark, task, parameters, with_memory):
    """The record of a task."""
    cell = benchmark, task.row, task.method, task.run, parameters
    record = measure_cell(*cell)
    if with_memory and "metrics" in record:
        record["peak_mib"] = peak_memory(*cell)
    return record
