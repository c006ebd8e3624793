from dataclasses import replace

import numpy as np
import pytest
from laplacian_problems import make_objective
from numpy.testing import assert_allclose
from reference import published_newton

from widemargin.objectives.losses import Squared
from widemargin.solvers.newton import reduced_newton


def solve(objective):
    """Coordinates of the minimum."""
    problem = objective.reduced()
    return problem.coordinates(reduced_newton(problem).solution)


VARIANTS = [
    {"intercept": intercept, "normalized": normalized, "features": features}
    for intercept in (None, "inside", "penalized")
    for normalized in (False, True)
    for features in (False, True)
]


@pytest.mark.parametrize("variant", VARIANTS)
def test_reduced_value_is_that_of_the_whole_objective(rng, variant):
    """Any g and intercept, not only the best: the two functions are the same."""
    objective = make_objective(rng, **variant)
    problem = objective.reduced()
    g = 0.01 * rng.standard_normal((15, 3))
    b = rng.standard_normal(3) * (variant["intercept"] is not None)
    c = problem.coordinates(np.vstack([g, b]))
    scores = objective.functions.scores(c)
    whole = objective.value(c, scores, objective.smoothing(c, scores))
    assert_allclose(problem.value(g, b), whole, rtol=1e-7)
    assert_allclose(
        problem.scores(g, b), scores[objective.label_idx], rtol=1e-6, atol=1e-8
    )


@pytest.mark.parametrize("variant", VARIANTS)
def test_leave_one_out_equals_refitting_without_the_label(rng, variant):
    objective = make_objective(rng, loss=Squared(), **variant)
    problem = objective.reduced()
    shortcut = problem.leave_one_out(reduced_newton(problem).solution)
    for i in range(len(objective.label_idx)):
        kept = np.arange(len(objective.label_idx)) != i
        without = replace(
            objective,
            label_idx=objective.label_idx[kept],
            targets=objective.targets[kept],
            weights=objective.weights[kept],
        )
        c = solve(without)
        refitted = objective.functions.scores(c)[objective.label_idx[i]]
        assert_allclose(shortcut[i], refitted, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("intercept", [None, "inside", "penalized"])
def test_rescaled_equals_building_with_both_weights_multiplied(rng, intercept):
    objective = make_objective(rng, intercept=intercept)
    both = replace(objective, ambient=7e-3, intrinsic=7e-2)
    if objective.intercept is not None:
        penalty = 7 * objective.intercept.penalty
        both = replace(both, intercept=replace(objective.intercept, penalty=penalty))
    problem = objective.reduced().rescaled(7.0)
    ours = problem.coordinates(reduced_newton(problem).solution)
    assert_allclose(ours, solve(both), rtol=1e-6, atol=1e-9)


def test_two_labels_on_one_row_pull_both_ways(rng):
    """A row with both labels: the published system has it twice, and so do we."""
    objective = make_objective(rng, n_classes=2, loss=Squared())
    rows, targets = objective.label_idx.copy(), objective.targets.copy()
    rows[1], targets[0], targets[1] = rows[0], 1.0, -1.0
    objective = replace(objective, label_idx=rows, targets=targets)
    assert_allclose(
        solve(objective),
        published_newton(objective),
        rtol=1e-6,
        atol=1e-8,
    )


def test_leave_one_out_of_the_hinge_is_exact_while_the_margin_keeps_its_labels(rng):
    """A label beyond the margin does not pull: without it nothing changes."""
    objective = make_objective(rng, n_labels=30, ambient=1e-5)
    problem = objective.reduced()
    solution = reduced_newton(problem).solution
    shortcut = problem.leave_one_out(solution)
    scores = problem.scores(solution[:-1], solution[-1])
    active = objective.loss.active(objective.targets, scores)
    assert 0 < active.sum() < active.size
    assert_allclose(shortcut[~active], scores[~active])
    checked = 0
    for i, column in zip(*np.nonzero(active), strict=True):
        kept = np.arange(30) != i
        without = replace(
            objective,
            label_idx=objective.label_idx[kept],
            targets=objective.targets[kept][:, [column]],
            weights=objective.weights[kept],
        )
        f = objective.functions.scores(solve(without))[objective.label_idx]
        now_active = objective.loss.active(objective.targets[:, [column]], f)
        if (now_active[kept, 0] == active[kept, column]).all():
            assert_allclose(shortcut[i, column], f[i, 0], rtol=1e-5, atol=1e-7)
            checked += 1
    assert checked > 5


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_mixed_problem_is_the_model_of_the_mixed_kernel(rng, share):
    """Its scores are those of a kernel model over (1 - share) K + share K~."""
    objective = make_objective(rng, loss=Squared(), intercept="penalized")
    plain, deformed = replace(objective, intrinsic=0.0).reduced(), objective.reduced()
    mixed = plain.mixed(deformed, share)
    solution = reduced_newton(mixed).solution
    scores = objective.functions.scores(mixed.coordinates(solution))
    S = (1 - share) * plain.response + share * deformed.response + 1 / 0.05
    h = np.linalg.solve(S + np.diag(1 / objective.weights), objective.targets)
    assert_allclose(scores[objective.label_idx], S @ h, rtol=1e-5, atol=1e-7)
