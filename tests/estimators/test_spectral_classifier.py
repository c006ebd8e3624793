import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.special import softmax
from sklearn.base import clone
from sklearn.datasets import load_digits, make_blobs
from sklearn.exceptions import NotFittedError
from sklearn.gaussian_process import GaussianProcessRegressor

import widemargin
from widemargin import SpectralClassifier, suggest_rows
from widemargin.averaging import (
    ClassShares,
    average_calibrated,
    family_prior,
    find_likely,
)
from widemargin.calibration import calibrate_models, neg_log_prior
from widemargin.datasets import hide_labels, make_two_moons
from widemargin.defaults import EXACT_NEIGHBORS, SPECTRUM_LEVELS
from widemargin.estimators import read_parameter
from widemargin.estimators._spectral import FAMILIES
from widemargin.graphs import KnnGraph, index_rows
from widemargin.graphs.cells import Cells
from widemargin.kernels import Linear, Rbf
from widemargin.rows import Rows
from widemargin.sample import collect_sample
from widemargin.solvers import active_learning, closed_form
from widemargin.solvers.closed_form import fit_covariances, fit_labels
from widemargin.spaces import Function, graph_spectrum
from widemargin.spaces.bases import label_grams, list_covariances, make_bases
from widemargin.spaces.function import NeighborFunction

every_family = pytest.mark.parametrize("families", [*FAMILIES, FAMILIES], ids=str)


@pytest.fixture
def digits():
    X, y = load_digits(return_X_y=True)
    return X[:200], y[:200]


@pytest.fixture
def untied(digits, rng):
    """Digits of which no two are at the same distance from a third."""
    return digits[0] + 1e-3 * rng.normal(size=digits[0].shape)


@pytest.fixture
def partial(digits):
    return hide_labels(digits[1], 30, rng=0)


@pytest.fixture
def drawn(digits):
    """Labels of random rows, which are not of equal numbers."""
    return hide_labels(digits[1], 30, rng=0, stratify=False)


@pytest.fixture
def model(digits, partial):
    return SpectralClassifier(random_state=0).fit(digits[0], partial)


@pytest.fixture
def sample(digits, partial):
    """As a fit reads it."""
    return collect_sample(Rows(digits[0]), partial, merge="all").sorted()


def bases_of(sample, families=FAMILIES, n_components=50):
    kernel, rng = Rbf(1e-3), np.random.default_rng(0)
    return make_bases(kernel, KnnGraph(), sample.rows, families, n_components, rng)


# What is averaged


def test_families_have_the_listed_covariances(sample):
    bases = bases_of(sample)
    counts = {name: 0 for name in FAMILIES}
    covariances = list_covariances(bases, FAMILIES)
    grams = label_grams(covariances, bases, sample.label_idx)
    every = label_grams(covariances, bases, np.arange(sample.n_rows))
    for covariance, gram, full in zip(covariances, grams, every, strict=True):
        counts[covariance.family] += 1
        assert_allclose(gram, gram.T, atol=1e-12)
        assert np.linalg.eigvalsh(gram).min() > -1e-9
        if covariance.family != "labels":
            assert_allclose(full.diagonal().mean(), 1.0)
    assert counts == {"labels": 5, "graph": 9, "spectrum": 8}


@pytest.mark.parametrize("kernel", ["rbf", "linear", "cosine", "poly"])
def test_a_kernel_of_labels_has_mean_variance_one(sample, kernel):
    model = SpectralClassifier(kernel=kernel)
    kernel = read_parameter(model, "kernel")
    rng = np.random.default_rng(0)
    bases = make_bases(kernel, KnnGraph(), sample.rows, ["labels"], 5, rng)
    gram = bases["kernel"].covariance(sample.label_idx)
    assert_allclose(gram.diagonal().mean(), 1.0)


@pytest.mark.parametrize("n_rows", [0, 80])
def test_function_is_the_average_of_gaussian_process_regressions(digits, drawn, n_rows):
    """Each by plain linear algebra over all rows, weighted by held-out labels.

    And by the class shares of some rows.
    """
    X, _ = digits
    sample = collect_sample(Rows(X), drawn, merge="all").sorted()
    bases = bases_of(sample)
    covariances = list_covariances(bases, FAMILIES)
    row_idx = sample.unlabeled_idx[:n_rows]
    names, average, calibration, found, constant = fit_covariances(
        covariances, bases, sample, row_idx=row_idx
    )
    idx, targets = sample.label_idx, sample.signs
    scores, held_out = [], []
    noises = (0.01, 0.1, 1.0, 10.0)
    grams = label_grams(covariances, bases, np.arange(sample.n_rows))
    for covariance, every in zip(covariances, grams, strict=True):
        if covariance.family == "labels":  # the diagonal is one anyway
            assert_allclose(every.diagonal(), 1.0)
        for noise in noises:
            for variance in (0.0, 1.0):
                gram = every + variance
                part = gram[np.ix_(idx, idx)]
                system = part + noise * np.eye(len(idx))
                scores.append(gram[:, idx] @ np.linalg.solve(system, targets))
                diagonal = np.diagonal(np.linalg.inv(system))[:, None]
                held_out.append(targets - np.linalg.solve(system, targets) / diagonal)
    held_out = np.array(held_out)
    held_out[:, ~sample.is_repeated] = np.nan
    families = np.repeat([c.family for c in covariances], 8)
    prior = family_prior(families)
    prior[families == "graph"] *= 1.0 + 8.0 * sample.scarcity
    codes, ones = sample.codes, np.ones(sample.n_labels)
    slopes, probabilities = calibrate_models(held_out, codes, ones)
    shares = None
    if n_rows:
        decided = np.array(scores)[:, row_idx].argmax(axis=2)
        counts = np.array([np.bincount(own, minlength=10) for own in decided])
        used = find_likely(probabilities, codes, ones)
        n_more = 5.0 * sample.evenness
        shares = ClassShares(sample.class_shares(), used, counts[used] / n_rows, n_more)
    expected, slope = average_calibrated(
        slopes, probabilities, codes, prior, ones, trust=1.0, shares=shares
    )
    assert len(names) == len(average.weights) == 176
    assert_allclose(average.weights, expected.weights, rtol=1e-6)
    assert_allclose(calibration.slope, slope.slope)
    total = constant + sum(bases[name].scores(idx, c) for name, c in found.items())
    # without those of negligible weight
    assert_allclose(total, np.tensordot(expected.coef, scores, axes=1), atol=0.02)
    used = np.where(expected.weights > 1e-4, expected.coef, 0.0)
    assert_allclose(
        total, np.tensordot(used / used.sum(), scores, axes=1), rtol=1e-6, atol=1e-8
    )


