import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import norm, t
from toys import number, record, records_of, toy

from widemargin_bench import Metric
from widemargin_bench.benchmark import ACCURACY, ERROR, SECONDS
from widemargin_bench.catalog import Figure
from widemargin_bench.results import (
    TOO_FEW,
    Cell,
    Comparison,
    Tally,
    compare,
    judge,
    show,
    show_difference,
    show_range,
    summarize_benchmark,
    widening,
)


@pytest.mark.parametrize(
    ("value", "digits", "shown"),
    [
        (8.25, 1, "8.2"),
        (-0.31, 1, "−0.3"),
        (-0.04, 1, "0.0"),
        (1234.567, 3, "1235"),
        (12.3456, 3, "12.35"),
        (0.0, 2, "0.00"),
        (None, 1, "–"),
    ],
)
def test_numbers_are_shown(value, digits, shown):
    assert show(value, digits) == shown


def test_spread_has_the_decimals_of_its_mean():
    assert show(4.4841, 3, beside=38.49) == "4.48"


def test_differences_carry_a_sign_unless_they_vanish():
    assert [show_difference(v, 1) for v in (0.5, -0.5, 0.01)] == ["+0.5", "−0.5", "0.0"]


def test_range_of_one_number_is_that_number():
    assert [show_range(3, 3), show_range(1, 3)] == ["3", "1 to 3"]


RUNS = [9.0, 10.0, 11.0]  # their standard error is sqrt(1 / 3), widened 0.762


def cell_of(values, published=None, metric=ERROR, paper_runs=4):
    return Cell(metric, dict(enumerate(values)), published, paper_runs)


def test_cell_has_mean_spread_and_standard_error():
    cell = cell_of([1.0, 2.0, 3.0, 6.0])
    assert cell.mean == 3.0
    assert_allclose(cell.sd, np.std([1, 2, 3, 6], ddof=1))
    assert_allclose(cell.standard_error, cell.sd / 2)
    assert cell.verdict is None


def test_widening_means_the_same_share_for_few_runs():
    """One standard error of the normal distribution holds 68 % of it."""
    for n_runs in (2, 3, 10):
        share = 2 * t.cdf(widening(n_runs), n_runs - 1) - 1
        assert_allclose(share, 2 * norm.cdf(1) - 1)
    assert_allclose(widening(100_000), 1.0, atol=1e-4)
    assert widening(1) == 1.0  # nothing to go by


def test_error_of_the_difference_holds_both_spreads():
    cell = cell_of(RUNS, Figure(10.0, 4.0), paper_runs=16)
    ours, theirs = widening(3) / math.sqrt(3), widening(16) * 4 / 4
    assert_allclose(cell.error, math.hypot(ours, theirs))


@pytest.mark.parametrize("n_runs", [1, 2])
def test_few_runs_spread_as_the_paper_says(n_runs):
    """And not as they do themselves: they lie together by chance."""
    cell = cell_of([10.0] * n_runs, Figure(13.0, 2.0), paper_runs=16)
    expected = 2 * widening(16) * math.hypot(1 / math.sqrt(n_runs), 1 / 4)
    assert_allclose(cell.error, expected)
    assert cell.verdict == "better"
    assert cell_of([10.0] * n_runs, Figure(11.0, 2.0)).verdict == "equal"


@pytest.mark.parametrize("printed", [10.0, 10.04, 99.0])
def test_few_runs_without_a_printed_spread_have_no_verdict(printed):
    cell = cell_of([10.0, 10.0], Figure(printed))
    assert cell.error is None
    assert cell.verdict == TOO_FEW


@pytest.mark.parametrize(
    ("printed", "verdict"),
    [(10.8, "better"), (10.7, "equal"), (9.3, "equal"), (9.2, "worse")],
)
def test_verdict_allows_one_widened_standard_error(printed, verdict):
    assert cell_of(RUNS, Figure(printed)).verdict == verdict


def test_equal_digits_are_equal():
    assert cell_of([10.0] * 3, Figure(10.04)).verdict == "equal"
    assert cell_of([10.0] * 3, Figure(10.06)).verdict == "better"


def test_spread_of_the_paper_widens_what_is_equal():
    assert cell_of(RUNS, Figure(8.0)).verdict == "worse"
    assert cell_of(RUNS, Figure(8.0, 4.0)).verdict == "equal"


def test_higher_may_be_better():
    assert cell_of(RUNS, Figure(5.0), ACCURACY).verdict == "better"
    assert cell_of(RUNS, Figure(15.0), ACCURACY).verdict == "worse"


def test_neither_counts_nor_times_have_a_verdict_against_the_paper():
    count = Metric("steps", "steps", None)
    assert cell_of(RUNS, Figure(9.0), count).verdict is None
    assert cell_of(RUNS, Figure(9.0), SECONDS).verdict is None
    assert judge(1.0, 9.0, 0.0, SECONDS) == "better"  # peers ran on this machine


def test_comparison_has_the_error_of_paired_differences():
    """Draws differ by far more than methods do on the same draw."""
    values = (10.0, 20.0, 30.0), (11.0, 21.5, 31.0)
    comparison = Comparison("a", "one", "two", ERROR, *values)
    differences = np.array([-1.0, -1.5, -1.0])
    assert_allclose(comparison.difference, differences.mean())
    expected = differences.std(ddof=1) / math.sqrt(3) * widening(3)
    assert_allclose(comparison.error, expected)
    assert comparison.verdict == "better"


