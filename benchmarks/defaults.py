"""Default-constructed machines against an SVC on the labels alone, or k-means.

    WIDEMARGIN_DATA=... python benchmarks/defaults.py [usps uspst ...]
    WIDEMARGIN_DATA=... python benchmarks/defaults.py --clustering
    WIDEMARGIN_DATA=... python benchmarks/defaults.py --mixed

Mean error in % (standard deviation over seeds) on the unlabeled rows, 50 labels (80
where there are more than ten classes), drawn at random with at least one of each
class. Features with units (letter, waveform, ionosphere, g50c, pima, thyroid and
scikit-learn's tables) are standardized over all rows; images and text are as they are.

With --clustering, the mean adjusted Rand index of `MaxMarginClustering` with the number
of classes as the number of clusters, beside k-means and spectral clustering with ten
nearest neighbors, all else at its default.

With --mixed, half of the unlabeled rows are replaced by rows that belong to none of the
classes: the task is the first half of the classes of a set of three or more, and the
others are the irrelevant ones. The error is that on the rows that were not replaced,
with the clean rows and with the mixture.
"""

import argparse
import time
import warnings

import numpy as np
from sklearn import datasets as bundled
from sklearn.cluster import KMeans, SpectralClustering
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from widemargin import (
    LabelSearchClassifier,
    LaplacianRLSC,
    LaplacianSVC,
    MaxMarginClustering,
    SelfLabelingGPC,
    TransductiveSVC,
    TriClassSVC,
)
from widemargin.datasets import hide_labels, load_benchmark
from widemargin.labels import labeled_mask

EIGHT = ["usps", "uspst", "coil20", "mnist", "g50c", "letter", "waveform", "ionosphere"]
MIXED = ["usps", "uspst", "coil20", "mnist", "letter", "waveform"]
MORE = ["pcmac", "pima", "thyroid", "ringnorm", "splice"]
BUNDLED = ["digits", "wine", "breast_cancer", "iris"]
TABLES = {"letter", "waveform", "ionosphere", "g50c", "pima", "thyroid", *BUNDLED[1:]}
MAX_ROWS = {"mnist": 5000, "letter": 5000, "ringnorm": 3000}


def load(name, *, every_class=False):
    """Features and classes, at most the first rows of a random order.

    Of some sets the papers use two classes of three; `every_class` gives all of them.
    """
    if name in BUNDLED:
        X, y = getattr(bundled, f"load_{name}")(return_X_y=True)
    else:
        data = load_benchmark(name)
        X, y = data.data, data.target
        y = data.get("target3", y) if every_class else y
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
    seconds = {machine: [] for machine in machines}
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
            seconds[machine].append(time.perf_counter() - start)
            wrong = model.transduction_[~labeled] != y[~labeled]
            errors[machine].append(np.mean(wrong))
    supervised = 100 * np.array(errors.pop("SVC"))
    print(
        f"{name} ({len(y)} rows, {n_classes} classes, {n_labels} labels)"
        f"   SVC {supervised.mean():.2f} ({supervised.std():.2f})"
    )
    for machine, values in errors.items():
        values = 100 * np.array(values)
        difference = values - supervised
        spread = difference.std(ddof=min(1, n_seeds - 1)) / np.sqrt(n_seeds)
        print(
            f"    {machine:22s} {values.mean():5.2f} ({values.std():4.2f})   "
            f"difference {difference.mean():+6.2f} +- {spread:.2f}   "
            f"{np.mean(seconds[machine]):.2f} s",
            flush=True,
        )
    return supervised.mean(), {m: 100 * np.mean(v) for m, v in errors.items()}


