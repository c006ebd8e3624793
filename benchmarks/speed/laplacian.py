"""Speed of the Laplacian models, as ratios measured in one run.

    python benchmarks/speed/laplacian.py [iteration newton exact graph scaling]

Trust the ratios, not the seconds. `newton` and `exact` use the papers' data if
WIDEMARGIN_DATA names their folder, and generated data otherwise.
"""

import argparse
import os
import time
from dataclasses import replace

import numpy as np
from sklearn.neighbors import kneighbors_graph

from widemargin import LaplacianSVC
from widemargin.graphs import graph_laplacian, knn_adjacency
from widemargin.kernels import Polynomial, Rbf
from widemargin.labels import decide, hide, sign_coding
from widemargin.objectives.laplacian import ManifoldObjective
from widemargin.objectives.losses import SquaredHinge
from widemargin.solvers.newton import reduced_newton
from widemargin.solvers.pcg import StabilityCheck, check_interval, pcg
from widemargin.spaces import GramSpace
from widemargin_bench.published_newton import newton
from widemargin_bench.stored_sets import load_set


def best_of(function, repeats=5):
    """Shortest wall time of a few calls, in seconds."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


def problem(
    X, codes, n_labels, kernel, *, n_neighbors=8, power=2, ambient=1e-5, intrinsic=0.05
):
    """A Laplacian objective, the first rows labeled."""
    n_classes = len(np.unique(codes))
    return ManifoldObjective(
        GramSpace(kernel(X)),
        graph_laplacian(knn_adjacency(X, n_neighbors), power=power),
        np.arange(n_labels),
        sign_coding(codes[:n_labels], n_classes),
        np.full(n_labels, 1 / n_labels),
        SquaredHinge(),
        ambient,
        intrinsic,
    )


def blobs(n_samples, n_classes, dtype, n_features=20):
    """Overlapping Gaussian classes in random order."""
    rng = np.random.default_rng(0)
    codes = rng.integers(n_classes, size=n_samples)
    codes[:n_classes] = np.arange(n_classes)
    centers = 1.5 * rng.standard_normal((n_classes, n_features))
    X = centers[codes] + rng.standard_normal((n_samples, n_features))
    return X.astype(dtype), codes


def seconds_per_iteration(objective, n_iter=20):
    """Time of one PCG iteration, start-up excluded."""

    def run(max_iter):
        return best_of(lambda: pcg(objective, max_iter=max_iter, tol=0.0))

    return (run(n_iter + 5) - run(5)) / n_iter


def iteration(n_samples=8000):
    """One PCG iteration against one product with the Gram matrix."""
    for dtype in (np.float32, np.float64):
        X, codes = blobs(n_samples, 10, dtype)
        many = problem(X, codes, 100, Rbf(0.02))
        one = replace(many, targets=many.targets[:, :1])
        gram = many.space.gram
        v = np.ones(n_samples, dtype)
        product = best_of(lambda gram=gram, v=v: gram @ v, 20)
        single, ten = seconds_per_iteration(one), seconds_per_iteration(many)
        print(
            f"PCG iteration, n = {n_samples}, {dtype.__name__}: "
            f"{single / product:.2f} of K @ v ({1e3 * product:.1f} ms); "
            f"10 classes together {ten / (10 * single):.2f} of ten single ones"
        )


def reduced_against_published():
    """All classes by one factorization against class by class; paper's weights."""
    for name, width, n_neighbors, power, n_labels, ambient, intrinsic in (
        ("coil20", 0.6, 2, 1, 40, 1e-6, 1.0),
        ("uspst", 9.4, 10, 2, 50, 1e-4, 1.0),
    ):
        if "WIDEMARGIN_DATA" in os.environ:
            data = load_set(name)
            X, codes = data.data, np.unique(data.target, return_inverse=True)[1]
        else:
            X, codes = blobs(1500, 10, np.float64)
        order = np.random.default_rng(0).permutation(len(X))
        first = np.concatenate(
            [order[codes[order] == c][:1] for c in range(codes.max() + 1)]
        )
        order = np.concatenate([first, np.setdiff1d(order, first)])
        X, codes = X[order][:1450], codes[order][:1450]
        objective = problem(
            X,
            codes,
            n_labels,
            Rbf(1 / (2 * width**2)),
            n_neighbors=n_neighbors,
            power=power,
            ambient=ambient / n_labels,
            intrinsic=intrinsic / n_labels,
        )
        ours = best_of(lambda o=objective: reduced_newton(o.reduced()), 3)
        theirs = best_of(lambda o=objective: newton(o), 1)
        print(
            f"reduced Newton on {name}, {codes.max() + 1} classes: {ours:.2f} s, "
            f"published Newton class by class {theirs:.2f} s: {theirs / ours:.0f} times"
        )


