"""Compare time, memory and accuracy of the default fits with those of another version.

    python tools/versus.py OTHER_SRC [--estimators A,B] [--rows 2000,5000] [--repeat 3]
        [--json FILE]

OTHER_SRC is the folder `src` of another checkout ("there"); "here" is the checkout of
this file. Every fit runs in a process of its own, with one thread and after a warm-up
fit on 200 rows. The versions take turns.

seconds  CPU time of the fit, least of the repeats
MiB      growth of peak memory (`ru_maxrss`) in the fit, least of the repeats
score    accuracy of `predict` on the unlabeled rows; for a clustering, adjusted Rand
         index on all rows

Ratios are here over there. The data are rows of USPS (MNIST, if there are not enough)
from the folder that the environment variable WIDEMARGIN_DATA names, or ten synthetic
classes without it; 50 rows are labeled, five per class. UniversumSVC takes the
unlabeled rows as universum, which is its default.

Release 0.1 against itself, on 2,000 rows of USPS and a machine busy with other work,
gave ratios of 0.93 to 1.05 for seconds, 0.99 to 1.00 for MiB, and the same scores. Read
a ratio within 10 % of one as no difference; fits that take less than 0.1 s or 5 MiB
need a larger margin.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from itertools import product
from pathlib import Path

# numpy and scikit-learn are imported in the processes that fit: Linux counts the memory
# of the process that starts another one into the peak of the new one.
from rich.console import Console
from rich.table import Table

HERE_SRC = Path(__file__).resolve().parents[1] / "src"
SIDES = ("there", "here")
N_CLASSES, N_LABELED, N_WARM_UP = 10, 50, 200
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
MISSING = "missing"
MIB = 2**20


# --- data -----------------------------------------------------------------------------


def synthetic_rows(n_rows: int):
    """Ten classes of four Gaussian clusters each, in 64 features."""
    from sklearn.datasets import make_blobs

    X, cluster = make_blobs(
        n_rows, n_features=64, centers=4 * N_CLASSES, center_box=(-4, 4), random_state=0
    )
    return X, cluster % N_CLASSES


def stored_rows(folder: str, n_rows: int):
    """Rows of USPS, or of MNIST if USPS has fewer, in random order."""
    import numpy as np

    for name in ("usps", "mnist"):
        with np.load(Path(folder) / f"{name}.npz") as file:
            if len(file["y"]) >= n_rows:
                rows = np.random.default_rng(0).permutation(len(file["y"]))[:n_rows]
                return file["X"][rows] * file["scale"] + file["offset"], file["y"][rows]
    raise ValueError(f"no stored set has {n_rows} rows")


def make_data(n_rows: int):
    """Features, ground truth, and the labels with -1 where they are hidden."""
    import numpy as np

    folder = os.environ.get("WIDEMARGIN_DATA")
    X, truth = stored_rows(folder, n_rows) if folder else synthetic_rows(n_rows)
    y = np.full(n_rows, -1)
    for code in range(N_CLASSES):  # the rows are in random order: take the first ones
        labeled = np.flatnonzero(truth == code)[: N_LABELED // N_CLASSES]
        y[labeled] = code
    return X, truth, y


# --- one process ----------------------------------------------------------------------


@dataclass(frozen=True)
class Run:
    """One fit in a process of its own."""

    seconds: float
    mib: float
    score: float


def peak_memory() -> int:
    """Largest memory of this process so far, in bytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def reset_peak() -> None:
    """Set the peak to the present use, because the warm-up may have used more."""
    # Elsewhere than on Linux, a fit that needs less than the warm-up shows no growth.
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def score_of(model, X, truth, y) -> float:
    """Accuracy on the unlabeled rows, or the adjusted Rand index of a clustering."""
    from sklearn.base import ClusterMixin
    from sklearn.metrics import accuracy_score, adjusted_rand_score

    if isinstance(model, ClusterMixin):
        return adjusted_rand_score(truth, model.labels_)
    hidden = y == -1
    return accuracy_score(truth[hidden], model.predict(X[hidden]))


