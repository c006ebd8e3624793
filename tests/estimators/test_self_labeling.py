import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from reference import Process
from scipy import sparse
from scipy.stats import norm
from sklearn.base import clone
from sklearn.datasets import load_digits, make_blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC, SVR

from widemargin import SelfLabelingGPC, SelfLabelingSVC
from widemargin.calibration import fit_calibration
from widemargin.datasets import hide_labels
from widemargin.defaults import PROCESS_LADDER
from widemargin.kernels import ArdRbf, Nystrom, Polynomial, Rbf
from widemargin.labels import sign_coding
from widemargin.objectives.class_sizes import Balance
from widemargin.objectives.gp_evidence import GpEvidence, LogNormalPrior
from widemargin.rows import Rows
from widemargin.sample import collect_sample
from widemargin.solvers.evidence import (
    LabelEvidence,
    LeaveOneOutDensity,
    MarginalLikelihood,
    learn_hyperparameters,
)
from widemargin.solvers.gaussian_process import evidence_rows
from widemargin.solvers.hinge import ProximalNewton, Smo
from widemargin.solvers.informative_vectors import (
    InformativeVectors,
    informative_vectors,
)
from widemargin.solvers.relabeling import (
    InSample,
    LeaveOneOut,
)
from widemargin.solvers.result import Status
from widemargin.solvers.self_labeling import (
    AbsoluteRegressor,
    Annealing,
    ProcessRegressor,
)

ESTIMATORS = [SelfLabelingGPC, SelfLabelingSVC]
LEARNED = {"marginal-likelihood": MarginalLikelihood, "loo": LeaveOneOutDensity}
CHOICES = ["uniform", "kmeans++", "kmeans"]
either_estimator = pytest.mark.parametrize("estimator", ESTIMATORS)
REGRESSORS = {SelfLabelingGPC: ProcessRegressor, SelfLabelingSVC: AbsoluteRegressor}
RELABEL = {SelfLabelingGPC: LeaveOneOut, SelfLabelingSVC: InSample}  # by default
TIGHT = {
    SelfLabelingGPC: {"probabilities": "calibrated"},
    SelfLabelingSVC: {"solver": Smo(1e-8)},
}
TIGHT_LINEAR = {
    SelfLabelingGPC: {},
    SelfLabelingSVC: {"solver": Smo(1e-8)},
}
EXACT = {SelfLabelingGPC: 1e-8, SelfLabelingSVC: 1e-4}  # how far scores may differ
PAPER = {
    "labeled_weight": 1.0,
    "annealing": Annealing((1.0,), None),
    "relabel": InSample(tol=0.0),
    "balance": Balance({0: 0.5, 1: 0.5}, 0.1),
}


@pytest.fixture
def two():
    """Two overlapping classes, 120 rows of three features, 20 labels."""
    X, y = make_blobs(
        120, n_features=3, centers=2, cluster_std=3.0, center_box=(-3, 3),
        random_state=1,
    )  # fmt: skip
    return X, y, hide_labels(y, 20, rng=0)


@pytest.fixture
def three():
    """Three overlapping classes, 120 rows, 15 labels."""
    X, y = make_blobs(120, centers=3, cluster_std=2.0, random_state=0)
    return X, y, hide_labels(y, 15, rng=0)


@pytest.fixture(params=["two", "three"])
def either(request):
    return request.getfixturevalue(request.param)


def tight(estimator, **options):
    """A model that ends exactly, with scores as its decision function."""
    exact = dict(TIGHT[estimator])
    if "solver" in exact and options.get("landmarks") is not None:
        exact["solver"] = ProximalNewton(1e-9)
    return estimator(**exact | options)


def as_columns(scores):
    return scores[:, None] if scores.ndim == 1 else scores


def process(model, X, y, weights):
    """The Gaussian process of a model's hyperparameters, given these labels."""
    codes = np.searchsorted(model.classes_, y)
    signs = sign_coding(codes, len(model.classes_))
    theta = np.log([model.scale_, model.function_.kernel.gamma, model.noise_])
    return Process(GpEvidence(X, signs, weights), theta)


def support_vector_scores(X, y, weights, new, **options):
    """Scores of support vector regression with the absolute loss, one-vs-rest."""
    columns = sign_coding(y, y.max() + 1).T
    estimator = SVR(epsilon=0.0, tol=1e-9, **options)
    return np.column_stack(
        [estimator.fit(X, t, sample_weight=weights).predict(new) for t in columns]
    )


# The labels alone


@pytest.mark.parametrize("weighted", [False, True])
def test_process_of_labels_alone_is_regression(either, rng, weighted):
    X, y, y_partial = either
    labeled = y_partial >= 0
    own = rng.uniform(0.2, 2.0, labeled.sum()) if weighted else np.ones(labeled.sum())
    options = {"kernel": Rbf(0.2), "scale": 2.0, "noise": 0.3, "labeled_weight": 7.0}
    model = tight(SelfLabelingGPC, **options)
    model.fit(X[labeled], y[labeled], sample_weight=own if weighted else None)
    expected = process(model, X[labeled], y[labeled], 7.0 * own / own.mean())
    scores = as_columns(model.decision_function(X))
    assert_allclose(scores, expected.mean_at(X), atol=1e-8)
    classes, std = model.predict(X, return_std=True)
    assert_allclose(std**2, expected.variance_at(X), atol=1e-8)
    assert_array_equal(classes, model.predict(X))
    assert_array_equal(model.transduction_, y[labeled])
    assert (model.scale_, model.noise_, model.function_.kernel) == (2.0, 0.3, Rbf(0.2))


def test_machine_of_labels_alone_is_support_vector_regression(either):
    X, y, y_partial = either
    labeled = y_partial >= 0
    options = {"C": 0.3, "kernel": Rbf(0.2)}
    model = tight(SelfLabelingSVC, labeled_weight=5.0, **options)
    model.fit(X[labeled], y[labeled])
    expected = support_vector_scores(
        X[labeled], y[labeled], np.full(labeled.sum(), 5.0), X, **options
    )
    scores = as_columns(model.decision_function(X))
    assert_allclose(scores, expected, atol=1e-4)
    assert_array_equal(model.transduction_, y[labeled])


# The function and its labels


either_relabel = pytest.mark.parametrize(
    "relabel", [LeaveOneOut(), InSample(threshold=None)], ids=["loo", "in-sample"]
)


@either_relabel
def test_process_is_that_of_its_own_labels(either, relabel):
    """And they are what it says, also of each sample without its own label."""
    X, _, y_partial = either
    labeled = y_partial >= 0
    model = tight(SelfLabelingGPC, relabel=relabel, balance=None, labeled_weight=6.0)
    model.fit(X, y_partial)
    assert model.result_.history["objective"][-1] == 0  # no cycle
    weights, found = np.where(labeled, 6.0, 1.0), model.transduction_
    expected = process(model, X, found, weights)
    scores = as_columns(model.decision_function(X))
    assert_allclose(scores, expected.mean_at(X), atol=1e-8)
    std = model.predict(X, return_std=True)[1]
    assert_allclose(std**2, expected.variance_at(X), atol=1e-8)
    if not relabel.leave_one_out:
        assert_array_equal(model.predict(X)[~labeled], found[~labeled])
        return
    for i in np.flatnonzero(~labeled):
        rest = np.delete(np.arange(120), i)
        without = process(model, X[rest], found[rest], weights[rest])
        value = without.mean_at(X[[i]])[0]
        says = value.argmax() if len(value) > 1 else int(value[0] > 0)
        assert says == found[i]


