"""Exact Laplacian models against landmarks and smooth functions of the graph.

    WIDEMARGIN_DATA=... python benchmarks/evidence/graph_functions.py [--draws 10]
    [--numbers exact,100,200] [--record] [SET ...]

At most 5,000 rows of each set, 100 labels; accuracy on the unlabeled rows, and CPU
seconds of a fit. Numbers of smooth functions are compared; in the last line each set
has the number that is best on all other sets. With --record figures are stored in
benchmarks/speed/results.jsonl, beside those of numbers that were not run again.
"""

import argparse
import time
import warnings

import numpy as np
from threadpoolctl import threadpool_limits

from widemargin import LaplacianSVC
from widemargin.datasets import hide_labels
from widemargin.defaults import LAPLACIAN_LADDER
from widemargin.estimators import _laplacian
from widemargin_bench.evidence import show_means
from widemargin_bench.measured import read, record
from widemargin_bench.stored_sets import load_set

SETS = "usps", "mnist", "letter", "waveform", "coil20"
NUMBERS = "exact,100,200"
N_ROWS, N_LABELS = 5000, 100


def load(name):
    data = load_set(name, dtype=np.float32)
    drawn = np.random.default_rng(0).permutation(len(data.target))[:N_ROWS]
    X = np.asarray(data.data, dtype=np.float32)[drawn]
    return X / X.std(), data.target[drawn]


def set_number(number):
    exact_rows = N_ROWS if number == "exact" else 0
    _laplacian.LAPLACIAN_LADDER = LAPLACIAN_LADDER._replace(exact_rows=exact_rows)
    if number != "exact":
        _laplacian.GRAPH_FUNCTIONS = int(number)


def measure(name, numbers, draws):
    """Mean accuracy and seconds of each number of functions, a dict."""
    X, y = load(name)
    means = {}
    for number in numbers:
        set_number(number)
        found, seconds = [], []
        for draw in range(draws):
            partial = hide_labels(y, N_LABELS, rng=draw)
            start = time.process_time()
            model = LaplacianSVC(random_state=0).fit(X, partial)
            seconds.append(time.process_time() - start)
            found.append((model.transduction_ == y)[partial < 0].mean())
        title = number if number == "exact" else f"{number} functions"
        means[title] = float(np.mean(found)), float(np.mean(seconds))
        print(
            f"{name}, {title}: accuracy {np.mean(found):.4f} (standard deviation "
            f"{np.std(found):.4f}), {np.mean(seconds):.1f} s",
            flush=True,
        )
    return means


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("sets", nargs="*", default=SETS)
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--numbers", default=NUMBERS)
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args()
    errors = {}
    warnings.simplefilter("ignore", UserWarning)  # of components without a label
    with threadpool_limits(1):
        for name in options.sets:
            means = measure(name, options.numbers.split(","), options.draws)
            for title, (accuracy, _) in means.items():
                errors.setdefault(title, {})[name] = 100.0 * (1.0 - accuracy)
            if options.record:
                known = read().get(("laplacian", name), {})
                record("laplacian", name, **(known | means | {"draws": options.draws}))
    errors.pop("exact", None)
    show_means(errors)


if __name__ == "__main__":
    main()
