"""Labeled, unlabeled and test rows of the self-labeling paper's experiments."""

from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np

from widemargin.datasets import load_benchmark
from widemargin_bench.draws import PartlyLabeled, percent_wrong

DIGITS = tuple(range(10))
N_LANDMARKS = 500


@dataclass(frozen=True)
class SelfLabelingDraw(PartlyLabeled):
    """Rows, and what a machine may be told of them.

    Attributes
    ----------
    known : dict
        What is known of the sizes of the classes, as parameters of a machine.
    n_landmarks : int or None
        For sparse machines.
    seed : int
        For what is random in a machine.
    """

    known: dict = field(default_factory=dict)
    n_landmarks: int | None = None
    seed: int = 0

    @property
    def gamma(self):
        """One over the mean squared distance of two rows, labeled or not."""
        return 1.0 / (2.0 * self.X.var(axis=0).sum())


@dataclass(frozen=True)
class DigitDraw(SelfLabelingDraw):
    """One digit (class 1) against the rest.

    Attributes
    ----------
    digit : int
    digits : ndarray of int, shape (n_samples,)
        All ten classes.
    """

    digit: int = 0
    digits: np.ndarray | None = None

    def all_digits(self):
        """The same rows and labels, in ten classes."""
        return replace(self, y=self.digits)

    def score_digit(self, model):
        """Errors in % of a machine for ten classes, as one for this digit."""
        free = ~self.labeled
        found, guess = model.transduction_[free], model.predict(self.X_test)
        return {
            "unlabeled_error": percent_wrong(found == self.digit, self.y[free]),
            "error": percent_wrong(guess == self.digit, self.y_test),
        }


def two_classes(row, run):
    """The sizes of Table 1; the share of positive rows is 1/2 up to kappa."""
    X, y = _two_class_set(row["set"])
    sizes = row["labeled"], row["unlabeled"], row["test"]
    order = _order_with_every_class(y, row["labeled"], run)
    labeled, unlabeled, test = np.split(order[: sum(sizes)], np.cumsum(sizes)[:2])
    if row["standardized"]:
        X = _standardized(X, np.concatenate([labeled, unlabeled]))
    return replace(
        SelfLabelingDraw.cut(X, y, labeled, unlabeled, test),
        known={"balance": {0: 0.5, 1: 0.5}, "balance_tolerance": row["kappa"]},
        n_landmarks=round(0.2 * (row["labeled"] + row["unlabeled"])),
    )


def digit_against_rest(row, run):
    """Official parts of USPS; a share of the training rows is labeled."""
    X, y, X_test, y_test = _usps_parts()
    n_labels = round(row["share"] * len(y))
    is_digit = (y == row["digit"]).astype(int)
    share = float(is_digit.mean())
    return DigitDraw(
        X,
        is_digit,
        _mask(y, _order_with_every_class(y, n_labels, run)[:n_labels]),
        X_test,
        (y_test == row["digit"]).astype(int),
        known={
            "balance": {0: 1.0 - share, 1: share},
            "balance_tolerance": 0.1 * share,
        },
        n_landmarks=N_LANDMARKS,
        seed=run,
        digit=row["digit"],
        digits=y,
    )


def ten_classes(row, run):
    """Published labels of uspst, or random ones of the official parts of USPS."""
    if row["set"] == "uspst":
        data = load_benchmark("uspst")
        X, y, test = data.data, data.target, (None, None)
        labeled = data.splits_labeled[run]
    else:
        X, y, *test = _usps_parts()
        labeled = _order_with_every_class(y, row["labels"], run)[: row["labels"]]
    return SelfLabelingDraw(
        X,
        y,
        _mask(y, labeled),
        *test,
        known={"balance": {d: float(np.mean(y == d)) for d in DIGITS}},
        n_landmarks=row["landmarks"],
        seed=run,
    )


@lru_cache
def _two_class_set(name):
    """Features and classes 0 and 1 of the rows that the paper uses."""
    data = load_benchmark(name)
    X, y = data.data, data.target
    if name == "splice":
        return X[: data.train_size, 27:34], y[: data.train_size]
    if name == "letter":
        return X[y < 2], y[y < 2]  # A and B
    if name == "usps":
        X, y = X[: data.train_size], y[: data.train_size]
        is_three_or_five = np.isin(y, (3, 5))
        return X[is_three_or_five], (y[is_three_or_five] == 5).astype(int)
    return X, y


@lru_cache
def _usps_parts():
    """Training rows and their digits, test rows and theirs."""
    data = load_benchmark("usps")
    n = data.train_size
    return data.data[:n], data.target[:n], data.data[n:], data.target[n:]


def _order_with_every_class(y, n_labels, run):
    """A random order of all rows, each class among the first `n_labels`."""
    rng, n_classes = np.random.default_rng(run), len(np.unique(y))
    while True:
        order = rng.permutation(len(y))
        if len(np.unique(y[order[:n_labels]])) == n_classes:
            return order


def _standardized(X, rows):
    """Features with the mean and spread of some rows taken off."""
    spread = X[rows].std(axis=0)
    return (X - X[rows].mean(axis=0)) / np.where(spread > 0, spread, 1.0)


def _mask(y, rows):
    labeled = np.zeros(len(y), dtype=bool)
    labeled[rows] = True
    return labeled