def test_machine_is_that_of_its_own_labels(either):
    X, _, y_partial = either
    labeled = y_partial >= 0
    options = {"C": 0.5, "kernel": Rbf(0.1)}
    model = tight(
        SelfLabelingSVC,
        balance=None,
        relabel=InSample(threshold=None),
        labeled_weight=6.0,
        **options,
    )
    model.fit(X, y_partial)
    found, weights = model.transduction_, np.where(labeled, 6.0, 1.0)
    expected = support_vector_scores(X, found, weights, X, **options)
    scores = as_columns(model.decision_function(X))
    assert_allclose(scores, expected, atol=1e-4)
    assert_array_equal(model.predict(X)[~labeled], found[~labeled])


@either_estimator
def test_weights_of_unlabeled_samples_follow_the_annealing(two, estimator):
    """The last one is that of the regression; one number will do."""
    X, _, y_partial = two
    options = {"kernel": Rbf(0.1), "labeled_weight": 5.0, "random_state": 0}
    model = tight(estimator, annealing=0.25, **options).fit(X, y_partial)
    weights = np.where(y_partial >= 0, 5.0, 0.25)
    if estimator is SelfLabelingGPC:
        expected = process(model, X, model.transduction_, weights).mean_at(X)
    else:
        found = model.transduction_
        expected = support_vector_scores(X, found, weights, X, C=1.0, gamma=0.1)
    scores = as_columns(model.decision_function(X))
    assert_allclose(scores, expected, atol=EXACT[estimator])


@either_estimator
def test_unlabeled_samples_do_not_outweigh_the_labels(two, rng, estimator):
    """Their weights add up to so many times those of the labels at the most."""
    X, _, y_partial = two
    labeled, own = y_partial >= 0, rng.uniform(0.5, 1.5, 120)
    weight = 0.7 * 2.0 * own[labeled].sum() / own[~labeled].sum()
    assert 0.1 < weight < 0.5

    def scores(annealing, ratio):
        model = tight(estimator, kernel=Rbf(0.1), labeled_weight=2.0)
        model.set_params(annealing=Annealing(annealing, ratio))
        return model.fit(X, y_partial, sample_weight=own).decision_function(X)

    expected = scores((0.1, weight), None)
    for annealing in ((0.1, 1.0), (0.1, 0.5, 1.0)):
        assert_allclose(scores(annealing, 0.7), expected, atol=EXACT[estimator])
    assert np.abs(scores((0.1, 1.0), 9.0) - expected).max() > 1e-3


def test_weight_of_unlabeled_samples_counts_among_them(two, rng):
    X, _, y_partial = two
    own = rng.uniform(0.2, 2.0, 120)
    model = tight(SelfLabelingGPC, kernel=Rbf(0.1)).fit(X, y_partial, sample_weight=own)
    weights = np.where(y_partial >= 0, 10.0, 1.0) * own / own[y_partial < 0].mean()
    expected = process(model, X, model.transduction_, weights)
    assert_allclose(model.decision_function(X), expected.mean_at(X)[:, 0], atol=1e-8)


@either_estimator
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_clusters_decide_where_labels_do_not(estimator, kernel):
    """One label in each of two long clusters, at opposite ends."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2)) * [2.0, 0.4]
    y = np.repeat([0, 1], 100)
    X[y == 1, 1] += 4.0
    y_partial, across = np.full(200, -1), np.argsort(X.reshape(2, 100, 2)[:, :, 0])
    y_partial[[across[0, 3], 100 + across[1, 96]]] = [0, 1]
    labeled = y_partial >= 0
    alone = SVC(kernel=kernel).fit(X[labeled], y[labeled])
    model = estimator(kernel=kernel).fit(X, y_partial)
    assert alone.score(X, y) < 0.7
    assert model.score(X, y) > 0.93
    assert np.mean(model.transduction_ == y) > 0.93


@either_estimator
def test_given_labels_stay_even_where_they_contradict_each_other(two, estimator):
    """Copies of one row with both labels, and wrong labels among the others'."""
    X, y, y_partial = two
    y_partial = np.where(np.arange(120) % 7 == 0, 1 - y, y_partial)
    X = X.copy()
    X[[0, 1, 2, 3]], y_partial[[0, 1, 2, 3]] = X[0], [0, 1, 0, 1]
    labeled = y_partial >= 0
    model = estimator().fit(X, y_partial)
    assert_array_equal(model.transduction_[labeled], y_partial[labeled])
    assert np.any(model.predict(X)[labeled] != y_partial[labeled])
    assert len(set(model.predict(X[:4]))) == 1


# Class sizes


@either_estimator
@pytest.mark.parametrize("share", [0.2, 0.5, 0.85])
@pytest.mark.parametrize("threshold", ["absolute", "squared", None])
def test_sizes_are_within_the_tolerance_of_the_shares(two, estimator, share, threshold):
    X, _, y_partial = two
    model = estimator(
        balance=Balance({0: 1 - share, 1: share}, tolerance=0.05),
        relabel=RELABEL[estimator](threshold),
    )
    found = model.fit(X, y_partial).transduction_[y_partial < 0]
    assert abs(np.mean(found == 1) - share) < 0.05


@either_estimator
def test_no_tolerance_asks_for_the_sizes_themselves(three, estimator):
    X, _, y_partial = three
    shares = {0: 0.2, 1: 0.2, 2: 0.6}
    model = estimator(balance=Balance(shares, 0)).fit(X, y_partial)
    assert_array_equal(np.bincount(model.transduction_[y_partial < 0]), [21, 21, 63])


@either_estimator
def test_sizes_are_within_a_factor_by_default(three, estimator):
    """Of equal shares, however few of a class the scores ask for."""
    X, y, _ = three
    y_partial = np.where(np.arange(120) < 15, y, -1)
    y_partial[np.flatnonzero(y == 2)[:9]] = 2
    model = estimator(balance="equal", kernel=Rbf(0.01)).fit(X, y_partial)
    sizes = np.bincount(model.transduction_[y_partial < 0], minlength=3)
    wanted = sizes.sum() / 3
    assert (sizes >= np.floor(wanted / 1.5)).all()
    assert (sizes <= np.ceil(wanted * 1.5)).all()


