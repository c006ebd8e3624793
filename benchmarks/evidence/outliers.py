"""Which rows `MaxMarginClustering(outliers="auto")` leaves out, beside HDBSCAN.

    python benchmarks/evidence/outliers.py [--clusters]

Prints, for other values of OUTLIER_RULE, the share of uniform noise that is left out,
of rows of clusters in the same data, and of rows of single Gaussians without noise.
With --clusters it prints the adjusted Rand index of both methods on data with noise,
where the rows of no cluster count as one more cluster.
"""

import argparse
import warnings
from itertools import product

import numpy as np
from sklearn.cluster import HDBSCAN
from sklearn.metrics import adjusted_rand_score

from widemargin import MaxMarginClustering
from widemargin.defaults import OutlierRule
from widemargin.kernels import Rbf
from widemargin.labelling.outliers import find_reach
from widemargin_bench.evidence import constant, make_apart_blobs

NOISY = tuple(
    (*blobs, share)
    for blobs in ((3, 2, 6.0), (5, 2, 8.0), (4, 5, 6.0), (6, 10, 6.0), (3, 30, 8.0))
    for share in (0.1, 0.3)
)
CLEAN = tuple(product((150, 300, 1000), (2, 3, 10)))


def make_noisy(n_clusters, n_features, distance, share, seed=0):
    """Blobs of 60 rows, and uniform rows around them, whose class is -1."""
    rng = np.random.default_rng([seed, n_clusters, n_features])
    X, y = make_apart_blobs([60] * n_clusters, n_features, distance, rng)
    low, high = X.min(axis=0), X.max(axis=0)
    edge, n_noise = 0.1 * (high - low), int(share * len(y))
    noise = rng.uniform(low - edge, high + edge, (n_noise, n_features))
    return np.vstack([X, noise]), np.append(y, np.full(n_noise, -1))


def left_out(X):
    """A mask of the rows that are left out."""
    _, kept = find_reach(Rbf(1.0), X, "auto")
    return ~np.isin(np.arange(len(X)), kept)


def rules():
    """A line for each rule."""
    noisy = [make_noisy(*own, seed) for own in NOISY for seed in range(3)]
    rng = np.random.default_rng(0)
    clean = [rng.normal(size=shape) for shape in CLEAN for _ in range(3)]
    for rule in (*product((5, 10), (2.0, 2.5, 3.0, 3.5), (0.47,)), (5, 3.0, 0.0)):
        with constant("OUTLIER_RULE", OutlierRule(*rule)):
            found = [(left_out(X), y) for X, y in noisy]
            noise = np.mean([out[y < 0].mean() for out, y in found])
            lost = np.mean([out[y >= 0].mean() for out, y in found])
            single = np.mean([left_out(X).mean() for X in clean])
        shares = f"noise {noise:.2f}, clusters {lost:.3f}, single {single:.3f}"
        print(f"{rule}: {shares}", flush=True)


def clusters():
    """A line for each set: indices, and numbers of clusters that HDBSCAN finds."""
    print("clusters, features, distance, noise: ours, HDBSCAN, its clusters")
    for own in NOISY:
        X, y = make_noisy(*own)
        model = MaxMarginClustering(own[0], outliers="auto", random_state=0).fit(X)
        peer = HDBSCAN(min_cluster_size=10, copy=True).fit(X)
        ours, theirs = (adjusted_rand_score(y, m.labels_) for m in (model, peer))
        print(f"{own}: {ours:.2f}, {theirs:.2f}, {peer.labels_.max() + 1}", flush=True)


def main():
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--clusters", action="store_true")
    warnings.simplefilter("ignore")
    rules()
    if parser.parse_args().clusters:
        clusters()


if __name__ == "__main__":
    main()
