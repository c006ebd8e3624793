"""Accuracy, time and memory of models of many rows.

    WIDEMARGIN_DATA=... python benchmarks/speed/many_rows.py [--draws N] [--record]
    [PARTS]

Defaults and one thread; CPU seconds, and the largest memory of a process in GiB. With
--record figures are stored in benchmarks/speed/results.jsonl, which pages quote.

mnist    60,000 rows of MNIST, 50 principal components: the closed-form estimator and
         FewLabelClassifier with 10, 50 and 100 labels. The first draw is a fit, others
         are updates, whose results are those of new fits
others   label spreading and Poisson learning on the same graph
growth   `make_sheets` with 100 labels, at least three for each sheet: from 10,000 to
         1,000,000 rows, each in a process of its own, and as many new rows; accuracy on
         20,000 of the rows
svc      the same with LaplacianSVC: 20,000, 100,000 and 1,000,000 rows
spectrum eigenvectors of the graph of 20,000 rows of MNIST: rounds of correction, with
         the accuracy of SpectralClassifier
files    60,000 rows of MNIST: size and accuracy of condensed models
parts    15,000 rows of MNIST: components from, and labels inferred for, a part of them
"""

import argparse
import os
import subprocess
import sys
import time

import numpy as np
from scipy.sparse.linalg import cg
from threadpoolctl import threadpool_limits

from widemargin import (
    FewLabelClassifier,
    LaplacianSVC,
    LowDensityClassifier,
    SpectralClassifier,
    condense,
    file_size,
)
from widemargin.datasets import hide_labels, make_sheets
from widemargin.defaults import SPECTRUM_LEVELS
from widemargin.estimators import low_density_classifier
from widemargin.graphs import graph_laplacian, knn_adjacency
from widemargin.progress import watch
from widemargin.spaces import bases, spectrum
from widemargin_bench.measured import peak_memory, record
from widemargin_bench.stored_sets import load_components

SIZES = 10_000, 50_000, 100_000, 1_000_000
KINDS = {
    "growth": (FewLabelClassifier, SIZES),
    "svc": (LaplacianSVC, (20_000, 100_000, 1_000_000)),
}


def spread_labels(adjacency, partial, alpha=0.99, n_rounds=200):
    """Label spreading (Zhou et al., 2004), on a sparse graph."""
    matrix = graph_laplacian(adjacency).matrix.astype(np.float64)
    given = np.equal.outer(partial, np.unique(partial[partial >= 0])).astype(float)
    scores = given.copy()
    for _ in range(n_rounds):
        scores = alpha * (scores - matrix @ scores) + (1 - alpha) * given
    return scores.argmax(axis=1)


def poisson(adjacency, partial):
    """Poisson learning (Calder et al., 2020): sources at the labels, mean zero."""
    laplacian = graph_laplacian(adjacency, normalized=False).matrix.astype(np.float64)
    given = np.equal.outer(partial, np.unique(partial[partial >= 0])).astype(float)
    labeled = partial >= 0
    given[labeled] -= given[labeled].mean(axis=0)
    scores = [cg(laplacian, column, rtol=1e-4, maxiter=500)[0] for column in given.T]
    scores = np.column_stack(scores)
    return (scores - scores.mean(axis=0)).argmax(axis=1)


def mnist(draws):
    """Ten draws of labels of MNIST."""
    X, y, X_new, y_new = load_components()
    for kind in (SpectralClassifier, FewLabelClassifier):
        model = None
        for n_labels in (10, 50, 100):
            found, new = [], []
            for draw in range(draws):
                partial = hide_labels(y, n_labels, rng=draw)
                if model is None:
                    start = time.process_time()
                    model = kind(random_state=0).fit(X, partial)
                    seconds = time.process_time() - start
                    print(f"{kind.__name__}: fit {seconds:.1f} s", flush=True)
                else:
                    model.update(partial)
                found.append((model.transduction_ == y)[partial < 0].mean())
                new.append((model.predict(X_new) == y_new).mean())
            report(f"{kind.__name__}, {n_labels} labels", found, new, seconds)


