import numpy as np
import pytest
from label_reference import (
    SplitMix64,
    all_ties,
    best_exchange,
    best_move,
    claim,
    descend,
    evolve,
    gains,
    inside,
    label_problem,
    mutate,
    smooth_smoother,
    some_given,
    tabu,
    tied_smoother,
)
from numpy.testing import assert_allclose, assert_array_equal

from widemargin.labelling import moves_loops as loops
from widemargin.labelling import strategies
from widemargin.labelling.problem import LabelState
from widemargin.labelling.starts import random_start

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


# Single precision is compiled once more, which takes most of the time.
@pytest.fixture(params=[pytest.param(np.float32, marks=pytest.mark.slow), np.float64])
def dtype(request):
    return request.param


def assert_consistent(problem, state):
    """What the loops keep beside the labels is what the labels say."""
    fresh = LabelState.of(problem, state.codes)
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
        state = LabelState.of(problem, start)
        tol = state.tol
        n_moves = loops.descend(state, tol, max_moves)
        expected, n_expected = descend(problem, start, tol, max_moves)
        assert_array_equal(state.codes, expected)
        assert n_moves == n_expected
        assert_consistent(problem, state)
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
        state = LabelState.of(problem, start)
        n_taken = loops.claim(state, floor, 0, n_claims)
        expected, n_expected = claim(problem, start, floor, 0, n_claims)
        assert_array_equal(state.codes, expected)
        assert n_taken == n_expected
        assert_consistent(problem, state)
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
        state = LabelState.of(problem, start)
        free_at, best = np.zeros(n, dtype=np.int64), state.codes.copy()
        ring = np.full(2 * (tenure + spread) + 2, -1, dtype=np.int64)
        tracker = np.array([0.0, 0.0, tol])
        random, step = np.array([seed], dtype=np.uint64), 0
        for n_steps in chunks:
            step = strategies.tabu_steps(
                state, free_at, ring, best, tracker, random, step, step + n_steps,
                tenure, spread, exchanging=bounds == "exchanging",
            )  # fmt: skip
        codes, best_codes, highest, n_done = tabu(
            problem, start.astype(np.int32), seed, sum(chunks), tenure, spread, tol,
            exchanging=bounds == "exchanging",
        )  # fmt: skip
        assert step == n_done == sum(chunks)
        assert_array_equal(state.codes, codes)
        assert_array_equal(best, best_codes)
        assert_allclose(tracker[1], highest, rtol=1e-4)
        assert_consistent(problem, state)


def test_tabu_ends_where_nothing_can_move(rng):
    """Two classes of fixed sizes, one of them known to the last point."""
    given = np.where(np.arange(20) < 5, 0, -1)
    problem = label_problem(
        smooth_smoother(rng, 20), 2, given=given, lower=[5, 15], upper=[5, 15]
    )
    state = LabelState.of(problem, np.repeat([0, 1], [5, 15]))
    reached = strategies.tabu_steps(
        state, np.zeros(20, dtype=np.int64), np.full(6, -1, dtype=np.int64),
        state.codes.copy(), np.zeros(3), np.zeros(1, dtype=np.uint64), 7, 57, 1, 1,
        exchanging=False,
    )  # fmt: skip
    assert reached == 7


def test_best_exchange_is_that_of_its_slow_twin(make_smoother, rank, dtype):
    for seed in range(5):
        rng = np.random.default_rng(seed)
        smoother = make_smoother(rng, 70, rank=rank, dtype=dtype)
        problem = label_problem(smoother, 4, given=some_given(rng, 70, 4, 20))
        codes = np.where(problem.movable, rng.integers(4, size=70), problem.given)
        state = LabelState.of(problem, codes)
        i, j, gain = loops.best_exchange(state)
        assert strategies.best_exchange(state) == (i, j, gain)
        first, second, expected = best_exchange(problem, codes, problem.movable)
        if make_smoother is tied_smoother:
            assert (i, j) == (first, second)
        assert {i, j} == {first, second}  # both orders gain the same, up to rounding
        assert_allclose(gain, expected, rtol=1e-4)
        loops.exchange(state, i, j)
        traded = codes.copy()
        traded[i], traded[j] = codes[j], codes[i]
        assert_array_equal(state.codes, traded)
        assert_consistent(problem, state)
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
    state, ties = LabelState.of(problem, codes), all_ties(problem)
    found = loops.best_exchange(state)
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
    state = LabelState.of(problem, np.ones(20, dtype=np.int32))
    found = loops.best_exchange(state)
    assert found == (-1, -1, -np.inf)


@pytest.mark.parametrize("n", SIZES)
def test_of_equal_moves_the_first_wins(n):
    """All points the same, in lanes and tail alike: they go in order."""
    smoother = tied_smoother(np.random.default_rng(0), n)
    smoother.matrix[:] = 1.0
    smoother.weighted_diagonal[:] = 1.0
    problem = label_problem(smoother, 2)
    state = LabelState.of(problem, np.zeros(n, dtype=np.int32))
    loops.claim(state, np.zeros(2, dtype=np.int64), 1, n - 5)
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