def run_mixed(name, n_seeds, n_labels, machines):
    """Print how rows of other classes among the unlabeled ones change the errors."""
    X, y = load(name, every_class=True)
    classes = np.unique(y)
    task = classes[: (len(classes) + 1) // 2]
    own, others = np.flatnonzero(np.isin(y, task)), np.flatnonzero(~np.isin(y, task))
    n_labels = n_labels or (80 if len(task) > 10 else 50)
    half = min(len(others), (len(own) - n_labels) // 2)
    changes = {machine: [] for machine in machines}
    print(f"{name} ({len(task)} classes, {half} unlabeled rows and as many replaced)")
    for seed in range(n_seeds):
        rng = np.random.default_rng(seed)
        y_own = hide_labels(y[own], n_labels, seed, stratify=False)
        labeled = labeled_mask(y_own)
        hidden = rng.permutation(np.flatnonzero(~labeled))
        kept, replaced = own[hidden[:half]], own[hidden[half : 2 * half]]
        svc = SVC(C=10).fit(X[own[labeled]], y[own[labeled]])
        alone = np.mean(svc.predict(X[kept]) != y[kept])
        for machine in machines:
            errors = [alone]
            for more in (replaced, rng.permutation(others)[:half]):
                rows = np.concatenate([own[labeled], kept, more])
                y_partial = np.full(len(rows), -1)
                y_partial[: labeled.sum()] = y[own[labeled]]
                model = MACHINES[machine](random_state=0).fit(X[rows], y_partial)
                errors.append(np.mean(model.predict(X[kept]) != y[kept]))
            changes[machine].append(errors)
    means = {}
    for machine, errors in changes.items():
        alone, clean, mixed = 100 * np.mean(errors, axis=0)
        means[machine] = mixed - clean
        print(
            f"    {machine:22s} SVC {alone:5.2f}   clean {clean:5.2f}   "
            f"mixed {mixed:5.2f}   difference {mixed - clean:+6.2f}",
            flush=True,
        )
    return means


def run_clustering(name, n_seeds):
    """Print the line of one data set; mean adjusted Rand index of each method."""
    X, y = load(name)
    n_clusters, means = len(np.unique(y)), {}
    print(f"{name} ({len(y)} rows, {n_clusters} classes)")
    for label, method in CLUSTERERS.items():
        scores, start = [], time.perf_counter()
        for seed in range(n_seeds):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # components
                found = method(n_clusters, random_state=seed).fit_predict(X)
            scores.append(adjusted_rand_score(y, found))
        seconds = (time.perf_counter() - start) / n_seeds
        means[label] = np.mean(scores)
        print(
            f"    {label:22s} {np.mean(scores):.3f} ({np.std(scores):.3f})   "
            f"{seconds:.1f} s",
            flush=True,
        )
    return means


CLUSTERERS = {
    "MaxMarginClustering": MaxMarginClustering,
    "k-means": lambda k, random_state: KMeans(k, n_init=10, random_state=random_state),
    "spectral": lambda k, random_state: SpectralClustering(
        k, affinity="nearest_neighbors", random_state=random_state
    ),
}
MACHINES = {
    "LaplacianSVC": LaplacianSVC,
    "LabelSearchClassifier": LabelSearchClassifier,
    "SelfLabelingGPC": SelfLabelingGPC,
    "TransductiveSVC": TransductiveSVC,
    "TriClassSVC": TriClassSVC,
    "LaplacianRLSC": LaplacianRLSC,
    "pcg": lambda **options: LaplacianSVC(solver="pcg", **options),
    "landmarks": lambda **options: LaplacianSVC(n_landmarks=500, **options),
}


def main():
    """Run the data sets named on the command line; the eight of the README else."""
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*", help=f"{' '.join(EIGHT + MORE + BUNDLED)}")
    parser.add_argument("--seeds", type=int, help="instead of 10, or 3 of clustering")
    parser.add_argument("--labels", type=int, help="instead of 50 or 80")
    parser.add_argument("--machines", nargs="+", choices=MACHINES, default=DEFAULT)
    parser.add_argument("--clustering", action="store_true")
    parser.add_argument("--mixed", action="store_true")
    options = parser.parse_args()
    names, results = options.names or EIGHT, []
    if options.mixed:
        for name in options.names or MIXED:
            result = run_mixed(
                name, options.seeds or 10, options.labels, options.machines
            )
            results.append(result)
        for machine in options.machines:
            print(
                f"{machine}: a mixture costs at most "
                f"{max(r[machine] for r in results):+.2f}"
            )
        return
    if options.clustering:
        for name in names:
            results.append(run_clustering(name, options.seeds or 3))
        for label in CLUSTERERS:
            mean = np.mean([means[label] for means in results])
            print(f"mean {label:22s} {mean:.3f}")
        return
    for name in names:
        result = run(name, options.seeds or 10, options.labels, options.machines)
        results.append(result)
    for machine in options.machines:
        gaps = [errors[machine] - supervised for supervised, errors in results]
        n_better = sum(gap < 0 for gap in gaps)
        print(
            f"{machine}: lower than SVC on {n_better} of {len(gaps)}, at worst "
            f"{max(gaps):+.2f}"
        )


DEFAULT = [
    "LaplacianSVC",
    "LabelSearchClassifier",
    "TransductiveSVC",
    "TriClassSVC",
    "SelfLabelingGPC",
]


if __name__ == "__main__":
    main()
