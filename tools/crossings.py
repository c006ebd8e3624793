"""Count the calls between modules in a default fit of every public estimator.

    python tools/crossings.py [--estimators A,B] [--json] [--fail-up [N]]
        [--max-crossings ESTIMATOR=N]... [--classes {2,3}]

The table has three figures per estimator:

up         calls from a module to one in a higher layer. The layers are those of the
           "layers" contracts in `pyproject.toml`. A callback counts by the module that
           defines it, a generator each time that it is resumed.
sideways   calls between siblings: layers on one line of a contract, separated by "|"
crossings  calls from one module to another

The second table lists every distinct pair of caller and callee that goes up or
sideways.

How calls are counted
---------------------
The caller is the nearest function of the package on the stack: a callback that SciPy
calls for a solver is called by the solver. Every start or resumption of a Python
function counts, also of generated ones such as the `__init__` of a dataclass. Compiled
loops count as part of the function that calls them. The two calls from outside, to the
constructor and to `fit`, are crossings; they belong to no layer. Only the second fit is
counted, because the first one also imports and compiles. Other threads and processes
are not counted; with the default ``n_jobs=None`` there are none.

The data are 120 rows of two moons with 10 labels. ``--classes 3`` takes three Gaussian
classes with 20 labels instead, which leads through the code for more than two classes.

Release 0.1
-----------
By this definition release 0.1 gives exactly the figures of its review: 948 crossings
for LabelSearchClassifier, 1,045 for TransductiveSVC, 1,720 for MaxMarginClustering,
4,603 for FewLabelClassifier, and 90 calls up for SelfLabelingGPC. It makes 12 calls up
for SelfLabelingSVC, 11 for FewLabelClassifier, one each for LaplacianRLSC and
LaplacianSVC, none for the others, and no calls sideways.
"""

import argparse
import importlib
import json
import sys
import tomllib
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import NamedTuple

import numpy as np
from public import fit_default, public_estimators
from rich.console import Console
from rich.table import Table
from sklearn.datasets import make_blobs, make_moons

ROOT = Path(__file__).resolve().parents[1]
N_ROWS = 120
# Rows, not a call of `hide_labels`, so that every version is given the same labels.
LABELED_MOONS = (1, 13, 16, 23, 27, 36, 67, 101, 107, 114)
N_LABELED_BLOBS = 20


# --- layers ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Ladder:
    """One layers contract in one container: the height of each layer, 0 is lowest."""

    heights: dict[str, int]
    # heights whose siblings may import each other: ":" in place of "|"
    open_heights: frozenset[int] = frozenset()

    def layer(self, module: str) -> str | None:
        """The layer that `module` belongs to, None if the contract has none for it."""
        while module not in self.heights:
            module, dot, _ = module.rpartition(".")
            if not dot:
                return None
        return module

    def direction(self, caller: str, callee: str) -> str | None:
        """Whether a call between these modules goes "up" or "sideways", else None."""
        lower, upper = self.layer(caller), self.layer(callee)
        if lower is None or upper is None or lower == upper:
            return None
        rise = self.heights[upper] - self.heights[lower]
        if rise == 0 and self.heights[upper] not in self.open_heights:
            return "sideways"
        return "up" if rise > 0 else None


def siblings(line: str) -> list[str]:
    """Names on one line of a contract; parentheses mark a layer that may be absent."""
    return [name.strip(" ()") for name in line.replace(":", "|").split("|")]


def make_ladder(lines: list[str], container: str = "") -> Ladder:
    """The ladder of the lines of a contract, which begin with the highest layer."""
    prefix = f"{container}." if container else ""
    rising = list(enumerate(reversed(lines)))
    return Ladder(
        {prefix + name: height for height, line in rising for name in siblings(line)},
        frozenset(height for height, line in rising if ":" in line),
    )


def read_ladders(pyproject: str) -> tuple[str, list[Ladder]]:
    """The package that import-linter checks, and a ladder per contract and container.

    Parameters
    ----------
    pyproject : str
        Text of a `pyproject.toml`.
    """
    settings = tomllib.loads(pyproject)["tool"]["importlinter"]
    contracts = [c for c in settings["contracts"] if c["type"] == "layers"]
    if not contracts:
        raise ValueError("pyproject.toml has no import-linter contract of type layers")
    return settings["root_package"], [
        make_ladder(contract["layers"], container)
        for contract in contracts
        for container in contract.get("containers", [""])
    ]


