import numpy as np
import pytest
from label_reference import (
    SplitMix64,
    all_ties,
    best_exchange,
    best_move,
    claim,
    descend,
    gains,
    inside,
    label_problem,
    smooth_smoother,
    some_given,
    tabu,
    tied_smoother,
)
from numpy.testing import assert_allclose, assert_array_equal

from widemargin.labelling import moves_loops as loops
from widemargin.labelling.state import LabelState

SMOOTHERS = {"smooth": smooth_smoother, "tied": tied_smoother}
SIZES = [
    60,
    64,
    130,
    200,
]  # lanes are 64 wide: none, one and more, with and without tail


@pytest.fixture(params=SMOOTHERS)
def make_smoother(request):
    return SMOOTHERS[request.param]


@pytest.fixture(params=[None, 12], ids=["dense", "low rank"])
def rank(request):
    return request.param


@pytest.fixture(params=[np.float32, np.float64])
def dtype(request):
    return request.param


def assert_consistent(state):
    """What the loops keep beside the labels is what the labels say."""
    fresh = LabelState(state.problem, state.codes)
    assert_array_equal(state.counts, fresh.counts)
    tol = 1e-4 if state.table.dtype == np.float32 else 1e-10
    assert_allclose(state.table, fresh.table, atol=tol)
    assert_allclose(state.own_tie, fresh.own_tie, atol=tol)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("n_classes", [2, 5])
def test_descent_makes_the_moves_of_its_slow_twin(
    make_smoother, rank, dtype, n, n_classes
):
    rng = np.random.default_rng(n)
    smoother = make_smoother(rng, n, rank=rank, dtype=dtype)
    problem = label_problem(
        smoother, n_classes, given=some_given(rng, n, n_classes, 8),
        lower=n // (2 * n_classes), upper=2 * n // n_classes - 3,
    )  # fmt: skip
    start = np.arange(n) % n_classes
    start = np.where(problem.movable, start, problem.given).astype(np.int32)
    for max_moves in (1, 2, 9, 10_000):
        state = LabelState(problem, start)
        tol = state.tol
        n_moves = loops.descend(
            *state.ties, *state.moving, *state.bounds, state.move_penalty, state.row,
            tol, max_moves,
        )  # fmt: skip
        expected, n_expected = descend(problem, start, tol, max_moves)
        assert_array_equal(state.codes, expected)
        assert n_moves == n_expected
        assert_consistent(state)
    assert 9 < n_moves < 10_000
    assert best_move(problem, state.codes, problem.movable)[2] <= max(tol, 1e-5)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("floored", [False, True])