def others(draws):
    """Label spreading and Poisson learning on the same graph."""
    X, y = load_components()[:2]
    adjacency = knn_adjacency(X, 8, "self-tuned")
    for name, method in (("label spreading", spread_labels), ("Poisson", poisson)):
        for n_labels in (100, 50, 10):
            found = []
            for draw in range(draws):
                partial = hide_labels(y, n_labels, rng=draw)
                inferred = method(adjacency, partial)
                found.append((inferred == y)[partial < 0].mean())
            report(f"{name}, {n_labels} labels", found)


def report(name, found, new=(), seconds=None):
    text = f"{name}: accuracy {np.mean(found):.4f} (least {np.min(found):.4f})"
    figures = {"accuracy": float(np.mean(found)), "draws": len(found)}
    if len(new):
        text += f", new rows {np.mean(new):.4f}"
        figures |= {"new": float(np.mean(new)), "seconds": seconds}
    print(f"{text}, {peak_memory():.1f} GiB so far", flush=True)
    keep("mnist", name, **figures)


def keep(part, key, **figures):
    """Store figures if the user asked for it."""
    if "--record" in sys.argv:
        record(part, key, **figures)


def sheets(n_rows):
    """Rows, classes and 100 labels, and as many new rows of the same sheets."""
    X, y, of = make_sheets(2 * n_rows, return_sheets=True, random_state=0)
    known = hide_labels(of[:n_rows], 100, rng=0) >= 0
    return (
        X[:n_rows],
        y[:n_rows],
        np.where(known, y[:n_rows], -1),
        X[n_rows:],
        y[n_rows:],
    )


def one_size(part, n_rows):
    """Time, memory and accuracy of one fit; called in a process of its own."""
    kind = KINDS[part][0]
    X, y, partial, X_new, y_new = sheets(n_rows)
    base, start = peak_memory(), time.process_time()
    ends = {}
    with watch(lambda s: ends.update({s.stage: time.process_time() - start})):
        model = kind(random_state=0).fit(X, partial)
    fit, memory = time.process_time() - start, peak_memory()
    right = (model.transduction_ == y)[partial < 0].mean()
    start = time.process_time()
    new = (model.predict(X_new) == y_new).mean()
    predict = time.process_time() - start
    print(
        f"{part}, n = {n_rows:,}: fit {fit:.1f} s, {memory:.2f} GiB ({base:.2f} before "
        f"it), accuracy {right:.5f}; {n_rows:,} new rows {predict:.1f} s, "
        f"{peak_memory():.2f} GiB, accuracy {new:.5f}",
        flush=True,
    )
    listed = ", ".join(f"{stage} {seconds:.1f} s" for stage, seconds in ends.items())
    print(f"ends of stages: {listed}", flush=True)
    keep(
        part, f"{n_rows:,}", seconds=fit, memory=memory, accuracy=float(right),
        predict_seconds=predict, predict_memory=peak_memory(), new=float(new),
    )  # fmt: skip
    if part == "growth" and n_rows == SIZES[-1]:
        part = np.zeros(n_rows, dtype=bool)
        part[np.random.default_rng(0).choice(n_rows, 20_000, replace=False)] = True
        part |= partial >= 0
        model = FewLabelClassifier(random_state=0).fit(X[part], partial[part])
        right = (model.transduction_ == y[part])[partial[part] < 0].mean()
        print(f"20,000 of these rows: accuracy {right:.5f}", flush=True)
        keep("growth", "20,000 of 1,000,000", accuracy=float(right))


def growth(draws, part="growth"):
    """All sizes; the time and memory of a fit are printed by each process."""
    for size in KINDS[part][1]:
        command = [sys.executable, __file__, "--size", str(size), part]
        command += ["--record"] if "--record" in sys.argv else []
        subprocess.run(command, check=True)


def svc(draws):
    """The same with LaplacianSVC."""
    growth(draws, "svc")


