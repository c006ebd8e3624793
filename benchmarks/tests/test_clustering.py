import os

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from recorded import read_recorded

from widemargin_bench.catalog import Figure, read_published
from widemargin_bench.statements import NotMeasured
from widemargin_bench.tables.clustering import (
    BENCHMARKS,
    EQUAL,
    EQUAL_SIZES,
    FIGURE_3,
    FIGURE_4,
    FIGURE_5,
    LABEL_FREE,
    PROBLEMS,
    RESHAKEN,
    TABLE_1,
    TABLE_2,
    Grid,
    LabelSearch,
    best_cell,
    choose_cells,
)

SETS = {
    "coil20", "g50c", "ionosphere", "letter", "mnist", "pima", "thyroid", "usps",
    "uspst", "waveform",
}  # fmt: skip
PAPER_METHODS = {
    "SC", "GMM", "K-means", "CPMMC", "Stoc-RLS", "Steep-RLS", "UMC-RLS",
}  # fmt: skip
TABLES = {"umc-table1": TABLE_1, "umc-table2": TABLE_2}
CELL = {"width": 4, "exponent": -4}
FREE_ROWS = {
    "umc-table1": "Iris",
    "umc-table2": "Iris",
    "umc-equal-sizes": "Iris",
    "umc-label-free": "iris",
}


@pytest.fixture
def data_folder():
    """Folder of the real data, where the environment names one."""
    folder = os.environ.get("WIDEMARGIN_DATA")
    if not folder:
        pytest.skip("needs the benchmark data: set WIDEMARGIN_DATA to their folder")
    return folder


def by_name(benchmarks):
    return pytest.mark.parametrize("benchmark_", benchmarks, ids=lambda b: b.name)


def test_names_are_unique_and_begin_with_the_paper():
    names = [benchmark.name for benchmark in BENCHMARKS]
    assert len(set(names)) == len(names) == 7
    assert all(name.startswith("umc-") for name in names)


@by_name(BENCHMARKS)
def test_rows_need_sets_that_exist(benchmark_):
    assert {name for row in benchmark_.rows for name in row.needs} <= SETS


@by_name(BENCHMARKS)
def test_every_method_is_of_a_known_kind_and_ours_is_there(benchmark_):
    kinds = {method.kind for method in benchmark_.methods}
    assert kinds <= {"paper", "baseline", "ours", "peer"}
    assert "ours" in kinds


@by_name([b for b in BENCHMARKS if b.picture])
def test_rows_of_pictures_have_growing_places(benchmark_):
    places = [row.x for row in benchmark_.rows]
    assert len(places) >= 5
    assert places == sorted(set(places))


@pytest.mark.parametrize("name", TABLES)
def test_published_figures_belong_to_the_table(name):
    figures, table = read_published(name), TABLES[name]
    assert {row for row, _, _ in figures} == {row.name for row in table.rows}
    assert {method for _, method, _ in figures} == PAPER_METHODS
    assert {metric for _, _, metric in figures} == {table.metrics[0].name}
    ran = {method.name for method in table.methods}
    assert ran >= PAPER_METHODS


@pytest.mark.parametrize(
    ("name", "missing"),
    [
        ("umc-table1", {("Coil", "CPMMC"), ("Coil 1-4", "Steep-RLS")}),
        ("umc-table2", {("Coil", "CPMMC")}),
    ],
)
def test_published_figures_are_complete(name, missing):
    expected = {(row.name, m) for row in TABLES[name].rows for m in PAPER_METHODS}
    figures = read_published(name)
    assert {key[:2] for key in figures} == expected - missing
    assert all(0 <= figure.value <= 1 for figure in figures.values())


