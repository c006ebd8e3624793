from dataclasses import replace

import numpy as np
import pytest
from laplacian_problems import make_objective
from numpy.testing import assert_allclose
from reference import published_newton

from widemargin.defaults import GRAPH_SHARES
from widemargin.objectives.laplacian import given_graph, share_graph
from widemargin.objectives.losses import Squared, SquaredHinge
from widemargin.solvers.newton import reduced_newton
from widemargin.spaces import GramSpace

VARIANTS = [
    {"intercept": intercept, "normalized": normalized, "features": features}
    for intercept in (None, "inside", "penalized")
    for normalized in (False, True)
    for features in (False, True)
]


def value_at(objective, c):
    scores = objective.functions.scores(c)
    return objective.value(c, scores, objective.smoothing(c, scores))


def gradient_at(objective, c):
    """True gradient by the coordinates: the preconditioner times what we compute."""
    scores = objective.functions.scores(c)
    preconditioned = objective.gradient(c, scores, objective.smoothing(c, scores))
    if hasattr(objective.space, "features"):
        return preconditioned
    if objective.intercept is None:
        return objective.space.gram @ preconditioned
    return np.vstack([objective.space.gram @ preconditioned[:-1], preconditioned[-1:]])


@pytest.mark.parametrize("loss", [SquaredHinge(), Squared()])
@pytest.mark.parametrize("variant", VARIANTS)
def test_gradient_matches_finite_differences(rng, loss, variant):
    objective = make_objective(rng, loss=loss, **variant)
    shape = (objective.functions.n_coordinates, 3)
    c, step = 0.3 * rng.standard_normal(shape), 1e-5
    for direction in rng.standard_normal((5, *shape)):
        ahead = value_at(objective, c + step * direction)
        behind = value_at(objective, c - step * direction)
        expected = np.sum(gradient_at(objective, c) * direction, axis=0)
        assert_allclose((ahead - behind) / (2 * step), expected, rtol=1e-5, atol=1e-8)


@pytest.mark.parametrize("loss", [SquaredHinge(), Squared()])
def test_published_hessian_matches_finite_differences_of_the_gradient(rng, loss):
    """Eq. (11) of Melacci and Belkin: K times W_E K + gamma_A I + gamma_I L K."""
    objective = make_objective(rng, loss=loss, n_classes=2)
    c, step = 0.3 * rng.standard_normal((60, 1)), 1e-6
    scores = objective.functions.scores(c)[objective.label_idx]
    active = loss.active(objective.targets, scores)[:, 0]
    assert active.any()
    gram, weights = objective.space.gram, np.zeros((60, 1))
    weights[objective.label_idx[active], 0] = objective.weights[active]
    hessian = weights * gram + objective.ambient * np.eye(60)
    hessian = gram @ (hessian + objective.intrinsic * (objective.laplacian @ gram))
    for direction in rng.standard_normal((5, 60, 1)):
        ahead = gradient_at(objective, c + step * direction)
        behind = gradient_at(objective, c - step * direction)
        expected = hessian @ direction
        assert_allclose((ahead - behind) / (2 * step), expected, rtol=1e-4, atol=1e-6)


def test_value_is_the_formula(rng):
    """Loss, ambient norm and smoothness written out with dense matrices."""
    objective = make_objective(rng, n_classes=2, intercept="inside")
    c = rng.standard_normal((61, 1))
    gram, laplacian = objective.space.gram, objective.laplacian.to_dense()
    f = gram @ c[:-1, 0] + c[-1, 0]
    margins = objective.targets[:, 0] * f[objective.label_idx]
    loss = objective.weights @ np.maximum(0, 1 - margins) ** 2
    ambient = objective.ambient * c[:-1, 0] @ gram @ c[:-1, 0]
    expected = 0.5 * (loss + ambient + objective.intrinsic * f @ laplacian @ f)
    assert_allclose(value_at(objective, c), [expected])


def test_columns_do_not_interact(rng):
    objective = make_objective(rng)
    c = rng.standard_normal((60, 3))
    scores = objective.functions.scores(c)
    smoothing = objective.smoothing(c, scores)
    picked = np.array([2, 0])
    assert_allclose(
        objective.value(c[:, picked], scores[:, picked], smoothing[:, picked], picked),
        objective.value(c, scores, smoothing)[picked],
    )


# Shares of the graph


def scores_of(objective, problem):
    c = problem.coordinates(reduced_newton(problem).solution)
    return objective.functions.scores(c)


