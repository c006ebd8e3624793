from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import SVC

from widemargin import TransductiveSVC, TriClassSVC, UniversumSVC
from widemargin.averaging import family_prior, label_counts, posterior_weights
from widemargin.calibration import neg_log_prior
from widemargin.datasets import hide_labels
from widemargin.defaults import (
    CALIBRATION_CENTER,
    HINGE_WEIGHTS,
    PATH_DECAY,
    TRI_CLASS_WEIGHTS,
    TRUST,
    TriClassWeights,
)
from widemargin.estimators._hinge import HingeTask, WeightPath, hold_out
from widemargin.kernels import Linear, Nystrom, Polynomial, Rbf
from widemargin.objectives.class_sizes import Balance
from widemargin.objectives.pieces import EpsilonInsensitive, MinLoss
from widemargin.rows import GramRows, Rows
from widemargin.sample import collect_sample
from widemargin.solvers import cccp
from widemargin.solvers.cccp import Relaxed
from widemargin.solvers.hinge import ProximalNewton, Smo
from widemargin.solvers.result import Status
from widemargin.spaces import GramSpace

ESTIMATORS = [TransductiveSVC, TriClassSVC, UniversumSVC]
KERNELS = [
    (Rbf(0.3), {"kernel": "rbf", "gamma": 0.3}),
    (Linear(), {"kernel": "linear"}),
    (Polynomial(gamma=0.1, degree=2), {"kernel": "poly", "gamma": 0.1, "degree": 2}),
]


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


# The labels alone


@pytest.mark.parametrize(("kernel", "options"), KERNELS)
@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_without_unlabeled_weight_it_is_the_svc(two, estimator, kernel, options):
    X, _, y_partial = two
    labeled = y_partial >= 0
    svc = SVC(C=2.0, coef0=1.0, tol=1e-9, **options)
    expected = svc.fit(X[labeled], y_partial[labeled]).decision_function(X)
    make = ProximalNewton if kernel == Linear() else Smo
    for tol, atol in ((make().tol, 2e-3), (1e-8, 1e-5)):
        model = estimator(C=2.0, unlabeled_weight=0, solver=make(tol), kernel=kernel)
        scores = model.fit(X, y_partial).decision_function(X)
        assert_allclose(scores, expected, atol=atol * max(1.0, np.abs(scores).max()))


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_without_unlabeled_samples_it_is_the_svc(two, estimator):
    X, y, _ = two
    # one over the mean squared distance of two rows, or twice that
    gamma = 1 / X.var(axis=0).sum() / (2 if estimator is TriClassSVC else 1)
    expected = SVC(C=10, gamma=gamma, tol=1e-9).fit(X, y).decision_function(X)
    model = estimator(solver=Smo(1e-8)).fit(X, y)
    assert_allclose(model.decision_function(X), expected, atol=1e-5)
    assert model.average_ is None
    assert_array_equal(model.transduction_, y)


def test_more_classes_are_each_against_the_rest(three):
    X, _, y_partial = three
    labeled = y_partial >= 0
    model = TriClassSVC(unlabeled_weight=0, kernel=Rbf(0.5), solver=Smo(1e-8))
    model.fit(X, y_partial)
    expected = OneVsRestClassifier(SVC(C=10, gamma=0.5, tol=1e-9)).fit(
        X[labeled], y_partial[labeled]
    )
    assert_allclose(
        model.decision_function(X), expected.decision_function(X), atol=1e-5
    )


def test_precomputed_kernel(two):
    X, _, y_partial = two
    options = {"unlabeled_weight": 0.5, "solver": Smo(1e-8)}
    points = TransductiveSVC(kernel=Rbf(0.3), **options).fit(X, y_partial)
    gram = rbf_kernel(X, gamma=0.3)
    matrix = TransductiveSVC(kernel="precomputed", **options).fit(gram, y_partial)
    assert_allclose(
        matrix.decision_function(gram[:9]), points.decision_function(X[:9]), atol=1e-5
    )


# The unlabeled samples


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
@pytest.mark.parametrize("balance", ["labeled", {0: 0.3, 1: 0.7}])
@pytest.mark.parametrize("estimator", [TransductiveSVC, TriClassSVC])
def test_mean_score_of_unlabeled_samples_is_fixed(two, estimator, balance, kernel):
    X, _, y_partial = two
    model = estimator(kernel=kernel, balance=balance, unlabeled_weight=1.0)
    scores = model.fit(X, y_partial).decision_function(X)
    share = 0.7 if balance != "labeled" else 0.5  # ten labels of each class
    assert_allclose(scores[y_partial < 0].mean(), 2 * share - 1, atol=1e-6)