@pytest.mark.parametrize(
    ("row", "method", "mean", "sd", "largest"),
    [
        ("Coil", "SC", 0.74, 0.01, 0.75),
        ("Coil", "UMC-RLS", 0.84, 0.06, 1.00),
        ("Coil 1-4", "Stoc-RLS", 0.29, 0.11, 0.50),
        ("Coil 5-8", "GMM", 0.61, 0.03, 0.65),
        ("Iris", "K-means", 0.70, 0.09, 0.62),
        ("Letter", "Steep-RLS", 0.20, 0.12, 0.36),
        ("Moons", "CPMMC", 0.69, 0.45, 0.99),
        ("USPS 1-4", "CPMMC", 0.59, 0.19, 0.92),
        ("USPS 5-8", "SC", 0.93, 0.00, 0.93),
        ("USPS 5-8", "UMC-RLS", 0.91, 0.02, 0.93),
    ],
)
def test_published_values(row, method, mean, sd, largest):
    assert read_published("umc-table1")[row, method, "ari"] == Figure(mean, sd)
    largest_of_ten = read_published("umc-table2")[row, method, "largest_ari"]
    assert largest_of_ten == Figure(largest)


def test_only_one_published_maximum_is_below_its_mean():
    """The known misprint; any other would be an error in our copy."""
    largest = read_published("umc-table2")
    below = {
        (row, method)
        for (row, method, _), mean in read_published("umc-table1").items()
        if largest[row, method, "largest_ari"].value < mean.value
    }
    assert below == {("Iris", "K-means")}


def test_there_are_32_problems_with_all_their_classes():
    assert len(PROBLEMS) == len(LABEL_FREE.rows) == 32
    free = [problem for problem in PROBLEMS.values() if not problem.needs]
    assert len(free) == 10
    for problem in free:
        X, y = problem.load()
        assert len(X) == len(y)
        assert_array_equal(np.unique(y), np.arange(y.max() + 1))


def test_problems_of_the_paper_have_its_sizes(data_folder):
    sizes = {
        "Coil": (1440, 20), "Coil 1-4": (288, 4), "Coil 5-8": (288, 4),
        "Iris": (150, 3), "Letter": (500, 4), "Moons": (500, 2),
        "USPS 1-4": (500, 4), "USPS 5-8": (500, 4),
    }  # fmt: skip
    draws = {row.name: TABLE_1.draw(row, 0) for row in TABLE_1.rows}
    assert {name: (len(d.y), d.n_clusters) for name, d in draws.items()} == sizes


def test_equal_sizes_are_asked_where_classes_have_them(data_folder):
    for row in EQUAL_SIZES.rows:
        assert len(set(np.bincount(EQUAL_SIZES.draw(row, 0).y))) == 1


def test_runs_on_a_problem_differ_in_their_seed_only():
    row = LABEL_FREE.row("blobs4")
    first, again, other = (LABEL_FREE.draw(row, run) for run in (0, 0, 1))
    assert_array_equal(first.X, again.X)
    assert_array_equal(first.X, other.X)
    assert (first.seed, again.seed, other.seed) == (0, 0, 1)


def test_runs_on_a_subset_have_other_rows(data_folder):
    row = FIGURE_3.rows[0]
    first, again, other = (FIGURE_3.draw(row, run) for run in (0, 0, 1))
    assert_array_equal(first.X, again.X)
    assert_array_equal(first.y, again.y)
    assert first.X.shape == other.X.shape == (200, 1024)
    assert not np.array_equal(first.X, other.X)
    assert first.n_clusters == other.n_clusters == 20


def test_labels_choose_the_best_cell():
    """The chosen cell is the best of the cells, searched one by one."""
    single = {
        (width, exponent): best_cell("iris", "UMC-RLS", Grid((width,), (exponent,), 2))
        for width in (1, 4)
        for exponent in (-9, -4)
    }
    best = best_cell("iris", "UMC-RLS", Grid((1, 4), (-9, -4), 2))
    assert best == max(single.values(), key=lambda cell: cell["ari"])
    assert best["ari"] > min(cell["ari"] for cell in single.values())


def test_only_searches_have_a_cell_to_choose():
    row = TABLE_1.row("Iris")
    chosen = choose_cells(row, ["UMC-RLS", "K-means", "MaxMarginClustering"], True)
    assert chosen["UMC-RLS"].keys() == {"width", "exponent", "ari"}
    assert chosen["K-means"] is chosen["MaxMarginClustering"] is None


