import pickle
from dataclasses import dataclass, replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse

from widemargin.defaults import CELL_SEARCH
from widemargin.graphs.cells import Cells
from widemargin.kernels import Cosine, Linear, Precomputed, Rbf
from widemargin.spaces import Function, FunctionSum
from widemargin.spaces.function import Embedding, NeighborFunction
from widemargin.stored import Stored, check_part


@pytest.fixture
def function(X, rng):
    return Function(Rbf(0.5), X[:5], rng.normal(size=(5, 2)), np.array([0.5, -1.0]))


def test_value_is_the_sum_of_kernel_functions(function, X_new):
    expected = Rbf(0.5)(X_new, function.points) @ function.coef + [0.5, -1.0]
    assert_allclose(function(X_new), expected)
    assert function(X_new.astype(np.float32)).dtype == np.float32
    assert (function.n_points, function.n_columns) == (5, 2)


def test_sum_adds_its_parts_and_a_constant(function, X_new):
    other, constant = replace(function, kernel=Rbf(2.0)), np.array([1.0, -2.0])
    total = FunctionSum((function, other), constant)
    assert_allclose(total(X_new), function(X_new) + other(X_new) + constant)
    total.check(3)
    assert (total.n_points, total.n_columns) == (5, 2)


def test_parts_that_fit_are_accepted(function, X):
    check_part(function, 3)
    check_part(replace(function, points=sparse.csr_matrix(X[:5])), 3)
    check_part(replace(function, kernel=Precomputed(), points=np.arange(5)), 5)


@pytest.mark.parametrize(
    "changes",
    [
        {"coef": np.full((5, 2), np.nan)},
        {"coef": np.zeros((4, 2))},
        {"coef": np.zeros(5)},
        {"coef": None},
        {"intercept": np.zeros(3)},
        {"intercept": np.array([0.0, np.inf])},
        {"points": np.zeros((5, 4))},
        {"points": np.full((5, 3), np.inf)},
        {"points": np.arange(5)},
        {"kernel": Precomputed()},
        {"kernel": "rbf"},
    ],
)
def test_parts_that_do_not_fit_are_refused(function, changes):
    with pytest.raises(ValueError, match=r"of Function (does not fit|must be)"):
        check_part(replace(function, **changes), 3)


def test_places_beyond_the_training_rows_are_refused(function):
    far = replace(function, kernel=Precomputed(), points=np.arange(5))
    with pytest.raises(ValueError, match="points of Function does not fit"):
        check_part(far, 4)


def test_sum_of_different_columns_is_refused(function):
    other = Function(Linear(), function.points, function.coef[:, :1], np.zeros(1))
    for parts in ((function, other), (), (function, None), [function]):
        with pytest.raises(ValueError, match="parts of FunctionSum"):
            check_part(FunctionSum(parts, np.zeros(2)), 3)


@dataclass(frozen=True)
class Ones(Stored):
    """A function as a package of somebody else would define it."""

    n_columns: int
    n_points = 0

    def __call__(self, X):
        return np.ones((len(X), self.n_columns))


def test_sum_may_hold_functions_of_any_class(function):
    X = np.eye(3)
    total = FunctionSum((function, Ones(2)), np.zeros(2))
    check_part(total, 3)
    assert_allclose(total(X), function(X) + 1.0)
    assert total.condensed(5) == total
    for other in (Ones(1), Embedding(Linear(), None)):
        with pytest.raises(ValueError, match="parts of FunctionSum"):
            check_part(FunctionSum((function, other), np.zeros(2)), 3)


def test_sum_with_a_constant_that_is_not_finite_is_refused(function):
    with pytest.raises(ValueError, match="constant of FunctionSum"):
        check_part(FunctionSum((function,), np.array([0.0, np.nan])), 3)


# Means over neighbors


@pytest.fixture
def neighbors(X, rng):
    return NeighborFunction(Linear(), X, rng.normal(size=(30, 2)), 5)


def test_value_is_the_weighted_mean_of_the_nearest(neighbors, X, X_new):
    for x, found in zip(X_new, neighbors(X_new), strict=True):
        lengths = np.linalg.norm(X - x, axis=1)
        nearest = np.argsort(lengths)[:5]
        weights = np.exp(-((lengths[nearest] / lengths[nearest[-1]]) ** 2))
        expected = np.average(neighbors.values[nearest], axis=0, weights=weights)
        assert_allclose(found, expected)
        assert (found <= neighbors.values[nearest].max(axis=0)).all()
        assert (found >= neighbors.values[nearest].min(axis=0)).all()


