import threading
from dataclasses import dataclass, field
from itertools import count
from types import SimpleNamespace

import numpy as np
import pytest
from label_reference import label_problem, lowest_value, smooth_smoother, some_given
from numpy.testing import assert_allclose, assert_array_equal

from widemargin.labelling.search import search_labels
from widemargin.labelling.starts import make_starts
from widemargin.labelling.strategies import (
    Evolution,
    Reshaking,
    Shaking,
    Steepest,
    Stochastic,
    Tabu,
)
from widemargin.solvers.result import Status

STRATEGIES = [Stochastic(), Steepest(), Shaking(), Tabu(), Evolution(), Reshaking()]


@pytest.fixture(params=[None, 10], ids=["dense", "low rank"])
def problem(request, rng):
    smoother = smooth_smoother(rng, 50, rank=request.param)
    given = some_given(rng, 50, 3, 6)
    return label_problem(smoother, 3, given=given, lower=8, upper=25)


@dataclass
class Scripted:
    """A strategy that returns what it is told, or raises it."""

    answers: list
    reads_rows: bool = False
    calls: list = field(default_factory=list)
    turn: count = field(default_factory=count)

    def improve(self, problem, codes, seed, goes_on):
        self.calls.append((codes, seed))
        answer = self.answers[next(self.turn)]
        if isinstance(answer, BaseException):
            raise answer
        assert goes_on() in (True, False)
        return answer, 5


@pytest.fixture
def labelings(problem, rng):
    """Five of them, and their values."""
    starts, _ = make_starts(problem, 5, rng)
    return starts, np.array([problem.value(start) for start in starts])


@pytest.mark.parametrize("strategy", STRATEGIES, ids=lambda one: type(one).__name__)
def test_result_does_not_depend_on_the_number_of_threads(problem, rng, strategy):
    starts, seeds = make_starts(problem, 5, rng)
    alone = search_labels(problem, strategy, starts, seeds)
    side_by_side = search_labels(problem, strategy, starts, seeds, n_threads=3)
    assert_array_equal(alone.solution, side_by_side.solution)
    assert alone.objective == side_by_side.objective
    for key in ("objective", "found", "moves"):
        assert alone.history[key] == side_by_side.history[key]
    assert alone.status is side_by_side.status is Status.CONVERGED


@pytest.mark.parametrize("strategy", STRATEGIES, ids=lambda one: type(one).__name__)
def test_result_is_the_best_search(problem, rng, strategy):
    starts, seeds = make_starts(problem, 4, rng)
    result = search_labels(problem, strategy, starts, seeds)
    seen = problem.with_dense_smoother() if strategy.reads_rows else problem
    each = [
        strategy.improve(seen, start, int(seed))
        for start, seed in zip(starts, seeds, strict=True)
    ]
    values = [problem.value(codes) for codes, _ in each]
    assert_allclose(result.history["found"], values, rtol=1e-9)
    assert_allclose(result.objective, min(values), rtol=1e-9)
    assert_allclose(problem.value(result.solution), min(values), rtol=1e-9)
    assert problem.is_feasible(result.solution)


@pytest.mark.parametrize("n_threads", [1, 2])
def test_history_has_one_entry_a_search(problem, labelings, n_threads):
    starts, values = labelings
    # With one thread the answers come in order; the same for all suits any order.
    answers = starts if n_threads == 1 else [starts[0]] * 5
    expected = values if n_threads == 1 else values[[0] * 5]
    result = search_labels(
        problem, Scripted(answers), starts, range(5), n_threads=n_threads
    )
    assert_allclose(result.history["found"], expected)
    assert_allclose(result.history["objective"], np.minimum.accumulate(expected))
    assert result.history["moves"] == [5] * 5
    assert result.n_iter == 25
    assert len(result.history["seconds"]) == 5
    assert min(result.history["seconds"]) >= 0
    assert_array_equal(result.solution, answers[expected.argmin()])


def test_each_start_gets_its_seed(problem, labelings):
    starts, _ = labelings
    strategy = Scripted(starts)
    search_labels(problem, strategy, starts, np.array([4, 8, 15, 16, 23]))
    assert [seed for _, seed in strategy.calls] == [4, 8, 15, 16, 23]
    assert all(type(seed) is int for _, seed in strategy.calls)
    for (codes, _), start in zip(strategy.calls, starts, strict=True):
        assert_array_equal(codes, start)


def test_of_searches_that_differ_by_rounding_the_first_counts():
    """Which of them is lowest may differ between machines."""
    problem = SimpleNamespace(
        value=[3.0, 1.0 + 1e-12, 1.0].__getitem__,
        smoother=SimpleNamespace(low_rank=False),
    )
    result = search_labels(problem, Scripted([0, 1, 2]), [0, 0, 0], range(3))
    assert result.solution == 1


@pytest.mark.parametrize("n_threads", [1, 3])
def test_callback_sees_every_search(problem, rng, n_threads):
    starts, seeds = make_starts(problem, 4, rng)
    seen = []

    def callback(n_done, history):
        seen.append((n_done, len(history["found"]), history["objective"][-1]))

    result = search_labels(
        problem, Steepest(), starts, seeds, n_threads=n_threads, callback=callback
    )
    assert [entry[:2] for entry in seen] == [(1, 1), (2, 2), (3, 3), (4, 4)]
    assert [entry[2] for entry in seen] == result.history["objective"]
    silent = search_labels(problem, Steepest(), starts, seeds)
    assert_array_equal(result.solution, silent.solution)


