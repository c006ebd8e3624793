import numpy as np
import pytest
from label_reference import (
    all_ties,
    features_of,
    gains,
    inside,
    label_problem,
    rbf_gram,
    retrained,
    smooth_smoother,
    some_given,
)
from numpy.testing import assert_allclose, assert_array_equal

from widemargin.labelling.problem import LabelState
from widemargin.spaces.smoother import DenseSmoother, LowRankSmoother

REG = 0.4


@pytest.fixture(params=["dense", "low rank"])
def trained(request, rng):
    """A smoother of 24 points beside its kernel and weights."""
    gram, weights = rbf_gram(rng.normal(size=(24, 3))), rng.uniform(0.3, 2.0, 24)
    if request.param == "dense":
        return DenseSmoother(gram, weights, REG), gram, weights
    features = features_of(gram, 6)
    return LowRankSmoother(features, weights, REG), features @ features.T, weights


@pytest.mark.parametrize("n_classes", [2, 3, 4, 5, 6])
def test_value_is_full_retraining(trained, rng, n_classes):
    smoother, gram, weights = trained
    problem = label_problem(smoother, n_classes)
    for used in (n_classes, 1):  # all classes, and all points in one of them
        codes = rng.integers(used, size=24)
        expected = retrained(gram, weights, REG, codes, n_classes)
        assert_allclose(problem.value(codes), expected, atol=1e-9)


@pytest.mark.parametrize("n_classes", [2, 3, 6])
def test_gain_of_every_move_is_retraining(trained, rng, n_classes):
    """dQ = -8 gain; -4 gain for the single function of two classes."""
    smoother, gram, weights = trained
    problem = label_problem(smoother, n_classes)
    codes = rng.integers(n_classes, size=24)
    gains = problem.gains(problem.table(codes), codes)
    assert gains.shape == (n_classes, 24)
    before = retrained(gram, weights, REG, codes, n_classes)
    for h, j in np.ndindex(gains.shape):
        if h == codes[j]:
            continue
        moved = np.where(np.arange(24) == j, h, codes)
        change = retrained(gram, weights, REG, moved, n_classes) - before
        factor = -4 if n_classes == 2 else -8
        assert_allclose(change, factor * gains[h, j], atol=1e-9)


def test_table_and_mass_inside(trained, rng):
    problem = label_problem(trained[0], 4)
    codes = rng.integers(4, size=24)
    ties, table = all_ties(problem), problem.table(codes)
    assert table.flags.c_contiguous
    for h in range(4):
        assert_allclose(table[h], ties[codes == h].sum(axis=0), atol=1e-12)
    assert_allclose(problem.inside(codes), inside(ties, codes), atol=1e-10)


def test_value_does_not_depend_on_the_names_of_classes(trained, rng):
    problem = label_problem(trained[0], 4)
    codes = rng.integers(4, size=24)
    renamed = rng.permutation(4)[codes]
    assert_allclose(problem.value(codes), problem.value(renamed), rtol=1e-12)


def test_single_precision_keeps_its_type(rng):
    smoother = smooth_smoother(rng, 24, dtype=np.float32)
    problem, codes = label_problem(smoother, 3), rng.integers(3, size=24)
    table = problem.table(codes)
    assert table.dtype == problem.gains(table, codes).dtype == np.float32
    exact = label_problem(smooth_smoother(np.random.default_rng(0), 24), 3)
    assert_allclose(problem.value(codes), exact.value(codes), rtol=1e-5)


def test_dense_mass_is_the_same_problem(trained, rng):
    problem, codes = label_problem(trained[0], 3), rng.integers(3, size=24)
    dense = problem.with_dense_smoother()
    assert not dense.smoother.low_rank
    assert_allclose(dense.value(codes), problem.value(codes), rtol=1e-12)
    assert_allclose(
        dense.smoother.weighted_diagonal, problem.smoother.weighted_diagonal
    )
    assert (dense is problem) == (not problem.smoother.low_rank)
    assert_array_equal(dense.order, problem.order)