# --- calls ----------------------------------------------------------------------------


class Place(NamedTuple):
    """A function and the module that defines it."""

    module: str
    function: str

    def __str__(self):
        return f"{self.module}:{self.function}"


OUTSIDE = Place("", "outside")


def module_of(frame: FrameType) -> str:
    """Name of the module whose function runs in `frame`."""
    return frame.f_globals.get("__name__") or ""


def is_inside(module: str, package: str) -> bool:
    """Whether `module` is the package or a part of it."""
    return module == package or module.startswith(f"{package}.")


def nearest_place(frame: FrameType | None, package: str) -> Place:
    """The first function of the package on the stack, from `frame` outwards."""
    while frame is not None and not is_inside(module_of(frame), package):
        frame = frame.f_back
    if frame is None:
        return OUTSIDE
    # functions that `dataclasses` generates
    name = frame.f_code.co_qualname.removeprefix("__create_fn__.<locals>.")
    return Place(module_of(frame), name)


def record_calls(action: Callable[[], object], package: str) -> Counter:
    """How often each pair (caller, callee) of the package occurs in ``action()``."""
    calls: Counter[tuple[Place, Place]] = Counter()

    def on_event(frame, event, _):
        if event == "call" and is_inside(module_of(frame), package):
            caller = nearest_place(frame.f_back, package)
            calls[caller, nearest_place(frame, package)] += 1

    before = sys.getprofile()
    sys.setprofile(on_event)
    try:
        action()
    finally:
        sys.setprofile(before)
    return calls


def count_crossings(calls: Counter) -> int:
    """Number of calls whose caller and callee are in different modules."""
    return sum(
        count
        for (caller, callee), count in calls.items()
        if caller.module != callee.module
    )


def calls_that_go(direction: str, calls: Counter, ladders: list[Ladder]) -> Counter:
    """The calls that go "up" or "sideways" by at least one of the ladders."""
    return Counter(
        {
            (caller, callee): count
            for (caller, callee), count in calls.items()
            if any(
                ladder.direction(caller.module, callee.module) == direction
                for ladder in ladders
            )
        }
    )


# --- fits -----------------------------------------------------------------------------


@dataclass(frozen=True)
class FitCalls:
    """What one default fit calls."""

    crossings: int
    up: Counter = field(default_factory=Counter)
    sideways: Counter = field(default_factory=Counter)


def moons():
    """Two moons with 10 labels: the data of the figures for release 0.1."""
    X, truth = make_moons(N_ROWS, noise=0.1, random_state=0)
    y = np.full(N_ROWS, -1)
    y[list(LABELED_MOONS)] = truth[list(LABELED_MOONS)]
    return X, y


def blobs():
    """Three Gaussian classes with 20 labels."""
    X, truth = make_blobs(N_ROWS, centers=3, cluster_std=1.5, random_state=0)
    y = np.where(np.arange(N_ROWS) < N_LABELED_BLOBS, truth, -1)  # rows are shuffled
    return X, y


DATA = {2: moons, 3: blobs}


def measure(estimator: type, ladders, package: str, n_classes: int = 2) -> FitCalls:
    """Calls of the second default fit of `estimator`."""
    X, y = DATA[n_classes]()

    def fit():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of convergence, which is not counted here
            fit_default(estimator, X, y, n_classes)

    fit()
    calls = record_calls(fit, package)
    return FitCalls(
        count_crossings(calls),
        calls_that_go("up", calls, ladders),
        calls_that_go("sideways", calls, ladders),
    )


# --- reports --------------------------------------------------------------------------


def failures(fits: dict[str, FitCalls], max_up: int | None, max_crossings) -> list[str]:
    """One sentence for each limit that a fit exceeds."""
    up = [
        f"{name} makes {fit.up.total():,} calls up, more than {max_up:,}"
        for name, fit in fits.items()
        if max_up is not None and fit.up.total() > max_up
    ]
    crossings = [
        f"{name} makes {fits[name].crossings:,} crossings, more than {limit:,}"
        for name, limit in max_crossings.items()
        if fits[name].crossings > limit
    ]
    return up + crossings