@pytest.mark.parametrize("n_threads", [1, 2])
def test_interrupt_in_the_callback_keeps_the_best_so_far(problem, labelings, n_threads):
    starts, values = labelings

    def callback(n_done, history):
        if n_done == 3:
            raise KeyboardInterrupt

    order = np.argsort(values)[[2, 1, 3, 0, 4]]  # the best comes after the interrupt
    strategy = Scripted([starts[i] for i in order])
    result = search_labels(
        problem, strategy, starts, range(5), n_threads=n_threads, callback=callback
    )
    assert result.status is Status.INTERRUPTED
    n_done = len(result.history["found"])
    assert 3 <= n_done == len(set(result.history["found"]))
    assert_allclose(result.objective, values[order][:n_done].min())


@pytest.mark.parametrize("n_threads", [1, 2])
def test_interrupt_in_a_search_keeps_those_before(problem, labelings, n_threads):
    starts, values = labelings
    answers = [starts[0]] * 2 + [KeyboardInterrupt()] + [starts[0]] * 2
    result = search_labels(
        problem, Scripted(answers), starts, range(5), n_threads=n_threads
    )
    assert result.status is Status.INTERRUPTED
    assert_array_equal(result.solution, starts[0])
    assert_allclose(result.objective, values[0])


def test_interrupt_of_the_first_search_returns_a_start(problem, labelings):
    starts, _ = labelings
    result = search_labels(problem, Scripted([KeyboardInterrupt()]), starts, range(5))
    assert result.status is Status.INTERRUPTED
    assert problem.is_feasible(result.solution)
    assert_allclose(result.objective, problem.value(result.solution))
    assert result.n_iter == 0


def test_interrupt_stops_the_searches_that_are_running(problem, labelings):
    """They see it after their piece of work and return what they have."""
    starts, values = labelings
    others = threading.Barrier(2, timeout=10)

    class Endless:
        reads_rows = False

        def improve(self, problem, codes, seed, goes_on):
            if seed == 0:
                others.wait()
                return starts[0], 1
            others.wait()
            while goes_on():
                pass
            return starts[1], 1

    def callback(n_done, history):
        raise KeyboardInterrupt

    result = search_labels(
        problem, Endless(), starts[:2], range(2), n_threads=2, callback=callback
    )
    assert result.status is Status.INTERRUPTED
    assert_allclose(result.objective, values[:2].min())


def test_other_errors_are_not_hidden(problem, labelings):
    starts, _ = labelings
    for n_threads in (1, 2):
        strategy = Scripted([starts[0], ZeroDivisionError("oops"), *starts])
        with pytest.raises(ZeroDivisionError, match="oops"):
            search_labels(problem, strategy, starts, range(5), n_threads=n_threads)


def test_no_start_is_refused(problem):
    with pytest.raises(ValueError, match="at least one start, got none"):
        search_labels(problem, Steepest(), [], [])


@pytest.mark.parametrize("reads_rows", [False, True])
def test_all_ties_is_at_hand_for_strategies_that_read_rows(
    problem, labelings, reads_rows
):
    """Unless there are too many points."""
    starts, _ = labelings
    seen = []

    class Looking(Scripted):
        def improve(self, problem, codes, seed, goes_on):
            seen.append(problem.smoother.low_rank)
            return super().improve(problem, codes, seed, goes_on)

    search_labels(problem, Looking(starts, reads_rows), starts[:1], [0])
    looking = Looking(starts, reads_rows)
    search_labels(problem, looking, starts[:1], [0], dense_rows=49)
    is_low_rank = problem.smoother.low_rank
    assert seen == [is_low_rank and not reads_rows, is_low_rank]


def test_starts_are_not_changed(problem, rng):
    starts, seeds = make_starts(problem, 3, rng)
    before = np.copy(starts)
    search_labels(problem, Tabu(), starts, seeds, n_threads=2)
    assert_array_equal(starts, before)


@pytest.mark.parametrize("n_starts", [0, 1, 4])
def test_starts_are_repeatable_feasible_and_differ(problem, n_starts):
    starts, seeds = make_starts(problem, n_starts, np.random.default_rng(3))
    again, same_seeds = make_starts(problem, n_starts, np.random.default_rng(3))
    assert_array_equal(starts, again)
    assert_array_equal(seeds, same_seeds)
    assert len(starts) == len(seeds) == len(set(seeds)) == n_starts
    assert all(problem.is_feasible(start) for start in starts)
    assert len({start.tobytes() for start in starts}) == n_starts


@pytest.mark.parametrize("n_classes", [2, 3])
def test_search_finds_the_best_of_all_labelings(n_classes):
    rng = np.random.default_rng(21)
    n = 12 if n_classes == 2 else 9
    problem = label_problem(smooth_smoother(rng, n), n_classes, lower=2, upper=n - 4)
    starts, seeds = make_starts(problem, 8, rng)
    result = search_labels(problem, Tabu(), starts, seeds, n_threads=2)
    assert_allclose(result.objective, lowest_value(problem), rtol=1e-9)
