import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import friedmanchisquare, rankdata, studentized_range
from toys import number, toy

from widemargin.bench import Metric, Paper, Quick, Row
from widemargin.bench.benchmark import ACCURACY, ERROR, SECONDS
from widemargin.bench.published import Figure
from widemargin.bench.summary import (
    Cell,
    Ranking,
    Tally,
    compare,
    fit_exponent,
    growth_exponents,
    headlines,
    judge,
    rank_methods,
    rank_table,
    show,
    show_difference,
    summarize_benchmark,
)


def record(row, method, run, **metrics):
    return {"kind": "cell", "row": row, "method": method, "run": run,
            "metrics": metrics}  # fmt: skip


def records_of(values):
    """Records of errors, {(row, method): errors of runs}."""
    return [
        record(row, method, run, error=error)
        for (row, method), errors in values.items()
        for run, error in enumerate(errors)
    ]


def cell_of(values, published=None, metric=ERROR, paper_runs=4):
    return Cell(metric, dict(enumerate(values)), published, paper_runs)


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


def test_cell_has_mean_spread_and_standard_error():
    cell = cell_of([1.0, 2.0, 3.0, 6.0])
    assert cell.mean == 3.0
    assert_allclose(cell.sd, np.std([1, 2, 3, 6], ddof=1))
    assert_allclose(cell.standard_error, cell.sd / 2)
    assert cell.verdict is None


def test_error_of_the_difference_holds_both_spreads():
    cell = cell_of([9.0, 11.0], Figure(10.0, 4.0), paper_runs=16)
    assert_allclose(cell.error, math.hypot(math.sqrt(2) / math.sqrt(2), 4 / 4))


@pytest.mark.parametrize(
    ("printed", "verdict"),
    [(12.0, "better"), (11.0, "equal"), (9.0, "equal"), (8.9, "worse")],
)
def test_verdict_allows_one_standard_error(printed, verdict):
    """The runs 9 and 11 have the standard error 1."""
    assert cell_of([9.0, 11.0], Figure(printed)).verdict == verdict


def test_spread_of_the_paper_widens_what_is_equal():
    assert cell_of([9.0, 11.0], Figure(8.0)).verdict == "worse"
    assert cell_of([9.0, 11.0], Figure(8.0, 4.0)).verdict == "equal"  # error 2.24


def test_higher_may_be_better():
    values = [9.0, 11.0]
    assert cell_of(values, Figure(5.0), ACCURACY).verdict == "better"
    assert cell_of(values, Figure(15.0), ACCURACY).verdict == "worse"


def test_single_run_spreads_as_the_paper_says():
    assert cell_of([10.0], Figure(13.0, 2.0)).verdict == "better"
    assert cell_of([10.0], Figure(12.2, 2.0)).verdict == "equal"  # error 2.236


@pytest.mark.parametrize(
    ("printed", "verdict"), [(10.04, "equal"), (10.1, "better"), (9.9, "worse")]
)
def test_single_run_without_any_spread_goes_by_digits(printed, verdict):
    cell = cell_of([10.0], Figure(printed))
    assert cell.error is None
    assert cell.verdict == verdict


def test_neither_counts_nor_times_have_a_verdict_against_the_paper():
    count = Metric("steps", "steps", None)
    assert cell_of([1.0, 2.0], Figure(9.0), count).verdict is None
    assert cell_of([1.0, 2.0], Figure(9.0), SECONDS).verdict is None
    assert judge(1.0, 9.0, None, SECONDS) == "better"  # peers ran on this machine


def test_comparison_is_paired_over_shared_runs():
    """Draws differ by far more than methods do on the same draw."""
    benchmark = toy(methods=(number("one", kind="ours"), number("two", kind="peer")))
    values = {("a", "one"): [10.0, 20.0, 30.0], ("a", "two"): [11.0, 21.5, 31.0, 99.0]}
    (comparison,) = compare(summarize_benchmark(benchmark, records_of(values), {}))
    differences = np.array([-1.0, -1.5, -1.0])
    assert_allclose(comparison.difference, differences.mean())
    assert_allclose(comparison.error, differences.std(ddof=1) / math.sqrt(3))
    assert comparison.verdict == "better"


