import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import norm

from widemargin.datasets import (
    make_g50c,
    make_gaussian2c,
    make_gaussian4c,
    make_irrelevant_gaussians,
)


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
    assert make_gaussian2c(4, n_features=1)[0].shape == (4, 1)
    with pytest.raises(ValueError, match="n_features == 1, must be >= 2"):
        make_gaussian4c(4, n_features=1)


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
