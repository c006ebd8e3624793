"""Time and recall of nearest neighbors, beside other libraries.

    WIDEMARGIN_DATA=... python benchmarks/speed/neighbors.py [--peers] [--record]
    [PARTS]

CPU seconds of the index and of 8 neighbors of each row in one thread, after a small
search that loads and compiles what there is; recall on 1,000 rows. `--peers` adds other
libraries where they are installed, each with settings for a recall of about .98:

scikit-learn  brute force, up to 100,000 rows: its time grows with the square of them,
              to about an hour for a million
pynndescent   15 neighbors, of which 8 are kept; with 9 it finds fewer of them
faiss-cpu     inverted lists: 4 sqrt(n) cells by k-means of 64 rows per cell; as many
              probes, of 4, 8, 16 and 32, as find .98 of the neighbors of these 1,000
              rows, whose choice is not timed
usearch       graph of 16 edges, 64 candidates to add a row and 32 to search

With --record figures are stored in benchmarks/speed/results.jsonl, which pages quote.

mnist    60,000 rows of MNIST, 50 principal components, where the stored data are
middle   100,000 rows of `make_sheets`
large    1,000,000 rows of `make_sheets`
limits   where the exact search takes less time: few rows, or few features
threads  the same neighbors for one and for two threads
"""

import argparse
import os
import sys
import time
from importlib.util import find_spec

import numpy as np
from sklearn.decomposition import PCA
from sklearn.neighbors import NearestNeighbors
from threadpoolctl import threadpool_limits

from widemargin.datasets import make_sheets
from widemargin.graphs.cells import Cells
from widemargin.graphs.neighbors import index_rows
from widemargin_bench.measured import record

N_NEIGHBORS = 8


def ours(X):
    """Seconds and neighbors; the same for the functions below."""
    return _timed(lambda: Cells.fit(X, N_NEIGHBORS).neighbors(N_NEIGHBORS)[1])


def brute_force(X):
    finder = NearestNeighbors(n_neighbors=N_NEIGHBORS, algorithm="brute")
    return _timed(lambda: finder.fit(X).kneighbors(return_distance=False))


def pynndescent(X):
    from pynndescent import NNDescent

    options = {"n_neighbors": 15, "random_state": 0, "n_jobs": 1}
    return _timed(lambda: NNDescent(X, **options).neighbor_graph[0])


def faiss(X, least_recall=0.98):
    import faiss

    def build():
        n_cells = int(4 * np.sqrt(len(X)))
        index = faiss.IndexIVFFlat(faiss.IndexFlatL2(X.shape[1]), X.shape[1], n_cells)
        index.cp.max_points_per_centroid = 64
        index.train(X)
        index.add(X)
        return index

    faiss.omp_set_num_threads(1)
    (to_build, index), drawn = _timed(build), draw_checked(X)
    for n_probes in (4, 8, 16, 32):
        index.nprobe = n_probes
        if recall(X, drawn, index.search(X[drawn], N_NEIGHBORS + 1)[1]) >= least_recall:
            break
    to_search, found = _timed(lambda: index.search(X, N_NEIGHBORS + 1)[1])
    return to_build + to_search, found


def usearch(X):
    from usearch.index import Index

    def search():
        index = Index(
            ndim=X.shape[1],
            metric="l2sq",
            dtype="f32",
            expansion_add=64,
            expansion_search=32,
        )
        index.add(np.arange(len(X)), X, threads=1)
        return index.search(X, N_NEIGHBORS + 1, threads=1).keys.astype(np.int64)

    return _timed(search)


def _timed(function):
    start = time.process_time()
    result = function()
    return time.process_time() - start, result


PEERS = {"pynndescent": pynndescent, "faiss": faiss, "usearch": usearch}


def draw_checked(X, n_checked=1000):
    """Rows whose neighbors are compared with the true ones."""
    n_checked = min(n_checked, len(X))
    return np.random.default_rng(1).choice(len(X), n_checked, replace=False)


