import numpy as np
import pytest
from machines import make_objective
from numpy.testing import assert_allclose

from widemargin.objectives.losses import Squared, SquaredHinge

VARIANTS = [
    {"intercept": intercept, "normalized": normalized, "features": features}
    for intercept in (None, "inside", "penalized")
    for normalized in (False, True)
    for features in (False, True)
]


def value_at(objective, c):
    scores = objective.space.scores(c)
    return objective.value(c, scores, objective.smoothing(c, scores))


def gradient_at(objective, c):
    """True gradient by the coordinates: the preconditioner times what we compute."""
    scores = objective.space.scores(c)
    preconditioned = objective.gradient(c, scores, objective.smoothing(c, scores))
    if hasattr(objective.expansion, "features"):
        return preconditioned
    if objective.intercept is None:
        return objective.expansion.gram @ preconditioned
    return np.vstack(
        [objective.expansion.gram @ preconditioned[:-1], preconditioned[-1:]]
    )


@pytest.mark.parametrize("loss", [SquaredHinge(), Squared()])
@pytest.mark.parametrize("variant", VARIANTS)
def test_gradient_matches_finite_differences(rng, loss, variant):
    objective = make_objective(rng, loss=loss, **variant)
    shape = (objective.space.n_coordinates, 3)
    c, step = 0.3 * rng.standard_normal(shape), 1e-5
    for direction in rng.standard_normal((5, *shape)):
        ahead = value_at(objective, c + step * direction)
        behind = value_at(objective, c - step * direction)
        expected = np.sum(gradient_at(objective, c) * direction, axis=0)
        assert_allclose((ahead - behind) / (2 * step), expected, rtol=1e-5, atol=1e-8)


@pytest.mark.parametrize("loss", [SquaredHinge(), Squared()])
def test_hessian_matches_finite_differences_of_the_gradient(rng, loss):
    objective = make_objective(rng, loss=loss, n_classes=2)
    c, step = 0.3 * rng.standard_normal((60, 1)), 1e-6
    scores = objective.space.scores(c)[objective.rows]
    active = loss.active(objective.targets, scores)[:, 0]
    assert active.any()
    hessian = objective.expansion.gram @ objective.hessian(active)
    for direction in rng.standard_normal((5, 60, 1)):
        ahead = gradient_at(objective, c + step * direction)
        behind = gradient_at(objective, c - step * direction)
        expected = hessian @ direction
        assert_allclose((ahead - behind) / (2 * step), expected, rtol=1e-4, atol=1e-6)


def test_value_is_the_formula(rng):
    """Loss, ambient norm and smoothness written out with dense matrices."""
    objective = make_objective(rng, n_classes=2, intercept="inside")
    c = rng.standard_normal((61, 1))
    gram, laplacian = objective.expansion.gram, objective.laplacian.to_dense()
    f = gram @ c[:-1, 0] + c[-1, 0]
    margins = objective.targets[:, 0] * f[objective.rows]
    loss = objective.weights @ np.maximum(0, 1 - margins) ** 2
    ambient = objective.ambient * c[:-1, 0] @ gram @ c[:-1, 0]
    expected = 0.5 * (loss + ambient + objective.intrinsic * f @ laplacian @ f)
    assert_allclose(value_at(objective, c), [expected])


def test_columns_do_not_interact(rng):
    objective = make_objective(rng)
    c = rng.standard_normal((60, 3))
    scores = objective.space.scores(c)
    smoothing = objective.smoothing(c, scores)
    picked = np.array([2, 0])
    assert_allclose(
        objective.value(c[:, picked], scores[:, picked], smoothing[:, picked], picked),
        objective.value(c, scores, smoothing)[picked],
    )