@either_estimator
def test_balance_is_that_of_the_labels_by_default(estimator):
    """Nine of ten labels are of one class, and hence most of the samples."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(240, 2))
    y_partial = np.full(240, -1)
    y_partial[:40] = np.arange(40) % 10 == 0
    unlabeled = y_partial < 0
    by_labels = estimator(annealing=(1.0,)).fit(X, y_partial)
    equal = estimator(annealing=(1.0,), balance="equal").fit(X, y_partial)
    assert np.mean(by_labels.transduction_[unlabeled] == 1) < 0.3
    assert np.mean(equal.transduction_[unlabeled] == 1) >= 0.33


@either_estimator
def test_without_balance_any_size_will_do(estimator):
    """Labels on one side of a single cluster: all others go to one class."""
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(60, 2)), [[9.0, 9.0]]])
    y_partial = np.full(61, -1)
    y_partial[:5], y_partial[60] = 0, 1
    relabel = RELABEL[estimator](None)
    free = estimator(balance=None, relabel=relabel).fit(X, y_partial)
    bound = estimator(relabel=relabel).fit(X, y_partial)
    assert set(free.transduction_[5:60]) == {0}
    assert np.sum(bound.transduction_[5:60] == 1) >= 5


# Sparse processes


@pytest.mark.parametrize(
    "landmarks",
    [*(Nystrom(500, c) for c in CHOICES), InformativeVectors(500)],
    ids=repr,
)
@either_relabel
def test_all_rows_as_landmarks_are_the_exact_process(either, landmarks, relabel):
    X, _, y_partial = either
    options = {"kernel": Rbf(0.3), "relabel": relabel}
    exact = SelfLabelingGPC(**options).fit(X, y_partial)
    model = SelfLabelingGPC(landmarks=landmarks, **options)
    model.fit(X, y_partial)
    assert_array_equal(model.transduction_, exact.transduction_)
    new = X[:40] + 0.1
    assert_allclose(
        model.decision_function(new), exact.decision_function(new), atol=1e-6
    )
    stds = (m.predict(new, return_std=True)[1] for m in (model, exact))
    assert_allclose(next(stds), next(stds), atol=1e-6)
    assert_allclose(model.calibration_.slope, exact.calibration_.slope, rtol=1e-4)


@pytest.mark.parametrize("landmarks", ["uniform", "kmeans++", "kmeans", "pivoted"])
def test_few_landmarks_know_all_rows(two, landmarks):
    """The process of the landmarks' kernel, by its dense form."""
    X, _, y_partial = two
    model = tight(
        SelfLabelingGPC,
        landmarks=Nystrom(12, landmarks),
        kernel=Rbf(0.1),
        random_state=0,
    ).fit(X, y_partial)
    points = model.function_.points
    assert points.shape == (12, 3)
    assert all((point == X).all(axis=1).any() for point in points)
    weights = np.where(y_partial >= 0, 10.0, 1.0)
    cross = rbf_kernel(X, points, gamma=0.1)
    gram = cross @ np.linalg.pinv(rbf_kernel(points, gamma=0.1)) @ cross.T
    inverse = np.linalg.inv(gram + np.diag(0.5 / weights))
    signs = 2.0 * model.transduction_ - 1
    mean = inverse.sum(axis=0) @ signs / inverse.sum()
    expected = gram @ inverse @ (signs - mean) + mean
    assert_allclose(model.decision_function(X), expected, atol=1e-6)
    variance = 1 - np.einsum("ij,jk,ik->i", gram, inverse, gram)
    variance += (1 - gram @ inverse.sum(axis=1)) ** 2 / inverse.sum()
    std = model.predict(X, return_std=True)[1]
    assert_allclose(std, np.sqrt(variance), atol=1e-6)


@either_relabel
@pytest.mark.parametrize("labeled_weight", [10.0, 0.02])
def test_informative_vectors_know_their_own_labels_only(two, relabel, labeled_weight):
    X, _, y_partial = two
    labeled = y_partial >= 0
    model = tight(
        SelfLabelingGPC,
        landmarks=InformativeVectors(40),
        relabel=relabel,
        kernel=Rbf(0.1),
        labeled_weight=labeled_weight,
        annealing=Annealing(max_unlabeled_ratio=None),
    ).fit(X, y_partial)
    rows = [
        int(np.flatnonzero((point == X).all(axis=1))[0])
        for point in model.function_.points
    ]
    assert len(set(rows)) == 40
    assert labeled[rows].sum() == 20  # all labeled rows are active
    weights = np.where(labeled, labeled_weight, 1.0)
    chosen = informative_vectors(
        lambda some: rbf_kernel(X, X[some], gamma=0.1),
        np.ones(120),
        0.5 / weights,
        40,
        given=np.flatnonzero(labeled),
    )
    assert set(chosen.rows) == set(rows)
    expected = process(model, X[rows], model.transduction_[rows], weights[rows])
    assert_allclose(model.decision_function(X), expected.mean_at(X)[:, 0], atol=1e-7)
    std = model.predict(X, return_std=True)[1]
    assert_allclose(std**2, expected.variance_at(X), atol=1e-7)


def test_fewer_informative_vectors_than_labels_are_labeled(two):
    X, _, y_partial = two
    model = SelfLabelingGPC(landmarks=InformativeVectors(8)).fit(X, y_partial)
    labeled = X[y_partial >= 0]
    assert model.function_.points.shape == (8, 3)
    assert all((labeled == point).all(axis=1).any() for point in model.function_.points)


def test_all_rows_as_landmarks_are_the_exact_machine(two):
    X, _, y_partial = two
    options = {"kernel": Rbf(0.3), "C": 0.5}
    exact = tight(SelfLabelingSVC, **options).fit(X, y_partial)
    model = tight(SelfLabelingSVC, landmarks=120, **options).fit(X, y_partial)
    assert_array_equal(model.transduction_, exact.transduction_)
    assert_allclose(model.decision_function(X), exact.decision_function(X), atol=1e-3)


def test_many_rows_take_landmarks(rng):
    X = rng.normal(size=(PROCESS_LADDER.exact_rows + 1, 2))
    y = hide_labels((X[:, 0] > 0).astype(int), 10, rng=0)
    model = SelfLabelingGPC(random_state=0, n_components=0, annealing=(0.1,)).fit(X, y)
    assert model.function_.n_points == PROCESS_LADDER.n_landmarks


# Probabilities


@pytest.mark.parametrize(
    ("estimator", "options"),
    [
        (SelfLabelingGPC, {}),
        (SelfLabelingGPC, {"probabilities": "calibrated"}),
        (SelfLabelingSVC, {}),
    ],
)
def test_probabilities(either, estimator, options):
    X, _, y_partial = either
    model = estimator(random_state=0, **options).fit(X, y_partial)
    proba = model.predict_proba(X)
    assert_allclose(proba.sum(axis=1), 1.0)
    assert ((proba > 0) & (proba < 1)).all()
    assert_allclose(np.log(proba), model.predict_log_proba(X), atol=1e-9)
    assert_array_equal(model.classes_[proba.argmax(axis=1)], model.predict(X))
    if proba.shape[1] == 2:
        order = np.argsort(model.decision_function(X))
        assert (np.diff(proba[order, 1]) >= 0).all()
        assert_array_equal(proba[:, 1] > 0.5, model.decision_function(X) > 0)


def test_probit_is_the_chance_of_a_positive_noisy_score(either):
    X, _, y_partial = either
    model = SelfLabelingGPC(noise=0.3).fit(X, y_partial)
    weights = np.where(y_partial >= 0, 10.0, 1.0)
    known = process(model, X, model.transduction_, weights)
    spread = np.sqrt(0.3 + known.variance_at(X))[:, None]
    ratios = known.mean_at(X) / spread
    assert_allclose(as_columns(model.decision_function(X)), ratios, atol=1e-7)
    chances = norm.cdf(ratios)
    if chances.shape[1] == 1:
        expected = np.hstack([1 - chances, chances])
    else:  # that of one class and of no other one
        odds = chances / (1 - chances)
        expected = odds / odds.sum(axis=1, keepdims=True)
    assert_allclose(model.predict_proba(X), expected, atol=1e-7)


def test_probabilities_far_away_know_little(two):
    X, _, y_partial = two
    model = SelfLabelingGPC(hyperparameters="heuristic").fit(X, y_partial)
    far, near = (model.predict(x, return_std=True)[1] for x in (X + 1e3, X))
    assert far.min() > near.max()
    assert np.abs(model.predict_proba(X + 1e3)[:, 1] - 0.5).max() < 0.1


