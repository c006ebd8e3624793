from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from piece_reference import dual_value, loss, objective, random_pieces

from widemargin.objectives.pieces import HingePieces, ProximalHinges, hinges
from widemargin.solvers.smo import smo


@pytest.fixture
def gram(X):
    return np.exp(-0.2 * ((X[:, None] - X) ** 2).sum(axis=-1))


@pytest.fixture
def pieces(rng):
    return random_pieces(rng, 30)


def feasible(pieces, rng):
    lower, upper = pieces.bounds()
    return lower + (upper - lower) * rng.random(pieces.n_samples)


def test_value_equals_a_loop(pieces, rng):
    for scale in (0.1, 1.0, 5.0):
        scores = scale * rng.standard_normal(30)
        assert_allclose(pieces.value(scores), loss(pieces, scores), rtol=1e-12)


def test_bounds_are_the_slopes_far_out(pieces):
    """Largest and smallest slope of each sample's loss, by differences."""
    lower, upper = pieces.bounds()
    assert (upper - lower).max() > 1.0
    for i in range(30):
        unit = np.eye(30)[i]
        right = pieces.value(9.0 * unit) - pieces.value(8.0 * unit)
        left = pieces.value(-8.0 * unit) - pieces.value(-9.0 * unit)
        assert_allclose([-right, -left], [lower[i], upper[i]], atol=1e-12)


def test_pieces_by_sample_fall_and_fill_the_bounds(pieces):
    starts, kinks, costs = pieces.by_sample()
    lower, upper = pieces.bounds()
    for i in range(30):
        own = slice(starts[i], starts[i + 1])
        assert_array_equal(kinks[own], -np.sort(-pieces.kinks[pieces.rows == i]))
        assert_allclose(costs[own].sum(), upper[i] - lower[i], atol=1e-12)
    assert_allclose(costs @ kinks, pieces.costs @ pieces.kinks)


@pytest.mark.parametrize("intercept", [0.0, 0.7])
def test_dual_value_equals_the_conjugate(pieces, gram, rng, intercept):
    for _ in range(5):
        a = feasible(pieces, rng)
        assert_allclose(
            pieces.dual_value(a, a @ gram @ a, intercept),
            dual_value(gram, pieces, a, intercept),
            rtol=1e-10,
        )


@pytest.mark.parametrize("intercept", [0.0, 0.7])
def test_dual_value_bounds_the_objective(pieces, gram, rng, intercept):
    """Any feasible coefficients lie below any function, and the best ones meet."""
    best = smo(gram, pieces, intercept=intercept, tol=1e-9)
    for _ in range(20):
        a = feasible(pieces, rng)
        assert pieces.dual_value(a, a @ gram @ a, intercept) < best.objective
        other = best.solution + np.append(0.1 * rng.standard_normal(30), 0.0)
        assert objective(gram, pieces, other) > best.objective
    a = best.solution[:-1]
    assert_allclose(
        pieces.dual_value(a, a @ gram @ a, intercept), best.objective, rtol=1e-7
    )


def test_joined_losses_add_up(pieces, rng):
    other = random_pieces(rng, 30, n_pieces=7)
    both, scores = pieces + other, rng.standard_normal(30)
    assert_allclose(both.value(scores), pieces.value(scores) + other.value(scores))
    for one, two, sum_ in zip(
        pieces.bounds(), other.bounds(), both.bounds(), strict=True
    ):
        assert_allclose(one + two, sum_, atol=1e-12)


def test_no_pieces_leave_the_linear_term():
    none = np.array([])
    pieces = HingePieces(2, none.astype(int), none, none, none, np.array([1.0, -1.0]))
    assert pieces.value(np.array([3.0, 1.0])) == 2.0
    assert_array_equal(pieces.bounds(), [[-1.0, 1.0], [-1.0, 1.0]])
    assert pieces.dual_value(np.array([-1.0, 1.0]), 4.0) == -2.0


def test_sum_of_losses_is_a_loss(pieces, rng):
    other, scores = random_pieces(rng, 30, n_pieces=7), rng.standard_normal(30)
    expected = pieces.value(scores) + other.value(scores)
    assert_allclose((pieces + other).value(scores), expected)


def test_slopes_add_up_where_a_sample_stands_twice(pieces, rng):
    rows, slopes = np.array([4, 7, 4]), np.array([0.5, -1.0, 2.0])
    scores, before = rng.standard_normal(30), pieces.linear.copy()
    sloped = pieces.with_slopes(rows, slopes)
    expected = pieces.value(scores) + 2.5 * scores[4] - scores[7]
    assert_allclose(sloped.value(scores), expected)
    assert_array_equal(pieces.linear, before)


