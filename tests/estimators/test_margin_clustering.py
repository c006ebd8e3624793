import os
import signal
import threading
import warnings
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest
from clusterings import FIXED, POWER_1, SEARCHES
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.optimize import linear_sum_assignment
from sklearn.base import clone
from sklearn.datasets import make_blobs, make_circles, make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score, confusion_matrix
from sklearn.metrics.pairwise import rbf_kernel

from widemargin.estimators import margin_clustering
from widemargin.estimators.margin_clustering import MaxMarginClustering
from widemargin.graphs import KnnGraph, graph_laplacian, knn_adjacency
from widemargin.kernels import Laplacian, Polynomial, Rbf
from widemargin.labelling import Shaking, Tabu
from widemargin.labels import sign_coding
from widemargin.linalg.products import suited_threads
from widemargin.objectives.class_sizes import Balance
from widemargin.solvers.result import Status


def smoother_matrix(gram, reg, laplacian=None, intrinsic=0.0):
    """Of equal weights that add up to one."""
    n = len(gram)
    matrix = gram / n + reg * np.eye(n)
    if laplacian is not None:
        matrix += intrinsic * laplacian.to_dense() @ gram
    return gram @ np.linalg.inv(matrix) / n


# What it finds


@pytest.mark.parametrize("n_clusters", [2, 3, 5])
def test_default_finds_blobs(n_clusters):
    centers = 10 * np.column_stack([np.arange(5) % 3, np.arange(5) // 3])[:n_clusters]
    X, y = make_blobs(120, centers=centers, random_state=1)
    model = MaxMarginClustering(n_clusters, random_state=0).fit(X)
    assert adjusted_rand_score(y, model.labels_) > 0.95
    assert_array_equal(model.predict(X), model.labels_)


@pytest.mark.parametrize("make", [make_moons, make_circles])
def test_default_finds_moons_and_circles(make):
    options = {"factor": 0.4} if make is make_circles else {}
    X, y = make(200, noise=0.05, random_state=0, **options)
    model = MaxMarginClustering(2, random_state=0).fit(X)
    assert adjusted_rand_score(y, model.labels_) > 0.95
    linear = model.set_params(kernel="linear", intrinsic_reg=0).fit(X)
    assert adjusted_rand_score(y, linear.labels_) < 0.6


def test_clusters_need_not_have_the_same_size(blobs):
    X, y = blobs
    model = MaxMarginClustering(3, random_state=0).fit(X)
    assert adjusted_rand_score(y, model.labels_) == 1.0
    assert sorted(np.bincount(model.labels_)) == [15, 30, 45]


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("balance", ["equal", {0: 0.25, 1: 0.75}])
def test_every_search_finds_clusters_of_known_sizes(search, balance):
    n = [20, 60] if balance != "equal" else [40, 40]
    X, y = make_blobs(n, centers=[[0, 0], [9, 0]], random_state=0)
    model = MaxMarginClustering(
        2, balance=balance, search=search, n_restarts=20, random_state=0, **FIXED
    ).fit(X)
    assert adjusted_rand_score(y, model.labels_) == 1.0
    if balance != "equal":
        assert_array_equal(np.bincount(model.labels_), n)


def test_new_samples_join_the_clusters(blobs):
    X, _ = blobs
    model = MaxMarginClustering(3, random_state=0).fit(X)
    centers = np.array([X[model.labels_ == h].mean(axis=0) for h in range(3)])
    assert_array_equal(model.predict(centers + 0.3), [0, 1, 2])


# The function and the objective


@pytest.mark.parametrize("n_clusters", [2, 4])
@pytest.mark.parametrize("intrinsic_reg", [0.0, 0.2, "auto"])
@pytest.mark.parametrize("power", [1, 2])
def test_scores_and_objective_are_those_of_the_labels(
    cloud, n_clusters, intrinsic_reg, power
):
    model = MaxMarginClustering(
        n_clusters,
        kernel=Rbf(0.3),
        ambient_reg=0.01,
        graph=KnnGraph(power=power),
        intrinsic_reg=intrinsic_reg,
        random_state=0,
    ).fit(cloud)
    gram = rbf_kernel(cloud, gamma=0.3)
    adjacency = knn_adjacency(cloud, 8, "self-tuned")
    laplacian = graph_laplacian(adjacency, normalized=False, power=power)
    weight = 10 / 60 if intrinsic_reg == "auto" else intrinsic_reg
    R = smoother_matrix(gram, 0.01, laplacian, weight)
    signs = sign_coding(model.labels_, n_clusters)
    scores = model.decision_function(cloud)
    assert scores.shape == ((60,) if n_clusters == 2 else (60, n_clusters))
    assert_allclose(scores.reshape(60, -1), R @ signs, atol=1e-6)
    cost = np.mean(signs * (signs - R @ signs), axis=0).sum()
    assert_allclose(model.objective_, cost, rtol=1e-6)
    assert model.parameters_.ambient_reg == 0.01
    assert_allclose(model.function_.intercept, 0.0)


@pytest.mark.parametrize(
    "options",
    [
        {"landmarks": 1000},
        {"kernel": "linear"},
        {"kernel": "linear", "landmarks": 9},
    ],
)
def test_low_rank_is_the_exact_machine(cloud, options):
    model = MaxMarginClustering(3, random_state=0, **(FIXED | options)).fit(cloud)
    signs = sign_coding(model.labels_, 3)
    gram = model.function_.kernel(cloud)
    scale = gram.diagonal().mean()
    adjacency = knn_adjacency(cloud, 8, "self-tuned")
    laplacian = graph_laplacian(adjacency, normalized=False)
    R = smoother_matrix(gram, 1e-3 * scale, laplacian, 10 / 60)
    assert_allclose(model.decision_function(cloud), R @ signs, atol=1e-4)


@pytest.mark.parametrize("search", SEARCHES)
def test_all_samples_as_landmarks_find_the_same_clusters(blobs, search):
    X, _ = blobs
    model = MaxMarginClustering(3, search=search, random_state=0, **FIXED)
    exact = clone(model).fit(X)
    nystrom = clone(model).set_params(landmarks=1000).fit(X)
    assert_array_equal(nystrom.labels_, exact.labels_)


def test_more_searches_are_never_worse(cloud):
    options = {"search": "stochastic", "balance": "equal", "random_state": 0}
    values = [
        MaxMarginClustering(4, n_restarts=n, **options, **FIXED).fit(cloud).objective_
        for n in (1, 20)
    ]
    assert values[1] < values[0]


# Invariances


@pytest.mark.parametrize("search", SEARCHES)
def test_order_of_rows_does_not_matter(blobs, cloud, search):
    for X, options in ((cloud, FIXED), (blobs[0], {})):
        model = MaxMarginClustering(3, search=search, random_state=3, **options)
        plain = clone(model).fit(X)
        order = np.random.default_rng(0).permutation(len(X))
        other = clone(model).fit(X[order])
        # Two restarts that end as well may differ in the names of the clusters.
        assert adjusted_rand_score(other.labels_, plain.labels_[order]) == 1.0
        assert_allclose(other.objective_, plain.objective_, rtol=1e-8)


@pytest.mark.parametrize("search", SEARCHES)
def test_shuffled_gram_matrix_only_shuffles_the_result(blobs, cloud, search):
    for X, options in ((cloud, FIXED), (blobs[0], {})):
        gram, rng = rbf_kernel(X, gamma=0.3), np.random.default_rng(0)
        options = options | {"kernel": "precomputed", "search": search}
        model = MaxMarginClustering(3, random_state=0, **options)
        plain = clone(model).fit(gram)
        order = rng.permutation(len(X))
        other = clone(model).fit(gram[np.ix_(order, order)])
        # Empty clusters are all the same: rounding decides which of them grows.
        assert adjusted_rand_score(other.labels_, plain.labels_[order]) == 1.0
        assert_allclose(other.objective_, plain.objective_, rtol=1e-8)


@pytest.mark.slow
def test_units_do_not_matter(blobs):
    X, _ = blobs
    model = MaxMarginClustering(3, random_state=0)
    assert_array_equal(model.fit(X).labels_, model.fit(1000 * X).labels_)


@pytest.mark.parametrize("search", SEARCHES)
def test_jobs_do_not_matter(cloud, search):
    model = MaxMarginClustering(4, search=search, n_restarts=3, random_state=0, **FIXED)
    alone = clone(model).fit(cloud)
    side_by_side = clone(model).set_params(n_jobs=3).fit(cloud)
    assert_array_equal(side_by_side.labels_, alone.labels_)
    assert_array_equal(side_by_side.function_.coef, alone.function_.coef)
    assert side_by_side.result_.history["found"] == alone.result_.history["found"]


def test_seeds_make_it_repeatable_and_matter(cloud):
    model = MaxMarginClustering(4, search="stochastic", n_restarts=1, **FIXED)

    def found(seed):
        return clone(model).set_params(random_state=seed).fit(cloud).labels_

    assert_array_equal(found(1), found(1))
    assert adjusted_rand_score(found(1), found(2)) < 1.0
    model.set_params(random_state=4)
    assert_array_equal(model.fit(cloud).labels_, model.fit(cloud).labels_)


@pytest.mark.parametrize("options", [{}, FIXED])
@pytest.mark.slow
def test_fit_predict(blobs, options):
    X, y = blobs
    model = MaxMarginClustering(3, random_state=0, **options)
    labels = clone(model).fit_predict(X)
    assert_array_equal(labels, model.fit(X).labels_)
    assert_array_equal(model.predict(X), labels)
    assert_array_equal(clone(model).fit_predict(X, init=y), y)


@pytest.mark.slow
def test_y_is_ignored(blobs):
    X, _ = blobs
    model = MaxMarginClustering(3, random_state=0)
    assert_array_equal(model.fit(X).labels_, model.fit(X, np.arange(90)).labels_)


# Paths


@pytest.mark.parametrize(
    "options", [{}, {"intrinsic_reg": 0}, {"landmarks": 20}, {"kernel": "linear"}]
)
def test_path_improves_what_separate_fits_improve(cloud, options):
    """From the clusters of the user there is no chance in it."""
    init = np.arange(60) % 3
    fixed = {"kernel": Rbf(0.3), "graph": POWER_1} | options
    model = MaxMarginClustering(3, search="steepest", random_state=0, **fixed)
    regs = [1e-3, 0.01, 0.1]
    path = model.fit_path(cloud, ambient_reg=regs, init=init)
    assert [one.parameters_.ambient_reg for one in path] == regs
    for one, reg in zip(path, regs, strict=True):
        alone = clone(model).set_params(ambient_reg=reg).fit(cloud, init=init)
        assert_array_equal(one.labels_, alone.labels_)
        assert_allclose(
            one.decision_function(cloud), alone.decision_function(cloud), atol=1e-6
        )
        assert_allclose(one.objective_, alone.objective_, rtol=1e-6)
        assert one.choice_ is None
    assert not hasattr(model, "labels_")


def names_in(labels, others, n_clusters=3):
    """The cluster in `others` of each cluster in `labels` that has the most rows."""
    _, columns = linear_sum_assignment(
        confusion_matrix(labels, others, labels=range(n_clusters)), maximize=True
    )
    return columns


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"intrinsic_reg": 0},
        {"landmarks": 20},
        {"kernel": "linear"},
        {"balance": "equal"},
    ],
)
def test_path_is_the_clusterers_fitted_one_by_one(cloud, search, options):
    """From the same random starts."""
    fixed = {"kernel": Rbf(0.3), "graph": POWER_1} | options
    model = MaxMarginClustering(3, search=search, random_state=0, **fixed)
    for one in model.fit_path(cloud, ambient_reg=[1e-3, 0.1]):
        alone = (
            clone(model).set_params(ambient_reg=one.parameters_.ambient_reg).fit(cloud)
        )
        # Empty clusters are all the same: rounding decides which of them grows.
        names = names_in(alone.labels_, one.labels_)
        assert_array_equal(names[alone.labels_], one.labels_)
        assert_allclose(one.objective_, alone.objective_, rtol=1e-6)
        own, scores = one.decision_function(cloud), alone.decision_function(cloud)
        assert_allclose(own[:, names], scores, atol=1e-6)