def test_ends_are_the_model_without_the_graph_and_with_nothing_else(rng):
    objective = make_objective(rng, intercept="penalized")
    family = share_graph(objective)
    assert tuple(model.share for model in family.models) == GRAPH_SHARES
    plain = replace(objective, intrinsic=0.0)
    for problem, model in [
        (family.models[0].problem, plain),
        (family.models[-1].problem, family.graph),
    ]:
        ours, direct = (
            scores_of(objective, problem),
            scores_of(model, model.reduced()),
        )
        assert_allclose(ours, direct, atol=1e-7)


def test_both_kernels_are_equally_large_on_the_labels(rng):
    family = share_graph(make_objective(rng))
    traces = [np.trace(model.problem.response) for model in family.models]
    assert_allclose(traces, traces[0])


def test_scale_of_the_kernel_does_not_matter(rng):
    """A kernel a hundred times larger, with its ambient weight: the same scores."""
    objective = make_objective(rng)
    larger = replace(
        objective,
        space=GramSpace(100 * objective.space.gram),
        ambient=100 * objective.ambient,
    )
    for one, other in zip(
        share_graph(objective).models, share_graph(larger).models, strict=True
    ):
        ours, theirs = (
            scores_of(objective, one.problem),
            scores_of(larger, other.problem),
        )
        assert_allclose(ours, theirs, rtol=1e-5, atol=1e-7)


def test_models_of_several_powers_are_those_of_each(rng):
    """In order of the share, then of the power; without the graph there is one."""
    objective = make_objective(rng, intercept="penalized")
    several = share_graph(objective, {1: 0.25, 3: 0.75})
    assert several.graph.laplacian.power == 3
    assert [(model.share, model.power, model.prior) for model in several.models] == [
        (0.0, 0, 1.0), (0.75, 1, 0.25), (0.75, 3, 0.75), (1.0, 1, 0.25), (1.0, 3, 0.75),
    ]  # fmt: skip
    for model in several.models[1:]:
        alone = replace(objective, laplacian=objective.laplacian.iterated(model.power))
        (one,) = share_graph(alone, shares=(model.share,)).models
        ours, theirs = (
            scores_of(objective, one.problem),
            scores_of(objective, model.problem),
        )
        assert_allclose(ours, theirs, atol=1e-9)


def test_graph_alone_has_hardly_an_intercept(rng):
    """Its weight is that of the loss, but for one that the graph penalizes."""
    graph = share_graph(make_objective(rng, intercept="penalized")).graph
    assert graph.intercept.penalty == 1.0
    inside = make_objective(rng, intercept="inside")
    assert share_graph(inside, shares=(0.0, 1.0)).graph.intercept == inside.intercept


def test_weights_for_more_rows_keep_the_graphs(rng):
    small, large = (make_objective(rng, n_samples=n) for n in (60, 180))
    family = share_graph(small)
    model = family.graph_objective(large)
    assert model.intrinsic == family.graph.intrinsic
    assert_allclose(model.ambient, family.graph.ambient / 3)
    assert model.space is large.space


@pytest.mark.parametrize(("intrinsic", "share"), [(0.0, 0.0), (0.3, 1.0)])
def test_given_weights_are_a_family_of_one(rng, intrinsic, share):
    objective = make_objective(rng, intrinsic=intrinsic)
    family = given_graph(objective)
    assert [model.share for model in family.models] == [share]
    larger = make_objective(rng, n_samples=180, intrinsic=intrinsic)
    model = family.graph_objective(larger)
    assert (model.ambient, model.intrinsic) == (objective.ambient, intrinsic)


@pytest.mark.parametrize("power", [1, 2])
def test_weight_of_the_graph_grows_with_the_rows_and_falls_with_the_power(rng, power):
    objective = make_objective(rng, power=power)  # a kernel with unit diagonal
    graph = share_graph(objective, ratio=3.0).graph
    assert_allclose(graph.intrinsic / graph.ambient, 3.0 * 60 / power**2)


def test_kernel_that_is_zero_on_the_labels_is_refused(rng):
    objective = make_objective(rng)
    gram = objective.space.gram.copy()
    gram[:15] = gram[:, :15] = 0.0
    with pytest.raises(ValueError, match="the kernel is zero on all labeled rows"):
        share_graph(replace(objective, space=GramSpace(gram)))


# Seen from the labels alone


def solve(objective):
    """Coordinates of the minimum."""
    problem = objective.reduced()
    return problem.coordinates(reduced_newton(problem).solution)


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