def test_one_model_is_that_of_scikit_learn(rng):
    """A single width, noise and no constant: Gaussian-process regression."""
    X, X_new = rng.normal(size=(12, 2)), rng.normal(size=(9, 2))
    y = np.array([0, 1] * 6)
    sample = collect_sample(Rows(X), y, merge="all")
    grid = widemargin.defaults.SPECTRAL_GRID._replace(
        widths=(1.0,), noises=(0.3,), constants=(0.0,)
    )
    bases = make_bases(Rbf(0.5), KnnGraph(), sample.rows, ["labels"], 5, rng, grid=grid)
    covariances = list_covariances(bases, ["labels"], grid=grid)
    assert len(covariances) == 1
    *_, found, constant = fit_covariances(covariances, bases, sample, grid=grid)
    function = bases["kernel"].to_function(sample.label_idx, found["kernel"])
    other = GaussianProcessRegressor(alpha=0.3, optimizer=None).fit(X, 2.0 * y - 1.0)
    assert_allclose(function(X_new)[:, 0] + constant, other.predict(X_new), atol=1e-8)


@every_family
def test_scores_are_the_sum_of_the_parts(digits, partial, families):
    X, _ = digits
    model = SpectralClassifier(families=families, random_state=0).fit(X, partial)
    function = model.function_
    scores = sum(part(X) for part in function.parts) + function.constant
    assert_allclose(model.decision_function(X), scores)
    expected = softmax(model.calibration_.slope * scores, axis=1)
    assert_allclose(model.predict_proba(X), expected)
    kinds = {type(part) for part in model.function_.parts}
    assert (NeighborFunction in kinds) == ("graph" in families)
    assert kinds <= {Function, NeighborFunction}


def test_weights_fall_with_the_loss_of_held_out_labels(digits, partial):
    """By Bayes' rule: nothing was tuned by the labels."""
    model = SpectralClassifier(families="labels").fit(digits[0], partial)
    average = model.average_
    slopes = average.coef * model.calibration_.slope / average.weights
    costs = average.n_scored[0] * average.losses + neg_log_prior(slopes)
    assert_allclose(average.weights, softmax(-costs), rtol=1e-6)


def test_a_name_for_each_model(model):
    assert len(model.names_) == len(model.average_.weights) == 176
    assert len(set(model.names_)) == 176
    assert "graph, power 2, share 0.9, noise 0.1, constant 1" in model.names_
    assert "kernel, width 0.25, noise 10, constant 0" in model.names_
    assert "linear, power 8, noise 1, constant 0" in model.names_


def test_a_family_that_is_listed_twice_counts_once(digits, partial, model):
    twice = SpectralClassifier(families=[*FAMILIES, "graph"], random_state=0)
    twice.fit(digits[0], partial)
    assert_array_equal(twice.predict_proba(digits[0]), model.predict_proba(digits[0]))


def test_twins_of_all_members_change_nothing(digits, drawn):
    """A family has one prior, however many members share it."""
    sample = collect_sample(Rows(digits[0]), drawn, merge="all").sorted()
    bases = bases_of(sample)
    covariances = list_covariances(bases, FAMILIES)
    spectrum = [c for c in covariances if c.family == "spectrum"]
    once, twice = (
        fit_covariances(listed, bases, sample, row_idx=sample.unlabeled_idx)
        for listed in (covariances, covariances + spectrum)
    )
    idx = sample.label_idx
    scores = [
        fit[4] + sum(bases[name].scores(idx, c) for name, c in fit[3].items())
        for fit in (once, twice)
    ]
    assert_allclose(scores[1], scores[0], atol=0.01)  # negligible ones are left out
    assert_allclose(twice[2].slope, once[2].slope)


@pytest.fixture
def single(digits):
    """One label of each class."""
    first = np.unique(digits[1], return_index=True)[1]
    return np.where(np.isin(np.arange(200), first), digits[1], -1)


def test_one_label_per_class_leaves_the_prior(digits, single, monkeypatch):
    """Nothing can be held out: the graph has nine times the weight of the others."""
    monkeypatch.setitem(fit_covariances.__kwdefaults__, "share_labels", 0.0)
    model = SpectralClassifier(random_state=0).fit(digits[0], single)
    is_graph = np.array([name.startswith("graph") for name in model.names_])
    assert_allclose(model.average_.weights[is_graph].sum(), 9 / 11)
    is_local = ["power 1" in name or "share 0.5" in name for name in model.names_]
    assert model.average_.weights[is_graph & is_local].sum() < 1e-5
    assert np.isnan(model.held_out_proba_).all()
    assert model.calibration_.slope == pytest.approx(3.0)
    assert np.mean(model.transduction_ == digits[1]) > 0.6


