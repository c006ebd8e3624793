"""From tables to models and predictions; nothing here prints or writes."""

import warnings
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.svm import SVC
from sklearn.utils.validation import has_fit_parameter

from widemargin.estimators.table_encoder import TableEncoder
from widemargin.labels import PartialLabels, has_label, known_names, labeled_mask
from widemargin.model_files import load
from widemargin.model_selection import SemiSupervisedSplit
from widemargin.tables import files
from widemargin.tables.columns import (
    LABEL_NEXT,
    RANDOM_CHECK,
    SUSPECT,
    UNCERTAIN,
    Kind,
    examine_columns,
    find_key,
    find_written,
)
from widemargin.tables.errors import TableError, check_columns
from widemargin.tables.files import describe_path
from widemargin.tables.targets import find_copies, read_target

BASELINE = "SVC on the labels alone"
_ARCHIVE = b"PK"  # the first bytes of a model file
_USES = {  # parameter of TableEncoder for columns of a kind
    Kind.NUMBERS: "numeric",
    Kind.CATEGORIES: "categorical",
    Kind.TEXT: "text",
    Kind.DATES: "dates",
    Kind.LEFT_OUT: "drop",
}


@dataclass(frozen=True)
class Table:
    """The columns of a table, and the labels in its target column."""

    name: str  # in messages
    columns: list
    X: pd.DataFrame  # all columns but the target
    y: np.ndarray | None = None  # partly missing
    labels: PartialLabels | None = None  # those that are known
    copies: tuple = ()  # columns that hold the target where it is known
    cells: pd.DataFrame | None = None  # the whole table as it stands in its file
    # Which labels are of random rows; None for all
    is_random: np.ndarray | None = None
    n_all: int | None = None  # rows of a folder, of which these are some
    target: str | None = None  # the column with the labels
    key: str | None = None  # the column of --id
    proposed_by: str = ""  # what proposed the rows whose labels are not random

    @property
    def n_rows(self):
        """Number of rows, also those that are not here."""
        return len(self.X) if self.n_all is None else self.n_all

    @property
    def counts(self):
        """Labeled rows of each class."""
        numbers = np.bincount(self.labels.codes).tolist()
        names = [str(name) for name in self.labels.classes]
        return dict(zip(names, numbers, strict=True))

    @property
    def naming_column(self):
        """The column that tells which row it is, of --id or found; None if none."""
        return find_key(self.columns) if self.key is None else self.key

    @property
    def shown_columns(self):
        """Columns that tell a person which row it is: a key, and those used."""
        used = [each.name for each in self.columns if each.kind is not Kind.LEFT_OUT]
        key = self.naming_column
        return used if key is None or key in used else [key, *used]

    @property
    def n_unlabeled(self):
        """Number of rows to be labeled."""
        return self.n_rows - self.labels.n_labeled


def read_table(path, target, reading, uses, store=None, **examining):
    """Read a table and decide what its columns are used as; a key is left out.

    Labels are those of the target column, or of a file that `widemargin label` wrote.
    """
    name = describe_path(path)
    text = (*uses.categorical, *uses.text)
    frame, cells = reading.read(path, text=text, target=target)
    is_random = None
    if store is not None:
        from widemargin.studio.sources import stored_column

        frame[target], is_random = stored_column(frame, cells, target, store)
    examining["is_random"] = is_random
    return make_table(name, frame, cells, target, uses, **examining)


def make_table(
    name, frame, cells, target, uses, *, key=None, is_random=None, day_first=None
):
    """Decide what the columns of a table are used as; a key is left out."""
    y, labels, is_key = None, None, False
    given = {use: [c for c in vars(uses)[use] if c != target] for use in vars(uses)}
    if key is not None:
        check_columns([key], frame, name)
        is_key = key not in (target, *given["drop"])
        if is_key:
            given["drop"].append(key)
    if target is not None:
        check_columns([target], frame, name)
        if any(target in vars(uses)[use] for use in vars(uses) if use != "categorical"):
            raise TableError(
                f"Column {target!r} is the target; leave it out of --numeric, --text, "
                "--dates and --drop."
            )
        is_named = target in uses.categorical
        y, labels = read_target(frame.pop(target), as_names=is_named)
    labeled = None if labels is None else labels.labeled
    examining = {"name": name, "labeled": labeled, "day_first": day_first}
    columns = examine_columns(frame, **given, **examining)
    if is_key:
        by_id = [replace(c, reason="by --id") if c.name == key else c for c in columns]
        columns = by_id
    used = [column.name for column in columns if column.kind is not Kind.LEFT_OUT]
    copies = () if y is None else find_copies(frame[used], y, labels.labeled)
    parts = {"cells": cells, "is_random": is_random, "target": target, "key": key}
    return Table(name, columns, frame, y, labels, copies, **parts)


