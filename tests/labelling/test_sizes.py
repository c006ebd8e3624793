import numpy as np
import pytest
from label_reference import (
    all_ties,
    label_problem,
    rbf_gram,
    smooth_smoother,
    some_given,
)
from numpy.testing import assert_array_equal
from sklearn.cluster import KMeans

from widemargin.labelling.sizes import reassign_to_means
from widemargin.spaces.smoother import DenseSmoother, Smoother


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