def test_calibrated_probabilities_are_a_softmax_of_the_scores(two):
    X, _, y_partial = two
    model = SelfLabelingGPC(probabilities="calibrated").fit(X, y_partial)
    expected = 1 / (1 + np.exp(-model.calibration_.slope * model.decision_function(X)))
    assert_allclose(model.predict_proba(X)[:, 1], expected, atol=1e-9)
    assert model.calibration_.slope != 3.0
    assert_array_equal(model.predict(X), SelfLabelingGPC().fit(X, y_partial).predict(X))


def test_slope_is_that_of_labels_left_out(two):
    X, y, y_partial = two
    X, y = X[y_partial >= 0], y[y_partial >= 0]
    model = tight(SelfLabelingGPC, kernel=Rbf(0.1), relabel=InSample(None)).fit(X, y)
    scores = np.empty((20, 1))
    for i in range(20):
        rest = np.delete(np.arange(20), i)
        without = process(model, X[rest], y[rest], np.full(19, 10.0))
        scores[i] = without.mean_at(X[[i]])
    expected = fit_calibration(scores, y, np.full(20, 1 / 20)).slope
    assert_allclose(model.calibration_.slope, expected, rtol=1e-5)


def test_slope_is_larger_where_left_out_labels_are_right():
    X, y = make_blobs(80, centers=[[0, 0], [9, 9]], random_state=0)
    y_partial = hide_labels(y, 20, rng=0)
    labeled = y_partial >= 0
    wrong = y_partial.copy()
    wrong[labeled] = np.random.default_rng(0).permutation(wrong[labeled])
    right = SelfLabelingGPC().fit(X, y_partial).calibration_.slope
    assert right > 3.0 > SelfLabelingGPC().fit(X, wrong).calibration_.slope


@either_estimator
def test_one_label_of_each_class(three, estimator):
    X, y, _ = three
    y_partial = np.full(120, -1)
    y_partial[[np.flatnonzero(y == k)[0] for k in range(3)]] = [0, 1, 2]
    model = estimator(random_state=0).fit(X, y_partial)
    assert model.calibration_.slope == 3.0
    assert set(model.transduction_) == {0, 1, 2}


# Hyperparameters


@pytest.mark.parametrize("criterion", ["marginal-likelihood", "loo"])
@pytest.mark.parametrize(
    ("per_feature", "has_prior"), [(False, True), (True, True), (False, False)]
)
def test_hyperparameters_are_those_of_the_evidence(
    two, criterion, per_feature, has_prior
):
    """With a prior around where they start, or without; here from given labels only."""
    X, y, _ = two
    learning = LEARNED[criterion](per_feature=per_feature, prior=has_prior)
    model = SelfLabelingGPC(hyperparameters=learning, scale=1.3, noise=0.4).fit(X, y)
    gamma = 1 / (2 * X.var(axis=0).sum())
    center = np.log([1.3, *[gamma] * (3 if per_feature else 1), 0.4])
    prior = LogNormalPrior(center) if has_prior else None
    evidence = GpEvidence(X, 2.0 * y[:, None] - 1, np.full(120, 10.0), prior=prior)
    result = learn_hyperparameters(evidence, center, criterion=criterion)
    expected = np.exp(result.solution)
    kernel = model.function_.kernel
    widths = kernel.gammas if per_feature else [kernel.gamma]
    assert isinstance(kernel, ArdRbf if per_feature else Rbf)
    found = np.array([model.scale_, *widths, model.noise_])
    assert_allclose(found, expected, rtol=1e-3)
    assert np.abs(np.log(found) - center).max() > 0.1
    known = Process(evidence, result.solution)
    std = model.predict(X, return_std=True)[1]
    assert_allclose(std**2, known.variance_at(X), rtol=1e-2)


@pytest.mark.parametrize("criterion", ["marginal-likelihood", "loo"])
@pytest.mark.parametrize("landmarks", [{}, {"landmarks": 40, "random_state": 0}])
def test_learned_process_is_that_of_its_own_labels(either, criterion, landmarks):
    X, _, y_partial = either
    model = tight(SelfLabelingGPC, hyperparameters=criterion, **landmarks)
    model.fit(X, y_partial)
    assert model.scale_ != 1.0
    assert model.noise_ != 0.5
    assert_array_equal(model.transduction_[y_partial >= 0], y_partial[y_partial >= 0])
    if not landmarks:
        weights = np.where(y_partial >= 0, 10.0, 1.0)
        expected = process(model, X, model.transduction_, weights)
        scores = as_columns(model.decision_function(X))
        assert_allclose(scores, expected.mean_at(X), atol=1e-8)


def test_learning_goes_on_while_labels_change(two, capsys):
    """Given labels do not: once is enough. Five times are, in any case."""
    X, y, y_partial = two
    rounds = []
    for labels in (y, y_partial):
        SelfLabelingGPC(hyperparameters="loo", verbose=True).fit(X, labels)
        rounds.append(capsys.readouterr().out.count("SelfLabelingGPC: learned Rbf"))
    assert rounds[0] == 1
    assert 1 < rounds[1] <= 5


