import numpy as np
import pytest
from label_reference import (
    all_ties,
    features_of,
    label_problem,
    rbf_gram,
    smooth_smoother,
    some_given,
)
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

from widemargin.graphs import KnnGraph, graph_laplacian, knn_adjacency
from widemargin.kernels import Linear
from widemargin.labelling import Steepest
from widemargin.labelling.choice import Parameters
from widemargin.labelling.clusters import (
    ClusterGraph,
    ClusterModel,
    ClusterSizes,
    ClusterTask,
    cluster_spectrum,
    name_by_fixed,
    name_by_size,
    reassign_to_means,
)
from widemargin.labelling.constraints import Constraints
from widemargin.labelling.starts import random_start
from widemargin.rows import Rows
from widemargin.sample import collect_sample
from widemargin.spaces import FeatureSpace, GramSpace
from widemargin.spaces.smoother import DenseSmoother, LowRankSmoother, Smoother

SIZES = np.array([30, 20, 10])


@pytest.fixture
def truth():
    return np.repeat([0, 1, 2], SIZES)


@pytest.fixture
def smoother(rng, truth):
    """Of three blobs of different sizes."""
    X = np.array([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]])[truth]
    X += 0.5 * rng.normal(size=X.shape)
    return DenseSmoother(rbf_gram(X, 2.0), np.full(60, 1 / 60), 0.01)


@pytest.mark.parametrize("names", [[0, 1, 2], [2, 0, 1], [1, 0, 2]])
def test_fixed_samples_name_the_clusters(smoother, truth, names):
    given, wanted = np.full(60, -1), np.array(names)[truth]
    fixed = [0, 1, 35, 55]
    given[fixed] = wanted[fixed]
    problem = label_problem(smoother, 3, given=given, lower=1)
    codes = name_by_fixed(problem, truth)
    assert_array_equal(codes, wanted)
    assert codes.dtype == np.int32


def test_most_fixed_samples_of_a_cluster_name_it(smoother, truth):
    """And the one that disagrees keeps its own."""
    given = np.full(60, -1)
    given[:4], given[30:33] = [1, 1, 1, 2], 2
    problem = label_problem(smoother, 3, given=given, lower=1)
    expected = np.array([1, 2, 0])[truth]
    expected[3] = 2
    assert_array_equal(name_by_fixed(problem, truth), expected)


@pytest.mark.parametrize("names", [[0, 1, 2], [2, 0, 1], [1, 2, 0]])
def test_larger_clusters_get_larger_sizes(smoother, truth, names):
    target = np.empty(3)
    target[names] = SIZES
    problem = label_problem(smoother, 3, lower=target, upper=target, target=target)
    codes = name_by_size(problem, truth)
    assert_array_equal(codes, np.array(names)[truth])
    assert codes.dtype == np.int32


@pytest.mark.parametrize("name", [name_by_fixed, name_by_size])
def test_bounds_hold_though_those_of_the_clusters_did_not(smoother, truth, name):
    problem = label_problem(smoother, 3, lower=20, upper=20)
    assert not problem.is_feasible(truth)
    assert problem.is_feasible(name(problem, truth))


# Clusters from the spectrum


@pytest.mark.parametrize("low_rank", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_spectrum_tells_blobs_of_any_size_apart(rng, low_rank, dtype):
    truth = np.repeat([0, 1, 2], [50, 15, 10])
    X = np.array([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]])[truth]
    X += 0.5 * rng.normal(size=X.shape)
    gram, weights = rbf_gram(X, 3.0), np.full(75, 1 / 75)
    if low_rank:
        smoother = LowRankSmoother(features_of(gram).astype(dtype), weights, 0.1)
    else:
        smoother = DenseSmoother(gram.astype(dtype), weights, 0.1)
    codes = cluster_spectrum(label_problem(smoother, 3), np.arange(75), rng)
    assert adjusted_rand_score(truth, codes) == 1.0
    assert codes.dtype == np.int32


def test_spectrum_settles_within_bounds(rng):
    """Samples are nearest to their own mean; where bounds are broken it stays."""
    smoother = DenseSmoother(
        rbf_gram(rng.normal(size=(60, 2))), np.full(60, 1 / 60), 0.1
    )
    problem, order = label_problem(smoother, 4), np.arange(60)
    codes = cluster_spectrum(problem, order, np.random.default_rng(0))
    assert_array_equal(reassign_to_means(problem, codes, max_rounds=1), codes)
    tight = label_problem(smoother, 4, lower=15, upper=15)
    broken = cluster_spectrum(tight, order, np.random.default_rng(0))
    assert not tight.is_feasible(broken)