def early_stopping_against_exact(n_samples=8000):
    """PCG with the stability check against reduced Newton."""
    if "WIDEMARGIN_DATA" in os.environ:
        data = load_set("mnist", dtype=np.float32)
        kept = np.flatnonzero(np.isin(data.target, [3, 8]))
        kept = np.random.default_rng(0).choice(kept, n_samples, replace=False)
        X, codes = data.data[kept], (data.target[kept] == 8).astype(int)
        X /= np.linalg.norm(X, axis=1, keepdims=True)
        kernel, name = Polynomial(1.0, 9, 0.0), "mnist 3 vs 8"
    else:
        X, codes = blobs(n_samples, 2, np.float32)
        kernel, name = Rbf(0.02), "two blobs"
    for dtype in (np.float32, np.float64):
        objective = problem(X.astype(dtype), codes, 80, kernel, n_neighbors=20, power=3)
        check = StabilityCheck(np.arange(80, n_samples), check_interval(n_samples))
        results = {}

        def early(objective=objective, check=check, results=results):
            results["pcg"] = pcg(objective, check=check)

        def exact(objective=objective, results=results):
            reduced = objective.reduced()
            result = reduced_newton(reduced)
            coordinates = reduced.coordinates(result.solution)
            results["newton"] = replace(result, solution=coordinates)

        fast, slow = best_of(early, 3), best_of(exact, 1)
        errors = {}
        for solver, result in results.items():
            solution = result.solution.astype(dtype)
            decisions = decide(objective.space.scores(solution))[80:]
            errors[solver] = 100 * np.mean(decisions != codes[80:])
        print(
            f"{name}, n = {n_samples}, {dtype.__name__}: stopped PCG {fast:.2f} s "
            f"({results['pcg'].n_iter} iterations, error {errors['pcg']:.2f} %), exact "
            f"{slow:.2f} s (error {errors['newton']:.2f} %): {slow / fast:.1f} times"
        )


def graph():
    """Graph construction against scikit-learn's neighbors alone."""
    for n_samples, n_features in ((20_000, 10), (8_000, 256)):
        X, _ = blobs(n_samples, 10, np.float64, n_features)
        theirs = best_of(lambda X=X: kneighbors_graph(X, 8, mode="distance"), 3)
        ours = best_of(lambda X=X: graph_laplacian(knn_adjacency(X, 8)), 3)
        print(
            f"graph of {n_samples} rows, {n_features} features: {ours:.2f} s, "
            f"{ours / theirs:.2f} of scikit-learn's neighbors"
        )


def scaling():
    """Fit time against the number of rows, the graph given."""
    sizes, seconds = (2000, 4000, 8000), []
    for n_samples in sizes:
        X, codes = blobs(n_samples, 2, np.float32)
        adjacency = knn_adjacency(X, 8)
        y = hide(codes, np.arange(n_samples) >= 100)
        model = LaplacianSVC(intrinsic_reg=0.05, solver="pcg")
        seconds.append(
            best_of(lambda m=model, X=X, y=y, a=adjacency: m.fit(X, y, adjacency=a), 2)
        )
    listed = ", ".join(f"{n}: {t:.2f} s" for n, t in zip(sizes, seconds, strict=True))
    overall = np.log(seconds[-1] / seconds[0]) / np.log(sizes[-1] / sizes[0])
    print(f"exact fit by PCG, {listed}: grows as n^{overall:.2f}")

    sizes, seconds = (20_000, 63_000, 200_000), []
    for n_samples in sizes:
        X, codes = blobs(n_samples, 2, np.float32, 10)
        adjacency = knn_adjacency(X, 8)
        y = hide(codes, np.arange(n_samples) >= 100)
        model = LaplacianSVC(intrinsic_reg=0.05, landmarks=500, random_state=0)
        seconds.append(
            best_of(lambda m=model, X=X, y=y, a=adjacency: m.fit(X, y, adjacency=a), 2)
        )
    listed = ", ".join(f"{n}: {t:.2f} s" for n, t in zip(sizes, seconds, strict=True))
    overall = np.log(seconds[-1] / seconds[0]) / np.log(sizes[-1] / sizes[0])
    print(f"fit with 500 landmarks, {listed}: grows as n^{overall:.2f}")


PARTS = {
    "iteration": iteration,
    "newton": reduced_against_published,
    "exact": early_stopping_against_exact,
    "graph": graph,
    "scaling": scaling,
}


def main():
    """Run the parts named on the command line, or all."""
    parser = argparse.ArgumentParser()
    parser.add_argument("parts", nargs="*", help=f"of {', '.join(PARTS)}")
    for name in parser.parse_args().parts or PARTS:
        PARTS[name]()


if __name__ == "__main__":
    main()
