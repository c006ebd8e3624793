import numpy as np
import pytest
from label_reference import (
    SplitMix64,
    evolve,
    label_problem,
    mutate,
    smooth_smoother,
    some_given,
    tied_smoother,
)
from numpy.testing import assert_allclose, assert_array_equal

from widemargin.labelling import evolution_loops as loops
from widemargin.labelling.starts import random_start
from widemargin.labelling.state import LabelState

TOL = 1e-3  # above all rounding, below all gains of whole numbers


def run(problem, starts, n_offspring, seed, chunks, patience=10_000):
    """The compiled evolution: population, fitness and progress."""
    states = [LabelState(problem, start) for start in starts]
    tables = np.stack([state.table for state in states])
    codes = np.stack([state.codes for state in states])
    counts = np.stack([state.counts for state in states])
    fitness = np.array([0.5 * state.inside for state in states])
    progress, random = np.zeros(3, dtype=np.int64), np.array([seed], dtype=np.uint64)
    for n_generations in chunks:
        loops.evolve(
            *states[0].ties, tables, codes, counts, fitness, *states[0].bounds,
            problem.order, n_offspring, random, TOL, progress, patience, n_generations,
        )  # fmt: skip
    for member, table, sizes, fit in zip(codes, tables, counts, fitness, strict=True):
        fresh = LabelState(problem, member)
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
