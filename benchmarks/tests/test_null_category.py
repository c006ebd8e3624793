import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import ndtr
from sklearn.datasets import make_blobs

from widemargin_bench.protocols.null_category import NullCategoryClassifier, _posterior


@pytest.fixture
def blobs():
    """Two clusters of thirty rows, two labels each."""
    X, y = make_blobs([30, 30], centers=[[-3, 0], [3, 0]], random_state=0)
    y_partial = np.full(60, -1)
    for c in (0, 1):
        rows = np.flatnonzero(y == c)[:2]
        y_partial[rows] = c
    return X, y, y_partial


def log_evidence(mean, variance, sign, gap):
    """Log-probability of what is known of a sample whose value is Gaussian."""
    sides = [sign] if sign else [-1.0, 1.0]
    spread = np.sqrt(1 + variance)
    return np.log(sum(ndtr((s * mean - gap / 2) / spread) for s in sides))


@pytest.mark.parametrize("sign", [-1.0, 0.0, 1.0])
def test_slopes_match_finite_differences(sign):
    means, variance, step, gap = np.linspace(-2, 2, 7), 1.7, 1e-4, 0.8
    slope, bend = NullCategoryClassifier(gap=gap)._slopes(
        means, np.full(7, variance), np.full(7, sign)
    )
    low, here, high = (
        log_evidence(means + shift, variance, sign, gap) for shift in (-step, 0, step)
    )
    assert_allclose(slope, (high - low) / (2 * step), atol=1e-6)
    assert_allclose(bend, -(high - 2 * here + low) / step**2, atol=1e-6)


def test_posterior_matches_that_of_the_gram_matrix(rng):
    F = rng.normal(size=(12, 5))
    precision, shift = rng.uniform(0.5, 2, size=12), rng.normal(size=12)
    precision[:4] = shift[:4] = 0.0  # left out
    gram, kept = F @ F.T, slice(4, 12)
    inner = gram[kept, kept] + np.diag(1 / precision[kept])
    gain = np.linalg.solve(inner, gram[kept])
    coef, variance = _posterior(F, precision, shift)
    assert_allclose(F @ coef, gain.T @ (shift[kept] / precision[kept]), atol=1e-9)
    assert_allclose(variance, np.diag(gram - gram[:, kept] @ gain), atol=1e-9)


@pytest.mark.parametrize("n_landmarks", [None, 20])
def test_clusters_get_the_class_of_their_labels(blobs, n_landmarks):
    X, y, y_partial = blobs
    model = NullCategoryClassifier(n_landmarks=n_landmarks).fit(X, y_partial)
    assert_array_equal(model.predict(X), y)


def test_exchanged_classes_exchange_predictions(blobs):
    X, _, y_partial = blobs
    exchanged = np.where(y_partial < 0, -1, 1 - y_partial)
    first = NullCategoryClassifier().fit(X, y_partial)
    second = NullCategoryClassifier().fit(X, exchanged)
    assert_allclose(first.coef_, -second.coef_, atol=1e-6)
    assert_array_equal(first.predict(X), 1 - second.predict(X))


def test_rounds_have_ended_by_themselves(blobs):
    X, _, y_partial = blobs
    few = NullCategoryClassifier(max_iter=60).fit(X, y_partial)
    many = NullCategoryClassifier(max_iter=200).fit(X, y_partial)
    assert_array_equal(few.coef_, many.coef_)