def test_path_on_few_rows_runs_in_one_thread(cloud, monkeypatch):
    """As a fit, which is slow on a busy machine where threads wait for each other."""
    limited = []

    def limit(n_rows):
        limited.append(n_rows)
        return suited_threads(n_rows)

    monkeypatch.setattr(margin_clustering, "suited_threads", limit)
    model = MaxMarginClustering(2, kernel=Rbf(0.5), random_state=0)
    model.fit_path(cloud, ambient_reg=[0.1])
    assert limited == [len(cloud)]


def test_path_of_many_rows_is_the_clusterers_fitted_one_by_one(cloud, small_clustering):
    X = np.vstack([cloud, cloud[:20] + 0.1])
    model = small_clustering(3, kernel=Rbf(0.3), graph=POWER_1, random_state=0)
    for one in model.fit_path(X, ambient_reg=[1e-3, 0.1]):
        alone = clone(model).set_params(ambient_reg=one.parameters_.ambient_reg).fit(X)
        assert len(alone.function_.points) == 30
        assert_array_equal(one.labels_, alone.labels_)
        assert_allclose(one.objective_, alone.objective_, rtol=1e-6)


def test_path_finds_blobs_for_every_weight(blobs):
    X, y = blobs
    frame = pd.DataFrame(X, columns=["a", "b"])
    for options in (FIXED, {}):
        model = MaxMarginClustering(3, random_state=0, **options)
        for one in model.fit_path(frame, ambient_reg=[1e-4, 1e-3, 1e-2]):
            assert adjusted_rand_score(y, one.labels_) == 1.0
            assert one.feature_names_in_.tolist() == ["a", "b"]
            assert one.n_features_in_ == 2


