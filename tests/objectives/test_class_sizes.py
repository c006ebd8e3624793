import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from widemargin.objectives.class_sizes import (
    factor_bounds,
    nearest_sizes,
    size_bounds,
)


@st.composite
def shares(draw):
    """Of two to six classes; some may be zero."""
    parts = draw(st.lists(st.integers(0, 20), min_size=2, max_size=6).filter(any))
    return np.array(parts) / sum(parts)


@settings(deadline=None)
@given(shares(), st.integers(0, 200))
def test_nearest_sizes_add_up_and_are_off_by_less_than_one(b, n):
    sizes = nearest_sizes(b, n)
    assert sizes.sum() == n
    assert (np.abs(sizes - n * b) < 1 + 1e-6).all()


@settings(deadline=None)
@given(shares(), st.integers(0, 60))
def test_no_whole_numbers_are_nearer(b, n):
    """By moving one sample from a class to another."""
    sizes = nearest_sizes(b, n)
    off = np.abs(sizes - n * b).sum()
    for source in np.flatnonzero(sizes):
        for sink in range(len(b)):
            moved = sizes.copy()
            moved[source] -= 1
            moved[sink] += 1
            assert np.abs(moved - n * b).sum() >= off - 1e-9


@pytest.mark.parametrize(
    ("b", "n", "expected"),
    [
        ([0.5, 0.5], 10, [5, 5]),
        ([0.5, 0.5], 5, [3, 2]),  # the first of equal ones
        ([0.26, 0.74], 10, [3, 7]),
        ([1 / 3, 1 / 3, 1 / 3], 7, [3, 2, 2]),
        ([0.0, 1.0], 4, [0, 4]),
        ([0.1, 0.2, 0.7], 10, [1, 2, 7]),  # 0.7 * 10 is 7 up to rounding
        ([0.29, 0.71], 100, [29, 71]),
    ],
)
def test_nearest_sizes(b, n, expected):
    assert_array_equal(nearest_sizes(np.array(b), n), expected)


@settings(deadline=None)
@given(shares(), st.integers(1, 200))
def test_tolerance_zero_asks_for_the_nearest_sizes(b, n):
    lower, upper = size_bounds(b, 0.0, n)
    assert_array_equal(lower, upper)
    assert_array_equal(lower, nearest_sizes(b, n))


@settings(deadline=None)
@given(shares(), st.integers(1, 100), st.integers(0, 60))
def test_bounds_are_the_sizes_within_the_tolerance(b, n, percent):
    """Strictly within, for every size from none to all, and the nearest ones."""
    tolerance = percent / 100
    lower, upper = size_bounds(b, tolerance, n)
    nearest = nearest_sizes(b, n)
    for h, share in enumerate(b):
        sizes = np.arange(n + 1)
        within = np.abs(sizes / n - share) < tolerance - 1e-8
        outside = np.abs(sizes / n - share) > tolerance + 1e-8
        allowed = (sizes >= lower[h]) & (sizes <= upper[h])
        assert allowed[within].all()
        assert allowed[nearest[h]]
        between = (sizes > min(nearest[h], n * share - 1)) & (
            sizes < max(nearest[h], n * share + 1)
        )
        assert not allowed[outside & ~between & (sizes != nearest[h])].any()


def test_tolerance_is_strict():
    """Of 20 samples a share of 0.3 within 0.1 is more than 4 and fewer than 8."""
    lower, upper = size_bounds(np.array([0.3, 0.7]), 0.1, 20)
    assert_array_equal(lower, [5, 13])
    assert_array_equal(upper, [7, 15])


def test_bounds_are_numbers_of_samples():
    """Never below none nor above all."""
    lower, upper = size_bounds(np.array([0.1, 0.9]), 5.0, 10)
    assert_array_equal(lower, [0, 0])
    assert_array_equal(upper, [10, 10])
    assert lower.dtype.kind == upper.dtype.kind == "i"


def test_no_samples_to_search():
    lower, upper = size_bounds(np.array([0.5, 0.5]), 0.1, 0)
    assert_array_equal(lower, [0, 0])
    assert_array_equal(upper, [0, 0])


def test_shares_that_add_up_to_one_nearly():
    """As far as the estimators allow."""
    lower, _ = size_bounds(np.array([0.5, 0.5000009]), 0.0, 3_000_000)
    assert lower.sum() == 3_000_000


@settings(deadline=None)
@given(shares(), st.integers(0, 200), st.sampled_from([1.0, 1.5, 3.0]))
def test_factor_bounds_hold_what_a_factor_allows(b, n, factor):
    """Every size from n b / factor to n b times factor, and hardly any other."""
    lower, upper = factor_bounds(b, n, factor)
    assert lower.dtype.kind == upper.dtype.kind == "i"
    assert (lower <= n * b / factor + 1e-9).all()
    assert (lower > n * b / factor - 1 - 1e-9).all()
    assert (upper >= n * b * factor - 1e-9).all()
    assert (upper < n * b * factor + 1 + 1e-9).all()


@settings(deadline=None)
@given(shares(), st.integers(0, 200))
def test_some_sizes_keep_factor_bounds(b, n):
    """The nearest ones among them."""
    lower, upper = factor_bounds(b, n)
    sizes = nearest_sizes(b, n)
    assert (lower <= sizes).all()
    assert (sizes <= upper).all()


def test_factor_is_one_and_a_half():
    lower, upper = factor_bounds(np.array([0.1, 0.3, 0.6, 0.0]), 20)
    assert_array_equal(lower, [1, 4, 8, 0])
    assert_array_equal(upper, [3, 9, 18, 0])
