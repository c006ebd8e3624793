"""Compare constants of self-labeling with other values.

    python benchmarks/evidence/self_labeling.py [--draws 5]

Prints the mean error in percent on the unlabeled rows, over data sets and draws of the
labels. The data are sets of the folder that the environment variable WIDEMARGIN_DATA
names, two moons, and pairs of scikit-learn's digits.
"""

import argparse
import warnings

import numpy as np
from sklearn.datasets import load_digits, make_moons
from sklearn.preprocessing import StandardScaler

from widemargin import SelfLabelingGPC
from widemargin.datasets import hide_labels
from widemargin.solvers.self_labeling import Annealing
from widemargin_bench.stored_sets import load_set

NAMES = ("iris", "thyroid", "pima", "ionosphere", "g50c")
PAIRS = ((3, 5), (1, 7), (4, 9))
N_LABELED = (6, 10, 20, 50)


def load_sets():
    """Rows and classes of each set."""
    digits, of_digit = load_digits(return_X_y=True)
    yield make_moons(300, noise=0.15, random_state=0)
    for pair in PAIRS:
        rows = np.isin(of_digit, pair)
        yield digits[rows], of_digit[rows]
    for name in NAMES:
        data = load_set(name)
        yield StandardScaler().fit_transform(data.data), data.target


def mean_error(predict, sets, n_draws):
    """Mean error of ``predict(X, y_partial)``, in percent."""
    errors = []
    for X, y in sets:
        for n_labeled in N_LABELED:
            for draw in range(n_draws):
                y_partial = hide_labels(y, n_labeled, rng=1000 * draw + n_labeled)
                hidden = y_partial == -1
                errors.append(np.mean(predict(X, y_partial)[hidden] != y[hidden]))
    return 100.0 * float(np.mean(errors))


def self_labeling(sets, n_draws):
    """Parameters of `SelfLabelingGPC`."""
    for options in (
        {},
        {"labeled_weight": 1.0},
        {"labeled_weight": 100.0},
        {"annealing": (1.0,)},
        {"annealing": Annealing(max_unlabeled_ratio=None)},
        {"annealing": Annealing(max_unlabeled_ratio=1.0)},
        {"n_components": 0},
        {"noise": 0.1},
        {"noise": 2.0},
    ):
        model = SelfLabelingGPC(random_state=0, **options)
        error = mean_error(lambda X, y, m=model: m.fit(X, y).predict(X), sets, n_draws)
        print(f"{error:6.2f}  {options}", flush=True)


def main():
    """Print the mean error of each choice of parameters."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=5)
    options = parser.parse_args()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        self_labeling(list(load_sets()), options.draws)


if __name__ == "__main__":
    main()
