"""Speed and memory of the self-labeling models.

    WIDEMARGIN_DATA=... python benchmarks/speed/self_labeling.py [memory usps growth]

"cpu s" are seconds of processor time with one thread, the best of a few repetitions,
each of a whole fit: landmarks, their features, all rounds of labels, and what the
variances need. Use an idle machine, and trust the ratios more than the seconds.

memory  60,000 rows of MNIST, 100 labels, 500 landmarks, ten classes: peak of a process
        that does nothing else, in float32 and float64
usps    7,291 rows of USPS, 364 labels, 500 landmarks, 0 and 1 against the rest (the
        paper: 804 s and 774 s in 2009) and ten classes; for 0 also the paper's settings
        (informative vectors, learned hyperparameters) and the SVC
growth  the ten-class fit against the number of rows of MNIST, 100 labels, float32; the
        number of rounds of the last loop, which varies, beside
"""

import argparse
import subprocess
import sys
import time
import warnings
from resource import RUSAGE_SELF, getrusage

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from widemargin import SelfLabelingGPC, SelfLabelingSVC
from widemargin.parameters import Annealing, InformativeVectors, InSample
from widemargin_bench.stored_sets import load_set

N_LANDMARKS = 500
PAPER = {
    "labeled_weight": 1.0,
    "annealing": Annealing((1.0,), max_unlabeled_ratio=None),
    "n_components": 0,
    "relabel": InSample("absolute", tol=0.0),
    "hyperparameters": "marginal-likelihood",
    "landmarks": InformativeVectors(N_LANDMARKS),
}
PAPER_SECONDS = {0: 804, 1: 774}
TYPES = {"float32": np.float32, "float64": np.float64}


def verdict(is_met):
    """How a target came out."""
    return "ok" if is_met else "MISSED"


def hide(y, n_labels, seed=0):
    """Labels of random rows, at least one of each class, -1 elsewhere."""
    rng, n_classes = np.random.default_rng(seed), len(np.unique(y))
    while True:
        rows = rng.permutation(len(y))[:n_labels]
        if len(np.unique(y[rows])) == n_classes:
            break
    hidden = np.full(len(y), -1)
    hidden[rows] = y[rows]
    return hidden


def timed(model, X, y, repeats=3):
    """Least processor time of a fit, the model, and the rounds of its last loop."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(X, y)
        times.append(time.process_time() - start)
    return min(times), model, model.n_iter_


def usps():
    """The paper's timing, and the same for all digits at once."""
    data = load_set("usps")
    n = data.train_size
    X, X_test = data.data[:n], data.data[n:]
    y, y_test = data.target[:n], data.target[n:]
    tasks = {f"{d} against rest": ((y == d) * 1, (y_test == d) * 1) for d in (0, 1)}
    tasks["ten classes"] = y, y_test
    for name, (classes, test_classes) in tasks.items():
        given = hide(classes, 364)
        fixed = {"landmarks": N_LANDMARKS, "random_state": 0}
        models = {"GPC": SelfLabelingGPC(**fixed)}
        if name[0] == "0":
            models["GPC, paper's settings"] = SelfLabelingGPC(**fixed | PAPER)
            models["SVC"] = SelfLabelingSVC(**fixed)
        for kind, model in models.items():
            repeats = 3 if kind == "GPC" else 1
            seconds, model, n_rounds = timed(model, X, given, repeats)
            error = 100 * np.mean(model.predict(X_test) != test_classes)
            line = f"USPS, n = {n}, {N_LANDMARKS} landmarks, {name}, {kind}: "
            line += f"{seconds:.2f} cpu s, test error {error:.2f} %"
            if kind == "GPC":
                line += f" (target 5: {verdict(seconds <= 5)}"
                if name[0] in "01":
                    theirs = PAPER_SECONDS[int(name[0])]
                    line += f"; paper {theirs} s: {theirs / seconds:.0f} times"
                line += f"; {n_rounds} rounds)"
            print(line, flush=True)


def mnist(n_samples, dtype=np.float32):
    """The first training rows in random order, pixels from 0 to 1."""
    data = load_set("mnist", dtype=np.float32)
    rows = np.random.default_rng(0).permutation(data.train_size)[:n_samples]
    return (data.data[rows] / np.float32(255)).astype(dtype), data.target[rows]


def growth(sizes=(7000, 15000, 30000, 60000)):
    """Time against the number of rows."""
    found = []
    for n_samples in sizes:
        X, y = mnist(n_samples)
        model = SelfLabelingGPC(landmarks=N_LANDMARKS, random_state=0)
        given = hide(y, 100)
        repeats = 2 if n_samples < 20000 else 1
        seconds, model, n_rounds = timed(model, X, given, repeats)
        free = given < 0
        error = 100 * np.mean(model.transduction_[free] != y[free])
        found.append(seconds)
        print(
            f"MNIST, n = {n_samples}, float32: {seconds:.2f} cpu s, {n_rounds} "
            f"rounds, error {error:.1f} % on the unlabeled rows",
            flush=True,
        )
    slope = np.polyfit(np.log(sizes), np.log(found), 1)[0]
    print(f"the fit grows as n^{slope:.2f} (target 1.15: {verdict(slope <= 1.15)})")


def memory():
    """Peak of fresh processes."""
    for name in TYPES:
        subprocess.run([sys.executable, __file__, "--fit", name], check=True)


def peak_of_fit(name):
    """One fit on all training rows of MNIST; prints the peak of this process."""
    X, y = mnist(60000, TYPES[name])
    loaded = getrusage(RUSAGE_SELF).ru_maxrss / 2**20
    model = SelfLabelingGPC(landmarks=N_LANDMARKS, random_state=0)
    seconds, _, n_rounds = timed(model, X, hide(y, 100), 1)
    peak = getrusage(RUSAGE_SELF).ru_maxrss / 2**20
    print(
        f"MNIST, n = {len(y)}, {name}: {seconds:.1f} cpu s, {n_rounds} rounds, "
        f"peak {peak:.2f} GiB ({loaded:.2f} with the data loaded; target below 2: "
        f"{verdict(peak < 2)})",
        flush=True,
    )


PARTS = {"memory": memory, "usps": usps, "growth": growth}  # a child's peak: first


def main():
    """Run the parts named on the command line, or all."""
    parser = argparse.ArgumentParser()
    parser.add_argument("parts", nargs="*", help=f"of {', '.join(PARTS)}")
    parser.add_argument("--fit", choices=TYPES, help=argparse.SUPPRESS)
    options = parser.parse_args()
    unknown = set(options.parts) - set(PARTS)
    if unknown:
        parser.error(f"unknown parts: {', '.join(sorted(unknown))}")
    with threadpool_limits(1):
        if options.fit:
            peak_of_fit(options.fit)
            return
        for name, part in PARTS.items():
            if name in (options.parts or PARTS):
                part()


if __name__ == "__main__":
    main()
