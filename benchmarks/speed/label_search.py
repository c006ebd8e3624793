"""Speed of the label searches, as ratios and rates measured in one run.

    WIDEMARGIN_DATA=... python benchmarks/speed/label_search.py [--quick]
        [landmarks coil steps tests threads growth mnist]

"cpu s" are seconds of processor time, all others are wall seconds; each the best of a
few repetitions, after one that compiles the loops. Linear algebra has one thread, but
for `landmarks`, which runs as it would for a user. Use an idle machine, and trust the
ratios more than the seconds. --quick leaves out what takes minutes.

landmarks  60,000 rows of MNIST with 100 labels and 500 landmarks, time and memory
coil       kernel, smoother and one shaking run on COIL20, against spectral clustering
steps      moves per second of that shaking run
tests      flip tests per second of the (1+1) round-robin search on USPS 2 against 5
threads    restarts in two threads against one
growth     set-up and shaking run against the number of rows of MNIST
mnist      kernel, smoother and one shaking run on 8,000 rows of MNIST
"""

import argparse
import subprocess
import sys
import time
import warnings
from resource import RUSAGE_SELF, getrusage

import numpy as np
from sklearn.cluster import SpectralClustering
from sklearn.metrics import adjusted_rand_score, pairwise_distances
from threadpoolctl import threadpool_limits

from widemargin import LabelSearchClassifier
from widemargin.kernels import Rbf
from widemargin.labelling import Reshaking, Shaking
from widemargin.labelling import sweep_loops as loops
from widemargin.labelling.problem import LabelProblem, LabelState
from widemargin.labelling.search import search_labels
from widemargin.labelling.starts import make_starts
from widemargin.labels import hide
from widemargin.objectives.class_sizes import size_bounds
from widemargin.spaces.smoother import DenseSmoother, LowRankSmoother
from widemargin_bench.stored_sets import load_set

RLSCORE = 5.1  # cpu s of the papers' own library on COIL20, measured elsewhere
WIDTH, LAMBDA = 0.4, 2.0**-3  # sigma over the largest distance; the paper's scale
TYPES = (np.float64, np.float32)
SPECTRAL = {
    "default": {},
    "10 nearest neighbors": {"affinity": "nearest_neighbors"},
}
MODELS = {
    "stochastic": {"unlabeled_weight": 1.0, "search": "stochastic"},
    "default": {},
}


def best_of(function, repeats=5, clock=time.perf_counter):
    """Shortest time of a few calls, in seconds, and what the last one returned."""
    times = []
    for _ in range(repeats):
        start = clock()
        result = function()
        times.append(clock() - start)
    return min(times), result


def verdict(is_met):
    """How a target came out."""
    return "ok" if is_met else "MISSED"


def make_problem(smoother, n_clusters, tolerance=None):
    """Clusters to be found; equal sizes up to `tolerance` of all rows, or any."""
    n_samples, shares = smoother.n_samples, np.full(n_clusters, 1.0 / n_clusters)
    lower, upper = np.zeros(n_clusters, int), np.full(n_clusters, n_samples)
    if tolerance is not None:
        lower, upper = size_bounds(shares, tolerance, n_samples)
    return LabelProblem(
        smoother,
        np.ones(n_samples, dtype=bool),
        np.zeros(n_samples, dtype=np.int32),
        lower,
        upper,
        shares * n_samples,
        np.arange(n_samples),
    )


def prepare(X, gamma, n_clusters):
    """Kernel, smoother, problem."""
    gram = Rbf(gamma)(X)
    return make_problem(DenseSmoother(gram, np.ones(len(X)), LAMBDA), n_clusters)


def shake(problem, n_runs=1):
    """Published shaking from random starts; the last labels and the number of moves."""
    starts, _ = make_starts(problem, n_runs, np.random.default_rng(0))
    n_moves = 0
    for start in starts:
        codes, n_more = Shaking(size_floor=0.0).improve(problem, start)
        n_moves += n_more
    return codes, n_moves


def width_of(X):
    """The gamma of the paper's kernel width."""
    return 1 / (2 * (WIDTH * pairwise_distances(X).max()) ** 2)


def coil_data():
    """COIL20 and its kernel width."""
    data = load_set("coil20")
    return data.data, data.target, width_of(data.data)


def mnist_data(n_samples, dtype=np.float64):
    """Random rows of MNIST with pixels from 0 to 1, and a kernel width."""
    data = load_set("mnist", dtype=np.float32)
    rows = np.random.default_rng(0).permutation(len(data.target))[:n_samples]
    X = data.data[rows] / np.float32(255)
    return X.astype(dtype), data.target[rows], width_of(X[:1000])


