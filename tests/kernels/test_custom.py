import numpy as np
import pytest
from numpy.testing import assert_array_equal

from widemargin.kernels import Custom


def dot(X, Z):
    return X @ Z.T


def test_function_is_called_with_both_arguments(X, X_new):
    assert_array_equal(Custom(dot)(X_new, X), X_new @ X.T)
    assert_array_equal(Custom(dot)(X), X @ X.T)


@pytest.mark.parametrize(
    ("function", "shape"),
    [
        (lambda X, Z: X @ X.T, r"\(7, 7\)"),
        (lambda X, Z: Z @ X.T, r"\(30, 7\)"),
        (lambda X, Z: (X @ Z.T)[:, 0], r"\(7,\)"),
        (lambda X, Z: 1.0, r"\(\)"),
    ],
)
def test_wrong_shape_is_refused(X, X_new, function, shape):
    message = rf"must return shape \(7, 30\) for 7 and 30 rows, got {shape}"
    with pytest.raises(ValueError, match=message):
        Custom(function)(X_new, X)


@pytest.mark.parametrize(
    ("returned", "kept"),
    [
        (np.float32, np.float32),
        (np.float64, np.float64),
        (np.int64, np.float64),
        (bool, np.float64),
    ],
)
def test_values_become_floating(returned, kept):
    X = np.eye(3)
    gram = Custom(lambda X, Z: dot(X, Z).astype(returned))(X)
    assert gram.dtype == kept
    assert_array_equal(gram, np.eye(3))


def test_list_of_rows_is_accepted():
    gram = Custom(lambda X, Z: [[1.0, 0.5], [0.5, 1.0]])(np.eye(2))
    assert_array_equal(gram, [[1.0, 0.5], [0.5, 1.0]])
