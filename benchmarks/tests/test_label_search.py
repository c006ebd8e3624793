"""Tables and figures of the paper on label search for least squares."""

import os
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from recorded import read_recorded

from widemargin_bench import find_benchmark
from widemargin_bench.benchmark import Row
from widemargin_bench.catalog import read_published
from widemargin_bench.statements import NotMeasured, Results
from widemargin_bench.stored_sets import list_sets
from widemargin_bench.tables.label_search import BENCHMARKS, FIVE, best_width
from widemargin_bench.tables.label_search_tuning import (
    EVOLUTION,
    LAMBDAS,
    RLSC,
    SMOOTHED,
    DirectSearch,
    SearchGrid,
    label_folds,
    mean_square,
    partition,
    pick,
    share_labels,
    tuned_on_labels,
    tuned_on_test,
)

TABLES = ("s2rlsc-table2", "s2rlsc-table3")
FREE_CELLS = {
    "s2rlsc-table2": ("Gaussian2C l=25", "RLSC"),
    "s2rlsc-table3": ("Gaussian4C l=50", "LIBSVM"),
    "s2rlsc-figure7": ("Gaussian2C 5 % unlabeled", "RLSC"),
    "s2rlsc-figure8": ("n=100", "S2RLSC"),
}
STORED_CELLS = {
    "s2rlsc-figure10": ("n=500", "SVC"),  # first: its set is still in memory
    "s2rlsc-table2": ("COIL 3-6 l=14", "RLSC"),
    "s2rlsc-figure9": ("USPS 2-5 1 %", "S2RLSC"),
}
FREE_ROWS = [(b, row) for b in BENCHMARKS for row in b.rows if not row.needs]


@pytest.fixture
def data():
    """Needed by tests that read the real sets."""
    if not os.environ.get("WIDEMARGIN_DATA"):
        pytest.skip("needs the benchmark data: set WIDEMARGIN_DATA to their folder")


@pytest.fixture
def small():
    """Few rows of two Gaussian clouds."""
    options = {"set": "gaussian2c", "pair": None}
    return partition(
        Row("small", options=options | {"labels": 10, "train": 40, "rows": 80}), 0
    )


def test_names_begin_with_the_paper_and_can_be_found():
    names = [benchmark.name for benchmark in BENCHMARKS]
    assert names == [*TABLES, *(f"s2rlsc-figure{i}" for i in (6, 7, 8, 9, 10))]
    assert all(find_benchmark(b.name) is b for b in BENCHMARKS)


def test_pictures_have_a_place_for_each_row():
    pictured = [b for b in BENCHMARKS if b.picture]
    assert len(pictured) == 5
    for benchmark in pictured:
        assert benchmark.x_label
        places = [(row.group, row.x) for row in benchmark.rows]
        assert len(set(places)) == len(places)
        assert all(x > 0 for _, x in places)


@pytest.mark.parametrize("benchmark", BENCHMARKS, ids=lambda b: b.name)
def test_row_sizes_leave_unlabeled_and_test_rows(benchmark):
    for row in benchmark.rows:
        assert 2 <= row["labels"] < row["train"] < row["rows"]
        assert row["labels"] + row.options.get("unlabeled", 0) <= row["train"]
        assert 1 <= row.options.get("landmarks", 1) < row["train"]


def test_sets_that_rows_need_exist(data):
    needed = {name for b in BENCHMARKS for row in b.rows for name in row.needs}
    assert needed == {"coil20_400", "usps", "mnist"}
    assert needed <= set(list_sets())


@pytest.mark.parametrize("name", TABLES)
def test_each_row_has_four_published_figures(name):
    figures, benchmark = read_published(name), find_benchmark(name)
    methods = ("RLSC", "LIBSVM", "UniverSVM", "S2RLSC")
    assert set(figures) == {
        (r.name, m, "error") for r in benchmark.rows for m in methods
    }
    assert len(figures) == 128
    assert all(0 <= f.value < 30 and 0 <= f.sd < 25 for f in figures.values())
    ran = {m.name for m in benchmark.methods if m.kind in ("paper", "baseline")}
    assert set(methods) < ran
    assert benchmark.metrics[0].name == "error"


