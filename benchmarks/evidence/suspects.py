"""Suspect labels that are right or wrong, against the least ratio of probabilities.

    WIDEMARGIN_DATA=... python benchmarks/evidence/suspects.py [--draws 3]

For 40 and 100 labels of up to 1,500 rows: how many labels FewLabelClassifier suspects
if all are right, and how many of those that were made wrong, a tenth, it suspects;
means over the draws. A ratio of 1 suspects every label that a model without it
contradicts.
"""

import argparse
import warnings

import numpy as np
from sklearn.datasets import load_digits
from sklearn.preprocessing import StandardScaler

from widemargin import FewLabelClassifier
from widemargin.datasets import hide_labels
from widemargin_bench.stored_sets import load_set

RATIOS = (1, 3, 5, 10)
TABLES = {"pima", "ionosphere", "splice"}


def load_sets():
    """Names, rows and classes; columns with units are standardized."""
    yield "digits", *load_digits(return_X_y=True)
    for name in ("usps", "mnist", *sorted(TABLES)):
        data = load_set(name)
        rows = np.random.default_rng(0).permutation(len(data.target))[:1500]
        X = np.asarray(data.data[rows], dtype=float)
        X = StandardScaler().fit_transform(X) if name in TABLES else X
        yield name, X, np.unique(data.target[rows], return_inverse=True)[1]


def make_wrong(y_partial, rng):
    """A tenth of the labels replaced by other classes, and the rows."""
    y, labeled = y_partial.copy(), np.flatnonzero(y_partial >= 0)
    rows, n_classes = rng.permutation(labeled)[: len(labeled) // 10], y.max() + 1
    y[rows] = (y[rows] + rng.integers(1, n_classes, len(rows))) % n_classes
    return y, rows


def suspect(X, y_partial):
    """Labeled rows, and how many times as probable as its label the best class is."""
    model = FewLabelClassifier(random_state=0).fit(X, y_partial)
    rows = np.flatnonzero(y_partial >= 0)
    found = model.held_out_proba_[rows]
    own = found[np.arange(len(rows)), np.searchsorted(model.classes_, y_partial[rows])]
    return rows, found.max(axis=1) / np.maximum(own, 1e-12)


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--draws", type=int, default=3)
    n_draws = parser.parse_args().draws
    print("right labels that are suspected, and wrong ones of a tenth, by the ratio")
    print(f"{'set':12}labels", *(f"{ratio:>13}" for ratio in RATIOS))
    for name, X, y in load_sets():
        for n_labels in (40, 100):
            counts = np.zeros((len(RATIOS), 2))
            for draw in range(n_draws):
                given = hide_labels(y, n_labels, rng=draw)
                wrong, planted = make_wrong(given, np.random.default_rng(draw))
                for k, labels in enumerate((given, wrong)):
                    rows, ratio = suspect(X, labels)
                    kept = ratio[np.isin(rows, planted)] if k else ratio
                    counts[:, k] += [(kept > least).sum() for least in RATIOS]
            shown = [f"{a:6.1f} {b:6.1f}" for a, b in counts / n_draws]
            print(f"{name:12}{n_labels:6}", *shown, flush=True)


if __name__ == "__main__":
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        main()