def run_fit(estimator: type, n_rows: int) -> Run:
    """Warm up, then measure one fit in this process."""
    from public import fit_default

    warnings.simplefilter("ignore")  # of convergence, which the score shows
    X, _, y = make_data(N_WARM_UP)
    fit_default(estimator, X, y, N_CLASSES)
    X, truth, y = make_data(n_rows)
    reset_peak()
    memory, start = peak_memory(), time.process_time()
    model = fit_default(estimator, X, y, N_CLASSES)
    seconds, memory = time.process_time() - start, peak_memory() - memory
    return Run(seconds, memory / MIB, float(score_of(model, X, truth, y)))


def child(request: dict):
    """What a new process returns: names of the estimators, or figures of a fit."""
    from public import public_estimators

    import widemargin

    if not Path(widemargin.__file__).is_relative_to(request["src"]):
        raise ImportError(f"widemargin came from {widemargin.__file__}")
    estimators = public_estimators(widemargin)
    if "estimator" not in request:
        # what transforms tables predicts nothing that could be scored
        return [
            name for name, own in estimators.items() if not hasattr(own, "transform")
        ]
    return asdict(run_fit(estimators[request["estimator"]], request["n_rows"]))


def run_child(src: Path, **request):
    """Run `child` on a request in a new process that imports from `src`."""
    done = subprocess.run(
        [sys.executable, __file__, "--child", json.dumps({"src": str(src), **request})],
        env=os.environ | dict.fromkeys(THREADS, "1") | {"PYTHONPATH": str(src)},
        capture_output=True,
        text=True,
    )
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        raise RuntimeError(lines[-1])
    return json.loads(done.stdout.splitlines()[-1])


# --- comparison -----------------------------------------------------------------------


@dataclass(frozen=True)
class Side:
    """The repeats of one fit in one version, or why there are none."""

    runs: list[Run] = field(default_factory=list)
    problem: str = ""

    def least(self, figure: str) -> float | None:
        """Least of a figure of the runs, None without a run."""
        return min((getattr(run, figure) for run in self.runs), default=None)


@dataclass(frozen=True)
class Comparison:
    """One estimator on so many rows in both versions."""

    estimator: str
    n_rows: int
    there: Side
    here: Side

    def ratio(self, figure: str) -> float | None:
        """Here over there, None if a version has no figure."""
        there, here = self.there.least(figure), self.here.least(figure)
        return here / there if there and here is not None else None


def turns(repeat: int) -> Iterator[str]:
    """The sides in the order of their fits: each begins every second repeat."""
    for index in range(repeat):
        yield from SIDES if index % 2 == 0 else reversed(SIDES)


def repeated(runs: list, problem: str) -> Side:
    """The side of these runs; one failed run is enough to report only the problem."""
    return Side([], problem) if problem else Side(runs)


def compare(estimator, n_rows, sources, names, repeat) -> Comparison:
    """Fit one estimator `repeat` times in each version, by turns."""
    runs = {side: [] for side in SIDES}
    problems = {side: "" if estimator in names[side] else MISSING for side in SIDES}
    for side in turns(repeat):
        if problems[side]:
            continue
        try:
            run = Run(**run_child(sources[side], estimator=estimator, n_rows=n_rows))
        except RuntimeError as error:
            problems[side] = str(error)
            continue
        runs[side].append(run)
        progress(f"  {side}: {run.seconds:.2f} s, {run.mib:.0f} MiB, {run.score:.3f}")
    sides = {side: repeated(runs[side], problems[side]) for side in SIDES}
    return Comparison(estimator, n_rows, **sides)


def progress(text: str) -> None:
    """Show progress on stderr."""
    print(text, file=sys.stderr, flush=True)


# --- report ---------------------------------------------------------------------------