@pytest.mark.parametrize(
    ("kinds", "expected"),
    [
        (("paper", "ours", "peer"), [("y", "z")]),
        (("paper", "paper", "peer"), [("x", "z"), ("y", "z")]),
        (("paper", "ours", "ours"), []),
    ],
)
def test_peers_meet_ours_or_else_the_papers(kinds, expected):
    methods = [number(n, kind=kind) for n, kind in zip("xyz", kinds, strict=True)]
    values = {("a", name): [1.0] for name in "xyz"}
    summary = summarize_benchmark(toy(methods=tuple(methods)), records_of(values), {})
    assert [(c.method, c.peer) for c in compare(summary)] == expected


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


def test_methods_that_only_the_paper_has_are_named_once():
    published = {
        ("a", "one", "error"): Figure(1.0),
        ("a", "old", "error"): Figure(1.0),
        ("b", "old", "error"): Figure(1.0),
        ("b", "older", "error"): Figure(1.0),  # on a row that did not run
    }
    records = records_of({("a", "one"): [1.0]})
    summary = summarize_benchmark(toy(), records, published)
    assert summary.printed_only(ERROR) == ["old"]


def test_headline_counts_cells_by_paper():
    paper = Paper("p", "P.")
    methods = (number("one"), number("two", kind="ours"), number("z", kind="peer"))
    first = toy(paper=paper, methods=methods)
    values = {
        ("a", "one"): [10.0, 12.0],  # 11 ± 1
        ("a", "two"): [5.0],
        ("a", "z"): [6.0, 6.0],
        ("b", "one"): [10.0, 12.0],
    }
    published = {
        ("a", "one", "error"): Figure(20.0),  # better
        ("b", "one", "error"): Figure(11.5),  # equal
        ("a", "two", "error"): Figure(4.0),  # worse, one run
        ("b", "two", "error"): Figure(4.0),  # not run
        ("a", "z", "error"): Figure(99.0),  # a peer is not ours
        ("a", "old", "error"): Figure(99.0),  # we have no such method
    }
    second = toy(name="other", paper=paper)
    third = toy(name="own", paper=None)
    found = headlines(
        [
            summarize_benchmark(third, records_of({("a", "one"): [1.0]}), {}),
            summarize_benchmark(first, records_of(values), published),
            summarize_benchmark(
                second,
                records_of({("a", "one"): [1.0, 1.0]}),
                {("a", "one", "error"): Figure(2.0)},
            ),
        ]
    )
    assert [headline.paper for headline in found] == [paper, None]
    headline = found[0]
    assert headline.against_paper == Tally(better=2, equal=1, worse=1)
    assert headline.against_peers == {"z": Tally(better=1)}
    assert headline.n_printed == 5
    assert headline.n_single == 1
    assert headline.sentence() == (
        "Of 5 figures of the paper we measured 4: ours are better on 2, equal within "
        "one standard error on 1 and worse on 1. 1 rest on a single run."
    )
    assert found[1].sentence() == ""


def test_headline_without_figures_says_so():
    values = records_of({("a", "one"): [1.0]})
    printed = {("b", "one", "error"): Figure(1.0)}
    said = [
        headlines([summarize_benchmark(toy(), values, published)])[0].sentence()
        for published in ({}, printed)
    ]
    assert said == [
        "No figure of the paper can be held against ours.",
        "None of the paper's 1 figures was measured yet.",
    ]


def test_ranks_and_tests_agree_with_scipy(rng):
    losses = rng.normal(size=(9, 4)) + np.arange(4)
    losses[0, 1] = losses[0, 2]  # a tie
    ranking = rank_table(losses, list("wxyz"))
    expected = dict(zip("wxyz", rankdata(losses, axis=1).mean(axis=0), strict=True))
    assert ranking.mean_ranks == pytest.approx(expected)
    assert list(ranking.mean_ranks.values()) == sorted(expected.values())
    assert ranking.p_value == pytest.approx(friedmanchisquare(*losses.T).pvalue)
    q = studentized_range.ppf(0.95, 4, np.inf) / math.sqrt(2)
    assert_allclose(ranking.critical_distance, q * math.sqrt(4 * 5 / (6 * 9)))


