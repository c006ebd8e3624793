import warnings
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_digits, make_blobs
from sklearn.ensemble import RandomForestClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.semi_supervised import LabelSpreading, SelfTrainingClassifier
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import widemargin
from widemargin import (
    FewLabelClassifier,
    LaplacianSVC,
    SelfLabelingGPC,
    SpectralClassifier,
    TransductiveSVC,
)
from widemargin.averaging import Average, average_models, family_prior
from widemargin.checks import DataWarning
from widemargin.datasets import hide_labels, make_two_moons
from widemargin.defaults import GATHERED_ROWS
from widemargin.estimators import (
    _candidates,
    few_label_classifier,
    few_label_report,
)
from widemargin.kernels import ArdRbf, Rbf
from widemargin.parameters import Budget
from widemargin.rows import Rows
from widemargin.sample import collect_sample

QUICK = ["laplacian", "transductive"]


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X[:200], y[:200]


@pytest.fixture(scope="module")
def partial(digits):
    return hide_labels(digits[1], 40, rng=0)


@pytest.fixture(scope="module")
def model(digits, partial):
    return FewLabelClassifier(QUICK, random_state=0).fit(digits[0], partial)


def test_probabilities_are_the_weighted_mean(model, digits):
    X = digits[0]
    mean = sum(
        weight * candidate.predict_proba(X)
        for weight, candidate in zip(model.weights_, model.models_, strict=True)
    )
    assert_allclose(model.predict_proba(X), mean, atol=2e-3)
    assert_allclose(model.predict_proba(X).sum(axis=1), 1)
    assert_array_equal(model.predict(X), model.classes_[mean.argmax(axis=1)])


def test_weights_come_from_held_out_labels(model, partial):
    held_out = np.array([m.held_out_proba_ for m in model.models_])
    codes = np.searchsorted(model.classes_, partial[partial >= 0])
    found = average_models(held_out, codes, family_prior(model.names_))
    assert_allclose(model.weights_, found.weights)
    assert_allclose(model.held_out_proba_, found.held_out)


def test_given_labels_stay_and_others_are_predicted(model, digits, partial):
    given = partial >= 0
    assert_array_equal(model.transduction_[given], partial[given])
    predicted = model.predict(digits[0])
    assert_array_equal(model.transduction_[~given], predicted[~given])


def test_decision_function_orders_like_the_probabilities(model, digits):
    scores = model.decision_function(digits[0])
    assert_array_equal(scores.argmax(axis=1), model.predict_proba(digits[0]).argmax(1))
    X, y = make_two_moons(60, random_state=0)
    two = FewLabelClassifier(QUICK, random_state=0).fit(X, hide_labels(y, 10, rng=0))
    odds = two.predict_proba(X)
    assert_allclose(two.decision_function(X), np.log(odds[:, 1] / odds[:, 0]))


ALONE = ["spectral", "transductive", "laplacian", "self_labeling", "label_search"]


def test_candidates_are_what_they_are_alone(digits, partial):
    """What they share, the Gram matrix and the graph, changes none of them."""
    X, partial = digits[0][:100], partial[:100]
    model = FewLabelClassifier(ALONE, random_state=0).fit(X, partial)
    coded = np.where(partial >= 0, np.searchsorted(model.classes_, partial), -1)
    for candidate in model.models_[1:]:
        alone = clone(candidate).fit(X, coded)
        found, expected = (m.predict_proba(X) for m in (candidate, alone))
        assert_allclose(found, expected, rtol=1e-9)
        assert_array_equal(candidate.transduction_, alone.transduction_)


@dataclass(frozen=True)
class CountedRbf(Rbf):
    """A kernel that counts the Gram matrices of more than 100 rows."""

    sizes = []

    def __call__(self, X, Z=None):
        if Z is None and X.shape[0] > 100:
            self.sizes.append(X.shape[0])
        return super().__call__(X, Z)


def test_candidates_and_folds_share_a_gram_matrix(digits, partial):
    """Those on the same rows with the same width, and the folds of one of them."""
    CountedRbf.sizes.clear()
    kernel = CountedRbf(1e-3)
    own = {
        "laplacian": LaplacianSVC(kernel=kernel),
        "transductive": TransductiveSVC(kernel=kernel),
        "process": SelfLabelingGPC(kernel=kernel),
    }
    budget = Budget(5, spectral_rows=200, n_rows=200, fold_rows=150)
    FewLabelClassifier(own, budget=budget, random_state=0).fit(digits[0], partial)
    assert CountedRbf.sizes == [200, 150]


@pytest.mark.slow
def test_result_does_not_depend_on_n_jobs(digits, partial, model):
    other = FewLabelClassifier(QUICK, n_jobs=2, random_state=0).fit(digits[0], partial)
    assert_array_equal(other.weights_, model.weights_)
    assert_array_equal(other.predict_proba(digits[0]), model.predict_proba(digits[0]))
    assert_array_equal(other.report_.label_next, model.report_.label_next)


def test_class_names_only_rename(digits, partial, model):
    """Also if they are sorted in another order."""
    names = np.array(list("qwertyuiop"), dtype=object)
    named = np.where(partial >= 0, names[partial], None)
    other = FewLabelClassifier(QUICK, random_state=0).fit(digits[0], named)
    assert_allclose(other.weights_, model.weights_, rtol=0.05)
    assert np.mean(other.transduction_ == names[model.transduction_]) > 0.98


def test_order_of_rows_does_not_matter(digits, partial, rng):
    X = digits[0] + 1e-3 * rng.normal(size=digits[0].shape)  # no ties of neighbors
    order = rng.permutation(200)
    names = ["spectral", "transductive"]
    one = FewLabelClassifier(names, random_state=0).fit(X, partial)
    other = FewLabelClassifier(names, random_state=0).fit(X[order], partial[order])
    assert_allclose(other.weights_, one.weights_, rtol=1e-6)
    assert_array_equal(other.transduction_, one.transduction_[order])
    assert_array_equal(order[other.report_.label_next], one.report_.label_next)


