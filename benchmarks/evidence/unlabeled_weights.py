"""Weights of the unlabeled rows that are averaged over, and the search for each.

    WIDEMARGIN_DATA=... python benchmarks/evidence/unlabeled_weights.py [--draws 2]

Prints for each value of a constant of `widemargin.defaults` the error on unlabeled rows
in percent over 20 and 50 labels, the difference from the value in use (*), and seconds
of processor time. HINGE_WEIGHTS are those of `TransductiveSVC`, the others belong to
`LabelSearchClassifier`. Up to 400 rows of ten sets.
"""

import argparse
import warnings

import numpy as np

from widemargin import LabelSearchClassifier, TransductiveSVC, defaults
from widemargin_bench.evidence import compare, constant, draw_labels
from widemargin_bench.tables.defaults import load

SETS = (
    "usps", "coil20", "g50c", "waveform", "ionosphere", "pima", "splice", "thyroid",
    "digits", "ringnorm",
)  # fmt: skip
VALUES = {
    "UNLABELED_WEIGHTS": (
        LabelSearchClassifier,
        (
            (0.1,), (0.3,), (1.0,), (3.0,), (0.1, 1.0), (0.1, 0.3, 1.0),
            (0.1, 0.3, 1.0, 3.0), (0.1, 0.3, 1.0, 3.0, 10.0),
            (0.03, 0.1, 0.3, 1.0, 3.0),
        ),
    ),
    "SEARCH_WIDTH": (LabelSearchClassifier, ("scale", "mean", "median")),
    "TABU_FROM_WEIGHT": (LabelSearchClassifier, (0.0, 0.3, 1.0, 3.0, np.inf)),
    "HINGE_WEIGHTS": (
        TransductiveSVC,
        ((0.1,), (1.0,), (0.1, 1.0), (0.1, 0.3, 1.0), (0.1, 0.3, 1.0, 3.0)),
    ),
}  # fmt: skip


def error(estimator):
    """What is compared: the mean over both numbers of labels."""

    def score(_, X, y, draw):
        errors = []
        for n_labels in (20, 50):
            y_partial = draw_labels(y, n_labels, draw)
            model = estimator(random_state=draw).fit(X, y_partial)
            hidden = y_partial == -1
            errors.append(np.mean(model.transduction_[hidden] != y[hidden]))
        return 100 * np.mean(errors)

    return score


def main():
    """Print a table for each constant."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", default=list(VALUES))
    parser.add_argument("--draws", type=int, default=2)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    sets = [load(name, most_rows=400) for name in SETS]
    for name in options.names:
        estimator, values = VALUES[name]
        changes = {value: constant(name, value) for value in values}
        default = getattr(defaults, name)
        compare(name, default, changes, error(estimator), sets, options.draws)


if __name__ == "__main__":
    main()
