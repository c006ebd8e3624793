import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import ncx2, norm

from widemargin_bench.generators import (
    make_g50c,
    make_gaussian2c,
    make_gaussian4c,
    make_irrelevant_gaussians,
    make_ringnorm,
    make_waveform,
)

BALANCED = (make_g50c, make_gaussian2c, make_gaussian4c)
MAKERS = (*BALANCED, make_irrelevant_gaussians, make_ringnorm, make_waveform)


@pytest.fixture(params=MAKERS, ids=lambda make: make.__name__)
def make(request):
    return request.param


def test_a_seed_gives_the_same_data_and_another_one_others(make):
    X, y = make(60, random_state=3)
    X_again, y_again = make(60, random_state=3)
    assert_array_equal(X, X_again)
    assert_array_equal(y, y_again)
    assert not np.array_equal(X, make(60, random_state=4)[0])


def test_rows_are_finite_floats_in_random_order(make):
    X, y = make(240, random_state=0)
    assert X.dtype == np.float64
    assert X.shape[0] == 240
    assert np.isfinite(X).all()
    assert y.dtype.kind == "i"
    assert_array_equal(np.unique(y), np.arange(y.max() + 1))
    assert (np.diff(y) != 0).sum() > 60  # sorted or blocked classes change twice


def test_global_random_state_is_left_alone(make):
    np.random.seed(0)  # noqa: NPY002
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    make(60)
    assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002


@pytest.mark.parametrize("make", BALANCED)
@pytest.mark.parametrize("n_samples", [4, 5, 6, 7, 100, 101])
def test_class_sizes_differ_by_at_most_one(make, n_samples):
    sizes = np.bincount(make(n_samples, random_state=0)[1], minlength=2)
    assert sizes.sum() == n_samples
    assert abs(sizes[0] - sizes[1]) <= 1


def test_numbers_of_samples_that_make_no_sense_are_refused(make):
    with pytest.raises(ValueError, match="n_samples == 0, must be >="):
        make(0)
    with pytest.raises(TypeError, match="n_samples must be an instance of"):
        make(10.5)


def test_default_sizes_are_the_published_ones():
    assert make_gaussian2c(random_state=0)[0].shape == (500, 500)
    assert make_gaussian4c(random_state=0)[0].shape == (500, 500)
    assert make_g50c(random_state=0)[0].shape == (550, 50)


def test_gaussian2c_means_and_covariance():
    X, y = make_gaussian2c(40_000, n_features=4, random_state=0)
    for label, center in [(0, -2.5), (1, 2.5)]:
        rows = X[y == label]
        assert_allclose(rows.mean(axis=0), [center, 0, 0, 0], atol=0.03)
        assert_allclose(np.cov(rows.T), np.eye(4), atol=0.04)


def test_gaussian4c_means_and_covariance():
    X, y = make_gaussian4c(40_000, n_features=3, random_state=0)
    for label, first in [(0, -2.5), (1, 2.5)]:
        for second in [-5.0, 5.0]:
            rows = X[(y == label) & (X[:, 1] * second > 0)]  # 10 sd apart: exact
            assert len(rows) == 10_000
            assert_allclose(rows.mean(axis=0), [first, second, 0], atol=0.05)
            assert_allclose(np.cov(rows.T), np.eye(3), atol=0.06)


def test_gaussian4c_widest_gap_is_not_the_class_boundary():
    X, y = make_gaussian4c(400, n_features=2, random_state=0)
    upper = X[:, 1] > 0
    assert_array_equal([upper[y == 0].sum(), upper[y == 1].sum()], [100, 100])
    assert X[:, 1].var() > 2 * X[:, 0].var()


def test_g50c_bayes_error_is_five_percent():
    X, y = make_g50c(100_000, random_state=0)
    best_decision = X.sum(axis=1) > 0
    error = np.mean(best_decision != y)
    assert abs(error - 0.05) < 0.0025  # 3.6 standard errors


def test_g50c_means_and_covariance():
    X, y = make_g50c(100_000, random_state=1)
    difference = X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0)
    assert_allclose(np.linalg.norm(difference), 2 * norm.isf(0.05), atol=0.025)
    assert_allclose(difference, difference.mean(), atol=0.03)
    assert_allclose(np.cov(X[y == 0].T), np.eye(50), atol=0.035)


def test_number_of_features_must_hold_the_means():
    with pytest.raises(ValueError, match="n_features == 1, must be >= 2"):
        make_gaussian4c(4, n_features=1)
    assert make_gaussian2c(4, n_features=1)[0].shape == (4, 1)
    with pytest.raises(ValueError, match="n_features == 0, must be >= 1"):
        make_gaussian2c(4, n_features=0)


CLASS_VARIANCES = np.repeat([0.08, 10.0], [2, 48])


def test_bayes_error_is_about_five_percent():
    """The best rule weighs each feature by its mean over its variance."""
    X, y = make_irrelevant_gaussians(100_000, irrelevant_fraction=0, random_state=0)
    error = np.mean((X @ (0.3 / CLASS_VARIANCES) > 0) != y)
    assert abs(error - 0.0507) < 0.0028  # 4 standard errors


