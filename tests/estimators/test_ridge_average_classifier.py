import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.datasets import load_digits

from widemargin import RidgeAverageClassifier
from widemargin.datasets import hide_labels
from widemargin.estimators import ridge_average_classifier
from widemargin.kernels import Rbf


@pytest.fixture
def digits():
    X, y = load_digits(return_X_y=True)
    return X[:300], hide_labels(y[:300], 40, rng=0)


def test_scores_are_the_sum_over_kernels(digits):
    """Each width has its own coefficients; there is one intercept."""
    X, y = digits
    model = RidgeAverageClassifier().fit(X, y)
    slow = model.intercept_ + sum(
        kernel(X, model.points_) @ coefficients
        for kernel, coefficients in zip(model.kernels_, model.dual_coef_, strict=True)
    )
    assert_allclose(model.decision_function(X), slow)
    assert_allclose(
        model.predict_proba(X), np.exp(slow) / np.exp(slow).sum(axis=1)[:, None]
    )


def test_unlabeled_rows_matter_for_the_width_only(digits):
    """With a width of its own the machine does not see them."""
    X, y = digits
    labeled = y >= 0
    model = RidgeAverageClassifier(gamma=1e-3).fit(X, y)
    alone = RidgeAverageClassifier(gamma=1e-3).fit(X[labeled], y[labeled])
    assert_allclose(model.decision_function(X), alone.decision_function(X))


def test_gamma_is_within_the_widths(digits):
    X, y = digits
    model = RidgeAverageClassifier(gamma=1e-3, widths=(1.0, 4.0)).fit(X, y)
    assert 1e-3 <= model.gamma_ <= 4e-3
    wide = RidgeAverageClassifier(gamma=1e-3, widths=(0.01, 0.02)).fit(X, y)
    assert_allclose(wide.gamma_, 1e-4)  # a tenth at the least


def test_negligible_widths_are_left_out(digits):
    """They would cost time at each prediction."""
    X, y = digits
    model = RidgeAverageClassifier(widths=(1.0, 1e6)).fit(X, y)
    assert [type(kernel) for kernel in model.kernels_] == [Rbf]
    assert model.average_.weights.shape == (2, 4)


def test_sparse_and_dense_agree(digits):
    X, y = digits
    dense = RidgeAverageClassifier().fit(X, y)
    other = RidgeAverageClassifier().fit(sparse.csr_matrix(X), y)
    assert_allclose(
        other.decision_function(sparse.csr_matrix(X)), dense.decision_function(X)
    )


def test_many_labels_are_thinned_class_by_class(monkeypatch, digits):
    """The others are not held out."""
    monkeypatch.setattr(ridge_average_classifier, "_MOST_LABELS", 30)
    X, y = digits
    model = RidgeAverageClassifier(random_state=0).fit(X, y)
    assert len(model.points_) <= 40
    held_out = np.isfinite(model.held_out_proba_).all(axis=1)
    assert held_out.sum() == len(model.points_) < (y >= 0).sum()
    assert set(model.predict(X)) <= set(y[y >= 0])


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        ("gamma", 0),
        ("gamma", "wide"),
        ("widths", ()),
        ("widths", 1.0),
        ("widths", (1.0, -1.0)),
        ("ambient_reg", (0.0,)),
        ("ambient_reg", ("a",)),
    ],
)
def test_bad_parameters_are_named(digits, parameter, value):
    model = RidgeAverageClassifier(**{parameter: value})
    with pytest.raises(ValueError, match=f"^{parameter} of RidgeAverageClassifier"):
        model.fit(*digits)