TOL = 1e-3  # above all rounding, below all gains of whole numbers


def run(problem, starts, n_offspring, seed, chunks, patience=10_000):
    """The compiled evolution: population, fitness and progress."""
    states = [LabelState.of(problem, start) for start in starts]
    tables = np.stack([state.table for state in states])
    codes = np.stack([state.codes for state in states])
    counts = np.stack([state.counts for state in states])
    fitness = np.array([0.5 * state.inside for state in states])
    progress, random = np.zeros(3, dtype=np.int64), np.array([seed], dtype=np.uint64)
    for n_generations in chunks:
        loops.evolve(
            states[0], tables, codes, counts, fitness, problem.order, n_offspring,
            random, TOL, progress, patience, n_generations,
        )  # fmt: skip
    for member, table, sizes, fit in zip(codes, tables, counts, fitness, strict=True):
        fresh = LabelState.of(problem, member)
        assert_allclose(table, fresh.table, atol=1e-4)
        assert_array_equal(sizes, fresh.counts)
        assert_allclose(fit, 0.5 * fresh.inside, rtol=1e-5)
    return codes, fitness, progress


def make_problem(make_smoother, rank, dtype, n_classes, bounds, n=66):
    rng = np.random.default_rng(n_classes)
    given = some_given(rng, n, n_classes, 5)
    slack = {"free": n, "tight": 2, "fixed": 0}[bounds]
    problem = label_problem(
        make_smoother(rng, n, rank=rank, dtype=dtype), n_classes, given=given,
        lower=n // n_classes - slack, upper=n // n_classes + slack,
        order=rng.permutation(np.flatnonzero(given < 0)),
    )  # fmt: skip
    return problem, [random_start(problem, rng) for _ in range(4)]


@pytest.mark.parametrize("bounds", ["free", "tight", "fixed"])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("rank", [None, 9], ids=["dense", "low rank"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_evolution_has_the_population_of_its_slow_twin(dtype, rank, n_classes, bounds):
    """Sums are exact here, so that equal children are equal to the last bit."""
    problem, starts = make_problem(tied_smoother, rank, dtype, n_classes, bounds)
    for chunks in ([1], [2, 5], [60]):
        codes, fitness, progress = run(problem, starts, 6, 2**40 + 3, chunks)
        expected, values, counts = evolve(
            problem, starts, 6, 2**40 + 3, sum(chunks), tol=TOL
        )
        assert_array_equal(codes, expected)
        assert_allclose(fitness, values)
        assert_array_equal(progress, counts)
    assert progress[2] > 20
    assert all(problem.is_feasible(member) for member in codes)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_first_generations_of_a_smooth_problem(dtype):
    problem, starts = make_problem(smooth_smoother, None, dtype, 3, "tight")
    codes, _, progress = run(problem, starts, 10, 1, [12])
    expected, _, counts = evolve(problem, starts, 10, 1, 12, tol=TOL)
    assert_array_equal(codes, expected)
    assert_array_equal(progress, counts)


@pytest.mark.parametrize("rank", [None, 9], ids=["dense", "low rank"])
def test_the_best_never_gets_worse(rank):
    problem, starts = make_problem(smooth_smoother, rank, np.float64, 3, "tight")
    best = [run(problem, starts, 8, 5, [n])[1].max() for n in range(0, 60, 6)]
    assert (np.diff(best) >= 0).all()
    assert best[-1] > best[0]


def test_patience_ends_it():
    problem, starts = make_problem(tied_smoother, None, np.float64, 2, "fixed")
    _, _, progress = run(problem, starts, 3, 0, [50_000], patience=4)
    assert progress[0] == 4
    assert progress[1] < 50_000


@pytest.mark.parametrize("bounds", ["free", "tight", "fixed"])
def test_mutations_are_those_of_the_slow_twin(bounds):
    problem, starts = make_problem(tied_smoother, None, np.float64, 3, bounds)
    codes, counts = starts[0], np.bincount(starts[0], minlength=3)
    state, random = np.array([9], dtype=np.uint64), SplitMix64(9)
    for _ in range(100):
        found = loops._mutate(
            codes, counts, problem.lower, problem.upper, problem.order, state, 50
        )
        j, new, i = mutate(problem, codes, random)
        assert found == (j, new, -1 if i is None else i)
        child = codes.copy()
        child[j], partner = new, i
        if partner is not None:
            child[partner] = codes[j]
        assert problem.is_feasible(child)


def test_no_mutation_where_nothing_can_change(rng):
    """A class known to the last point, and bounds that let no point leave alone."""
    given = np.where(np.arange(20) < 5, 0, -1)
    problem = label_problem(
        smooth_smoother(rng, 20), 2, given=given, lower=[5, 15], upper=[5, 15]
    )
    starts = [np.repeat([0, 1], [5, 15]).astype(np.int32)] * 2
    codes, _, progress = run(problem, starts, 4, 0, [30], patience=7)
    assert_array_equal(codes, starts)
    assert_array_equal(progress, [7, 7, 0])
