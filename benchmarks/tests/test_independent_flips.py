"""Flipping each label with probability 1/n."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from widemargin.labelling.problem import LabelProblem, LabelState
from widemargin.labelling.starts import random_start
from widemargin.spaces.smoother import DenseSmoother
from widemargin_bench.independent_flips import IndependentFlips, draw_flips
from widemargin_bench.independent_flips_loops import mutate


def make_problem(rng, *, n=30, n_labeled=4, n_classes=2):
    """Points of which the first are labeled; the second class has 8 to 20 of them."""
    X = rng.normal(size=(n, 3))
    movable = np.arange(n) >= n_labeled
    given = (np.arange(n) % n_classes).astype(np.int32)
    return LabelProblem(
        DenseSmoother(np.exp(-((X[:, None] - X) ** 2).sum(-1)), np.ones(n), 0.1),
        movable,
        given,
        np.full(n_classes, 8),
        np.full(n_classes, 20),
        np.full(n_classes, n / n_classes),
        np.flatnonzero(movable),
    )


def test_each_place_is_flipped_with_the_same_probability(rng):
    n, n_generations = 20, 100_000
    generation, place = draw_flips(rng, n, n_generations)
    counts = np.bincount(place, minlength=n)
    # four standard errors of 0.0007
    assert_allclose(counts / n_generations, 1 / n, atol=0.003)
    assert len(np.unique(generation * n + place)) == len(place)
    flips = np.bincount(generation, minlength=n_generations)
    assert_allclose(np.mean(flips == 0), (1 - 1 / n) ** n, atol=0.006)


@pytest.mark.parametrize("n_flips", [1, 2, 5])
def test_flips_are_made_exactly_if_they_are_valid_and_lower_the_objective(rng, n_flips):
    """A generation is accepted by a re-evaluation of all ties inside the classes."""
    problem, n_accepted = make_problem(rng), 0
    for _ in range(200):
        codes = random_start(problem, rng)
        points = rng.permutation(problem.order)[:n_flips]
        flipped = codes.copy()
        flipped[points] = 1 - flipped[points]
        sizes = np.bincount(flipped, minlength=2)
        is_valid = bool(np.all((sizes >= 8) & (sizes <= 20)))
        gain = problem.inside(flipped) - problem.inside(codes)
        state, progress = LabelState.of(problem, codes), np.zeros(2, dtype=np.int64)
        mutate(state, points, np.array([0, n_flips]), 1e-12, progress)
        wanted = flipped if is_valid and gain > 1e-9 else codes
        assert np.array_equal(state.codes, wanted)
        assert_allclose(state.table, problem.table(wanted), atol=1e-9)
        n_accepted += wanted is flipped
    assert 0 < n_accepted < 200


def test_search_keeps_labels_and_bounds_and_improves(rng):
    problem = make_problem(rng)
    start = random_start(problem, rng)
    found, n_moves = IndependentFlips().improve(problem, start, 0)
    assert np.array_equal(found[:4], problem.given[:4])
    assert problem.is_feasible(found)
    assert n_moves > 0
    assert problem.inside(found) > problem.inside(start)
    again, _ = IndependentFlips().improve(problem, start, 0)
    assert np.array_equal(found, again)


def test_more_than_two_classes_are_refused(rng):
    problem = make_problem(rng, n_classes=3)
    with pytest.raises(ValueError, match="needs two classes, got 3"):
        IndependentFlips().improve(problem, random_start(problem, rng))