def recall_proposed(table, model_path=None):
    """The table, with the labels of rows that an earlier fit proposed as not random.

    Such rows are named by a column `review` of the table, or by the report of a model
    that was fitted to the same rows. Those drawn as a check are random.
    """
    proposed, sources = _read_review(table.X), ["the column 'review'"]
    if not (proposed & table.labels.labeled).any():
        sources.clear()
    if model_path is not None and (rows := _read_proposed(table, model_path)).size:
        is_new = np.zeros(len(proposed), dtype=bool)
        is_new[rows] = True
        if (is_new & table.labels.labeled).any():
            sources.append(f"{model_path}, by row numbers")
        proposed |= is_new
    if not sources:
        return table
    return replace(table, is_random=~proposed, proposed_by=" and ".join(sources))


def _read_review(frame):
    """Rows that the last mark in columns of earlier predictions proposes."""
    proposed = np.zeros(len(frame), dtype=bool)
    names = [name for name in find_written(frame) if name.endswith("review")]
    for name in sorted(names, key=len):  # "predicted review" is later than "review"
        marks = frame[name].to_numpy(dtype=object)
        proposed |= marks == LABEL_NEXT
        proposed &= marks != RANDOM_CHECK
    return proposed


def _read_proposed(table, path):
    """Rows that the model in a file proposed, if it was fitted to rows like these."""
    none = np.zeros(0, dtype=np.intp)
    try:
        model = load_model(path)
    except (ValueError, OSError):  # no model, or one of another version
        return none
    is_pipeline = isinstance(model, Pipeline)
    report = getattr(model[-1], "report_", None) if is_pipeline else None
    encoder = model[0] if is_pipeline else None
    if report is None or not isinstance(encoder, TableEncoder):
        return none
    columns = [each.name for each in encoder.columns_]
    n_rows = report.n_labeled + report.n_unlabeled
    is_same = columns == [each.name for each in table.columns]
    is_same &= n_rows == len(table.X)
    is_same &= set(map(str, model.classes_)) <= set(map(str, table.labels.classes))
    if not is_same:
        return none
    checks = none if report.check_rows is None else report.check_rows
    before = none if report.chosen_rows is None else report.chosen_rows
    return np.union1d(np.setdiff1d(report.label_next, checks), before)


def check_labels_elsewhere(table, path, missing):
    """Raise `TableError` if the predictions to be replaced have labels of a person."""
    try:
        options = {"missing": missing, "target": table.target}
        before = files.read_table(path, **options)
    except (TableError, ValueError, OSError):  # of another kind, or none
        return
    if len(before) != len(table.X) or table.target not in before:
        return
    sources = [name for name in find_written(before) if name.endswith("source")]
    if not sources:
        return
    # Labels that were given when the file was written have been removed on purpose.
    was_given = (before[max(sources, key=len)] == "given").to_numpy()
    is_new = before[table.target].notna().to_numpy() & ~table.labels.labeled
    is_new &= ~was_given
    if is_new.any():
        raise TableError(
            f"{path} has {is_new.sum():,} labels in {table.target!r} that {table.name} "
            "does not have, and --force would replace them. Copy them there, or fit "
            f"{path} instead, or choose another name with --predictions."
        )