def test_critical_distance_has_the_printed_constant():
    """Demsar (2006), Table 5: q is 2.728 for five methods at 0.05."""
    ranking = rank_table(np.arange(20.0).reshape(4, 5), list("abcde"))
    constant = ranking.critical_distance / math.sqrt(5 * 6 / (6 * 4))
    assert constant == pytest.approx(2.728, abs=5e-4)


def test_methods_that_tie_everywhere_do_not_differ():
    ranking = rank_table(np.ones((3, 3)), list("abc"))
    assert ranking.p_value == 1.0
    assert ranking.cliques == [list("abc")]


def test_cliques_are_largest_and_hold_two_or_more():
    ranks = {"a": 1.0, "b": 1.5, "c": 2.4, "d": 3.3, "e": 9.0}
    ranking = Ranking(ranks, n_rows=5, p_value=0.0, critical_distance=1.0)
    assert ranking.cliques == [["a", "b"], ["b", "c"], ["c", "d"]]


def test_ranking_uses_rows_with_all_results():
    values = {("a", "one"): [1.0], ("a", "two"): [2.0], ("b", "one"): [1.0],
              ("b", "two"): [3.0], ("c", "one"): [9.0]}  # fmt: skip
    rows = tuple(Row(name) for name in "abc")
    of = {"rows": rows, "quick": toy().quick}
    ranking = rank_methods(summarize_benchmark(toy(**of), records_of(values), {}))
    assert ranking.n_rows == 2
    assert ranking.mean_ranks == {"one": 1.0, "two": 2.0}
    high = Metric("error", "agreement", lower_is_better=False)
    summary = summarize_benchmark(toy(**of, metrics=(high,)), records_of(values), {})
    assert rank_methods(summary).mean_ranks == {"two": 1.0, "one": 2.0}
    curve = summarize_benchmark(toy(**of, picture="lines"), records_of(values), {})
    assert rank_methods(curve) is None


@pytest.mark.parametrize("power", [-0.5, 1.0, 2.3])
def test_exponent_of_a_power_law_is_exact(power):
    x = np.array([10.0, 30.0, 200.0, 1000.0])
    exponent = fit_exponent(x, 3e-4 * x**power)
    assert exponent.value == pytest.approx(power)
    assert exponent.error == pytest.approx(0.0, abs=1e-9)
    assert exponent.n_points == 4


def test_exponent_has_the_error_of_least_squares(rng):
    x = np.geomspace(10, 1000, 12)
    y = x**1.7 * np.exp(0.2 * rng.normal(size=12))
    coefficients, covariance = np.polyfit(np.log(x), np.log(y), 1, cov=True)
    exponent = fit_exponent(x, y)
    assert_allclose(exponent.value, coefficients[0])
    assert_allclose(exponent.error, math.sqrt(covariance[0, 0]))


def test_exponent_needs_two_positive_points():
    assert fit_exponent([], []) is None
    assert fit_exponent([10, 10], [1, 2]) is None
    assert fit_exponent([10, 20, 40], [0, 1, 2]).value == pytest.approx(1.0)
    assert fit_exponent([10, 20], [1, 2]).error is None


def test_growth_is_fitted_by_group_in_seconds():
    rows = tuple(Row(f"{g}{x}", group=g, x=x) for g in "ab" for x in (10, 100))
    powers = {"a": 1.0, "b": 2.0}
    records = [
        record(r.name, "one", 0, error=5.0, fit_seconds=r.x ** powers[r.group])
        for r in rows
    ]
    benchmark = toy(rows=rows, quick=Quick(), picture="growth")
    found = growth_exponents(summarize_benchmark(benchmark, records, {}))
    assert {key: e.value for key, e in found.items()} == pytest.approx(
        {("a", "one"): 1.0, ("b", "one"): 2.0}
    )