def test_spectrum_does_not_depend_on_the_order_of_rows(rng):
    X, order = rng.normal(size=(50, 2)), rng.permutation(50)
    found = []
    for rows in (np.arange(50), order):
        smoother = DenseSmoother(rbf_gram(X[rows]), np.full(50, 0.02), 1e-2)
        seen = np.argsort(X[rows, 0])
        problem = label_problem(smoother, 4)
        found.append(cluster_spectrum(problem, seen, np.random.default_rng(0)))
    assert_array_equal(found[1], found[0][order])


@pytest.mark.parametrize("n", [3, 4, 5])
def test_spectrum_of_few_rows(rng, n):
    smoother = DenseSmoother(rbf_gram(rng.normal(size=(n, 2))), np.full(n, 1 / n), 0.1)
    codes = cluster_spectrum(label_problem(smoother, 3), np.arange(n), rng)
    assert set(codes) == {0, 1, 2}


# Sizes


def no_constraints(n):
    nowhere = np.zeros(n, dtype=bool)
    return Constraints(np.zeros(n, dtype=np.int32), nowhere, nowhere)


def test_clusters_may_be_empty_if_there_is_no_floor(rng):
    """As they may be by the algorithm as published."""
    X = np.repeat([[0.0, 0.0], [9.0, 0.0]], 20, axis=0) + 0.1 * rng.normal(size=(40, 2))
    smoother = DenseSmoother(rbf_gram(X, 1.3), np.full(40, 1 / 40), 1e-3)
    for has_floor in (False, True):
        sizes = ClusterSizes(5, None, 0.1, has_floor)
        problem = sizes.make_problem(smoother, no_constraints(40), np.arange(40))
        codes, _ = Steepest().improve(problem, random_start(problem, rng))
        assert (len(np.unique(codes)) == 5) == has_floor


@pytest.mark.parametrize("has_floor", [True, False])
def test_bounds_of_free_sizes_leave_what_is_fixed(has_floor):
    """Nine of ten rows are fixed in the first cluster."""
    fixed = np.arange(10) < 9
    constraints = Constraints(np.zeros(10, dtype=np.int32), fixed, fixed)
    sizes = ClusterSizes(2, None, 0.1, has_floor)
    problem = sizes.make_problem(None, constraints, np.arange(10))
    assert_array_equal(problem.lower, [int(has_floor), 0])
    assert_array_equal(problem.upper, [10, 10])
    assert_array_equal(problem.order, [9])


# Models


@pytest.mark.parametrize("intrinsic_reg", [0.3, "auto", 0])
def test_weights_are_relative_to_the_kernel_and_to_the_rows(X, intrinsic_reg):
    """The smoother of loss + ambient_reg * scale |f|^2 + weight * f'L^2 f."""
    gram = X @ X.T + np.eye(30)
    graph = ClusterGraph(KnnGraph(5, "binary"), intrinsic_reg)
    task = ClusterTask(collect_sample(Rows(X), merge="none"), no_constraints(30))
    parameters, scale = Parameters(2, Linear(), 0.1), np.diagonal(gram).mean()
    model = ClusterModel(GramSpace(gram), graph, parameters, scale)
    laplacian = graph_laplacian(
        knn_adjacency(X, 5, "binary"), normalized=False, power=2
    ).to_dense()
    weight = 10 / 30 if intrinsic_reg == "auto" else intrinsic_reg
    matrix = gram / 30 + 0.1 * scale * np.eye(30) + weight * laplacian @ gram
    expected = gram @ np.linalg.inv(matrix) / 30
    assert_allclose(model.smoother(task) @ np.eye(30), expected, atol=1e-8)
    assert_allclose(model.smoothers(task)(0.1) @ np.eye(30), expected, atol=1e-8)


def test_part_of_a_model_is_the_model_of_these_rows(X):
    graph, parameters = ClusterGraph(KnnGraph(5), "auto"), Parameters(1, Linear(), 0.1)
    task = ClusterTask(collect_sample(Rows(X), merge="none"), no_constraints(30))
    idx = np.arange(22)
    whole = ClusterModel(FeatureSpace(X), graph, parameters, 1.0)
    own = FeatureSpace(X[idx])
    alone = ClusterModel(own, graph, parameters, own.mean_diagonal())
    part, some = whole.part(idx), task.part(idx)
    assert part.scale == alone.scale
    expected = alone.smoother(some) @ np.eye(22)
    assert_allclose(part.smoother(some) @ np.eye(22), expected)
    assert_array_equal(some.sample.rows.X, X[idx])
    assert len(some.constraints.codes) == 22
    assert_allclose(some.weights, 1 / 22)


