import numpy as np
import pytest
from label_reference import label_problem, rbf_gram
from numpy.testing import assert_array_equal

from widemargin.smoothers import DenseSmoother
from widemargin.solvers.cluster_names import name_by_fixed, name_by_size

SIZES = np.array([30, 20, 10])


@pytest.fixture
def truth():
    return np.repeat([0, 1, 2], SIZES)


@pytest.fixture
def smoother(rng, truth):
    """Of three blobs of different sizes."""
    X = np.array([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]])[truth]
    X += 0.5 * rng.normal(size=X.shape)
    return DenseSmoother(rbf_gram(X, 2.0), np.full(60, 1 / 60), 0.01)


@pytest.mark.parametrize("names", [[0, 1, 2], [2, 0, 1], [1, 0, 2]])
def test_fixed_samples_name_the_clusters(smoother, truth, names):
    given, wanted = np.full(60, -1), np.array(names)[truth]
    fixed = [0, 1, 35, 55]
    given[fixed] = wanted[fixed]
    problem = label_problem(smoother, 3, given=given, lower=1)
    codes = name_by_fixed(problem, truth)
    assert_array_equal(codes, wanted)
    assert codes.dtype == np.int32


def test_most_fixed_samples_of_a_cluster_name_it(smoother, truth):
    """And the one that disagrees keeps its own."""
    given = np.full(60, -1)
    given[:4], given[30:33] = [1, 1, 1, 2], 2
    problem = label_problem(smoother, 3, given=given, lower=1)
    expected = np.array([1, 2, 0])[truth]
    expected[3] = 2
    assert_array_equal(name_by_fixed(problem, truth), expected)


@pytest.mark.parametrize("names", [[0, 1, 2], [2, 0, 1], [1, 2, 0]])
def test_larger_clusters_get_larger_sizes(smoother, truth, names):
    target = np.empty(3)
    target[names] = SIZES
    problem = label_problem(smoother, 3, lower=target, upper=target, target=target)
    codes = name_by_size(problem, truth)
    assert_array_equal(codes, np.array(names)[truth])
    assert codes.dtype == np.int32


@pytest.mark.parametrize("name", [name_by_fixed, name_by_size])
def test_bounds_hold_though_those_of_the_clusters_did_not(smoother, truth, name):
    problem = label_problem(smoother, 3, lower=20, upper=20)
    assert not problem.is_feasible(truth)
    assert problem.is_feasible(name(problem, truth))
