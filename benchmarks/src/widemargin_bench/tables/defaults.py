"""Default-constructed estimators and peers, nothing tuned: tables of our own."""

import numpy as np
from sklearn import datasets as bundled
from sklearn.preprocessing import StandardScaler

from widemargin import (
    LabelSearchClassifier,
    LaplacianRLSC,
    LaplacianSVC,
    SelfLabelingGPC,
    TransductiveSVC,
    TriClassSVC,
)
from widemargin.datasets import hide_labels
from widemargin_bench.benchmark import (
    RAND,
    SECONDS,
    UNLABELED_ERROR,
    Benchmark,
    Quick,
    Row,
)
from widemargin_bench.draws import PartlyLabeled, Unlabeled, draw_labels
from widemargin_bench.methods import (
    CLASSIFIER_SETTINGS,
    CLUSTERER_SETTINGS,
    DEFAULT_CLUSTERING,
    classifiers,
    clusterers,
    default,
)
from widemargin_bench.stored_sets import load_set

BUNDLED = ("digits", "wine", "breast_cancer", "iris")
TABLES = {"letter", "waveform", "ionosphere", "g50c", "pima", "thyroid", *BUNDLED[1:]}
MAX_ROWS = {"mnist": 5000, "letter": 5000, "ringnorm": 3000}
STORED = (
    "usps", "uspst", "coil20", "mnist", "g50c", "letter", "waveform", "ionosphere",
    "pcmac", "pima", "thyroid", "ringnorm", "splice",
)  # fmt: skip
MIXED = ("usps", "uspst", "coil20", "mnist", "letter", "waveform", "digits")
GROWING_SIZES = (1000, 2000, 4000, 8000, 16000)
N_GROWING_LABELS = 100
OURS = (
    LaplacianSVC,
    LaplacianRLSC,
    LabelSearchClassifier,
    TransductiveSVC,
    TriClassSVC,
    SelfLabelingGPC,
)


def load(name, *, every_class=False, most_rows=None):
    """Features and classes from 0, at most the first rows of a random order.

    Features with units are standardized over all rows; images and text are as they are.
    Of some sets the papers use two classes of three; `every_class` gives all of them.
    The default number of rows is in `MAX_ROWS`.
    """
    if name in BUNDLED:
        X, y = getattr(bundled, f"load_{name}")(return_X_y=True)
    else:
        data = load_set(name)
        X, y = data.data, data.target
        y = data.get("target3", y) if every_class else y
    most_rows = most_rows or MAX_ROWS.get(name)
    if most_rows is not None and len(y) > most_rows:
        rows = np.random.default_rng(0).permutation(len(y))[:most_rows]
        X, y = X[rows], y[rows]
    if name in TABLES:
        X = StandardScaler().fit_transform(X)
    return X, np.unique(y, return_inverse=True)[1]


def partly_labeled(row, run):
    """A few labels at random, at least one of each class; all other rows unlabeled."""
    X, y = load(row["set"])
    partial = hide_labels(y, n_labels(y), run, stratify=False)
    return PartlyLabeled(X, y, partial != -1)


def n_labels(y):
    """Number of labels, for so many classes."""
    return 80 if y.max() >= 10 else 50


def unlabeled(row, run):
    """All rows, no label."""
    return Unlabeled(*load(row["set"], every_class=True), seed=run)


def digits(row, run):
    """The first rows of MNIST in random order, 100 labels."""
    data = load_set("mnist", dtype=np.float32)
    rng = np.random.default_rng(run)
    rows = rng.permutation(data.train_size)[: row["rows"]]
    X, y = data.data[rows], data.target[rows]  # in [0, 1] already
    every = np.arange(len(y))
    labeled = draw_labels(y, every, N_GROWING_LABELS, rng)
    return PartlyLabeled.cut(X, y, labeled, np.setdiff1d(every, labeled))


ROWS = tuple(
    Row(name, (name,) if name in STORED else (), options={"set": name})
    for name in (*STORED, *BUNDLED)
)

BENCHMARKS = (
    Benchmark(
        name="defaults",
        paper=None,
        source="our own",
        title="Estimators with default parameters, 50 labels",
        protocol=(
            "Error on the unlabeled rows with 50 labels (80 where there are more than "
            "ten classes), drawn at random with at least one of each class. Of ours "
            "nothing is set but random_state. Features with units are standardized "
            "over all rows; images and text are as they are. At most 5,000 rows of "
            f"mnist and letter and 3,000 of ringnorm. {CLASSIFIER_SETTINGS}"
        ),
        metrics=(UNLABELED_ERROR, SECONDS),
        rows=ROWS,
        methods=(*map(default, OURS), *classifiers()),
        draw=partly_labeled,
        runs=10,
        quick=Quick(rows=("g50c", "ionosphere", "wine", "breast_cancer", "iris")),
    ),
    Benchmark(
        name="defaults-clustering",
        paper=None,
        source="our own",
        title="Clustering with default parameters, the number of clusters known",
        protocol=(
            "Adjusted Rand index of clusters with the classes. Of ours nothing is set "
            "but the number of clusters and random_state. Features as in the table of "
            f"defaults. {CLUSTERER_SETTINGS}"
        ),
        metrics=(RAND, SECONDS),
        rows=ROWS,
        methods=(
            DEFAULT_CLUSTERING,
            *clusterers(),
        ),
        draw=unlabeled,
        runs=3,
        quick=Quick(rows=("g50c", "wine", "breast_cancer", "iris")),
    ),
    Benchmark(
        name="growth",
        paper=None,
        source="our own",
        title="Time against the number of rows",
        protocol=(
            "Ten classes of MNIST, 100 labels, float32, one thread, everything at its "
            "default, which beyond some number of rows is landmarks or conjugate "
            "gradients; TransductiveSVC up to 4,000 rows only. Seconds of processor "
            f"time of a fit. {CLASSIFIER_SETTINGS}"
        ),
        metrics=(UNLABELED_ERROR, SECONDS),
        rows=tuple(
            Row(f"{n:,} rows", ("mnist",), x=n, options={"rows": n})
            for n in GROWING_SIZES
        ),
        methods=(
            default(LaplacianSVC),
            default(LaplacianSVC, "LaplacianSVC, landmarks", landmarks=500),
            default(LabelSearchClassifier),
            default(SelfLabelingGPC),
            default(TransductiveSVC, most_rows=4000),
            *classifiers("SVC", "LabelSpreading", "SelfTraining"),
        ),
        draw=digits,
        runs=1,
        quick=Quick(
            rows=("1,000 rows", "2,000 rows"),
            methods=(
                "LaplacianSVC",
                "LaplacianSVC, landmarks",
                "SelfLabelingGPC",
                "SVC",
                "LabelSpreading",
            ),
        ),
        picture="growth",
        x_label="rows",
    ),
)
