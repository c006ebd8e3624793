"""Error of LaplacianSVC against the constants that say how a graph is used.

    python benchmarks/evidence/graph_shares.py [digits usps ...]

Prints the mean error on unlabeled rows, in percent, over 20 and 50 labels and three
draws of them, for several values of `GRAPH_RATIO`, `GRAPH_SHARES`, `GRAPH_POWERS` and
`GRAPH_SCARCITY`. The names are those of sets in the folder WIDEMARGIN_DATA, or
"digits"; at most 2,000 rows are used.
"""

import argparse

import numpy as np
from sklearn.datasets import load_digits

from widemargin.datasets import hide_labels
from widemargin.defaults import GRAPH_SCARCITY
from widemargin.labels import decide
from widemargin.objectives.laplacian import share_graph
from widemargin.rows import Rows
from widemargin.sample import collect_sample
from widemargin.solvers.laplacian import average_family
from widemargin.solvers.newton import reduced_newton
from widemargin_bench.evidence import manifold, manifold_objective
from widemargin_bench.stored_sets import load_set

SETTINGS = {
    "defaults": {},
    **{f"ratio {ratio:g}": {"ratio": ratio} for ratio in (4.0, 8.0, 32.0, 64.0)},
    "shares 0, 1": {"shares": (0.0, 1.0)},
    "shares 0, 0.5, 1": {"shares": (0.0, 0.5, 1.0)},
    "five shares": {"shares": (0.0, 0.5, 0.75, 0.9, 1.0)},
    **{f"power {power}": {"powers": {power: 1.0}} for power in (1, 2, 3)},
    "equal powers": {"powers": dict.fromkeys((1, 2, 3), 1 / 3)},
    **{f"scarcity {scarcity:g}": {"scarcity": scarcity} for scarcity in (0, 8, 16, 48)},
}


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
    """Objectives without a graph weight, powers, their samples and the true codes."""
    X, codes = load(name)
    space, laplacian, powers = manifold(X)
    for n_labels in (20, 50):
        for seed in range(3):
            y = hide_labels(codes, n_labels, rng=seed)
            sample = collect_sample(Rows(X), y, merge="none")
            objective = manifold_objective(space, laplacian, sample)
            yield objective, powers, sample, codes


def error(objective, prior, sample, codes, *, scarcity=GRAPH_SCARCITY, **options):
    """Error of the average on unlabeled rows, in percent."""
    models = share_graph(objective, **{"powers": prior} | options).models
    results = [reduced_newton(model.problem) for model in models]
    average, _ = average_family(models, results, sample, scarcity=scarcity)
    pairs = zip(models, results, strict=True)
    c = average.combine([m.problem.coordinates(r.solution) for m, r in pairs])
    decisions = decide(objective.functions.scores(c))
    unlabeled = sample.unlabeled_idx
    return 100 * np.mean(decisions[unlabeled] != codes[unlabeled])


def main():
    """Print a line for each set and each setting."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", default=["digits"])
    for name in parser.parse_args().names:
        errors = [[error(*d, **own) for own in SETTINGS.values()] for d in draw(name)]
        for setting, mean in zip(SETTINGS, np.mean(errors, axis=0), strict=True):
            print(f"{name:12} {setting:16}: {mean:.2f} %", flush=True)


if __name__ == "__main__":
    main()
