from dataclasses import replace

import numpy as np
import pytest
from machines import make_objective
from numpy.testing import assert_allclose

from widemargin.objectives.losses import Squared
from widemargin.solvers.newton import newton
from widemargin.solvers.reduced_newton import reduced_newton

VARIANTS = [
    {"intercept": intercept, "normalized": normalized, "features": features}
    for intercept in (False, True)
    for normalized in (False, True)
    for features in (False, True)
]


@pytest.mark.parametrize("variant", VARIANTS)
def test_reduced_value_is_that_of_the_whole_objective(rng, variant):
    """Any g and intercept, not only the best: the two functions are the same."""
    objective = make_objective(rng, **variant)
    problem = objective.reduced()
    g = 0.01 * rng.standard_normal((15, 3))
    b = rng.standard_normal(3) * variant["intercept"]
    c = problem.coordinates(g, b)
    scores = objective.space.scores(c)
    whole = objective.value(c, scores, objective.smoothing(scores))
    assert_allclose(problem.value(g, b), whole, rtol=1e-7)
    assert_allclose(problem.scores(g, b), scores[objective.rows], rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("variant", VARIANTS)
def test_leave_one_out_equals_refitting_without_the_label(rng, variant):
    objective = make_objective(rng, loss=Squared(), **variant)
    shortcut = objective.reduced().leave_one_out()
    for i in range(len(objective.rows)):
        kept = np.arange(len(objective.rows)) != i
        without = replace(
            objective,
            rows=objective.rows[kept],
            targets=objective.targets[kept],
            weights=objective.weights[kept],
        )
        c = reduced_newton(without.reduced()).solution
        refitted = objective.space.scores(c)[objective.rows[i]]
        assert_allclose(shortcut[i], refitted, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("intercept", [False, True])
def test_rescaled_equals_building_with_both_weights_multiplied(rng, intercept):
    objective = make_objective(rng, intercept=intercept)
    both = replace(objective, ambient=7e-3, intrinsic=7e-2)
    ours = reduced_newton(objective.reduced().rescaled(7.0))
    assert_allclose(ours.solution, reduced_newton(both.reduced()).solution, rtol=1e-7)


def test_two_labels_on_one_row_pull_both_ways(rng):
    """A row with both labels: the published system has it twice, and so do we."""
    objective = make_objective(rng, n_classes=2, loss=Squared())
    rows, targets = objective.rows.copy(), objective.targets.copy()
    rows[1], targets[0], targets[1] = rows[0], 1.0, -1.0
    objective = replace(objective, rows=rows, targets=targets)
    assert_allclose(
        reduced_newton(objective.reduced()).solution,
        newton(objective).solution,
        rtol=1e-6,
        atol=1e-8,
    )
