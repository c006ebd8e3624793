import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.metrics.pairwise import linear_kernel
from sklearn.model_selection import KFold, cross_val_score
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from widemargin import (
    FewLabelClassifier,
    LaplacianRLSC,
    LaplacianSVC,
    LowDensityClassifier,
    SelfLabelingGPC,
    SelfLabelingSVC,
    SpectralClassifier,
    TransductiveSVC,
    TriClassSVC,
    UniversumSVC,
)
from widemargin.checks import DataWarning
from widemargin.datasets import hide_labels
from widemargin.estimators.label_search_classifier import LabelSearchClassifier
from widemargin.estimators.margin_clustering import MaxMarginClustering
from widemargin.kernels import ArdRbf, Custom, Nystrom, Rbf
from widemargin.labelling import Evolution, Shaking, Starts
from widemargin.model_selection import SemiSupervisedSplit, labeled_scorer
from widemargin.solvers.cccp import Relaxed
from widemargin.solvers.evidence import MarginalLikelihood
from widemargin.solvers.informative_vectors import InformativeVectors
from widemargin.solvers.laplacian import Dual, Pcg
from widemargin.solvers.relabeling import InSample

EXPECTED_TO_FAIL = {
    "check_classifiers_classes": "feeds labels -1 and +1; -1 marks an unlabeled sample"
}


def expected_to_fail(estimator):
    is_clustering = isinstance(estimator, MaxMarginClustering)
    return {} if is_clustering else EXPECTED_TO_FAIL


@parametrize_with_checks(
    [
        FewLabelClassifier(),
        LaplacianSVC(),
        LaplacianRLSC(),
        LabelSearchClassifier(),
        MaxMarginClustering(kernel=Rbf(0.5), ambient_reg=0.01, n_restarts=1),
        SelfLabelingGPC(),
        SelfLabelingSVC(),
        SpectralClassifier(),
        TransductiveSVC(),
        TriClassSVC(),
        UniversumSVC(),
    ],
    expected_failed_checks=expected_to_fail,
)
def test_scikit_learn_compatible(estimator, check):
    check(estimator)


@parametrize_with_checks(
    [
        LowDensityClassifier(),
        LaplacianSVC(solver=Pcg(early_stopping=None, tol=1e-10), intrinsic_reg=0.01),
        LaplacianSVC(solver=Dual(tol=1e-10), intrinsic_reg=0.01),
        LaplacianSVC(landmarks=1000, fit_intercept=True),
        LabelSearchClassifier(unlabeled_weight=1.0, kernel="linear", search="tabu"),
        LabelSearchClassifier(unlabeled_weight=1.0, landmarks=20, search="steepest"),
        LabelSearchClassifier(
            unlabeled_weight=1.0, intrinsic_reg=0.01, search=Shaking(n_reshakes=2)
        ),
        LabelSearchClassifier(
            unlabeled_weight=1.0,
            balance=None,
            search=Evolution(2, 4),
        ),
        LabelSearchClassifier(
            unlabeled_weight=1.0, search="stochastic", start=Starts("both", 2)
        ),
        SelfLabelingGPC(landmarks=InformativeVectors(20), relabel="in-sample"),
        SelfLabelingGPC(landmarks=Nystrom(20, "kmeans"), probabilities="calibrated"),
        SelfLabelingGPC(hyperparameters=MarginalLikelihood(per_feature=True)),
        SelfLabelingSVC(kernel="linear", relabel=InSample("squared")),
        SpectralClassifier(families="labels"),
        SpectralClassifier(kernel="linear", n_components=3),
        TransductiveSVC(unlabeled_weight=1.0, multi_class="joint", landmarks=20),
        TransductiveSVC(kernel="linear", balance=None),
        TriClassSVC(method=Relaxed(restore=False), balance="labeled"),
        TriClassSVC(kernel="linear", unlabeled_weight=1.0, solver="newton"),
        UniversumSVC(kernel="linear", unlabeled_weight=0.0, solver="smo"),
        MaxMarginClustering(n_restarts=1),
        MaxMarginClustering(kernel=Rbf(0.5), ambient_reg=0.01, search="shaking"),
        MaxMarginClustering(kernel="linear", search="steepest"),
        MaxMarginClustering(
            kernel=Rbf(0.5), ambient_reg=0.01, landmarks=20, search="tabu"
        ),
        MaxMarginClustering(intrinsic_reg=0, ambient_reg=0.01, search="stochastic"),
        MaxMarginClustering(kernel=Rbf(0.5), ambient_reg=0.01, search=Evolution(2, 4)),
    ],
    expected_failed_checks=expected_to_fail,
)
@pytest.mark.slow
def test_scikit_learn_compatible_with_other_options(estimator, check):
    check(estimator)


CLASSIFIERS = [
    FewLabelClassifier(),
    LabelSearchClassifier(),
    LaplacianRLSC(),
    LaplacianSVC(),
    SpectralClassifier(),
    SelfLabelingGPC(),
    SelfLabelingSVC(),
    TransductiveSVC(),
    TriClassSVC(),
    UniversumSVC(),
]
of_all_classifiers = pytest.mark.parametrize(
    "model", CLASSIFIERS, ids=lambda model: type(model).__name__
)