@pytest.mark.parametrize(
    ("name", "row", "method", "value", "sd"),
    [
        ("s2rlsc-table2", "Gaussian2C l=25", "RLSC", 10.6, 2.3),
        ("s2rlsc-table2", "Gaussian4C l=25", "S2RLSC", 16.4, 22.2),
        ("s2rlsc-table2", "COIL 5-9 l=14", "UniverSVM", 6.9, 7.2),
        ("s2rlsc-table2", "USPS 8-0 l=22", "LIBSVM", 4.8, 1.7),
        ("s2rlsc-table2", "MNIST 3-8 l=50", "S2RLSC", 7.4, 3.0),
        ("s2rlsc-table3", "Gaussian4C l=25", "LIBSVM", 20.6, 11.5),
        ("s2rlsc-table3", "COIL 6-19 l=14", "S2RLSC", 4.8, 13.4),
        ("s2rlsc-table3", "USPS 2-5 l=16", "S2RLSC", 13.7, 12.2),
        ("s2rlsc-table3", "MNIST 1-7 l=50", "UniverSVM", 3.7, 2.5),
        ("s2rlsc-table3", "MNIST 3-8 l=20", "RLSC", 18.4, 11.7),
    ],
)
def test_some_published_figures(name, row, method, value, sd):
    figure = read_published(name)[row, method, "error"]
    assert (figure.value, figure.sd) == (value, sd)


@pytest.mark.parametrize("name", [f"s2rlsc-figure{i}" for i in (6, 7, 8, 9, 10)])
def test_figures_that_are_only_drawn_say_so(name):
    assert not read_published(name)
    assert "prints no figures" in find_benchmark(name).protocol


@pytest.mark.parametrize(
    ("benchmark", "row"), FREE_ROWS, ids=lambda item: item.name.replace(" ", "-")
)
def test_draws_of_generated_sets(benchmark, row):
    check_draws(benchmark, row)


@pytest.mark.parametrize(
    ("name", "row_name"),
    [
        ("s2rlsc-table3", "COIL 18-19 l=14"),
        ("s2rlsc-table2", "USPS 2-5 l=16"),
        ("s2rlsc-figure9", "USPS 8-0 5 %"),
        pytest.param("s2rlsc-figure10", "n=500", marks=pytest.mark.slow),
    ],
)
def test_draws_of_stored_sets(data, name, row_name):
    benchmark = find_benchmark(name)
    drawn = check_draws(benchmark, benchmark.row(row_name))
    assert drawn.X.min() == 0
    assert 0.9 < drawn.X.max() <= 1


def check_draws(benchmark, row):
    """Sizes, a label of each class, and the same draw for the same run alone."""
    drawn, again, other = (benchmark.draw(row, run) for run in (0, 0, 1))
    n_free = row.options.get("unlabeled", row["train"] - row["labels"])
    assert drawn.labeled.sum() == row["labels"]
    assert (~drawn.labeled).sum() == n_free
    assert len(drawn.y_test) == row["rows"] - row["train"]
    for part in (drawn, other):
        assert set(part.labeled_part[1]) == {0, 1}
    for name in ("X", "y", "labeled", "X_test", "y_test"):
        assert_array_equal(getattr(drawn, name), getattr(again, name))
    assert not np.array_equal(drawn.X, other.X)
    assert drawn.n_landmarks == row.options.get("landmarks")
    assert sum(drawn.shares.values()) == pytest.approx(1)
    return drawn


@pytest.mark.parametrize("name", FREE_CELLS)
def test_a_cell_of_generated_data(name):
    check_cell(name, *FREE_CELLS[name])


@pytest.mark.parametrize("name", STORED_CELLS)
def test_a_cell_of_stored_data(data, name):
    check_cell(name, *STORED_CELLS[name])


def check_cell(name, row_name, method_name):
    """All metrics of a cell are there and better than guessing."""
    benchmark = find_benchmark(name)
    drawn = benchmark.draw(benchmark.row(row_name), 0)
    metrics = benchmark.method(method_name).measure(drawn, None)
    assert set(metrics) == {metric.name for metric in benchmark.metrics}
    assert 0 <= metrics["error"] < 40
    assert 0 < metrics["fit_seconds"] < 10


def test_the_test_rows_pick_the_best_cell(small):
    models = RLSC.fit_all(small, small.y_partial, small.true_balance)
    errors = [small.error(model) for model in models]
    assert min(errors) < max(errors)
    assert tuned_on_test(RLSC)(small, None)["error"] == min(errors)