def coil():
    """One clustering of COIL20 against spectral clustering."""
    X, y, gamma = coil_data()
    shake(prepare(X, gamma, 20))
    clock = time.process_time
    ours, (codes, _) = best_of(lambda: shake(prepare(X, gamma, 20)), clock=clock)
    problem = prepare(X, gamma, 20)
    search, _ = best_of(lambda: shake(problem), clock=clock)
    print(
        f"COIL20, 20 clusters: kernel, smoother, shaking {ours:.3f} cpu s (of it the "
        f"search {search:.3f}; target 0.3: {verdict(ours <= 0.3)}; "
        f"ARI {adjusted_rand_score(y, codes):.2f}); RLScore's {RLSCORE} s: "
        f"{RLSCORE / ours:.0f} times (target 15: {verdict(ours * 15 <= RLSCORE)})",
        flush=True,
    )
    for name, options in SPECTRAL.items():
        model = SpectralClustering(20, random_state=0, **options)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Graph is not fully connected")
            theirs, labels = best_of(lambda m=model: m.fit_predict(X), 3, clock)
        print(
            f"  spectral clustering, {name}: {theirs:.3f} cpu s (ARI "
            f"{adjusted_rand_score(y, labels):.2f}): {theirs / ours:.1f} times",
            flush=True,
        )


def steps(n_runs=5):
    """Moves per second of shaking, without kernel and smoother."""
    X, _, gamma = coil_data()
    for dtype in TYPES:
        problem = prepare(X.astype(dtype), gamma, 20)
        shake(problem)
        seconds, (_, n_moves) = best_of(lambda p=problem: shake(p, n_runs))
        rate = n_moves / seconds
        print(
            f"shaking, n = {len(X)}, 20 clusters, {dtype.__name__}: {rate:,.0f} steps "
            f"a second ({n_moves / n_runs:,.0f} steps, {1e3 * seconds / n_runs:.1f} ms "
            f"a run; target 300,000: {verdict(rate >= 3e5)})",
            flush=True,
        )


def by_factor(problem, starts):
    """Number of tests and moves of searches that keep a vector per class."""
    smoother, total = problem.smoother, np.zeros(2, dtype=np.int64)
    eps = 1e2 * np.finfo(smoother.matrix.dtype).eps
    for start in starts:
        codes, progress = start.copy(), np.zeros(4, dtype=np.int64)
        members = (np.arange(2)[:, None] == codes).astype(smoother.matrix.dtype)
        loops.sweep_factor(
            smoother.matrix, smoother.rough_matrix, smoother.weighted_diagonal,
            members @ smoother.matrix, codes, np.bincount(codes, minlength=2),
            problem.lower, problem.upper, problem.order,
            eps * smoother.weighted_diagonal.max(), progress, 2**62,
        )  # fmt: skip
        total += progress[2:]
    return total


def by_table(problem, starts):
    """The same of searches that keep the table of all gains and a dense smoother."""
    total = np.zeros(2, dtype=np.int64)
    for start in starts:
        state, progress = LabelState(problem, start), np.zeros(4, dtype=np.int64)
        loops.sweep_table(
            *state.ties, state.table, state.codes, state.counts, *state.bounds,
            problem.order, state.row, state.tol, progress, 2**62,
        )  # fmt: skip
        total += progress[2:]
    return total


def flips(n_runs=10, reg=1.0):
    """Flip tests per second, whole runs from random starts."""
    data = load_set("usps")
    X = data.data[np.isin(data.target, [2, 5])]
    for dtype in TYPES:
        smoother = LowRankSmoother(X.astype(dtype), np.ones(len(X)), reg)
        problem = make_problem(smoother, 2, 0.1)
        dense = problem.with_dense_smoother()
        starts, _ = make_starts(problem, n_runs, np.random.default_rng(0))
        lines = []
        for name, count, own in (
            ("factor", by_factor, problem),
            ("table", by_table, dense),
        ):
            count(own, starts[:1])
            seconds, (n_tests, n_moves) = best_of(
                lambda c=count, p=own, s=starts: c(p, s), 20
            )
            lines.append(
                f"{name} {n_tests / seconds / 1e6:.1f} million a second "
                f"({n_tests / n_runs:,.0f} tests, {n_moves / n_runs:,.0f} moves, "
                f"{1e3 * seconds / n_runs:.2f} ms a run)"
            )
            if name == "factor":
                lines[-1] += f", target 20: {verdict(n_tests / seconds >= 2e7)}"
        print(
            f"flip tests, n = {len(X)}, rank {smoother.matrix.shape[1]}, "
            f"{dtype.__name__}: {'; '.join(lines)}",
            flush=True,
        )


def threads(n_runs=20):
    """Restarts side by side."""
    X, _, gamma = coil_data()
    problem = prepare(X, gamma, 20)
    starts, seeds = make_starts(problem, n_runs, np.random.default_rng(0))
    for strategy in (Shaking(), Reshaking(n_trials=15)):

        def run(n_threads, strategy=strategy):
            return search_labels(problem, strategy, starts, seeds, n_threads=n_threads)

        run(1)
        one, first = best_of(lambda run=run: run(1), 3)
        two, second = best_of(lambda run=run: run(2), 3)
        same = np.array_equal(first.solution, second.solution)
        same = same and first.history["found"] == second.history["found"]
        print(
            f"{n_runs} restarts of {type(strategy).__name__.lower()} on COIL20: "
            f"{one:.2f} s, in two threads {two:.2f} s: {one / two:.2f} times; "
            f"{'equal results' if same else 'DIFFERENT RESULTS'}",
            flush=True,
        )


