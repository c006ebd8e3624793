import pytest
from numpy.testing import assert_array_equal

from widemargin.kernels import (
    KERNELS,
    Cosine,
    Custom,
    Laplacian,
    Linear,
    Polynomial,
    Precomputed,
    Rbf,
    make_kernel,
)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("rbf", Rbf(0.25)),
        ("laplacian", Laplacian(0.25)),
        ("poly", Polynomial(0.25, 4, 2.0)),
        ("linear", Linear()),
        ("cosine", Cosine()),
        ("precomputed", Precomputed()),
    ],
)
def test_name_gives_the_kernel(X, rng, name, expected):
    assert name in KERNELS
    kernel = make_kernel(name, X, rng, gamma=0.25, degree=4, coef0=2.0)
    assert kernel == expected


def test_every_name_can_be_made(X, rng):
    for name in KERNELS:
        make_kernel(name, X, rng)


@pytest.mark.parametrize("name", ["rbf", "laplacian", "poly"])
@pytest.mark.parametrize("gamma", ["scale", "median"])
def test_width_is_taken_from_the_data(X, rng, name, gamma):
    kernel = make_kernel(name, X, rng, gamma=gamma)
    assert kernel.gamma == make_kernel("rbf", X, rng, gamma=gamma).gamma
    wider = make_kernel(name, 2 * X, rng, gamma=gamma)
    assert wider.gamma == pytest.approx(kernel.gamma / 4)


def test_function_becomes_a_kernel(X, rng):
    kernel = make_kernel(lambda X, Z: X @ Z.T, X, rng)
    assert isinstance(kernel, Custom)
    assert_array_equal(kernel(X), X @ X.T)


@pytest.mark.parametrize("name", ["gaussian", "RBF", None, 3])
def test_other_names_are_refused_by_value(X, rng, name):
    message = f"kernel must be one of rbf, linear, .* or a function, got {name!r}"
    with pytest.raises(ValueError, match=message):
        make_kernel(name, X, rng)


def test_kernels_without_a_width_do_not_look_at_the_data(rng):
    for name in ("linear", "cosine", "precomputed"):
        make_kernel(name, None, rng, gamma="median")
