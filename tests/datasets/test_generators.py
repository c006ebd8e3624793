import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_moons

from widemargin.datasets import make_sheets, make_two_moons


def sorted_rows(X):
    """Rows in lexicographic order, with rounding noise removed first."""
    X = np.round(X, 12) + 0.0
    return X[np.lexsort(X.T)]


def test_default_size_is_the_published_one():
    assert make_two_moons()[0].shape == (200, 2)


def test_two_moons_without_noise_are_the_curves_of_scikit_learn():
    X, y = make_two_moons(120, noise=0, random_state=0)
    X_reference, y_reference = make_moons(120, shuffle=False)
    for label in (0, 1):
        assert_allclose(
            sorted_rows(X[y == label]),
            sorted_rows(X_reference[y_reference == label]),
            atol=1e-12,
        )


def test_noise_is_isotropic_with_the_given_deviation():
    noisy, y = make_two_moons(20_000, noise=0.05, random_state=0)
    center = np.where((y == 0)[:, None], [0.0, 0.0], [1.0, 0.5])
    radius = np.linalg.norm(noisy - center, axis=1)
    assert_allclose(radius.std(), 0.05, rtol=0.03)
    exact, _ = make_two_moons(20_000, noise=0, random_state=0)
    assert_allclose((noisy - exact).std(axis=0), 0.05, rtol=0.03)


def test_negative_noise_is_refused():
    with pytest.raises(ValueError, match=r"noise == -0\.1, must be >= 0"):
        make_two_moons(noise=-0.1)


def test_same_seed_gives_same_data():
    X, y = make_two_moons(60, random_state=3)
    X_again, y_again = make_two_moons(60, random_state=3)
    assert_array_equal(X, X_again)
    assert_array_equal(y, y_again)


def test_other_seed_gives_other_data():
    X, _ = make_two_moons(60, random_state=3)
    X_other, _ = make_two_moons(60, random_state=4)
    assert not np.array_equal(X, X_other)


@pytest.mark.parametrize(
    "random_source", [np.random.default_rng, np.random.RandomState]
)
def test_random_objects_are_repeatable_and_advance(random_source):
    source, twin = random_source(5), random_source(5)
    X, _ = make_two_moons(60, random_state=source)
    X_next, _ = make_two_moons(60, random_state=source)
    assert_array_equal(X, make_two_moons(60, random_state=twin)[0])
    assert not np.array_equal(X, X_next)


def test_rows_are_shuffled_floats_and_labels_count_from_zero():
    X, y = make_two_moons(240, random_state=0)
    assert X.dtype == np.float64
    assert y.dtype.kind == "i"
    assert_array_equal(np.unique(y), [0, 1])
    assert (np.diff(y) != 0).sum() > 60  # sorted or blocked classes change once


def test_global_random_state_is_left_alone():
    np.random.seed(0)  # noqa: NPY002
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    make_two_moons(60)
    assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002


@pytest.mark.parametrize("n_samples", [4, 5, 6, 7, 100, 101])
def test_class_sizes_differ_by_at_most_one(n_samples):
    _, y = make_two_moons(n_samples, random_state=0)
    assert_array_equal(np.bincount(y), [n_samples - n_samples // 2, n_samples // 2])


def test_numbers_of_samples_that_make_no_sense_are_refused():
    with pytest.raises(ValueError, match="n_samples == 0, must be >="):
        make_two_moons(0)
    with pytest.raises(TypeError, match="n_samples must be an instance of"):
        make_two_moons(10.5)


def test_sheets_are_smooth_functions_of_two_numbers():
    """Without noise, the matrix of one sheet near a point has rank two."""
    X, y, sheets = make_sheets(
        40_000, n_sheets=2, noise=0, return_sheets=True, random_state=0
    )
    assert X.dtype == np.float32
    assert_array_equal(y, sheets)
    X = X[sheets == 0].astype(np.float64)
    near = X[np.argsort(np.linalg.norm(X - X[0], axis=1))[:20]]
    values = np.linalg.svd(near - near.mean(axis=0), compute_uv=False)
    assert values[2] < 0.2 * values[1]


def test_sheets_have_equal_sizes_means_and_spreads():
    X, y, sheets = make_sheets(30_000, return_sheets=True, random_state=0)
    assert_array_equal(np.bincount(sheets), 1000)
    assert_array_equal(np.bincount(y), 3000)
    assert_allclose(X.std(axis=0), np.sqrt(1.25), atol=0.1)


def test_more_rows_of_the_sheets_have_purer_neighborhoods():
    shares = []
    for n_samples in (600, 6000):
        X, _, sheets = make_sheets(n_samples, return_sheets=True, random_state=0)
        squares = (X**2).sum(axis=1)
        lengths = squares[None] - 2.0 * (X[:300] @ X.T)
        lengths[np.arange(300), np.arange(300)] = np.inf
        shares.append((sheets[lengths.argmin(axis=1)] == sheets[:300]).mean())
    assert shares[0] < 0.8
    assert shares[1] > 0.9


def test_sheets_refuse_nonsense():
    with pytest.raises(ValueError, match="n_sheets"):
        make_sheets(10, n_sheets=0)