def test_bad_weights_of_a_path_are_refused_before_any_fit(blobs):
    X, _ = blobs
    with pytest.raises(ValueError, match=r"ambient_reg of MaxMarginClustering .* -1"):
        MaxMarginClustering(3).fit_path(X, ambient_reg=[0.1, -1.0])
    with pytest.raises(ValueError, match=r"at least one .* got \['auto', 0\.1\]"):
        MaxMarginClustering(3).fit_path(X, ambient_reg=["auto", np.float64(0.1)])


# Types of input


@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly", "laplacian", "cosine"])
@pytest.mark.parametrize("landmarks", [None, 20])
def test_sparse_rows_are_dense_rows(kernel, landmarks):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 6)) * (rng.random((60, 6)) < 0.5)
    X[~X.any(axis=1), 0] = 1.0
    widths = {"rbf": Rbf(0.3), "poly": Polynomial(0.3), "laplacian": Laplacian(0.3)}
    own = {"kernel": widths.get(kernel, kernel), "landmarks": landmarks}
    model = MaxMarginClustering(3, random_state=0, **(FIXED | own))
    dense = clone(model).fit(X)
    thin = clone(model).fit(sparse.csr_matrix(X))
    assert_array_equal(thin.labels_, dense.labels_)
    assert_allclose(
        thin.decision_function(sparse.csr_array(X)),
        dense.decision_function(X),
        atol=1e-5,
    )


