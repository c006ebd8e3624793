import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from piece_reference import dual_value, loss, objective, random_pieces

from widemargin.objectives.pieces import HingePieces, hinges, join
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
    both, scores = join([pieces, other]), rng.standard_normal(30)
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