def show(value: float | None, digits: int) -> str:
    """A number with so many digits behind the point; a dash if there is none."""
    return "-" if value is None else f"{value:,.{digits}f}"


def row_of(comparison: Comparison) -> list[str]:
    """Cells of one comparison; a problem stands where its seconds would be."""
    there, here = comparison.there, comparison.here
    return [
        comparison.estimator,
        f"{comparison.n_rows:,}",
        there.problem or show(there.least("seconds"), 2),
        here.problem or show(here.least("seconds"), 2),
        show(comparison.ratio("seconds"), 2),
        show(there.least("mib"), 0),
        show(here.least("mib"), 0),
        show(comparison.ratio("mib"), 2),
        show(there.least("score"), 3),
        show(here.least("score"), 3),
    ]


def make_table(comparisons: list[Comparison]) -> Table:
    """A row per estimator and number of rows."""
    table = Table("estimator")
    titles = ["rows"]
    for figure in ("seconds", "MiB"):
        titles += [f"{figure}\nthere", f"{figure}\nhere", f"{figure}\nratio"]
    for title in [*titles, "score\nthere", "score\nhere"]:
        table.add_column(title, justify="right")
    for comparison in comparisons:
        table.add_row(*row_of(comparison))
    return table


def as_json(comparisons: list[Comparison]) -> list[dict]:
    """All runs, and the ratios of the table."""
    return [
        asdict(comparison)
        | {f"{figure}_ratio": comparison.ratio(figure) for figure in ("seconds", "mib")}
        for comparison in comparisons
    ]


# --- command --------------------------------------------------------------------------


def source_tree(text: str) -> Path:
    """A folder from which widemargin can be imported."""
    path = Path(text).resolve()
    if not (path / "widemargin" / "__init__.py").exists():
        raise argparse.ArgumentTypeError(f"{path} holds no package widemargin")
    return path


def numbers(text: str) -> list[int]:
    """Read ``2000,5000``."""
    values = [int(part) for part in text.split(",")]
    if min(values) < N_WARM_UP:
        raise argparse.ArgumentTypeError(f"use at least {N_WARM_UP} rows")
    return values


def make_parser() -> argparse.ArgumentParser:
    """The options."""
    summary, _, details = __doc__.partition("\n")
    parser = argparse.ArgumentParser(
        description=summary,
        epilog=details,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("other", type=source_tree, metavar="OTHER_SRC", help="src of another checkout")
    add("--estimators", metavar="A,B", help="only these (default: all)")
    add("--rows", type=numbers, default=[2000, 5000], help="default: 2000,5000")
    add("--repeat", type=int, default=3, help="fits per version (default: 3)")
    add("--json", type=Path, metavar="FILE", help="also write every run to FILE")
    return parser


def main(arguments: list[str] | None = None) -> int:
    """Compare, print the table, and return the exit code."""
    parser = make_parser()
    options = parser.parse_args(arguments)
    sources = {"there": options.other, "here": HERE_SRC}
    names = {side: run_child(src) for side, src in sources.items()}
    known = list(dict.fromkeys(names["there"] + names["here"]))
    chosen = options.estimators.split(",") if options.estimators else known
    if unknown := sorted(set(chosen) - set(known)):
        parser.error(f"unknown estimator {', '.join(unknown)}; choose from {known}")
    pairs = list(product(chosen, options.rows))
    comparisons = []
    for number, (name, n_rows) in enumerate(pairs, 1):
        progress(f"[{number}/{len(pairs)}] {name}, {n_rows:,} rows")
        comparisons.append(compare(name, n_rows, sources, names, options.repeat))
        if options.json:  # after each one: an interrupt loses nothing
            options.json.write_text(json.dumps(as_json(comparisons), indent=2))
    console = Console()
    console.width = max(console.width, 120)
    console.print(make_table(comparisons))
    return 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        print(json.dumps(child(json.loads(sys.argv[2]))))
    else:
        sys.exit(main())
