"""Time of FewLabelClassifier, as multiples of that of one LaplacianSVC.

    WIDEMARGIN_DATA=... python benchmarks/speed_few_labels.py [fit growth]

Both are fitted by turns, with their defaults and one thread; seconds are the least
of a few repetitions. Use an idle machine, and trust the ratios more than the seconds.

fit     5,000 rows, 50 labels, the budget "fast": waveform and, where the stored data
        are, MNIST
growth  waveform, 50 labels, every budget, against the number of rows
"""

import argparse
import os
import time

import numpy as np
from threadpoolctl import threadpool_limits

from widemargin import FewLabelClassifier, LaplacianSVC
from widemargin.datasets import hide_labels, load_benchmark, make_waveform

N_LABELS, N_ROWS = 50, 5000
LIMIT = 5.0  # times one LaplacianSVC, with the budget "fast"


def seconds_of(model, X, y):
    """Wall time of one fit."""
    start = time.perf_counter()
    model.fit(X, y)
    return time.perf_counter() - start


def compare(X, y, budgets, repeats):
    """Least seconds of the Laplacian machine and of each budget."""
    given = hide_labels(y, N_LABELS, rng=0)
    models = [LaplacianSVC(), *(FewLabelClassifier(budget=b) for b in budgets)]
    for model in models:
        model.set_params(random_state=0)
    times = [[seconds_of(m, X, given) for m in models] for _ in range(repeats)]
    single, *ours = np.min(times, axis=0)
    return single, ours


def samples():
    """Names, features and classes of the sets."""
    yield "waveform", *make_waveform(N_ROWS, random_state=0)
    if not os.environ.get("WIDEMARGIN_DATA"):
        print("MNIST is left out: set WIDEMARGIN_DATA to the folder of the data.")
        return
    data = load_benchmark("mnist", dtype=np.float32)
    rows = np.random.default_rng(0).permutation(data.train_size)[:N_ROWS]
    yield "MNIST", data.data[rows] / np.float32(255), data.target[rows]


def fit():
    """The first budget at 5,000 rows."""
    for name, X, y in samples():
        single, (ours,) = compare(X, y, ["fast"], repeats=3)
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
        given = hide_labels(y, N_LABELS, rng=0)
        for budget in budgets:
            model = FewLabelClassifier(budget=budget, random_state=0)
            seconds = seconds_of(model, X, given)
            print(f"waveform, n = {n_samples}, {budget}: {seconds:.1f} s", flush=True)


PARTS = {"fit": fit, "growth": growth}


def main():
    """Run the parts named on the command line, or all."""
    parser = argparse.ArgumentParser()
    parser.add_argument("parts", nargs="*", help=f"of {', '.join(PARTS)}")
    options = parser.parse_args()
    unknown = set(options.parts) - set(PARTS)
    if unknown:
        parser.error(f"unknown parts: {', '.join(sorted(unknown))}")
    with threadpool_limits(1):
        for name, part in PARTS.items():
            if name in (options.parts or PARTS):
                part()


if __name__ == "__main__":
    main()