@pytest.mark.parametrize("estimator", [TransductiveSVC, TriClassSVC])
def test_balance_of_the_user_is_kept_by_the_average(two, estimator):
    X, _, y_partial = two
    model = estimator(balance={0: 0.3, 1: 0.7}, random_state=0).fit(X, y_partial)
    scores = model.decision_function(X)
    assert_allclose(scores[y_partial < 0].mean(), 0.4, atol=1e-6)


def test_held_out_labels_are_no_universum(two):
    """Unlabeled or marked, the samples of no class are the same."""
    X, y, _ = two
    y = np.where(np.arange(120) % 3 == 0, 2, y)
    marked = UniversumSVC(irrelevant_label=2, random_state=0).fit(X, y)
    hidden = UniversumSVC(random_state=0).fit(X, np.where(y == 2, -1, y))
    assert_array_equal(marked.average_.errors, hidden.average_.errors)
    assert marked.calibration_ == hidden.calibration_
    assert_allclose(marked.decision_function(X), hidden.decision_function(X))


def test_objective_of_the_labels_alone(two):
    X, _, y_partial = two
    labeled = y_partial >= 0
    model = TriClassSVC(C=1.0, kernel=Rbf(0.3), unlabeled_weight=0, solver=Smo(1e-8))
    model.fit(X, y_partial)
    gram = rbf_kernel(X[labeled], gamma=0.3)
    svc = SVC(kernel="precomputed", C=1.0, tol=1e-9).fit(gram, y_partial[labeled])
    a = np.zeros(20)
    a[svc.support_] = svc.dual_coef_[0]
    slack = np.maximum(
        0, 1 - (2 * y_partial[labeled] - 1) * svc.decision_function(gram)
    )
    assert_allclose(
        model.result_.objective, 0.5 * a @ gram @ a + slack.sum(), rtol=1e-6
    )


def test_mean_scores_of_more_classes(three):
    X, _, y_partial = three
    shares = {0: 0.5, 1: 0.3, 2: 0.2}
    model = TransductiveSVC(balance=shares, unlabeled_weight=1.0).fit(X, y_partial)
    means = model.decision_function(X)[y_partial < 0].mean(axis=0)
    assert_allclose(means, [0.0, -0.4, -0.6], atol=1e-6)


@settings(deadline=None, max_examples=15)
@given(st.floats(0.1, 0.9), st.integers(0, 5))
def test_sizes_of_classes_that_choose_together(share, seed):
    """Within a factor of 1.5 of the shares, at the end of the search."""
    X, y = make_blobs(90, centers=3, cluster_std=2.0, random_state=seed)
    y_partial = hide_labels(y, 12, rng=seed)
    shares = {0: share, 1: 0.6 * (1 - share), 2: 0.4 * (1 - share)}
    model = TransductiveSVC(
        multi_class="joint", balance=shares, unlabeled_weight=1.0, kernel=Rbf(0.2)
    )
    found = model.fit(X, y_partial).transduction_[y_partial < 0]
    sizes = np.bincount(found, minlength=3)
    wanted = 78 * np.array([shares[k] for k in range(3)])
    assert (sizes >= np.floor(wanted / 1.5)).all()
    assert (sizes <= np.ceil(wanted * 1.5)).all()


