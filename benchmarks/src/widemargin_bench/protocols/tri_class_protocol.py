"""How parameters are chosen in the experiments of the tri-class paper.

On draws for validation, by the mean error on their own test rows, the first of equals.
The SVM comes first; the others start from its parameters and search grids one by one.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

import numpy as np

from widemargin_bench.draws import percent_wrong
from widemargin_bench.protocols import tri_class_fits as fits
from widemargin_bench.protocols.tri_class_draws import draw_digits, draw_gaussians

FIRST = {"kappa": 0.01, "epsilon": 0.01, "D": 2.0}
SHARED = {
    "kappa": {"kappa": (0.01, 0.1, 0.5)},
    "D": {"D": (1.0, 2.0, 5.0)},
    "epsilon": {"epsilon": (0.01, 0.5)},
}
STARTS = {"start": ("svm", "zero")}
WIDTHS = (0.0625, 0.125, 0.25, 0.5, 1.0, 2.0, 4.0)


@dataclass(frozen=True)
class Tuned:
    """A fit, and the names of the grids that are searched for it, in this order."""

    fit: Callable
    grids: tuple[str, ...] = ()


TUNED = {
    "SVM": Tuned(fits.svm),
    "S3VM": Tuned(fits.s3vm, ("costs and start", "width", "kappa")),
    "U-SVM": Tuned(fits.u_svm, ("costs", "width", "epsilon")),
    "LapSVM": Tuned(fits.lap_svm, ("weights",)),
    "3C-SVM": Tuned(fits.paper, ("costs", "width", "D", "epsilon")),
    "3C-SVM, not restored": Tuned(
        fits.paper_not_restored, ("costs", "width", "D", "epsilon")
    ),
    "S3VM, balanced": Tuned(fits.s3vm_balanced, ("costs", "width")),
    "min loss from U-SVM": Tuned(
        fits.min_from_universum, ("costs", "width", "epsilon")
    ),
    "min loss from SVM": Tuned(fits.min_from_svm, ("costs", "width", "epsilon")),
    "min loss": Tuned(fits.min_raised, ("costs", "width", "epsilon")),
    "min loss, balanced": Tuned(fits.min_balanced, ("costs", "width", "epsilon")),
    "TriClassSVC": Tuned(fits.tri_class_default),
    "TriClassSVC, paper's method": Tuned(fits.tri_class_paper_mode),
    "TransductiveSVC": Tuned(fits.transductive_default),
}


@dataclass(frozen=True)
class Search:
    """What is searched in an experiment.

    Attributes
    ----------
    of_svm : dict
        Grid of the SVM.
    grids : dict
        Grids by name; a machine skips those that are not there.
    n_draws : int
        Number of draws for validation.
    """

    of_svm: dict
    grids: dict
    n_draws: int

    def quick(self):
        """The same with one draw, and costs alone."""
        names = "costs", "costs and start", "weights"
        return Search(self.of_svm, {name: self.grids[name] for name in names}, 1)


def _search(of_svm, costs, weights, n_draws, **more):
    grids = {
        "costs": costs,
        "costs and start": costs | STARTS,
        "weights": {"ambient": weights, "intrinsic": weights},
    }
    return Search(of_svm, grids | more | SHARED, n_draws)


GAUSSIANS = _search(
    of_svm={"C": (0.01, 0.1, 1.0, 10.0)},
    costs={"C": (10.0,), "C_u": (0.1, 1.0, 10.0)},
    weights=(0.001, 1.0),
    n_draws=3,
)
DIGITS = _search(
    of_svm={"C": (10.0, 100.0), "delta": WIDTHS},
    costs={"C": (10.0,), "C_u": (0.001, 0.01, 0.1, 1.0)},
    weights=(1e-4, 0.01, 1.0),
    n_draws=4,
    width={"delta": WIDTHS},
)


def gaussians(row, run, *, is_validation=False):
    """A draw of the synthetic sets."""
    seed = [int(is_validation), int(10 * row["tau"]), row["labels"], run]
    return draw_gaussians(row["set"], row["labels"], row["tau"], seed)


def digits(row, run, *, is_validation=False):
    """A draw of the digits."""
    return draw_digits(
        row["set"], row["unlabeled"], row["tau"], run, is_validation=is_validation
    )


def choose_gaussians(row, methods, quick):
    """Parameters of methods by name."""
    return _choose(row, methods, gaussians, GAUSSIANS.quick() if quick else GAUSSIANS)


def choose_digits(row, methods, quick):
    """Parameters of methods by name."""
    return _choose(row, methods, digits, DIGITS.quick() if quick else DIGITS)


def _choose(row, methods, draw, search):
    draws = (draw(row, run, is_validation=True) for run in range(search.n_draws))
    return tune(methods, [fits.Task(own) for own in draws], search)


def tune(methods, tasks, search):
    """Parameters of methods by name; None for those that have none."""
    of_svm = lowest(fits.svm, tasks, {}, [search.of_svm])
    return {
        name: _tune(TUNED[name], tasks, of_svm, search) if name in TUNED else None
        for name in methods
    }


def _tune(tuned, tasks, of_svm, search):
    grids = [search.grids[name] for name in tuned.grids if name in search.grids]
    grids = [_near(of_svm, grid) if "delta" in grid else grid for grid in grids]
    return lowest(tuned.fit, tasks, of_svm | FIRST, grids)


def lowest(fit, tasks, first, grids):
    """Parameters with the lowest mean error; grids are searched one by one."""
    best, seen = dict(first), {}
    for grid in grids:
        error, found = np.inf, best
        for values in product(*grid.values()):
            p = best | dict(zip(grid, values, strict=True))
            key = tuple(sorted(p.items()))
            if key not in seen:
                seen[key] = np.mean([_error(fit, task, p) for task in tasks])
            if seen[key] < error:
                error, found = seen[key], p
        best = found
    return best


def _error(fit, task, p):
    draw = task.draw
    return percent_wrong(fit(task, p).predict(draw.X_test), draw.y_test)


def _near(of_svm, grid):
    """The width of the SVM and its neighbors."""
    place = grid["delta"].index(of_svm["delta"])
    return {"delta": grid["delta"][max(place - 1, 0) : place + 2]}
