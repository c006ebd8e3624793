"""Parts of a data set that a method is fitted to and scored on."""

import time
from dataclasses import dataclass

import numpy as np
from sklearn.metrics import adjusted_rand_score


@dataclass(frozen=True)
class PartlyLabeled:
    """Labeled rows, unlabeled rows, and perhaps rows for a test.

    Attributes
    ----------
    X : array or CSR matrix of shape (n_samples, n_features)
        Labeled and unlabeled rows.
    y : ndarray of int, shape (n_samples,)
        Their classes, 0, 1, ...; those of unlabeled rows are for scoring only.
    labeled : ndarray of bool, shape (n_samples,)
    X_test, y_test : arrays or None
        Rows that are not seen while fitting.
    scored : ndarray of bool, shape (n_samples,), or None
        Unlabeled rows on which errors are counted; by default all of them. Rows that
        belong to no class are not counted.
    seed : int
        For what is random in a method.
    """

    X: np.ndarray
    y: np.ndarray
    labeled: np.ndarray
    X_test: np.ndarray | None = None
    y_test: np.ndarray | None = None
    scored: np.ndarray | None = None
    seed: int = 0

    @classmethod
    def cut(cls, X, y, labeled_idx, unlabeled_idx, test_idx=None):
        """From positions in a set; the labeled rows come first."""
        rows = np.concatenate([labeled_idx, unlabeled_idx])
        labeled = np.arange(len(rows)) < len(labeled_idx)
        if test_idx is None:
            return cls(X[rows], y[rows], labeled)
        return cls(X[rows], y[rows], labeled, X[test_idx], y[test_idx])

    @property
    def y_partial(self):
        """Classes, -1 where there is no label."""
        return np.where(self.labeled, self.y, -1)

    @property
    def labeled_part(self):
        """Rows and classes of the labels alone."""
        return self.X[self.labeled], self.y[self.labeled]

    def fit(self, model, *, supervised=False):
        """Fit a model to all rows, or to labeled ones alone; seconds that it took."""
        given = self.labeled_part if supervised else (self.X, self.y_partial)
        return timed(lambda: model.fit(*given))

    def score(self, model):
        """Errors in % of a fitted model on the unlabeled rows and on the test rows."""
        free = ~self.labeled if self.scored is None else self.scored
        scores = {}
        if free.any():
            guess = inferred_classes(model, self.X, free)
            scores["unlabeled_error"] = percent_wrong(guess, self.y[free])
        if self.X_test is not None:
            scores["error"] = percent_wrong(model.predict(self.X_test), self.y_test)
        return scores

    def measure(self, model, *, supervised=False):
        """Fit and score: errors and seconds."""
        seconds = self.fit(model, supervised=supervised)
        return self.score(model) | {"fit_seconds": seconds}


@dataclass(frozen=True)
class Unlabeled:
    """Rows to be clustered, and the classes to compare with.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of int, shape (n_samples,)
    seed : int
        For what is random in a method.
    """

    X: np.ndarray
    y: np.ndarray
    seed: int = 0

    @property
    def n_clusters(self):
        """Number of classes."""
        return len(np.unique(self.y))

    def measure(self, model):
        """Fit and score: adjusted Rand index and seconds."""
        seconds = timed(lambda: model.fit(self.X))
        return {"ari": self.agreement(model_labels(model, self.X)),
                "fit_seconds": seconds}  # fmt: skip

    def agreement(self, labels):
        """Adjusted Rand index of clusters with the classes."""
        return float(adjusted_rand_score(self.y, labels))


def model_labels(model, X):
    """Clusters of the rows a model was fitted to."""
    labels = getattr(model, "labels_", None)
    return model.predict(X) if labels is None else labels


def inferred_classes(model, X, rows):
    """Classes of some of all rows.

    Those that a model fitted to all of them inferred; what it predicts where there are
    none, as self-training leaves rows that it is not sure of.
    """
    inferred = getattr(model, "transduction_", ())
    if len(inferred) != X.shape[0]:
        return model.predict(X[rows])
    guess = np.array(inferred[rows])
    open_rows = np.flatnonzero(rows)[guess == -1]
    if len(open_rows):
        guess[guess == -1] = model.predict(X[open_rows])
    return guess


def percent_wrong(guess, y):
    """Share of wrong classes in %."""
    return 100.0 * float(np.mean(guess != y))


def timed(work):
    """Seconds of processor time of a piece of work."""
    start = time.process_time()
    work()
    return time.process_time() - start


def draw_labels(y, rows, n_labels, rng):
    """Random positions among `rows`, at least one of each class of `y[rows]`."""
    classes = np.unique(y[rows])
    if len(classes) * 2 > n_labels:  # one of each first: drawing again would not end
        first = [rng.choice(rows[y[rows] == c]) for c in classes]
        rest = np.setdiff1d(rows, first)
        more = rng.choice(rest, n_labels - len(first), replace=False)
        return np.concatenate([first, more]).astype(np.intp)
    while True:
        chosen = rng.choice(rows, n_labels, replace=False)
        if len(np.unique(y[chosen])) == len(classes):
            return chosen