def test_sparse_rows(digits, partial, model):
    X = sparse.csr_matrix(digits[0])
    other = FewLabelClassifier(QUICK, random_state=0).fit(X, partial)
    assert np.mean(other.transduction_ == model.transduction_) > 0.95
    assert_array_equal(other.predict(X), other.predict(digits[0]))


@pytest.mark.slow
def test_all_families_of_each_budget():
    """Names in the order of the budgets, the supervised model first."""
    X, y = make_blobs(90, centers=3, random_state=0)
    y = hide_labels(y, 12, rng=0)
    sizes = {"fast": 3, "balanced": 7, "thorough": 8}
    for budget, size in sizes.items():
        model = FewLabelClassifier(budget=budget, random_state=0).fit(X, y)
        assert model.names_ == ["supervised", *_candidates.NAMES[: size - 1]]
        assert len(model.report_.candidates) == size


def test_large_samples_are_thinned_to_all_labels_and_some_others(digits, partial):
    budget = Budget(5, spectral_rows=90, n_rows=60)
    names = ["spectral", "transductive"]
    model = FewLabelClassifier(names, budget=budget, random_state=0)
    model.fit(digits[0], partial)
    n_rows = [candidate.n_rows for candidate in model.report_.candidates]
    assert n_rows == [40, 90, 60]
    assert len(model.transduction_) == 200


def test_many_labels_are_half_of_the_rows(digits, partial):
    """Of each class its share; the others were not held out by this candidate."""
    budget = Budget(5, spectral_rows=90, n_rows=40)
    model = FewLabelClassifier(["transductive"], budget=budget, random_state=0)
    model.fit(digits[0], partial)
    assert model.report_.candidates[1].n_rows == 40
    assert len(model.models_[1].held_out_proba_) == 20
    assert model.report_.n_held_out == 40
    few, all_of_them = (c.error_std for c in model.report_.candidates[::-1])
    assert few > all_of_them


def test_blocks_do_not_matter(digits, partial, model):
    """Many rows are predicted in blocks, the last ones by used candidates only."""
    sample = collect_sample(Rows(digits[0]), partial, merge="none")
    draw = _candidates.draw_candidates(
        sample, np.random.default_rng(0), is_weighted=False
    )
    weights = model._used_weights()
    whole = _candidates.infer(model.models_, weights, draw, 20)
    parts = _candidates.infer(
        model.models_, weights, draw, 20, buffer_bytes=7 * 3 * 10 * 8
    )
    assert_array_equal(parts.codes, whole.codes)
    assert_allclose(parts.certainty, whole.certainty)


def test_own_candidates(digits, partial):
    """Whatever takes partly labeled targets; held-out labels by fitting anew."""
    tree = DecisionTreeClassifier(random_state=0)
    own = {
        "spreading": LabelSpreading(kernel="knn"),
        "tree": SelfTrainingClassifier(tree),
    }
    model = FewLabelClassifier(own, random_state=0).fit(digits[0], partial)
    assert model.names_ == ["supervised", "spreading", "tree"]
    assert np.isfinite([c.error for c in model.report_.candidates]).all()
    assert_allclose(model.weights_.sum(), 1)


def test_held_out_labels_of_own_candidates_are_not_seen(digits, rng):
    """A classifier that knows labels by heart is no better than chance at noise."""
    partial = hide_labels(rng.integers(2, size=200), 60, rng=0)
    own = {"memory": SelfTrainingClassifier(KNeighborsClassifier(1))}
    model = FewLabelClassifier(own, random_state=0).fit(digits[0], partial)
    assert 0.3 < model.report_.candidates[1].error < 0.7


def test_candidate_that_learns_the_marker_is_refused(digits, partial):
    own = {"forest": RandomForestClassifier(5)}
    with pytest.raises(ValueError, match=r"candidate 'forest' .*SelfTrainingClass"):
        FewLabelClassifier(own).fit(digits[0], partial)


def test_candidate_without_finite_probabilities_is_refused(digits, partial):
    own = {"lost": LabelSpreading(kernel="rbf", gamma=1e3)}
    with pytest.raises(ValueError, match=r"candidate 'lost' .* not finite"):
        FewLabelClassifier(own).fit(digits[0], partial)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"candidates": "all"}, "candidates of FewLabelClassifier must be 'auto' or"),
        ({"candidates": ["graph"]}, r"list of some of .* got \['graph'\]"),
        ({"candidates": ["laplacian", "laplacian"]}, "each once, got"),
        ({"candidates": {"svm": LinearSVC()}}, "with predict_proba .* 'svm'"),
        ({"candidates": {"supervised": LaplacianSVC()}}, "other than 'supervised'"),
        ({"budget": "large"}, "budget of FewLabelClassifier must be one of 'fast'"),
        ({"n_jobs": 0}, "n_jobs of FewLabelClassifier must be None, a number"),
    ],
)
def test_bad_parameters_are_named(digits, partial, parameters, message):
    with pytest.raises(ValueError, match=message):
        FewLabelClassifier(**parameters).fit(digits[0], partial)


def test_error_of_a_candidate_names_it(digits, partial):
    own = {"broken": LaplacianSVC(ambient_reg=-1.0)}
    with pytest.raises(ValueError, match="ambient_reg of LaplacianSVC") as caught:
        FewLabelClassifier(own).fit(digits[0], partial)
    assert caught.value.__notes__ == ["(candidate 'broken' of FewLabelClassifier)"]


def test_huge_values_are_refused(digits, partial):
    X = digits[0].astype(np.float32) * np.float32(1e19)
    for model in (FewLabelClassifier(), SpectralClassifier()):
        with pytest.raises(ValueError, match=f"X of {type(model).__name__} holds"):
            model.fit(X, partial)


