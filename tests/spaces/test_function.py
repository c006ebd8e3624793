from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse

from widemargin.kernels import Linear, Precomputed, Rbf
from widemargin.spaces import Function, FunctionSum
from widemargin.stored import check_part


@pytest.fixture
def function(X, rng):
    return Function(Rbf(0.5), X[:5], rng.normal(size=(5, 2)), np.array([0.5, -1.0]))


def test_value_is_the_sum_of_kernel_functions(function, X_new):
    expected = Rbf(0.5)(X_new, function.points) @ function.coef + [0.5, -1.0]
    assert_allclose(function(X_new), expected)
    assert function(X_new.astype(np.float32)).dtype == np.float32
    assert (function.n_points, function.n_columns) == (5, 2)


def test_sum_adds_its_parts(function, X_new):
    other = replace(function, kernel=Rbf(2.0))
    total = FunctionSum((function, other))
    assert_allclose(total(X_new), function(X_new) + other(X_new))
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
            check_part(FunctionSum(parts), 3)
