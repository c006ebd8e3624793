import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.datasets import load_iris
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
from widemargin.datasets import hide_labels
from widemargin.estimators.label_search_classifier import LabelSearchClassifier
from widemargin.estimators.margin_clustering import MaxMarginClustering
from widemargin.kernels import Nystrom, Rbf
from widemargin.labelling import Evolution, Shaking, Starts
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
        LowDensityClassifier(),
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


@pytest.mark.parametrize(
    "model",
    [
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
    ],
    ids=lambda model: type(model).__name__,
)
def test_a_constant_weight_of_any_size_is_weight_one(model):
    X, y = load_iris(return_X_y=True)
    y = hide_labels(y, 15, rng=0)
    model = model.set_params(random_state=0)
    plain = clone(model).fit(X, y).predict_proba(X)
    for weight in (1e-170, 3.0, 1e160):
        found = clone(model).fit(X, y, sample_weight=np.full(150, weight))
        assert_allclose(found.predict_proba(X), plain, atol=1e-10)
    with pytest.raises(ValueError, match=r"and its sum must be finite.* to 1e\+307"):
        clone(model).fit(X, y, sample_weight=np.full(150, 1e307))
