"""The exact kernel against landmarks, by the number of rows.

    WIDEMARGIN_DATA=... python benchmarks/evidence/ladders.py [--draws 2] [LADDER ...]

Prints for each ladder of `widemargin.defaults` and some numbers of rows: error on
unlabeled rows in percent with 100 labels (for clusters the adjusted Rand index), the
difference from the exact kernel, which is the line with None, seconds of processor time
and memory that is needed beside the data. Sets: mnist, usps, waveform.
"""

import argparse
import warnings
from contextlib import nullcontext

import numpy as np
from sklearn.metrics import adjusted_rand_score

from widemargin import (
    LabelSearchClassifier,
    LaplacianSVC,
    MaxMarginClustering,
    SelfLabelingGPC,
    TransductiveSVC,
)
from widemargin_bench.evidence import compare, draw_labels
from widemargin_bench.tables.defaults import load

SETS, N_LABELS = ("mnist", "usps", "waveform"), 100
LADDERS = {
    "PROCESS_LADDER": (SelfLabelingGPC, (1000, 2000, 4000), (250, 500, 1000)),
    "SEARCH_LADDER": (LabelSearchClassifier, (1500, 3000), (500, 1000, 2000)),
    "LAPLACIAN_LADDER": (LaplacianSVC, (2000, 4000, 8000), (500, 1000, 2000)),
    "HINGE_LADDER": (TransductiveSVC, (2000, 4000), (500, 1000)),
    "CLUSTER_LADDER": (MaxMarginClustering, (2000, 4000), (500, 1000)),
}


def score(estimator):
    """What is compared: a function of the landmarks, the set and the draw."""

    def cluster(landmarks, X, y, draw):
        model = estimator(y.max() + 1, landmarks=landmarks, random_state=draw)
        return adjusted_rand_score(y, model.fit(X).labels_)

    def classify(landmarks, X, y, draw):
        y_partial = draw_labels(y, N_LABELS, draw)
        model = estimator(landmarks=landmarks, random_state=draw).fit(X, y_partial)
        hidden = y_partial == -1
        return 100 * np.mean(model.transduction_[hidden] != y[hidden])

    return cluster if estimator is MaxMarginClustering else classify


def main():
    """Print a table for each ladder and number of rows."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", default=list(LADDERS))
    parser.add_argument("--draws", type=int, default=2)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    for name in options.names:
        estimator, row_counts, landmarks = LADDERS[name]
        for n_rows in row_counts:
            sets = [load(own, most_rows=n_rows) for own in SETS]
            sets = [pair for pair in sets if len(pair[1]) == n_rows]
            changes = {number: nullcontext() for number in (None, *landmarks)}
            title = f"{name}, {estimator.__name__}, {n_rows:,} rows of {len(sets)} sets"
            digits = 3 if estimator is MaxMarginClustering else 2
            given = score(estimator), sets, options.draws
            compare(title, None, changes, *given, digits=digits)


if __name__ == "__main__":
    main()
