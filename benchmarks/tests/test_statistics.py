import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import friedmanchisquare, rankdata, studentized_range
from toys import number, record, records_of, toy

from widemargin_bench import Metric, Quick, Row
from widemargin_bench.results import summarize_benchmark
from widemargin_bench.statistics import (
    Ranking,
    fit_exponent,
    growth_exponents,
    rank_methods,
    rank_table,
)


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
    ranking = Ranking(ranks, n_sets=5, p_value=0.0, critical_distance=1.0)
    assert ranking.cliques == [["a", "b"], ["b", "c"], ["c", "d"]]


def test_ranking_uses_rows_with_all_results():
    values = {("a", "one"): [1.0], ("a", "two"): [2.0], ("b", "one"): [1.0],
              ("b", "two"): [3.0], ("c", "one"): [9.0]}  # fmt: skip
    rows = tuple(Row(name) for name in "abc")
    of = {"rows": rows, "quick": toy().quick}
    ranking = rank_methods(summarize_benchmark(toy(**of), records_of(values), {}))
    assert ranking.n_sets == 2
    assert ranking.mean_ranks == {"one": 1.0, "two": 2.0}
    high = Metric("error", "agreement", lower_is_better=False)
    summary = summarize_benchmark(toy(**of, metrics=(high,)), records_of(values), {})
    assert rank_methods(summary).mean_ranks == {"two": 1.0, "one": 2.0}
    curve = summarize_benchmark(toy(**of, picture="lines"), records_of(values), {})
    assert rank_methods(curve) is None


def test_rows_of_one_set_are_averaged_before_they_are_ranked():
    """Three rows of one set and one of another are two sets, not four."""
    rows = (*(Row(name, set="x") for name in "abc"), Row("d"))
    errors = {"a": (1.0, 2.0), "b": (1.0, 2.0), "c": (9.0, 2.0), "d": (1.0, 2.0)}
    values = {(row, method): [errors[row][i]] for row in errors
              for i, method in enumerate(("one", "two"))}  # fmt: skip
    benchmark = toy(rows=rows, quick=Quick())
    ranking = rank_methods(summarize_benchmark(benchmark, records_of(values), {}))
    assert ranking.n_sets == 2
    assert ranking.mean_ranks == {"one": 1.5, "two": 1.5}  # x: 11 / 3 against 2


@pytest.mark.parametrize(
    ("kinds", "ranked"),
    [
        ({"w": ("ours", ""), "x": ("ours", "more"), "z": ("peer", "")}, "wz"),
        ({"w": ("ours", ""), "x": ("ours", "more"), "z": ("peer", "more")}, "xz"),
        ({"w": ("ours", ""), "x": ("ours", "more"), "z": ("paper", "more")}, "xz"),
    ],
)
def test_only_methods_that_are_told_the_same_are_ranked(kinds, ranked):
    methods = tuple(
        number(name, kind=kind, extra_input=extra_input)
        for name, (kind, extra_input) in kinds.items()
    )
    values = {(row, name): [float(i)] for row in "ab" for i, name in enumerate(kinds)}
    summary = summarize_benchmark(toy(methods=methods), records_of(values), {})
    assert "".join(rank_methods(summary).mean_ranks) == ranked


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
