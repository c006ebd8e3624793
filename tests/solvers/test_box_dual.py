from dataclasses import replace

import numpy as np
import pytest
from convex import minimum
from laplacian_problems import make_objective
from numpy.testing import assert_allclose
from sklearn.svm import SVC

from widemargin.objectives.losses import Hinge
from widemargin.solvers.box_dual import box_dual
from widemargin.solvers.result import Status


@pytest.mark.parametrize("ambient", [1e-6, 1e-3, 1.0])
def test_dual_reaches_the_convex_solvers_minimum(rng, ambient):
    """Badly scaled problems (small ambient weight) included."""
    objective = make_objective(rng, loss=Hinge(), ambient=ambient)
    result = box_dual(objective.reduced())
    assert result.status is Status.CONVERGED
    expected = sum(
        minimum(
            objective.space.gram,
            objective.laplacian.to_dense(),
            objective.label_idx,
            targets,
            objective.weights,
            "hinge",
            objective.ambient,
            objective.intrinsic,
        )
        for targets in objective.targets.T
    )
    assert_allclose(result.objective, expected, rtol=1e-6)


def test_dual_with_a_free_intercept_equals_svc_on_the_deformed_kernel(rng):
    """A plain Laplacian does not see constants: the intercept is LIBSVM's."""
    objective = make_objective(
        rng, n_classes=2, loss=Hinge(), intercept="inside", normalized=False
    )
    problem = objective.reduced()
    result = box_dual(problem)
    ours = objective.functions.scores(problem.coordinates(result.solution))[
        objective.label_idx, 0
    ]
    svc = SVC(kernel="precomputed", C=1.0, tol=1e-10)
    svc.fit(problem.response / 2, objective.targets[:, 0], objective.weights)
    assert_allclose(ours, svc.decision_function(problem.response / 2), atol=1e-6)


@pytest.mark.parametrize("intercept", ["inside", "penalized"])
def test_dual_with_a_penalized_intercept_is_stationary(rng, intercept):
    """No change of g or of the intercept lowers the objective."""
    objective = make_objective(rng, n_classes=2, loss=Hinge(), intercept=intercept)
    problem = objective.reduced()
    assert problem.offset_penalty > 1e-6
    solution = problem.coordinates(box_dual(problem).solution)

    def value(c):
        scores = objective.functions.scores(c)
        return objective.value(c, scores, objective.smoothing(c, scores))[0]

    best = value(solution)
    for _ in range(50):
        nudge = 1e-3 * rng.standard_normal(solution.shape)
        assert value(solution + nudge) > best


def test_iteration_limit_is_reported(rng):
    problem = make_objective(rng, loss=Hinge(), ambient=1e-8, n_labels=40).reduced()
    result = box_dual(problem, max_iter=1, tol=1e-12)
    assert result.status is Status.MAX_ITER
    assert np.isfinite(result.solution).all()


def test_degenerate_problem_is_solved(rng):
    """Equal rows with unequal labels: the dual has directions without curvature."""
    response = np.outer(*[np.array([1.0, 2.0, 3.0, 5.0])] * 2) * 1e6
    problem = make_objective(rng, n_labels=4, n_classes=2, loss=Hinge()).reduced()
    problem = replace(
        problem,
        response=response,
        targets=np.array([[-1.0], [1.0], [-1.0], [1.0]]),
        weights=np.full(4, 0.25),
    )
    result = box_dual(problem)
    assert result.status is Status.CONVERGED


def test_badly_scaled_problem_needs_few_iterations(rng):
    """Steps of coordinates, without Newton's method, would be tens of thousands."""
    objective = make_objective(
        rng, loss=Hinge(), ambient=1e-7, intrinsic=1e-4, n_labels=40, n_samples=80
    )
    result = box_dual(objective.reduced(), max_iter=60)
    assert result.status is Status.CONVERGED