def as_json(fits: dict[str, FitCalls]) -> dict:
    """The same figures as plain lists and numbers."""

    def pairs(calls):
        return [
            {"caller": str(caller), "callee": str(callee), "calls": count}
            for (caller, callee), count in calls.most_common()
        ]

    return {
        name: {
            "crossings": fit.crossings,
            "up": fit.up.total(),
            "sideways": fit.sideways.total(),
            "calls_up": pairs(fit.up),
            "calls_sideways": pairs(fit.sideways),
        }
        for name, fit in fits.items()
    }


def summary_table(fits: dict[str, FitCalls]) -> Table:
    """The three figures of each estimator."""
    table = Table("estimator")
    for title in ("up", "sideways", "crossings"):
        table.add_column(title, justify="right")
    for name, fit in fits.items():
        figures = fit.up.total(), fit.sideways.total(), fit.crossings
        table.add_row(name, *(f"{figure:,}" for figure in figures))
    return table


def pairs_table(fits: dict[str, FitCalls]) -> Table:
    """Every distinct pair that goes up or sideways, with its calls in all fits."""
    table = Table("direction")
    for title in ("caller", "callee"):
        table.add_column(title, overflow="fold")  # names in full
    table.add_column("calls", justify="right")
    table.add_column("fits", justify="right")
    for direction in ("up", "sideways"):
        counters = [getattr(fit, direction) for fit in fits.values()]
        for pair, count in sum(counters, Counter()).most_common():
            n_fits = sum(pair in counter for counter in counters)
            table.add_row(direction, *map(str, pair), f"{count:,}", str(n_fits))
    return table


def name_and_limit(text: str) -> tuple[str, int]:
    """Read ``ESTIMATOR=N``."""
    name, _, limit = text.partition("=")
    if not name or not limit.isdecimal():
        raise argparse.ArgumentTypeError(f"expected ESTIMATOR=N, got {text!r}")
    return name, int(limit)


def make_parser() -> argparse.ArgumentParser:
    """The options."""
    summary, _, details = __doc__.partition("\n")
    parser = argparse.ArgumentParser(
        description=summary,
        epilog=details,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--estimators", metavar="A,B", help="only these (default: all)")
    add("--json", action="store_true", help="print JSON in place of tables")
    add("--classes", type=int, choices=sorted(DATA), default=2, help="default: 2")
    add(
        "--fail-up",
        type=int,
        nargs="?",
        const=0,
        metavar="N",
        help="exit with 1 if a fit makes more than N calls up (N is 0 if left out)",
    )
    add(
        "--max-crossings",
        type=name_and_limit,
        action="append",
        default=[],
        metavar="ESTIMATOR=N",
        help="exit with 1 if its fit makes more than N crossings; may be repeated",
    )
    return parser


def choose(names: set[str], estimators: dict[str, type], parser) -> dict[str, type]:
    """The estimators with these names; an unknown one ends the program."""
    unknown = sorted(names - set(estimators))
    if unknown:
        known = ", ".join(estimators)
        parser.error(f"unknown estimator {', '.join(unknown)}; choose from {known}")
    return {name: value for name, value in estimators.items() if name in names}


def print_tables(fits: dict[str, FitCalls]) -> None:
    """Print both tables, never narrower than the names of functions need."""
    console = Console()
    console.width = max(console.width, 180)
    console.print(summary_table(fits))
    pairs = pairs_table(fits)
    if pairs.row_count:
        console.print(pairs)


def main(arguments: list[str] | None = None) -> int:
    """Measure, print, and return the exit code."""
    parser = make_parser()
    options = parser.parse_args(arguments)
    package, ladders = read_ladders((ROOT / "pyproject.toml").read_text("utf-8"))
    estimators = public_estimators(importlib.import_module(package))
    limits = dict(options.max_crossings)
    wanted = options.estimators.split(",") if options.estimators else list(estimators)
    chosen = choose({*wanted, *limits}, estimators, parser)
    fits = {
        name: measure(estimator, ladders, package, options.classes)
        for name, estimator in chosen.items()
    }
    if options.json:
        print(json.dumps(as_json(fits), indent=2))
    else:
        print_tables(fits)
    broken = failures(fits, options.fail_up, limits)
    for sentence in broken:
        print(sentence, file=sys.stderr)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT / "src"))  # this tree, whichever one is installed
    sys.exit(main())