@of_all_classifiers
def test_a_constant_weight_of_any_size_is_weight_one(model):
    X, y = load_iris(return_X_y=True)
    X, y = X[::2], hide_labels(y[::2], 15, rng=0)
    model = model.set_params(random_state=0)
    plain = clone(model).fit(X, y).predict_proba(X)
    for weight in (1e-170, 3.0, 1e160):
        found = clone(model).fit(X, y, sample_weight=np.full(75, weight))
        assert_allclose(found.predict_proba(X), plain, atol=1e-10)
    with pytest.raises(ValueError, match=r"and its sum must be finite.* to 1e\+307"):
        clone(model).fit(X, y, sample_weight=np.full(75, 1e307))


@pytest.fixture
def dated():
    """Forty flowers, 20 of them labeled, and a date in seconds."""
    X, y = load_iris(return_X_y=True, as_frame=True)
    rows = np.r_[:20, 60:80]
    X = X.iloc[rows].assign(date=1.7e9 + 1e7 * np.sin(rows))
    return X, hide_labels(y.iloc[rows], 20, rng=0)


def data_warnings(model, X, y, **options):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        clone(model).fit(X, y, **options)
    return [each for each in caught if issubclass(each.category, DataWarning)]


@pytest.mark.parametrize(
    "model",
    [*CLASSIFIERS, MaxMarginClustering(2, n_restarts=1)],
    ids=lambda model: type(model).__name__,
)
def test_columns_with_other_units_are_told_once(model, dated):
    X, y = dated
    (found,) = data_warnings(model, X, y)
    text, name = str(found.message), type(model).__name__
    assert text.startswith(f"X of {name} has columns of very different spread: the")
    assert "column 'date' is" in text
    assert f"make_pipeline(StandardScaler(), {name}(...))" in text
    assert found.filename == __file__
    assert not data_warnings(model, StandardScaler().fit_transform(X), y)


@pytest.mark.parametrize("kernel", [linear_kernel, Custom(linear_kernel)])
def test_columns_of_an_own_kernel_are_its_own_matter(dated, kernel):
    X, y = dated
    assert not data_warnings(LabelSearchClassifier(kernel=kernel), X, y)


@pytest.mark.parametrize("model", [FewLabelClassifier(), LaplacianSVC()])
@pytest.mark.parametrize("class_weight", [None, "balanced"])
def test_doubtful_labels_are_told_once(model, class_weight):
    X, _ = load_iris(return_X_y=True)
    y = np.arange(150)
    y[100:] = -1
    if hasattr(model, "class_weight"):
        model = clone(model).set_params(class_weight=class_weight)
    (found,) = data_warnings(model, X, y)
    assert "like numbers or identifiers" in str(found.message)


def test_own_candidates_do_not_repeat_what_is_told(dated):
    X, y = dated
    own = {"own": LaplacianSVC(class_weight="balanced")}
    model = FewLabelClassifier(own, random_state=0)
    with pytest.warns(DataWarning, match="X of FewLabelClassifier has") as record:
        model.fit(X, y)
    assert len(record) == 1
    assert not [text for text in model.report_.messages if "spread" in text]


@of_all_classifiers
def test_score_refuses_unlabeled_rows(model):
    X, y = load_iris(return_X_y=True)
    partial = hide_labels(y, 15, rng=0)
    model = clone(model).fit(X, partial)
    name = type(model).__name__
    message = f"y of {name}.score must hold known labels only, got 135 unlabeled of 150"
    with pytest.raises(ValueError, match=message):
        model.score(X, partial)
    known = partial != -1
    right = model.predict(X[known]) == y[known]
    assert model.score(X[known], partial[known]) == np.mean(right)
    weights = 1.0 + np.arange(150)
    right = model.predict(X) == y
    assert_allclose(model.score(X, y, weights), np.average(right, weights=weights))


def test_cross_validation_refuses_unlabeled_rows_unless_they_are_left_out():
    X, y = load_iris(return_X_y=True)
    y = hide_labels(y, 30, rng=0)
    model = SpectralClassifier(random_state=0)
    cv = KFold(3, shuffle=True, random_state=0)
    with pytest.raises(ValueError, match="SemiSupervisedSplit"):
        cross_val_score(model, X, y, cv=cv, error_score="raise")
    for options in ({"cv": SemiSupervisedSplit(3)}, {"scoring": labeled_scorer()}):
        assert cross_val_score(model, X, y, **{"cv": cv, **options}).mean() > 0.8


@pytest.mark.parametrize(
    "estimator",
    [
        LaplacianSVC(),
        LowDensityClassifier(families="spectrum"),
        MaxMarginClustering(3),
        SpectralClassifier(families="spectrum"),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_equal_widths_of_all_features_are_one_width(estimator):
    X, y = load_iris(return_X_y=True)
    y = hide_labels(y, 15, rng=0)
    one, other = (
        clone(estimator).set_params(kernel=kernel, random_state=0).fit(X, y)
        for kernel in (Rbf(0.3), ArdRbf(np.full(4, 0.3)))
    )
    expected = one.decision_function(X)
    assert_allclose(other.decision_function(X), expected, atol=1e-6)