@pytest.mark.slow
def test_seeds_reach_nested_estimators(digits, partial):
    """Whatever is random and has no seed of its own."""
    forest = SelfTrainingClassifier(RandomForestClassifier(5))
    own = {"forest": make_pipeline(StandardScaler(), forest)}
    models = [
        FewLabelClassifier(own, random_state=0).fit(digits[0], partial)
        for _ in range(2)
    ]
    one, other = (model.predict_proba(digits[0]) for model in models)
    assert_array_equal(one, other)
    own = {
        "spreading": SelfTrainingClassifier(RandomForestClassifier(5, random_state=3))
    }
    model = FewLabelClassifier(own, random_state=0).fit(digits[0], partial)
    assert model.models_[1].get_params()["estimator__random_state"] == 3


@pytest.mark.parametrize("candidates", [[], {}])
def test_no_other_candidates(digits, partial, candidates):
    """There is then no model that rows to label could be chosen by."""
    model = FewLabelClassifier(candidates, random_state=0).fit(digits[0], partial)
    assert model.names_ == ["supervised"]
    assert "all rows are labeled" not in str(model.report_)
    assert "label next" not in str(model.report_)
    for ask in (model.suggest, lambda: model.explain(digits[0])):
        with pytest.raises(ValueError, match="needs the candidate 'spectral'"):
            ask()


def test_all_labeled_is_the_supervised_machine(digits):
    model = FewLabelClassifier(random_state=0).fit(*digits)
    assert model.names_ == ["supervised"]
    assert "all 200 rows are labeled" in str(model.report_)
    assert len(model.report_.label_next) == 0


def test_one_label_a_class_leaves_the_prior(digits):
    X, y = digits
    first = np.unique(y, return_index=True)[1]
    partial = np.full(200, -1)
    partial[first] = y[first]
    model = FewLabelClassifier(QUICK, random_state=0).fit(X, partial)
    assert_allclose(model.weights_, 1 / 3)
    assert "no class has two labels" in str(model.report_)
    assert "unknown" in str(model.report_)


def test_prior_of_the_spectral_model_fades_with_labels(digits, partial):
    """The supervised model is part of it, and serves for comparison only."""
    X, y = digits
    names = ["spectral", "transductive"]
    listed = _candidates.list_candidates(names, _candidates.BUDGETS["fast"])
    first = np.isin(np.arange(200), np.unique(y, return_index=True)[1])
    ratios = []
    for targets in (np.where(first, y, -1), partial, y):
        sample = collect_sample(Rows(X), targets, merge="none")
        prior = _candidates.prior_weights(listed, sample)
        assert_allclose(prior.sum(), 1.0)
        assert prior[0] < 1e-11
        assert_allclose(prior[1] / prior[2], 1.0 + 8.0 * sample.scarcity)
        ratios.append(prior[1] / prior[2])
    assert ratios[0] == pytest.approx(9.0)
    assert 9.0 > ratios[1] > ratios[2] > 1.0
    for candidates in (["laplacian"], {"spectral": LaplacianSVC()}):  # a user's own
        others = _candidates.list_candidates(candidates, _candidates.BUDGETS["fast"])
        assert_allclose(_candidates.prior_weights(others, sample), 0.5)


def test_a_copy_of_a_candidate_changes_nothing(digits, partial):
    """Neither its prior nor its random numbers depend on how often it is listed."""
    X, y_partial = digits[0][:100], partial[:100]
    own = {"a": LaplacianSVC(), "b": TransductiveSVC()}
    first = FewLabelClassifier(own, random_state=0).fit(X, y_partial)
    copied = own | {"c": TransductiveSVC(), "d": LaplacianSVC(), "e": LaplacianSVC()}
    second = FewLabelClassifier(copied, random_state=0).fit(X, y_partial)
    assert_allclose(first.predict_proba(X), second.predict_proba(X), atol=1e-9)
    together = second.weights_[1] + second.weights_[4:].sum()
    assert_allclose(together, first.weights_[1], atol=1e-12)


def test_pipelines_have_the_prior_of_their_last_step(digits, partial):
    sample = collect_sample(Rows(digits[0]), partial, merge="none")
    own = {
        "a": make_pipeline(StandardScaler(), LaplacianSVC()),
        "b": make_pipeline(StandardScaler(), TransductiveSVC()),
        "c": make_pipeline(StandardScaler(), make_pipeline(TransductiveSVC())),
    }
    listed = _candidates.list_candidates(own, _candidates.BUDGETS["fast"])
    prior = _candidates.prior_weights(listed, sample)
    assert_allclose(prior, [1 / 3, 1 / 3, 1 / 6, 1 / 6])


def test_few_labels_without_a_mistake_get_no_verdict(rng):
    """Neither that predictions are useless, nor that unlabeled rows do not help."""
    X = np.r_[rng.normal(size=(60, 2)), rng.normal(size=(60, 2)) + 8.0]
    y = np.full(120, -1)
    y[[0, 1, 70]] = 0, 0, 1
    report = FewLabelClassifier(random_state=0).fit(X, y).report_
    assert report.helps is None
    assert not any("hardly better" in message for message in report.messages)


def test_copies_of_labels_do_not_change_the_prior(digits, partial):
    X, labeled = digits[0], np.flatnonzero(partial >= 0)
    rows = np.concatenate([np.arange(200), labeled, labeled])
    found, expected = (
        collect_sample(Rows(X[idx]), partial[idx], merge="none").scarcity
        for idx in (rows, np.arange(200))
    )
    assert found == expected


def test_one_label_per_class_favors_the_spectral_model(digits):
    X, y = digits
    first = np.isin(np.arange(200), np.unique(y, return_index=True)[1])
    names = ["spectral", "transductive"]
    model = FewLabelClassifier(names, random_state=0).fit(X, np.where(first, y, -1))
    assert_allclose(model.weights_, [0.0, 0.9, 0.1], atol=1e-9)