def test_other_starts_lead_elsewhere_unless_there_are_two_clusters():
    X, _ = PROBLEMS["blobs10"].load()
    first, again, other = (
        LabelSearch("Steep-RLS", 10, 3, -3, start).fit(X).labels_ for start in (0, 0, 1)
    )
    assert_array_equal(first, again)
    assert not np.array_equal(first, other)
    X, _ = PROBLEMS["moons"].load()
    found = [LabelSearch("UMC-RLS", 2, 1, -3, start).fit(X).labels_ for start in (0, 1)]
    assert_array_equal(*found)


def test_clusters_are_of_one_size_if_told_so():
    X, _ = PROBLEMS["blobs4"].load()
    equal, free = (
        np.bincount(LabelSearch(method, 4, 4, -4).fit(X).labels_)
        for method in (EQUAL, RESHAKEN)
    )
    assert_array_equal(equal, [125] * 4)
    assert free.max() > 125


def test_published_result_on_iris_reproduces():
    row, search = TABLE_1.row("Iris"), TABLE_1.method("UMC-RLS")
    aris = [search.measure(TABLE_1.draw(row, run), CELL)["ari"] for run in range(10)]
    printed = read_published("umc-table1")["Iris", "UMC-RLS", "ari"]
    assert round(float(np.mean(aris)), 2) == printed.value
    assert np.std(aris) < 0.005


@pytest.mark.parametrize("method", ["Stoc-RLS", "K-means"])
def test_second_table_has_the_luckiest_run_of_the_first(method):
    row = TABLE_1.row("Iris")
    measure = TABLE_1.method(method).measure
    runs = [measure(TABLE_1.draw(row, run), CELL)["ari"] for run in range(10)]
    best = TABLE_2.method(method).measure(TABLE_2.draw(TABLE_2.row("Iris"), 0), CELL)
    assert best["largest_ari"] == max(runs)


@by_name([TABLE_1, TABLE_2, EQUAL_SIZES, LABEL_FREE])
def test_a_cell_without_the_data_folder(benchmark_):
    row = benchmark_.row(FREE_ROWS[benchmark_.name])
    assert not row.needs
    metrics = benchmark_.methods[0].measure(benchmark_.draw(row, 0), CELL)
    assert {metric.name for metric in benchmark_.metrics} <= metrics.keys()
    assert np.isfinite(list(metrics.values())).all()
    assert metrics[benchmark_.metrics[0].name] > 0.9


@by_name([FIGURE_3, FIGURE_4, FIGURE_5])
def test_a_cell_of_each_figure(benchmark_, data_folder):
    row = benchmark_.rows[0]
    metrics = benchmark_.methods[0].measure(benchmark_.draw(row, 0), None)
    assert {metric.name for metric in benchmark_.metrics} <= metrics.keys()
    assert np.isfinite(list(metrics.values())).all()
    assert metrics["steps"] >= row.x
    assert metrics["ari"] > 0.2


def test_fewer_rows_take_fewer_steps(data_folder):
    steps = [
        FIGURE_3.methods[0].measure(FIGURE_3.draw(row, 0), None)["steps"]
        for row in (FIGURE_3.rows[0], FIGURE_3.rows[2])
    ]
    assert 1.5 < steps[1] / steps[0] < 4.5  # three times the rows


@pytest.mark.parametrize("method", [method.name for method in TABLE_2.methods])
def test_the_largest_of_ten_runs_is_at_least_their_mean(method):
    """Both tables have the same seeds, and are recorded with the same code."""
    results, n_compared = read_recorded(), 0
    for row in results.rows("umc-table2"):
        try:
            largest = results.mean("umc-table2", row, method)
        except NotMeasured:
            continue
        values = results.cell("umc-table1", row, method).values.values()
        assert largest >= np.mean(list(values)) - 1e-6
        n_compared += 1
    assert n_compared >= 7