@pytest.mark.parametrize("families", ["labels", "graph", FAMILIES], ids=str)
def test_single_labels_leave_the_constant_to_the_rows(digits, single, families):
    """The scores of all rows have the mean of the targets, unless supervised."""
    model = SpectralClassifier(families=families, random_state=0)
    model.fit(digits[0], single)
    scores = model.geometry_.learn(model.geometry_.sample).scores
    is_mean = np.allclose(scores.mean(axis=0), -0.8)
    assert is_mean == (families != "labels")
    found = model.explain(digits[0], n=10)
    best = np.sort(model.decision_function(digits[0]), axis=1)
    assert_allclose(found.amounts.sum(axis=1), found.margins, atol=1e-8)
    assert_allclose(found.margins, 0.5 * (best[:, -1] - best[:, -2]), atol=1e-8)


def test_one_label_of_each_of_two_classes(rng):
    """The label of the wide class is far from most of its rows."""
    X = rng.normal(size=(400, 20)) * np.repeat([1.0, 2.0], 200)[:, None]
    y = np.repeat([0, 1], 200)
    right = []
    for draw in range(5):
        partial = hide_labels(y, 2, rng=draw)
        model = SpectralClassifier(random_state=0).fit(X, partial)
        right.append(np.mean(model.transduction_ == y))
    assert np.mean(right) > 0.8


def test_class_shares_are_evidence_if_all_labels_are_random(digits, drawn, monkeypatch):
    X, labeled = digits[0], drawn >= 0
    model = SpectralClassifier(random_state=0).fit(X, drawn)
    chosen = clone(model).fit(X, drawn, random_labels=np.zeros(200, dtype=bool))
    assert np.abs(model.average_.weights - chosen.average_.weights).max() > 1e-4
    model.update(drawn, random_labels=np.arange(200) != np.flatnonzero(labeled)[3])
    assert_same_fit(model, chosen, X)  # one of them was chosen
    # Unlabeled rows have no label that might have been chosen.
    model.update(drawn, random_labels=labeled)
    assert_same_fit(model, clone(model).fit(X, drawn), X)
    monkeypatch.setitem(fit_covariances.__kwdefaults__, "share_labels", 0.0)
    assert_same_fit(chosen, clone(model).fit(X, drawn), X)


def test_labels_class_by_class_are_no_evidence_of_shares(digits):
    X, y = digits
    rows = np.concatenate([np.flatnonzero(y == k)[:3] for k in range(10)])
    y = np.where(np.isin(np.arange(200), rows), y, -1)
    model = SpectralClassifier(random_state=0).fit(X, y)
    chosen = clone(model).fit(X, y, random_labels=np.zeros(200, dtype=bool))
    assert_same_fit(model, chosen, X)


def test_unlabeled_rows_are_drawn_once(digits, drawn, monkeypatch):
    """After new labels they are the same, less those that are labeled."""
    monkeypatch.setattr(closed_form, "SHARE_ROWS", 100)
    model = SpectralClassifier(random_state=0).fit(digits[0], drawn)
    geometry = model.geometry_
    before = geometry.draw_unlabeled(geometry.sample)
    assert len(before) < 100
    assert not geometry.sample.labeled[before].any()
    model.update(np.where(np.arange(200) < 50, digits[1], drawn))
    sample = model.geometry_.sample
    after = model.geometry_.draw_unlabeled(sample)
    assert_array_equal(after, before[~sample.labeled[before]])
    supervised = SpectralClassifier(families="labels").fit(digits[0], drawn).geometry_
    assert not len(supervised.draw_unlabeled(supervised.sample))


def test_a_mask_of_random_labels_is_one(digits, partial, model):
    mask = np.ones(3, dtype=bool)
    with pytest.raises(ValueError, match="random_labels of SpectralClassifier must be"):
        model.update(partial, random_labels=mask)
    with pytest.raises(ValueError, match="each of 200 rows"):
        model.fit(digits[0], partial, random_labels=mask)


def test_labels_alone_in_their_class_are_not_held_out(digits, partial):
    partial = np.where((partial == 3) & (np.cumsum(partial == 3) > 1), -1, partial)
    model = SpectralClassifier(random_state=0).fit(digits[0], partial)
    alone = partial[partial >= 0] == 3
    assert alone.sum() == 1
    assert np.isnan(model.held_out_proba_[alone]).all()
    assert np.isfinite(model.held_out_proba_[~alone]).all()


def test_unlabeled_rows_help_on_two_moons():
    X, y = make_two_moons(300, random_state=0)
    partial = hide_labels(y, 8, rng=0)
    errors = [
        1.0 - SpectralClassifier(families=f, random_state=0).fit(X, partial).score(X, y)
        for f in (FAMILIES, "labels")
    ]
    assert errors[0] < 0.5 * errors[1]


# Rows that were fitted, and new ones


@every_family
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_training_rows_are_predicted_as_they_were_labeled(
    digits, partial, families, dtype
):
    X = digits[0].astype(dtype)
    model = SpectralClassifier(families=families, random_state=0).fit(X, partial)
    hidden = partial < 0
    found = model.predict_proba(X)
    assert_allclose(found, model.label_distributions_, atol=1e-5)
    assert_array_equal(model.predict(X)[hidden], model.transduction_[hidden])
    assert_array_equal(model.transduction_[~hidden], partial[~hidden])
    assert_allclose(model.label_distributions_.sum(axis=1), 1.0)


def test_new_rows_are_close_to_their_neighbors(digits, partial):
    X, y = load_digits(return_X_y=True)
    model = SpectralClassifier(random_state=0).fit(digits[0], partial)
    assert model.score(X[200:600], y[200:600]) > 0.7


