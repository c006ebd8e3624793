"""Sets that are drawn anew in each run, by name: ``make(n_rows, random_state)``.

Some have clusters that are the classes, some none at all, some that mislead.
"""

import numpy as np
from sklearn.datasets import make_blobs, make_circles, make_classification

from widemargin.datasets import make_gaussian4c, make_two_moons


def circles(n_rows, random_state):
    """A ring within another, both blurred."""
    return make_circles(n_rows, noise=0.1, factor=0.5, random_state=random_state)


def corners(n_rows, random_state):
    """Two classes at corners of a cube; half of the features are noise."""
    return make_classification(
        n_rows, 20, n_informative=5, n_redundant=5, random_state=random_state
    )


def pairs(n_rows, random_state):
    """Five classes of two clusters each, which overlap."""
    return make_classification(
        n_rows, 15, n_informative=8, n_classes=5, random_state=random_state
    )


def blobs(n_rows, random_state):
    """Six classes, a cluster each, which touch."""
    return make_blobs(n_rows, 10, centers=6, cluster_std=4.0, random_state=random_state)


def chessboard(n_rows, random_state):
    """Four fields of a board, no gap between them, and two features of noise."""
    X = np.random.default_rng(random_state).uniform(-1, 1, size=(n_rows, 4))
    return X, (X[:, 0] * X[:, 1] > 0).astype(int)


def one_cluster(n_rows, random_state):
    """A single cluster, cut in two by a plane."""
    X = np.random.default_rng(random_state).normal(size=(n_rows, 10))
    return X, (X[:, 0] + 0.5 * X[:, 1] > 0).astype(int)


def other_clusters(n_rows, random_state):
    """Two clusters far apart that have nothing to do with the two classes."""
    rng = np.random.default_rng(random_state)
    X, noise = rng.normal(size=(n_rows, 6)), rng.normal(size=n_rows)
    X[:, 0] += 6.0 * (rng.random(n_rows) < 0.5)
    return X, (X[:, 1] + 0.3 * noise > 0).astype(int)


def rare_class(n_rows, random_state):
    """A class of 15 % of the rows, beside the other one in three of eight features."""
    rng = np.random.default_rng(random_state)
    y = (rng.random(n_rows) < 0.15).astype(int)
    X = rng.normal(size=(n_rows, 8))
    X[:, :3] += 1.2 * y[:, None]
    return X, y


PRINTED = {"Gaussian4C": make_gaussian4c, "two moons": make_two_moons}  # in papers
OTHERS = {
    "circles": circles,
    "corners": corners,
    "pairs": pairs,
    "blobs": blobs,
    "chessboard": chessboard,
    "one cluster": one_cluster,
    "other clusters": other_clusters,
    "rare class": rare_class,
}
GENERATED = PRINTED | OTHERS
