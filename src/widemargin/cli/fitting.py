"""Between tables and models; nothing here prints or writes."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.pipeline import Pipeline

from widemargin.cli.estimates import choose_folds, estimate
from widemargin.labels import PartialLabels, has_label
from widemargin.model_files import load
from widemargin.tables.columns import examine_columns
from widemargin.tables.errors import TableError, check_columns
from widemargin.tables.preparation import make_features, make_preparation
from widemargin.tables.reading import describe_path
from widemargin.tables.targets import read_target

_ARCHIVE = b"PK"  # the first bytes of a model file
MACHINE = "machine"  # the last step of a pipeline


@dataclass(frozen=True)
class Sample:
    """Features of a table, and what its target column tells.

    Attributes
    ----------
    name : str
        What the table is called in messages.
    columns : list of Column
    X : DataFrame
        The columns that are used.
    y : ndarray or None
        Labels, partly missing.
    labels : PartialLabels or None
        What is known of them.
    """

    name: str
    columns: list
    X: pd.DataFrame
    y: np.ndarray | None = None
    labels: PartialLabels | None = None

    @property
    def counts(self):
        """Labeled rows of each class."""
        numbers = np.bincount(self.labels.codes).tolist()
        names = [str(name) for name in self.labels.classes]
        return dict(zip(names, numbers, strict=True))

    @property
    def n_unlabeled(self):
        """Number of rows to be labeled."""
        return len(self.X) - self.labels.n_labeled


def read_sample(table, target, reading, choices):
    """Read a table and decide what its columns are used as.

    Parameters
    ----------
    table : str
        A file, or "-".
    target : str or None
        Column of the labels.
    reading : Reading
    choices : Choices
    """
    name = describe_path(table)
    frame = reading.read(table, text=choices.categorical)
    y = labels = None
    as_names = [column for column in choices.categorical if column != target]
    if target is not None:
        check_columns([target], frame, name)
        if target in (*choices.numeric, *choices.dropped):
            raise TableError(
                f"Column {target!r} is the target; leave it out of --numeric and "
                "--drop."
            )
        is_named = target in choices.categorical
        y, labels = read_target(frame.pop(target), as_names=is_named)
    columns = examine_columns(
        frame,
        numeric=choices.numeric,
        categorical=as_names,
        dropped=choices.dropped,
        name=name,
    )
    return Sample(name, columns, make_features(frame, columns), y, labels)


def check_unlabeled(sample, target):
    """Raise `TableError` if there is nothing to infer."""
    if not sample.n_unlabeled:
        raise TableError(
            f"Column {target!r} has no empty cell: all {len(sample.y):,} rows of "
            f"{sample.name} are labeled. Add rows without a label, or learn from "
            "labeled rows alone with --method svm."
        )


def make_pipeline(sample, machine):
    """The preparation of a table's columns, and a machine on its features."""
    return Pipeline([("prepare", make_preparation(sample.columns)), (MACHINE, machine)])


def fit_and_estimate(sample, machine, *, n_folds, seed, tell):
    """Fit on all rows; before that, cross-validate over the labeled ones.

    Parameters
    ----------
    sample : Sample
    machine : estimator
    n_folds : int
        See `plan_folds`.
    seed : int
    tell : callable
        Called after each fold and after the fit.

    Returns
    -------
    model : Pipeline
    measured : Estimate or None
        None without folds.
    """
    model, measured = make_pipeline(sample, machine), None
    if n_folds:
        measured = estimate(
            model[0], machine, sample.X, sample.y, n_folds=n_folds, seed=seed, tell=tell
        )
    model.fit(sample.X, sample.y)
    tell()
    return model, measured


def plan_folds(sample, machine, n_folds):
    """As many folds as asked for, or as the labels of the machine's classes allow."""
    counts, irrelevant = sample.counts, getattr(machine, "irrelevant_label", None)
    if irrelevant is not None:
        counts.pop(str(irrelevant), None)
    return choose_folds(n_folds, list(counts.values()))


def tabulate_training(sample, model):
    """Label of each training row, its probability, and whether it was given."""
    machine = model[MACHINE]
    labels = getattr(machine, "transduction_", None)
    if labels is None:  # of a machine that knows new rows only
        labels, known = model.predict(sample.X), sample.labels
        labels[known.labeled] = known.classes[known.codes]
    table = _tabulate(model, sample.X, labels)
    irrelevant = has_label(sample.y, getattr(machine, "irrelevant_label", None))
    table["source"] = np.select(
        [irrelevant, sample.labels.labeled], ["irrelevant", "given"], "inferred"
    )
    return table


def tabulate_new(model, X):
    """Label of each new row and its probability, or its cluster."""
    labels = model.predict(X)
    if hasattr(model, "predict_proba"):
        return _tabulate(model, X, labels)
    return tabulate_clusters(labels)


def tabulate_clusters(labels):
    """Cluster of each row."""
    return pd.DataFrame({"row": np.arange(1, len(labels) + 1), "cluster": labels})


def load_model(path, advice="; make one: widemargin fit"):
    """The model in a file; `advice` is for what is something else."""
    if not Path(path).is_file():
        raise ValueError(f"There is no model file {path}; make one: widemargin fit.")
    with open(path, "rb") as file:
        if file.read(len(_ARCHIVE)) != _ARCHIVE:
            raise ValueError(f"{path} is not a model file of widemargin{advice}.")
    return load(path)


def _tabulate(model, X, labels):
    places = np.searchsorted(model.classes_, labels)
    rows = np.arange(len(labels))
    probabilities = model.predict_proba(X)[rows, places].round(6)
    table = pd.DataFrame(
        {"row": rows + 1, "label": labels, "probability": probabilities}
    )
    machine = model[-1] if isinstance(model, Pipeline) else model
    if hasattr(machine, "predict_relevance"):
        features = model[:-1].transform(X) if isinstance(model, Pipeline) else X
        table["relevant"] = machine.predict_relevance(features)
    return table