def test_clusters_decide_where_labels_do_not():
    """One label in each of two long clusters: their shape tells the boundary."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2)) * [2.0, 0.4]
    y = np.repeat([0, 1], 100)
    X[y == 1, 1] += 4.0
    y_partial, across = np.full(200, -1), np.argsort(X.reshape(2, 100, 2)[:, :, 0])
    y_partial[[across[0, 10], 100 + across[1, 90]]] = [0, 1]
    alone = TransductiveSVC(kernel="linear", unlabeled_weight=0).fit(X, y_partial)
    found = TransductiveSVC(kernel="linear", unlabeled_weight=1.0).fit(X, y_partial)
    assert alone.score(X, y) < 0.9
    assert found.score(X, y) == 1.0


def test_samples_of_no_class_are_told_apart():
    X, y = make_blobs(
        [60, 60, 60], centers=[[-4, 0], [4, 0], [0, 0]], cluster_std=0.6,
        shuffle=False, random_state=0,
    )  # fmt: skip
    y_partial = np.full(180, -1)
    y_partial[[0, 1, 60, 61]] = [0, 0, 1, 1]
    model = TriClassSVC(kernel="linear", unlabeled_weight=1.0).fit(X, y_partial)
    assert (model.relevance_ == (y < 2)).mean() > 0.95
    assert_array_equal(
        model.predict_relevance(X)[y_partial < 0], model.relevance_[y_partial < 0]
    )
    assert model.relevance_[[0, 1, 60, 61]].all()
    scores = model.decision_function(X)
    assert_array_equal(model.predict_relevance(X), np.abs(scores) > 0.55)


def test_no_class_claims_an_irrelevant_sample(three):
    X, _, y_partial = three
    model = TriClassSVC(unlabeled_weight=0.3).fit(X, y_partial)
    claimed = (model.decision_function(X) > 0.55).any(axis=1)
    assert_array_equal(model.predict_relevance(X), claimed)


# Samples known to be irrelevant


def test_universum_is_what_the_label_says(two):
    """Unlabeled samples have no influence, marked ones do; all, if none is marked."""
    X, y, _ = two
    names = np.array(["left", "right"], dtype=object)[y]
    names[::3] = "junk"
    names[1::3] = None
    kept = np.not_equal(names, None)
    options = {"kernel": Rbf(0.2), "solver": Smo(1e-8), "epsilon": 0.05}
    options |= {"unlabeled_weight": 0.7}
    marked = UniversumSVC(irrelevant_label="junk", **options).fit(X, names)
    assert marked.classes_.tolist() == ["left", "right"]
    fewer = UniversumSVC(irrelevant_label="junk", **options).fit(X[kept], names[kept])
    expected = marked.decision_function(X)
    assert_allclose(fewer.decision_function(X), expected, atol=1e-5)
    hidden = names[kept].copy()
    hidden[hidden == "junk"] = None
    unmarked = UniversumSVC(**options).fit(X[kept], hidden)
    assert_allclose(unmarked.decision_function(X), expected, atol=1e-5)
    without = UniversumSVC(kernel=Rbf(0.2), unlabeled_weight=0).fit(X[kept], hidden)
    assert np.abs(without.decision_function(X) - expected).max() > 0.05


def test_marked_samples_of_the_tri_class_estimator(two):
    """Without unlabeled samples it is the universum estimator."""
    X, y, _ = two
    y = np.where(np.arange(120) % 3 == 0, 7, y)
    options = {"kernel": Rbf(0.2), "solver": Smo(1e-8), "epsilon": 0.05}
    tri = TriClassSVC(irrelevant_label=7, irrelevant_weight=0.7, **options).fit(X, y)
    universum = UniversumSVC(irrelevant_label=7, unlabeled_weight=0.7, **options)
    expected = universum.fit(X, y).decision_function(X)
    assert_allclose(tri.decision_function(X), expected, atol=1e-5)
    assert tri.classes_.tolist() == [0, 1]
    assert not tri.relevance_[y == 7].any()
    assert tri.relevance_[y != 7].all()
    assert set(tri.transduction_) == {0, 1}


def test_irrelevant_label_that_is_not_there_is_told(two):
    X, _, y_partial = two
    with pytest.warns(UserWarning, match="no sample with the irrelevant_label 'junk'"):
        TriClassSVC(irrelevant_label="junk").fit(X, y_partial)


def test_irrelevant_label_is_not_the_marker_of_unlabeled(two):
    X, _, y_partial = two
    with pytest.raises(ValueError, match="does not mark unlabeled samples, got -1"):
        TriClassSVC(irrelevant_label=-1).fit(X, y_partial)


# Invariances


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_swapped_classes_mirror_the_answer(two, estimator):
    X, _, y_partial = two
    swapped = np.where(y_partial < 0, -1, 1 - y_partial)
    options = {"kernel": Rbf(0.2), "solver": Smo(1e-7), "unlabeled_weight": 0.5}
    scores = estimator(**options).fit(X, y_partial).decision_function(X)
    mirrored = estimator(**options).fit(X, swapped).decision_function(X)
    assert_allclose(mirrored, -scores, atol=1e-5)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_shuffled_rows_and_renamed_classes_give_the_same(three, estimator, rng):
    X, _, y_partial = three
    model = estimator(random_state=0).fit(X, y_partial)
    order = rng.permutation(120)
    names = np.array(["z", "b", "a"], dtype=object)
    renamed = np.where(y_partial >= 0, names[y_partial], None)
    other = estimator(random_state=0).fit(X[order], renamed[order])
    assert_array_equal(other.predict(X), names[model.predict(X)])
    assert_allclose(
        other.decision_function(X)[:, [2, 1, 0]], model.decision_function(X), atol=1e-9
    )


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_weights_are_copies(two, estimator, rng):
    """Also of unlabeled samples, up to the solver's tolerance."""
    X, _, y_partial = two
    copies = rng.integers(1, 3, size=120)
    options = {"kernel": Rbf(0.2), "solver": Smo(1e-8), "unlabeled_weight": 0.5}
    options |= {} if estimator is UniversumSVC else {"balance": None}
    weighted = estimator(**options).fit(X, y_partial, sample_weight=copies)
    repeated = estimator(**options).fit(
        np.repeat(X, copies, axis=0), np.repeat(y_partial, copies)
    )
    assert_allclose(
        weighted.decision_function(X), repeated.decision_function(X), atol=1e-4
    )