@pytest.mark.slow
def test_the_labels_pick_without_the_test_rows_and_hidden_classes(small):
    """Other classes of the rows that are not labeled change nothing but the score."""
    measure = tuned_on_labels(SearchGrid(SMOOTHED))
    wrong = type(small)(
        small.X, np.where(small.labeled, small.y, 1 - small.y), small.labeled,
        small.X_test, 1 - small.y_test, shares={0: 0.1, 1: 0.9}, seed=small.seed,
    )  # fmt: skip
    errors = [measure(drawn, None)["error"] for drawn in (small, wrong)]
    assert sum(errors) == pytest.approx(100)


def test_final_models_are_those_of_the_grid(small):
    """A cell fitted alone decides as the same cell of a path does."""
    grid, balance = SearchGrid(SMOOTHED), small.true_balance
    models = grid.fit_all(small, small.y_partial, balance)
    assert len(models) == grid.n_curves * len(LAMBDAS)
    for cell in (0, 8, len(LAMBDAS), len(models) - 1):
        alone = grid.final(small, balance, cell).fit(small.X, small.y_partial)
        assert_allclose(
            alone.decision_function(small.X_test),
            models[cell].decision_function(small.X_test),
            rtol=1e-6,
            atol=1e-9,
        )


def test_folds_hide_each_label_once_but_the_only_one_of_a_class(small):
    hidden = np.concatenate([positions for positions, _ in label_folds(small)])
    assert sorted(hidden) == list(range(10))
    lonely = np.where(np.arange(len(small.y)) == 3, 1, 0)
    drawn = type(small)(small.X, lonely, small.labeled)
    folds = label_folds(drawn)
    assert sorted(np.concatenate([p for p, _ in folds])) == [
        i for i in range(10) if i != 3
    ]
    for positions, y in folds:
        assert_array_equal(np.flatnonzero((y < 0) & drawn.labeled), positions)


def test_pick_prefers_a_wide_valley_and_then_the_lower_loss():
    lucky = np.array([[-1.0], [1], [-1], [1], [1], [1]])  # one right among wrong ones
    assert pick(lucky) == 4  # the first whose neighbors are right; all losses equal
    confident = np.array([[0.5], [0.9], [0.5]])
    assert pick(confident) == 1
    assert pick(np.array([[-1.0], [-1], [1], [1]]), n_curves=2) == 2


def test_shares_of_labels_count_each_class_once_more():
    balance = share_labels(np.array([0, 0, 1, -1, -1]))
    assert balance.shares == {0: 0.6, 1: 0.4}
    assert balance.tolerance == 0.2


def test_direct_fitness_is_the_least_objective(small):
    """The resolvent gives the minimum over functions that least squares finds."""
    model = DirectSearch(small.true_balance, 2).fit(small.X, small.y_partial)
    loss = np.where(small.labeled, 1 / 10, 1 / 30)
    scores = small.X @ model.weights_
    norm = model.weights_ @ model.weights_
    assert_allclose(loss @ (model.signs_ - scores) ** 2 + norm, model.fitness_)
    gradient = small.X.T @ (loss * (scores - model.signs_)) + model.weights_
    assert_allclose(gradient, 0, atol=1e-10)
    assert_array_equal(model.signs_[:10] > 0, small.y[:10] == 1)


def test_direct_search_finds_what_the_shortcut_finds(small):
    direct = DirectSearch(small.true_balance, 20).fit(small.X, small.y_partial)
    shortcut = EVOLUTION.model(
        small.true_balance, 20, ambient_reg=1 / mean_square(small.X), unlabeled_weight=1
    ).fit(small.X, small.y_partial)
    assert_allclose(direct.fitness_, shortcut.objective_, rtol=1e-6)
    assert_array_equal(direct.signs_ > 0, shortcut.transduction_ == 1)


def test_the_best_width_is_that_of_runs_with_all_widths():
    """In any order of the stored runs; an unfinished width has fewer of them."""
    summary = read_recorded().summary("s2rlsc-figure6")
    names = [row.name for row in summary.benchmark.rows]

    def shown(runs_of):
        cells = dict(summary.cells)
        for place, name in enumerate(names):
            for method in ("RLSC", "LIBSVM", FIVE):
                key = name, method, summary.first_metric.name
                values = {run: float(run + place) for run in runs_of(place)}
                cells[key] = replace(cells[key], values=values)
        return best_width(Results([replace(summary, cells=cells)]))

    assert "RLSC 1.0 %" in shown(lambda place: [2, 1, 0] if place else [0, 1, 2])
    assert "RLSC 0.5 %" in shown(lambda place: [1, 0] if place else [0, 1, 2])
    with pytest.raises(NotMeasured):
        shown(lambda place: [0] if place else [1])