@pytest.mark.parametrize("landmarks", [None, 40])
@pytest.mark.parametrize("options", [{}, FIXED, {"intrinsic_reg": 0}])
def test_single_precision_agrees(blobs, landmarks, options):
    X, _ = blobs
    X32 = X.astype(np.float32)
    model = MaxMarginClustering(3, landmarks=landmarks, random_state=0, **options)
    single, double = clone(model).fit(X32), clone(model).fit(X32.astype(float))
    assert adjusted_rand_score(single.labels_, double.labels_) > 0.97
    assert_allclose(single.objective_, double.objective_, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("search", SEARCHES)
def test_precomputed_kernel_is_the_kernel(blobs, search):
    """The same objective and the same function for the same clusters."""
    X, _ = blobs
    gram, new = rbf_kernel(X, gamma=0.3), X[:40] + 0.1
    options = FIXED | {"intrinsic_reg": 0, "random_state": 0}
    given = MaxMarginClustering(
        3, **(options | {"kernel": "precomputed", "search": search})
    ).fit(gram)
    direct = MaxMarginClustering(3, **options)
    direct.fit(X, init=given.labels_, fixed=np.ones(90, bool))
    assert_allclose(given.objective_, direct.objective_, rtol=1e-8)
    assert_allclose(
        given.decision_function(rbf_kernel(new, X, gamma=0.3)),
        direct.decision_function(new),
        atol=1e-6,
    )


def test_precomputed_kernel_finds_blobs(blobs):
    """Distances in the feature space of a Gaussian kernel rank as those of X."""
    X, y = blobs
    gram = rbf_kernel(X, gamma=0.3)
    for landmarks in (None, 30):
        model = MaxMarginClustering(
            3, kernel="precomputed", landmarks=landmarks, random_state=0
        ).fit(gram)
        assert adjusted_rand_score(model.labels_, y) == 1.0
        assert_array_equal(model.predict(gram), model.labels_)


# Degenerate data


@pytest.mark.parametrize("landmarks", [None, 5])
@pytest.mark.parametrize("options", [{}, FIXED, {"balance": "equal"}])
def test_rows_that_are_all_the_same(landmarks, options):
    model = MaxMarginClustering(3, landmarks=landmarks, random_state=0, **options)
    labels = model.fit(np.ones((30, 2))).labels_
    assert_array_equal(np.unique(labels), [0, 1, 2])
    assert np.isfinite(model.decision_function(np.ones((2, 2)))).all()


@pytest.mark.parametrize("options", [{}, FIXED, {"balance": "equal"}])
def test_fewer_distinct_rows_than_clusters_do_not_warn(options):
    X = np.repeat([[0.0, 0.0], [1.0, 1.0]], 15, axis=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = MaxMarginClustering(3, random_state=0, **options).fit(X)
    assert_array_equal(np.unique(model.labels_), [0, 1, 2])


def test_linear_kernel_of_zeros_says_why_not():
    for options in ({}, FIXED):
        model = MaxMarginClustering(3, **(options | {"kernel": "linear"}))
        with pytest.raises(ValueError, match="positive diagonal, got 0 on average"):
            model.fit(np.zeros((10, 2)))


# Progress and interrupts


def test_verbose_prints_progress(blobs, capsys):
    X, _ = blobs
    MaxMarginClustering(3, n_restarts=2, verbose=True, random_state=0, **FIXED).fit(X)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2
    assert lines[1].startswith("MaxMarginClustering: search 2: objective ")
    assert lines[1].endswith(" moves per second")
    model = MaxMarginClustering(3, verbose=True, random_state=0).fit(X)
    printed = capsys.readouterr().out
    assert "MaxMarginClustering: trial 12 of 12: Parameters(power=2, " in printed
    assert printed.splitlines()[-1].startswith("MaxMarginClustering: chose Parameters(")
    agreement, stability = model.choice_.agreement, model.choice_.stability
    score = (agreement + stability)[model.choice_.best]
    assert printed.endswith(f" = {score:.3f}\n")
    MaxMarginClustering(3, random_state=0).fit(X)
    assert capsys.readouterr().out == ""


CALLS = []


@dataclass(frozen=True)
class Interrupted(Shaking):
    """A search during which the user presses Ctrl-C, in a call of some number."""

    n_calls: int = 1

    def improve(self, *args, **options):
        CALLS.append(1)
        if len(CALLS) == self.n_calls:
            raise KeyboardInterrupt
        return super().improve(*args, **options)


@pytest.mark.parametrize("n_calls", [1, 2, 4])
@pytest.mark.parametrize("options", [{}, FIXED, {"kernel": Rbf(0.3), "landmarks": 20}])
def test_interrupt_keeps_a_usable_model(blobs, n_calls, options):
    X, _ = blobs
    CALLS.clear()
    search = Interrupted(n_calls=n_calls)
    model = MaxMarginClustering(
        3, search=search, n_restarts=6, random_state=0, **options
    )
    with (
        pytest.warns(ConvergenceWarning, match="interrupted; the best result so far"),
        pytest.raises(KeyboardInterrupt),  # a loop around the fit must end
    ):
        model.fit(X)
    assert model.result_.status is Status.INTERRUPTED
    assert_array_equal(np.unique(model.labels_), [0, 1, 2])
    assert np.isfinite(model.decision_function(X)).all()
    if options == {}:  # what was compared until then
        assert len(model.choice_.parameters) == n_calls


def test_interrupt_of_the_choice_on_a_part_leaves_no_model(blobs, small_clustering):
    X, _ = blobs
    CALLS.clear()
    model = small_clustering(3, search=Interrupted(n_calls=2), random_state=0)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X)
    assert not hasattr(model, "labels_")


def test_interrupt_of_the_choice_of_a_number_is_passed_on(blobs):
    X, _ = blobs
    CALLS.clear()
    model = MaxMarginClustering("auto", search=Interrupted(n_calls=3), random_state=0)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X)
    assert len(CALLS) < 10  # other numbers are not tried
    assert not hasattr(model, "labels_")


