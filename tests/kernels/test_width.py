import numpy as np
import pytest
import reference
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.svm import SVC

from widemargin.kernels import select_gamma


@pytest.mark.parametrize("gamma", [0.5, 3, np.float32(0.5)])
def test_number_is_kept(X, rng, gamma):
    kept = select_gamma(gamma, X, rng)
    assert type(kept) is float
    assert kept == gamma


@pytest.mark.parametrize("to_format", [np.asarray, sparse.csr_matrix])
def test_scale_is_that_of_the_svc(X, rng, to_format):
    """The same model comes out of scikit-learn's "scale" and of our number.

    This holds for features of the same mean, zero for example.
    """
    X, y = np.where(X > -0.5, 3 * X, 0.0), np.arange(30) % 2
    X[:15] = -X[15:]
    X = to_format(X)
    gamma = select_gamma("scale", X, rng)
    ours = SVC(gamma=gamma).fit(X, y).decision_function(X)
    assert_allclose(ours, SVC(gamma="scale").fit(X, y).decision_function(X))


@pytest.mark.parametrize("to_format", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shift", [0.0, 300.0])
def test_scale_is_one_over_the_summed_variance(rng, to_format, dtype, shift):
    X = (np.maximum(rng.normal(size=(50, 4)), 0) + shift).astype(dtype)
    expected = 1 / X.astype(float).var(axis=0).sum()
    assert_allclose(select_gamma("scale", to_format(X), rng), expected, rtol=1e-7)


@pytest.mark.parametrize("to_format", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("gamma", ["scale", "median", "mean"])
def test_no_width_depends_on_offsets_or_constant_columns(X, rng, to_format, gamma):
    expected = select_gamma(gamma, X, rng)
    offset = 1e9 * np.array([1.0, -2.0, 3.0])
    for other in (X + offset, np.c_[X, np.full(len(X), 1e12)]):
        found = select_gamma(gamma, to_format(other), rng)
        assert_allclose(found, expected, rtol=1e-5)


@pytest.mark.parametrize("to_format", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("n_samples", [2, 3, 30])
def test_median_is_of_all_squared_distances(X, rng, to_format, n_samples):
    X = X[:n_samples]
    squared = reference.distances(X) ** 2
    pairs = [squared[i, j] for i in range(n_samples) for j in range(i)]
    expected = 1 / np.median(pairs)
    assert_allclose(select_gamma("median", to_format(X), rng), expected)


def test_median_of_many_rows_is_of_a_repeatable_sample(rng):
    """Of 3,000 rows, the median is near that of the distribution: 2 * chi2 median."""
    X = rng.normal(size=(3000, 3))
    gamma = select_gamma("median", X, np.random.default_rng(1))
    assert gamma == select_gamma("median", X, np.random.default_rng(1))
    assert gamma != select_gamma("median", X, np.random.default_rng(2))
    assert_allclose(gamma, 1 / (2 * 2.366), rtol=0.1)


@pytest.mark.parametrize("to_format", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("shift", [0.0, 300.0])
@pytest.mark.parametrize("n_samples", [2, 3, 30])
def test_mean_is_of_all_squared_distances(X, rng, to_format, shift, n_samples):
    """Of all pairs of rows, those of a row with itself included."""
    X = np.where(X[:n_samples] > -0.5, X[:n_samples], 0.0) + shift
    expected = 1 / (reference.distances(X) ** 2).mean()
    found = select_gamma("mean", to_format(X), rng)
    assert_allclose(found, expected, rtol=1e-9)


@pytest.mark.parametrize("to_format", [np.asarray, sparse.csr_matrix])
def test_mean_in_single_precision(X, rng, to_format):
    expected = select_gamma("mean", X, rng)
    found = select_gamma("mean", to_format(X.astype(np.float32)), rng)
    assert_allclose(found, expected, rtol=1e-6)


@pytest.mark.parametrize("to_format", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("value", [0.0, 0.1, -3e5])
def test_mean_of_constant_data_is_one(rng, to_format, value):
    for shape in [(1, 3), (7, 3), (30, 3), (5, 40)]:
        assert select_gamma("mean", to_format(np.full(shape, value)), rng) == 1.0


def test_mean_of_equal_rows_is_one_whatever_the_rounding(rng):
    for n_features in (2, 17, 200):
        X = np.tile(rng.normal(size=n_features), (12, 1))
        assert select_gamma("mean", X, rng) == 1.0


@pytest.mark.parametrize("to_format", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("value", [0.0, 0.1, -3e5])
@pytest.mark.parametrize("gamma", ["scale", "median"])
def test_constant_data_give_one(rng, to_format, dtype, value, gamma):
    for shape in [(7, 3), (30, 3), (5, 40)]:
        X = to_format(np.full(shape, value, dtype=dtype))
        assert select_gamma(gamma, X, rng) == 1.0


@pytest.mark.parametrize("n_features", [2, 17, 200])
def test_median_of_equal_rows_is_one_whatever_the_rounding(rng, n_features):
    for _ in range(20):
        X = np.tile(rng.normal(size=n_features), (12, 1))
        assert select_gamma("median", X, rng) == 1.0


def test_median_of_one_row_is_one(rng):
    assert select_gamma("median", np.ones((1, 3)), rng) == 1.0


def test_other_words_are_refused_by_value(X, rng):
    with pytest.raises(ValueError, match="'scale', 'median' or 'mean', got 'auto'"):
        select_gamma("auto", X, rng)
