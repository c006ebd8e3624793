"""Columns that are filled in only with the label, and those that the library wrote."""

import warnings

import numpy as np
import pandas as pd
import pytest
from messy_tables import TABLES

from widemargin import FewLabelClassifier, TableEncoder
from widemargin.checks import DataWarning
from widemargin.tables.columns import (
    FILLED_WITH_LABEL,
    Kind,
    examine_columns,
    find_written,
)

N = 200
LABELED = np.arange(N) < 20


def reason_of(values, labeled=LABELED):
    frame = pd.DataFrame({"a": values, "b": np.linspace(0, 1, len(values))})
    column = examine_columns(frame, labeled=labeled)[0]
    return column.reason


def filled(rows, values=("x", "y")):
    cells = np.array(values, dtype=object)[np.arange(N) % len(values)]
    return np.where(rows, cells, None)


@pytest.mark.parametrize("n_later", [0, 3])
@pytest.mark.parametrize("values", [("x", "y"), (1.0, 2.0, 3.5)])
def test_a_column_that_is_filled_with_the_label_is_left_out(values, n_later):
    """Also if some labels were added after it was filled in."""
    rows = LABELED.copy()
    rows[: n_later + 1] = False
    rows[50] = True
    assert reason_of(filled(rows, values)) == FILLED_WITH_LABEL


@pytest.mark.parametrize(
    "rows",
    [
        np.ones(N, dtype=bool),
        np.arange(N) % 2 == 0,
        np.arange(N) < 40,  # as many other rows
        np.arange(N) < 10,  # half of the labels
        np.arange(N) >= 20,
    ],
)
def test_other_gaps_are_no_reason(rows):
    assert reason_of(filled(rows)) != FILLED_WITH_LABEL


def test_few_rows_may_be_filled_by_chance():
    rows = np.arange(N) < 2
    assert reason_of(filled(rows), rows) != FILLED_WITH_LABEL


@pytest.mark.parametrize("name", TABLES)
def test_messy_tables_have_no_such_column(name):
    frame = pd.DataFrame(TABLES[name].columns)
    columns = examine_columns(frame, labeled=np.arange(len(frame)) < 20)
    assert FILLED_WITH_LABEL not in [column.reason for column in columns]
    assert find_written(frame) == set()


def test_an_old_copy_does_not_change_the_predictions():
    """A model that used it would know nothing about the unlabeled rows."""
    rng = np.random.default_rng(0)
    truth = rng.choice(["a", "b"], N)
    X = pd.DataFrame({"x": rng.normal(size=N) + 2 * (truth == "a"), "t": "one"})
    X.loc[0, "x"] = np.nan
    y = np.where(LABELED, truth, None)
    stale = X.assign(old=np.where(np.arange(N) < 18, y, None))
    with pytest.warns(DataWarning, match="column 'old' of X is filled in almost only"):
        model = FewLabelClassifier(random_state=0).fit(stale, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        plain = FewLabelClassifier(random_state=0).fit(X, y)
    assert (model.predict_proba(stale) == plain.predict_proba(X)).all()
    used = TableEncoder(categorical=["old"]).fit(stale, y).columns_[-1]
    assert used.kind is Kind.CATEGORIES


def predictions(prefix="", **changed):
    n = 4
    columns = {
        "label": ["a", "b", "a", "b"],
        "probability": [0.9] * n,
        "p(a)": [0.9, 0.1, 0.9, 0.1],
        "p(b)": [0.1, 0.9, 0.1, 0.9],
        "source": ["given", "inferred", "inferred", "given"],
        "review": [None, "label next", "uncertain", None],
    } | changed
    return {prefix + name: cells for name, cells in columns.items()}


@pytest.mark.parametrize("prefix", ["", "predicted "])
def test_predictions_are_no_features(prefix):
    """Those of a table that has such columns of its own leave these alone."""
    own = {"x": range(4), "source": ["web", "app"] * 2} if prefix else {"x": range(4)}
    found = predictions(prefix)
    frame = pd.DataFrame(own | found)
    assert find_written(frame) == set(found)
    twice = pd.DataFrame(own | found | predictions(f"predicted {prefix}"))
    assert find_written(twice) == set(twice) - set(own)
    columns = {column.name: column for column in examine_columns(frame)}
    assert {columns[name].kind for name in found} == {Kind.LEFT_OUT}
    listed = {column.name: column for column in examine_columns(frame, numeric=["x"])}
    assert listed["x"].kind is Kind.NUMBERS


def test_corrected_labels_and_those_of_predict_are_predictions():
    frame = pd.DataFrame(predictions(label=["a", "c", "a", "b"])).drop(columns="source")
    assert find_written(frame) == set(frame)


@pytest.mark.parametrize(
    "columns",
    [
        {"label": ["a", "b"], "source": ["given", "inferred"], "probability": [1, 0]},
        predictions() | {"p(a)": [90, 10, 90, 10]},
        {"p(a)": [0.5], "p(b)": [0.5], "review": ["uncertain"]},
        {"prediction": [1], "probability": [0.5], "source": ["web"]},
    ],
)
def test_similar_columns_of_a_user_are_features(columns):
    assert find_written(pd.DataFrame(columns)) == set()


def test_an_export_of_the_labeling_page_has_predictions():
    columns = {"prediction": ["a", "b"], "probability": [0.9, 0.8]}
    columns |= {"source": ["labeled", "inferred"]}
    assert find_written(pd.DataFrame({"x": [1, 2]} | columns)) == set(columns)
