"""What models that did not see a label say of it: `held_out_proba_`."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.special import logit
from sklearn.base import clone
from sklearn.datasets import make_blobs

from widemargin import (
    LabelSearchClassifier,
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
from widemargin.kernels import Rbf
from widemargin.labels import hide
from widemargin.solvers.hinge import Smo
from widemargin.solvers.laplacian import Pcg

# Those with a tolerance are so accurate that two fits differ by rounding only.
ESTIMATORS = [
    LabelSearchClassifier(random_state=0),
    LaplacianRLSC(random_state=0),
    LaplacianSVC(random_state=0),
    LowDensityClassifier(random_state=0),
    SpectralClassifier(random_state=0),
    SpectralClassifier(families="labels", random_state=0),
    TransductiveSVC(solver=Smo(1e-8), random_state=0),
    TriClassSVC(solver=Smo(1e-8), random_state=0),
    UniversumSVC(solver=Smo(1e-8), random_state=0),
]
BY_FOLDS = [m for m in ESTIMATORS if hasattr(m, "unlabeled_weight")]
HINGES = [m for m in BY_FOLDS if not isinstance(m, LabelSearchClassifier)]


def name_of(estimator):
    return type(estimator).__name__


every_estimator = pytest.mark.parametrize("estimator", ESTIMATORS, ids=name_of)


@pytest.fixture(params=[2, 3])
def problem(request):
    """Overlapping classes, two or three, 80 rows of two features, 16 labels."""
    X, y = make_blobs(
        80, centers=request.param, cluster_std=2.0, center_box=(-6, 6), random_state=1
    )
    return X, hide_labels(y, 16, rng=0)


@every_estimator
def test_one_row_of_probabilities_for_each_label(problem, estimator):
    X, y = problem
    known = clone(estimator).fit(X, y).held_out_proba_
    assert known.shape == (16, y.max() + 1)
    assert known.dtype == np.float64
    assert (known >= 0).all()
    assert_allclose(known.sum(axis=1), 1.0)
    assert np.mean(known.argmax(axis=1) == y[y >= 0]) > 0.5


@every_estimator
def test_only_labels_alone_in_their_class_are_unknown(problem, estimator):
    """Copies of a row are one label."""
    X, y = problem
    y = y.copy()
    alone = np.flatnonzero(y < 0)[:1]
    y[alone] = y.max() + 1
    labeled = np.flatnonzero(y >= 0)
    known = clone(estimator).fit(X, y).held_out_proba_
    assert_array_equal(np.isnan(known).any(axis=1), labeled == alone)
    assert_array_equal(np.isnan(known).all(axis=1), labeled == alone)
    X, y = np.vstack([X, X[alone]]), np.append(y, y[alone])
    known = clone(estimator).fit(X, y).held_out_proba_
    is_alone = np.append(labeled, len(y) - 1)
    is_alone = (is_alone == alone) | (is_alone == len(y) - 1)
    assert_array_equal(np.isnan(known).all(axis=1), is_alone)


@every_estimator
def test_nothing_is_known_of_one_label_in_each_class(problem, estimator):
    X, y = problem
    first = np.unique(y, return_index=True)[1][1:]
    y = np.where(np.isin(np.arange(len(y)), first), y, -1)
    known = clone(estimator).fit(X, y).held_out_proba_
    assert known.shape == (y.max() + 1, y.max() + 1)
    assert np.isnan(known).all()


@every_estimator
def test_copies_share_what_is_said_of_them(problem, estimator):
    X, y = problem
    copied = np.flatnonzero(y >= 0)[[0, 5, 5, 9]]
    X, y = np.vstack([X, X[copied]]), np.append(y, y[copied])
    known = clone(estimator).fit(X, y).held_out_proba_
    assert known.shape[0] == 20
    assert_array_equal(known[16:], known[[0, 5, 5, 9]])


@every_estimator
def test_order_of_rows_does_not_matter(problem, estimator, rng):
    X, y = problem
    order = rng.permutation(len(y))
    place = np.full(len(y), -1)
    place[y >= 0] = np.arange(16)
    expected = clone(estimator).fit(X, y).held_out_proba_[place[order][y[order] >= 0]]
    found = clone(estimator).fit(X[order], y[order]).held_out_proba_
    assert_allclose(found, expected, atol=1e-6)


@every_estimator
def test_names_of_classes_only_name_the_columns(problem, estimator):
    X, y = problem
    names = np.array(["c", "a", "b", None], dtype=object)
    model = clone(estimator).fit(X, names[y])
    columns = np.array([{"c": 0, "a": 1, "b": 2}[name] for name in model.classes_])
    expected = clone(estimator).fit(X, y).held_out_proba_[:, columns]
    assert_allclose(model.held_out_proba_, expected, atol=1e-6)


@every_estimator
def test_labels_of_weight_zero_have_no_row(problem, estimator):
    X, y = problem
    weights = np.ones(len(y))
    weights[np.flatnonzero(y >= 0)[[2, 7]]] = 0.0
    known = clone(estimator).fit(X, y, sample_weight=weights).held_out_proba_
    kept = weights > 0
    expected = clone(estimator).fit(X[kept], y[kept]).held_out_proba_
    assert known.shape[0] == 14
    assert_allclose(known, expected, atol=1e-6)


@every_estimator
def test_everything_labeled(problem, estimator):
    X, y = problem
    X, y = X[y >= 0], y[y >= 0]
    known = clone(estimator).fit(X, y).held_out_proba_
    assert known.shape == (16, y.max() + 1)
    assert_allclose(known.sum(axis=1), 1.0)


@every_estimator
def test_sparse_rows(problem, estimator):
    X, y = problem
    estimator = clone(estimator).set_params(kernel__gamma=0.1)
    expected = clone(estimator).fit(X, y).held_out_proba_
    found = clone(estimator).fit(sparse.csr_array(X), y)
    assert_allclose(found.held_out_proba_, expected, atol=1e-5)


@every_estimator
def test_a_refit_says_it_of_the_new_labels(problem, estimator):
    X, y = problem
    model = clone(estimator).fit(X, y)
    fewer = y.copy()
    fewer[np.flatnonzero(y >= 0)[:4]] = -1
    assert model.fit(X, fewer).held_out_proba_.shape[0] == 12


# Refitting without the label


@pytest.mark.parametrize("intrinsic_reg", [0.0, 0.02])
def test_square_loss_is_that_of_refitting(problem, intrinsic_reg):
    """The loss is a mean over labels: one less, and the penalties are to grow."""
    X, y = problem
    model = LaplacianRLSC(ambient_reg=0.01, intrinsic_reg=intrinsic_reg).fit(X, y)
    other = LaplacianRLSC(ambient_reg=0.16 / 15, intrinsic_reg=16 / 15 * intrinsic_reg)
    scores = np.array([scores_without(other, X, y, i) for i in np.flatnonzero(y >= 0)])
    known = model.held_out_proba_
    if y.max() == 1:
        assert_allclose(
            logit(known[:, 1]), model.calibration_.slope * scores, rtol=1e-6
        )
    else:
        expected = model.calibration_.slope * (scores - scores[:, :1])
        assert_allclose(np.log(known / known[:, :1]), expected, rtol=1e-6, atol=1e-9)


def test_hinge_loss_decides_like_refitting(problem):
    X, y = problem
    kernel = Rbf(1 / X.size * len(X) / X.var())  # with which no score is near zero
    model = LaplacianSVC(kernel=kernel, ambient_reg=0.01, intrinsic_reg=0).fit(X, y)
    other = LaplacianSVC(kernel=kernel, ambient_reg=0.16 / 15, intrinsic_reg=0)
    scores = np.array([scores_without(other, X, y, i) for i in np.flatnonzero(y >= 0)])
    decided = scores > 0 if y.max() == 1 else scores.argmax(axis=1)
    assert_array_equal(model.held_out_proba_.argmax(axis=1), decided)


def scores_without(estimator, X, y, i):
    """Scores of row i by the estimator fitted without its label; the row stays."""
    estimator.fit(X, hide(y, np.arange(len(y)) == i))
    return estimator.decision_function(X[[i]])[0]


# Where not every label can be held out


@pytest.mark.parametrize("estimator", HINGES, ids=name_of)
def test_a_fixed_weight_holds_out_two_of_five_folds(problem, estimator):
    X, y = problem
    model = clone(estimator).set_params(unlabeled_weight=0.3).fit(X, y)
    known = model.held_out_proba_
    is_held_out = np.isfinite(known).all(axis=1)
    assert 6 <= is_held_out.sum() <= 8
    assert np.isnan(known[~is_held_out]).all()
    assert_allclose(known[is_held_out].sum(axis=1), 1.0)


def test_a_search_with_a_fixed_weight_holds_out_none(problem):
    X, y = problem
    model = LabelSearchClassifier(random_state=0).fit(X, y)
    assert model.held_out_proba_ is not None
    assert model.set_params(unlabeled_weight=1.0).fit(X, y).held_out_proba_ is None


@pytest.mark.parametrize("estimator", [SelfLabelingGPC, SelfLabelingSVC])
def test_estimators_that_label_themselves_hold_none_out(problem, estimator):
    assert estimator(random_state=0).fit(*problem).held_out_proba_ is None


def test_labels_held_out_for_early_stopping_are_unknown(problem):
    X, y = problem
    solver = Pcg(early_stopping="validation")
    model = LaplacianSVC(solver=solver, random_state=0)
    known = model.fit(X, y).held_out_proba_
    assert known.shape[0] == 16
    n_held_out = model.average_.n_held_out
    assert 0 < np.isfinite(known).all(axis=1).sum() <= n_held_out < 16


@pytest.mark.parametrize("estimator", [TriClassSVC, UniversumSVC])
def test_rows_known_to_be_irrelevant_have_no_row(problem, estimator):
    X, y = problem
    y = y.copy()
    y[np.flatnonzero(y < 0)[:5]] = 7
    model = estimator(irrelevant_label=7, random_state=0).fit(X, y)
    assert model.held_out_proba_.shape == (16, y[y < 7].max() + 1)
    assert_allclose(model.held_out_proba_.sum(axis=1), 1.0)


@pytest.mark.parametrize(
    "estimator", [LaplacianSVC, SpectralClassifier, TransductiveSVC]
)
def test_one_row_with_two_labels(problem, estimator):
    """Each of them is held out; the probabilities may differ."""
    X, y = problem
    first = np.flatnonzero(y >= 0)[0]
    X, y = np.vstack([X, X[first]]), np.append(y, (y[first] + 1) % (y.max() + 1))
    known = estimator(random_state=0).fit(X, y).held_out_proba_
    assert known.shape[0] == 17
    assert np.isfinite(known).all()