def test_feature_without_say_gets_a_small_width():
    """Labels that do not change while widths are learned."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 60)
    X = rng.normal(size=(120, 2)) + np.outer(y, [6.0, 0.0])
    options = {"hyperparameters": MarginalLikelihood(per_feature=True)}
    model = SelfLabelingGPC(**options).fit(X, y)
    first, second = model.function_.kernel.gammas
    assert first > 2 * second
    rows = SelfLabelingGPC(**options).fit(sparse.csr_matrix(X), y)
    assert_allclose(
        rows.function_.kernel.gammas, model.function_.kernel.gammas, rtol=1e-3
    )
    assert_array_equal(rows.predict(sparse.csr_matrix(X)), model.predict(X))


def test_hyperparameters_are_learned_from_some_of_many_rows(rng):
    """All labels, and others at random; of more labels some."""
    X = rng.normal(size=(120, 2))
    y = np.where(np.arange(120) < 20, np.arange(120) % 2, -1)
    sample = collect_sample(Rows(X), y)
    rows = evidence_rows(sample, 50, rng)
    assert len(np.unique(rows)) == 50
    assert set(range(20)) <= set(rows.tolist())
    assert set(evidence_rows(sample, 10, rng).tolist()) < set(range(20))
    few = LeaveOneOutDensity(max_rows=50)
    models = [
        SelfLabelingGPC(hyperparameters=learning, random_state=0).fit(X, y)
        for learning in (few, "loo")
    ]
    assert models[0].noise_ != models[1].noise_


@pytest.mark.parametrize("given", [{}, {"scale": 1.3}, {"scale": 1.3, "noise": 0.4}])
def test_hyperparameters_are_learned_from_given_labels_alone(either, given):
    """Numbers stay, and other rows change nothing but the usual width."""
    X, _, y_partial = either
    model = SelfLabelingGPC(**given).fit(X, y_partial)
    labeled = y_partial >= 0
    usual = {"scale": 1.0, "noise": 0.5} | given
    gamma = 1 / (2 * X.var(axis=0).sum())
    center = np.log([usual["scale"], 1.5 * gamma, usual["noise"]])
    prior = LogNormalPrior(center, width_sd=0.3, noise_sd=1.0)
    signs = sign_coding(y_partial[labeled], len(model.classes_))
    evidence = GpEvidence(X[labeled], signs, np.full(len(signs), 10.0), prior=prior)
    free = ["scale" not in given, True, "noise" not in given]
    result = learn_hyperparameters(evidence, center, free=free)
    found = np.array([model.scale_, model.function_.kernel.gamma, model.noise_])
    assert_allclose(found, np.exp(result.solution), rtol=1e-6)
    assert_array_equal((found != np.exp(center))[[0, 2]], [free[0], free[2]])


def test_labels_that_contradict_their_neighbors_are_noise(rng):
    """The noise is larger than that of the same labels where all agree."""
    X = rng.normal(size=(200, 2))
    clear = (X[:, 0] > 0).astype(int)
    is_wrong = rng.uniform(size=200) < 0.3
    noises = []
    for y in (clear, np.where(is_wrong, 1 - clear, clear)):
        y_partial = np.where(np.arange(200) < 60, y, -1)
        noises.append(SelfLabelingGPC().fit(X, y_partial).noise_)
    assert noises[1] > 3 * noises[0]


@pytest.mark.parametrize("kernel", [Rbf(0.1), Rbf("median"), "linear"])
def test_nothing_is_learned_of_a_kernel_that_is_given(two, kernel):
    X, _, y_partial = two
    models = [
        SelfLabelingGPC(kernel=kernel, hyperparameters=name).fit(X, y_partial)
        for name in ("labels", "heuristic")
    ]
    assert (models[0].scale_, models[0].noise_) == (1.0, 0.5)
    assert_array_equal(*[model.decision_function(X) for model in models])


def test_labels_are_learned_from_some_of_many(rng):
    X = rng.normal(size=(60, 2))
    y = (X[:, 0] > 0).astype(int)
    noises = [
        SelfLabelingGPC(hyperparameters=LabelEvidence(n), random_state=0).fit(X, y)
        for n in (10, 60, 200)
    ]
    assert noises[0].noise_ != noises[1].noise_ == noises[2].noise_


def test_interrupt_of_what_labels_teach_is_passed_on(two, monkeypatch):
    """There is no model yet that could be kept."""
    X, _, y_partial = two

    def interrupted(self, theta):
        raise KeyboardInterrupt

    monkeypatch.setattr(GpEvidence, "posterior", interrupted)
    with pytest.raises(KeyboardInterrupt):
        SelfLabelingGPC().fit(X, y_partial)


# Where to start from


@pytest.mark.parametrize("options", [{}, {"landmarks": 60, "random_state": 0}])
@pytest.mark.parametrize("seed", [0, 1, 4])
def test_components_help_where_labels_say_little(seed, options):
    """Two threes and two fives leave open which split of them is meant."""
    X, y = load_digits(return_X_y=True)
    pair = np.isin(y, (3, 5))
    X, y = X[pair], y[pair]
    y_partial = hide_labels(y, 4, rng=seed)

    def score(**more):
        model = SelfLabelingGPC(balance="equal", **options, **more).fit(X, y_partial)
        return np.mean(model.transduction_ == y)

    assert score(n_components=0) < 0.9
    assert score() > 0.95


def test_start_is_chosen_by_likelihood_and_labels(two):
    """Of the labels so far and of both sides of each component."""
    X, _, y_partial = two
    found = []
    for n_components in (0, 1):
        model = tight(SelfLabelingGPC, kernel=Rbf(0.1), n_components=n_components)
        found.append(model.set_params(annealing=(0.01, 0.1)).fit(X, y_partial))
    codes = [model.transduction_ for model in found]
    weights = np.where(y_partial >= 0, 10.0, 0.1)
    gram = rbf_kernel(X, gamma=0.1)
    inverse = np.linalg.inv(gram + np.diag(0.5 / weights))

    def neg_log_likelihood(signs):
        rest = signs - inverse.sum(axis=0) @ signs / inverse.sum()
        return 0.5 * rest @ inverse @ rest

    alone, several = (neg_log_likelihood(2.0 * c - 1) for c in codes)
    if (codes[0] != codes[1]).any():
        assert several < alone - 0.05 * np.sum(y_partial >= 0)


@pytest.mark.parametrize(
    "options", [{}, {"landmarks": InformativeVectors(40)}], ids=["classes", "ivm"]
)
def test_some_machines_start_from_the_labels_only(request, options):
    """For more than two classes, and for an informative vector machine."""
    X, _, y_partial = request.getfixturevalue("two" if options else "three")
    models = [
        SelfLabelingGPC(n_components=k, **options).fit(X, y_partial) for k in (0, 2)
    ]
    scores = [model.decision_function(X) for model in models]
    assert_array_equal(*scores)


# The paper's own settings


@either_estimator
def test_settings_of_the_paper(estimator):
    """Equal weights, one round of labels after the other, Eq. (9), fitted values."""
    X, y = make_blobs(120, centers=[[0, 0], [4, 4]], random_state=0)
    y_partial = hide_labels(y, 6, rng=0)
    model = tight(estimator, kernel=Rbf(0.1), **PAPER).fit(X, y_partial)
    found = model.transduction_
    assert np.mean(found == y) > 0.9
    if estimator is SelfLabelingGPC:
        expected = process(model, X, found, np.ones(120)).mean_at(X)
    else:
        expected = support_vector_scores(X, found, np.ones(120), X, C=1.0, gamma=0.1)
    scores = model.decision_function(X)
    assert_allclose(scores, expected[:, 0], atol=EXACT[estimator])


# Invariances


@either_estimator
@pytest.mark.parametrize("options", [{}, {"landmarks": 30, "random_state": 0}])
def test_shuffled_rows_and_renamed_classes_give_the_same(
    three, estimator, options, rng
):
    X, _, y_partial = three
    model = estimator(**options).fit(X, y_partial)
    order = rng.permutation(120)
    names = np.array(["z", "b", "a"], dtype=object)
    renamed = np.where(y_partial >= 0, names[y_partial], None)
    other = estimator(**options).fit(X[order], renamed[order])
    assert_array_equal(other.transduction_, names[model.transduction_][order])
    assert_allclose(
        other.decision_function(X)[:, [2, 1, 0]], model.decision_function(X), atol=1e-8
    )
    if estimator is SelfLabelingGPC:
        stds = (m.predict(X, return_std=True)[1] for m in (model, other))
        assert_allclose(next(stds), next(stds), atol=1e-9)


@either_estimator
def test_swapped_classes_mirror_the_answer(two, estimator):
    X, _, y_partial = two
    swapped = np.where(y_partial < 0, -1, 1 - y_partial)
    model = tight(estimator, kernel=Rbf(0.1)).fit(X, y_partial)
    mirrored = tight(estimator, kernel=Rbf(0.1)).fit(X, swapped)
    assert_array_equal(mirrored.transduction_, 1 - model.transduction_)
    assert_allclose(
        mirrored.decision_function(X),
        -model.decision_function(X),
        atol=EXACT[estimator],
    )


@either_estimator
@pytest.mark.parametrize("options", [{}, {"landmarks": 30, "random_state": 0}])
def test_weights_of_labels_are_copies(two, estimator, options, rng):
    X, _, y_partial = two
    copies = np.where(y_partial >= 0, rng.integers(0, 4, size=120), 1)
    weighted = tight(estimator, **options).fit(X, y_partial, sample_weight=copies)
    repeated = tight(estimator, **options).fit(
        np.repeat(X, copies, axis=0), np.repeat(y_partial, copies)
    )
    scores = weighted.decision_function(X)
    assert_allclose(repeated.decision_function(X), scores, atol=EXACT[estimator])
    assert_array_equal(
        repeated.transduction_, np.repeat(weighted.transduction_, copies)
    )
    plain = tight(estimator, **options).fit(X, y_partial)
    assert np.abs(plain.decision_function(X) - scores).max() > 0.01


@either_estimator
def test_samples_of_weight_zero_follow_from_the_others(two, estimator):
    X, y, y_partial = two
    weights = (np.arange(120) % 3 > 0).astype(float)
    used = weights > 0
    model = tight(estimator, kernel=Rbf(0.1)).fit(X, y_partial, sample_weight=weights)
    without = tight(estimator, kernel=Rbf(0.1)).fit(X[used], y_partial[used])
    scores = model.decision_function(X)
    assert_allclose(without.decision_function(X), scores, atol=1e-9)
    missing = ~used & (y_partial < 0)
    assert_array_equal(model.transduction_[missing], (scores[missing] > 0).astype(int))
    labeled = used & (y_partial >= 0)
    assert_array_equal(model.transduction_[labeled], y[labeled])


@either_estimator
def test_weights_have_no_unit(two, estimator, rng):
    X, _, y_partial = two
    weights = rng.uniform(0.5, 2.0, 120)
    one, other = (
        tight(estimator, kernel=Rbf(0.1)).fit(
            X, y_partial, sample_weight=factor * weights
        )
        for factor in (1.0, 100.0)
    )
    assert_allclose(
        other.decision_function(X), one.decision_function(X), atol=EXACT[estimator]
    )


# Kinds of data


@pytest.mark.parametrize(
    ("estimator", "options"),
    [
        (SelfLabelingGPC, {}),
        (SelfLabelingGPC, {"landmarks": InformativeVectors(40)}),
        (SelfLabelingSVC, {}),
    ],
)
def test_precomputed_kernel(two, estimator, options):
    X, _, y_partial = two
    points = tight(estimator, kernel=Rbf(0.1), **options).fit(X, y_partial)
    gram = rbf_kernel(X, gamma=0.1)
    matrix = tight(estimator, kernel="precomputed", **options).fit(gram, y_partial)
    assert_array_equal(matrix.transduction_, points.transduction_)
    assert_allclose(
        matrix.decision_function(gram[:9]),
        points.decision_function(X[:9]),
        atol=EXACT[estimator],
    )
    if estimator is SelfLabelingGPC:
        std = matrix.predict(gram[:9], return_std=True)[1]
        assert_allclose(std, points.predict(X[:9], return_std=True)[1], atol=1e-9)


@pytest.mark.parametrize("options", [{}, {"landmarks": InformativeVectors(40)}])
def test_scale_of_a_kernel_is_that_of_its_matrix(two, options):
    X, _, y_partial = two
    model = tight(SelfLabelingGPC, kernel=Rbf(0.1), scale=4.0, **options).fit(
        X, y_partial
    )
    gram = 4 * rbf_kernel(X, gamma=0.1)
    matrix = tight(SelfLabelingGPC, kernel="precomputed", **options)
    matrix.fit(gram, y_partial)
    assert_allclose(matrix.decision_function(gram), model.decision_function(X))
    std = matrix.predict(gram, return_std=True)[1]
    assert_allclose(std, model.predict(X, return_std=True)[1], atol=1e-9)


@either_estimator
@pytest.mark.parametrize("kernel", ["linear", "poly"])
def test_other_kernels(two, estimator, kernel):
    X, _, y_partial = two
    value = "linear" if kernel == "linear" else Polynomial(0.1, 2, 1.0)
    model = tight(estimator, kernel=value, **TIGHT_LINEAR[estimator]).fit(
        X / 3, y_partial
    )
    gram = (X @ X.T / 9) if kernel == "linear" else (0.1 * X @ X.T / 9 + 1) ** 2
    matrix = tight(estimator, kernel="precomputed").fit(gram, y_partial)
    assert_array_equal(matrix.transduction_, model.transduction_)
    assert_allclose(
        matrix.decision_function(gram), model.decision_function(X / 3), atol=1e-3
    )


@either_estimator
@pytest.mark.parametrize("options", [{}, {"landmarks": 40, "random_state": 0}])
def test_sparse_rows(two, estimator, options):
    X, _, y_partial = two
    X = np.where(np.abs(X) > 1, X, 0.0)
    rows = sparse.csr_matrix(X)
    dense = tight(estimator, **options).fit(X, y_partial)
    model = tight(estimator, **options).fit(rows, y_partial)
    assert_array_equal(model.transduction_, dense.transduction_)
    assert_allclose(
        model.decision_function(rows), dense.decision_function(X), atol=1e-4
    )
    if estimator is SelfLabelingGPC:
        std = model.predict(rows, return_std=True)[1]
        assert_allclose(std, dense.predict(X, return_std=True)[1], atol=1e-6)


@either_estimator
@pytest.mark.parametrize("options", [{}, {"landmarks": 40, "random_state": 0}])
def test_single_precision(two, estimator, options):
    X, _, y_partial = two
    double = estimator(kernel=Rbf(0.1), **options).fit(X, y_partial)
    single = estimator(kernel=Rbf(0.1), **options).fit(X.astype(np.float32), y_partial)
    assert_array_equal(single.transduction_, double.transduction_)
    assert_allclose(
        single.decision_function(X.astype(np.float32)),
        double.decision_function(X),
        atol=2e-2 if estimator is SelfLabelingSVC else 1e-3,
    )
    if estimator is SelfLabelingGPC:
        std = single.predict(X.astype(np.float32), return_std=True)[1]
        assert_allclose(std, double.predict(X, return_std=True)[1], atol=1e-3)


@either_estimator
def test_pandas_and_names(two, estimator):
    X, y, y_partial = two
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    names = pd.Series(np.array(["no", "yes"])[y]).where(y_partial >= 0)
    shares = {"no": 0.4, "yes": 0.6}
    model = estimator(balance=Balance(shares, 0)).fit(frame, names)
    assert model.classes_.tolist() == ["no", "yes"]
    assert model.feature_names_in_.tolist() == ["a", "b", "c"]
    assert set(model.predict(frame)) <= {"no", "yes"}
    assert_array_equal(model.transduction_[y_partial >= 0], names[y_partial >= 0])
    assert np.sum(model.transduction_[y_partial < 0] == "yes") == 60


@settings(deadline=None, max_examples=40)
@given(st.data())
@pytest.mark.slow
def test_loop_ends_on_any_rows(data):
    """Copies, constant columns, one label a class: labels kept, sizes bounded."""
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    n, n_classes = data.draw(st.integers(4, 25)), data.draw(st.integers(2, 3))
    X = rng.normal(size=(n, data.draw(st.integers(1, 3))))
    X = np.round(X, data.draw(st.integers(0, 3)))
    if data.draw(st.booleans()):
        X[:, 0] = 7.0
    X = X[rng.integers(n, size=n)] if data.draw(st.booleans()) else X
    y_partial = np.full(n, -1)
    y_partial[:n_classes] = np.arange(n_classes)
    estimator = data.draw(st.sampled_from(ESTIMATORS))
    threshold = data.draw(st.sampled_from(["absolute", "squared", None]))
    relabel, landmarks = InSample, [None, 3]
    if estimator is SelfLabelingGPC:
        relabel = data.draw(st.sampled_from([LeaveOneOut, InSample]))
        landmarks.append(InformativeVectors(3))
    model = estimator(
        balance="equal",
        relabel=relabel(threshold, max_iter=300),
        landmarks=data.draw(st.sampled_from(landmarks)),
        random_state=0,
    )
    model.fit(X, y_partial)
    assert model.result_.status is Status.CONVERGED
    assert_array_equal(model.transduction_[:n_classes], np.arange(n_classes))
    sizes = np.bincount(model.transduction_[n_classes:], minlength=n_classes)
    wanted = (n - n_classes) / n_classes
    assert (sizes >= np.floor(wanted / 1.5)).all()
    assert (sizes <= np.ceil(wanted * 1.5)).all()
    assert np.isfinite(model.predict_proba(X)).all()


# Habits


@either_estimator
def test_same_seed_same_model(three, estimator):
    X, _, y_partial = three
    options = {"random_state": 3, "landmarks": 30}
    one, other = (estimator(**options).fit(X, y_partial) for _ in range(2))
    assert_array_equal(one.decision_function(X), other.decision_function(X))
    assert clone(one).get_params() == estimator(**options).get_params()


@either_estimator
def test_width_is_one_over_the_mean_squared_distance(two, estimator):
    X, _, y_partial = two
    model = estimator().fit(X, y_partial)
    if estimator is SelfLabelingGPC:
        model.set_params(hyperparameters="heuristic").fit(X, y_partial)
        assert (model.scale_, model.noise_) == (1.0, 0.5)
    assert_allclose(model.function_.kernel.gamma, 1 / (2 * X.var(axis=0).sum()))


@either_estimator
def test_progress(two, capsys, estimator):
    X, _, y_partial = two
    options = {"annealing": (0.1, 1.0), "kernel": Rbf(0.1)}  # nothing to learn first
    model = estimator(verbose=True, **options).fit(X, y_partial)
    lines, name = capsys.readouterr().out.splitlines(), estimator.__name__
    first = f"{name}: weight of an unlabeled row 0.1, start 1, round 1: "
    assert lines[0].startswith(first)
    changes = [int(value) for value in model.result_.history["objective"]]
    start = int(model.result_.history["start_number"][-1])
    told = f"{name}: weight of an unlabeled row 1, start {start}, round "
    assert [line for line in lines if line.startswith(told)] == [
        f"{told}{i}: {n} labels changed" for i, n in enumerate(changes, 1)
    ]
    estimator().fit(X, y_partial)
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("learning", ["labels", "loo"])
def test_progress_of_hyperparameters(two, capsys, learning):
    X, _, y_partial = two
    model = SelfLabelingGPC(hyperparameters=learning, verbose=True).fit(X, y_partial)
    numbers = f"scale {model.scale_:.3g}, noise {model.noise_:.3g}"
    told = f"SelfLabelingGPC: learned {model.function_.kernel}, {numbers}"
    assert told in capsys.readouterr().out.splitlines()


@either_estimator
def test_iteration_limit_is_told_once(two, estimator):
    X, _, y_partial = two
    relabel = RELABEL[estimator](None, max_iter=1)
    model = estimator(relabel=relabel, annealing=(1.0,), labeled_weight=0.1)
    with pytest.warns(ConvergenceWarning, match="raise max_iter") as told:
        model.fit(X, y_partial)
    assert len(told) == 1
    assert model.result_.status is Status.MAX_ITER
    assert model.n_iter_ == 1


@either_estimator
@pytest.mark.parametrize("n_before", [1, 2, 5])
def test_interrupt_keeps_the_labels_so_far(two, estimator, monkeypatch, n_before):
    """The model is that of its labels, and the interrupt goes on."""
    X, y, y_partial = two
    regressor, calls = REGRESSORS[estimator], []
    scores = regressor.scores

    def interrupted(self, signs):
        calls.append(1)
        if len(calls) > n_before:
            raise KeyboardInterrupt
        return scores(self, signs)

    monkeypatch.setattr(regressor, "scores", interrupted)
    model = tight(estimator, kernel=Rbf(0.1))
    with (
        pytest.warns(ConvergenceWarning, match="interrupted"),
        pytest.raises(KeyboardInterrupt),
    ):
        model.fit(X, y_partial)
    assert len(calls) == n_before + 1
    assert model.result_.status is Status.INTERRUPTED
    assert model.score(X, y) > 0.5
    assert_array_equal(model.transduction_[y_partial >= 0], y[y_partial >= 0])
    assert set(model.transduction_) == {0, 1}
    if estimator is SelfLabelingGPC:
        assert np.isfinite(model.predict(X, return_std=True)[1]).all()


def test_interrupt_of_labels_ends_the_learning(two, monkeypatch):
    X, _, y_partial = two
    calls, scores = [], ProcessRegressor.scores

    def interrupted(self, signs):
        calls.append(1)
        if len(calls) > 2:
            raise KeyboardInterrupt
        return scores(self, signs)

    monkeypatch.setattr(ProcessRegressor, "scores", interrupted)
    model = SelfLabelingGPC(hyperparameters="loo")
    with (
        pytest.warns(ConvergenceWarning, match="interrupted"),
        pytest.raises(KeyboardInterrupt),
    ):
        model.fit(X, y_partial)
    assert (model.scale_, model.noise_) == (1.0, 0.5)


@either_estimator
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"balance": {0: 0.5, 1: 0.4}}, "adding up to 1, got .* add up to 0.9"),
        ({"annealing": ()}, r"annealing of \w+ must be .*numbers > 0.* got \(\)"),
        ({"annealing": (0.0, 1.0)}, r"numbers > 0.* got \(0.0, 1.0\)"),
        ({"annealing": "slow"}, "numbers > 0.* got 'slow'"),
        ({"annealing": None}, "numbers > 0.* got None"),
        ({"labeled_weight": 0}, r"labeled_weight of \w+ must be a number > 0, got 0"),
        ({"landmarks": "best"}, "landmarks of .*'auto', None.* got 'best'"),
        ({"landmarks": 0}, "landmarks of .* whole number >= 1.* got 0"),
        ({"kernel": "best"}, "kernel of .*'rbf'.* got 'best'"),
        ({"relabel": "all"}, "relabel of .*'loo', 'in-sample'.* got 'all'"),
        ({"balance": "even"}, "'labeled', 'equal', None, a dict of fractions"),
        ({"balance": {0: 0.5, 1: 0.6}}, "adding up to 1, got {0: 0.5, 1: 0.6}"),
        ({"balance": {0: 0.5, 2: 0.5}}, r"classes \[0, 1\]"),
    ],
)
def test_bad_parameters(two, estimator, options, message):
    X, _, y_partial = two
    with pytest.raises(ValueError, match=message):
        estimator(**options).fit(X, y_partial)


@pytest.mark.parametrize(
    ("estimator", "options", "message"),
    [
        (SelfLabelingSVC, {"relabel": "loo"}, "must be 'in-sample' .* got 'loo'"),
        (SelfLabelingGPC, {"scale": 0}, "scale of SelfLabelingGPC .* > 0, got 0"),
        (SelfLabelingGPC, {"noise": -1}, "noise of SelfLabelingGPC .* > 0, got -1"),
        (SelfLabelingGPC, {"hyperparameters": "ml"}, "'marginal-likelihood', 'loo' or"),
        (SelfLabelingGPC, {"n_components": -1}, "n_components of .* >= 0, got -1"),
        (SelfLabelingGPC, {"probabilities": "platt"}, "'calibrated', got 'platt'"),
        (
            SelfLabelingGPC,
            {"hyperparameters": "loo", "kernel": "linear"},
            "hyperparameters='loo' of .* needs kernel='rbf', got 'linear'; use 'heur",
        ),
        (SelfLabelingSVC, {"C": 0}, "C of SelfLabelingSVC must be a number > 0, got 0"),
        (SelfLabelingSVC, {"landmarks": "ivm"}, "landmarks .* use Nystrom"),
        (
            SelfLabelingSVC,
            {"solver": "newton", "landmarks": None},
            "use kernel='linear' or set landmarks",
        ),
        (
            SelfLabelingSVC,
            {"solver": "smo", "landmarks": 5},
            "solver='newton', or landmarks=None",
        ),
    ],
)
def test_bad_parameters_of_one(two, estimator, options, message):
    X, _, y_partial = two
    with pytest.raises(ValueError, match=message):
        estimator(**options).fit(X, y_partial)


@either_estimator
def test_landmarks_in_the_middle_of_a_gram_matrix_are_refused(two, estimator):
    X, _, y_partial = two
    model = estimator(kernel="precomputed", landmarks=Nystrom(5, "kmeans"))
    with pytest.raises(ValueError, match="needs rows of features, got distances only"):
        model.fit(rbf_kernel(X), y_partial)


def test_gram_matrix_of_a_varying_diagonal_does_not_tell_how_sure_it_is(two):
    """k(x, x) of new samples is not in their kernel values against the others."""
    X, _, y_partial = two
    gram = X @ X.T
    with pytest.raises(ValueError, match=r"probabilities='probit' .* use 'calibrated'"):
        SelfLabelingGPC(kernel="precomputed").fit(gram, y_partial)
    model = tight(SelfLabelingGPC, kernel="precomputed").fit(gram, y_partial)
    rows = tight(SelfLabelingGPC, kernel="linear").fit(X, y_partial)
    assert_allclose(model.predict_proba(gram), rows.predict_proba(X), atol=1e-8)
    with pytest.raises(ValueError, match="cannot compute the variance"):
        model.predict(gram, return_std=True)
    flat = rbf_kernel(X, gamma=0.1)
    known = SelfLabelingGPC(kernel="precomputed").fit(flat, y_partial)
    same = SelfLabelingGPC(kernel=Rbf(0.1)).fit(X, y_partial)
    assert_allclose(known.predict_proba(flat), same.predict_proba(X), atol=1e-8)


@either_estimator
def test_copies_of_labels_leave_the_weights_of_others_alone(two, estimator):
    """They are one row of the summed weight, as a Gram matrix shows."""
    X, _, y_partial = two
    labeled = np.flatnonzero(y_partial >= 0)
    rows = np.concatenate([np.arange(120), np.repeat(labeled, 4)])
    options = {"kernel": Rbf(0.1), "balance": None, "relabel": RELABEL[estimator](None)}
    copies = tight(estimator, **options).fit(X[rows], y_partial[rows])
    weights = np.ones(120)
    weights[labeled] = 5.0
    heavy = tight(estimator, **options).fit(X, y_partial, sample_weight=weights)
    assert_allclose(
        copies.decision_function(X), heavy.decision_function(X), atol=EXACT[estimator]
    )


@pytest.mark.parametrize("options", [
    {"landmarks": InformativeVectors(40)},
    {"hyperparameters": "loo"},
])  # fmt: skip
def test_limit_of_weights_counts_for_what_is_chosen_by_them(two, options):
    """Vectors and hyperparameters by the last weights, not by those asked for."""
    X, _, y_partial = two
    labeled = y_partial >= 0
    weight = 0.5 * 10.0 * labeled.sum() / (~labeled).sum()
    limited, same = (
        tight(SelfLabelingGPC, annealing=annealing, random_state=0, **options)
        for annealing in (Annealing((0.1, 1.0), 0.5), Annealing((0.1, weight), None))
    )
    for model in (limited, same):
        model.set_params(kernel=Rbf(0.1)).fit(X, y_partial)
    assert_allclose(limited.decision_function(X), same.decision_function(X), atol=1e-8)


def test_model_keeps_only_what_it_needs():
    """With landmarks nothing of the size of the sample."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 4))
    y = hide_labels((X[:, 0] > 0).astype(int), 30, rng=0)
    model = SelfLabelingGPC(landmarks=50, random_state=0).fit(X, y)
    kept = pickle.dumps(model)
    assert len(kept) < 300_000  # 3000 x 50 features would be 1,200,000
    again = pickle.loads(kept)
    assert_array_equal(again.predict_proba(X), model.predict_proba(X))