def recall(X, drawn, found):
    """Share of the true neighbors of the drawn rows that were found."""
    finder = NearestNeighbors(n_neighbors=N_NEIGHBORS + 1, algorithm="brute").fit(X)
    true = finder.kneighbors(X[drawn], return_distance=False)
    shares = []
    for row, near, exact in zip(drawn, found, true, strict=True):
        exact, near = exact[exact != row][:N_NEIGHBORS], near[near != row][:N_NEIGHBORS]
        shares.append(np.isin(exact, near).mean())
    return float(np.mean(shares))


def compare(name, X, peers, most_brute=100_000):
    methods = {"widemargin": ours}
    if peers:
        methods |= {"scikit-learn": brute_force} if len(X) <= most_brute else {}
        methods |= {title: m for title, m in PEERS.items() if find_spec(title)}
    shape, drawn = f"{X.shape[0]:,} x {X.shape[1]}", draw_checked(X)
    for title, method in methods.items():
        method(X[:20_000])
        seconds, found = method(X)
        share = recall(X, drawn, found[drawn])
        print(
            f"{name} {shape}: {title:20s} {seconds:6.1f} s, recall {share:.3f}",
            flush=True,
        )
        if "--record" in sys.argv:
            key = f"{name} {shape}, {title}"
            record("neighbors", key, seconds=seconds, recall=share)


def mnist(peers):
    if not os.environ.get("WIDEMARGIN_DATA"):
        print("MNIST is left out: set WIDEMARGIN_DATA to the folder of the data.")
        return
    from widemargin_bench.stored_sets import load_set

    data = load_set("mnist", dtype=np.float32)
    X = data.data[: data.train_size] / np.float32(255)
    compare("MNIST", PCA(50, random_state=0).fit_transform(X), peers)


def middle(peers):
    compare("sheets", make_sheets(100_000, random_state=0)[0], peers)


def large(peers):
    compare("sheets", make_sheets(1_000_000, random_state=0)[0], peers)


def limits(peers):
    """Approximate and exact search against rows and features."""
    rng = np.random.default_rng(0)
    for n_rows, n_features in [
        (5000, 50), (10_000, 50), (20_000, 50), (50_000, 2), (50_000, 3), (50_000, 5),
    ]:  # fmt: skip
        if n_features == 50:
            X = make_sheets(n_rows, random_state=0)[0]
        else:
            X = rng.normal(size=(n_rows, n_features))
        times = []
        for method in (ours, _exact):
            start = time.process_time()
            method(X)
            times.append(time.process_time() - start)
        print(
            f"{n_rows:,} x {n_features}: cells {times[0]:.2f} s, exact {times[1]:.2f} "
            "s",
            flush=True,
        )


def _exact(X):
    return NearestNeighbors(n_neighbors=N_NEIGHBORS).fit(X).kneighbors()


def threads(peers):
    """Whether the number of threads changes anything."""
    X, found = make_sheets(100_000, random_state=0)[0], []
    for n_threads in ("1", "2"):
        os.environ["OMP_NUM_THREADS"] = n_threads
        with threadpool_limits(int(n_threads)):
            found.append(index_rows(X, N_NEIGHBORS).neighbors(N_NEIGHBORS))
    same = all(np.array_equal(a, b) for a, b in zip(*found, strict=True))
    print(f"sheets, 100,000 x 50: one and two threads {'agree' if same else 'DIFFER'}")


PARTS = {
    "mnist": mnist,
    "middle": middle,
    "large": large,
    "limits": limits,
    "threads": threads,
}


def main():
    """Run the parts named on the command line, or all."""
    parser = argparse.ArgumentParser()
    parser.add_argument("parts", nargs="*", help=f"of {', '.join(PARTS)}")
    parser.add_argument("--peers", action="store_true", help="other libraries as well")
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args()
    unknown = set(options.parts) - set(PARTS)
    if unknown:
        parser.error(f"unknown parts: {', '.join(sorted(unknown))}")
    for name, part in PARTS.items():
        if name in (options.parts or PARTS):
            with threadpool_limits(None if name == "threads" else 1):
                part(options.peers)


if __name__ == "__main__":
    main()
