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

from widemargin.smoothers import DenseSmoother, LowRankSmoother
from widemargin.solvers.label_starts import (
    best_codes,
    mend,
    random_start,
    smoothed_start,
)


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
    R = smoother.rows(np.arange(60))
    ties = np.array([R[:, given == h].mean(axis=1) for h in range(3)])
    sums = np.array([R[:, given == h].sum(axis=1) for h in range(3)])
    start = smoothed_start(label_problem(smoother, 3, given=given))
    assert_array_equal(start, np.where(given < 0, ties.argmax(axis=0), given))
    assert (ties.argmax(axis=0) != sums.argmax(axis=0))[given < 0].any()


def test_smoothed_start_with_a_class_that_nobody_knows(rng, smoother):
    given = np.full(60, -1)
    given[:4] = [0, 0, 1, 1]
    problem = label_problem(smoother, 3, given=given, lower=5)
    assert problem.is_feasible(smoothed_start(problem))


def test_best_codes_keep_given_labels(rng, smoother):
    given = some_given(rng, 60, 3, 9)
    liking = rng.random((3, 60))
    codes = best_codes(label_problem(smoother, 3, given=given), liking)
    assert_array_equal(codes, np.where(given >= 0, given, liking.argmax(axis=0)))


def test_best_codes_of_a_class_that_nobody_knows_are_mended(rng, smoother):
    given = np.full(60, -1)
    given[:4] = [0, 0, 1, 1]
    problem, liking = (
        label_problem(smoother, 3, given=given, lower=5),
        np.zeros((3, 60)),
    )
    liking[:2] = rng.random((2, 60))
    codes = best_codes(problem, liking)
    assert codes.max() == 1
    assert problem.is_feasible(mend(problem, codes, liking))


def test_mend_moves_the_points_that_lose_least(smoother):
    """Ten points too many: the ten that like the other class best go."""
    codes = np.repeat([0, 1], [40, 20])
    liking = np.zeros((2, 60))
    liking[0, :40] = np.random.default_rng(3).permutation(40)
    mended = mend(label_problem(smoother, 2, upper=[30, 60]), codes, liking)
    assert_array_equal(mended[:40], np.where(liking[0, :40] < 10, 1, 0))
    assert (mended[40:] == 1).all()


def test_mend_fills_a_class_from_those_that_can_spare_points(smoother):
    codes = np.repeat([0, 1], [50, 10])
    problem = label_problem(smoother, 3, lower=[0, 10, 7])
    liking = np.zeros((3, 60))
    liking[2, [4, 9]] = 1.0
    mended = mend(problem, codes, liking)
    assert_array_equal(np.bincount(mended), [43, 10, 7])
    assert (mended[[4, 9]] == 2).all()


def test_mend_leaves_good_labels_and_its_arguments_alone(rng, smoother):
    codes = np.repeat([0, 1, 2], 20)
    problem = label_problem(smoother, 3, lower=20, upper=20)
    mended = mend(problem, codes, rng.random((3, 60)))
    assert_array_equal(mended, codes)
    mended[:] = 1
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