def levels(draws):
    """Rounds of correction of the eigenvectors, and what they change."""
    X, y = (part[:20_000] for part in load_components()[:2])
    adjacency = knn_adjacency(X, 8, "self-tuned")
    degrees = np.asarray(adjacency.sum(axis=1)).ravel()
    matrix = graph_laplacian(adjacency).matrix
    exact = spectrum.graph_spectrum(matrix, 200)
    original = spectrum.graph_spectrum
    for rounds in (None, 1, 2, 3):
        rule = SPECTRUM_LEVELS._replace(rounds=rounds or 0)

        def solve(matrix, n_vectors, degrees, rounds=rounds, rule=rule):
            degrees = None if rounds is None else degrees
            return original(matrix, n_vectors, degrees, levels=rule)

        start = time.process_time()
        found = solve(matrix, 200, degrees)
        seconds = time.process_time() - start
        change = np.abs(found.values - exact.values).max()
        spectrum.graph_spectrum, right = solve, []
        model = None
        for n_labels in (100, 50):
            for draw in range(draws):
                partial = hide_labels(y, n_labels, rng=draw)
                if model is None:
                    model = SpectralClassifier(random_state=0).fit(X, partial)
                model.update(partial)
                right.append((model.transduction_ == y)[partial < 0].mean())
        spectrum.graph_spectrum = original
        name = "one level" if rounds is None else f"{rounds} rounds"
        print(
            f"{name}: {seconds:.1f} s, eigenvalues differ by {change:.4f}, accuracy "
            f"{np.mean(right[:draws]):.4f} and {np.mean(right[draws:]):.4f}",
            flush=True,
        )


def parts(draws):
    """LowDensityClassifier with its limits at 7,000 of 15,000 rows."""
    X, y = (part[:15_000] for part in load_components()[:2])
    for component_rows in (20_000, 7000):
        for inferred_rows in (20_000, 7000):
            bases.COMPONENT_ROWS = component_rows
            low_density_classifier.LOW_DENSITY_ROWS = inferred_rows
            model = LowDensityClassifier(random_state=0)
            model.fit(X, hide_labels(y, 100, rng=0))
            for n_labels in (100, 10):
                found = []
                for draw in range(draws):
                    partial = hide_labels(y, n_labels, rng=draw)
                    model.update(partial)
                    found.append((model.transduction_ == y)[partial < 0].mean())
                name = f"components of {component_rows:,}, labels of {inferred_rows:,}"
                report(f"{name}, {n_labels} labels", found)


def files(draws):
    """Size of the file and accuracy on new rows of condensed models."""
    X, y, X_new, y_new = load_components()
    model = SpectralClassifier(random_state=0).fit(X, hide_labels(y, 100, rng=0))
    for n_points in (None, 5000, 1000):
        one = model if n_points is None else condense(model, n_points)
        size, right = file_size(one) / 1e6, float(one.score(X_new, y_new))
        title = "all rows" if n_points is None else f"{n_points:,} means"
        print(f"{title}: {size:.1f} MB, new rows {right:.4f}", flush=True)
        keep("files", title, megabytes=size, new=right)


PARTS = {
    "mnist": mnist,
    "others": others,
    "growth": growth,
    "svc": svc,
    "spectrum": levels,
    "files": files,
    "parts": parts,
}


def main():
    """Run the parts named on the command line, or all."""
    parser = argparse.ArgumentParser()
    parser.add_argument("parts", nargs="*", help=f"of {', '.join(PARTS)}")
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--size", type=int, help="only sheets of so many rows")
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args()
    unknown = set(options.parts) - set(PARTS)
    if unknown:
        parser.error(f"unknown parts: {', '.join(sorted(unknown))}")
    with threadpool_limits(1):
        if options.size:
            one_size(options.parts[0], options.size)
            return
        for name, part in PARTS.items():
            if name in (options.parts or PARTS):
                if name not in KINDS and not os.environ.get("WIDEMARGIN_DATA"):
                    print(f"{name} is left out: set WIDEMARGIN_DATA.")
                else:
                    part(options.draws)


if __name__ == "__main__":
    main()