SENT = []


@dataclass(frozen=True)
class Signaled(Tabu):
    """A search that gets a signal soon after the first one has begun."""

    def improve(self, problem, codes, *args, **options):
        if not SENT:
            SENT.append(1)
            pid = os.getpid()
            threading.Timer(0.1, os.kill, (pid, signal.SIGINT)).start()
        return super().improve(problem, codes, *args, **options)


def test_signal_ends_a_long_search(rng, interruptible):
    X = rng.normal(size=(1500, 3))
    options = {"landmarks": 100, "random_state": 0} | FIXED
    small = MaxMarginClustering(4, search="tabu", n_restarts=1, **options)
    small.set_params(landmarks=20).fit(X[:100])  # compiles
    SENT.clear()
    model = MaxMarginClustering(4, search=Signaled(), n_restarts=1000, **options)
    with (
        pytest.warns(ConvergenceWarning, match="interrupted; the best result so far"),
        pytest.raises(KeyboardInterrupt),
    ):
        model.fit(X)
    assert len(model.result_.history["found"]) < 1000
    assert_array_equal(np.unique(model.labels_), np.arange(4))


# Bad input


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_clusters": 0}, "must be a whole number >= 1, got 0"),
        ({"n_clusters": 2.5}, "must be a whole number >= 1, got 2.5"),
        ({"kernel": "gauss"}, "must be one of .* got 'gauss'"),
        ({"graph": "tree"}, "must be one of 'knn' or a Graph value, got 'tree'"),
        ({"ambient_reg": 0}, "must be a number > 0, got 0"),
        ({"ambient_reg": "little"}, "must be 'auto' or a number > 0, got 'little'"),
        ({"ambient_reg": float("nan")}, "must be a number > 0, got nan"),
        ({"intrinsic_reg": -0.1}, "must be a number >= 0, got -0.1"),
        ({"intrinsic_reg": "yes"}, "must be 'auto' or a number >= 0, got 'yes'"),
        ({"balance": "labeled"}, "must be None, 'equal' or a dict .* 'labeled'"),
        ({"balance": "all"}, "must be .* got 'all'"),
        ({"search": "annealing"}, "must be one of 'auto', .* got 'annealing'"),
        ({"n_restarts": 0}, "must be a whole number >= 1, got 0"),
        ({"landmarks": 0}, "must be 'auto', None, a whole number >= 1 or .* got 0"),
        ({"landmarks": "many"}, "must be 'auto', None, a whole .* got 'many'"),
        ({"n_jobs": 0}, "must be None, a number of threads, or -1 .* got 0"),
        ({"n_jobs": "x"}, "must be a whole number.* got 'x'"),
        ({"n_jobs": 1.5}, "must be a whole number.* got 1.5"),
        ({"n_restarts": np.int64(0)}, r"must be a whole number >= 1, got 0\.$"),
    ],
)
def test_bad_parameter_is_named_with_its_value(blobs, options, message):
    X, _ = blobs
    (name,) = options
    with pytest.raises(ValueError, match=f"{name} of MaxMarginClustering {message}"):
        MaxMarginClustering(**options).fit(X)


