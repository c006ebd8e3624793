"""Measure the cells of a benchmark, and keep the results in files.

Results are JSON lines, one record per line, written as they are found. A killed process
leaves at most one truncated line: reading skips it, and the next record starts on a new
line.
"""

import gc
import json
import os
import platform
import subprocess
import sys
import time
import warnings
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from hashlib import sha256
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.parallel import delayed
from threadpoolctl import threadpool_limits

import widemargin
from widemargin import (
    LabelSearchClassifier,
    LaplacianSVC,
    MaxMarginClustering,
    SelfLabelingGPC,
    TransductiveSVC,
)
from widemargin.processes import parallel
from widemargin_bench.stored_sets import list_sets

SOURCES = Path(widemargin.__file__).parent, Path(__file__).parent
_PACKAGES = ("widemargin", "numpy", "scipy", "scikit-learn", "numba")
_MIB = 2**10  # kilobytes, the unit of the system
_STATUS, _RESET = Path("/proc/self/status"), Path("/proc/self/clear_refs")
# The process watches its parent before it imports anything that takes time.
_CHILD = """
import sys
from widemargin.processes import end_with
end_with(int(sys.argv[1]))
from widemargin_bench.runner import print_peak
print_peak(*sys.argv[2:])
"""
_LAST = {}


