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
from widemargin.datasets import hide_labels
from widemargin.kernels import KernelRows
from widemargin.solvers import hinge_machine
from widemargin.solvers.result import SolveResult, Status

MACHINES = [TransductiveSVC, TriClassSVC, UniversumSVC]
KERNELS = [
    {"kernel": "rbf", "gamma": 0.3},
    {"kernel": "linear"},
    {"kernel": "poly", "gamma": 0.1, "degree": 2},
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


@pytest.mark.parametrize("options", KERNELS)
@pytest.mark.parametrize("machine", MACHINES)
def test_without_unlabeled_weight_it_is_the_svc(two, machine, options):
    X, _, y_partial = two
    labeled = y_partial >= 0
    svc = SVC(C=2.0, coef0=1.0, tol=1e-9, **options)
    expected = svc.fit(X[labeled], y_partial[labeled]).decision_function(X)
    for tol, atol in ((1e-3, 2e-3), (1e-8, 1e-5)):
        model = machine(C=2.0, unlabeled_weight=0, tol=tol, **options)
        scores = model.fit(X, y_partial).decision_function(X)
        assert_allclose(scores, expected, atol=atol * max(1.0, np.abs(scores).max()))


@pytest.mark.parametrize("machine", MACHINES)
def test_without_unlabeled_samples_it_is_the_svc(two, machine):
    X, y, _ = two
    expected = SVC(C=10, tol=1e-9).fit(X, y).decision_function(X)
    model = machine(tol=1e-8).fit(X, y)
    assert_allclose(model.decision_function(X), expected, atol=1e-5)
    assert model.average_ is None
    assert_array_equal(model.transduction_, y)


def test_more_classes_are_each_against_the_rest(three):
    X, _, y_partial = three
    labeled = y_partial >= 0
    model = TriClassSVC(unlabeled_weight=0, gamma=0.5, tol=1e-8).fit(X, y_partial)
    expected = OneVsRestClassifier(SVC(C=10, gamma=0.5, tol=1e-9)).fit(
        X[labeled], y_partial[labeled]
    )
    assert_allclose(
        model.decision_function(X), expected.decision_function(X), atol=1e-5
    )


def test_precomputed_kernel(two):
    X, _, y_partial = two
    options = {"unlabeled_weight": 0.5, "tol": 1e-8}
    points = TransductiveSVC(gamma=0.3, **options).fit(X, y_partial)
    gram = rbf_kernel(X, gamma=0.3)
    matrix = TransductiveSVC(kernel="precomputed", **options).fit(gram, y_partial)
    assert_allclose(
        matrix.decision_function(gram[:9]), points.decision_function(X[:9]), atol=1e-5
    )


# The unlabeled samples


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
@pytest.mark.parametrize("balance", ["labeled", {0: 0.3, 1: 0.7}])
@pytest.mark.parametrize("machine", [TransductiveSVC, TriClassSVC])
def test_mean_score_of_unlabeled_samples_is_fixed(two, machine, balance, kernel):
    X, _, y_partial = two
    model = machine(kernel=kernel, balance=balance, unlabeled_weight=1.0)
    scores = model.fit(X, y_partial).decision_function(X)
    share = 0.7 if balance != "labeled" else 0.5  # ten labels of each class
    assert_allclose(scores[y_partial < 0].mean(), 2 * share - 1, atol=1e-6)


@pytest.mark.parametrize("machine", [TransductiveSVC, TriClassSVC])
def test_balance_of_the_user_is_kept_by_the_average(two, machine):
    X, _, y_partial = two
    model = machine(balance={0: 0.3, 1: 0.7}, random_state=0).fit(X, y_partial)
    scores = model.decision_function(X)
    assert_allclose(scores[y_partial < 0].mean(), 0.4, atol=1e-6)


def test_held_out_labels_are_no_universum(two):
    """Unlabeled or marked, the samples of no class are the same."""
    X, y, _ = two
    y = np.where(np.arange(120) % 3 == 0, 2, y)
    marked = UniversumSVC(irrelevant_label=2, random_state=0).fit(X, y)
    hidden = UniversumSVC(random_state=0).fit(X, np.where(y == 2, -1, y))
    assert_array_equal(marked.average_.errors, hidden.average_.errors)
    assert marked.slope_ == hidden.slope_
    assert_allclose(marked.decision_function(X), hidden.decision_function(X))


def test_objective_of_the_labels_alone(two):
    X, _, y_partial = two
    labeled = y_partial >= 0
    model = TriClassSVC(C=1.0, gamma=0.3, unlabeled_weight=0, tol=1e-8)
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
        multi_class="joint", balance=shares, unlabeled_weight=1.0, gamma=0.2
    )
    *_, (sample, _, _) = model._read(X, y_partial, None)
    chosen = model._chooser(sample)(np.random.default_rng(seed).normal(size=(78, 3)))
    assert_array_equal((chosen == 1).sum(axis=1), 1)
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
    options = {"gamma": 0.2, "tol": 1e-8, "unlabeled_weight": 0.7, "epsilon": 0.05}
    marked = UniversumSVC(irrelevant_label="junk", **options).fit(X, names)
    assert marked.classes_.tolist() == ["left", "right"]
    fewer = UniversumSVC(irrelevant_label="junk", **options).fit(X[kept], names[kept])
    expected = marked.decision_function(X)
    assert_allclose(fewer.decision_function(X), expected, atol=1e-5)
    hidden = names[kept].copy()
    hidden[hidden == "junk"] = None
    unmarked = UniversumSVC(**options).fit(X[kept], hidden)
    assert_allclose(unmarked.decision_function(X), expected, atol=1e-5)
    without = UniversumSVC(gamma=0.2, unlabeled_weight=0).fit(X[kept], hidden)
    assert np.abs(without.decision_function(X) - expected).max() > 0.05


