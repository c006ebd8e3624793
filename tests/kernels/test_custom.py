import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from widemargin.kernels import (
    Cosine,
    Custom,
    Kernel,
    Laplacian,
    Linear,
    Polynomial,
    Precomputed,
    Rbf,
    read_kernel,
)


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


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("rbf", Rbf()),
        ("laplacian", Laplacian()),
        ("poly", Polynomial()),
        ("linear", Linear()),
        ("cosine", Cosine()),
        ("precomputed", Precomputed()),
    ],
)
def test_shorthand_stands_for_the_default_kernel(name, expected):
    assert name in Kernel.shorthands()
    assert read_kernel(name) == expected


def test_value_is_kept():
    kernel = Polynomial(0.25, 4, 2.0)
    assert read_kernel(kernel) is kernel


def test_function_becomes_a_kernel(X):
    kernel = read_kernel(lambda X, Z: X @ Z.T)
    assert isinstance(kernel, Custom)
    assert_array_equal(kernel(X), X @ X.T)


@pytest.mark.parametrize("name", ["gaussian", "RBF", None, 3])
def test_other_names_are_refused_by_value(name):
    message = f"kernel of SVC must be one of .*'rbf'.* or a Kernel value, got {name!r}"
    with pytest.raises(ValueError, match=message):
        read_kernel(name, "kernel of SVC")


@pytest.mark.parametrize("kind", [Rbf, Polynomial])
@pytest.mark.parametrize("gamma", ["scale", "median", "mean"])
def test_width_is_taken_from_the_data(X, rng, kind, gamma):
    kernel = kind(gamma).fit_width(X, rng)
    assert kernel.gamma == Rbf(gamma).fit_width(X, rng).gamma
    assert kind(gamma).fit_width(2 * X, rng).gamma == pytest.approx(kernel.gamma / 4)


@pytest.mark.parametrize("gamma", ["scale", "median", "mean"])
def test_width_of_absolute_differences_has_their_unit(X, rng, gamma):
    """Scaling and constant columns change no kernel value."""
    gram = Laplacian(gamma).fit_width(X, rng)(X)
    for other in (2.0**-80 * X, np.c_[X, np.full(len(X), 7.0)]):
        assert_allclose(Laplacian(gamma).fit_width(other, rng)(other), gram)
    standard = (X - X.mean(axis=0)) / X.std(axis=0)
    assert Laplacian("scale").fit_width(standard, rng).gamma == pytest.approx(1 / 3)


def test_auto_width_is_the_rule_of_the_estimator(X, rng):
    for rule in ("scale", "mean"):
        found = Rbf().fit_width(X, rng, auto=rule)
        assert found == Rbf(rule).fit_width(X, rng)


def test_kernel_without_a_width_says_how_to_get_one(X):
    with pytest.raises(ValueError, match="set gamma to a number, or call fit_width"):
        Rbf("scale")(X)


@pytest.mark.parametrize("gamma", [0, -1.0, float("nan"), "wide", None, [1.0]])
@pytest.mark.parametrize("kind", [Rbf, Laplacian, Polynomial])
def test_bad_width_is_refused_when_it_is_given(kind, gamma):
    with pytest.raises(ValueError, match=f"gamma of {kind.__name__} must be"):
        kind(gamma)


@pytest.mark.parametrize(("name", "value"), [("degree", 0), ("coef0", -1.0)])
def test_bad_polynomial_is_refused(name, value):
    with pytest.raises(ValueError, match=f"{name} of Polynomial must be"):
        Polynomial(**{name: value})