def test_spectral_candidate_is_averaged_by_its_held_out_labels(digits, partial):
    X, hidden = digits[0], partial < 0
    names = ["spectral", "transductive"]
    model = FewLabelClassifier(names, random_state=0).fit(X, partial)
    sample = collect_sample(Rows(X), partial, merge="none")
    listed = _candidates.list_candidates(names, _candidates.BUDGETS["fast"])
    prior = _candidates.prior_weights(listed, sample)
    held_out = np.array([m.held_out_proba_ for m in model.models_])
    found = average_models(held_out, sample.codes, prior)
    assert_allclose(model.weights_, found.weights)
    assert model.weights_[0] < 1e-3
    assert_array_equal(model.transduction_[hidden], model.predict(X)[hidden])


def test_report_counts_what_changed(model, digits, partial):
    report, hidden = model.report_, partial < 0
    X = digits[0][hidden]
    alone = model.classes_[model.models_[0].predict(X)]
    assert report.n_changed == (model.transduction_[hidden] != alone).sum()
    assert report.n_labeled == 40
    assert report.n_unlabeled == 160
    for candidate, fitted in zip(report.candidates, model.models_, strict=True):
        differs = model.classes_[fitted.predict(X)] != alone
        assert_allclose(candidate.changed, differs.mean())
    assert_array_equal(report.frame()["weight"], model.weights_)
    assert hidden[report.label_next].all()


@pytest.mark.slow
def test_estimated_error_is_honest_on_digits():
    """Within two standard errors of the true one in most draws."""
    X, y = load_digits(return_X_y=True)
    X, y = X[:400], y[:400]
    inside = []
    for seed in range(8):
        partial = hide_labels(y, 40, rng=seed)
        model = FewLabelClassifier(["laplacian"], random_state=0).fit(X, partial)
        true = (model.transduction_ != y)[partial == -1].mean()
        report = model.report_
        inside.append(abs(report.error - true) <= 2 * report.error_std)
    assert np.mean(inside) >= 0.75


def test_unlabeled_rows_that_do_not_help_are_told(rng):
    """Classes that have nothing to do with where rows are dense."""
    X = rng.normal(size=(400, 2))
    y = hide_labels((X[:, 0] > 0).astype(int), 60, rng=0)
    model = FewLabelClassifier(["self_labeling"], random_state=0).fit(X, y)
    assert model.report_.helps is False
    assert "do not seem to help" in str(model.report_)
    assert model.weights_[0] > 0.5


@pytest.mark.parametrize(
    ("weight", "gain", "gain_std", "n_held_out", "helps"),
    [
        (0.1, 3.0, 1.7, 10, True),
        (0.8, 0.0, 1.0, 10, False),
        (0.7, 0.0, 1.0, 10, None),  # not even three times the evidence
        (0.3, 1.0, 1.0, 10, None),  # more than by its prior, and hardly a gain
        (2 / 3, 0.0, 0.0, 0, None),
    ],
)
def test_judgment_of_unlabeled_rows(weight, gain, gain_std, n_held_out, helps):
    weights = np.array([weight, 1 - weight])
    none = np.zeros(2)
    average = Average(
        weights, none, none, none, n_held_out, gain, gain_std, weights, none
    )
    assert few_label_report._find_help(average, np.array([0.5, 0.5])) is helps


def test_judgment_does_not_depend_on_the_prior():
    """The supervised model may have almost none, and still be the best."""
    none, prior = np.zeros(3), np.array([1e-12, 0.9, 0.1])
    for evidence, helps in (([0.8, 0.1, 0.1], False), ([0.4, 0.3, 0.3], None)):
        weights = prior * evidence / (prior @ evidence)
        average = Average(weights, none, none, none, 10, 0.0, 1.0, weights, none)
        assert few_label_report._find_help(average, prior) is helps


def test_an_error_near_that_of_a_constant_is_told(model, rng):
    """Classes that have nothing to do with the rows; 30 % are of the second one."""
    X = rng.normal(size=(100, 3))
    y = np.where(np.arange(100) % 10 < 3, "some", "most")
    noise = FewLabelClassifier(QUICK, random_state=0).fit(X, hide_labels(y, 40, rng=0))
    told = "hardly better than always predicting 'most' (error 30.0 %)"
    assert told in noise.report_.messages[0]
    assert not [text for text in model.report_.messages if "hardly better" in text]


@pytest.mark.slow
def test_noise_is_not_taken_for_help(rng):
    """Labels that have nothing to do with the rows."""
    helps = []
    for seed in range(6):
        X = rng.normal(size=(150, 3))
        y = hide_labels(rng.integers(2, size=150), 40, rng=seed)
        model = FewLabelClassifier(QUICK, random_state=0).fit(X, y)
        helps.append(model.report_.helps is True)
    assert np.mean(helps) < 0.5


def test_verbose_prints_a_line_for_each_candidate(digits, partial, capsys):
    FewLabelClassifier(QUICK, random_state=0, verbose=True).fit(digits[0], partial)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(": ")[1].split(",")[0] for line in lines] == [
        "supervised",
        *QUICK,
        "predicting 160 unlabeled rows",
    ]
    assert all("held-out labels wrong" in line for line in lines[:-1])


def test_interrupt_keeps_the_candidates_so_far(monkeypatch, digits, partial):
    real = few_label_classifier.fit_candidate

    def fit(candidate, *given):
        if candidate.name == "transductive":
            raise KeyboardInterrupt
        return real(candidate, *given)

    monkeypatch.setattr(few_label_classifier, "fit_candidate", fit)
    model = FewLabelClassifier(QUICK, random_state=0)
    with pytest.raises(KeyboardInterrupt):
        model.fit(digits[0], partial)
    assert model.names_ == ["supervised", "laplacian"]
    assert model.predict(digits[0]).shape == (200,)
    assert len(model.report_.candidates) == 2
    assert "interrupted: transductive not tried" in str(model.report_)