class Store:
    """Records of one benchmark.

    Parameters
    ----------
    path : path-like
        The file; it need not exist.
    """

    def __init__(self, path):
        self.path = Path(path)

    def read(self):
        """All records, in the order in which they were found."""
        if not self.path.exists():
            return []
        lines = self.path.read_text(encoding="utf-8").splitlines()
        records = (_parse(line) for line in lines)
        return [record for record in records if record is not None]

    def append(self, record):
        """Write one record, whole or not at all."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        line = json.dumps(record, ensure_ascii=False) + "\n"
        if self._is_cut_short():
            line = "\n" + line
        file = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            os.write(file, line.encode())  # at once: other processes may also append
            os.fsync(file)
        finally:
            os.close(file)

    def set_aside(self):
        """Start again; earlier records are kept in a file that ends in ".old"."""
        if self.path.exists():
            self.path.replace(self.path.with_name(self.path.name + ".old"))

    def _is_cut_short(self):
        """Whether the last line does not end."""
        if not self.path.exists() or not self.path.stat().st_size:
            return False
        with self.path.open("rb") as file:
            file.seek(-1, os.SEEK_END)
            return file.read(1) != b"\n"


def _parse(line):
    """The record of a line, None if it was cut short."""
    try:
        record = json.loads(line)
    except json.JSONDecodeError:
        return None
    return record if isinstance(record, dict) else None


def origin():
    """When and with what results are found: the record that begins a run."""
    return {
        "kind": "origin",
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M"),
        "versions": {name: metadata.version(name) for name in _PACKAGES},
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}",
        "processors": os.cpu_count(),
        "code": code_digest(),
    }


@cache
def code_digest(folders=SOURCES):
    """A short number that changes with the source of the library or of this package."""
    digest = sha256()
    for folder in folders:
        for path in sorted(folder.rglob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def has_other_code(records):
    """Whether some results are those of another version of the source."""
    codes = {record["code"] for record in records if "code" in record}
    return bool(codes - {code_digest()})


def cells(records):
    """Measured cells by (row, method, run), the last of each, failures left out."""
    found = [r for r in records if r.get("kind") == "cell" and "metrics" in r]
    return {(r["row"], r["method"], r["run"]): r for r in found}


def failures(records):
    """Why cells that have no result failed, by (row, method, run)."""
    done = cells(records)
    found = [r for r in records if r.get("kind") == "cell" and "failure" in r]
    keys = ((r["row"], r["method"], r["run"]) for r in found)
    return {k: r["failure"] for k, r in zip(keys, found, strict=True) if k not in done}


def choices(records, *, quick):
    """Parameters that a quick run or a full one chose, {row: {method: parameters}}."""
    found = {}
    for record in records:
        is_choice = record.get("kind") == "choice" and "parameters" in record
        if is_choice and record.get("quick", quick) == quick:
            found.setdefault(record["row"], {}).update(record["parameters"])
    return found


@cache
def warm_up():
    """Load what was compiled, once a process: it is not the time of a method."""
    X = np.random.default_rng(0).normal(size=(40, 3))
    y = np.where(np.arange(40) < 12, np.arange(40) % 3, -1)
    estimators = LaplacianSVC, LabelSearchClassifier, TransductiveSVC, SelfLabelingGPC
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for dtype in (np.float32, np.float64):
            for estimator in estimators:
                estimator(random_state=0).fit(X.astype(dtype), y)
            MaxMarginClustering(3, random_state=0).fit(X.astype(dtype))


def measure_cell(benchmark, row, method, run, parameters):
    """The record of a cell, with what went wrong if it did.

    One thread of linear algebra, so that times do not depend on what else runs. The
    seconds of the record are processor time of everything: data, choices, fit, scores.
    """
    warm_up()
    begin = time.process_time()
    record = {"kind": "cell", "row": row.name, "method": method.name, "run": run}
    try:
        with threadpool_limits(1), warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            metrics = method.measure(_draw(benchmark, row, run), parameters)
    except Exception as problem:  # one cell must not end the others
        return record | {"failure": f"{type(problem).__name__}: {problem}"}
    limits = [w for w in caught if issubclass(w.category, ConvergenceWarning)]
    if limits:
        record["not_converged"] = len(limits)
    return record | {"metrics": _short(metrics), "seconds": _since(begin)}


def _since(begin):
    """Seconds of processor time."""
    return _short(time.process_time() - begin)


def _short(value):
    """Numbers with six digits, which is more than any of them is worth."""
    if isinstance(value, dict):
        return {name: _short(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_short(item) for item in value]
    return float(f"{value:.6g}")


def choose_parameters(benchmark, row, methods, quick):
    """The record of the parameters that hold for all runs of a row."""
    begin = time.process_time()
    record = {"kind": "choice", "row": row.name, "quick": quick}
    try:
        with threadpool_limits(1), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of candidates that are not chosen
            parameters = benchmark.choose(row, [m.name for m in methods], quick)
    except Exception as problem:  # one row must not end the others
        return record | {"failure": f"{type(problem).__name__}: {problem}"}
    return record | {"parameters": parameters, "seconds": _since(begin)}


def _draw(benchmark, row, run):
    """The draw of a cell; the last one is kept, for the next method."""
    key = benchmark.name, repr(row), run  # a quick run may have other options
    if key not in _LAST:
        _LAST.clear()
        _LAST[key] = benchmark.draw(row, run)
    return _LAST[key]


def peak_memory(benchmark, row, method, run, parameters):
    """MiB that a method adds to those of its data, measured in a fresh process.

    None where the system does not report it (other than Linux).
    """
    if not _RESET.exists():
        return None
    words = [os.getpid(), benchmark.name, row.name, method.name, run]
    command = [sys.executable, "-c", _CHILD, *map(str, words)]
    own = benchmark.row(row.name).options
    options = {k: v for k, v in row.options.items() if k not in own or own[k] != v}
    given = json.dumps({"parameters": parameters, "options": options})
    done = subprocess.run(command, input=given, capture_output=True, text=True)
    if done.returncode:
        warnings.warn(f"memory was not measured: {done.stderr[-300:]}", stacklevel=2)
        return None
    return json.loads(done.stdout.splitlines()[-1])


def print_peak(name, row_name, method_name, run):
    """Print the peak of this process above what it has with the data loaded."""
    from widemargin_bench import find_benchmark

    benchmark = find_benchmark(name)
    row, method = benchmark.row(row_name), benchmark.method(method_name)
    given = json.load(sys.stdin)
    row = replace(row, options={**row.options, **given["options"]})
    warm_up()
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        draw = benchmark.draw(row, int(run))
        gc.collect()
        _RESET.write_text("5")  # the peak starts again from what is held now
        before = _status("VmRSS")
        method.measure(draw, given["parameters"])
    print(json.dumps((_status("VmHWM") - before) / _MIB))


def _status(name):
    """A figure of the system about this process, in kilobytes."""
    lines = _STATUS.read_text().splitlines()
    return int(next(line for line in lines if line.startswith(name)).split()[1])


@dataclass(frozen=True)
class Task:
    """A cell that is still to be measured."""

    row: object
    method: object
    run: int


def missing_data(row):
    """Sets that a row needs and that are not there."""
    try:
        available = set(list_sets())
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
        if row.has(method)
        and run < method.limit(runs)
        and _is_open(done.get((row.name, method.name, run)), memory and run == 0)
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


def run_benchmark(
    benchmark, folder, *, quick=False, n_jobs=1, memory=False, progress=None
):
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
        Whether the memory of the first run of each method is also measured.
    progress : callable, optional
        ``progress(n_done, n_all)`` is called at the start and after each piece of work.

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
    progress = progress or (lambda n_done, n_all: None)
    progress(n_done, n_all)
    if not tasks:
        return store
    store.append(origin() | {"quick": quick})
    pool = parallel(n_jobs, return_as="generator_unordered")
    for calls in (
        lambda: (delayed(choose_parameters)(benchmark, *row, quick) for row in rows),
        lambda: _cell_calls(benchmark, tasks, store.read(), quick, memory),
    ):
        for record in pool(calls()):
            store.append(record)
            n_done += 1
            progress(n_done, n_all)
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