def test_marked_samples_of_the_tri_class_machine(two):
    """Without unlabeled samples it is the universum machine."""
    X, y, _ = two
    y = np.where(np.arange(120) % 3 == 0, 7, y)
    options = {"gamma": 0.2, "tol": 1e-8, "epsilon": 0.05}
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


@pytest.mark.parametrize("machine", MACHINES)
def test_swapped_classes_mirror_the_answer(two, machine):
    X, _, y_partial = two
    swapped = np.where(y_partial < 0, -1, 1 - y_partial)
    options = {"gamma": 0.2, "tol": 1e-7, "unlabeled_weight": 0.5}
    scores = machine(**options).fit(X, y_partial).decision_function(X)
    mirrored = machine(**options).fit(X, swapped).decision_function(X)
    assert_allclose(mirrored, -scores, atol=1e-5)


@pytest.mark.parametrize("machine", MACHINES)
def test_shuffled_rows_and_renamed_classes_give_the_same(three, machine, rng):
    X, _, y_partial = three
    model = machine(random_state=0).fit(X, y_partial)
    order = rng.permutation(120)
    names = np.array(["z", "b", "a"], dtype=object)
    renamed = np.where(y_partial >= 0, names[y_partial], None)
    other = machine(random_state=0).fit(X[order], renamed[order])
    assert_array_equal(other.predict(X), names[model.predict(X)])
    assert_allclose(
        other.decision_function(X)[:, [2, 1, 0]], model.decision_function(X), atol=1e-9
    )


@pytest.mark.parametrize("machine", MACHINES)
def test_weights_are_copies(two, machine, rng):
    """Also of unlabeled samples, up to the solver's tolerance."""
    X, _, y_partial = two
    copies = rng.integers(1, 3, size=120)
    options = {"gamma": 0.2, "tol": 1e-8, "unlabeled_weight": 0.5}
    options |= {} if machine is UniversumSVC else {"balance": None}
    weighted = machine(**options).fit(X, y_partial, sample_weight=copies)
    repeated = machine(**options).fit(
        np.repeat(X, copies, axis=0), np.repeat(y_partial, copies)
    )
    assert_allclose(
        weighted.decision_function(X), repeated.decision_function(X), atol=1e-4
    )


# Ways to solve it


@pytest.mark.parametrize("machine", MACHINES)
def test_newton_and_smo_agree(two, machine):
    X, _, y_partial = two
    options = {"kernel": "linear", "unlabeled_weight": 0.5, "C": 0.5, "tol": 1e-8}
    newton = machine(solver="newton", **options).fit(X, y_partial)
    smo = machine(solver="smo", **options).fit(X, y_partial)
    assert_allclose(newton.decision_function(X), smo.decision_function(X), atol=1e-4)
    assert newton.points_.shape == (1, 3)  # the weights
    assert smo.points_.shape[0] > 1


@pytest.mark.parametrize("machine", MACHINES)
def test_all_rows_as_landmarks_are_exact(two, machine):
    X, _, y_partial = two
    options = {"gamma": 0.3, "unlabeled_weight": 0.5, "C": 0.5, "tol": 1e-8}
    exact = machine(**options).fit(X, y_partial)
    low_rank = machine(n_landmarks=120, **options).fit(X, y_partial)
    assert_allclose(
        low_rank.decision_function(X), exact.decision_function(X), atol=1e-3
    )


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_sparse_rows(two, machine, kernel):
    X, _, y_partial = two
    X = np.where(np.abs(X) > 1, X, 0.0)
    options = {"kernel": kernel, "gamma": 0.2, "unlabeled_weight": 0.5, "tol": 1e-7}
    dense = machine(**options).fit(X, y_partial)
    rows = machine(**options).fit(sparse.csr_matrix(X), y_partial)
    assert_allclose(
        rows.decision_function(sparse.csr_matrix(X)),
        dense.decision_function(X),
        atol=1e-5,
    )


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
    assert model.points_.shape == (1, 3000)  # weights, no support vectors