def test_copies_of_a_label_are_one_label(digits, partial):
    """Repeating labels is no evidence, for own candidates either."""
    X, labeled = digits[0], partial >= 0
    memory = SelfTrainingClassifier(KNeighborsClassifier(1))
    own = {"laplacian": LaplacianSVC(), "memory": memory}
    copies = np.repeat(np.flatnonzero(labeled), 5)
    repeated = np.vstack([X, X[copies]]), np.append(partial, partial[copies])
    once = FewLabelClassifier(own, random_state=0).fit(X, partial)
    model = FewLabelClassifier(own, random_state=0).fit(*repeated)
    assert model.report_.n_held_out == once.report_.n_held_out == 40
    assert_allclose(model.report_.error_std, once.report_.error_std, atol=0.02)
    assert_allclose(model.report_.error, once.report_.error, atol=0.06)
    errors = [m.report_.candidates[2].error for m in (once, model)]
    assert errors[1] > 0.5 * errors[0]


def test_weights_of_one_change_nothing(model, digits, partial):
    ones = np.ones(len(partial))
    weighted = FewLabelClassifier(QUICK, random_state=0)
    weighted.fit(digits[0], partial, sample_weight=ones)
    assert_allclose(weighted.weights_, model.weights_)
    assert_allclose(weighted.predict_proba(digits[0]), model.predict_proba(digits[0]))
    assert weighted.report_.error == model.report_.error
    assert weighted.report_.n_held_out == model.report_.n_held_out
    assert_array_equal(weighted.report_.label_next, model.report_.label_next)


class FirstColumnIsWeight(KNeighborsClassifier):
    """Refuses weights that are not those of its rows."""

    def fit(self, X, y, sample_weight):
        assert_array_equal(X[:, 0], sample_weight)
        return super().fit(X[y >= 0], y[y >= 0])


@pytest.mark.slow
def test_each_row_keeps_its_weight(rng):
    """Also if there are more rows than a candidate, or one of its folds, is given."""
    budget = Budget(5, spectral_rows=60, n_rows=60, fold_rows=40)
    weights = rng.uniform(0.5, 2, size=100).round(3)
    weights[::9] = 0
    X = np.c_[weights, rng.normal(size=(100, 2))]
    y = hide_labels(np.arange(100) % 2, 20, rng=0)
    own = {"mine": FirstColumnIsWeight(3)}
    model = FewLabelClassifier(own, budget=budget, random_state=0)
    model.fit(X, y, sample_weight=weights)
    assert model.models_[1].n_samples_fit_ < 60
    assert np.isfinite(model.report_.candidates[1].error)
    both = FewLabelClassifier(own, budget=budget, n_jobs=2, random_state=0)
    both.fit(sparse.csr_matrix(X).toarray(), y, sample_weight=weights)
    assert_array_equal(both.weights_, model.weights_)


def test_rows_of_weight_zero_are_left_out_and_predicted(digits, partial):
    X, y = digits
    given = np.flatnonzero(partial >= 0)
    weights = np.ones(len(y))
    weights[[*given[:3], 1, 2]] = 0  # labels and other rows
    wrong = partial.copy()
    wrong[given[:3]] = (y[given[:3]] + 1) % 10
    kept = weights > 0
    alone = FewLabelClassifier(QUICK, random_state=0).fit(X[kept], partial[kept])
    both = FewLabelClassifier(QUICK, random_state=0).fit(X, wrong, weights)
    assert_allclose(both.predict_proba(X), alone.predict_proba(X))
    assert_array_equal(both.transduction_[kept], alone.transduction_)
    assert_array_equal(both.transduction_[~kept], both.predict(X[~kept]))
    own = both.predict_proba(X[~kept]).max(axis=1)
    assert_allclose(both.certainty_[~kept], own)
    assert_array_equal(both.certainty_[kept], alone.certainty_)
    next_rows = np.flatnonzero(kept)[alone.report_.label_next]
    assert_array_equal(both.report_.label_next, next_rows)
    assert both.report_.n_labeled == alone.report_.n_labeled == 37


@pytest.mark.slow
def test_a_label_of_small_weight_hardly_counts(digits, partial):
    X, y = digits
    wrong, given = partial.copy(), np.flatnonzero(partial >= 0)
    wrong[given[::4]] = (y[given[::4]] + 1) % 10
    weights = np.ones(len(y))
    fits = {}
    for trust in (1.0, 1e-3):
        weights[given[::4]] = trust
        fitted = FewLabelClassifier(QUICK, random_state=0)
        fits[trust] = fitted.fit(X, wrong, sample_weight=weights)
    hidden = partial < 0
    errors = {t: (f.predict(X) != y)[hidden].mean() for t, f in fits.items()}
    assert errors[1e-3] < errors[1.0]
    assert fits[1e-3].report_.error < fits[1.0].report_.error - 0.1
    assert fits[1e-3].report_.n_held_out == fits[1.0].report_.n_held_out


def test_weights_that_are_all_small_count_by_their_ratios(digits, partial, rng):
    weights = rng.uniform(0.5, 1, size=len(partial))
    weights[np.flatnonzero(partial >= 0)[0]] = 1
    large, small = (
        FewLabelClassifier(QUICK, random_state=0).fit(digits[0], partial, w)
        for w in (weights, weights / 1024)  # which is exact
    )
    assert_array_equal(small.weights_, large.weights_)
    assert small.report_.error == large.report_.error
    found, expected = small.predict_proba(digits[0]), large.predict_proba(digits[0])
    assert_array_equal(found, expected)


def test_copies_are_the_same_as_weights(digits, partial):
    X, times = digits[0], np.ones(len(partial), dtype=int)
    times[::3] = 2
    copies = FewLabelClassifier(["laplacian"], random_state=0)
    copies.fit(np.repeat(X, times, axis=0), np.repeat(partial, times))
    weighted = FewLabelClassifier(["laplacian"], random_state=0)
    weighted.fit(X, partial, sample_weight=times)
    assert_allclose(weighted.weights_, copies.weights_, rtol=1e-5)
    found, expected = weighted.predict_proba(X), copies.predict_proba(X)
    assert_allclose(found, expected, atol=1e-5)