def test_claims_are_those_of_the_slow_twin(make_smoother, rank, dtype, n, floored):
    """Up to all that the other classes can give, given points excepted."""
    rng = np.random.default_rng(n + 1)
    smoother = make_smoother(rng, n, rank=rank, dtype=dtype)
    problem = label_problem(smoother, 3, given=some_given(rng, n, 3, 7))
    start = np.where(problem.movable, rng.integers(3, size=n), problem.given)
    floor = np.array([n, n // 5, n // 4] if floored else [0, 0, 0])
    for n_claims in (1, 2, 17, n):
        state = LabelState(problem, start)
        n_taken = loops.claim(
            *state.ties,
            *state.moving,
            floor,
            state.move_penalty,
            state.row,
            0,
            n_claims,
        )
        expected, n_expected = claim(problem, start, floor, 0, n_claims)
        assert_array_equal(state.codes, expected)
        assert n_taken == n_expected
        assert_consistent(state)
    assert n_taken < n


@pytest.mark.parametrize("n", [60, 130])
@pytest.mark.parametrize("bounds", ["free", "tight", "exchanging"])
def test_tabu_takes_the_steps_of_its_slow_twin(make_smoother, rank, dtype, n, bounds):
    if bounds != "free" and make_smoother is smooth_smoother:
        pytest.skip("both orders of an exchange gain the same: rounding decides")
    rng = np.random.default_rng(n + 2)
    problem = label_problem(
        make_smoother(rng, n, rank=rank, dtype=dtype), 3,
        given=some_given(rng, n, 3, 6),
        lower={"free": 0, "tight": n // 3 - 1, "exchanging": n // 4}[bounds],
        upper={"free": n, "tight": n // 3 + 1, "exchanging": n}[bounds],
    )  # fmt: skip
    start = np.where(problem.movable, np.arange(n) % 3, problem.given)
    tenure, spread, seed, tol = 5, 4, 2**63 + 11, 1e-3
    for chunks in ([1], [40], [13, 1, 50, 86]):
        state = LabelState(problem, start)
        free_at, best = np.zeros(n, dtype=np.int64), state.codes.copy()
        ring = np.full(2 * (tenure + spread) + 2, -1, dtype=np.int64)
        tracker = np.array([0.0, 0.0, 0.0, tol])
        random, step = np.array([seed], dtype=np.uint64), 0
        for n_steps in chunks:
            step = loops.tabu_steps(
                *state.ties, *state.moving, *state.bounds, state.move_penalty,
                state.row, free_at, ring, best, tracker, random, step, n_steps, tenure,
                spread, bounds == "exchanging",
            )  # fmt: skip
        codes, best_codes, highest, n_done = tabu(
            problem, start.astype(np.int32), seed, sum(chunks), tenure, spread, tol,
            exchanging=bounds == "exchanging",
        )  # fmt: skip
        assert step == n_done == sum(chunks)
        assert_array_equal(state.codes, codes)
        assert_array_equal(best, best_codes)
        assert_allclose(tracker[1], highest, rtol=1e-4)
        assert_consistent(state)


def test_tabu_ends_where_nothing_can_move(rng):
    """Two classes of fixed sizes, one of them known to the last point."""
    given = np.where(np.arange(20) < 5, 0, -1)
    problem = label_problem(
        smooth_smoother(rng, 20), 2, given=given, lower=[5, 15], upper=[5, 15]
    )
    state = LabelState(problem, np.repeat([0, 1], [5, 15]))
    reached = loops.tabu_steps(
        *state.ties, *state.moving, *state.bounds, state.move_penalty, state.row,
        np.zeros(20, dtype=np.int64), np.full(6, -1, dtype=np.int64),
        state.codes.copy(), np.zeros(4), np.zeros(1, dtype=np.uint64), 7, 50, 1, 1,
        False,
    )  # fmt: skip
    assert reached == 7


def test_best_exchange_is_that_of_its_slow_twin(make_smoother, rank, dtype):
    for seed in range(5):
        rng = np.random.default_rng(seed)
        smoother = make_smoother(rng, 70, rank=rank, dtype=dtype)
        problem = label_problem(smoother, 4, given=some_given(rng, 70, 4, 20))
        codes = np.where(problem.movable, rng.integers(4, size=70), problem.given)
        state = LabelState(problem, codes)
        i, j, gain = loops.best_exchange(
            *state.ties[:2],
            state.table,
            state.own_tie,
            state.codes,
            state.move_penalty,
            state.row,
        )
        first, second, expected = best_exchange(problem, codes, problem.movable)
        if make_smoother is tied_smoother:
            assert (i, j) == (first, second)
        assert {i, j} == {first, second}  # both orders gain the same, up to rounding
        assert_allclose(gain, expected, rtol=1e-4)
        loops.exchange(*state.ties, *state.moving, state.row, i, j)
        traded = codes.copy()
        traded[i], traded[j] = codes[j], codes[i]
        assert_array_equal(state.codes, traded)
        assert_consistent(state)
        ties = all_ties(problem)
        change = inside(ties, traded) - inside(ties, codes)
        assert_allclose(2 * gain, change, rtol=1e-3, atol=1e-9)


def test_best_exchange_is_the_best_of_all_where_the_first_point_is_unique(rng):
    """One movable point in each of two classes but the last: nothing is left out."""
    given = np.arange(40) % 3
    given[[0, 1]] = -1
    given[given == 2] = -1
    codes = np.arange(40) % 3
    problem = label_problem(smooth_smoother(rng, 40), 3, given=given)
    state, ties = LabelState(problem, codes), all_ties(problem)
    found = loops.best_exchange(
        *state.ties[:2],
        state.table,
        state.own_tie,
        state.codes,
        state.move_penalty,
        state.row,
    )
    gain = gains(ties, codes, 3)
    pairs = {
        (i, j): gain[codes[j], i] + gain[codes[i], j] - 2 * ties[i, j]
        for i in np.flatnonzero(problem.movable)
        for j in np.flatnonzero(problem.movable)
        if codes[i] < codes[j]
    }
    best = max(pairs, key=pairs.get)
    assert sorted(found[:2]) == sorted(best)
    assert_allclose(found[2], pairs[best], rtol=1e-12)


def test_no_exchange_without_partner(rng):
    problem = label_problem(smooth_smoother(rng, 20), 3)
    state = LabelState(problem, np.ones(20, dtype=np.int32))
    found = loops.best_exchange(
        *state.ties[:2],
        state.table,
        state.own_tie,
        state.codes,
        state.move_penalty,
        state.row,
    )
    assert found == (-1, -1, -np.inf)


@pytest.mark.parametrize("n", SIZES)
def test_of_equal_moves_the_first_wins(n):
    """All points the same, in lanes and tail alike: they go in order."""
    smoother = tied_smoother(np.random.default_rng(0), n)
    smoother.matrix[:] = 1.0
    smoother.weighted_diagonal[:] = 1.0
    problem = label_problem(smoother, 2)
    state = LabelState(problem, np.zeros(n, dtype=np.int32))
    loops.claim(
        *state.ties, *state.moving, np.zeros(2, dtype=np.int64), state.move_penalty,
        state.row, 1, n - 5,
    )  # fmt: skip
    assert_array_equal(state.codes, np.arange(n) < n - 5)


@pytest.mark.parametrize("seed", [0, 1, 2**64 - 1])
def test_draws_are_those_of_splitmix64(seed):
    state, random = np.array([seed], dtype=np.uint64), SplitMix64(seed)
    for n in (1, 2, 3, 10, 1000) * 20:
        assert loops._draw(state, n) == random.draw(n)
    assert state[0] == random.state


def test_splitmix64_gives_the_published_numbers():
    """First outputs of the generator's authors for seed 1234567."""
    random = SplitMix64(1234567)
    published = [6457827717110365317, 3203168211198807973, 9817491932198370423]
    assert [random.draw(2**53) for _ in range(3)] == [z >> 11 for z in published]
