"""Columns of a few values among others."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.spatial.distance import cdist

from widemargin.defaults import AGREEMENT_NEIGHBORS, DISCRETE
from widemargin.kernels import Linear, Rbf
from widemargin.labelling.discrete import (
    WeightedColumns,
    find_gaps,
    weigh,
    weigh_gaps,
)
from widemargin.spaces.function import Function, NeighborFunction


@pytest.fixture
def numbers(rng):
    return rng.normal(size=(200, 3))


def order(X):
    return np.arange(len(X))


def test_gaps_are_those_of_columns_with_few_values(numbers, rng):
    rating, many = rng.integers(1, 6, 200), rng.integers(0, 30, 200)
    X = np.column_stack(
        [numbers, 2.5 * rating, many, np.ones(200), np.eye(2)[many % 2]]
    )
    assert_allclose(find_gaps(X), [0, 0, 0, 2.5, 0, 0, 1, 1])
    late = np.arange(200.0) * (np.arange(200) > 150)  # many values, but not at first
    assert find_gaps(late[:, None]) == [0]
    assert_array_equal(find_gaps(X[:12]), np.zeros(8))  # few rows have few values


def test_a_gap_is_at_most_half_the_length_to_a_near_row(numbers, rng):
    """Against all distances without the column, one by one."""
    X = np.column_stack([numbers, np.eye(3)[rng.integers(0, 3, 200)]])
    weights = weigh_gaps(X, order(X))
    assert_array_equal(weights[:3], 1)
    for place in range(3, 6):
        lengths = cdist(np.delete(X, place, 1), np.delete(X, place, 1))
        nearest = np.sort(lengths, axis=1)[:, AGREEMENT_NEIGHBORS]
        assert_allclose(weights[place], DISCRETE.share * np.median(nearest), rtol=1e-9)
    shuffled = rng.permutation(200)
    assert_allclose(weigh_gaps(X[shuffled], np.argsort(shuffled)), weights)


def test_narrowed_gaps_stay_as_they_are(numbers, rng):
    X = np.column_stack([numbers, rng.integers(0, 2, 200)])
    weights = weigh_gaps(X, order(X))
    again = weigh_gaps(X * weights, order(X))
    assert again is None or np.allclose(again, 1.0)


@pytest.mark.parametrize("unit", [1e-3, 1.0, 1e6])
def test_units_do_not_matter(numbers, rng, unit):
    X = np.column_stack([numbers, rng.integers(0, 2, 200)])
    assert_allclose(weigh_gaps(unit * X, order(X)), weigh_gaps(X, order(X)))


def test_nothing_is_narrowed_that_is_narrow_or_alone(numbers, rng):
    few = rng.integers(0, 2, (200, 4)).astype(float)
    assert weigh_gaps(numbers, order(few)) is None
    assert weigh_gaps(few, order(few)) is None  # there is nothing to compare it with
    assert weigh_gaps(np.column_stack([numbers, 0.01 * few]), order(few)) is None
    copies = np.repeat(np.column_stack([numbers, few[:, :1]])[:20], 10, axis=0)
    weights = weigh_gaps(copies, order(copies))
    assert (weights > 0).all()  # copies are no neighbors
    rounded = np.column_stack([np.arange(200) // 16, few[:, 0]])
    assert_allclose(weigh_gaps(rounded, order(few)), [1, 0.5])


def test_many_rows_need_few_distances(rng):
    X = np.column_stack([rng.normal(size=(20_000, 3)), rng.integers(0, 2, 20_000)])
    weights = weigh_gaps(X, order(X))
    some = X[rng.permutation(20_000)]
    assert_allclose(weigh_gaps(some, order(X)), weights, rtol=0.2)


def test_a_function_of_weighted_columns(rng):
    X, weights = rng.normal(size=(30, 3)), np.array([1.0, 0.5, 0.25])
    inner = NeighborFunction(Rbf(1.0), X * weights, rng.normal(size=(30, 2)), 5)
    outer = WeightedColumns(weights, inner)
    assert_allclose(outer(X), inner(X * weights))
    assert_allclose(outer(sparse.csr_matrix(X)), inner(X * weights))
    assert (outer.n_columns, outer.n_points) == (2, 30)
    assert outer.condensed(4).function.n_points <= 4
    assert weigh(X.astype(np.float32), weights).dtype == np.float32
    outer.check(3)
    for wrong in (np.ones(2), np.zeros(3), np.array([1.0, np.nan, 1.0])):
        with pytest.raises(ValueError, match="weights of WeightedColumns"):
            replace(outer, weights=wrong).check(3)
    linear = Function(Linear(), np.eye(3), np.eye(3), np.zeros(3))
    with pytest.raises(ValueError, match="function of WeightedColumns"):
        replace(outer, function=linear.kernel).check(3)