# Ways to solve it


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_newton_and_smo_agree(two, estimator):
    X, _, y_partial = two
    options = {"kernel": "linear", "unlabeled_weight": 0.5, "C": 0.5}
    newton = estimator(solver=ProximalNewton(1e-9), **options).fit(X, y_partial)
    smo = estimator(solver=Smo(1e-8), **options).fit(X, y_partial)
    assert_allclose(newton.decision_function(X), smo.decision_function(X), atol=1e-4)
    assert newton.function_.points.shape == (1, 3)  # the weights
    assert smo.function_.n_points > 1


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_all_rows_as_landmarks_are_exact(two, estimator):
    X, _, y_partial = two
    options = {"kernel": Rbf(0.3), "unlabeled_weight": 0.5, "C": 0.5}
    exact = estimator(solver=Smo(1e-8), **options).fit(X, y_partial)
    newton = estimator(solver=ProximalNewton(1e-9), landmarks=120, **options)
    low_rank = newton.fit(X, y_partial)
    assert_allclose(
        low_rank.decision_function(X), exact.decision_function(X), atol=1e-3
    )


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("kernel", [Linear(), Rbf(0.2)])
def test_sparse_rows(two, estimator, kernel):
    X, _, y_partial = two
    X = np.where(np.abs(X) > 1, X, 0.0)
    solver = ProximalNewton(1e-8) if kernel == Linear() else Smo(1e-7)
    options = {"kernel": kernel, "unlabeled_weight": 0.5, "solver": solver}
    dense = estimator(**options).fit(X, y_partial)
    rows = estimator(**options).fit(sparse.csr_matrix(X), y_partial)
    assert_allclose(
        rows.decision_function(sparse.csr_matrix(X)),
        dense.decision_function(X),
        atol=1e-5,
    )


@pytest.mark.slow
def test_sparse_rows_are_never_made_dense(monkeypatch):
    """Neither the rows nor a Gram matrix: 3,000 features and 2,000 rows."""
    X = sparse.random(2000, 3000, density=0.003, format="csr", random_state=0)
    y = (
        np.asarray(X[:, :1500].sum(axis=1) > X[:, 1500:].sum(axis=1))
        .ravel()
        .astype(int)
    )
    y_partial = hide_labels(y, 200, rng=0)

    for kind in (sparse.csr_matrix, sparse.csr_array):

        def only_small(matrix, *args, original=kind.toarray, **options):
            assert np.prod(matrix.shape) < 1e6, "made dense"
            return original(matrix, *args, **options)

        monkeypatch.setattr(kind, "toarray", only_small)
    model = TransductiveSVC(kernel="linear", random_state=0).fit(X, y_partial)
    assert model.score(X, y) > 0.55
    assert model.function_.points.shape == (1, 3000)  # weights, no support vectors


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_single_precision(two, estimator):
    X, _, y_partial = two
    options = {"unlabeled_weight": 0.5, "kernel": Rbf(0.2)}
    double = estimator(**options).fit(X, y_partial)
    single = estimator(**options).fit(X.astype(np.float32), y_partial)
    assert single.function_.points.dtype == np.float32
    assert_allclose(
        single.decision_function(X.astype(np.float32)),
        double.decision_function(X),
        atol=2e-2,
    )


def test_only_support_vectors_are_kept(two):
    X, _, y_partial = two
    model = TriClassSVC(unlabeled_weight=0, kernel=Rbf(0.1)).fit(X, y_partial)
    assert 2 <= model.function_.n_points <= 20


