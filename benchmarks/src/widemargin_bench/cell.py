"""Measure one cell of a benchmark."""

import gc
import json
import subprocess
import sys
import warnings
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from widemargin.estimators import (
    LabelSearchClassifier,
    LaplacianSVC,
    MaxMarginClustering,
    SelfLabelingGPC,
    TransductiveSVC,
)

_MIB = 2**10  # of the kilobytes that the system tells
_STATUS, _RESET = Path("/proc/self/status"), Path("/proc/self/clear_refs")


@cache
def warm_up():
    """Load what was compiled, once a process: it is not the time of a method."""
    X = np.random.default_rng(0).normal(size=(40, 3))
    y = np.where(np.arange(40) < 12, np.arange(40) % 3, -1)
    machines = LaplacianSVC, LabelSearchClassifier, TransductiveSVC, SelfLabelingGPC
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for dtype in (np.float32, np.float64):
            for machine in machines:
                machine(random_state=0).fit(X.astype(dtype), y)
            MaxMarginClustering(3, random_state=0).fit(X.astype(dtype))


def measure_cell(benchmark, row, method, run, parameters):
    """The record of a cell, with what went wrong if it did.

    One thread of linear algebra, so that times do not depend on what else runs.
    """
    warm_up()
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
    return record | {"metrics": _short(metrics)}


def _short(value):
    """Numbers with six digits, which is more than any of them is worth."""
    if isinstance(value, dict):
        return {name: _short(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_short(item) for item in value]
    return float(f"{value:.6g}")


def choose_parameters(benchmark, row, methods, quick):
    """The record of the parameters that hold for all runs of a row."""
    record = {"kind": "choice", "row": row.name, "quick": quick}
    try:
        with threadpool_limits(1), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of machines that are not chosen
            parameters = benchmark.choose(row, [m.name for m in methods], quick)
    except Exception as problem:  # one row must not end the others
        return record | {"failure": f"{type(problem).__name__}: {problem}"}
    return record | {"parameters": parameters}


_LAST = {}


def _draw(benchmark, row, run):
    """The draw of a cell; the last one is kept, for the next method."""
    key = benchmark.name, repr(row), run  # a quick run may have other options
    if key not in _LAST:
        _LAST.clear()
        _LAST[key] = benchmark.draw(row, run)
    return _LAST[key]


def peak_memory(benchmark, row, method, run, parameters):
    """MiB that a method adds to those of its data, measured in a fresh process.

    None where the system does not tell (other than Linux).
    """
    if not _RESET.exists():
        return None
    names = [benchmark.name, row.name, method.name]
    command = [sys.executable, "-m", "widemargin_bench.cell", *names, str(run)]
    own = benchmark.row(row.name).options
    options = {k: v for k, v in row.options.items() if k not in own or own[k] != v}
    told = json.dumps({"parameters": parameters, "options": options})
    done = subprocess.run(command, input=told, capture_output=True, text=True)
    if done.returncode:
        warnings.warn(f"memory was not measured: {done.stderr[-300:]}", stacklevel=2)
        return None
    return json.loads(done.stdout.splitlines()[-1])


def _main(name, row_name, method_name, run):
    """Print the peak of this process above what it has with the data loaded."""
    from widemargin_bench import find_benchmark

    benchmark = find_benchmark(name)
    row, method = benchmark.row(row_name), benchmark.method(method_name)
    told = json.load(sys.stdin)
    row = replace(row, options={**row.options, **told["options"]})
    warm_up()
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        draw = benchmark.draw(row, int(run))
        gc.collect()
        _RESET.write_text("5")  # the peak starts again from what is held now
        before = _status("VmRSS")
        method.measure(draw, told["parameters"])
    print(json.dumps((_status("VmHWM") - before) / _MIB))


def _status(name):
    """What the system tells of this process, in kilobytes."""
    lines = _STATUS.read_text().splitlines()
    return int(next(line for line in lines if line.startswith(name)).split()[1])


if __name__ == "__main__":
    _main(*sys.argv[1:])
