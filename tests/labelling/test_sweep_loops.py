import numpy as np
import pytest
from label_reference import (
    label_problem,
    smooth_smoother,
    some_given,
    sweep,
    tied_smoother,
)
from numpy.testing import assert_allclose, assert_array_equal

from widemargin.labelling import sweep_loops as loops
from widemargin.labelling.problem import LabelState
from widemargin.spaces.smoother import Smoother

SMOOTHERS = {"smooth": smooth_smoother, "tied": tied_smoother}
TOL = 1e-4


@pytest.fixture(params=SMOOTHERS)
def make_smoother(request):
    return SMOOTHERS[request.param]


# Single precision is compiled once more, which takes most of the time.
@pytest.fixture(params=[pytest.param(np.float32, marks=pytest.mark.slow), np.float64])
def dtype(request):
    return request.param


def make_problem(make_smoother, n_classes, rank, dtype, n=101):
    """Bounds that hold some moves back, given labels and an order of its own."""
    rng = np.random.default_rng(n_classes)
    given = some_given(rng, n, n_classes, 9)
    problem = label_problem(
        make_smoother(rng, n, rank=rank, dtype=dtype), n_classes, given=given,
        lower=n // n_classes - 4, upper=n // n_classes + 5,
        order=rng.permutation(np.flatnonzero(given < 0)),
    )  # fmt: skip
    start = np.where(problem.movable, np.arange(n) % n_classes, given)
    return problem, start.astype(np.int32)


def sums_by_class(problem, codes):
    return np.array(
        [
            problem.smoother.matrix[codes == h].sum(axis=0)
            for h in range(problem.n_classes)
        ]
    )


def run_table(problem, start, chunks):
    state, progress = LabelState.of(problem, start), np.zeros(4, dtype=np.int64)
    for n_tests in chunks:
        loops.sweep_table(state, problem.order, TOL, progress, n_tests)
    fresh = LabelState.of(problem, state.codes)
    assert_allclose(state.table, fresh.table, atol=1e-3)
    assert_array_equal(state.counts, fresh.counts)
    return state.codes, progress


def run_factor(problem, start, chunks, tol=TOL):
    codes, progress = start.copy(), np.zeros(4, dtype=np.int64)
    counts, sums = np.bincount(codes), sums_by_class(problem, codes)
    smoother = problem.smoother
    for n_tests in chunks:
        loops.sweep_factor(
            smoother.matrix, smoother.rough_matrix, smoother.weighted_diagonal, sums,
            codes, counts, problem.lower, problem.upper, problem.order, tol, progress,
            n_tests,
        )  # fmt: skip
    assert_allclose(sums, sums_by_class(problem, codes), atol=1e-3)
    assert_array_equal(counts, np.bincount(codes))
    return codes, progress


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize(
    ("run", "rank"),
    [(run_table, None), (run_table, 14), (run_factor, 14)],
    ids=["table", "table of low rank", "factor"],
)
def test_sweeps_make_the_moves_of_their_slow_twin(
    make_smoother, dtype, run, rank, n_classes
):
    problem, start = make_problem(make_smoother, n_classes, rank, dtype)
    for chunks in ([1], [5, 2], [150], [40, 1, 10_000], [10_000, 50]):
        codes, progress = run(problem, start, chunks)
        expected, n_tests, n_moves = sweep(problem, start, TOL, sum(chunks))
        assert_array_equal(codes, expected)
        assert_array_equal(progress[2:], [n_tests, n_moves])
        assert progress[0] == n_tests % len(problem.order)
    assert progress[1] == len(problem.order)  # a whole round without a move
    assert n_moves > 10
    assert problem.is_feasible(codes)


def test_bounds_hold_moves_back(make_smoother, dtype):
    """The bounds of these tests bite: without them the labels end otherwise."""
    problem, start = make_problem(make_smoother, 4, None, dtype)
    bound, _ = run_table(problem, start, [10_000])
    free = label_problem(
        problem.smoother, 4, given=np.where(problem.movable, -1, problem.given),
        order=problem.order,
    )  # fmt: skip
    loose, _ = run_table(free, start, [10_000])
    assert not problem.is_feasible(loose)
    sizes = np.bincount(bound, minlength=4)
    assert ((sizes == problem.lower) | (sizes == problem.upper)).any()


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(("gain", "n_moves"), [(1e-9, 1), (-1e-9, 0)])
def test_gains_below_single_precision_decide(n_classes, gain, n_moves):
    factor = np.array([[1.0], [gain], [-5.0]])[:n_classes]
    given = np.array([-1, 1, 2])[:n_classes]
    smoother = Smoother(factor, np.ones(n_classes), low_rank=True)
    problem = label_problem(smoother, n_classes, given=given, order=np.array([0]))
    start = np.array([0, 1, 2], dtype=np.int32)[:n_classes]
    codes, progress = run_factor(problem, start, [1], tol=1e-12)
    assert progress[3] == n_moves
    assert codes[0] == n_moves
