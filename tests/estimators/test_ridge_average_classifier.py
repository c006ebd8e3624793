import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from scipy.special import softmax
from sklearn.datasets import load_digits

from widemargin import RidgeAverageClassifier
from widemargin.averaging import average_scores
from widemargin.calibration import neg_log_prior
from widemargin.datasets import hide_labels
from widemargin.estimators.ridge_average_classifier import average_ridges
from widemargin.kernels import Linear, Rbf
from widemargin.sample import Rows, collect_sample, label_counts
from widemargin.solvers.ridge import fit_ridges


@pytest.fixture
def digits():
    X, y = load_digits(return_X_y=True)
    return X[:300], hide_labels(y[:300], 40, rng=0)


def test_scores_are_the_sum_over_kernels(digits):
    """Each width has its own coefficients."""
    X, y = digits
    model = RidgeAverageClassifier().fit(X, y)
    slow = sum(
        part.kernel(X, part.points) @ part.coef + part.intercept
        for part in model.function_.parts
    )
    assert_allclose(model.decision_function(X), slow)
    slope = model.calibration_.slope
    assert_allclose(model.predict_proba(X), softmax(slope * slow, axis=1))


def test_function_is_that_of_the_average(digits):
    """Of ridge regressions, each weighted by labels that it did not see."""
    X, y = digits
    labeled = y >= 0
    kernels, penalties = [Rbf(1e-3), Rbf(3e-3)], (1e-2, 0.3)
    sample = collect_sample(Rows(X), y)
    average, calibration, function = average_ridges(kernels, sample, penalties)
    weights = np.full(labeled.sum(), 1.0 / labeled.sum())
    ridges = [
        (kernel, ridge)
        for kernel in kernels
        for ridge in fit_ridges(kernel(X[labeled]), sample.signs, weights, penalties)
    ]
    held_out = np.array([ridge.held_out for _, ridge in ridges])
    held_out[:, ~sample.is_repeated] = np.nan
    expected, slope = average_scores(
        held_out, sample.codes, np.full(4, 0.25), label_counts(weights), trust=1.0
    )
    assert_allclose(average.weights, expected.weights)
    assert_allclose(calibration.slope, slope.slope)
    slow = sum(
        coef * (kernel(X, X[labeled]) @ ridge.coef + ridge.intercept)
        for coef, (kernel, ridge) in zip(expected.coef, ridges, strict=True)
    )
    assert_allclose(function(X), slow, atol=1e-8)


def test_weights_fall_with_the_loss_of_held_out_labels(digits):
    """By Bayes' rule: nothing was tuned by the labels."""
    X, y = digits
    model = RidgeAverageClassifier().fit(X, y)
    average = model.average_
    slopes = average.coef * model.calibration_.slope / average.weights
    costs = average.n_scored[0] * average.losses + neg_log_prior(slopes)
    assert_allclose(average.weights, softmax(-costs))


def test_labels_alone_in_their_class_are_not_counted():
    """If all are, every model has the same weight."""
    X = np.arange(6.0).reshape(3, 2) ** 2
    model = RidgeAverageClassifier().fit(X, [0, 1, 2])
    assert_allclose(model.average_.weights, 1 / 20)
    assert np.isnan(model.held_out_proba_).all()
    assert model.calibration_.slope == 3.0


def test_unlabeled_rows_matter_for_the_width_only(digits):
    """A model with a width of its own does not depend on them."""
    X, y = digits
    labeled = y >= 0
    model = RidgeAverageClassifier(kernel=Rbf(1e-3)).fit(X, y)
    alone = RidgeAverageClassifier(kernel=Rbf(1e-3)).fit(X[labeled], y[labeled])
    assert_allclose(model.decision_function(X), alone.decision_function(X))


def test_gamma_is_within_the_widths(digits):
    X, y = digits
    model = RidgeAverageClassifier(kernel=Rbf(1e-3), widths=(1.0, 4.0)).fit(X, y)
    assert 1e-3 <= model.gamma_ <= 4e-3
    wide = RidgeAverageClassifier(kernel=Rbf(1e-3), widths=(0.01, 0.02)).fit(X, y)
    assert_allclose(wide.gamma_, 1e-4)  # a tenth at the least


def test_negligible_widths_are_left_out(digits):
    """They would cost time at each prediction."""
    X, y = digits
    model = RidgeAverageClassifier(widths=(1.0, 1e6)).fit(X, y)
    assert [type(part.kernel) for part in model.function_.parts] == [Rbf]
    assert model.average_.weights.shape == (8,)


def test_kernel_without_a_width_is_taken_as_it_is(digits):
    X, y = digits
    model = RidgeAverageClassifier(kernel="linear").fit(X, y)
    assert [part.kernel for part in model.function_.parts] == [Linear()]
    assert model.gamma_ is None
    gram = X @ X.T
    matrix = RidgeAverageClassifier(kernel="precomputed").fit(gram, y)
    assert_allclose(
        matrix.decision_function(gram), model.decision_function(X), atol=1e-8
    )


def test_sparse_and_dense_agree(digits):
    X, y = digits
    dense = RidgeAverageClassifier().fit(X, y)
    other = RidgeAverageClassifier().fit(sparse.csr_matrix(X), y)
    assert_allclose(
        other.decision_function(sparse.csr_matrix(X)), dense.decision_function(X)
    )


def test_labels_that_are_dropped_are_not_held_out(digits, rng):
    X, y = digits
    sample = collect_sample(Rows(X), y).thin_labels(30, rng)
    average, _, function = average_ridges([Rbf(1e-3)], sample, (0.1,))
    assert function.n_points == sample.n_labels <= 40
    held_out = np.isfinite(sample.spread_to_given(average.held_out)).all(axis=1)
    assert held_out.sum() == sample.n_labels < (y >= 0).sum()


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        ("kernel", "wide"),
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
