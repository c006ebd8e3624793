import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from toys import record, toy

from widemargin_bench import Quick, Row
from widemargin_bench.exponents import fit_exponent, growth_exponents
from widemargin_bench.summary import summarize_benchmark


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
