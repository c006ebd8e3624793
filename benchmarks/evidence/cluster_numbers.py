"""The number of clusters that ``n_clusters="auto"`` finds, beside that of the classes.

    WIDEMARGIN_DATA=... python benchmarks/evidence/cluster_numbers.py [NAME ...]

Prints both, the adjusted Rand index, and the sum of agreement and stability for each
number of clusters from 2 on.
"""

import argparse
import warnings

import numpy as np
from sklearn.metrics import adjusted_rand_score

from widemargin import MaxMarginClustering
from widemargin_bench.generators import make_gaussian4c
from widemargin_bench.tables.clustering import PROBLEMS, Problem, bundled, stored

SETS = {
    "iris": bundled("iris", standard=True),
    "wine": PROBLEMS["wine"],
    "digits": bundled("digits"),
    "coil1-5": stored("coil20", range(1, 6)),
    "coil11-15": stored("coil20", range(11, 16)),
    "usps2,7": PROBLEMS["usps2,7"],
    "usps3,8": PROBLEMS["usps3,8"],
    "usps2,3": stored("usps", (2, 3), 400),
    "moons": PROBLEMS["moons"],
    "gaussian4c": Problem(lambda: make_gaussian4c(random_state=0)),  # four clusters
    "g50c": PROBLEMS["g50c"],
}


def main():
    """Print a line for each set."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", default=list(SETS))
    warnings.simplefilter("ignore")
    for name in parser.parse_args().names:
        X, y = SETS[name].load()
        model = MaxMarginClustering("auto", random_state=0).fit(X)
        choice, index = model.number_choice_, adjusted_rand_score(y, model.labels_)
        sums = np.round(choice.agreement + choice.stability, 3)
        counts = f"{y.max() + 1} classes, {model.n_clusters_} clusters"
        print(f"{name:12} {counts}, index {index:.2f}, {sums}", flush=True)


if __name__ == "__main__":
    main()