def growth(sizes=(1000, 2000, 4000, 8000), n_runs=3):
    """Time and steps against the number of rows."""
    print("MNIST, 10 clusters, float64:", flush=True)
    found = []
    for n_samples in sizes:
        X, _, gamma = mnist_data(n_samples)
        clock = time.process_time
        prepared, problem = best_of(
            lambda X=X, g=gamma: prepare(X, g, 10), 1 if n_samples > 4000 else 2, clock
        )
        shake(problem)
        seconds, (_, n_moves) = best_of(
            lambda p=problem: shake(p, n_runs), 2, time.perf_counter
        )
        found.append((prepared, seconds / n_runs, n_moves / n_runs))
        print(
            f"  n = {n_samples}: kernel and smoother {prepared:.2f} cpu s, shaking run "
            f"{seconds / n_runs:.3f} s, {n_moves / n_runs:,.0f} steps, "
            f"{n_moves / seconds:,.0f} a second",
            flush=True,
        )
    logs = np.log(found)
    slopes = [np.polyfit(np.log(sizes), column, 1)[0] for column in logs.T]
    print(
        f"  kernel and smoother grow as n^{slopes[0]:.2f}, the run as n^{slopes[1]:.2f}"
        f", its steps as n^{slopes[2]:.2f}",
        flush=True,
    )


def mnist(n_samples=8000):
    """One clustering of many rows."""
    shake(prepare(*mnist_data(200)[::2], 10))
    for dtype in TYPES:
        X, y, gamma = mnist_data(n_samples, dtype)
        seconds, (codes, _) = best_of(
            lambda X=X, g=gamma: shake(prepare(X, g, 10)), 2, time.process_time
        )
        print(
            f"MNIST, n = {n_samples}, 10 clusters, {dtype.__name__}: kernel, smoother, "
            f"shaking {seconds:.1f} cpu s (target 40: {verdict(seconds <= 40)}; paper "
            f"a bit over 300 s; ARI {adjusted_rand_score(y, codes):.2f})",
            flush=True,
        )


def landmarks():
    """60,000 rows, each model in a process of its own for the sake of its memory."""
    for name in MODELS:
        subprocess.run([sys.executable, __file__, "--model", name], check=True)


def fit_landmarks(name, n_landmarks=500):
    """One model on the training rows of MNIST, ten labels of each class."""
    data = load_set("mnist", dtype=np.float32)
    X, y = data.data[: data.train_size], data.target[: data.train_size]
    X /= np.float32(255)
    rng, is_hidden = np.random.default_rng(0), np.ones(len(y), dtype=bool)
    for digit in range(10):
        is_hidden[rng.choice(np.flatnonzero(y == digit), 10, replace=False)] = False
    loaded = getrusage(RUSAGE_SELF).ru_maxrss / 2**20
    model = LabelSearchClassifier(landmarks=n_landmarks, random_state=0, **MODELS[name])
    wall, cpu = time.perf_counter(), time.process_time()
    model.fit(X, hide(y, is_hidden))
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    error = 100 * np.mean(model.transduction_[is_hidden] != y[is_hidden])
    peak = getrusage(RUSAGE_SELF).ru_maxrss / 2**20
    print(
        f"MNIST, n = {len(y)}, 100 labels, {n_landmarks} landmarks, {name}: fit "
        f"{wall:.1f} s with compilation ({cpu:.1f} cpu s), peak memory {peak:.2f} GiB "
        f"({loaded:.2f} with the data loaded; target below 4: {verdict(peak < 4)}), "
        f"error on unlabeled rows {error:.2f} %",
        flush=True,
    )


PARTS = {
    "landmarks": landmarks,  # first: a child's peak is at least that of its parent
    "coil": coil,
    "steps": steps,
    "tests": flips,
    "threads": threads,
    "growth": growth,
    "mnist": mnist,
}
LONG = ("landmarks", "mnist")


def main():
    """Run the parts named on the command line, or all."""
    parser = argparse.ArgumentParser()
    parser.add_argument("parts", nargs="*", help=f"of {', '.join(PARTS)}")
    parser.add_argument("--quick", action="store_true", help="without long parts")
    parser.add_argument("--model", choices=MODELS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.model:
        fit_landmarks(options.model)
        return
    unknown = set(options.parts) - set(PARTS)
    if unknown:
        parser.error(f"unknown parts: {', '.join(sorted(unknown))}")
    for name, part in PARTS.items():
        if name not in (options.parts or PARTS) or (options.quick and name in LONG):
            continue
        if name == "landmarks":
            part()
            continue
        with threadpool_limits(1):
            part((1000, 2000)) if options.quick and name == "growth" else part()


if __name__ == "__main__":
    main()
