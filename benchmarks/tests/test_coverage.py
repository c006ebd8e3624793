"""The page of all tables is that of the recorded results."""

from dataclasses import replace
from statistics import fmean

import pytest
from recorded import ROOT, read_recorded

from widemargin_bench import find_benchmark, list_names
from widemargin_bench.coverage import (
    NOTHING,
    PAPERS,
    beside,
    missing_draws,
    relaxation_seconds,
    timed_results,
    write_page,
)
from widemargin_bench.runner import open_tasks
from widemargin_bench.statements import Results

ENTRIES = [entry for entries in PAPERS.values() for entry in entries]


def test_page_is_computed_from_the_recorded_results():
    """`python -m widemargin_bench.coverage benchmarks/results` prints the page."""
    page = (ROOT / "docs" / "every_table.md").read_text()
    assert page == write_page(read_recorded())


def test_every_benchmark_of_a_paper_has_a_line():
    named = {entry.benchmark for entry in ENTRIES}
    own = {name for name in list_names() if find_benchmark(name).paper is not None}
    assert own <= named


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda e: f"{e.item}, {e.about[:20]}")
def test_a_line_has_figures_or_a_reason(entry):
    assert entry.figures is not None or entry.reason
    if entry.benchmark:
        assert entry.benchmark in list_names()


def test_figures_are_means_over_the_rows_in_print():
    """coil20(b) with other classes is not in print, and does not count."""
    ours, printed, peer = beside("laplacian-accuracy", "LapSVM Newton")(read_recorded())
    assert ours == "10.4 % (LapSVM Newton; 6 rows, 12 draws)"
    assert printed == "9.7 %"
    assert peer.endswith("(LabelSpreading)")


def test_seconds_are_not_compared_with_supervised_peers():
    figures = beside("s2rlsc-figure8", "S2RLSC", digits=2, unit="s")(read_recorded())
    assert figures[2] == NOTHING


def test_a_method_counts_on_the_rows_that_it_was_run_on():
    """CPMMC is not run on all of COIL-20, and figures in print leave it out also."""
    ours, printed, _ = beside("umc-table1", "CPMMC", digits=2, unit="")(read_recorded())
    assert "7 rows, 10 draws" in ours
    assert float(printed) == pytest.approx(
        fmean((0.47, 0.62, 0.69, 0.39, 0.69, 0.59, 0.57)), abs=0.005
    )


def test_what_is_not_stored_is_counted():
    """A column of which some draws are left out is listed with their number."""
    summary, method = read_recorded().summary("s2rlsc-figure8"), "S2RLSC"
    name, n_methods = summary.benchmark.name, len(summary.benchmark.methods)
    assert (name, method) not in missing_draws(Results([summary]))
    kept = {key: value for key, value in summary.seconds.items() if key[2] == 0}
    missing = missing_draws(Results([replace(summary, seconds=kept)]))
    assert missing[name, method] == (4, 8)
    assert len([key for key in missing if key[0] == name]) == n_methods
    assert missing_draws(Results([]))[name, method] == (8, 8)  # nothing is stored


def test_methods_that_a_row_leaves_out_are_not_missing():
    benchmark = find_benchmark("laplacian-large")
    (newton,) = (m for m in benchmark.methods if m.name == "LapSVM Newton")
    assert [row.has(newton) for row in benchmark.rows] == [True, False, False]
    name = benchmark.name, newton.name
    n_runs = newton.limit(benchmark.runs)
    assert missing_draws(Results([]))[name] == (n_runs, n_runs)
    tasks = open_tasks(benchmark, [], quick=False)
    rows = {task.row.name for task in tasks if task.method.name == newton.name}
    assert rows <= {"mnist3vs8"}


def test_time_of_everything_is_that_of_results_that_have_it():
    summary = read_recorded().summary("s2rlsc-figure6")
    n_timed, whole, fits = timed_results(Results([summary]))
    assert n_timed == len(summary.seconds) == 300
    assert 0 < fits < whole
    untimed = replace(summary, seconds=dict.fromkeys(summary.seconds))
    assert timed_results(Results([untimed])) == (0, 0.0, 0.0)


def test_results_without_the_time_of_the_fit_do_not_count():
    summary = read_recorded().summary("s2rlsc-figure6")
    key = next(key for key in summary.cells if key[2] == "fit_seconds")
    first, *others = summary.cells[key].values
    cell = replace(
        summary.cells[key],
        values={run: summary.cells[key].values[run] for run in others},
    )
    part = replace(summary, cells=summary.cells | {key: cell})
    assert (*key[:2], first) in summary.seconds
    assert timed_results(Results([part]))[0] == len(summary.seconds) - 1


def time_relaxation(sizes):
    """The text for a program of size^3 / 1000 seconds; of 1 s with more labels."""
    summary = read_recorded().summary("tri-time")
    key = "L = 20, U = 20", "SDP", "fit_seconds"
    cells = {
        (f"L = 20, U = {size}", *key[1:]): replace(
            summary.cells[key], values={0: size**3 / 1000}
        )
        for size in sizes
    }
    more = replace(summary.cells[key], values={0: 1.0})
    cells["L = 200, U = 20", *key[1:]] = more
    return relaxation_seconds(Results([replace(summary, cells=cells)]))[0]


def test_seconds_of_the_relaxation_are_those_of_one_number_of_labels():
    text = time_relaxation([5, 10, 20])
    assert "8.0 s with 20 unlabeled rows" in text
    assert "From 10 to 20 rows, the time grows with the power 3.0" in text


def test_growth_of_the_relaxation_is_that_of_the_largest_sizes():
    text = time_relaxation([10, 100, 1000])
    assert text.endswith(
        "From 100 to 1000 rows, the time grows with the power 3.0 of their number"
    )


def test_methods_may_have_fewer_runs():
    benchmark = find_benchmark("s2rlsc-table3")
    (slow,) = (m for m in benchmark.methods if m.name == "UniverSVM")
    assert (slow.limit(10), slow.limit(2), benchmark.methods[0].limit(10)) == (1, 1, 10)
    missing = missing_draws(Results([]))
    assert missing[benchmark.name, slow.name] == (32, 32)
    tasks = open_tasks(benchmark, [], quick=False)
    assert {t.run for t in tasks if t.method.name == slow.name} <= {0}