def distances_to_means(ties, codes, n_classes):
    """Squared, in the space of the ties, from the points as vectors."""
    values, vectors = np.linalg.eigh(ties)
    points = vectors * np.sqrt(np.maximum(values, 0.0))
    means = [points[codes == h].mean(axis=0) for h in range(n_classes)]
    return np.array([((points - mean) ** 2).sum(axis=1) for mean in means])


def within(ties, codes, n_classes):
    """Sum of squared distances to the own mean."""
    distances = distances_to_means(ties, codes, n_classes)
    return distances[codes, np.arange(len(codes))].sum()


@pytest.fixture(params=[None, 9], ids=["dense", "low rank"])
def problem(request, rng):
    return label_problem(smooth_smoother(rng, 60, rank=request.param), 3, lower=1)


def test_one_round_moves_every_point_to_the_nearest_mean(problem, rng):
    codes = rng.integers(3, size=60)
    nearest = distances_to_means(all_ties(problem), codes, 3).argmin(axis=0)
    assert_array_equal(reassign_to_means(problem, codes, max_rounds=1), nearest)


def test_at_the_end_no_point_is_nearer_to_another_mean(problem, rng):
    codes = reassign_to_means(problem, rng.integers(3, size=60), max_rounds=1000)
    nearest = distances_to_means(all_ties(problem), codes, 3).argmin(axis=0)
    assert_array_equal(codes, nearest)
    assert codes.dtype == np.int32


def test_rounds_never_raise_the_squared_distances(problem, rng):
    start, ties = rng.integers(3, size=60), all_ties(problem)
    rounds = [reassign_to_means(problem, start, max_rounds=n) for n in range(8)]
    assert_array_equal(rounds[0], start)
    sums = [within(ties, codes, 3) for codes in rounds]
    assert (np.diff(sums) <= 1e-12).all()
    assert sums[-1] < sums[0]


def test_it_is_scikit_learns_k_means_in_the_space_of_the_features(rng):
    factor = rng.normal(size=(80, 4))
    codes = rng.integers(3, size=80)
    smoother = Smoother(factor, np.ones(80), low_rank=True)
    ours = reassign_to_means(label_problem(smoother, 3), codes, max_rounds=300)
    centers = np.array([factor[codes == h].mean(axis=0) for h in range(3)])
    theirs = KMeans(3, init=centers, n_init=1, max_iter=300, tol=0.0).fit(factor)
    assert_array_equal(ours, theirs.labels_)


def test_sizes_become_those_of_the_data(rng):
    """Equal sizes at first, blobs of 45, 10 and 5 points at the end."""
    truth = np.repeat([0, 1, 2], [45, 10, 5])
    X = np.array([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]])[truth]
    X += 0.3 * rng.normal(size=X.shape)
    smoother = DenseSmoother(rbf_gram(X, 3.0), np.full(60, 1 / 60), 1e-2)
    start = np.repeat([0, 1, 2], [20, 20, 20])
    start[45:55], start[55:] = 1, 2
    assert_array_equal(reassign_to_means(label_problem(smoother, 3), start), truth)


def test_given_labels_stay(rng):
    given = some_given(rng, 60, 3, 12)
    problem = label_problem(smooth_smoother(rng, 60), 3, given=given)
    start = np.where(given >= 0, given, rng.integers(3, size=60))
    codes = reassign_to_means(problem, start)
    assert_array_equal(codes[given >= 0], given[given >= 0])
    assert (codes != start).any()


def test_rounds_stop_before_a_bound_is_broken(rng):
    smoother, start = smooth_smoother(rng, 60), np.repeat([0, 1, 2], 20)
    rng.shuffle(start)
    free = reassign_to_means(label_problem(smoother, 3), start)
    sizes = np.bincount(
        reassign_to_means(label_problem(smoother, 3), start, max_rounds=1)
    )
    assert (sizes != 20).any()
    for slack in (0, 1, 3, 10, 40):
        problem = label_problem(smoother, 3, lower=max(0, 20 - slack), upper=20 + slack)
        assert problem.is_feasible(reassign_to_means(problem, start))
    assert_array_equal(reassign_to_means(problem, start), free)
    tight = label_problem(smoother, 3, lower=20, upper=20)
    assert_array_equal(reassign_to_means(tight, start), start)


def test_empty_clusters_attract_nobody(problem, rng):
    codes = rng.integers(2, size=60)
    free = label_problem(problem.smoother, 3)
    assert reassign_to_means(free, codes).max() == 1


def test_start_is_not_changed(problem, rng):
    start = rng.integers(3, size=60)
    before = start.copy()
    reassign_to_means(problem, start)
    assert_array_equal(start, before)
