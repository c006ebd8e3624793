"""Clusters of tables that hold columns of a few values beside columns of numbers.

    python benchmarks/evidence/cluster_categories.py [--seeds 2] [--constants]

Prints the mean adjusted Rand index with the known clusters, whose number is given, of
`MaxMarginClustering`, of the same without its rule for columns of a few values, of the
same on the other columns alone, and of k-means with ten starts. With --constants it
compares values of the constants instead.
"""

import argparse
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs, make_moons
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import StandardScaler

from widemargin import MaxMarginClustering
from widemargin.defaults import DISCRETE
from widemargin_bench.evidence import compare, constant

NO_RULE = DISCRETE._replace(most_values=0)
N_ROWS = 400
TREES = np.array([[31.0, 46.0, 8.5], [22.0, 82.0, 6.0], [26.0, 52.0, 11.5]])


@dataclass(frozen=True)
class Problem:
    """Numbers and columns of a few values, from a seed; both may be empty."""

    title: str
    numbers: Callable  # seed: (n_rows, n_numbers), clusters
    others: Callable  # rng, clusters, options: list of (n_rows, n_columns)
    options: tuple = ()
    seeds: tuple | None = None  # instead of those of the command line

    def make(self, seed):
        """Rows, clusters, and the number of columns of numbers."""
        X, y = self.numbers(seed)
        rng = np.random.default_rng(seed)
        return np.hstack([X, *self.others(rng, y, *self.options)]), y, X.shape[1]


def blobs(seed, k=4, d=4, deviation=1.2):
    """Gaussian clusters."""
    X, y = make_blobs(N_ROWS, d, centers=k, cluster_std=deviation, random_state=seed)
    return StandardScaler().fit_transform(X), y


def noise(seed, d, k=3):
    """Numbers that hold no clusters."""
    rng = np.random.default_rng([seed, 1])
    return rng.normal(size=(N_ROWS, d)), rng.integers(k, size=N_ROWS)


def moons(seed):
    """Two bent clusters."""
    X, y = make_moons(N_ROWS, noise=0.06, random_state=seed)
    return StandardScaler().fit_transform(X), y


def trees(seed):
    """Heights, girths and crowns of three species, as in the tutorial on tables."""
    rng = np.random.default_rng([seed, 2])
    y = rng.choice(3, 300, p=[0.3, 0.3, 0.4])
    X = TREES[y] + rng.normal(size=(300, 3)) * [3.5, 15.0, 1.7]
    return StandardScaler().fit_transform(X), y


def soils(rng, y):
    """Sand or loam, one-hot: pines prefer sand."""
    is_sand = rng.random(len(y)) < np.where(y == 2, 0.8, 0.2)
    return [np.eye(2)[is_sand.astype(int)]]


def random(rng, y, *levels):
    """One-hot categories that have nothing to do with the clusters."""
    return [np.eye(n)[rng.integers(n, size=len(y))] for n in levels]


def agreeing(rng, y, *shares):
    """One-hot categories that are the cluster in a share of the rows, else random."""
    n = y.max() + 1
    return [
        np.eye(n)[np.where(rng.random(len(y)) < share, y, rng.integers(n, size=len(y)))]
        for share in shares
    ]


def both(rng, y):
    """A category that agrees with the clusters, and a random one."""
    return agreeing(rng, y, 0.8) + random(rng, y, 4)


def noisy(rng, y):
    """A random category and two columns of noise."""
    return [*random(rng, y, 4), rng.normal(size=(len(y), 2))]


def indicators(rng, y, *shares):
    """Standardized columns of 0 and 1, with these shares of 1."""
    drawn = rng.random((len(y), len(shares))) < shares
    return [StandardScaler().fit_transform(drawn)]


def rating(rng, y):
    """A standardized column of 1 to 5."""
    return [StandardScaler().fit_transform(rng.integers(1, 6, (len(y), 1)))]


