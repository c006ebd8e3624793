"""How UMC-RLS is run and its parameters are chosen: by the labels, as in the paper."""

from dataclasses import dataclass
from functools import cache

import numpy as np
from sklearn.metrics import adjusted_rand_score, pairwise_distances

from widemargin.bench.protocols.umc_problems import PROBLEMS
from widemargin.kernels import Rbf
from widemargin.labelling.problem import LabelProblem
from widemargin.labelling.starts import make_starts
from widemargin.labelling.strategies import (
    Reshaking,
    Shaking,
    Steepest,
    Stochastic,
)
from widemargin.objectives.class_sizes import size_bounds
from widemargin.spaces.smoother import DenseSmoother, SpectralPath

N_STARTS = 10  # random labelings, to choose a cell and again to report it


@dataclass(frozen=True)
class Grid:
    """Cells to choose from.

    Attributes
    ----------
    widths : tuple of int
        Sigma in tenths of the largest distance.
    exponents : tuple of int
        Of 2, for lambda.
    n_starts : int
        Searches in each cell.
    """

    widths: tuple[int, ...]
    exponents: tuple[int, ...]
    n_starts: int


PAPER_GRID = Grid(tuple(range(1, 11)), tuple(range(-10, 0)), N_STARTS)
QUICK_GRID = Grid((2, 4, 5, 8), (-8, -5, -2), 3)

RESHAKEN = "UMC-RLS re-shaken"
EQUAL = "UMC-RLS re-shaken, equal sizes"
SEARCHES = ("Stoc-RLS", "Steep-RLS", "UMC-RLS", RESHAKEN, EQUAL)


def choose_cells(row, methods, quick):
    """The cell in which each search agrees best with the labels; None for others."""
    grid = QUICK_GRID if quick else PAPER_GRID
    return {
        method: best_cell(row["problem"], method, grid) if method in SEARCHES else None
        for method in methods
    }


@cache  # tables share problems and methods
def best_cell(problem, method, grid):
    """The cell with the largest mean agreement with the labels, the first of equals.

    Parameters
    ----------
    problem : str
        Of `PROBLEMS`.
    method : str
        Of `SEARCHES`.
    grid : Grid

    Returns
    -------
    dict
        "width", "exponent" and the mean "ari" that chose them.
    """
    X, y = PROBLEMS[problem].load()
    aris = {}
    for width in grid.widths:
        path = SpectralPath(gaussian(X, width), np.ones(len(X)))
        for exponent in grid.exponents:
            posed = pose(method, path(2.0**exponent), y.max() + 1)
            seed = [0, width - 1, exponent + 10]
            aris[width, exponent] = _mean_ari(method, posed, y, grid.n_starts, seed)
    width, exponent = max(aris, key=aris.get)
    return {"width": width, "exponent": exponent, "ari": aris[width, exponent]}


def _mean_ari(method, problem, y, n_starts, seed):
    """Mean agreement with the labels of searches from random starts."""
    search = pick_search(method, problem.n_classes)
    starts, seeds = make_starts(problem, n_starts, np.random.default_rng(seed))
    aris = []
    for start, own_seed in zip(starts, seeds, strict=True):
        codes, _ = search.improve(problem, start, int(own_seed))
        aris.append(adjusted_rand_score(y, codes))
    return float(np.mean(aris))


def pick_search(method, n_clusters):
    """The search of a method of `SEARCHES`."""
    searches = {
        "Stoc-RLS": Stochastic(),
        "Steep-RLS": Steepest(),
        "UMC-RLS": Shaking(size_floor=0.0),  # which may empty clusters
    }
    if method in searches:
        return searches[method]
    shaking, n_together = Shaking(size_floor=0.5), min(3, n_clusters - 1)
    if n_together < 2:
        return shaking
    return Reshaking(shaking, max(15, 2 * n_clusters), n_together)


def pose(method, smoother, n_clusters):
    """Clusters to be found, of one size if the method is told so."""
    n_samples, shares = smoother.n_samples, np.full(n_clusters, 1.0 / n_clusters)
    return LabelProblem(
        smoother,
        np.ones(n_samples, dtype=bool),
        np.zeros(n_samples, dtype=np.int32),
        *size_bounds(shares, 0.0 if method == EQUAL else 1.0, n_samples),
        shares * n_samples,
        np.arange(n_samples),
    )


def gaussian(X, width):
    """Gram matrix of exp(-d^2 / 2 sigma^2), sigma in tenths of the largest distance."""
    sigma = width / 10 * pairwise_distances(X).max()
    return Rbf(1 / (2 * sigma**2))(X)


@dataclass
class LabelSearch:
    """One search from one random start, with kernel and smoother.

    Attributes
    ----------
    method : str
        Of `SEARCHES`.
    n_clusters : int
    width, exponent : int
        A cell of a grid.
    start : int
        Which of `N_STARTS` starts; none of them has chosen the cell.
    labels_, n_steps_
        What `fit` found, and in how many steps.
    """

    method: str
    n_clusters: int
    width: int
    exponent: int
    start: int = 0

    def fit(self, X):
        """Search."""
        gram = gaussian(X, self.width)
        smoother = DenseSmoother(gram, np.ones(len(X)), 2.0**self.exponent)
        problem = pose(self.method, smoother, self.n_clusters)
        starts, seeds = make_starts(problem, N_STARTS, np.random.default_rng([1]))
        search = pick_search(self.method, self.n_clusters)
        self.labels_, self.n_steps_ = search.improve(
            problem, starts[self.start], int(seeds[self.start])
        )
        return self
