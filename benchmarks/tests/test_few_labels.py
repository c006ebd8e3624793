import json
import os

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from pages import Page
from rich.console import Console
from scipy import sparse
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC

from widemargin_bench import Row, run_benchmark
from widemargin_bench.draws import PartlyLabeled
from widemargin_bench.html_report import make_page
from widemargin_bench.methods import label_folds, spread, tuned_svc
from widemargin_bench.results import summarize_benchmark
from widemargin_bench.runner import cells, failures
from widemargin_bench.tables import few_labels
from widemargin_bench.tables.few_labels import (
    BENCHMARKS,
    clean,
    mixed,
    shuffle_columns,
)
from widemargin_bench.text_report import print_summaries

CLEAN, MIXED, ELSEWHERE = BENCHMARKS


def row_of(name, n_labels, most_rows=200):
    options = {"set": name, "labels": n_labels, "most_rows": most_rows}
    return Row(name, options=options)


@pytest.fixture
def five_classes(monkeypatch, rng):
    """In place of a stored set of many classes."""
    y = np.repeat(np.arange(5), 30)
    X = np.c_[y, rng.normal(size=(150, 2))]
    monkeypatch.setattr(few_labels, "read_stored", lambda *_: (X, y))


@pytest.fixture
def words(monkeypatch, rng):
    """In place of a sparse set of two classes, whose rows have a column each."""
    y = np.arange(100) % 2
    X = sparse.random(100, 7, 0.4, format="csr", random_state=rng)
    monkeypatch.setattr(few_labels, "read_stored", lambda *_: (X, y))


def sorted_columns(X):
    return np.sort(X.toarray() if sparse.issparse(X) else X, axis=0)


def test_rows_say_the_true_number_of_labels():
    counts = {"clean": {}, "mixed": {}}
    for name, benchmark in zip(counts, (CLEAN, MIXED), strict=True):
        for row in benchmark.rows:
            assert row.name == f"{row.set}, {row['labels']} labels"
            assert row["unlabeled"] == name
            is_large = row.set in ("mnist", "facemit")
            assert row["most_rows"] <= (5000 if is_large else 2000)
            counts[name].setdefault(row.set, []).append(row["labels"])
    assert len(counts["clean"]) == len(counts["mixed"]) == 16
    assert counts["clean"].pop("letter") == [26, 50, 100]
    assert counts["clean"].pop("coil20") == [20, 50, 100]
    assert counts["mixed"].pop("letter") == [13, 20, 50, 100]
    for of_kind in counts.values():
        assert all(labels == [10, 20, 50, 100] for labels in of_kind.values())
    assert MIXED.row("letter, 13 labels")["about"] == "~10 labels"
    assert CLEAN.row("letter, 26 labels")["about"] == "~20 labels"


@pytest.mark.parametrize("benchmark", BENCHMARKS, ids=lambda b: b.name)
def test_quick_runs_have_few_rows(benchmark):
    rows, methods, n_runs = benchmark.plan(quick=True)
    assert {row["most_rows"] for row in rows} == {300}
    assert len(rows) == (3 if benchmark is ELSEWHERE else 5)
    assert len(methods) == 8
    assert n_runs == 1


@pytest.mark.parametrize("row", ELSEWHERE.rows[::4], ids=lambda row: row.name)
def test_every_set_from_elsewhere_can_be_drawn(row):
    options = dict(row.options, most_rows=150)
    draw = ELSEWHERE.draw(Row(row.name, options=options), 0)
    assert draw.labeled.sum() == row["labels"] == 10
    assert np.isfinite(draw.X).all()
    is_mixed = row.name.endswith(", mixed")
    assert is_mixed == (row["unlabeled"] == "mixed") == (draw.scored is not None)
    hidden = draw.scored if is_mixed else ~draw.labeled
    classes = set(draw.y[draw.labeled])
    assert classes == set(draw.y[hidden]) == set(range(len(classes)))
    assert not row.needs


def test_no_set_is_in_two_tables():
    assert {row.set for row in ELSEWHERE.rows}.isdisjoint(r.set for r in CLEAN.rows)
    assert ELSEWHERE.advice != CLEAN.advice == MIXED.advice


@pytest.mark.parametrize("name", ["two moons", "Gaussian4C"])
def test_clean_draw_has_few_labels_of_each_class(name):
    draw = clean(row_of(name, 10), 3)
    assert draw.labeled.sum() == 10
    assert len(draw.y) == 200
    assert set(draw.y[draw.labeled]) == {0, 1}
    assert draw.scored is None
    assert draw.seed == 3
    assert_array_equal(clean(row_of(name, 10), 3).X, draw.X)
    assert not np.array_equal(clean(row_of(name, 10), 4).X, draw.X)


def test_half_of_the_unlabeled_rows_are_shuffled():
    row = row_of("two moons", 20)
    draw, whole = mixed(row, 0), clean(row, 0)
    assert draw.labeled.sum() == 20
    assert draw.scored.sum() == 90
    assert len(draw.y) == 200
    assert not np.any(draw.scored & draw.labeled)
    kept = draw.labeled | draw.scored
    assert_array_equal(draw.y == -1, ~kept)
    place = {tuple(x): i for i, x in enumerate(whole.X)}
    found = [place[tuple(x)] for x in draw.X[kept]]
    assert_array_equal(whole.y[found], draw.y[kept])
    rest = np.setdiff1d(np.arange(200), found)
    assert_array_equal(sorted_columns(draw.X[~kept]), sorted_columns(whole.X[rest]))
    n_same = sum(tuple(x) in place for x in draw.X[~kept])
    assert n_same < 10


