import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from widemargin.datasets import make_irrelevant_gaussians

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