# The average


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_average_is_that_of_the_path(three, estimator):
    """By the one rule of averages, with a prior that falls along the path."""
    X, _, y_partial = three
    model = estimator(random_state=0).fit(X, y_partial)
    average, weights, steps = model.average_, HINGE_WEIGHTS, np.arange(4)
    if estimator is TriClassSVC:  # two paths from the labels alone
        weights = TRI_CLASS_WEIGHTS.transductive + TRI_CLASS_WEIGHTS.relaxed
        steps = np.array([0, 1, 1, 2])
    assert model.unlabeled_weights_ == (0.0, *weights)
    prior = family_prior(["path"] * 4, PATH_DECAY**steps)
    assert_allclose(prior[1:] / prior[:-1], PATH_DECAY ** np.diff(steps))
    summed = average.losses * average.n_scored
    slopes = average.coef * model.calibration_.slope / average.weights
    prior *= np.exp(-TRUST * neg_log_prior(slopes))  # an unusual slope costs
    assert_allclose(average.weights, posterior_weights(summed, prior))
    assert average.held_out.shape == (15, 3)
    held_out = model.held_out_proba_
    is_held_out = np.isfinite(held_out).all(axis=1)
    assert is_held_out.any()
    assert_allclose(held_out[is_held_out].sum(axis=1), 1.0)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_average_combines_the_models_of_the_path(two, estimator):
    """Each of them is the model with this weight, reached through those before it."""
    X, _, y_partial = two
    options = {"kernel": Rbf(0.2), "solver": Smo(1e-8), "random_state": 0}
    if estimator is not UniversumSVC:
        options |= {"balance": {0: 0.5, 1: 0.5}, "n_annealing": 1}
    model = estimator(**options).fit(X, y_partial)
    first, second = (
        estimator(unlabeled_weight=weight, **options).fit(X, y_partial)
        for weight in (0.0, 0.1)
    )
    assert first.average_ is second.average_ is None
    coef = model.average_.coef
    assert_allclose(coef.sum(), 1.0)
    rest = model.decision_function(X) - coef[0] * first.decision_function(X)
    rest -= coef[1] * second.decision_function(X)
    assert np.abs(rest).max() > 0.01  # of the larger weights
    assert np.abs(rest).max() < 3.0 * (coef[2] + coef[3])


def test_probabilities(three):
    X, _, y_partial = three
    model = TransductiveSVC(random_state=0).fit(X, y_partial)
    proba = model.predict_proba(X)
    assert_allclose(proba.sum(axis=1), 1.0)
    assert_array_equal(model.classes_[proba.argmax(axis=1)], model.predict(X))
    fixed = TransductiveSVC(unlabeled_weight=0.3, random_state=0).fit(X, y_partial)
    assert fixed.average_ is None
    assert fixed.calibration_.slope != 3.0  # also from held-out labels


def test_one_label_of_each_class(three):
    X, y, _ = three
    y_partial = np.full(120, -1)
    first = [np.flatnonzero(y == k)[0] for k in range(3)]
    y_partial[first] = [0, 1, 2]
    model = TransductiveSVC(random_state=0).fit(X, y_partial)
    assert model.calibration_.slope == pytest.approx(CALIBRATION_CENTER)
    assert np.isnan(model.held_out_proba_).all()
    assert model.average_.n_held_out == 0


# Habits


def test_pandas_and_names(two):
    X, y, y_partial = two
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    names = pd.Series(np.array(["no", "yes"])[y]).where(y_partial >= 0)
    model = TransductiveSVC(random_state=0).fit(frame, names)
    assert model.classes_.tolist() == ["no", "yes"]
    assert model.feature_names_in_.tolist() == ["a", "b", "c"]
    assert set(model.predict(frame)) <= {"no", "yes"}
    assert_array_equal(model.transduction_[y_partial >= 0], names[y_partial >= 0])


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_same_seed_same_model(three, estimator):
    X, _, y_partial = three
    X, y_partial = X[:60], y_partial[:60]
    one, other = (
        estimator(random_state=3, landmarks=30).fit(X, y_partial) for _ in range(2)
    )
    assert_array_equal(one.decision_function(X), other.decision_function(X))
    again = estimator(random_state=3, landmarks=30)
    assert clone(one).get_params() == again.get_params()


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_parameters_of_values(two, estimator):
    """Shorthand, value and `set_params` mean the same."""
    X, _, y_partial = two
    model = estimator(random_state=0, kernel="rbf", solver="smo", unlabeled_weight=0.3)
    model.set_params(kernel__gamma=0.3, solver__tol=1e-4)
    assert (model.kernel, model.solver) == (Rbf(0.3), Smo(1e-4))
    other = clone(model).set_params(landmarks=Nystrom(20), solver="newton")
    assert other.fit(X, y_partial).function_.n_points == 20
    expected = model.fit(X, y_partial).decision_function(X)
    value = estimator(
        random_state=0, kernel=Rbf(0.3), solver=Smo(1e-4), unlabeled_weight=0.3
    )
    assert_array_equal(value.fit(X, y_partial).decision_function(X), expected)


