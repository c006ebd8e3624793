from sklearn.utils.estimator_checks import parametrize_with_checks

from widemargin import LaplacianRLSC, LaplacianSVC

EXPECTED_TO_FAIL = {
    "check_classifiers_classes": "feeds labels -1 and +1; -1 marks an unlabeled sample"
}


@parametrize_with_checks(
    [LaplacianSVC(), LaplacianRLSC()],
    expected_failed_checks=lambda estimator: EXPECTED_TO_FAIL,
)
def test_scikit_learn_compatible(estimator, check):
    check(estimator)


@parametrize_with_checks(
    [
        LaplacianSVC(solver="pcg", early_stopping=None, intrinsic_reg=0.01, tol=1e-10),
        LaplacianSVC(solver="dual", intrinsic_reg=0.01, tol=1e-10),
        LaplacianSVC(n_landmarks=1000, fit_intercept=True),
    ],
    expected_failed_checks=lambda estimator: EXPECTED_TO_FAIL,
)
def test_scikit_learn_compatible_with_other_options(estimator, check):
    check(estimator)
