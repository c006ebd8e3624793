from dataclasses import dataclass

import numpy as np
import pytest
from clusterings import FIXED, POWER_1, SEARCHES
from numpy.testing import assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import rbf_kernel

from widemargin.estimators.margin_clustering import MaxMarginClustering
from widemargin.kernels import Rbf
from widemargin.labelling import Shaking
from widemargin.objectives.class_sizes import Balance


def test_fixed_rows_keep_their_cluster(blobs):
    X, y = blobs
    init = np.full(90, -1)
    fixed = [np.flatnonzero(y == h)[0] for h in (2, 0, 1)]
    init[fixed] = 0, 1, 2
    for search in SEARCHES:
        model = MaxMarginClustering(3, search=search, random_state=0, **FIXED)
        model.fit(X, init=init, fixed=fixed)
        assert_array_equal(model.labels_[fixed], [0, 1, 2])
    model = MaxMarginClustering(3, random_state=0).fit(X, init=init, fixed=fixed)
    assert_array_equal(model.labels_, np.array([1, 2, 0])[y])


def test_fixed_rows_keep_their_cluster_against_all_reason(blobs, rng):
    X, _ = blobs
    init, fixed = rng.integers(3, size=90), rng.random(90) < 0.4
    for search in SEARCHES:
        model = MaxMarginClustering(3, search=search, random_state=0, **FIXED)
        model.fit(X, init=init, fixed=fixed)
        assert_array_equal(model.labels_[fixed], init[fixed])


def test_all_rows_fixed(blobs):
    X, y = blobs
    model = MaxMarginClustering(3, random_state=0)
    assert_array_equal(model.fit(X, init=y, fixed=np.ones(90, bool)).labels_, y)


@pytest.mark.parametrize("search", SEARCHES)
def test_perfect_clusters_stay(blobs, search):
    """And keep their names."""
    X, y = blobs
    model = MaxMarginClustering(3, search=search, random_state=0, **FIXED)
    assert_array_equal(model.fit(X, init=y).labels_, y)
    names = np.array([2, 0, 1])
    assert_array_equal(model.fit(X, init=names[y]).labels_, names[y])


@pytest.mark.parametrize("search", SEARCHES)
def test_clusters_of_chance_are_improved(blobs, rng, search):
    X, _ = blobs
    init = rng.integers(3, size=90)
    balance = Balance("equal", tolerance=1.0)
    model = MaxMarginClustering(
        3, search=search, balance=balance, random_state=0, **FIXED
    )
    before = clone(model).fit(X, init=init, fixed=np.ones(90, bool)).objective_
    assert model.fit(X, init=init).objective_ < 0.9 * before


@pytest.mark.parametrize("search", SEARCHES)
def test_clusters_of_the_user_are_only_improved(cloud, search):
    """From the best that another search finds."""
    model = MaxMarginClustering(4, random_state=0, **FIXED)
    best = clone(model).set_params(search="tabu", n_restarts=10).fit(cloud)
    again = clone(model).set_params(search=search).fit(cloud, init=best.labels_)
    assert again.objective_ <= best.objective_ + 1e-9


@pytest.mark.parametrize("seed", range(30))
def test_good_clusters_are_not_reassigned_away(seed):
    X = np.random.default_rng(seed).normal(size=(80, 3))
    model = MaxMarginClustering(
        4, kernel=Rbf(0.5), ambient_reg=0.01, graph=POWER_1, random_state=seed
    )
    best = clone(model).set_params(search="tabu").fit(X)
    again = clone(model).fit(X, init=best.labels_)
    assert again.objective_ <= best.objective_ + 1e-9


@pytest.mark.parametrize("names", [(0, 1), (1, 0), (2, 0)])
def test_other_rows_follow_the_fixed_ones_whatever_their_names(blobs, names):
    X, y = blobs
    init = np.full(90, -1)
    for name, cls in zip(names, (0, 1), strict=True):
        init[np.flatnonzero(y == cls)[:2]] = name
    model = MaxMarginClustering(3, random_state=0).fit(X, init=init, fixed=init >= 0)
    assert adjusted_rand_score(y, model.labels_) == 1.0
    assert_array_equal(model.labels_[init >= 0], init[init >= 0])


@pytest.mark.parametrize("options", [{}, FIXED])
@pytest.mark.parametrize("names", [[0, 1, 2], [2, 0, 1], [1, 2, 0]])
@pytest.mark.slow
def test_sizes_that_are_told_are_found(blobs, options, names):
    """Whichever cluster is said to be the large one."""
    X, y = blobs
    shares = dict(zip(names, (1 / 2, 1 / 3, 1 / 6), strict=True))
    for seed in range(3):
        model = MaxMarginClustering(3, balance=shares, random_state=seed, **options)
        assert adjusted_rand_score(y, model.fit(X).labels_) == 1.0
        assert_array_equal(model.labels_, np.array(names)[y])


