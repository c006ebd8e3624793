"""Default-constructed machines against an SVC on the labels alone.

    WIDEMARGIN_DATA=... python benchmarks/defaults_laplacian.py [usps uspst ...]

Mean error in % (standard deviation over seeds) on the unlabeled rows, 50 labels (80
where there are more than ten classes), drawn at random with at least one of each
class. Features with units (letter, waveform, ionosphere, g50c, pima, thyroid and
scikit-learn's tables) are standardized over all rows; images and text are as they are.
"""

import argparse
import time
import warnings

import numpy as np
from sklearn import datasets as bundled
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from widemargin import LaplacianRLSC, LaplacianSVC
from widemargin.datasets import hide_labels, load_benchmark
from widemargin.labels import labeled_mask

EIGHT = ["usps", "uspst", "coil20", "mnist", "g50c", "letter", "waveform", "ionosphere"]
MORE = ["pcmac", "pima", "thyroid", "ringnorm", "splice"]
BUNDLED = ["digits", "wine", "breast_cancer", "iris"]
TABLES = {"letter", "waveform", "ionosphere", "g50c", "pima", "thyroid", *BUNDLED[1:]}
MAX_ROWS = {"mnist": 5000, "letter": 5000, "ringnorm": 3000}


def load(name):
    """Features and classes, at most the first rows of a random order."""
    if name in BUNDLED:
        X, y = getattr(bundled, f"load_{name}")(return_X_y=True)
    else:
        data = load_benchmark(name)
        X, y = data.data, data.target
    if name in MAX_ROWS:
        rows = np.random.default_rng(0).permutation(len(y))[: MAX_ROWS[name]]
        X, y = X[rows], y[rows]
    if name in TABLES:
        X = StandardScaler().fit_transform(X)
    return X, y


def run(name, n_seeds, n_labels, machines):
    """Print the line of one data set."""
    X, y = load(name)
    n_classes = len(np.unique(y))
    if n_labels is None:
        n_labels = 80 if n_classes > 10 else 50
    errors = {"SVC": []} | {machine: [] for machine in machines}
    trust, seconds = [], []
    for seed in range(n_seeds):
        y_partial = hide_labels(y, max(n_labels, n_classes), seed, stratify=False)
        labeled = labeled_mask(y_partial)
        svc = SVC(C=10).fit(X[labeled], y[labeled])
        errors["SVC"].append(np.mean(svc.predict(X[~labeled]) != y[~labeled]))
        for machine in machines:
            start = time.perf_counter()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # components
                model = MACHINES[machine](random_state=0).fit(X, y_partial)
            if machine == machines[0]:
                seconds.append(time.perf_counter() - start)
                trust.append(model.average_.weights @ model.shares_)
            wrong = model.transduction_[~labeled] != y[~labeled]
            errors[machine].append(np.mean(wrong))
    line = f"{name:14s} {len(y):5d} rows, {n_classes:2d} classes, {n_labels} labels"
    for machine, values in errors.items():
        line += (
            f"   {machine} {100 * np.mean(values):5.2f} ({100 * np.std(values):4.2f})"
        )
    difference = 100 * (np.array(errors[machines[0]]) - errors["SVC"])
    line += f"   difference {difference.mean():+6.2f}"
    line += f" +- {difference.std(ddof=1) / np.sqrt(n_seeds):.2f}"
    print(f"{line}   graph {np.mean(trust):.2f}   {np.mean(seconds):.2f} s", flush=True)


MACHINES = {
    "LaplacianSVC": LaplacianSVC,
    "LaplacianRLSC": LaplacianRLSC,
    "pcg": lambda **options: LaplacianSVC(solver="pcg", **options),
    "landmarks": lambda **options: LaplacianSVC(n_landmarks=500, **options),
}


def main():
    """Run the data sets named on the command line; the eight of the README else."""
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*", help=f"{' '.join(EIGHT + MORE + BUNDLED)}")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--labels", type=int, help="instead of 50 or 80")
    parser.add_argument(
        "--machines", nargs="+", choices=MACHINES, default=["LaplacianSVC"]
    )
    options = parser.parse_args()
    for name in options.names or EIGHT:
        run(name, options.seeds, options.labels, options.machines)


if __name__ == "__main__":
    main()