def test_two_runs_are_too_few_for_a_verdict_against_a_peer():
    comparison = Comparison("a", "one", "two", ERROR, (1.0, 1.0), (9.0, 9.0))
    assert comparison.error is None
    assert comparison.verdict == TOO_FEW
    count = Metric("steps", "steps", None)
    assert Comparison("a", "one", "two", count, (1.0,), (9.0,)).verdict is None


def test_tally_counts_what_has_no_verdict_apart():
    tally = Tally.of(["better", "equal", "equal", TOO_FEW, None])
    assert tally == Tally(better=1, equal=2, worse=0, too_few=1)
    assert tally.total == 3


def test_comparison_takes_the_runs_that_both_have():
    benchmark = toy(methods=(number("one", kind="ours"), number("two", kind="peer")))
    values = {("a", "one"): [10.0, 20.0, 30.0], ("a", "two"): [11.0, 21.5, 31.0, 99.0]}
    (comparison,) = compare(summarize_benchmark(benchmark, records_of(values), {}))
    assert comparison.ours == (10.0, 20.0, 30.0)
    assert comparison.theirs == (11.0, 21.5, 31.0)


@pytest.mark.parametrize(
    ("kinds", "expected"),
    [
        (("paper", "ours", "peer"), [("y", "z")]),
        (("paper", "paper", "peer"), [("x", "z"), ("y", "z")]),
        (("paper", "baseline", "peer"), [("x", "z")]),
        (("paper", "ours", "ours"), []),
    ],
)
def test_peers_meet_ours_or_else_the_papers(kinds, expected):
    methods = [number(n, kind=kind) for n, kind in zip("xyz", kinds, strict=True)]
    values = {("a", name): [1.0] for name in "xyz"}
    summary = summarize_benchmark(toy(methods=tuple(methods)), records_of(values), {})
    assert [(c.method, c.peer) for c in compare(summary)] == expected


@pytest.mark.parametrize(
    ("told", "expected"),
    [("", ["x"]), ("test rows", ["y"]), ("true shares", [])],
)
def test_methods_that_are_told_more_meet_peers_that_are_told_the_same(told, expected):
    methods = (
        number("x", kind="ours"),
        number("y", kind="ours", extra_input="test rows"),
        number("z", kind="peer", extra_input=told),
    )
    values = {("a", name): [1.0] for name in "xyz"}
    summary = summarize_benchmark(toy(methods=methods), records_of(values), {})
    assert [c.method for c in compare(summary)] == expected


@pytest.mark.parametrize(("paper_runs", "expected"), [(None, 3), (10, 10)])
def test_spread_of_the_paper_is_over_its_own_runs(paper_runs, expected):
    records = records_of({("a", "one"): [1.0]})
    summary = summarize_benchmark(toy(paper_runs=paper_runs), records, {})
    assert summary.cells["a", "one", "error"].paper_runs == expected


def test_summary_takes_what_it_knows_and_no_more():
    records = [
        {"kind": "origin", "date": "2026-01-01 00:00", "quick": False},
        record("a", "one", 0, error=1.0, fit_seconds=0.5),
        record("a", "one", 1, error=float("nan")),
        record("a", "two", 0, error=[3.0, 2.0]) | {"not_converged": 1},
        record("gone", "one", 0, error=1.0),
        record("a", "gone", 0, error=1.0),
        {"kind": "cell", "row": "b", "method": "two", "run": 0, "failure": "why"},
    ]
    records[1]["peak_mib"] = 12.5
    summary = summarize_benchmark(toy(), records, {})
    assert list(summary.cells) == [("a", "one", "error"), ("a", "one", "fit_seconds")]
    assert summary.cells["a", "one", "error"].values == {0: 1.0}
    assert [m.name for m in summary.metrics] == ["error", "fit_seconds"]
    assert summary.curves["a", "two", "error"][0].tolist() == [3.0, 2.0]
    assert summary.unconverged == {("a", "two"): 1}
    assert summary.memory == {("a", "one"): 12.5}
    assert summary.failures == {("b", "two", 0): "why"}
    assert [row.name for row in summary.rows] == ["a", "b"]


@pytest.mark.parametrize(
    ("runs", "quick", "note"),
    [
        ((3, 3), False, None),
        ((3, 3), True, "quick run: 3 of 3 runs, 2 of 2 rows"),
        ((1, 3), False, "not complete: 1 to 3 of 3 runs, 2 of 2 rows"),
        ((1, 0), True, "quick run: 1 of 3 runs, 1 of 2 rows"),
    ],
)
def test_note_says_how_much_is_there(runs, quick, note):
    values = {(row, m): [1.0] * n for row, n in zip("ab", runs, strict=True)
              for m in ("one", "two")}  # fmt: skip
    records = [{"kind": "origin", "quick": quick}, *records_of(values)]
    assert summarize_benchmark(toy(), records, {}).note == note


def test_methods_that_the_paper_printed_are_named_once():
    published = {
        ("a", "one", "error"): Figure(1.0),
        ("a", "old", "error"): Figure(1.0),
        ("b", "old", "error"): Figure(1.0),
        ("b", "older", "error"): Figure(1.0),  # on a row that did not run
    }
    records = records_of({("a", "one"): [1.0]})
    summary = summarize_benchmark(toy(), records, published)
    assert summary.printed(ERROR) == ["one", "old"]