def test_own_candidates_must_take_the_weights_that_are_given(digits, partial):
    own = {"spreading": LabelSpreading(max_iter=5)}
    fitted = FewLabelClassifier(own, random_state=0)
    message = r"candidate 'spreading' .* a LabelSpreading, has no sample_weight"
    with pytest.raises(ValueError, match=message):
        fitted.fit(digits[0], partial, sample_weight=np.ones(len(partial)))


def test_weights_that_make_no_sense_are_refused(digits, partial):
    with pytest.raises(ValueError, match="sample_weight of FewLabelClassifier"):
        FewLabelClassifier().fit(digits[0], partial, sample_weight=[1.0, 2.0])


def test_a_class_that_weights_leave_out_is_told(digits, partial):
    weights = np.where(np.isin(partial, [-1, 3]), 1.0, 0.0)
    with pytest.raises(
        ValueError, match=r"two labeled classes.*Samples of weight zero"
    ):
        FewLabelClassifier().fit(digits[0], partial, sample_weight=weights)


@pytest.fixture
def fast(digits, partial):
    return FewLabelClassifier(random_state=0).fit(digits[0], partial)


@pytest.mark.parametrize(
    "budget",
    [
        "fast",
        pytest.param(Budget(3, spectral_rows=90, n_rows=60), marks=pytest.mark.slow),
    ],
)
def test_update_equals_a_new_fit(digits, partial, budget):
    """With all rows, and with a sample of them that depends on the labels."""
    X, y = digits
    more, hidden = partial.copy(), np.flatnonzero(partial < 0)
    more[hidden[:8]], more[np.flatnonzero(partial >= 0)[0]] = y[hidden[:8]], -1
    model = FewLabelClassifier(budget=budget, random_state=0).fit(X, partial)
    fresh = FewLabelClassifier(budget=budget, random_state=0).fit(X, more)
    geometry = model.models_[1].geometry_.bases
    updated = model.update(more)
    assert_allclose(updated.predict_proba(X), fresh.predict_proba(X), atol=1e-8)
    assert_allclose(updated.weights_, fresh.weights_, atol=1e-8)
    assert_array_equal(updated.report_.label_next, fresh.report_.label_next)
    if budget == "fast":
        assert updated.models_[1].geometry_.bases is geometry


def test_update_reads_other_parameters_to_the_last_digit(rng):
    """Even of arrays that are too long to be printed."""
    X, widths = rng.normal(size=(40, 1100)), np.full(1100, 1e-3)
    y = np.where(np.arange(40) < 12, X[:, 0] > 0, -1)
    for j, width in ((500, 1.0), (0, 1e-3 + 1e-12)):
        own = {"own": SpectralClassifier(kernel=ArdRbf(widths))}
        model = FewLabelClassifier(own, random_state=0).fit(X, y)
        changed = widths.copy()
        changed[j] = width
        own["own"].set_params(kernel=ArdRbf(changed))
        kernel = model.update(y).models_[1].kernel
        assert kernel == ArdRbf(changed)


def test_update_looks_for_no_table(digits, partial, monkeypatch):
    """It has read the rows: neither plug-ins nor pandas are needed again."""
    model = FewLabelClassifier(["spectral"], random_state=0).fit(digits[0], partial)
    monkeypatch.setattr("widemargin.rows.load_plugins", None)
    model.update(partial)


def test_update_learns_a_new_class(digits, partial):
    X = digits[0]
    without_nine = np.where(partial == 9, -1, partial)
    model = FewLabelClassifier(["spectral"], random_state=0).fit(X, without_nine)
    assert 9 not in model.classes_
    fresh = clone(model).fit(X, partial)
    assert_allclose(model.update(partial).predict_proba(X), fresh.predict_proba(X))


def test_suggestions_are_unlabeled_rows(fast, partial):
    found = fast.suggest(12)
    assert len(set(found.rows)) == 12
    assert (partial[found.rows] == -1).all()
    assert found.is_check.sum() in (2, 3)  # every fifth
    found = fast.suggest(10)
    assert_array_equal(fast.report_.label_next, found.rows)
    assert_array_equal(fast.report_.check_rows, found.rows[found.is_check])
    listed = ", ".join(map(str, fast.report_.check_rows))
    assert f" (random checks: {listed})\n" in str(fast.report_)


def test_what_is_found_prints_as_a_table(fast, digits):
    lines = str(fast.suggest(3)).splitlines()
    assert lines[0].split() == ["rows", "is_check", "reason"]
    assert len(lines) == 4
    lines = str(fast.explain(digits[0][:2], n=2)).splitlines()
    assert lines[0].split()[:2] == ["row", "predicted"]
    assert len(lines) == 7
    assert lines[5].startswith("margin: half of the difference")
    found = fast.explain(digits[0][:2], n=2)
    rest = found.margins - found.amounts.sum(axis=1)
    assert lines[6].endswith(f"listed add {rest[0]:.3f}, {rest[1]:.3f}")
    suspects = fast.report_.suspect_labels
    assert len(str(suspects).splitlines()) == 1 + len(suspects.rows)


def test_suggestions_of_a_part_of_the_rows_are_places_among_all(digits, partial):
    budget = Budget(2, spectral_rows=120, n_rows=60)
    model = FewLabelClassifier(budget=budget, random_state=0).fit(digits[0], partial)
    rows = model.suggest(20).rows
    assert rows.max() >= 120
    assert (partial[rows] == -1).all()


def test_explanations_name_labeled_rows_and_classes(fast, digits, partial):
    """Labels of the predicted class among rows with this label."""
    X, y = digits
    found = fast.explain(X[:5], n=3)
    assert (partial[found.rows] >= 0).all()
    assert set(found.predicted) <= set(fast.classes_)
    supports = (y[found.rows] == found.predicted[:, None]) & (found.amounts > 0)
    assert supports[:, 0].all()