def test_rows_of_weight_zero_are_left_out_and_predicted(digits, partial):
    X, _ = digits
    weights = np.ones(200)
    weights[[5, *np.flatnonzero(partial >= 0)[:2]]] = 0.0
    kept = weights > 0
    model = SpectralClassifier(random_state=0).fit(X, partial, sample_weight=weights)
    alone = SpectralClassifier(random_state=0).fit(X[kept], partial[kept])
    assert_allclose(model.predict_proba(X), alone.predict_proba(X))
    assert np.isnan(model.label_distributions_[~kept]).all()
    assert_allclose(model.label_distributions_[kept], alone.label_distributions_)


# What changes nothing


@every_family
@pytest.mark.parametrize("stratify", [True, False])
def test_neither_order_of_rows_nor_names_matter(digits, families, rng, stratify):
    """Neither if class shares are evidence nor if they are not."""
    X, y = digits
    partial = hide_labels(y, 30, rng=0, stratify=stratify)
    order = rng.permutation(200)
    one = SpectralClassifier(families=families, random_state=0).fit(X, partial)
    other = clone(one).fit(X[order], partial[order])
    assert_allclose(other.predict_proba(X), one.predict_proba(X), atol=1e-9)
    assert_array_equal(other.transduction_, one.transduction_[order])
    names = np.array([*"qwertyuiop", None], dtype=object)
    named = clone(one).fit(X, names[partial])
    assert_array_equal(named.transduction_, names[one.transduction_])
    columns = np.argsort(names[:10])
    assert_allclose(named.predict_proba(X), one.predict_proba(X)[:, columns], atol=1e-9)


def test_two_classes_may_be_swapped():
    X, y = make_two_moons(80, random_state=0)
    partial = np.full(80, -1)
    for code, n in enumerate((7, 3)):  # class shares are evidence
        partial[np.flatnonzero(y == code)[:n]] = code
    one = SpectralClassifier(random_state=0).fit(X, partial)
    other = clone(one).fit(X, np.where(partial >= 0, 1 - partial, -1))
    assert_allclose(other.decision_function(X), -one.decision_function(X), atol=1e-9)
    assert one.decision_function(X).shape == (80,)


@every_family
@pytest.mark.parametrize("kind", [sparse.csr_matrix, sparse.csr_array])
def test_sparse_and_dense_agree(untied, partial, families, kind):
    X = untied * (untied > 0.01)
    dense = SpectralClassifier(kernel=Rbf(1e-3), families=families, random_state=0)
    other = clone(dense).fit(kind(X), partial)
    dense.fit(X, partial)
    expected = dense.predict_proba(X)
    for found in (other.predict_proba(kind(X)), other.predict_proba(X)):
        assert_allclose(found, expected, atol=1e-6)
    assert_allclose(dense.predict_proba(kind(X)), expected, atol=1e-6)


@every_family
def test_single_precision_is_close(untied, partial, families):
    X = untied
    one = SpectralClassifier(families=families, random_state=0).fit(X, partial)
    other = clone(one).fit(X.astype(np.float32), partial)
    found = other.predict_proba(X.astype(np.float32))
    assert_allclose(found, one.predict_proba(X), atol=1e-3)


@every_family
def test_weights_are_copies(digits, partial, families, rng):
    X, times = digits[0], rng.integers(1, 4, size=200)
    weighted = SpectralClassifier(families=families, random_state=0)
    weighted.fit(X, partial, sample_weight=times)
    copies = clone(weighted).fit(np.repeat(X, times, axis=0), np.repeat(partial, times))
    assert_allclose(copies.predict_proba(X), weighted.predict_proba(X), atol=1e-9)
    halved = clone(weighted).fit(X, partial, sample_weight=0.5 * times)
    assert_allclose(halved.predict_proba(X), weighted.predict_proba(X), atol=1e-9)


@pytest.mark.parametrize("scale", [1e-3, 1e3])
def test_scale_of_the_rows_does_not_matter(untied, partial, scale):
    X = untied
    for kernel in ("rbf", "linear"):
        one = SpectralClassifier(kernel=kernel, random_state=0).fit(X, partial)
        other = clone(one).fit(scale * X, partial)
        found = other.predict_proba(scale * X)
        assert_allclose(found, one.predict_proba(X), atol=1e-6)


@every_family
def test_constant_columns_do_not_matter(untied, partial, families):
    X = untied
    one = SpectralClassifier(kernel=Rbf(1e-3), families=families, random_state=0)
    other = clone(one).fit(np.column_stack([X, np.full(200, 1e3)]), partial)
    expected = one.fit(X, partial).label_distributions_
    assert_allclose(other.label_distributions_, expected, atol=1e-6)


def test_blocks_of_many_rows_share_landmarks(rng):
    """Also with more rows than landmarks."""
    X, y = make_blobs(620, centers=3, cluster_std=2.0, random_state=0)
    partial = hide_labels(y, 20, rng=0)
    model = SpectralClassifier(random_state=0).fit(X, partial)
    other = clone(model).fit([X[:100], X[100:350], X[350:]], partial)
    assert_allclose(other.predict_proba(X), model.predict_proba(X), atol=1e-6)
    assert max(part.n_points for part in model.function_.parts) == 620
    assert_array_equal(model.predict(X)[partial < 0], model.transduction_[partial < 0])


def test_labels_ignore_unlabeled_rows_but_for_the_width(digits, partial):
    X, labeled = digits[0], partial >= 0
    model = SpectralClassifier(kernel=Rbf(1e-3), families="labels").fit(X, partial)
    alone = clone(model).fit(X[labeled], partial[labeled])
    assert_allclose(model.decision_function(X), alone.decision_function(X))
    assert model.function_.n_points == 30
    by_rule = SpectralClassifier(families="labels").fit(X, partial)
    assert (
        by_rule.function_.parts[0].kernel
        != clone(by_rule).fit(X[labeled], partial[labeled]).function_.parts[0].kernel
    )


