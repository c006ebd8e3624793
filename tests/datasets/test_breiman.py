import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import ncx2

from widemargin.datasets import make_ringnorm, make_waveform


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


def test_two_class_waveform_is_class_one_against_the_rest():
    X, y = make_waveform(500, n_classes=2, random_state=0)
    X3, y3 = make_waveform(500, n_classes=3, random_state=0)
    assert_array_equal(X, X3)
    assert_array_equal(y, y3 == 1)


def test_waveform_has_two_or_three_classes():
    with pytest.raises(ValueError, match=r"n_classes of make_waveform .* got 4"):
        make_waveform(10, n_classes=4)


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