def test_learner_that_does_not_converge_is_told(two):
    X, _, y_partial = two
    learning = LeaveOneOutDensity(max_iter=1)
    with pytest.warns(ConvergenceWarning, match="raise max_iter"):
        SelfLabelingGPC(hyperparameters=learning).fit(X, y_partial)


@either_estimator
def test_kernel_that_gives_no_numbers_is_refused(two, estimator):
    X, _, y_partial = two
    model = estimator(kernel=lambda A, B: np.full((len(A), len(B)), np.nan))
    with pytest.raises(ValueError, match="must return finite numbers"):
        model.fit(X, y_partial)


@either_estimator
@pytest.mark.parametrize(("factor", "dtype"), [(1e155, "float64"), (1e20, "float32")])
def test_rows_whose_squares_overflow_are_refused(two, estimator, factor, dtype):
    X, _, y_partial = two
    with pytest.raises(ValueError, match=f"too large for {dtype}; rescale X"):
        estimator().fit((X * factor).astype(dtype), y_partial)


def test_nearly_constant_kernel_in_single_precision_is_refused(rng):
    X = rng.normal(size=(500, 5)).astype(np.float32)
    y = hide_labels((X[:, 0] > 0).astype(int), 20, rng=0)
    model = SelfLabelingGPC(
        kernel=Polynomial("auto", 3, 100.0), landmarks=100, random_state=0
    )
    with pytest.raises(ValueError, match="nearly constant; center X, use float64"):
        model.fit(X, y)


