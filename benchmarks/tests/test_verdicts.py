import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import norm, t

from widemargin_bench import Metric
from widemargin_bench.benchmark import ACCURACY, ERROR, SECONDS
from widemargin_bench.published import Figure
from widemargin_bench.verdicts import TOO_FEW, Cell, Comparison, Tally, judge, widening

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
