"""What every generator promises."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from widemargin import datasets

MAKERS = [name for name in datasets.__all__ if name.startswith("make_")]
BALANCED = [
    "make_clock",
    "make_gaussian2c",
    "make_gp_toy",
    "make_two_moons",
]


@pytest.fixture(params=MAKERS)
def make(request):
    return getattr(datasets, request.param)


def test_all_names_exist_and_are_sorted():
    assert all(callable(getattr(datasets, name)) for name in datasets.__all__)
    assert datasets.__all__ == sorted(datasets.__all__)


def test_same_seed_gives_same_data(make):
    X, y = make(60, random_state=3)
    X_again, y_again = make(60, random_state=3)
    assert_array_equal(X, X_again)
    assert_array_equal(y, y_again)


def test_other_seed_gives_other_data(make):
    X, _ = make(60, random_state=3)
    X_other, _ = make(60, random_state=4)
    assert not np.array_equal(X, X_other)


@pytest.mark.parametrize(
    "random_source", [np.random.default_rng, np.random.RandomState]
)
def test_random_objects_are_repeatable_and_advance(make, random_source):
    source, twin = random_source(5), random_source(5)
    X, _ = make(60, random_state=source)
    X_next, _ = make(60, random_state=source)
    assert_array_equal(X, make(60, random_state=twin)[0])
    assert not np.array_equal(X, X_next)


def test_rows_are_finite_floats_and_labels_count_from_zero(make):
    X, y = make(240, random_state=0)
    assert X.dtype == np.float64
    assert X.shape[0] == 240
    assert np.isfinite(X).all()
    assert y.dtype.kind == "i"
    assert_array_equal(np.unique(y), np.arange(y.max() + 1))


def test_rows_are_shuffled(make):
    _, y = make(240, random_state=0)
    assert (np.diff(y) != 0).sum() > 60  # sorted or blocked classes change twice


def test_global_random_state_is_left_alone(make):
    np.random.seed(0)  # noqa: NPY002
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    make(60)
    assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002


@pytest.mark.parametrize("name", BALANCED)
@pytest.mark.parametrize("n_samples", [4, 5, 6, 7, 100, 101])
def test_class_sizes_differ_by_at_most_one(name, n_samples):
    _, y = getattr(datasets, name)(n_samples, random_state=0)
    sizes = np.bincount(y, minlength=2)
    assert sizes.sum() == n_samples
    assert abs(sizes[0] - sizes[1]) <= 1


def test_too_few_samples_are_refused(make):
    with pytest.raises(ValueError, match="n_samples == 0, must be >="):
        make(0)


def test_fractional_number_of_samples_is_refused(make):
    with pytest.raises(TypeError, match="n_samples must be an instance of"):
        make(10.5)
