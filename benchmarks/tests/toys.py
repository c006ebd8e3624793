"""A benchmark that costs nothing, for tests of what runs benchmarks."""

import numpy as np

from widemargin_bench import Benchmark, Method, Metric, Paper, Quick, Row

CALLS = []  # (row, run, method) of each cell that was measured in this process
ERROR = Metric("error", "error, %")


def draw(row, run):
    return row.name, run, float(np.random.default_rng([row["seed"], run]).random())


def number(name, shift=0.0, kind="paper", **options):
    """A method that adds a shift, and what was chosen for it, to the draw."""

    def measure(drawn, parameters):
        CALLS.append((*drawn[:2], name))
        return {"error": drawn[2] + shift + (parameters or 0.0), "fit_seconds": 0.01}

    return Method(name, measure, kind, **options)


def choose(row, methods, quick):
    return {name: 10.0 * row["seed"] + quick for name in methods}


def fail(drawn, parameters):
    raise ValueError(f"no luck with {drawn[0]}")


def toy(**options):
    """Two rows, two methods, three runs."""
    given = {
        "name": "toy",
        "paper": Paper("toy", "A. Author. A title. 2001."),
        "source": "Table 1",
        "title": "Numbers",
        "protocol": "Numbers are drawn.",
        "metrics": (ERROR,),
        "rows": (Row("a", options={"seed": 0}), Row("b", options={"seed": 1})),
        "methods": (number("one"), number("two", 0.5)),
        "draw": draw,
        "runs": 3,
        "quick": Quick(rows=("b",)),
    }
    return Benchmark(**given | options)


def record(row, method, run, **metrics):
    """A measured cell."""
    return {"kind": "cell", "row": row, "method": method, "run": run,
            "metrics": metrics}  # fmt: skip


def records_of(values):
    """Records of errors, {(row, method): errors of runs}."""
    return [
        record(row, method, run, error=error)
        for (row, method), errors in values.items()
        for run, error in enumerate(errors)
    ]
