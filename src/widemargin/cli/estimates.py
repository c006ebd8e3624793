"""How well a method does on labels that it has not seen, beside labels alone."""

import warnings
from dataclasses import dataclass

import numpy as np
from sklearn.base import clone
from sklearn.svm import SVC

from widemargin.labels import has_label, labeled_mask
from widemargin.model_selection import SemiSupervisedSplit

BASELINE = "SVC on the labels alone"


@dataclass(frozen=True)
class Estimate:
    """Of how many labeled rows, each left out once, the label was found.

    Attributes
    ----------
    n_folds : int
    n_rows : int
        Labeled rows.
    n_right : int
        By the method, fitted on the other labeled rows and all unlabeled ones.
    n_right_baseline : int
        By scikit-learn's ``SVC(C=10)`` on the other labeled rows alone.
    """

    n_folds: int
    n_rows: int
    n_right: int
    n_right_baseline: int

    def as_json(self):
        """For scripts."""
        return {
            "folds": self.n_folds,
            "rows": self.n_rows,
            "accuracy": self.n_right / self.n_rows,
            "baseline": BASELINE,
            "baseline_accuracy": self.n_right_baseline / self.n_rows,
        }


def choose_folds(n_folds, counts):
    """As many folds as the labels allow, 0 if they allow none.

    Parameters
    ----------
    n_folds : int
        As many are wanted.
    counts : sequence of int
        Labeled rows of each class.
    """
    second, largest = sorted([0, *counts])[-2:]
    return min(n_folds, largest) if second >= 2 else 0


def estimate(preparation, machine, X, y, *, n_folds, seed, tell):
    """Cross-validate over the labeled rows, on the same features.

    Parameters
    ----------
    preparation : transformer
        Fitted anew in each fold, on all rows but those left out.
    machine : estimator
    X : DataFrame
    y : ndarray
        Partly labeled.
    n_folds, seed : int
    tell : callable
        Called after each fold.
    """
    irrelevant = getattr(machine, "irrelevant_label", None)
    split = SemiSupervisedSplit(n_folds, random_state=seed, irrelevant_label=irrelevant)
    known = labeled_mask(y) & ~has_label(y, irrelevant)
    n_right = np.zeros(3, dtype=int)
    with warnings.catch_warnings():  # a class with fewer labels than folds
        warnings.filterwarnings("ignore", message="The least populated class")
        folds = list(split.split(X, y))
    for train, test in folds:
        prepare = clone(preparation).fit(X.iloc[train])
        features, held_out = (prepare.transform(X.iloc[rows]) for rows in (train, test))
        model = clone(machine).fit(features, y[train])
        labeled = known[train]
        names, codes = np.unique(y[train][labeled].tolist(), return_inverse=True)
        baseline = SVC(C=10).fit(features[labeled], codes)
        truth = np.array(y[test].tolist())
        found = model.predict(held_out), names[baseline.predict(held_out)]
        n_right += [len(test), *(int(np.sum(labels == truth)) for labels in found)]
        tell()
    return Estimate(n_folds, *n_right.tolist())