@pytest.mark.parametrize("classes", [[1, 3], [0, 2, 4], [0, 1, 2, 3, 4]])
def test_part_agrees_with_the_whole_on_every_change(trained, rng, classes):
    given = some_given(rng, 24, 5, 7)
    order = rng.permutation(np.flatnonzero(given < 0))
    problem = label_problem(
        trained[0], 5, given=given, lower=[1, 2, 3, 4, 5], upper=[11, 12, 13, 14, 15],
        target=[4.0, 5.0, 6.0, 3.0, 6.0], order=order,
    )  # fmt: skip
    codes = np.where(given >= 0, given, rng.integers(5, size=24))
    classes = np.array(classes)
    points = np.flatnonzero(np.isin(codes, classes))
    part = problem.part(points, classes)
    assert (part.n_classes, part.n_samples) == (len(classes), len(points))
    assert_array_equal(part.lower, problem.lower[classes])
    assert_array_equal(part.upper, problem.upper[classes])
    assert_array_equal(part.movable, given[points] < 0)
    assert_array_equal(classes[part.given[~part.movable]], given[points][~part.movable])
    assert_array_equal(points[part.order], [j for j in order if j in points])
    assert_allclose(part.target.sum(), len(points))
    shares = problem.target[classes] / problem.target[classes].sum()
    assert_allclose(part.target / part.target.sum(), shares)

    def change(whole, new):
        return whole.inside(new) - whole.inside(start)

    for _ in range(10):
        start = codes
        other = codes.copy()
        other[points] = classes[rng.integers(len(classes), size=len(points))]
        by_whole = change(problem, other)
        start = np.searchsorted(classes, codes[points])
        by_part = change(part, np.searchsorted(classes, other[points]))
        assert_allclose(by_part, by_whole, atol=1e-9)


def test_feasible_means_given_labels_and_bounds(rng):
    given = np.array([0, 1, -1, -1, -1, -1])
    problem = label_problem(
        smooth_smoother(rng, 6), 3, given=given, lower=[1, 2, 0], upper=[3, 3, 2]
    )

    def is_feasible(codes):
        return problem.is_feasible(np.array(codes))

    assert is_feasible([0, 1, 1, 0, 0, 2])
    assert is_feasible([0, 1, 1, 0, 2, 2])
    assert is_feasible([0, 1, 1, 0, 0, 1])  # the last class may be empty
    assert not is_feasible([1, 0, 1, 0, 0, 2])  # given labels
    assert not is_feasible([0, 0, 1, 1, 0, 2])
    assert not is_feasible([0, 1, 0, 0, 2, 2])  # lower
    assert not is_feasible([0, 1, 1, 0, 0, 0])  # upper
    assert not is_feasible([0, 1, 1, 2, 2, 2])


@pytest.fixture(params=[None, 8], ids=["dense", "low rank"])
def problem(request, rng):
    smoother = smooth_smoother(rng, 40, rank=request.param)
    return label_problem(smoother, 3, given=some_given(rng, 40, 3, 6))


def test_state_holds_what_moves_need(problem, rng):
    codes = np.where(problem.movable, rng.integers(3, size=40), problem.given)
    state, ties = LabelState.of(problem, codes), all_ties(problem)
    assert_array_equal(state.counts, np.bincount(codes, minlength=3))
    expected = gains(ties, codes, 3)
    other = np.arange(3)[:, None] != codes
    assert_allclose((state.table - state.own_tie)[other], expected[other], atol=1e-12)
    assert_allclose(state.inside, inside(ties, codes), atol=1e-10)
    assert_array_equal(np.isinf(state.move_penalty), ~problem.movable)
    assert_array_equal(state.move_penalty[problem.movable], 0.0)


def test_state_is_a_copy(problem):
    codes = np.zeros(40, dtype=np.int32)
    state = LabelState.of(problem, codes)
    state.codes[:] = 2
    state.table[:] = 7.0
    assert not codes.any()


def test_classes_without_points_are_counted(problem):
    state = LabelState.of(problem, np.ones(40, dtype=np.int64))
    assert_array_equal(state.counts, [0, 40, 0])
    assert state.codes.dtype == np.int32


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_tolerance_is_a_few_units_of_rounding(rng, dtype):
    smoother = smooth_smoother(rng, 40, dtype=dtype)
    state = LabelState.of(label_problem(smoother, 2), rng.integers(2, size=40))
    eps = np.finfo(dtype).eps
    assert state.table.dtype == state.own_tie.dtype == state.row.dtype == dtype
    assert eps < state.tol < 1e4 * eps
