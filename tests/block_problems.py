"""Small problems for fits on blocks: few rows are gathered, and anchors are few."""

from functools import partial

import numpy as np

from widemargin.blocks import anchor_rows, join_anchors
from widemargin.datasets import hide_labels, make_sheets
from widemargin.defaults import ANCHORS
from widemargin.estimators import _candidates, few_label_classifier

N_ROWS, N_GATHERED = 1500, 300
COLUMNS = [f"x{i}" for i in range(20)]


def make_problem(n_rows=N_ROWS):
    """Rows, true classes, and labels of which most are hidden."""
    X, y = make_sheets(
        n_rows,
        n_sheets=4,
        n_classes=2,
        n_features=len(COLUMNS),
        noise=0.2,
        random_state=0,
    )
    return X, y, hide_labels(y, 30, rng=0)


def use_few_rows(monkeypatch):
    """Let fits on blocks gather few rows, as if there were too many."""
    for function in (anchor_rows, join_anchors):
        few = partial(function, n_gathered=N_GATHERED, rule=ANCHORS)
        monkeypatch.setattr(few_label_classifier, function.__name__, few)
    monkeypatch.setattr(_candidates, "GATHERED_ROWS", N_GATHERED)


def accuracy(model, X, y):
    return float(np.mean(model.predict(X) == y))
