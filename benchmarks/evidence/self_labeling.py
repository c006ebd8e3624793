"""Compare constants of self-labeling and of the ridge average with other values.

    python benchmarks/evidence/self_labeling.py {self-labeling,ridge} [--draws 5]

Prints the mean error in percent on the unlabeled rows, over data sets and draws of the
labels. The data are sets of the folder that the environment variable WIDEMARGIN_DATA
names, two moons, and pairs of scikit-learn's digits.
"""

import argparse
import warnings

import numpy as np
from sklearn.datasets import load_digits, make_moons
from sklearn.preprocessing import StandardScaler

from widemargin import RidgeAverageClassifier, SelfLabelingGPC
from widemargin.datasets import hide_labels
from widemargin.kernels import Rbf
from widemargin.sample import Rows, collect_sample
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


def ridge(sets, n_draws):
    """The trust of the ridge average."""
    from widemargin.estimators.ridge_average_classifier import average_ridges

    model = RidgeAverageClassifier()

    def predict(X, y_partial, trust):
        sample = collect_sample(Rows(X), y_partial)
        gamma = Rbf("scale").fit_width(X, None).gamma
        kernels = [Rbf(gamma * width) for width in model.widths]
        found = average_ridges(kernels, sample, model.ambient_reg, trust=trust)
        scores = found[2](X)
        columns = np.hstack([-scores, scores]) if scores.shape[1] == 1 else scores
        return sample.classes[columns.argmax(axis=1)]

    for trust in (0.25, 0.5, 1.0, 2.0):
        error = mean_error(lambda X, y, t=trust: predict(X, y, t), sets, n_draws)
        print(f"{error:6.2f}  trust {trust:g}", flush=True)


def main():
    """Print the table that the arguments name."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("family", choices=("self-labeling", "ridge"))
    parser.add_argument("--draws", type=int, default=5)
    options = parser.parse_args()
    sets = list(load_sets())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        {"self-labeling": self_labeling, "ridge": ridge}[options.family](
            sets, options.draws
        )


if __name__ == "__main__":
    main()
