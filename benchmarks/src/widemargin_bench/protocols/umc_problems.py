"""Thirty-two problems of clustering: those of the paper and others.

Tables whose columns have different units are standardized; iris is not, as in the
paper.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from sklearn import datasets
from sklearn.preprocessing import StandardScaler

from widemargin.datasets import load_benchmark


@dataclass(frozen=True)
class Problem:
    """A set, and what part of it.

    Attributes
    ----------
    read : callable
        Returns features and classes.
    needs : tuple of str
        Sets of `load_benchmark` that are read.
    classes : sequence of int or None
        Classes that are kept; None for all.
    n_rows : int or None
        Number of random rows of these; None for all.
    seed : int
        Of the random rows.
    standard : bool
        Whether features are standardized.
    """

    read: Callable
    needs: tuple[str, ...] = ()
    classes: tuple[int, ...] | range | None = None
    n_rows: int | None = None
    seed: int = 0
    standard: bool = False

    def load(self):
        """Features, and classes numbered from 0."""
        X, y = self.read()
        if self.classes is not None:
            kept = np.isin(y, self.classes)
            X, y = X[kept], y[kept]
        if self.n_rows is not None:
            rows = np.random.default_rng(self.seed).permutation(len(y))[: self.n_rows]
            X, y = X[rows], y[rows]
        if self.standard:
            X = StandardScaler().fit_transform(X)
        return X, np.unique(y, return_inverse=True)[1]


def stored(name, *args, **options):
    """A problem from a set of the data folder."""
    return Problem(partial(_read_stored, name), (name,), *args, **options)


def bundled(name, *args, **options):
    """A problem from a set that comes with scikit-learn."""
    read = partial(getattr(datasets, f"load_{name}"), return_X_y=True)
    return Problem(read, (), *args, **options)


def generated(make, *args, **options):
    """A problem that is computed."""
    return Problem(partial(make, *args, **options))


def _read_stored(name):
    """Rows of a set; all three classes where the papers join two of them."""
    data = load_benchmark(name)
    return data.data, data.get("target3", data.target)


def _make_blobs(sizes, deviation, n_features, seed):
    """Gaussian clusters of the given sizes around random centers."""
    rng = np.random.default_rng(seed)
    centers = rng.uniform(-5, 5, (len(sizes), n_features))
    y = np.repeat(np.arange(len(sizes)), sizes)
    return centers[y] + deviation * rng.normal(size=(len(y), n_features)), y


PROBLEMS = {
    "iris": bundled("iris"),
    "moons": generated(datasets.make_moons, 500, noise=0.05, random_state=0),
    "moons.1": generated(datasets.make_moons, 500, noise=0.1, random_state=1),
    "circles": generated(
        datasets.make_circles, 500, factor=0.4, noise=0.06, random_state=0
    ),
    "blobs4": generated(_make_blobs, [300, 100, 60, 40], 1.3, 5, 1),
    "blobs10": generated(_make_blobs, [80] * 5 + [40] * 5, 1.0, 3, 2),
    "wine": bundled("wine", standard=True),
    "breast": bundled("breast_cancer", standard=True),
    "thyroid": stored("thyroid", standard=True),
    "ionosphere": stored("ionosphere", standard=True),
    "pima": stored("pima", standard=True),
    "waveform": stored("waveform", None, 600, standard=True),
    "g50c": stored("g50c"),
    "coil1-4": stored("coil20", range(1, 5)),
    "coil5-8": stored("coil20", range(5, 9)),
    "coil9-14": stored("coil20", range(9, 15)),
    "coil11-20": stored("coil20", range(11, 21)),
    "usps1-4": stored("usps", range(1, 5), 500),
    "usps5-8": stored("usps", range(5, 9), 500),
    "usps2,7": stored("usps", (2, 7), 400, 2),
    "usps3,8": stored("usps", (3, 8), 400),
    "usps0-9": stored("usps", None, 800, 1),
    "uspst": stored("uspst", None, 700),
    "mnist0-4": stored("mnist", range(5), 600),
    "mnist5-9": stored("mnist", range(5, 10), 600),
    "digits": bundled("digits", None, 1000),
    "digits0,3,8": bundled("digits", (0, 3, 8)),
    "letterA-D": stored("letter", range(4), 500),
    "letterE-H": stored("letter", range(4, 8), 500),
    "letterN-R": stored("letter", range(13, 18), 600, standard=True),
    "letterA-J": stored("letter", range(10), 800, standard=True),
    "coil20": stored("coil20"),
}
