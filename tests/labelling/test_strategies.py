from dataclasses import replace
from itertools import count

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from label_reference import (
    all_ties,
    best_exchange,
    best_move,
    descend,
    evolve,
    label_problem,
    lowest_value,
    shaking,
    smooth_smoother,
    some_given,
    sweep,
    tabu,
    tied_smoother,
)
from label_reference import (
    swap_pairs as slow_swaps,
)
from numpy.testing import assert_allclose, assert_array_equal

from widemargin.labelling.problem import LabelState
from widemargin.labelling.starts import random_start
from widemargin.labelling.strategies import (
    Evolution,
    Reshaking,
    Shaking,
    Steepest,
    Stochastic,
    Tabu,
    swap_pairs,
)
from widemargin.spaces.smoother import Smoother

STRATEGIES = {
    "stochastic": Stochastic(),
    "steepest": Steepest(),
    "shaking": Shaking(),
    "published shaking": Shaking(size_floor=0.0),
    "tabu": Tabu(),
    "evolution": Evolution(),
    "one parent, one child": Evolution(1, 1),
    "one parent": Evolution(1, 4),
    "reshaking": Reshaking(n_trials=6),
    "shaking with reshakes": Shaking(n_reshakes=6),
}
DESCENTS = ["stochastic", "steepest", "one parent, one child"]
NEVER_WORSE = [*DESCENTS, "tabu", "evolution", "one parent"]
SMOOTHERS = {"smooth": smooth_smoother, "tied": tied_smoother}


@pytest.fixture(params=STRATEGIES)
def strategy(request):
    return STRATEGIES[request.param]


@pytest.fixture(params=[None, 12, 40], ids=["dense", "low rank", "half rank"])
def rank(request):
    """The factor is used for tests up to half the number of points."""
    return request.param


@pytest.fixture(params=SMOOTHERS)
def make_smoother(request):
    return SMOOTHERS[request.param]


def make_problem(rng, make_smoother=smooth_smoother, *, n=70, n_classes=3, slack=None,
                 n_given=6, rank=None, dtype=np.float64):  # fmt: skip
    labels = some_given(rng, n, n_classes, n_given)
    size, slack = n // n_classes, n if slack is None else slack
    problem = label_problem(
        make_smoother(rng, n, rank=rank, dtype=dtype), n_classes, given=labels,
        lower=max(0, size - slack), upper=min(n, size + slack + 1),
        order=rng.permutation(np.flatnonzero(labels < 0)),
    )  # fmt: skip
    return problem, random_start(problem, rng)


# ----------------------------------------------------- the same as slow, obvious loops


@pytest.mark.parametrize("slack", [0, 3, None])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_steepest_is_its_slow_twin(make_smoother, rank, n_classes, slack):
    rng = np.random.default_rng(n_classes)
    problem, start = make_problem(
        rng, make_smoother, rank=rank, n_classes=n_classes, slack=slack
    )
    codes, n_moves = Steepest().improve(problem, start)
    expected, n_single = descend(problem, start, 1e-9)
    expected, n_swaps = slow_swaps(problem, expected, 1e-9)
    assert_array_equal(codes, expected)
    assert n_moves == n_single + n_swaps


@pytest.mark.parametrize("slack", [1, 3, None])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_stochastic_is_its_slow_twin(make_smoother, rank, n_classes, slack):
    """By the table, and by the factor for two and for several classes."""
    rng = np.random.default_rng(n_classes + 10)
    problem, start = make_problem(
        rng, make_smoother, rank=rank, n_classes=n_classes, slack=slack
    )
    codes, n_moves = Stochastic().improve(problem, start)
    expected, _, n_single = sweep(problem, start, 1e-9)
    expected, n_swaps = slow_swaps(problem, expected, 1e-9)
    assert_array_equal(codes, expected)
    assert n_moves == n_single + n_swaps