def test_papers_method_is_a_value(two):
    X, _, y_partial = two
    options = {"unlabeled_weight": 0.5, "random_state": 0}
    named = TriClassSVC(method="paper", **options).fit(X, y_partial)
    value = TriClassSVC(method=Relaxed(), **options).fit(X, y_partial)
    assert_array_equal(value.decision_function(X), named.decision_function(X))
    other = TriClassSVC(method="paper", **options)
    other.set_params(method__restore=False, method__reach=4.0)
    assert other.method == Relaxed(restore=False, reach=4.0)
    scores = other.fit(X, y_partial).decision_function(X)
    assert np.abs(scores - named.decision_function(X)).max() > 0.01


def test_progress(two, capsys):
    X, _, y_partial = two
    TriClassSVC(unlabeled_weight=0.5, n_annealing=2, verbose=True).fit(X, y_partial)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "TriClassSVC: unlabeled weight 0.158114"
    assert "TriClassSVC: unlabeled weight 0.5" in lines
    assert lines[1].startswith("TriClassSVC: iteration 1: objective ")


def test_iteration_limit_is_told_once(three):
    X, _, y_partial = three
    model = TransductiveSVC(unlabeled_weight=3.0, max_iter=1, kernel=Rbf(0.3))
    with pytest.warns(ConvergenceWarning, match="raise max_iter") as told:
        model.fit(X, y_partial)
    assert len(told) == 1
    assert model.result_.status is Status.MAX_ITER


@dataclass(frozen=True)
class Interrupted(Smo):
    """A solver that a key press ends after some problems."""

    calls: list = field(default_factory=list, compare=False)
    n_before: int = 0

    def solve(self, *problem):
        result = super().solve(*problem)
        self.calls.append(1)
        if len(self.calls) <= self.n_before:
            return result
        return replace(result, status=Status.INTERRUPTED)


@pytest.mark.parametrize("n_before", [0, 1, 9, 17])
def test_interrupt_keeps_the_best_so_far(two, n_before):
    X, y, y_partial = two
    model = TransductiveSVC(random_state=0, solver=Interrupted(n_before=n_before))
    with (
        pytest.warns(ConvergenceWarning, match="interrupted"),
        pytest.raises(KeyboardInterrupt),
    ):
        model.fit(X, y_partial)
    assert model.score(X, y) > 0.5
    assert_array_equal(model.transduction_[y_partial >= 0], y[y_partial >= 0])


@pytest.mark.parametrize(
    ("estimator", "options", "message"),
    [
        (TriClassSVC, {"C": 0}, "C of TriClassSVC must be a number > 0, got 0"),
        (TriClassSVC, {"epsilon": 1.0}, "epsilon .* >= 0 and < 1, got 1.0"),
        (TriClassSVC, {"method": "exact"}, "method .* 'min', 'paper' or a TriClass"),
        (TriClassSVC, {"irrelevant_weight": -1}, "irrelevant_weight .* >= 0, got -1"),
        (TransductiveSVC, {"unlabeled_weight": -1}, "unlabeled_weight .* >= 0, got -1"),
        (TransductiveSVC, {"unlabeled_weight": "no"}, "'auto' or a number >= 0"),
        (TransductiveSVC, {"multi_class": "crammer"}, "'ovr', 'joint', got 'crammer'"),
        (TransductiveSVC, {"balance": "same"}, "'labeled', 'equal', None, a dict"),
        (TransductiveSVC, {"balance": {0: 0.5, 1: 0.6}}, "adding up to 1, got"),
        (TransductiveSVC, {"balance": {0: 0.5, 2: 0.5}}, r"classes \[0, 1\]"),
        (
            TransductiveSVC,
            {"solver": "simplex"},
            "'auto', 'smo', 'newton' or a HingeSolver value",
        ),
        (TransductiveSVC, {"landmarks": "few"}, "landmarks of TransductiveSVC must be"),
        (TransductiveSVC, {"kernel": "gauss"}, "kernel of TransductiveSVC must be one"),
        (
            TransductiveSVC,
            {"solver": "newton", "landmarks": None},
            "use kernel='linear' or set landmarks",
        ),
        (
            TransductiveSVC,
            {"solver": "smo", "landmarks": 5},
            "solver='newton', or landmarks=None",
        ),
        (UniversumSVC, {"max_iter": 0}, "max_iter of UniversumSVC must be a whole"),
    ],
)
def test_bad_parameters(two, estimator, options, message):
    X, _, y_partial = two
    with pytest.raises(ValueError, match=message):
        estimator(**options).fit(X, y_partial)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"reach": 0.5}, "reach of Relaxed must be a number >= 1"),
        ({"kappa": -1}, "kappa of Relaxed must be a number >= 0"),
        ({"restore": "no"}, "restore of Relaxed must be one of True, False"),
    ],
)
def test_bad_fields_of_the_papers_method(fields, message):
    with pytest.raises(ValueError, match=message):
        Relaxed(**fields)


