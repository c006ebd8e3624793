import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import norm

from widemargin.datasets import make_g50c, make_gaussian2c, make_gaussian4c


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
