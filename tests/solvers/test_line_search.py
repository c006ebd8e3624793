import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.optimize import minimize_scalar

from widemargin.objectives.losses import Squared, SquaredHinge
from widemargin.solvers.line_search import exact_step


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
    steps = exact_step(loss, *problem)
    for column, step in enumerate(steps):

        def function(s, column=column):
            return along(loss, problem, column, s)

        if (function(1e-9) - function(0.0)) >= 0:  # no descent: not a direction of ours
            continue
        wide = minimize_scalar(
            function, bounds=(0.0, 2 * step + 1.0), options={"xatol": 1e-12}
        )
        assert function(step) <= wide.fun + 1e-10 * max(1.0, abs(wide.fun))
        assert_allclose(step, wide.x, rtol=1e-4, atol=1e-5)


def test_without_labels_inside_the_margin_only_the_quadratic_counts():
    targets, scores = np.ones((2, 1)), np.full((2, 1), 5.0)
    step = exact_step(
        SquaredHinge(), targets, np.ones(2), scores, np.ones((2, 1)), -2.0, 4.0
    )
    assert_allclose(step, [0.5])