flat = partial(blobs, d=2, deviation=1.0)
close = partial(blobs, k=3, d=3, deviation=2.0)
touching = partial(blobs, deviation=3.5)
alone, nothing = partial(noise, d=1), partial(noise, d=0)
ONE_HOT = [
    Problem(f"random category of {n}", blobs, random, (n,), (3, 4, 5))
    for n in (2, 3, 4, 6)
]
PROBLEMS = [
    *ONE_HOT,
    Problem("trees, soil", trees, soils),
    Problem("two columns, random category of 4", flat, random, (4,)),
    Problem("moons, random category of 3", moons, random, (3,)),
    Problem("3 random categories", partial(blobs, k=5), random, (3, 5, 2)),
    Problem("6 random categories of 3", blobs, random, (3,) * 6),
    Problem("random category, 2 columns of noise", blobs, noisy),
    Problem("2 random indicators", blobs, indicators, (0.5, 0.2)),
    Problem("8 random indicators", blobs, indicators, (0.5,) * 8),
    Problem("rare indicator", close, indicators, (0.1,)),
    Problem("random rating of 1 to 5", partial(blobs, k=3), rating),
    Problem("category agrees in 80 % of rows", touching, agreeing, (0.8,)),
    Problem("category agrees in all rows", touching, agreeing, (1.0,)),
    Problem("2 categories agree in 90 %", touching, agreeing, (0.9, 0.9)),
    Problem("category agrees, another is random", partial(blobs, k=3), both),
    Problem("6 categories agree in 75 %, noise", alone, agreeing, (0.75,) * 6),
    Problem("8 categories agree in 75 %, no number", nothing, agreeing, (0.75,) * 8),
]


def cluster(X, y, rule=DISCRETE):
    """The adjusted Rand index of the estimator."""
    with constant("DISCRETE", rule):
        model = MaxMarginClustering(y.max() + 1, random_state=0).fit(X)
    return adjusted_rand_score(y, model.labels_)


def score(X, y, n_numbers):
    """The index of all methods; NaN if there is no column of numbers."""
    model = KMeans(y.max() + 1, n_init=10, random_state=0).fit(X)
    numbers = cluster(X[:, :n_numbers], y) if n_numbers else np.nan
    k_means = adjusted_rand_score(y, model.labels_)
    return cluster(X, y), cluster(X, y, NO_RULE), numbers, k_means


def compare_constants(n_seeds):
    """Values of each constant, on all problems."""
    sets = [
        problem.make(seed)[:2]
        for problem in PROBLEMS
        for seed in problem.seeds or range(n_seeds)
    ]
    for field, values in {
        "share": (0.25, 0.35, 0.5, 0.7, 1.0),
        "most_values": (0, 2, 5, 10, 20),
        "rows_per_value": (5, 10, 20),
        "rounding": (0.0, 1 / 12, 1 / 6, 1 / 4, 1 / 3),
    }.items():
        rules = {value: DISCRETE._replace(**{field: value}) for value in values}
        changes = {value: constant("DISCRETE", rule) for value, rule in rules.items()}
        given = getattr(DISCRETE, field), changes, _fit, sets, 1
        compare(f"DISCRETE.{field}", *given, digits=3)


def _fit(_, X, y, seed):
    model = MaxMarginClustering(y.max() + 1, random_state=seed).fit(X)
    return adjusted_rand_score(y, model.labels_)


def main():
    """Print the table, or those of the constants."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--constants", action="store_true")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if options.constants:
        compare_constants(options.seeds)
        return
    columns = "rule", "no rule", "numbers", "k-means"
    print(f"{'':40}" + "".join(f"{name:>9}" for name in columns))
    every = []
    for problem in PROBLEMS:
        seeds = problem.seeds or range(options.seeds)
        found = np.mean([score(*problem.make(seed)) for seed in seeds], axis=0)
        every.append(found)
        print(f"{problem.title:40}" + "".join(f"{v:9.2f}" for v in found), flush=True)
    means = np.nanmean(every, axis=0)
    print(f"{'mean':40}" + "".join(f"{value:9.3f}" for value in means))


if __name__ == "__main__":
    main()
