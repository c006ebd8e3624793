"""Splits of Melacci and Belkin's paper: labels, U, V and T."""

from dataclasses import dataclass
from functools import cached_property
from itertools import islice

import numpy as np
from scipy import sparse
from sklearn.model_selection import StratifiedKFold

from widemargin.datasets import load_benchmark, make_two_moons
from widemargin.graphs import knn_adjacency
from widemargin.kernels import make_kernel
from widemargin_bench.benchmark import Row
from widemargin_bench.draws import (
    PartlyLabeled,
    draw_labels,
    inferred_classes,
    percent_wrong,
    timed,
)

N_FOLDS, N_REPEATS = 4, 3


@dataclass(frozen=True)
class Geometry:
    """What the paper takes as given when it measures time.

    Attributes
    ----------
    kernel : callable
    rows : array or CSR matrix
        Labeled and unlabeled rows, then those that are watched while training.
    gram : ndarray
        Kernel matrix of these rows.
    adjacency : CSR matrix
        Graph of the labeled and unlabeled rows.
    seconds : float
        Processor time to compute it.
    """

    kernel: object
    rows: np.ndarray
    gram: np.ndarray
    adjacency: sparse.csr_matrix
    seconds: float


@dataclass(frozen=True)
class Split(PartlyLabeled):
    """A split of a set; the labeled rows come first.

    Attributes
    ----------
    X_valid, y_valid : arrays
        The validation rows V; the test rows are T.
    row : Row
        With the settings of the set.
    watches_test : bool
        Whether errors on T are wanted while training, too, and not only those on V.
    """

    X_valid: np.ndarray | None = None
    y_valid: np.ndarray | None = None
    row: Row | None = None
    watches_test: bool = False

    @property
    def n_labeled(self):
        """Number of labels."""
        return int(self.labeled.sum())

    @property
    def n_classes(self):
        """Number of classes."""
        return len(np.unique(self.y))

    def error(self, guess, y):
        """Error in %; where classes are far from balanced, the mean over classes."""
        if not self.row["macro"]:
            return percent_wrong(guess, y)
        return float(np.mean([percent_wrong(guess[y == c], c) for c in np.unique(y)]))

    def fit(self, model, *, supervised=False):
        """Fit and tell the seconds; the geometry goes: an estimator has its own."""
        vars(self).pop("geometry", None)
        return super().fit(model, supervised=supervised)

    def score(self, model):
        """Errors on U, V and T."""
        free = ~self.labeled
        guess = inferred_classes(model, self.X, free)
        return {
            "unlabeled_error": self.error(guess, self.y[free]),
            "validation_error": self.error(model.predict(self.X_valid), self.y_valid),
            "error": self.error(model.predict(self.X_test), self.y_test),
        }

    @cached_property
    def geometry(self):
        """Kernel matrix and graph, for all methods that are no estimators."""
        found = {}
        seconds = timed(lambda: found.update(self._compute_geometry()))
        return Geometry(**found, seconds=seconds)

    def _compute_geometry(self):
        watched = [self.X_valid, self.X_test] if self.watches_test else [self.X_valid]
        rows = _stack([self.X, *watched])
        kernel = make_kernel(X=rows, rng=None, **self.row["kernel"])
        adjacency = knn_adjacency(
            self.X, self.row["neighbors"], self.row["graph_weights"]
        )
        gram = kernel(rows)
        return {"kernel": kernel, "rows": rows, "gram": gram, "adjacency": adjacency}


def draw_split(row, run, *, watches_test=False):
    """The split of that number; the first ones are one pass of the paper's protocol."""
    X, y, test = load(row, run)
    labeled, unlabeled, validation, out = _split_rows(row, y, test, run)
    rows = np.concatenate([labeled, unlabeled])
    return Split(
        X[rows],
        y[rows],
        np.arange(len(rows)) < len(labeled),
        X_test=X[out],
        y_test=y[out],
        X_valid=X[validation],
        y_valid=y[validation],
        row=row,
        watches_test=watches_test,
    )


def draw_watched_split(row, run):
    """The same split, with errors on T wanted along the way."""
    return draw_split(row, run, watches_test=True)


def load(row, run):
    """Features, classes from 0 and, where the data come split, the test rows."""
    name = row["set"]
    if name == "two moons":
        return _draw_moons(row, run)
    if name in ("mnist", "facemit"):
        return _subset(*_load_large(name), row, run)
    data = load_benchmark(name)
    y = np.unique(data.target, return_inverse=True)[1]
    if row["halved"]:
        y = (y >= (y.max() + 1) // 2).astype(int)
    return data.data, y, None


def _draw_moons(row, run):
    """A new sample: `size` rows to train on, V, and as many again for the test."""
    n_train = row["size"] + row["validation"]
    X, y = make_two_moons(n_train + row["size"], random_state=run)
    return X, y, np.arange(len(y)) >= n_train


def _subset(X, y, test, row, run):
    """All test rows and, where a `size` is wanted, so many training rows and V."""
    if row["size"] is None:
        return X, y, test
    n_train = row["size"] + row["validation"]
    train = np.random.default_rng(run).permutation(np.flatnonzero(~test))[:n_train]
    kept = np.concatenate([train, np.flatnonzero(test)])
    return X[kept], y[kept], test[kept]


def _load_large(name):
    """MNIST's 3 and 8 at unit length; the faces, training and test rows exchanged.

    The graph of the faces weighs so little that single precision does not see it.
    """
    if name == "facemit":
        data = load_benchmark(name)
        return data.data, data.target, np.arange(len(data.target)) < data.train_size
    data = load_benchmark(name, dtype=np.float32)
    kept = np.isin(data.target, [3, 8])
    X = data.data[kept]
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    test = np.flatnonzero(kept) >= data.train_size
    return X, (data.target[kept] == 8).astype(int), test


def _split_rows(row, y, test, run):
    """Positions of L, U, V and T; one generator draws all splits of a pass in turn."""
    n_splits = N_REPEATS * (N_FOLDS if test is None else 1)
    number, index = divmod(run, n_splits)
    rng = np.random.default_rng(number)
    for train, out in islice(_folds(y, test, number), index + 1):
        labeled = draw_labels(y, train, row["labels"], rng)
        rest = np.setdiff1d(train, labeled)
        validation = draw_labels(y, rest, row["validation"], rng)
    return labeled, np.setdiff1d(rest, validation), validation, out


def _folds(y, test, number):
    """Training and test rows of a pass: four folds three times, or the given ones."""
    for repeat in range(N_REPEATS):
        if test is not None:
            yield np.flatnonzero(~test), np.flatnonzero(test)
            continue
        seed = N_REPEATS * number + repeat
        yield from StratifiedKFold(N_FOLDS, shuffle=True, random_state=seed).split(y, y)


def _stack(parts):
    if sparse.issparse(parts[0]):
        return sparse.vstack(parts, format="csr")
    return np.concatenate(parts)