def test_hinges_of_numbers_of_any_type():
    pieces = hinges(3, [2, 0], [1, -1], [1, -1], [2, 3])
    assert pieces.value(np.array([0.5, 9.0, 0.25])) == 3 * 1.5 + 2 * 0.75
    arrays = [pieces.kinks, pieces.sides, pieces.costs, pieces.linear]
    assert {array.dtype for array in arrays} == {np.dtype(np.float64)}


@pytest.fixture
def smooth(rng):
    pieces = random_pieces(rng, 30, n_pieces=80)
    pieces = replace(pieces, costs=pieces.costs + 0.1)
    return ProximalHinges(pieces, pieces.costs * rng.random(80), 0.7)


def smooth_value(smooth, scores):
    """Sum of the smooth hinges plus the linear term, by its definition."""
    pieces, moved = smooth.pieces, smooth.multipliers_at(scores)
    slack = pieces.sides * (pieces.kinks - scores[pieces.rows])
    away = (moved - smooth.multipliers) ** 2 / pieces.costs
    linear = pieces.linear @ scores
    return float(moved @ slack - smooth.width / 2.0 * away.sum() + linear)


def test_smooth_gradient_equals_finite_differences(rng, smooth):
    scores = rng.normal(size=30)
    gradient = -smooth.pieces.coefficients(smooth.multipliers_at(scores))
    for i, step in enumerate(1e-6 * np.eye(30)):
        ends = (smooth_value(smooth, scores + move) for move in (step, -step))
        slope = np.subtract(*ends) / 2e-6
        assert_allclose(slope, gradient[i], atol=1e-7)


def test_smooth_curvature_equals_finite_differences(rng, smooth):
    scores = rng.normal(size=30)
    curvature = smooth.curvature(scores)
    assert np.count_nonzero(curvature) > 5

    def gradient(scores):
        return -smooth.pieces.coefficients(smooth.multipliers_at(scores))

    for i, step in enumerate(1e-7 * np.eye(30)):
        slope = (gradient(scores + step) - gradient(scores - step)) / 2e-7
        assert_allclose(slope, curvature[i] * np.eye(30)[i], atol=1e-6)


@pytest.mark.parametrize("width", [0.01, 0.7, 100.0])
def test_step_is_the_minimum_along_the_line(rng, smooth, width):
    smooth = replace(smooth, width=width)
    scores, direction = rng.normal(size=(2, 30))

    def value(t):
        moved = scores + t * direction
        return smooth_value(smooth, moved) - 0.4 * t + 0.3 * t**2

    t = smooth.step(scores, direction, -0.4, 0.6)
    assert all(value(t) < value(t + move) for move in (-0.01, -1e-4, 1e-4, 0.01))


@pytest.mark.parametrize("at", [-700.3, 0.3, 700.3])
def test_step_does_not_crawl_over_many_pieces(at):
    """Costs that grow from kink to kink, of which Newton passes one at a time."""
    n = 500
    kinks = np.arange(n) - 10.0
    costs, nothing = 1.7 ** np.arange(n), np.zeros(n)
    pieces = HingePieces(n, np.arange(n), kinks, -np.ones(n), costs, nothing)
    t = ProximalHinges(pieces, nothing, 1.0).step(np.full(n, at), np.ones(n), -4.1)
    assert_allclose(at + t, -8 + 1.4 / 1.7**2)  # 1 + 1.7 + 1.4 balance the slope


def test_smooth_hinges_are_never_above_the_kinks(rng, smooth):
    """And meet them when the width goes to zero."""
    scores = rng.normal(size=30)
    gaps = [
        smooth.pieces.value(scores) - smooth_value(replace(smooth, width=width), scores)
        for width in (1.0, 0.1, 1e-6)
    ]
    assert gaps[0] > gaps[1] > gaps[2] > 0
    assert gaps[2] < 1e-4


def test_multipliers_are_spread_as_the_dual_value_needs(rng):
    """They make the coefficients, and no others with these gain more."""
    pieces = random_pieces(rng, 10, n_pieces=40)
    lower, upper = pieces.bounds()
    a = lower + rng.random(10) * (upper - lower)
    multipliers = pieces.multipliers(a)
    assert_allclose(pieces.coefficients(multipliers), a, atol=1e-12)
    gained = (pieces.sides * multipliers) @ pieces.kinks
    expected = dual_value(np.zeros((10, 10)), pieces, a)
    assert_allclose(gained, expected, rtol=1e-12)