# The task


IRRELEVANT = np.array([20, 21, 22])  # the rows known to be irrelevant


@pytest.fixture
def y(rng):
    """Thirty rows of three classes, half of them labeled."""
    y = np.arange(30) % 3
    y[rng.permutation(30)[:15]] = -1
    return y


@pytest.fixture
def weights(rng):
    return rng.uniform(0.5, 2.0, 30)


def make_task(loss, **options):
    path = WeightPath(loss, weights=(0.3, 2.0))
    return HingeTask("TriClassSVC", 2.5, (path,), True, 50, **options)


def make_sample(X, y, weights, *, pairwise=False, irrelevant_idx=IRRELEVANT):
    irrelevant = np.isin(np.arange(len(y)), irrelevant_idx)
    rows = (GramRows if pairwise else Rows)(X)
    return collect_sample(rows, y, weights, irrelevant).sorted()


def make_space(sample):
    X = sample.rows.X
    return GramSpace(rbf_kernel(X, gamma=0.5), Rbf(0.5), sample.rows)


@pytest.mark.parametrize("is_universum", [False, True])
def test_costs_add_up_to_a_multiple_of_the_labels(X, y, weights, is_universum):
    """In proportion to the weights, whichever rows they are."""
    sample = make_sample(X, y, weights)
    task = make_task(MinLoss(0.1), is_universum=is_universum)
    problem = task.problem(sample, make_space(sample), Smo())
    expected = sample.irrelevant_idx if is_universum else sample.unlabeled_idx
    assert_array_equal(problem.rows, expected)
    known = np.setdiff1d(np.arange(30), IRRELEVANT)
    label_cost = 2.5 * (y[known] >= 0).sum()  # their weights are one on average
    own = weights[sample.origin_idx[problem.rows]]
    for weight in (0.0, 0.3, 2.0):
        costs = task._costs(sample, problem.rows, weight)
        assert_allclose(costs, weight * label_cost * own / own.sum())


def test_space_is_centered_on_the_mean_of_the_unlabeled(X, y, weights):
    sample = make_sample(X, y, weights)
    space = make_space(sample)
    task = make_task(MinLoss(0.1), balance=Balance())
    problem = task.problem(sample, space, Smo())
    center = problem.space.center
    assert_allclose(center.sum(), 1.0)
    unlabeled = np.setdiff1d(np.flatnonzero(y < 0), IRRELEVANT)
    expected = np.average(X[unlabeled], axis=0, weights=weights[unlabeled])
    assert_allclose(center @ sample.rows.X, expected)
    assert_array_equal(center[sample.irrelevant_idx], 0.0)
    assert_allclose(problem.intercepts, 2.0 * sample.class_shares() - 1.0)
    free = make_task(MinLoss(0.1)).problem(sample, space, Smo())
    assert free.space is space
    assert free.intercepts == (None, None, None)


@pytest.mark.parametrize("names", [[0, 1, 2], [0, 1, 1]])
def test_given_losses_are_those_of_the_labels(X, y, weights, rng, names):
    """One column for two classes; irrelevant rows in every column."""
    y = np.where(y >= 0, np.array(names)[y], -1)
    sample = make_sample(X, y, weights)
    task = make_task(MinLoss(0.2), epsilon=0.2, irrelevant_weight=0.7)
    given = task.problem(sample, make_space(sample), Smo()).given
    classes = [0, 1, 2] if len(set(names)) == 3 else [1]
    known = np.setdiff1d(np.flatnonzero(y >= 0), IRRELEVANT)
    weights = weights / weights[known].mean()
    share = weights[IRRELEVANT] / weights[IRRELEVANT].sum()
    costs = 0.7 * 2.5 * weights[known].sum() * share
    assert len(given) == len(classes)
    for loss, name in zip(given, classes, strict=True):
        for f in rng.normal(size=(5, 30)):  # of the rows as they were given
            expected = 0.0
            for i in known:
                sign = 1.0 if y[i] == name else -1.0
                expected += 2.5 * weights[i] * max(0.0, 1.0 - sign * f[i])
            for i, cost in zip(IRRELEVANT, costs, strict=True):
                expected += cost * max(0.0, abs(f[i]) - 0.2)
            assert_allclose(loss.value(f[sample.origin_idx]), expected)