@pytest.mark.parametrize("balance", [None, "equal", {0: 1.0}])
@pytest.mark.parametrize(
    "options", [{}, FIXED, {"landmarks": 20}, {"kernel": "linear"}]
)
def test_one_cluster(blobs, balance, options):
    X, _ = blobs
    model = MaxMarginClustering(1, balance=balance, random_state=0, **options)
    assert_array_equal(model.fit(X).labels_, np.zeros(90))
    assert_array_equal(model.predict(X), np.zeros(90))
    assert_array_equal(model.predict(-X[:5]), np.zeros(5))
    assert np.isfinite(model.objective_)
    for one in model.fit_path(X, ambient_reg=[1e-3, 0.1], init=np.zeros(90)):
        assert_array_equal(one.labels_, np.zeros(90))


@pytest.mark.parametrize("search", SEARCHES[1:])
def test_one_cluster_of_every_search(blobs, search):
    X, _ = blobs
    model = MaxMarginClustering(1, search=search, random_state=0).fit(X[:1])
    assert_array_equal(model.labels_, [0])
    assert_array_equal(model.fit(X).predict(X), np.zeros(90))


@pytest.mark.parametrize(
    "options",
    [
        {},
        FIXED,
        {"intrinsic_reg": 0},
        {"search": "stochastic"},
        {"search": Shaking()},
        {"search": "tabu"},
        {"balance": Balance("equal", 0.3)},
        {"kernel": "linear", "landmarks": None},
    ],
)
def test_many_rows(blobs, small_clustering, options):
    X, y = blobs
    model = small_clustering(3, random_state=0).set_params(**options)
    labels = model.fit(X).labels_
    assert_array_equal(np.unique(labels), [0, 1, 2])
    if model.kernel != "linear":
        assert len(model.function_.points) == 30
    if model.search == "auto" and model.kernel != "linear":
        assert adjusted_rand_score(y, labels) > 0.95
    if model.choice_ is not None:
        assert {len(found) for found in model.choice_.labelings} == {50}
    if options == FIXED:
        assert_array_equal(model.fit(sparse.csr_matrix(X)).labels_, labels)


@pytest.mark.slow
def test_many_rows_and_what_the_user_knows(blobs, small_clustering, rng):
    X, y = blobs
    fixed = rng.choice(90, 20, replace=False)
    init = np.full(90, -1)
    init[fixed] = rng.integers(3, size=20)
    for options in ({}, FIXED):
        model = small_clustering(3, random_state=0, **options)
        labels = model.fit(X, init=init, fixed=fixed).labels_
        assert_array_equal(labels[fixed], init[fixed])
        assert_array_equal(clone(model).fit(X, init=y).labels_, y)


SIZES = []


@dataclass(frozen=True)
class Recorded(Shaking):
    """Shaking that keeps the numbers of rows that it was given."""

    def improve(self, problem, *args, **options):
        SIZES.append(problem.n_samples)
        return super().improve(problem, *args, **options)


def test_search_among_some_sees_no_more_than_these(blobs, small_clustering):
    X, _ = blobs
    SIZES.clear()
    options = {"search": Recorded(), "n_restarts": 1, "random_state": 0} | FIXED
    model = small_clustering(3, **options).fit(X)
    assert SIZES == [45]
    assert len(model.labels_) == 90
    model.fit(X[:60])  # not one too many
    assert SIZES == [45, 60]


@pytest.mark.parametrize("options", [FIXED, {}])
@pytest.mark.parametrize("intrinsic_reg", ["auto", 0])
def test_many_rows_of_a_precomputed_kernel_with_landmarks(
    blobs, small_clustering, options, intrinsic_reg
):
    X, y = blobs
    gram = rbf_kernel(X, gamma=0.3)
    own = {"kernel": "precomputed", "landmarks": 30, "intrinsic_reg": intrinsic_reg}
    model = small_clustering(3, random_state=0, **(options | own)).fit(gram)
    assert_array_equal(np.unique(model.labels_), [0, 1, 2])
    assert model.predict(gram).shape == (90,)
    if intrinsic_reg == "auto":
        assert adjusted_rand_score(y, model.labels_) == 1.0
        assert_array_equal(model.predict(gram), model.labels_)