@pytest.mark.usefixtures("five_classes")
def test_rows_of_other_classes_are_irrelevant():
    draw = mixed(row_of("usps", 10), 1)
    classes = draw.X[:, 0]
    kept = draw.labeled | draw.scored
    assert draw.labeled.sum() == 10
    assert set(draw.y[draw.labeled]) == {0, 1, 2}
    assert_array_equal(draw.y[kept], classes[kept])
    assert set(classes[~kept]) == {3, 4}
    assert draw.scored.sum() == np.sum(~kept) == 60


@pytest.mark.usefixtures("words")
def test_sparse_rows_stay_sparse():
    draw = mixed(row_of("pcmac", 10), 0)
    assert draw.X.format == "csr"
    assert draw.X.shape == (100, 7)
    assert draw.scored.sum() == 45


def test_shuffled_columns_keep_their_values(rng):
    X = sparse.random(50, 6, 0.3, format="csr", random_state=rng)
    before = X.toarray()
    for rows in (X, before):
        found = shuffle_columns(rows, rng)
        assert_array_equal(sorted_columns(found), sorted_columns(before))
        dense = found.toarray() if sparse.issparse(found) else found
        assert not np.array_equal(dense, before)
    assert_array_equal(X.toarray(), before)


@pytest.mark.parametrize(
    ("counts", "n_folds"),
    [((5, 5), 5), ((9, 1), 5), ((2, 1, 1), 2), ((3, 2), 3), ((1, 1, 1), 0)],
)
def test_every_class_is_in_each_part_to_fit_on(counts, n_folds):
    y = np.repeat(np.arange(len(counts)), counts)
    folds = label_folds(y, 0)
    assert len(folds) == n_folds
    for fitted, held_out in folds:
        assert set(y[fitted]) == set(y)
        assert_array_equal(np.sort(np.r_[fitted, held_out]), np.arange(len(y)))
    if folds:
        held_out = np.concatenate([held_out for _, held_out in folds])
        alone = [i for i, code in enumerate(y) if counts[code] == 1]
        assert sorted(held_out) == sorted(set(range(len(y))) - set(alone))


def test_spread_is_that_of_the_usual_width(rng):
    X = rng.normal(size=(30, 4)) * (rng.random((30, 4)) < 0.5)
    y = np.arange(30) % 2
    expected = SVC(gamma="scale").fit(X, y).decision_function(X)
    for rows in (X, sparse.csr_matrix(X)):
        found = SVC(gamma=1 / spread(rows)).fit(X, y).decision_function(X)
        assert_allclose(found, expected)


@pytest.mark.parametrize(("n_labels", "is_tuned"), [(2, False), (10, True)])
def test_supervised_model_is_tuned_where_labels_allow(n_labels, is_tuned):
    class Noting(PartlyLabeled):
        def measure(self, model, *, supervised):
            model.fit(*self.labeled_part)
            return {"model": model, "supervised": supervised}

    draw = clean(row_of("two moons", n_labels), 0)
    found = tuned_svc(Noting(draw.X, draw.y, draw.labeled), None)
    assert found["supervised"]
    model = found["model"]
    assert isinstance(model, GridSearchCV) == is_tuned
    if not is_tuned:
        assert model.C == 10
        return
    grid = model.cv_results_["params"]
    assert len(grid) == 16
    assert grid[0]["C"] == 10  # which is taken if all are equal
    assert_allclose(grid[0]["gamma"], 1 / spread(draw.labeled_part[0]))


@pytest.mark.slow
def test_tiny_run_ends_in_answers(tmp_path):
    """From draws to the page, with generated rows."""
    summaries = []
    for benchmark in (CLEAN, MIXED):
        part = benchmark.part(rows=["two moons, 10 labels"], runs=2)
        store = run_benchmark(part, tmp_path, quick=True)
        records = store.read()
        assert failures(records) == {}
        assert len(cells(records)) == 16
        told = cells(records)["two moons, 10 labels", "FewLabelClassifier", 1]
        assert {"unlabeled_error", "estimated_error", "estimated_error_std"} < set(
            told["metrics"]
        )
        assert json.loads(json.dumps(told)) == told
        summaries.append(summarize_benchmark(benchmark, records, {}))
    console = Console(record=True, width=120)
    print_summaries(summaries, [], console)
    title = "FewLabelClassifier compared with a tuned SVC"
    text = console.export_text()
    assert title in text
    assert "covers 2 combinations of a data set" in text
    page = Page(make_page(summaries))
    assert title in page.text
    for part in ("clean", "mixed", "~10 labels"):
        assert part in text
        assert part in page.cells


@pytest.mark.slow
@pytest.mark.parametrize("benchmark", [CLEAN, MIXED], ids=lambda b: b.name)
def test_every_stored_set_can_be_drawn(benchmark):
    if not os.environ.get("WIDEMARGIN_DATA"):
        pytest.skip("needs the benchmark data: set WIDEMARGIN_DATA to their folder")
    for name in few_labels.STORED:
        row = next(row for row in benchmark.rows if row.set == name)
        part = Row(row.name, options=dict(row.options, most_rows=400))
        draw = benchmark.draw(part, 0)
        assert draw.labeled.sum() == row["labels"]
        assert draw.X.shape[0] <= 400
        scored = ~draw.labeled if draw.scored is None else draw.scored
        assert set(draw.y[scored]) <= set(draw.y[draw.labeled])
        n_free = np.sum(~draw.labeled)
        assert scored.sum() == (n_free if benchmark is CLEAN else n_free // 2)
