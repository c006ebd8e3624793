import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist
from scipy.stats import norm
from sklearn.datasets import make_moons

from widemargin.datasets import (
    make_clock,
    make_gaussian2c,
    make_gp_toy,
    make_two_moons,
    make_waveform,
)


def sorted_rows(X):
    """Rows in lexicographic order, with rounding noise removed first."""
    X = np.round(X, 12) + 0.0
    return X[np.lexsort(X.T)]


def test_default_sizes_are_the_published_ones():
    assert make_two_moons()[0].shape == (200, 2)
    assert make_gp_toy()[0].shape == (40 + 520, 2)
    assert make_gaussian2c(random_state=0)[0].shape == (500, 500)


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
    X, y = make_two_moons(20_000, noise=0.05, random_state=0)
    center = np.where((y == 0)[:, None], [0.0, 0.0], [1.0, 0.5])
    radius = np.linalg.norm(X - center, axis=1)
    assert_allclose(radius.std(), 0.05, rtol=0.03)
    clock, _ = make_clock(20_000, noise=0.05, random_state=0)
    exact, _ = make_clock(20_000, random_state=0)
    assert_allclose((clock - exact).std(axis=0), 0.05, rtol=0.03)


def test_clock_border_is_an_evenly_filled_unit_circle():
    X, y = make_clock(100, random_state=0)
    border = X[y == 0]
    assert_allclose(np.linalg.norm(border, axis=1), 1.0)
    angles = np.sort(np.arctan2(border[:, 1], border[:, 0]))
    assert_allclose(np.diff(angles), 2 * np.pi / 50)


def test_clock_hands_are_two_segments_from_the_center():
    X, y = make_clock(242, random_state=0)  # 121 rows, 0.01 apart
    hands = sorted_rows(X[y == 1])
    hour = np.column_stack([np.arange(1, 51) * 0.01, np.zeros(50)])
    minute = np.column_stack([np.zeros(71), np.arange(71) * 0.01])
    assert_allclose(hands, sorted_rows(np.vstack([hour, minute])), atol=1e-12)


def test_clock_stays_in_the_unit_square_and_hands_off_the_border():
    X, y = make_clock(1000, random_state=0)
    assert np.abs(X).max() <= 1.0
    assert_allclose(cdist(X[y == 0], X[y == 1]).min(), 0.3, atol=1e-3)


@pytest.mark.parametrize(("margin", "noise"), [(1.0, 0.4), (0.5, 0.5)])
def test_gp_toy_bayes_error_of_the_sine_boundary(margin, noise):
    X, y = make_gp_toy(40_000, margin=margin, noise=noise, random_state=0)
    error = np.mean((X[:, 1] > np.sin(X[:, 0])) != y)
    expected = norm.cdf(-margin / noise)
    standard_error = np.sqrt(expected * (1 - expected) / len(y))
    assert abs(error - expected) < 4 * standard_error


def test_gp_toy_bands_follow_the_curve():
    X, y = make_gp_toy(40_000, random_state=0)
    offset = X[:, 1] - np.sin(X[:, 0])
    assert_allclose(offset[y == 0].mean(), -1.0, atol=0.01)
    assert_allclose(offset[y == 1].mean(), 1.0, atol=0.01)
    assert_allclose(offset[y == 0].std(), 0.4, atol=0.01)
    assert abs(np.corrcoef(offset[y == 0], np.sin(X[y == 0, 0]))[0, 1]) < 0.03
    assert X[:, 0].min() >= -3
    assert X[:, 0].max() <= 3
    assert_allclose(X[:, 0].std(), 6 / np.sqrt(12), atol=0.02)


def test_gp_toy_is_sparse_along_the_curve():
    X, _ = make_gp_toy(random_state=0)
    distance = np.abs(X[:, 1] - np.sin(X[:, 0]))
    assert (distance < 0.2).sum() < 0.2 * (np.abs(distance - 1.0) < 0.2).sum()


@pytest.mark.parametrize("make", [make_clock, make_gp_toy, make_two_moons])
def test_negative_noise_is_refused(make):
    with pytest.raises(ValueError, match=r"noise == -0\.1, must be >= 0"):
        make(noise=-0.1)


def test_negative_margin_is_refused():
    with pytest.raises(ValueError, match=r"margin == -1\.0, must be >= 0"):
        make_gp_toy(margin=-1.0)


def test_gaussian2c_means_and_covariance():
    X, y = make_gaussian2c(40_000, n_features=4, random_state=0)
    for label, center in [(0, -2.5), (1, 2.5)]:
        rows = X[y == label]
        assert_allclose(rows.mean(axis=0), [center, 0, 0, 0], atol=0.03)
        assert_allclose(np.cov(rows.T), np.eye(4), atol=0.04)


def test_gaussian2c_needs_a_feature():
    assert make_gaussian2c(4, n_features=1)[0].shape == (4, 1)
    with pytest.raises(ValueError, match="n_features == 0, must be >= 1"):
        make_gaussian2c(4, n_features=0)


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
