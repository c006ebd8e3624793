"""Time and error against the number of rows: a table of our own."""

import numpy as np

from widemargin.datasets import load_benchmark
from widemargin.estimators import (
    LabelSearchClassifier,
    LaplacianSVC,
    SelfLabelingGPC,
    TransductiveSVC,
)
from widemargin_bench.benchmark import (
    SECONDS,
    UNLABELED_ERROR,
    Benchmark,
    Method,
    Quick,
    Row,
)
from widemargin_bench.draws import PartlyLabeled, draw_labels
from widemargin_bench.peers import CLASSIFIER_SETTINGS, classifiers

SIZES = (1000, 2000, 4000, 8000, 16000)
N_LABELS = 100


def digits(row, run):
    """The first rows of MNIST in random order, 100 labels."""
    data = load_benchmark("mnist", dtype=np.float32)
    rng = np.random.default_rng(run)
    rows = rng.permutation(data.train_size)[: row["rows"]]
    X, y = data.data[rows] / np.float32(255), data.target[rows]
    every = np.arange(len(y))
    labeled = draw_labels(y, every, N_LABELS, rng)
    return PartlyLabeled.cut(X, y, labeled, np.setdiff1d(every, labeled))


def timed(estimator, name="", most_rows=None, **options):
    """An estimator, on tables of at most so many rows."""

    def measure(draw, _):
        if most_rows is not None and len(draw.y) > most_rows:
            return {}
        return draw.measure(estimator(random_state=0, **options))

    return Method(name or estimator.__name__, measure, "ours")


BENCHMARKS = (
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
            Row(f"{n:,} rows", ("mnist",), x=n, options={"rows": n}) for n in SIZES
        ),
        methods=(
            timed(LaplacianSVC),
            timed(LaplacianSVC, "LaplacianSVC, landmarks", n_landmarks=500),
            timed(LabelSearchClassifier),
            timed(SelfLabelingGPC),
            timed(TransductiveSVC, most_rows=4000),
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