@pytest.mark.parametrize("n_features", [3, 40])
@pytest.mark.parametrize("offset", [0.0, 1e4])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix])
def test_copies_of_training_rows_have_their_values(
    rng, n_features, offset, dtype, kind
):
    X, values = rng.normal(size=(30, n_features)), rng.normal(size=(30, 2))
    X = kind((X + offset).astype(dtype))
    assert_allclose(NeighborFunction(Linear(), X, values, 8)(X), values, rtol=1e-12)


def test_copies_among_the_points_share_their_mean(X):
    X, values = np.vstack([X, X[:1]]), np.arange(31.0)[:, None]
    found = NeighborFunction(Linear(), X, values, 8)(X)
    assert_allclose(found[[0, 30]], 15.0)
    assert_allclose(found[1:30], values[1:30])


def test_neighbors_are_those_of_the_kernels_geometry(X, X_new, neighbors):
    """Directions only, for a cosine kernel."""
    function = replace(neighbors, kernel=Cosine())
    assert_allclose(function(0.1 * X_new), function(X_new))
    assert_allclose(function(7.0 * X), function.values)


def test_all_points_the_same(X_new):
    function = NeighborFunction(Linear(), np.zeros((9, 3)), np.arange(9.0)[:, None], 9)
    assert_allclose(function(np.zeros((1, 3))), 4.0)
    assert_allclose(function(X_new), 4.0)


def test_fewer_points_than_neighbors(X, X_new):
    function = NeighborFunction(Linear(), X[:2], np.array([[1.0], [3.0]]), 8)
    found = function(X_new)
    assert ((found > 1.0) & (found < 3.0)).all()
    assert_allclose(NeighborFunction(Linear(), X[:1], np.array([[1.0]]), 8)(X_new), 1.0)


def test_sparse_and_dense_points_and_rows_agree(neighbors, X, X_new):
    expected = neighbors(X_new)
    other = replace(neighbors, points=sparse.csr_matrix(X))
    for function in (neighbors, other):
        for rows in (X_new, sparse.csr_matrix(X_new), sparse.csr_array(X_new)):
            assert_allclose(function(rows), expected)


def test_neighbors_that_fit_are_accepted(neighbors, function, X):
    check_part(neighbors, 3)
    check_part(replace(neighbors, points=sparse.csr_matrix(X)), 3)
    total = FunctionSum((function, neighbors), np.zeros(2))
    check_part(total, 3)
    assert (total.n_points, total.n_columns) == (30, 2)
    assert neighbors.training_rows is X


@pytest.mark.parametrize(
    "changes",
    [
        {"values": np.full((30, 2), np.nan)},
        {"values": np.zeros((29, 2))},
        {"values": np.zeros(30)},
        {"values": None},
        {"points": np.zeros((30, 4))},
        {"points": np.full((30, 3), np.inf)},
        {"points": np.arange(30)},
        {"points": np.zeros((0, 3)), "values": np.zeros((0, 2))},
        {"n_neighbors": 0},
        {"n_neighbors": "8"},
        {"n_neighbors": 2.5},
    ],
)
def test_neighbors_that_do_not_fit_are_refused(neighbors, changes):
    with pytest.raises(ValueError, match=r"of NeighborFunction (does not fit|must be)"):
        check_part(replace(neighbors, **changes), 3)


def test_an_index_of_many_points_is_used_again(rng):
    """Scores are those of the exact search, and no index is pickled."""
    X, values = rng.normal(size=(400, 6)), rng.normal(size=(400, 2))
    index = Cells.fit(X, 5, rule=CELL_SEARCH._replace(recall=1.0))
    function = NeighborFunction(Rbf(1.0), X, values, 5, index)
    exact = NeighborFunction(Rbf(1.0), X, values, 5)
    new = rng.normal(size=(50, 6))
    assert np.isclose(function(new), exact(new)).all(axis=1).mean() > 0.95
    assert_allclose(function(X), values)
    read = pickle.loads(pickle.dumps(function))
    assert read.index is None
    assert_allclose(read(new), exact(new))


def test_blocks_of_new_rows_have_the_same_scores(neighbors, monkeypatch, X_new):
    expected = neighbors(X_new)
    monkeypatch.setattr(
        "widemargin.graphs.neighbors.row_blocks",
        lambda n, *sizes: [slice(0, 2), slice(2, n)],
    )
    assert len(X_new) > 2
    assert_allclose(neighbors(X_new), expected, rtol=1e-12)