def test_too_few_informative_vectors_for_the_classes(three):
    X, _, y_partial = three
    model = SelfLabelingGPC(landmarks=InformativeVectors(2))
    with pytest.raises(ValueError, match=r"number of classes, 3, .* got 2"):
        model.fit(X, y_partial)


@either_estimator
def test_wrong_balance_is_refused_without_unlabeled_samples(two, estimator):
    X, y, _ = two
    with pytest.raises(ValueError, match="adding up to 1"):
        estimator(balance={0: 0.5, 1: 0.6}).fit(X, y)


@either_estimator
@pytest.mark.parametrize(
    ("gram", "message"),
    [
        (np.ones((120, 3)), r"square Gram matrix .* got shape \(120, 3\)"),
        (np.triu(np.ones((120, 120))), "must be symmetric, got entries that differ"),
    ],
)
def test_matrix_that_is_no_gram_matrix_is_refused(two, estimator, gram, message):
    with pytest.raises(ValueError, match=message):
        estimator(kernel="precomputed").fit(gram, two[2])


@either_estimator
def test_weights_that_are_none_are_refused(two, estimator):
    X, _, y_partial = two
    for weights, message in ((np.ones(3), "shape"), (np.full(120, -1.0), ">= 0")):
        with pytest.raises(ValueError, match=f"sample_weight of .*{message}"):
            estimator().fit(X, y_partial, sample_weight=weights)
