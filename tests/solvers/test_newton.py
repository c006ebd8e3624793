from dataclasses import replace

import numpy as np
import pytest
from convex import minimum
from hypothesis import given
from hypothesis import strategies as st
from laplacian_problems import make_objective
from numpy.testing import assert_allclose
from reference import published_newton
from scipy.optimize import minimize_scalar

from widemargin.objectives.losses import Squared, SquaredHinge
from widemargin.solvers.newton import exact_step, reduced_newton
from widemargin.solvers.result import Status

INTERCEPTS = [
    (None, True),
    ("inside", True),
    ("inside", False),
    ("penalized", True),
]


def value(objective, c):
    """The objective of some coordinates, summed over the columns."""
    scores = objective.functions.scores(c)
    return objective.value(c, scores, objective.smoothing(c, scores)).sum()


@pytest.mark.parametrize("power", [1, 2, 3])
def test_newton_reaches_the_convex_solvers_minimum(rng, power):
    objective = make_objective(rng, power=power)
    expected = sum(
        minimum(
            objective.space.gram,
            objective.laplacian.to_dense(),
            objective.label_idx,
            targets,
            objective.weights,
            "squared hinge",
            objective.ambient,
            objective.intrinsic,
        )
        for targets in objective.targets.T
    )
    assert_allclose(reduced_newton(objective.reduced()).objective, expected, rtol=1e-8)


@pytest.mark.parametrize("loss", [SquaredHinge(), Squared()])
@pytest.mark.parametrize(("intercept", "normalized"), INTERCEPTS)
def test_reduced_newton_equals_published_newton(rng, loss, intercept, normalized):
    objective = make_objective(
        rng, loss=loss, intercept=intercept, normalized=normalized
    )
    problem = objective.reduced()
    reduced = reduced_newton(problem)
    assert reduced.status is Status.CONVERGED
    coordinates = problem.coordinates(reduced.solution)
    assert_allclose(coordinates, published_newton(objective), rtol=1e-6, atol=1e-8)
    assert_allclose(reduced.objective, value(objective, coordinates), rtol=1e-10)


@pytest.mark.parametrize("intercept", [None, "inside", "penalized"])
def test_objective_never_rises(rng, intercept):
    objective = make_objective(rng, n_labels=40, intercept=intercept, ambient=1e-5)
    values = reduced_newton(objective.reduced()).history["objective"]
    assert len(values) > 2
    assert np.all(np.diff(values) <= 1e-12)


def test_iteration_limit_is_reported(rng):
    problem = make_objective(rng, n_labels=40, ambient=1e-5).reduced()
    assert reduced_newton(problem, max_iter=1).status is Status.MAX_ITER


def test_copies_make_the_gram_matrix_singular_and_harmless(rng):
    """Rows 0 to 4 are copies of the last: its objective is that of PCG and Newton."""
    objective = make_objective(rng, copies=5)
    assert np.linalg.matrix_rank(objective.space.gram) < 60
    reduced = reduced_newton(objective.reduced())
    published = value(objective, published_newton(objective))
    assert_allclose(reduced.objective, published, rtol=1e-8)
    assert np.isfinite(reduced.solution).all()


def test_ends_where_steps_of_length_one_go_round_in_circles(rng):
    """The published method repeats itself on this problem; the line search ends it."""
    draw = np.random.default_rng(177)
    half = draw.standard_normal((8, 7))
    problem = replace(
        make_objective(rng, n_classes=2, n_labels=8).reduced(),
        response=1000 * half @ half.T,
        targets=draw.choice([-1.0, 1.0], (8, 1)),
        weights=np.full(8, 1 / 8),
    )
    active, seen = np.ones(8, dtype=bool), []
    while active.tolist() not in seen:
        seen.append(active.tolist())
        g, b = problem.stationary(active)(problem.targets)
        active = problem.loss.active(problem.targets, problem.scores(g, b))[:, 0]
    assert active.tolist() != seen[-1]  # a cycle, not an end
    result = reduced_newton(problem)
    assert result.status is Status.CONVERGED
    assert np.all(np.diff(result.history["objective"]) <= 1e-12)


def along(loss, problem, column, s):
    """The function of the step that the line search minimizes."""
    targets, weights, scores, direction, slope, curvature = problem
    values = loss.value(
        targets[:, column], scores[:, column] + s * direction[:, column]
    )
    quadratic = slope[column] * s + 0.5 * curvature[column] * s**2
    return 0.5 * weights @ values + quadratic


def random_problem(seed, n_labels=12, n_columns=3):
    rng = np.random.default_rng(seed)
    targets = rng.choice([-1.0, 1.0], (n_labels, n_columns))
    scores = 1.5 * rng.standard_normal((n_labels, n_columns))
    scores[0] = targets[0]  # exactly on the margin
    direction = rng.standard_normal((n_labels, n_columns))
    direction[1] = 0.0  # a score that does not move
    weights = rng.uniform(0.1, 2.0, n_labels)
    curvature = rng.uniform(0.01, 1.0, n_columns)
    slope = 3.0 * rng.standard_normal(n_columns)
    return targets, weights, scores, direction, slope, curvature


@pytest.mark.parametrize("loss", [SquaredHinge(), Squared()])
@given(seed=st.integers(0, 10_000))
def test_step_is_the_minimum_of_a_brute_force_search(loss, seed):
    problem = random_problem(seed)
    steps, _ = exact_step(loss, *problem)
    for column, step in enumerate(steps):

        def function(s, column=column):
            return along(loss, problem, column, s)

        if (
            function(1e-9) - function(0.0)
        ) >= 0:  # the objective does not fall: Newton never takes such a direction
            continue
        wide = minimize_scalar(
            function, bounds=(0.0, 2 * step + 1.0), options={"xatol": 1e-12}
        )
        assert function(step) <= wide.fun + 1e-10 * max(1.0, abs(wide.fun))
        assert_allclose(step, wide.x, rtol=1e-4, atol=1e-5)


def test_without_labels_inside_the_margin_only_the_quadratic_counts():
    targets, scores = np.ones((2, 1)), np.full((2, 1), 5.0)
    step, n_intervals = exact_step(
        SquaredHinge(), targets, np.ones(2), scores, np.ones((2, 1)), -2.0, 4.0
    )
    assert_allclose(step, [0.5])
    assert n_intervals == [1]


@pytest.mark.parametrize("loss", [SquaredHinge(), Squared()])
@given(seed=st.integers(0, 10_000))
def test_intervals_of_the_line_search_are_counted(loss, seed):
    """One more than the labels that enter or leave the margin before the minimum."""
    problem = random_problem(seed)
    targets, _, scores, direction, *_ = problem
    steps, n_intervals = exact_step(loss, *problem)
    for column, step in enumerate(steps):
        margins = targets[:, column] * scores[:, column]
        rates = targets[:, column] * direction[:, column]
        # The label on the margin's edge switches at once, if it moves inwards.
        start = np.where((margins == 1.0) & (rates < 0), 2.0, margins) < 1
        switched = start != (margins + step * rates < 1)
        assert n_intervals[column] == (1 + switched.sum() if loss.has_kink else 1)