def test_kernel_without_a_width_is_taken_as_it_is(digits, partial):
    model = SpectralClassifier(kernel="linear", families="labels")
    model.fit(digits[0], partial)
    assert [part.kernel for part in model.function_.parts] == [Linear()]
    assert len(model.names_) == 8


# Other labels of the same rows


def assert_same_fit(one, other, X):
    assert_array_equal(one.classes_, other.classes_)
    assert_array_equal(one.transduction_, other.transduction_)
    for of in (
        lambda m: m.predict_proba(X),
        lambda m: m.label_distributions_,
        lambda m: m.held_out_proba_,
        lambda m: m.average_.weights,
        lambda m: m.average_.coef,
    ):
        assert_allclose(of(one), of(other), rtol=0, atol=1e-8)


@every_family
def test_update_is_a_new_fit(digits, partial, families):
    """After labels were added, changed and removed, with copies and weights."""
    X, y = digits
    X, y = np.vstack([X, X[:9]]), np.append(y, y[:9])
    model = SpectralClassifier(families=families, random_state=0)
    given = np.append(partial, np.full(9, -1))
    model.fit(X, given)
    free = np.flatnonzero(given < 0)
    weights = np.linspace(0.5, 2.0, len(y))
    for changed, label, sample_weight in (
        (free[:3], y[free[:3]], None),  # more labels
        (free[:1], -1, None),  # one less
        (np.flatnonzero(given == 3), -1, weights),  # one class less
        (free[-12:], 10, None),  # one class more, of copies
        ([0, 200], [1, 2], 3.0 * weights),  # two labels of one row
    ):
        given[changed] = label
        model.update(given, sample_weight)
        assert_same_fit(model, clone(model).fit(X, given, sample_weight), X)


def test_update_with_rows_of_weight_zero(digits, partial):
    X, y = digits
    weights = np.ones(200)
    weights[[5, *np.flatnonzero(partial >= 0)[:2]]] = 0.0
    model = SpectralClassifier(random_state=0).fit(X, partial, sample_weight=weights)
    more = partial.copy()
    more[:20] = y[:20]
    bases = model.geometry_.bases
    assert_same_fit(model.update(more, weights), clone(model).fit(X, more, weights), X)
    assert model.geometry_.bases is bases
    assert_same_fit(model.update(more), clone(model).fit(X, more), X)
    assert model.geometry_.bases is not bases  # there are more rows now


def test_update_of_many_labels_draws_the_same(digits, monkeypatch):
    X, y = digits
    monkeypatch.setattr(closed_form, "SPECTRAL_LABELS", 60)
    model = SpectralClassifier(random_state=0).fit(X, hide_labels(y, 20, rng=0))
    assert_same_fit(model.update(y), clone(model).fit(X, y), X)


def test_update_of_two_classes_and_blocks(rng):
    X, y = make_two_moons(80, random_state=0)
    given = hide_labels(y, 10, rng=0)
    model = SpectralClassifier(random_state=0).fit([X[:30], X[30:]], given)
    given[:5] = y[:5]
    assert_same_fit(
        model.update(given), SpectralClassifier(random_state=0).fit(X, given), X
    )


def test_update_computes_kernel_values_of_new_labels_only(digits, partial):
    X, compared = digits[0], []

    def counted(X, Z=None):
        compared.append(() if Z is None else (len(X), len(Z)))
        return Rbf(1e-3)(X, Z)

    model = SpectralClassifier(kernel=counted, families="labels").fit(X, partial)
    partial[np.flatnonzero(partial < 0)[0]] = 3
    compared.clear()
    model.update(partial)
    assert [pair for pair in compared if 200 in pair] == [(200, 1)]


def test_update_needs_a_fit(digits, partial, model, tmp_path):
    with pytest.raises(NotFittedError):
        SpectralClassifier().update(partial)
    with pytest.raises(ValueError, match="each of the 200 rows"):
        model.update(partial[1:])
    widemargin.save(model, tmp_path / "model.wm")
    with pytest.raises(ValueError, match=r"update .* needs the eigenvectors"):
        widemargin.load(tmp_path / "model.wm").update(partial)


# Suggestions, explanations, suspects


def test_suggestions_do_not_depend_on_order(digits, partial, rng):
    X, _ = digits
    partial[np.flatnonzero(partial >= 0)[:25]] = -1
    order = rng.permutation(200)
    one = SpectralClassifier(random_state=0).fit(X, partial)
    other = clone(one).fit(X[order], partial[order])
    found = one.suggest(17)
    assert len(set(found.rows)) == 17
    assert (partial[found.rows] < 0).all()
    assert_array_equal(order[other.suggest(17).rows], found.rows)
    assert_array_equal(np.flatnonzero(found.is_check), [9, 14])
    assert found.reason[0] == "middle of a cluster"
    assert found.reason[5] == "uncertain rows depend on it"
    assert found.reason[9] == "random check"
    again = suggest_rows(X, partial, n=17, random_state=0)
    assert_array_equal(again.rows, found.rows)


def test_suggestions_need_no_label(digits):
    X, y = digits
    first = suggest_rows(X, random_state=0)
    assert_array_equal(suggest_rows(X, random_state=0).rows, first.rows)
    assert len(set(y[first.rows])) > 5
    assert not first.is_check.any()
    given = np.full(200, -1)
    given[first.rows[0]] = 1  # labels of a single class
    more = suggest_rows(X, given, n=500, random_state=0)
    assert_array_equal(np.sort(more.rows), np.flatnonzero(given < 0))


