"""Time of FewLabelClassifier and of one more label, over that of other fits.

    WIDEMARGIN_DATA=... python benchmarks/speed/few_labels.py [fit growth update]

Defaults and one thread; CPU seconds, the least of a few fits, after one that loads all
models. Trust the ratios more than the seconds.

fit     5,000 rows, 50 labels, the budget "fast" and one LaplacianSVC by turns: waveform
        and, where the stored data are, MNIST
growth  waveform, 50 labels, every budget, against the number of rows
update  usps, 9,298 rows: each of 20 labels in addition to the 100 of a
        SpectralClassifier
"""

import argparse
import os
import time

import numpy as np
from threadpoolctl import threadpool_limits

from widemargin import FewLabelClassifier, LaplacianSVC, SpectralClassifier
from widemargin.datasets import hide_labels
from widemargin_bench.generators import make_waveform
from widemargin_bench.stored_sets import load_set

N_LABELS, N_ROWS = 50, 5000
LIMIT = 5.0  # times one LaplacianSVC, with the budget "fast"


def least_seconds(models, X, y, repeats):
    """Least CPU time of each model's fit, the models by turns."""
    given, times = hide_labels(y, N_LABELS, rng=0), []
    for _ in range(repeats):
        for model in models:
            start = time.process_time()
            model.set_params(random_state=0).fit(X, given)
            times.append(time.process_time() - start)
    return np.reshape(times, (repeats, len(models))).min(axis=0)


def load_all():
    """Fit all models once: loops are compiled, or read from their files."""
    X, y = make_waveform(200, random_state=0)
    least_seconds([FewLabelClassifier(budget="thorough")], X, y, repeats=1)


def samples():
    """Names, features and classes of the sets."""
    yield "waveform", *make_waveform(N_ROWS, random_state=0)
    if not os.environ.get("WIDEMARGIN_DATA"):
        print("MNIST is left out: set WIDEMARGIN_DATA to the folder of the data.")
        return
    data = load_set("mnist", dtype=np.float32)
    rows = np.random.default_rng(0).permutation(data.train_size)[:N_ROWS]
    yield "MNIST", data.data[rows] / np.float32(255), data.target[rows]


def fit():
    """The first budget at 5,000 rows."""
    for name, X, y in samples():
        models = [LaplacianSVC(), FewLabelClassifier(budget="fast")]
        single, ours = least_seconds(models, X, y, repeats=3)
        verdict = "ok" if ours <= LIMIT * single else "MISSED"
        print(
            f"{name}, n = {len(X)}: LaplacianSVC {single:.1f} s, fast {ours:.1f} s, "
            f"{ours / single:.1f} times (target {LIMIT:g}: {verdict})",
            flush=True,
        )


def growth(sizes=(1000, 5000, 20000), budgets=("fast", "balanced", "thorough")):
    """All budgets against the number of rows."""
    for n_samples in sizes:
        X, y = make_waveform(n_samples, random_state=0)
        repeats = 1 if n_samples > N_ROWS else 2
        models = [FewLabelClassifier(budget=budget) for budget in budgets]
        seconds = least_seconds(models, X, y, repeats)
        parts = [f"{b} {s:.1f} s" for b, s in zip(budgets, seconds, strict=True)]
        print(f"waveform, n = {n_samples}: {', '.join(parts)}", flush=True)


def update(n_labels=100, n_more=20, limit=0.05):
    """One more label against a new fit of a SpectralClassifier."""
    data = load_set("usps")
    X, y = np.asarray(data.data), data.target
    given, times = hide_labels(y, n_labels, rng=0), []
    model = SpectralClassifier(random_state=0)
    start = time.process_time()
    model.fit(X, given)
    whole = time.process_time() - start
    for row in np.flatnonzero(given < 0)[:n_more]:
        given[row] = y[row]
        start = time.process_time()
        model.update(given)
        times.append(time.process_time() - start)
        given[row] = -1
    one = np.median(times)
    verdict = "ok" if one <= limit else "MISSED"
    print(
        f"usps, n = {len(X)}, {n_labels} labels: fit {whole:.1f} s, one more label "
        f"{1e3 * one:.0f} ms, 1/{whole / one:.0f} of it "
        f"(target {1e3 * limit:.0f} ms: {verdict})",
        flush=True,
    )


PARTS = {"fit": fit, "growth": growth, "update": update}


def main():
    """Run the parts named on the command line, or all."""
    parser = argparse.ArgumentParser()
    parser.add_argument("parts", nargs="*", help=f"of {', '.join(PARTS)}")
    options = parser.parse_args()
    unknown = set(options.parts) - set(PARTS)
    if unknown:
        parser.error(f"unknown parts: {', '.join(sorted(unknown))}")
    wanted = options.parts or PARTS
    with threadpool_limits(1):
        if set(wanted) - {"update"}:
            load_all()
        for name, part in PARTS.items():
            if name in wanted:
                part()


if __name__ == "__main__":
    main()