@pytest.mark.parametrize("machine", MACHINES)
def test_single_precision(two, machine):
    X, _, y_partial = two
    double = machine(unlabeled_weight=0.5, gamma=0.2).fit(X, y_partial)
    single = machine(unlabeled_weight=0.5, gamma=0.2).fit(
        X.astype(np.float32), y_partial
    )
    assert single.points_.dtype == np.float32
    assert_allclose(
        single.decision_function(X.astype(np.float32)),
        double.decision_function(X),
        atol=2e-2,
    )


def test_many_rows_take_landmarks(two, monkeypatch):
    X, _, y_partial = two
    monkeypatch.setattr(TransductiveSVC, "_auto_landmarks", (100, 30))
    assert TransductiveSVC(random_state=0).fit(X, y_partial).points_.shape[0] == 30
    linear = TransductiveSVC(kernel="linear", random_state=0).fit(X, y_partial)
    assert linear.points_.shape == (1, 3)
    exact = TransductiveSVC(solver="smo", random_state=0).fit(X, y_partial)
    assert exact.points_.shape[0] > 30


def test_only_support_vectors_are_kept(two):
    X, _, y_partial = two
    model = TriClassSVC(unlabeled_weight=0, gamma=0.1).fit(X, y_partial)
    assert 2 <= model.points_.shape[0] <= 20


# The average


@pytest.mark.parametrize("machine", MACHINES)
def test_average_is_that_of_the_path(three, machine):
    """Weights fall with errors; all weight on the first is the labels alone."""
    X, _, y_partial = three
    model = machine(random_state=0).fit(X, y_partial)
    average = model.average_
    assert average.unlabeled_weights == (0.0, *machine._auto_weights)
    decay = 0.7 ** np.arange(len(average.errors))
    expected = decay * np.exp(-average.errors)
    assert_allclose(average.weights, expected / expected.sum())
    assert average.held_out.shape == (15, 3)


@pytest.mark.parametrize("machine", MACHINES)
def test_all_trust_in_one_machine_is_that_machine(two, machine, monkeypatch):
    X, _, y_partial = two
    n_machines = 1 + len(machine._auto_weights)

    def fit_trusting(which):
        trust = np.eye(n_machines)[which]
        monkeypatch.setattr(
            "widemargin.estimators._path_average.softmax", lambda belief: trust
        )
        return machine(gamma=0.2, tol=1e-7).fit(X, y_partial).decision_function(X)

    alone = machine(gamma=0.2, unlabeled_weight=0, tol=1e-7).fit(X, y_partial)
    assert_allclose(fit_trusting(0), alone.decision_function(X), atol=1e-5)
    assert np.abs(fit_trusting(-1) - alone.decision_function(X)).max() > 0.01


def test_probabilities(three):
    X, _, y_partial = three
    model = TransductiveSVC(random_state=0).fit(X, y_partial)
    proba = model.predict_proba(X)
    assert_allclose(proba.sum(axis=1), 1.0)
    assert_array_equal(model.classes_[proba.argmax(axis=1)], model.predict(X))
    fixed = TransductiveSVC(unlabeled_weight=0.3, random_state=0).fit(X, y_partial)
    assert fixed.average_ is None
    assert fixed.slope_ != 3.0  # from held-out labels, too


def test_one_label_of_each_class(three):
    X, y, _ = three
    y_partial = np.full(120, -1)
    first = [np.flatnonzero(y == k)[0] for k in range(3)]
    y_partial[first] = [0, 1, 2]
    model = TransductiveSVC(random_state=0).fit(X, y_partial)
    assert model.slope_ == 3.0
    assert not model.average_.is_tested.any()


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


@pytest.mark.parametrize("machine", MACHINES)
def test_same_seed_same_model(three, machine):
    X, _, y_partial = three
    one, other = (
        machine(random_state=3, n_landmarks=30).fit(X, y_partial) for _ in range(2)
    )
    assert_array_equal(one.decision_function(X), other.decision_function(X))
    assert (
        clone(one).get_params() == machine(random_state=3, n_landmarks=30).get_params()
    )