def test_tolerance_of_clusters_is_a_tenth_unless_set(blobs):
    X, _ = blobs
    options = {"search": "tabu", "random_state": 0} | FIXED
    one = MaxMarginClustering(3, balance="equal", **options).fit(X)
    other = MaxMarginClustering(3, balance=Balance("equal", 0.1), **options).fit(X)
    assert_array_equal(one.labels_, other.labels_)
    assert np.abs(np.bincount(one.labels_) / 90 - 1 / 3).max() < 0.1


def test_bad_random_state_is_named_with_its_value(blobs):
    X, _ = blobs
    with pytest.raises(ValueError, match=r"random_state.* must be .* got -1"):
        MaxMarginClustering(3, random_state=-1).fit(X)


def test_precomputed_kernel_must_be_square(blobs):
    X, _ = blobs
    with pytest.raises(ValueError, match=r"square Gram matrix .* got shape \(90, 2\)"):
        MaxMarginClustering(3, kernel="precomputed").fit(X)


def test_more_clusters_than_samples_are_refused(blobs):
    X, _ = blobs
    with pytest.raises(ValueError, match="n_samples=5 should be >= n_clusters=6"):
        MaxMarginClustering(6).fit(X[:5])
    assert len(set(MaxMarginClustering(5, random_state=0).fit(X[:5]).labels_)) == 5