@pytest.mark.parametrize("variant", [1, 2])
def test_classes_are_the_same_in_both_variants(variant):
    X, y = make_irrelevant_gaussians(60_000, variant=variant, random_state=0)
    for label, center in [(0, -0.3), (1, 0.3)]:
        rows = X[y == label]
        assert_allclose(rows.mean(axis=0), center, atol=0.12)
        assert_allclose(rows[:, :2].mean(axis=0), center, atol=0.01)
        assert_allclose(rows.var(axis=0) / CLASS_VARIANCES, 1, atol=0.06)


@pytest.mark.parametrize(
    ("variant", "center", "variance"), [(1, 0.0, 0.1), (2, 0.15, 0.08)]
)
def test_irrelevant_rows(variant, center, variance):
    X, y = make_irrelevant_gaussians(60_000, variant=variant, random_state=1)
    rows = X[y == 2]
    assert_allclose(rows[:, :2].mean(axis=0), center, atol=0.008)
    assert_allclose(rows[:, 2:].mean(axis=0), center, atol=0.08)
    assert_allclose(rows[:, 2:].mean(), center, atol=0.012)
    assert_allclose(rows[:, :2].var(axis=0), variance, rtol=0.04)
    assert_allclose(rows[:, 2:].var(axis=0), 10, rtol=0.04)


@pytest.mark.parametrize(
    ("fraction", "sizes"),
    [(0, [50, 50, 0]), (0.1, [45, 45, 10]), (0.9, [5, 5, 90]), (1, [0, 0, 100])],
)
def test_share_of_irrelevant_rows(fraction, sizes):
    X, y = make_irrelevant_gaussians(100, irrelevant_fraction=fraction)
    assert X.shape == (100, 50)
    assert_array_equal(np.bincount(y, minlength=3), sizes)


def test_share_outside_zero_to_one_is_refused():
    with pytest.raises(ValueError, match=r"irrelevant_fraction == 1\.5, must be <= 1"):
        make_irrelevant_gaussians(irrelevant_fraction=1.5)


def test_unknown_variant_is_refused():
    with pytest.raises(ValueError, match=r"variant of .* must be 1 or 2, got 3"):
        make_irrelevant_gaussians(variant=3)


def test_ringnorm_means_and_covariances():
    X, y = make_ringnorm(100_000, random_state=0)
    narrow, wide = X[y == 0], X[y == 1]
    assert X.shape[1] == 20
    assert_allclose(narrow.mean(axis=0), 2 / np.sqrt(20), atol=0.025)
    assert_allclose(wide.mean(axis=0), 0, atol=0.05)
    assert_allclose(np.cov(narrow.T), np.eye(20), atol=0.04)
    assert_allclose(np.cov(wide.T), 4 * np.eye(20), atol=0.15)
    assert_allclose(len(wide) / len(X), 0.5, atol=0.01)


def test_ringnorm_bayes_error():
    """The best rule calls a ball narrow: its error is a noncentral chi-square tail."""
    squared_radius = 8 / 3 * (20 * np.log(2) + 4 / 6)
    missed_narrow = ncx2.sf(squared_radius, 20, 4 / 9)
    missed_wide = ncx2.cdf(squared_radius / 4, 20, 16 / 9)
    expected = (missed_narrow + missed_wide) / 2
    X, y = make_ringnorm(100_000, random_state=1)
    center = 4 / 3 * 2 / np.sqrt(20)
    error = np.mean((((X - center) ** 2).sum(axis=1) > squared_radius) != y)
    assert round(100 * expected, 2) == 1.24  # as documented
    assert abs(error - expected) < 0.0014  # 4 standard errors


def triangle(peak):
    return np.array([max(6 - abs(i - peak), 0) for i in range(1, 22)])


@pytest.fixture(scope="module")
def waveform():
    return make_waveform(60_000, random_state=0)


@pytest.mark.parametrize(
    ("label", "first", "second"), [(0, 7, 15), (1, 7, 11), (2, 11, 15)]
)
def test_waveform_means_are_halfway_between_two_waves(waveform, label, first, second):
    X, y = waveform
    expected = (triangle(first) + triangle(second)) / 2
    assert_allclose(X[y == label].mean(axis=0), expected, atol=0.07)


def test_waveform_rows_have_one_share_and_unit_noise(waveform):
    """With u ~ U(0, 1) per row, Cov = I + (h_p - h_q)(h_p - h_q)' / 12."""
    X, y = waveform
    difference = triangle(7) - triangle(15)
    expected = np.eye(21) + np.outer(difference, difference) / 12
    assert_allclose(np.cov(X[y == 0].T), expected, atol=0.1)


def test_waveform_classes_are_equally_likely(waveform):
    _, y = waveform
    assert_allclose(np.bincount(y) / len(y), 1 / 3, atol=0.01)