@pytest.mark.parametrize("n_pool", [100, 20_000])
def test_first_rows_are_the_same_one_by_one(digits, n_pool, monkeypatch):
    """Also once two classes have labels, and with another number of rows."""
    monkeypatch.setattr(active_learning, "SUGGESTION_ROWS", n_pool)
    X, y = digits
    together, given = suggest_rows(X, random_state=0).rows, np.full(len(y), -1)
    model = SpectralClassifier(random_state=0)
    for n in range(5):
        if len(set(y[given >= 0])) < 2:
            found = suggest_rows(X, given, n=5 + n, random_state=0)
        else:
            found = model.fit(X, given).suggest(5 + n)
        assert found.rows[0] == together[n]
        given[together[n]] = y[together[n]]


def test_suggested_labels_beat_random_ones():
    X, y = load_digits(return_X_y=True)
    X, y = X[:600], y[:600]
    given = np.full(600, -1)
    rows = suggest_rows(X, random_state=0).rows
    given[rows] = y[rows]
    model = SpectralClassifier(random_state=0).fit(X, given)
    while (given >= 0).sum() < 40:
        rows = model.suggest(10).rows
        given[rows] = y[rows]
        model.update(given)
    chosen, errors = np.mean(model.transduction_ != y), []
    for draw in range(3):
        model.update(hide_labels(y, 40, rng=draw))
        errors.append(np.mean(model.transduction_ != y))
    assert chosen < min(errors)


def test_suggestions_need_eigenvectors(digits, partial):
    model = SpectralClassifier(families="labels").fit(digits[0], partial)
    with pytest.raises(ValueError, match="'graph' or 'spectrum' among the families"):
        model.suggest()
    with pytest.raises(ValueError, match="n of suggest must be a whole number"):
        model.suggest(0)


@every_family
def test_amounts_of_all_labels_add_up_to_the_margin(digits, partial, families, rng):
    """Also of new rows, of weighted labels and of copies."""
    X, given = np.vstack([digits[0], digits[0][:5]]), np.append(partial, partial[:5])
    model = SpectralClassifier(families=families, random_state=0)
    model.fit(X, given, sample_weight=rng.uniform(0.5, 2.0, 205))
    X_new = np.vstack([digits[0][:20], digits[0][:20] + rng.normal(size=(20, 64))])
    found, scores = model.explain(X_new, n=99), model.decision_function(X_new)
    best = np.sort(scores, axis=1)
    assert_allclose(found.margins, 0.5 * (best[:, -1] - best[:, -2]), atol=1e-8)
    assert_allclose(found.amounts.sum(axis=1), found.margins, atol=1e-8)
    assert_array_equal(found.predicted, model.predict(X_new))
    assert_array_equal(found.others, model.classes_[np.argsort(scores)[:, -2]])
    labels = given[found.rows]
    assert (labels >= 0).all()
    is_either = labels == found.predicted[:, None]
    is_either |= labels == found.others[:, None]
    assert (found.amounts[~is_either] == 0).all()
    few = model.explain(X_new, n=2)
    assert_array_equal(few.rows, found.rows[:, :2])
    assert few.frame()["amount"].tolist() == few.amounts.ravel().tolist()


@pytest.mark.parametrize(
    ("classes", "message"),
    [
        ([0], "one class for each of the 2 rows of X, got shape"),
        (0, "one class for each of the 2 rows"),
        ([0, 77], r"must be among \[0, 1, .*\], got .*77"),
    ],
)
def test_classes_to_explain_must_be_known(digits, partial, classes, message):
    model = SpectralClassifier(random_state=0).fit(digits[0], partial)
    with pytest.raises(ValueError, match=message):
        model.explain(digits[0][:2], classes=classes)
    own = model.explain(digits[0][:2], classes=[3, 4])
    assert own.predicted.tolist() == [3, 4]


def test_amounts_of_two_classes_add_up_to_the_score():
    X, y = make_two_moons(80, random_state=0)
    model = SpectralClassifier(random_state=0).fit(X, hide_labels(y, 10, rng=0))
    found, scores = model.explain(X, n=10), model.decision_function(X)
    assert_allclose(found.margins, np.abs(scores), atol=1e-8)
    assert_allclose(found.amounts.sum(axis=1), np.abs(scores), atol=1e-8)


def test_wrong_labels_are_suspected(digits, rng):
    X, y = digits
    rows = rng.choice(200, 60, replace=False)
    given, wrong = np.full(200, -1), rows[:4]
    given[rows] = y[rows]
    given[wrong] = (y[wrong] + 3) % 10
    found = SpectralClassifier(random_state=0).fit(X, given).suspect_labels()
    assert len(set(wrong) & set(found.rows[:9])) >= 3
    assert (given[found.rows] != found.suggested).all()
    assert (np.diff(found.probabilities) >= 0).all()
    assert list(found.frame()) == ["rows", "probabilities", "suggested"]


def test_a_model_from_a_file_says_what_it_lacks(digits, model, tmp_path):
    widemargin.save(model, tmp_path / "model.wm")
    loaded = widemargin.load(tmp_path / "model.wm")
    calls = loaded.suggest, loaded.suspect_labels, lambda: loaded.explain(digits[0])
    for call in calls:
        with pytest.raises(ValueError, match=r"needs the eigenvectors .* fit\(X, y\)"):
            call()


# Few rows, many labels


@every_family
@pytest.mark.parametrize(
    ("X", "y"),
    [
        ([[0.0], [1.0]], [0, 1]),
        ([[0.0], [1.0], [1.1]], [0, 1, -1]),
        ([[0.0], [1.0], [1.1]], [0, 1, 1]),
        ([[0.0, 5.0], [0.0, 6.0], [0.0, 9.0], [0.0, 9.5]], [0, -1, -1, 1]),
    ],
)
def test_very_few_rows(families, X, y):
    """Fewer than neighbors, components or anything else."""
    model = SpectralClassifier(families=families, random_state=0).fit(X, y)
    assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)
    y = np.array(y)
    assert_array_equal(model.transduction_[y >= 0], y[y >= 0])
    if families == "labels":
        assert_array_equal(model.predict(X)[y >= 0], y[y >= 0])


