import numpy as np
import pytest
from label_reference import (
    features_of,
    label_problem,
    rbf_gram,
    smooth_smoother,
    some_given,
)
from numpy.testing import assert_allclose, assert_array_equal

from widemargin.labelling.starts import Starts, random_start, smoothed_start
from widemargin.spaces.smoother import DenseSmoother, LowRankSmoother


@pytest.fixture
def smoother(rng):
    return smooth_smoother(rng, 60)


def test_random_start_is_repeatable_and_within_bounds(smoother, rng):
    given = some_given(rng, 60, 3, 9)
    problem = label_problem(
        smoother, 3, given=given, lower=[10, 25, 5], upper=[20, 25, 60]
    )
    starts = [random_start(problem, np.random.default_rng(s)) for s in (1, 1, 2)]
    assert_array_equal(starts[0], starts[1])
    assert (starts[0] != starts[2]).any()
    for start in starts:
        assert problem.is_feasible(start)
        assert start.dtype == np.int32


def test_random_start_follows_the_target_sizes(smoother):
    """Given points count: a class that has its share gets hardly any more."""
    given = np.where(np.arange(60) < 20, 0, -1)
    problem = label_problem(smoother, 3, given=given, target=[20.0, 30.0, 10.0])
    rng = np.random.default_rng(0)
    sizes = np.mean(
        [np.bincount(random_start(problem, rng), minlength=3) for _ in range(200)],
        axis=0,
    )
    assert_allclose(sizes, [20.0, 30.0, 10.0], atol=1.0)


def test_random_start_moves_random_points_where_bounds_are_tight(smoother):
    problem = label_problem(smoother, 2, lower=[6, 54], upper=[6, 54])
    rng = np.random.default_rng(0)
    often = np.mean([random_start(problem, rng) == 0 for _ in range(500)], axis=0)
    assert_allclose(often, 0.1, atol=0.07)


def blobs(rng, n_each=20):
    centers = np.array([[0.0, 0.0], [6.0, 0.0], [0.0, 6.0]])
    truth = np.repeat(np.arange(3), n_each)
    return centers[truth] + rng.normal(size=(len(truth), 2)), truth


@pytest.mark.parametrize("low_rank", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_smoothed_start_on_separable_classes_is_right(rng, low_rank, dtype):
    """Though one class has nine labels and the others have one."""
    X, truth = blobs(rng)
    weights, gram = rng.uniform(0.5, 2.0, len(X)), rbf_gram(X, 2.0)
    if low_rank:
        smoother = LowRankSmoother(features_of(gram, 20).astype(dtype), weights, 30.0)
    else:
        smoother = DenseSmoother(gram.astype(dtype), weights, 30.0)
    given = np.full(len(X), -1)
    known = [*range(9), 20, 40]
    given[known] = truth[known]
    start = smoothed_start(label_problem(smoother, 3, given=given))
    assert_array_equal(start, truth)
    assert start.dtype == np.int32


@pytest.mark.parametrize("rank", [None, 8])
def test_smoothed_start_means_over_the_given_points_of_each_class(rng, rank):
    """Twelve labels of one class weigh no more than the two of another."""
    given = np.full(60, -1)
    given[:16] = np.repeat([0, 1, 2], [12, 2, 2])
    smoother = smooth_smoother(rng, 60, rank=rank)
    R = smoother @ np.eye(60)
    ties = np.array([R[:, given == h].mean(axis=1) for h in range(3)])
    sums = np.array([R[:, given == h].sum(axis=1) for h in range(3)])
    start = smoothed_start(label_problem(smoother, 3, given=given))
    assert_array_equal(start, np.where(given < 0, ties.argmax(axis=0), given))
    assert (ties.argmax(axis=0) != sums.argmax(axis=0))[given < 0].any()


def test_smoothed_start_with_a_class_without_labels(rng, smoother):
    given = np.full(60, -1)
    given[:4] = [0, 0, 1, 1]
    problem = label_problem(smoother, 3, given=given, lower=5)
    assert problem.is_feasible(smoothed_start(problem))


def test_preferred_codes_keep_given_labels(rng, smoother):
    given = some_given(rng, 60, 3, 9)
    preference = rng.random((3, 60))
    codes = label_problem(smoother, 3, given=given).preferred_codes(preference)
    assert_array_equal(codes, np.where(given >= 0, given, preference.argmax(axis=0)))


def test_preferred_codes_fill_a_class_without_labels(rng, smoother):
    given = np.full(60, -1)
    given[:4] = [0, 0, 1, 1]
    problem = label_problem(smoother, 3, given=given, lower=5)
    preference = np.zeros((3, 60))
    preference[:2] = rng.random((2, 60))
    codes = problem.preferred_codes(preference)
    assert np.bincount(codes)[2] == 5
    assert problem.is_feasible(codes)


def test_repair_moves_the_points_that_lose_least(smoother):
    """Ten points too many: the ten that prefer the other class most go."""
    codes = np.repeat([0, 1], [40, 20])
    preference = np.zeros((2, 60))
    preference[0, :40] = np.random.default_rng(3).permutation(40)
    repaired = label_problem(smoother, 2, upper=[30, 60]).repair(codes, preference)
    assert_array_equal(repaired[:40], np.where(preference[0, :40] < 10, 1, 0))
    assert (repaired[40:] == 1).all()


def test_repair_fills_a_class_from_those_that_can_spare_points(smoother):
    codes = np.repeat([0, 1], [50, 10])
    problem = label_problem(smoother, 3, lower=[0, 10, 7])
    preference = np.zeros((3, 60))
    preference[2, [4, 9]] = 1.0
    repaired = problem.repair(codes, preference)
    assert_array_equal(np.bincount(repaired), [43, 10, 7])
    assert (repaired[[4, 9]] == 2).all()


def test_repair_leaves_good_labels_and_its_arguments_alone(rng, smoother):
    codes = np.repeat([0, 1, 2], 20)
    problem = label_problem(smoother, 3, lower=20, upper=20)
    repaired = problem.repair(codes, rng.random((3, 60)))
    assert_array_equal(repaired, codes)
    repaired[:] = 1
    assert_array_equal(codes, np.repeat([0, 1, 2], 20))


@pytest.mark.parametrize(
    ("lower", "upper", "n_given"),
    [
        ([40, 30], [60, 60], 0),  # more than there are points
        ([0, 0], [20, 30], 0),  # fewer
        ([0, 0], [60, 9], 10),  # fewer than are given
        ([51, 0], [60, 60], 10),  # the given points are missing in the first
    ],
)
def test_bounds_that_no_labeling_keeps_are_refused(
    smoother, rng, lower, upper, n_given
):
    given = np.where(np.arange(60) < n_given, 1, -1)
    problem = label_problem(smoother, 2, given=given, lower=lower, upper=upper)
    with pytest.raises(ValueError, match=r"no labeling has class sizes from \["):
        random_start(problem, rng)


@pytest.mark.parametrize("given", ["random", Starts("random"), Starts("both", 3)])
def test_starts_are_read_from_their_kind_or_a_value(given):
    read = Starts.read(given, "start of X")
    assert read == (Starts("random") if given == "random" else given)


def test_unknown_starts_are_refused():
    match = "start of X must be one of 'supervised', .* got 'kmeans'"
    with pytest.raises(ValueError, match=match):
        Starts.read("kmeans", "start of X")
    with pytest.raises(ValueError, match=r"n_starts of Starts must be .* got 0"):
        Starts("both", n_starts=0)