def test_wrong_labels_are_suspect(digits):
    X, y = digits
    partial = hide_labels(y, 100, rng=0)
    wrong = np.flatnonzero(partial >= 0)[::10]
    partial[wrong] = (partial[wrong] + 3) % 10
    model = FewLabelClassifier(random_state=0).fit(X, partial)
    suspects = model.report_.suspect_labels
    assert np.isin(wrong, suspects.rows[:15]).mean() >= 0.7
    right = suspects.suggested[np.isin(suspects.rows, wrong)]
    truth = y[suspects.rows[np.isin(suspects.rows, wrong)]]
    assert np.mean(right == truth) > 0.7
    assert list(suspects.frame()) == ["rows", "probabilities", "suggested"]
    text = f"row {suspects.rows[0]} (predicted: {suspects.suggested[0]})"
    assert f"Labels to check (rows counted from 0): {text}, " in str(model.report_)
    assert f" and {len(suspects.rows) - 5} more" in str(model.report_)
    from_one = model.report_.text(first_row=1)
    rows = ", ".join(str(row + 1) for row in model.report_.label_next)
    assert f"Rows to label next (counted from 1): {rows} (random" in from_one
    assert f"(rows counted from 1): row {suspects.rows[0] + 1} (" in from_one


def test_all_labels_random_is_the_default(fast, digits, partial):
    model = FewLabelClassifier(random_state=0)
    model.fit(digits[0], partial, random_labels=np.ones(200, dtype=bool))
    assert model.report_.error == fast.report_.error
    assert "chosen" not in str(model.report_)


def test_only_random_labels_and_probabilities_estimate_the_error(digits, partial):
    X = digits[0]
    labeled = np.flatnonzero(partial >= 0)
    checks = np.isin(np.arange(200), labeled[::4])
    model = FewLabelClassifier(random_state=0).fit(X, partial, random_labels=checks)
    held_out = model.held_out_proba_[checks[labeled]]
    is_held_out = np.isfinite(held_out).all(axis=1)
    wrong = held_out.argmax(axis=1) != partial[labeled[::4]]
    expected = 1.0 - model.certainty_[partial < 0].mean()
    estimate = (wrong[is_held_out].sum() + 10 * expected) / (is_held_out.sum() + 10)
    assert_allclose(model.report_.error, estimate)
    assert f"{is_held_out.sum()} labels of random rows" in str(model.report_)
    first = str(model.report_).splitlines()[0]
    assert first.endswith(f"held out in turn ({is_held_out.sum()} of random rows)")


def test_chosen_labels_alone_are_not_to_be_trusted(digits, partial):
    model = FewLabelClassifier(random_state=0)
    model.fit(digits[0], partial, random_labels=np.zeros(200, dtype=bool))
    assert "unreliable" in str(model.report_)


def test_candidates_learn_whether_labels_are_random(digits):
    """Class shares are no evidence for labels that were chosen."""
    X, chosen = digits[0], np.zeros(200, dtype=bool)
    partial = hide_labels(digits[1], 30, rng=0, stratify=False)
    drawn = FewLabelClassifier(["spectral"], random_state=0).fit(X, partial)
    model = clone(drawn).fit(X, partial, random_labels=chosen)
    before = drawn.models_[1].average_.weights
    assert np.abs(model.models_[1].average_.weights - before).max() > 1e-4
    drawn.update(partial, random_labels=chosen)
    for one, other in zip(model.models_[1:], drawn.models_[1:], strict=True):
        assert_allclose(one.average_.weights, other.average_.weights)
    drawn.update(partial)
    assert_allclose(drawn.models_[1].average_.weights, before)


@pytest.mark.parametrize("mask", [np.ones(3, dtype=bool), np.zeros(200)])
def test_random_labels_are_a_mask_over_rows(digits, partial, mask):
    with pytest.raises(ValueError, match="random_labels of FewLabelClassifier must be"):
        FewLabelClassifier().fit(digits[0], partial, random_labels=mask)


def test_report_in_a_notebook(fast):
    """Names, numbers and pictures, and no markup from names."""
    page = fast.report_._repr_html_()
    for c in fast.report_.candidates:
        assert c.name in page
        assert f"{c.weight:.2f}" in page
    assert page.count("<svg") == 2 * len(fast.names_) + 1
    own = {"<b>bold</b>": LaplacianSVC()}
    X, y = make_two_moons(60, random_state=0)
    model = FewLabelClassifier(own, random_state=0).fit(X, hide_labels(y, 8, rng=0))
    assert "<b>bold" not in model.report_._repr_html_()


def test_a_model_from_a_file_says_what_it_lacks(fast, partial, tmp_path):
    widemargin.save(fast, tmp_path / "m.wm")
    loaded = widemargin.load(tmp_path / "m.wm")
    with pytest.raises(ValueError, match=r"update .* needs what fit computed"):
        loaded.update(partial)
    with pytest.raises(ValueError, match=r"suggest .* needs what fit computed"):
        loaded.suggest()
    assert_array_equal(loaded.report_.label_next, fast.report_.label_next)


def test_explanations_are_of_the_predicted_class(fast, digits):
    """Also where the candidate that gives the amounts predicts another one."""
    X, y = digits
    found = fast.explain(X)
    assert_array_equal(found.predicted, fast.predict(X))
    assert (found.predicted != found.others).all()
    assert_array_equal(found.labels, y[found.rows])


def test_explanations_check_columns_as_predictions_do():
    pd = pytest.importorskip("pandas")
    X, y = make_blobs(60, n_features=3, random_state=0)
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    model = FewLabelClassifier(random_state=0).fit(frame, hide_labels(y, 9, rng=0))
    model.explain(frame[:3])
    with pytest.raises(ValueError, match="same order"):
        model.explain(frame[["b", "a", "c"]])