@pytest.mark.parametrize("n_given", [0, 8])
@pytest.mark.parametrize("size_floor", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("n", [60, 128, 150])
@pytest.mark.parametrize(("n_classes", "dtype"), [(2, np.float64), (5, np.float32)])
def test_shaking_is_its_slow_twin(
    make_smoother, n_classes, dtype, n, size_floor, n_given
):
    """Sizes are not bounded, so that nothing has to be repaired."""
    rng = np.random.default_rng(n)
    rank = 12 if n == 150 else None
    problem, start = make_problem(
        rng,
        make_smoother,
        n=n,
        n_classes=n_classes,
        n_given=n_given,
        rank=rank,
        dtype=dtype,
    )
    target = rng.uniform(0.5, 1.5, n_classes)
    problem = replace(problem, target=n * target / target.sum())
    codes, n_moves = Shaking(9, size_floor).improve(problem, start)
    expected, n_expected = shaking(problem, start, 9, size_floor)
    assert_array_equal(codes, expected)
    assert n_moves == n_expected > n // 2
    if size_floor:
        floor = np.floor(size_floor * problem.target * (1 - 0.5**8))
        assert (np.bincount(codes, minlength=n_classes) >= floor).all()


def test_published_shaking_of_two_classes_forgets_its_start(rng):
    """Its first round moves all points into one class, then into the other."""
    problem, _ = make_problem(rng, n_classes=2, n_given=0)
    found = [
        Shaking(size_floor=0.0).improve(problem, random_start(problem, rng))[0]
        for _ in range(4)
    ]
    assert all((codes == found[0]).all() for codes in found)


def test_shaking_repairs_sizes_that_bounds_forbid(rng):
    problem, start = make_problem(rng, n_classes=4, slack=0, n_given=8)
    codes, n_moves = Shaking(7).improve(problem, start)
    shaken, n_claims = shaking(problem, start, 7, 0.5)
    assert not problem.is_feasible(shaken)
    repaired = problem.repair(shaken)
    expected, n_more = Steepest().improve(problem, repaired)
    assert_array_equal(codes, expected)
    assert n_moves == n_claims + n_more


@pytest.mark.parametrize("slack", [0, 2, None])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_tabu_is_its_slow_twin(rank, n_classes, slack, dtype):
    """With whole numbers, where equal gains are equal to the last bit."""
    rng = np.random.default_rng(n_classes)
    problem, start = make_problem(
        rng, tied_smoother, n=60, rank=rank, n_classes=n_classes, slack=slack,
        dtype=dtype,
    )  # fmt: skip
    codes, _ = Tabu(4.0).improve(problem, start, seed=5)
    n_movable = len(problem.order)
    _, best, _, _ = tabu(
        problem, start, 5, 4 * n_movable, 10, 10, 1e-3,
        exchanging=bool((problem.lower == problem.upper).all()),
    )  # fmt: skip
    expected, _ = descend(problem, best, 1e-3)
    expected, _ = slow_swaps(problem, expected, 1e-3)
    assert_array_equal(codes, expected)


@pytest.mark.parametrize("slack", [0, None])
def test_evolution_is_its_slow_twin(rng, slack):
    problem, start = make_problem(rng, tied_smoother, n=40, slack=slack)
    codes, n_survivors = Evolution(3, 5).improve(problem, start, seed=4)
    chance = np.random.default_rng(4)
    starts = [start, random_start(problem, chance), random_start(problem, chance)]
    seed = chance.integers(2**63, size=1, dtype=np.uint64)[0]
    population, fitness, progress = evolve(
        problem, starts, 5, seed, np.inf, patience=40
    )
    assert_array_equal(codes, population[fitness.argmax()])
    assert n_survivors == progress[2]


def test_reshaking_is_shaking_of_parts(rng):
    """Its trials, written out."""
    problem, start = make_problem(rng, n=90, n_classes=5, n_given=0)
    found, _ = Reshaking(Shaking(6), n_trials=12, n_together=2).improve(
        problem, start, seed=3
    )
    chance, ties = np.random.default_rng(3), all_ties(problem)
    codes, _ = shaking(problem, start, 6, 0.5)
    n_better = 0
    for trial in range(12):
        first = trial % 5
        between = [
            ties[np.ix_(codes == first, codes == h)].sum() if h != first else np.inf
            for h in range(5)
        ]
        classes = np.sort(np.argsort(between)[-2:])
        points = np.flatnonzero(np.isin(codes, classes))
        part = problem.part(points, classes)
        shaken, _ = shaking(part, random_start(part, chance), 6, 0.5)
        trial_codes = codes.copy()
        trial_codes[points] = classes[shaken]
        if problem.inside(trial_codes) > problem.inside(codes) + 1e-9:
            codes, n_better = trial_codes, n_better + 1
    assert n_better > 1
    assert_array_equal(found, codes)


# -------------------------------------------------------------------- what they promise


@pytest.mark.parametrize("name", NEVER_WORSE)
@pytest.mark.parametrize("slack", [0, 2, None])
def test_result_is_never_worse_than_the_start(name, rank, slack):
    for seed in range(3):
        rng = np.random.default_rng(seed)
        problem, start = make_problem(rng, rank=rank, slack=slack)
        codes, _ = STRATEGIES[name].improve(problem, start, seed)
        assert problem.value(codes) < problem.value(start)
        again, _ = STRATEGIES[name].improve(problem, codes, seed)
        assert problem.value(again) <= problem.value(codes) + 1e-9


@pytest.mark.parametrize("name", [*DESCENTS, "tabu"])
@pytest.mark.parametrize("slack", [0, 2, None])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_no_move_or_exchange_is_left_that_gains(name, rank, slack, dtype):
    rng = np.random.default_rng(7)
    problem, start = make_problem(rng, rank=rank, slack=slack, dtype=dtype)
    codes, _ = STRATEGIES[name].improve(problem, start)
    tol = 1e-4 if dtype == np.float32 else 1e-9
    assert best_move(problem, codes, problem.movable)[2] <= tol
    if slack == 0:
        assert best_exchange(problem, codes, problem.movable)[2] <= tol


@pytest.mark.parametrize("name", DESCENTS)
def test_objective_never_rises(name, rank):
    """Stopped after ever more pieces of work, each as small as can be."""
    problem, start = make_problem(np.random.default_rng(8), rank=rank)
    values, strategy = [problem.value(start)], STRATEGIES[name]
    for n_pieces in range(1, 30):
        codes, _ = strategy.improve(problem, start, goes_on=Countdown(n_pieces), work=1)
        values.append(problem.value(codes))
    assert (np.diff(values) <= 1e-9).all()
    assert values[-1] < values[1] < values[0]


def test_swaps_lower_the_objective_and_keep_all_sizes(rng):
    problem, start = make_problem(rng, slack=0, n=72)
    problem = replace(problem, upper=problem.lower)
    assert problem.is_feasible(start)
    codes, n_swaps = swap_pairs(problem, start)
    assert problem.value(codes) < problem.value(start) - 1.0
    assert problem.is_feasible(codes)
    assert n_swaps > 5


def test_swaps_do_nothing_where_nothing_is_bound(rng):
    problem, start = make_problem(rng, n_given=0)
    without_last = start % 2  # an empty class is no bound
    for labels in (start, without_last):
        codes, n_swaps = swap_pairs(problem, labels)
        assert n_swaps == 0
        assert_array_equal(codes, labels)


def test_swaps_of_many_points_wait_until_nothing_else_can_move(rng):
    """Where rows of the ties have to be computed; up to the limit it is made dense."""
    problem, start = make_problem(rng, slack=0, n=72, rank=20)
    assert problem.smoother.low_rank
    tight = replace(problem, upper=problem.lower)
    loose = replace(problem, upper=problem.lower + np.array([1, 0, 0]))
    for one in (tight, loose):
        dense = swap_pairs(one.with_dense_smoother(), start)
        codes, n_swaps = swap_pairs(one, start)
        assert n_swaps == dense[1] > 0
        assert_array_equal(codes, dense[0])
    codes, n_swaps = swap_pairs(tight, start, dense_rows=71)
    assert 0 < n_swaps <= 100
    assert problem.value(codes) < problem.value(start)
    codes, n_swaps = swap_pairs(loose, start, dense_rows=71)
    assert n_swaps == 0
    assert_array_equal(codes, start)


def test_swaps_go_on_where_single_moves_end(rng):
    """Bounds let no point move alone; the search still finds something better."""
    problem, start = make_problem(rng, slack=0, n=72)
    problem = replace(problem, upper=problem.lower)
    assert best_move(problem, start, problem.movable)[2] == -np.inf
    for name in [*DESCENTS, "tabu", "evolution"]:
        codes, _ = STRATEGIES[name].improve(problem, start)
        assert problem.value(codes) < problem.value(start) - 1.0


def test_reshaking_is_never_worse_than_its_shaking():
    n_better = 0
    for seed in range(6):
        rng = np.random.default_rng(seed)
        problem, start = make_problem(rng, n=90, n_classes=5, n_given=5 * (seed % 2))
        shaken, _ = Shaking().improve(problem, start)
        codes, _ = Reshaking(n_trials=10).improve(problem, start, seed)
        assert problem.value(codes) <= problem.value(shaken) + 1e-9
        n_better += problem.value(codes) < problem.value(shaken) - 1e-6
    assert n_better > 0


def test_pieces_of_work_do_not_change_the_result(strategy, rank):
    problem, start = make_problem(np.random.default_rng(9), rank=rank, slack=3)
    whole = strategy.improve(problem, start, 3)
    calls = count()
    pieces = strategy.improve(problem, start, 3, lambda: next(calls) >= 0, work=1)
    assert_array_equal(whole[0], pieces[0])
    assert whole[1] == pieces[1]
    assert next(calls) > 1


class Countdown:
    """Whether a search goes on: not at the n-th time that it is asked."""

    def __init__(self, n):
        self.n = n

    def __call__(self):
        self.n -= 1
        return self.n > 0


@pytest.mark.parametrize("n_pieces", [1, 3])
def test_a_search_that_is_stopped_returns_good_labels(strategy, n_pieces):
    problem, start = make_problem(np.random.default_rng(10), slack=3)
    codes, _ = strategy.improve(problem, start, goes_on=Countdown(n_pieces), work=1)
    assert problem.is_feasible(codes)
    assert problem.value(codes) <= problem.value(start)


def test_arguments_are_not_changed(strategy, rank):
    rng = np.random.default_rng(12)
    problem, start = make_problem(rng, rank=rank, slack=2)
    smoother = problem.smoother
    arrays = [
        start, smoother.matrix, smoother.weights, smoother.weighted_diagonal,
        problem.movable, problem.given, problem.lower, problem.upper, problem.target,
        problem.order,
    ]  # fmt: skip
    before = [array.copy() for array in arrays]
    codes, _ = strategy.improve(problem, start, 1)
    assert (codes != start).any()
    for array, copy in zip(arrays, before, strict=True):
        assert_array_equal(array, copy)


def test_same_seed_same_labels(strategy):
    problem, start = make_problem(np.random.default_rng(13))
    first, second = (strategy.improve(problem, start, 6) for _ in range(2))
    assert_array_equal(first[0], second[0])
    assert first[1] == second[1]


@pytest.mark.parametrize("strategy", [Tabu(), Evolution(), Reshaking(n_trials=6)])
def test_seeds_matter(strategy):
    problem, start = make_problem(np.random.default_rng(14), n=90, n_classes=4)
    found = [strategy.improve(problem, start, seed) for seed in range(6)]
    assert len({(codes.tobytes(), n_moves) for codes, n_moves in found}) > 1


def test_nothing_to_search(strategy, rng):
    """All labels given, or all but one."""
    labels = rng.integers(3, size=20)
    smoother = smooth_smoother(rng, 20)
    problem = label_problem(smoother, 3, given=labels)
    codes, n_moves = strategy.improve(problem, labels.astype(np.int32))
    assert_array_equal(codes, labels)
    assert n_moves == 0
    labels[4] = -1
    problem = label_problem(smoother, 3, given=labels)
    start = np.where(labels < 0, 0, labels).astype(np.int32)
    codes, _ = strategy.improve(problem, start)
    assert problem.is_feasible(codes)


# -------------------------------------------------------------------- whatever is given


@st.composite
def bounded_problems(draw):
    """Some given labels and bounds around a labeling that keeps them."""
    n, k = draw(st.integers(5, 24)), draw(st.integers(2, 5))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    truth = rng.integers(k, size=n)
    sizes = np.bincount(truth, minlength=k)
    slack = [draw(st.sampled_from([0, 0, 1, 2, n])) for _ in range(k)]
    known = rng.random(n) < draw(st.sampled_from([0.0, 0.2, 0.6, 0.95]))
    rank = draw(st.sampled_from([None, 2, 5]))
    problem = label_problem(
        draw(st.sampled_from([smooth_smoother, tied_smoother]))(rng, n, rank=rank),
        k,
        given=np.where(known, truth, -1),
        lower=np.maximum(0, sizes - slack),
        upper=np.minimum(n, sizes + slack),
        target=draw(st.sampled_from([sizes + 0.5, np.full(k, n / k)])),
        order=rng.permutation(np.flatnonzero(~known)),
    )
    return problem, rng


@given(bounded_problems())
@settings(max_examples=25, deadline=None)
def test_given_labels_and_bounds_always_hold(case):
    problem, rng = case
    preference = problem.table(np.where(problem.movable, 0, problem.given))
    starts = [random_start(problem, rng), problem.preferred_codes(preference)]
    for start in starts:
        assert problem.is_feasible(start)
        for name, strategy in STRATEGIES.items():
            codes, n_moves = strategy.improve(problem, start, 1)
            assert problem.is_feasible(codes), name
            assert n_moves >= 0
            if name in NEVER_WORSE:
                assert problem.value(codes) <= problem.value(start) + 1e-9, name


# ---------------------------------------------------------------- the best there can be


def small_problem(seed, n, n_classes, bounds):
    rng = np.random.default_rng(seed)
    labels = np.full(n, -1)
    if bounds == "given":
        labels = some_given(rng, n, n_classes, 2 * n_classes)
    lower, upper = {
        "given": (0, n),
        "loose": (n // n_classes - 1, n // n_classes + 1),
        "fixed": (n // n_classes, n // n_classes),
        "uneven": ([2] + [1] * (n_classes - 1), [3] + [n] * (n_classes - 1)),
    }[bounds]
    smoother = smooth_smoother(rng, n)
    return label_problem(smoother, n_classes, given=labels, lower=lower, upper=upper)


@pytest.mark.parametrize("strategy", [Tabu(), Steepest(), Evolution()])
@pytest.mark.parametrize("bounds", ["given", "loose", "fixed", "uneven"])
@pytest.mark.parametrize(("n", "n_classes"), [(12, 2), (9, 3), (8, 3)])
def test_restarts_find_the_best_of_all_labelings(n, n_classes, bounds, strategy):
    if bounds == "fixed" and n % n_classes:
        pytest.skip("these sizes do not add up")
    for seed in range(3):
        problem = small_problem(seed, n, n_classes, bounds)
        rng = np.random.default_rng(seed)
        n_restarts = 10 if isinstance(strategy, Tabu) else 40
        found = min(
            problem.value(strategy.improve(problem, random_start(problem, rng), s)[0])
            for s in range(n_restarts)
        )
        assert_allclose(found, lowest_value(problem), rtol=1e-9)


# ------------------------------------------------------------------ names do not matter


@pytest.mark.parametrize(
    "strategy",
    [Steepest(), Shaking(), Tabu(), Stochastic(), Evolution(), Shaking(size_floor=0.0)],
)
@pytest.mark.parametrize("slack", [None, 4])
def test_permuted_points_give_permuted_labels(strategy, slack):
    rng = np.random.default_rng(15)
    problem, start = make_problem(rng, n=75, n_classes=4, slack=slack)
    shuffle = rng.permutation(75)
    smoother, position = problem.smoother, np.argsort(shuffle)
    permuted = replace(
        problem,
        smoother=Smoother(
            np.ascontiguousarray(smoother.matrix[shuffle][:, shuffle]),
            smoother.weights[shuffle],
            low_rank=False,
        ),
        movable=problem.movable[shuffle],
        given=problem.given[shuffle],
        order=position[problem.order],
    )
    codes, n_moves = strategy.improve(problem, start, 2)
    again, n_again = strategy.improve(permuted, start[shuffle], 2)
    assert_array_equal(again, codes[shuffle])
    assert n_again == n_moves


@pytest.mark.parametrize("strategy", [Steepest(), Tabu(), Stochastic()])
def test_renamed_classes_give_renamed_labels(strategy):
    rng = np.random.default_rng(16)
    problem, start = make_problem(rng, n=75, n_classes=4)
    lower, upper = np.array([2, 5, 8, 11]), np.array([40, 35, 70, 60])
    problem = replace(problem, lower=lower, upper=upper)
    names = np.array([2, 0, 3, 1])
    old = np.argsort(names)
    renamed = replace(
        problem,
        given=np.where(problem.movable, -1, names[problem.given]).astype(np.int32),
        lower=lower[old],
        upper=upper[old],
    )
    codes, n_moves = strategy.improve(problem, start, 2)
    again, n_again = strategy.improve(renamed, names[start], 2)
    assert_array_equal(again, names[codes])
    assert n_again == n_moves


@pytest.mark.parametrize("name", ["stochastic", "steepest", "shaking"])
def test_single_precision_finds_the_same_labels(name, rank):
    found = []
    for dtype in (np.float32, np.float64):
        rng = np.random.default_rng(17)
        problem, start = make_problem(rng, rank=rank, dtype=dtype)
        assert LabelState.of(problem, start).table.dtype == dtype
        found.append(STRATEGIES[name].improve(problem, start)[0])
    assert_array_equal(*found)


class Count:
    """A search that goes on, and how often it called."""

    n = 0

    def __call__(self):
        self.n += 1
        return True


@pytest.mark.parametrize("rank", [None, 12], ids=["dense", "low rank"])
def test_small_pieces_of_work_change_no_label(strategy, rank):
    problem, start = make_problem(np.random.default_rng(4), rank=rank)
    expected = strategy.improve(problem, start, seed=5)
    for work in (1, 1000):
        found = strategy.improve(problem, start, seed=5, work=work)
        assert_array_equal(found[0], expected[0])
        assert found[1] == expected[1]


@pytest.mark.parametrize("name", ["steepest", "shaking", "tabu", "evolution"])
@pytest.mark.parametrize("rank", [None, 12], ids=["dense", "low rank"])
def test_no_loop_makes_many_moves_in_one_call(name, rank):
    """With the least work there is, it returns to Python after every move."""
    problem, start = make_problem(np.random.default_rng(4), rank=rank)
    count = Count()
    _, n_moves = STRATEGIES[name].improve(problem, start, goes_on=count, work=1)
    assert count.n >= 0.5 * n_moves > 5
