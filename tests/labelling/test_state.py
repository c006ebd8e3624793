import numpy as np
import pytest
from label_reference import (
    all_ties,
    gains,
    inside,
    label_problem,
    smooth_smoother,
    some_given,
)
from numpy.testing import assert_allclose, assert_array_equal

from widemargin.labelling.state import LabelState


@pytest.fixture(params=[None, 8], ids=["dense", "low rank"])
def problem(request, rng):
    smoother = smooth_smoother(rng, 40, rank=request.param)
    return label_problem(smoother, 3, given=some_given(rng, 40, 3, 6))


def test_state_holds_what_moves_need(problem, rng):
    codes = np.where(problem.movable, rng.integers(3, size=40), problem.given)
    state, ties = LabelState(problem, codes), all_ties(problem)
    assert_array_equal(state.counts, np.bincount(codes, minlength=3))
    expected = gains(ties, codes, 3)
    other = np.arange(3)[:, None] != codes
    assert_allclose((state.table - state.own_tie)[other], expected[other], atol=1e-12)
    assert_allclose(state.inside, inside(ties, codes), atol=1e-10)
    assert_array_equal(np.isinf(state.move_penalty), ~problem.movable)
    assert_array_equal(state.move_penalty[problem.movable], 0.0)


def test_state_is_a_copy(problem):
    codes = np.zeros(40, dtype=np.int32)
    state = LabelState(problem, codes)
    state.codes[:] = 2
    state.table[:] = 7.0
    assert not codes.any()


def test_classes_without_points_are_counted(problem):
    state = LabelState(problem, np.ones(40, dtype=np.int64))
    assert_array_equal(state.counts, [0, 40, 0])
    assert state.codes.dtype == np.int32


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_tolerance_is_a_few_units_of_rounding(rng, dtype):
    smoother = smooth_smoother(rng, 40, dtype=dtype)
    state = LabelState(label_problem(smoother, 2), rng.integers(2, size=40))
    eps = np.finfo(dtype).eps
    assert state.table.dtype == state.own_tie.dtype == state.row.dtype == dtype
    assert eps < state.tol < 1e4 * eps
