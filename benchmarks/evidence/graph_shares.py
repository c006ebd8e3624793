"""Error of LaplacianSVC against the two constants that say how a graph is used.

    python benchmarks/evidence/graph_shares.py [digits usps ...]

Prints the mean error on unlabeled rows, in percent, over 20 and 50 labels and three
draws of them, for several values of `GRAPH_RATIO` and `GRAPH_SHARES`. The names are
those of sets in the folder WIDEMARGIN_DATA; at most 2,000 rows are used.
"""

import argparse

import numpy as np
from sklearn.datasets import load_digits

from widemargin.datasets import hide_labels
from widemargin.defaults import GRAPH_RATIO, GRAPH_SHARES
from widemargin.labels import decide
from widemargin.objectives.laplacian import share_graph
from widemargin.rows import Rows
from widemargin.sample import collect_sample
from widemargin.solvers.laplacian import average_family
from widemargin.solvers.newton import reduced_newton
from widemargin_bench.evidence import manifold, manifold_objective
from widemargin_bench.stored_sets import load_set

RATIOS = (0.5, 1.0, 2.0, 4.0, 8.0)
SHARES = ((0.0, 1.0), (0.0, 0.5, 1.0), (0.0, 0.75, 1.0), (0.0, 0.5, 0.75, 0.9, 1.0))


def load(name, n_rows=2000):
    """Rows and codes of a set, a random part of a large one."""
    if name == "digits":
        X, y = load_digits(return_X_y=True)
    else:
        data = load_set(name)
        X, y = data.data, data.target
    kept = np.random.default_rng(0).permutation(len(y))[:n_rows]
    return X[kept], np.unique(y[kept], return_inverse=True)[1]


def draw(name):
    """Objectives without a graph weight, their samples and the true codes."""
    X, codes = load(name)
    space, laplacian = manifold(X)
    for n_labels in (20, 50):
        for seed in range(3):
            y = hide_labels(codes, n_labels, rng=seed)
            sample = collect_sample(Rows(X), y, merge="none")
            yield manifold_objective(space, laplacian, sample), sample, codes


def error(objective, sample, codes, shares, ratio):
    """Error of the average on unlabeled rows, in percent."""
    problems = share_graph(objective, shares, ratio=ratio).problems
    results = [reduced_newton(problem) for problem in problems]
    average, _ = average_family(problems, results, sample)
    pairs = zip(problems, results, strict=True)
    c = average.combine([p.coordinates(r.solution) for p, r in pairs])
    decisions = decide(objective.functions.scores(c))
    unlabeled = sample.unlabeled_idx
    return 100 * np.mean(decisions[unlabeled] != codes[unlabeled])


def main():
    """Print a line for each set and each value."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", default=["digits"])
    settings = [(GRAPH_SHARES, ratio) for ratio in RATIOS]
    settings += [(s, GRAPH_RATIO) for s in SHARES if s != GRAPH_SHARES]
    for name in parser.parse_args().names:
        errors = [[error(*d, *pair) for pair in settings] for d in draw(name)]
        for (shares, ratio), mean in zip(
            settings, np.mean(errors, axis=0), strict=True
        ):
            print(f"{name:12} ratio {ratio:3g} shares {shares}: {mean:.2f} %")


if __name__ == "__main__":
    main()