def check_unlabeled(table, target, offers):
    """Raise `TableError` if there is nothing to infer; advise supervised methods."""
    supervised = [key for key in offers if not offers[key].method.needs_unlabeled]
    if not table.n_unlabeled:
        raise TableError(
            f"Column {target!r} has no empty cell: all {len(table.y):,} rows of "
            f"{table.name} are labeled. Add rows without a label, or choose a method "
            f"that needs no such rows: --method {' or '.join(supervised)}."
        )


def name_irrelevant(estimator, table, pairs):
    """Let --set irrelevant_label=07 mean the text of a cell, not a number."""
    name, is_text = "irrelevant_label", table.labels.classes.dtype.kind in "OU"
    given = dict(pair.split("=", 1) for pair in pairs).get(name)
    if is_text and given is not None:
        estimator.set_params(**{name: given})


def make_pipeline(table, estimator):
    """The encoder of a table's columns, and an estimator on its features.

    All columns are listed, so that they are the same features in every fold.
    """
    uses = {use: [] for use in _USES.values()}
    for column in table.columns:
        uses[_USES[column.kind]].append(column.name)
    return Pipeline([("encode", TableEncoder(**uses)), ("model", estimator)])


def fit_and_estimate(table, estimator, *, n_folds, seed, advance):
    """The fitted model, and its `Estimate`, None without folds; advances a bar."""
    model, measured = make_pipeline(table, estimator), None
    if n_folds:
        options = {"n_folds": n_folds, "seed": seed, "advance": advance}
        measured = cross_validate(
            model, table.X, table.y, columns=table.columns, **options
        )
    options = {"encode__columns": table.columns}
    if table.is_random is not None and has_fit_parameter(estimator, "random_labels"):
        options["model__random_labels"] = table.is_random
    model.fit(table.X, table.y, **options)
    advance()
    return model, measured


@dataclass(frozen=True)
class Estimate:
    """How many labels were predicted correctly, each held out once."""

    n_folds: int
    n_rows: int  # labeled
    n_right: int  # by the method, on the other labeled rows and all unlabeled ones
    n_right_baseline: int  # by SVC(C=10) on the other labeled rows alone

    def as_json(self):
        """For scripts."""
        return {
            "folds": self.n_folds,
            "rows": self.n_rows,
            "accuracy": self.n_right / self.n_rows,
            "baseline": BASELINE,
            "baseline_accuracy": self.n_right_baseline / self.n_rows,
        }


def plan_folds(table, estimator, n_folds):
    """As many folds as wanted, or as the labels of the estimator's classes allow."""
    counts, irrelevant = table.counts, getattr(estimator, "irrelevant_label", None)
    if irrelevant is not None:
        counts.pop(str(irrelevant), None)
    return limit_folds(n_folds, list(counts.values()))


def limit_folds(n_folds, counts):
    """As many folds as the labeled rows of each class allow, 0 if they allow none."""
    second, largest = sorted([0, *counts])[-2:]
    return min(n_folds, largest) if second >= 2 else 0


def cross_validate(model, X, y, *, columns=None, n_folds, seed, advance):
    """Cross-validate over the labeled rows, columns included, beside an SVC."""
    preparation, estimator = model
    decided = {} if columns is None else {"columns": columns}
    irrelevant = getattr(estimator, "irrelevant_label", None)
    split = SemiSupervisedSplit(n_folds, random_state=seed, irrelevant_label=irrelevant)
    known = labeled_mask(y) & ~has_label(y, irrelevant)
    n_right = np.zeros(3, dtype=int)
    with warnings.catch_warnings():  # a class with fewer labels than folds
        warnings.filterwarnings("ignore", message="The least populated class")
        folds = list(split.split(X, y))
    for train, test in folds:
        prepare = clone(preparation).fit(X.iloc[train], **decided)
        features, held_out = (prepare.transform(X.iloc[rows]) for rows in (train, test))
        fitted = clone(estimator).fit(features, y[train])
        labeled = known[train]
        names, codes = np.unique(y[train][labeled], return_inverse=True)
        baseline = SVC(C=10).fit(features[labeled], codes)
        truth = y[test]
        found = fitted.predict(held_out), names[baseline.predict(held_out)]
        n_right += [len(test), *(int(np.sum(labels == truth)) for labels in found)]
        advance()
    return Estimate(n_folds, *n_right.tolist())