@every_family
def test_rows_that_are_all_copies(families):
    """One row with two labels: the one of more weight."""
    X, y = np.ones((5, 2)), [0, 1, 1, -1, -1]
    model = SpectralClassifier(families=families, random_state=0).fit(X, y)
    assert_array_equal(model.predict(X), 1)
    assert_array_equal(model.transduction_, [0, 1, 1, 1, 1])


@every_family
def test_a_row_with_two_labels(digits, partial, families):
    """Each stays as it was given, and the row is predicted by both."""
    X, first = digits[0], np.flatnonzero(partial >= 0)[0]
    wrong = (partial[first] + 1) % 10
    X, y = np.vstack([X, X[first]]), np.append(partial, wrong)
    model = SpectralClassifier(families=families, random_state=0).fit(X, y)
    assert model.transduction_[first] == partial[first]
    assert model.transduction_[-1] == wrong
    assert np.isfinite(model.held_out_proba_).all()
    assert_allclose(model.label_distributions_[first], model.label_distributions_[-1])


@every_family
def test_all_rows_may_be_labeled(digits, families):
    model = SpectralClassifier(families=families, random_state=0).fit(*digits)
    assert_array_equal(model.transduction_, digits[1])
    assert model.score(*digits) > 0.9
    assert model.held_out_proba_.shape == (200, 10)


def test_many_labels_are_thinned(digits, monkeypatch):
    """Of each class its share; the others are not held out, and stay as given."""
    X, y = digits
    monkeypatch.setattr(closed_form, "SPECTRAL_LABELS", 60)
    model = SpectralClassifier(random_state=0).fit(X, y)
    held_out = np.isfinite(model.held_out_proba_).all(axis=1)
    assert 50 <= held_out.sum() <= 70
    assert_array_equal(np.bincount(y[held_out]) > 1, True)
    assert_array_equal(model.transduction_, y)
    assert model.score(X, y) > 0.8
    assert min(part.n_points for part in model.function_.parts) <= 70


@pytest.mark.parametrize("n_components", [1, 3, 10_000])
def test_any_number_of_components(digits, partial, n_components):
    model = SpectralClassifier(n_components=n_components, random_state=0)
    model.fit(digits[0], partial)
    found = model.predict_proba(digits[0])
    assert_allclose(found, model.label_distributions_, atol=1e-8)
    assert model.score(*digits) > 0.5


def test_a_graph_of_more_neighbors_than_rows(digits, partial):
    labeled = partial >= 0
    X, y = digits[0][labeled], partial[labeled]
    few = SpectralClassifier(graph=KnnGraph(500), random_state=0).fit(X, y)
    assert np.isfinite(few.predict_proba(digits[0])).all()