def test_given_losses_of_the_universum_are_those_of_the_labels_alone(X, y, weights):
    sample = make_sample(X, y, weights)
    task = make_task(EpsilonInsensitive(0.2), is_universum=True)
    for loss in task.problem(sample, make_space(sample), Smo()).given:
        assert_array_equal(np.sort(loss.rows), np.sort(sample.label_idx))
        assert_allclose(loss.costs.sum(), 2.5 * sample.label_weights.sum())


@pytest.mark.parametrize("pairwise", [False, True])
def test_order_of_the_rows_is_that_of_their_content(X, y, weights, rng, pairwise):
    """Shuffled rows make the same sample, irrelevant ones last."""
    order = rng.permutation(30)
    moved = np.flatnonzero(np.isin(order, IRRELEVANT))
    table = X @ X.T if pairwise else X
    shuffled = table[np.ix_(order, order)] if pairwise else X[order]
    one = make_sample(table, y, weights, pairwise=pairwise)
    two = make_sample(
        shuffled, y[order], weights[order], pairwise=pairwise, irrelevant_idx=moved
    )
    assert_array_equal(order[two.origin_idx], one.origin_idx)
    assert_array_equal(np.sort(one.origin_idx[-3:]), IRRELEVANT)
    for name in ("label_idx", "codes", "row_weights", "label_weights"):
        assert_allclose(getattr(two, name), getattr(one, name))


@pytest.mark.parametrize("is_averaged", [False, True])
def test_labels_are_held_out_from_the_models_that_score_them(X, weights, is_averaged):
    """The scores are those of a path that is fitted without the fold."""
    y = np.where(np.arange(30) < 16, np.arange(30) % 2, -1)
    y[15] = 2  # the only one of its class
    sample = make_sample(X, y, weights)
    space = make_space(sample)
    task = replace(make_task(MinLoss(0.1)), is_averaged=is_averaged)
    found = hold_out(task, sample, space, Smo(1e-8), np.random.default_rng(3))
    assert found.shape == (3 if is_averaged else 1, 16, 3)
    folds = sample.deal_folds(_after_drawing(sample, np.random.default_rng(3)))
    n_folds = 5 if is_averaged else 2
    assert_array_equal(
        np.isfinite(found).all(axis=(0, 2)), (folds >= 0) & (folds < n_folds)
    )
    held_out = folds == 1
    own = sample.without(held_out)
    problem = task.problem(own, space, Smo(1e-8))
    path = task.follow(problem, own)
    expected = np.array(path.scores)[-len(found) :, sample.label_idx[held_out]]
    assert_allclose(found[:, held_out], expected, atol=1e-4)


def _after_drawing(sample, rng):
    """The generator as it is after all rows were drawn for the held-out labels."""
    sample.draw_rows(1000, rng)
    rng.choice(sample.irrelevant_idx, len(sample.irrelevant_idx), replace=False)
    return rng


def test_counts_of_labels_follow_their_weights(two):
    """A label of hardly any weight has none in the average."""
    X, _, y_partial = two
    labeled = np.flatnonzero(y_partial >= 0)
    weights = np.ones(120)
    weights[labeled[:5]] = 1e-6
    model = TransductiveSVC(random_state=0).fit(X, y_partial, sample_weight=weights)
    expected = label_counts(weights[labeled]).sum()
    assert_allclose(model.average_.n_held_out, expected)
    assert_allclose(model.average_.n_held_out, 15.0, rtol=1e-3)


def test_tri_class_averages_several_losses(two, monkeypatch):
    """From one model of the labels: each other one is that of its own loss."""
    X, _, y_partial = two
    options = {"kernel": Rbf(0.2), "solver": Smo(1e-8), "random_state": 0}
    options |= {"balance": {0: 0.5, 1: 0.5}}
    weights = TriClassWeights((0.1,), (0.1,), (0.1,))
    monkeypatch.setattr(cccp, "TRI_CLASS_WEIGHTS", weights)
    model = TriClassSVC(**options).fit(X, y_partial)
    own = options | {"n_annealing": 1, "unlabeled_weight": 0.1}
    models = [
        TriClassSVC(**own | {"unlabeled_weight": 0.0}),
        TriClassSVC(method="min", **own),
        TransductiveSVC(**own),
        TriClassSVC(method=Relaxed(restore=False), **own),
    ]
    parts = np.array([m.fit(X, y_partial).decision_function(X) for m in models])
    for one, other in combinations(parts[1:], 2):
        assert np.abs(one - other).max() > 0.05  # else it shows nothing
    expected = model.average_.coef @ parts
    assert_allclose(model.decision_function(X), expected, atol=1e-6)
    chosen = TriClassSVC(**own).fit(X, y_partial)
    assert_array_equal(chosen.decision_function(X), parts[1])