def tabulate_training(table, model):
    """Label of each training row, its probabilities, and whether it was given."""
    estimator = model[-1]
    labels = getattr(estimator, "transduction_", None)
    if labels is None:  # it only predicts
        labels, known = model.predict(table.X), table.labels
        labels[known.labeled] = known.classes[known.codes]
    is_given = table.labels.labeled
    frame = _tabulate_given(model, table.X, labels, is_given)
    irrelevant = has_label(table.y, getattr(estimator, "irrelevant_label", None))
    frame.loc[irrelevant, "source"] = "irrelevant"
    return frame


def tabulate_block(model, X, y, start):
    """The same for some of the training rows, of which the first is at `start`."""
    found, is_given = model.predict_proba(X), labeled_mask(y)
    labels = model.classes_[found.argmax(axis=1)]
    labels[is_given] = known_names(y)
    return _tabulate_given(model, X, labels, is_given, start, found)


def _tabulate_given(model, X, labels, is_given, start=0, found=None):
    """Labels with probabilities, whether they were given, and what to review."""
    table = _tabulate(model, X, labels, found)
    table["source"] = np.where(is_given, "given", "inferred")
    table["review"] = _review(table["probability"], model.classes_)
    table.loc[is_given, "review"] = None
    report = getattr(model[-1], "report_", None)
    if report is not None:
        marks = {LABEL_NEXT: report.label_next}
        if report.check_rows is not None:
            marks[RANDOM_CHECK] = report.check_rows
        marks[SUSPECT] = report.suspect_labels.rows
        for mark, rows in marks.items():
            own = rows[(rows >= start) & (rows < start + len(table))] - start
            table.loc[own, "review"] = mark
    return table


def tabulate_new(model, X):
    """Label of each new row and its probabilities, or its cluster."""
    labels = model.predict(X)
    if not hasattr(model, "predict_proba"):
        return tabulate_clusters(labels)
    table = _tabulate(model, X, labels)
    table["review"] = _review(table["probability"], model.classes_)
    return table


def tabulate_clusters(labels):
    """Cluster of each row."""
    return pd.DataFrame({"cluster": labels})


def join_table(cells, found, key=None):
    """The user's columns, or the key alone, with what was found beside them.

    A name that the table already has is written as "predicted ...".
    """
    kept = cells if key is None else cells[[key]]
    taken, names = set(kept.columns), []
    for name in found:
        while name in taken:
            name = f"predicted {name}"
        taken.add(name)
        names.append(name)
    return pd.concat([kept, found.set_axis(names, axis=1)], axis=1), names


def _review(probabilities, classes):
    """Which labels to look at: their probability is nearer to chance than to one."""
    chance = 1 / len(classes)
    marks = np.where(probabilities < (1 + chance) / 2, UNCERTAIN, None)
    return pd.array(marks, dtype="string")  # Parquet needs a type even if all are None


def load_model(path, advice="; widemargin fit writes one"):
    """The model in a file; `advice` ends the message for a file of another kind."""
    if not Path(path).is_file():
        raise ValueError(f"There is no model file {path}; widemargin fit writes one.")
    with open(path, "rb") as file:
        if file.read(len(_ARCHIVE)) != _ARCHIVE:
            raise ValueError(f"{path} is not a model file of widemargin{advice}.")
    return load(path)


def _tabulate(model, X, labels, found=None):
    """Labels and probabilities, which may have been found before."""
    places = np.searchsorted(model.classes_, labels)
    all_probabilities = (model.predict_proba(X) if found is None else found).round(6)
    probabilities = all_probabilities[np.arange(len(labels)), places]
    table = pd.DataFrame({"label": labels, "probability": probabilities})
    for name, column in zip(model.classes_, all_probabilities.T, strict=True):
        table[f"p({name})"] = column
    estimator = model[-1] if isinstance(model, Pipeline) else model
    if hasattr(estimator, "predict_relevance"):
        features = model[:-1].transform(X) if isinstance(model, Pipeline) else X
        table["relevant"] = estimator.predict_relevance(features)
    return table