def test_progress(two, capsys):
    X, _, y_partial = two
    TriClassSVC(unlabeled_weight=0.5, n_annealing=2, verbose=True).fit(X, y_partial)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "TriClassSVC: unlabeled weight 0.158114"
    assert "TriClassSVC: unlabeled weight 0.5" in lines
    assert lines[1].startswith("TriClassSVC: iteration 1: objective ")


def test_iteration_limit_is_told_once(three):
    X, _, y_partial = three
    model = TransductiveSVC(unlabeled_weight=3.0, max_iter=1, gamma=0.3)
    with pytest.warns(ConvergenceWarning, match="raise max_iter") as told:
        model.fit(X, y_partial)
    assert len(told) == 1
    assert model.result_.status is Status.MAX_ITER


@pytest.mark.parametrize("n_before", [0, 1, 9, 17])
def test_interrupt_keeps_the_best_so_far(two, monkeypatch, n_before):
    X, y, y_partial = two
    solve, calls = hinge_machine.GramMachine.solve, []

    def interrupted(self, pieces, intercept=None, start=None):
        result = solve(self, pieces, intercept, start)
        calls.append(1)
        if len(calls) <= n_before:
            return result
        return SolveResult(result.solution, result.objective, Status.INTERRUPTED, 1)

    monkeypatch.setattr(hinge_machine.GramMachine, "solve", interrupted)
    model = TransductiveSVC(random_state=0)
    with (
        pytest.warns(ConvergenceWarning, match="interrupted"),
        pytest.raises(KeyboardInterrupt),
    ):
        model.fit(X, y_partial)
    assert model.score(X, y) > 0.5
    assert_array_equal(model.transduction_[y_partial >= 0], y[y_partial >= 0])


@pytest.mark.parametrize(
    ("machine", "options", "message"),
    [
        (TriClassSVC, {"C": 0}, "C of TriClassSVC must be a number > 0, got 0"),
        (TriClassSVC, {"epsilon": 1.0}, "epsilon .* >= 0 and < 1, got 1.0"),
        (TriClassSVC, {"method": "exact"}, "method .* 'min', 'paper', got 'exact'"),
        (TriClassSVC, {"reach": 0.5}, "reach of TriClassSVC must be a number >= 1"),
        (TriClassSVC, {"kappa": -1}, "kappa of TriClassSVC must be a number >= 0"),
        (TriClassSVC, {"irrelevant_weight": -1}, "irrelevant_weight .* >= 0, got -1"),
        (TransductiveSVC, {"unlabeled_weight": -1}, "unlabeled_weight .* >= 0, got -1"),
        (TransductiveSVC, {"unlabeled_weight": "no"}, "'auto' or a number >= 0"),
        (TransductiveSVC, {"multi_class": "crammer"}, "'ovr', 'joint', got 'crammer'"),
        (TransductiveSVC, {"balance": "equal"}, "'labeled', None or a dict"),
        (TransductiveSVC, {"balance": {0: 0.5, 1: 0.6}}, "adding up to 1, got"),
        (TransductiveSVC, {"balance": {0: 0.5, 2: 0.5}}, r"classes \[0, 1\]"),
        (TransductiveSVC, {"solver": "newton"}, "use kernel='linear' or set n_landm"),
        (
            TransductiveSVC,
            {"solver": "smo", "n_landmarks": 5},
            "solver='newton', or n_landmarks=None",
        ),
        (UniversumSVC, {"tol": 0}, "tol of UniversumSVC must be a number > 0, got 0"),
        (UniversumSVC, {"max_iter": 0}, "max_iter of UniversumSVC must be a whole"),
    ],
)
def test_bad_parameters(two, machine, options, message):
    X, _, y_partial = two
    with pytest.raises(ValueError, match=message):
        machine(**options).fit(X, y_partial)


@pytest.mark.parametrize("machine", MACHINES)
def test_gram_matrix_that_is_too_large_to_keep(two, machine, monkeypatch):
    """Its rows are made when they are needed, with the same result."""
    X, _, y_partial = two
    options = {"gamma": 0.3, "unlabeled_weight": 0.5, "tol": 1e-8}
    kept = machine(**options).fit(X, y_partial)
    monkeypatch.setattr("widemargin.estimators._hinge_machines._GRAM_BYTES", 1000)
    asked, rows = [], KernelRows.rows
    monkeypatch.setattr(
        KernelRows, "rows", lambda self, idx: asked.append(idx) or rows(self, idx)
    )
    made = machine(**options).fit(X, y_partial)
    assert asked
    assert_allclose(made.decision_function(X), kept.decision_function(X), atol=1e-5)