def test_a_graph_in_many_parts():
    """More parts than the eigenvalue by which smoothness is measured."""
    centers = 100.0 * np.arange(40)[:, None]
    X = np.repeat(centers, 10, axis=0) + np.tile(np.linspace(0, 1, 10), 40)[:, None]
    y = np.full(400, -1)
    y[5::20], y[15::20] = 0, 1
    model = SpectralClassifier(random_state=0).fit(X, y)
    assert np.mean(model.transduction_ == np.arange(400) // 10 % 2) == 1.0


# Files and parameters


@every_family
def test_a_saved_model_predicts_the_same(digits, partial, families, tmp_path):
    X, _ = digits
    model = SpectralClassifier(families=families, random_state=0).fit(X, partial)
    widemargin.save(model, tmp_path / "model.wm")
    loaded = widemargin.load(tmp_path / "model.wm")
    assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
    assert loaded.names_ == model.names_
    assert loaded.get_params()["families"] == families


@pytest.mark.parametrize(
    ("parameter", "value", "message"),
    [
        ("kernel", "wide", "kernel of SpectralClassifier must be"),
        ("kernel", "precomputed", "kernel of SpectralClassifier must be one of rows"),
        ("graph", "ring", "graph of SpectralClassifier must be"),
        ("families", ("nonsense",), r"some of labels, graph, spectrum, got \('nons"),
        ("families", "all", "families of SpectralClassifier must be some of"),
        ("families", (), r"some of labels, graph, spectrum, got \(\)"),
        ("families", 3, "families of SpectralClassifier must be some of .* got 3"),
        ("families", None, "families of SpectralClassifier must be some of"),
        ("n_components", 0, "n_components of SpectralClassifier must be .* got 0"),
        ("n_components", 2.5, "n_components of SpectralClassifier must be"),
    ],
)
def test_bad_parameters_are_named(digits, partial, parameter, value, message):
    X = digits[0] @ digits[0].T if value == "precomputed" else digits[0]
    with pytest.raises(ValueError, match=message):
        SpectralClassifier(**{parameter: value}).fit(X, partial)


def test_a_kernel_that_is_no_covariance_is_refused(digits, partial):
    def strange(X, Z=None):
        return -Rbf(1e-3)(X, Z)

    with pytest.raises(ValueError, match="check a kernel function"):
        SpectralClassifier(kernel=strange, families="labels").fit(digits[0], partial)


def test_coefficients_are_those_of_the_closed_form(digits, partial):
    """The sum over one kernel is that of its fits, in their shares."""
    X, _ = digits
    labeled = partial >= 0
    model = SpectralClassifier(kernel=Linear(), families="labels").fit(X, partial)
    gram = X[labeled] @ X[labeled].T
    scale = gram.diagonal().mean()
    codes = np.unique(partial[labeled], return_inverse=True)[1]
    targets = 2.0 * np.eye(10)[codes] - 1.0
    fits = fit_labels(
        gram / scale, targets, np.ones(30), (0.01, 0.1, 1.0, 10.0), (0.0, 1.0)
    )
    used = np.where(model.average_.weights > 1e-4, model.average_.coef, 0.0)
    used /= used.sum()
    (part,) = model.function_.parts
    order = [np.flatnonzero((part.points == x).all(axis=1))[0] for x in X[labeled]]
    expected = np.tensordot(used, fits.coef, axes=1) / scale
    assert_allclose(part.coef[order], expected, rtol=1e-6, atol=1e-12)
    constant = used * fits.constants
    expected = np.tensordot(constant, fits.coef.sum(axis=1), axes=1)
    found = model.function_.constant
    assert_allclose(found, expected, rtol=1e-6, atol=1e-12)


def test_a_common_weight_of_all_labels_changes_nothing(digits, partial):
    """It would turn principal components into those of the labeled rows."""
    X, _ = digits
    plain = SpectralClassifier(random_state=0).fit(X, partial)
    weights = np.where(partial >= 0, 1e4, 1.0)
    weighted = clone(plain).fit(X, partial, sample_weight=weights)
    assert_allclose(weighted.label_distributions_, plain.label_distributions_)


def test_new_rows_use_as_many_neighbors_as_the_graph(digits, partial):
    model = SpectralClassifier(families="graph", graph=KnnGraph(n_neighbors=3))
    parts = model.fit(digits[0], partial).function_.parts
    assert [p.n_neighbors for p in parts if isinstance(p, NeighborFunction)] == [3]


@pytest.mark.parametrize(("dtype", "unit"), [(np.float32, 1e-22), (float, 1e-170)])
def test_units_so_small_that_squares_vanish_are_refused(digits, partial, dtype, unit):
    X = (digits[0] * unit).astype(dtype)
    with pytest.raises(ValueError, match="squares are too small for"):
        SpectralClassifier().fit(X, partial)


# Many rows


@pytest.fixture
def many(monkeypatch):
    """Limits for which 600 rows are many: of graph, neighbors and components."""
    exact = EXACT_NEIGHBORS._replace(rows=100)
    levels = SPECTRUM_LEVELS._replace(rows=100, coarsest_rows=60)
    monkeypatch.setitem(index_rows.__kwdefaults__, "limits", exact)
    monkeypatch.setitem(graph_spectrum.__kwdefaults__, "levels", levels)
    monkeypatch.setattr("widemargin.spaces.bases.COMPONENT_ROWS", 400)


def test_many_rows_are_classified_as_few_are(many, monkeypatch):
    X, y = load_digits(return_X_y=True)
    X, new, y, y_new = X[:1500], X[1500:], y[:1500], y[1500:]
    partial = hide_labels(y, 60, rng=0)
    model = SpectralClassifier(n_components=60, random_state=0).fit(X, partial)
    basis, rows = model.geometry_.bases["graph"], model.geometry_.sample.rows
    assert isinstance(rows.index(basis.kernel, 8), Cells)
    assert basis.spectrum.vectors.dtype == np.float32
    monkeypatch.undo()
    exact = SpectralClassifier(n_components=60, random_state=0).fit(X, partial)
    assert np.mean(model.transduction_ == exact.transduction_) > 0.97
    assert model.score(new, y_new) > exact.score(new, y_new) - 0.03


def test_components_of_a_part_of_the_rows_are_evaluated_on_all(many):
    X = load_digits().data[:600]
    model = SpectralClassifier(n_components=20, random_state=0)
    model.fit(X, hide_labels(load_digits().target[:600], 30, rng=0))
    sample = model.geometry_.sample
    for name in ("linear", "kernel components"):
        basis = model.geometry_.bases[name]
        coordinates = np.eye(basis.spectrum.vectors.shape[1])
        function = basis.to_function(None, coordinates)
        expected = function(sample.rows.X)
        assert_allclose(basis.spectrum.vectors, expected, rtol=1e-3, atol=1e-3)
        assert len(basis.space.features) == 400


def test_memory_limits_the_number_of_eigenvectors(monkeypatch):
    X, y = load_digits(return_X_y=True)
    monkeypatch.setattr("widemargin.spaces.bases.SPECTRUM_VALUES", 300 * 30)
    monkeypatch.setattr("widemargin.spaces.bases.LEAST_COMPONENTS", 10)
    model = SpectralClassifier(random_state=0)
    model.fit(X[:300], hide_labels(y[:300], 30, rng=0))
    assert model.geometry_.bases["graph"].spectrum.vectors.shape == (300, 30)


def test_suggestions_are_chosen_among_a_part_of_many_rows(monkeypatch):
    X, y = load_digits(return_X_y=True)
    partial = hide_labels(y, 30, rng=0)
    model = SpectralClassifier(random_state=0).fit(X, partial)
    monkeypatch.setattr(active_learning, "SUGGESTION_ROWS", 15)
    found = model.suggest(20).rows
    assert 15 / 2 <= len(found) == len(set(found)) <= 15
    assert (partial[found] == -1).all()


def test_rows_are_suggested_after_all_of_the_first_part_are_labeled(monkeypatch):
    """Otherwise nothing would be left to suggest."""
    monkeypatch.setattr(active_learning, "SUGGESTION_ROWS", 10)
    labeled = np.zeros(100, dtype=bool)
    for _ in range(9):
        pool = active_learning._draw_pool(labeled, np.random.default_rng(0))
        assert 5 <= np.sum(~labeled[pool]) <= 20
        assert np.isin(np.flatnonzero(labeled), pool).all()
        labeled[pool] = True