def test_report_names_the_columns_that_are_not_used():
    pd = pytest.importorskip("pandas")
    X, y = make_blobs(60, n_features=3, random_state=0)
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(id=range(60), when="x")
    frame.loc[0, "a"] = np.nan
    report = FewLabelClassifier(random_state=0).fit(frame, hide_labels(y, 9, rng=0))
    assert "columns left out: id, when (encoder_.describe()" in str(report.report_)
    frame = frame.drop(columns=["id", "when"])
    report = FewLabelClassifier(random_state=0).fit(frame, hide_labels(y, 9, rng=0))
    assert "left out" not in str(report.report_)


@pytest.mark.parametrize(
    "estimator", [LaplacianSVC(), SpectralClassifier(families="labels")]
)
def test_an_own_candidate_may_be_called_spectral(digits, partial, estimator):
    model = FewLabelClassifier({"spectral": estimator}, random_state=0)
    model.fit(digits[0], partial)
    assert len(model.report_.label_next) == 0


def test_update_tells_how_many_labels_it_needs(fast, partial):
    with pytest.raises(ValueError, match="each of the 200 rows of the last fit, got 5"):
        fast.update(partial[:5])


def test_failed_update_leaves_the_model_as_it_is(fast, digits, partial, monkeypatch):
    X, before = digits[0], fast.predict_proba(digits[0])
    monkeypatch.setattr(few_label_classifier, "average_models", None)
    with pytest.raises(TypeError):
        fast.update(np.where(np.arange(200) == 0, 99, partial))
    assert_array_equal(fast.predict_proba(X), before)


def test_two_different_rows_are_enough(rng):
    X = np.repeat([[0.0, 1.0], [1.0, 0.0]], [3, 2], axis=0)
    model = FewLabelClassifier(random_state=0).fit(X, [0, -1, -1, 1, -1])
    assert_array_equal(model.transduction_, [0, 0, 0, 1, 1])


def test_what_candidates_shared_is_not_kept(fast):
    """It would keep Gram matrices of other candidates in memory."""
    assert fast.models_[1].geometry_.sample.rows.shared is None
    assert fast.models_[1].geometry_.bases is fast.models_[2].geometry_.bases


def test_spectral_models_are_fitted_on_all_rows_unless_they_are_in_blocks():
    for budget in _candidates.BUDGETS.values():
        for in_blocks in (False, True):
            listed = _candidates.list_candidates("auto", budget, in_blocks=in_blocks)
            most = {c.name: c.max_rows for c in listed}
            expected = GATHERED_ROWS if in_blocks else np.inf
            assert most["spectral"] == most["low_density"] == expected
            assert most.get("laplacian", budget.n_rows) == budget.n_rows
    given = Budget(2, spectral_rows=70, n_rows=50)
    assert given.max_rows("spectral", in_blocks=True) == 70
    with pytest.raises(ValueError, match="spectral_rows"):
        Budget(2, spectral_rows=0, n_rows=50)


def test_labels_of_proposed_rows_are_no_random_ones(digits, partial):
    """Unless they are random checks, or the user says so."""
    X, y = digits
    model = FewLabelClassifier(["spectral"], random_state=0).fit(X, partial)
    assert model.report_.n_random is None  # all of them
    found, given = model.suggest(10), partial.copy()
    given[found.rows] = y[found.rows]
    model.update(given)
    assert model.report_.n_random == 40 + found.is_check.sum()
    assert "the other labels were chosen" in model.report_.messages[0]
    other = np.flatnonzero(given == -1)
    other = other[~np.isin(other, model.report_.label_next)][:3]
    given[other] = y[other]
    model.update(given)  # the labels before stay what they were
    assert model.report_.n_random == 43 + found.is_check.sum()
    is_random = np.ones(len(given), dtype=bool)
    model.update(given, random_labels=is_random)
    assert model.report_.n_random is None
    assert model.fit(X, given).report_.n_random is None


def test_update_of_rows_that_were_not_proposed_equals_a_new_fit(digits, partial):
    """What was random in the last fit stays so."""
    X, chosen = digits[0], np.flatnonzero(partial >= 0)[:20]
    is_random = ~np.isin(np.arange(len(partial)), chosen)
    model = FewLabelClassifier(["spectral"], random_state=0)
    before = model.fit(X, partial, random_labels=is_random).report_
    assert model.update(partial).report_.n_random == before.n_random == 20


def test_update_takes_labels_only(digits, partial):
    model = FewLabelClassifier(["spectral"], random_state=0).fit(digits[0], partial)
    with pytest.raises(TypeError, match="positional"):
        model.update(digits[0], partial)


def test_a_column_that_is_y_is_told(digits, partial):
    X, y = digits
    for column in (y, partial):
        with pytest.warns(DataWarning, match=r"np.delete\(X, \[64\], axis=1\)"):
            FewLabelClassifier(random_state=0).fit(np.c_[X, column], partial)


def test_labels_in_another_order_are_told(digits, partial):
    """Labels of a Series belong to rows by their position."""
    X, y = pd.DataFrame(digits[0]), pd.Series(partial)
    with pytest.warns(DataWarning, match=r"in another order.* y.loc\[X.index\]"):
        FewLabelClassifier(random_state=0).fit(X, y.sample(frac=1, random_state=0))
    model = FewLabelClassifier(random_state=0).fit(X, y)
    with pytest.warns(DataWarning, match="in another order"):
        model.update(y.sample(frac=1, random_state=0))
    with warnings.catch_warnings():
        warnings.simplefilter("error", DataWarning)
        FewLabelClassifier(random_state=0).fit(X, y).update(y).update(partial)
        FewLabelClassifier(random_state=0).fit(X, y.set_axis(y.index + 7))


def test_the_column_of_infinity_is_named(digits, partial):
    X = digits[0].astype(float).copy()
    X[3, 2] = np.inf
    with pytest.raises(
        ValueError, match="infinity, 1 times, first in row 3 of column 2"
    ):
        FewLabelClassifier().fit(X, partial)
