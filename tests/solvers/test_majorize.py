from dataclasses import replace

import numpy as np
import pytest
from branch_problems import (
    Watched,
    exact_objective,
    interrupted,
    labels_alone,
    make_problem,
    two_clouds,
    worsened,
)
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.svm import SVC

from widemargin.labels import sign_coding
from widemargin.objectives.tri_class import (
    EpsilonInsensitive,
    MinLoss,
    Ramp,
    SymmetricHinge,
)
from widemargin.solvers.hinge_machine import GramMachine, WeightMachine, roughness
from widemargin.solvers.majorize import majorize_minimize
from widemargin.solvers.result import Status, worst

# name -> (loss, its formula)
LOSSES = {
    "symmetric": (SymmetricHinge(), lambda f: max(0.0, 1.0 - abs(f))),
    "min": (
        MinLoss(0.1),
        lambda f: min(max(0.0, 1.0 - abs(f)), max(0.0, abs(f) - 0.1)),
    ),
    "ramp": (Ramp(0.2), lambda f: min(max(0.0, 1.0 - abs(f)), 0.8)),
}
LONG = {"symmetric": 2, "min": 3, "ramp": 2}  # seeds of problems that take many steps


@pytest.fixture(params=LOSSES)
def case(request):
    """A problem of three steps or more, its start, and its loss."""
    loss, formula = LOSSES[request.param]
    problem = make_problem(loss, seed=LONG[request.param])
    return problem, labels_alone(problem), formula


def three_classes():
    return sign_coding(np.arange(60) % 3, 3)


def joint_choice(scores):
    """The class of the largest score, as signs of all classes."""
    return sign_coding(scores.argmax(axis=1), scores.shape[1]).astype(int)


def test_objective_never_rises_and_is_exact(case):
    """After every step, against the loss as the paper writes it."""
    problem, start, formula = case
    whole = majorize_minimize(problem, start)
    assert whole.n_iter >= 3
    assert whole.status is Status.CONVERGED
    values = whole.history["objective"]
    assert (np.diff(values) <= 0.0).all()
    assert values[-1] < values[0] - 0.01
    assert whole.objective == values[-1]
    for n_iter in range(whole.n_iter + 1):
        part = majorize_minimize(problem, start, max_iter=n_iter)
        assert_array_equal(part.history["objective"], values[: n_iter + 1])
        exact = exact_objective(problem, part.solution, formula)
        assert_allclose(part.objective, exact, rtol=1e-9)


def test_criterion_is_the_share_of_branches_that_change(case):
    problem, start, _ = case
    whole = majorize_minimize(problem, start)
    branches = problem.branches(problem.scores(start))
    for n_iter, criterion in enumerate(whole.history["criterion"], start=1):
        part = majorize_minimize(problem, start, max_iter=n_iter)
        found = problem.branches(problem.scores(part.solution))
        assert criterion == (found != branches).mean()
        branches = found
    assert len(whole.history["criterion"]) == whole.n_iter
    assert criterion == 0.0


def test_end_is_a_fixed_point(case):
    problem, start, _ = case
    first = majorize_minimize(problem, start)
    again = majorize_minimize(problem, first.solution)
    assert again.n_iter == 1
    assert again.status is Status.CONVERGED
    assert_allclose(
        problem.scores(again.solution), problem.scores(first.solution), atol=1e-6
    )
    assert_allclose(again.objective, first.objective, rtol=1e-9)


def test_step_is_the_minimum_of_the_bound(case):
    """No function near it does better on the branches of the start."""
    problem, start, _ = case
    branches = problem.branches(problem.scores(start))
    found = majorize_minimize(problem, start, max_iter=1).solution
    best = problem.value(found, problem.scores(found), branches)
    rng = np.random.default_rng(0)
    for _ in range(20):
        other = found + 0.01 * rng.standard_normal(found.shape)
        assert problem.value(other, problem.scores(other), branches) > best


@pytest.mark.parametrize("intercept", [None, 0.2])
def test_costs_of_zero_give_the_start(intercept):
    problem = make_problem(MinLoss(0.1), intercept=intercept)
    start = labels_alone(problem)
    result = majorize_minimize(problem.with_costs(np.zeros(54)), start)
    assert result.n_iter == 1
    assert_allclose(result.solution, start, atol=1e-7)
    assert_allclose(result.objective, problem.machine.solve(
        problem.given[0], intercept).objective)  # fmt: skip
    paid = majorize_minimize(problem, start)
    assert np.abs(paid.solution - start).max() > 0.01


def test_other_costs_leave_the_problem_alone():
    problem = make_problem(MinLoss(0.1))
    other = problem.with_costs(np.full(54, 7.0))
    assert_array_equal(problem.costs, 0.1)
    assert_array_equal(other.costs, 7.0)
    assert other.machine is problem.machine


def test_no_rows_leave_the_labels():
    problem = replace(
        make_problem(SymmetricHinge()), rows=np.array([], dtype=int), costs=np.zeros(0)
    )
    result = majorize_minimize(problem, np.zeros((61, 1)))
    assert result.status is Status.CONVERGED
    assert result.n_iter == 1
    assert_allclose(result.solution, labels_alone(problem), atol=1e-6)


@pytest.mark.parametrize("intercepts", [(None, None, None), (-0.3, -0.4, None)])
@pytest.mark.parametrize("name", LOSSES)
def test_columns_are_independent(name, intercepts):
    """Together they end where each of them ends alone, and not with more work."""
    problem = replace(
        make_problem(LOSSES[name][0], seed=5, signs=three_classes()),
        intercepts=intercepts,
    )
    start, watched = labels_alone(problem), Watched(problem.machine)
    together = majorize_minimize(replace(problem, machine=watched), start)
    alone = [
        majorize_minimize(
            replace(problem, given=(given,), intercepts=(intercept,)),
            start[:, [k]],
        )
        for k, (given, intercept) in enumerate(
            zip(problem.given, intercepts, strict=True)
        )
    ]
    n_steps = [one.n_iter for one in alone]
    assert together.n_iter == max(n_steps)
    assert watched.n_solved == sum(n_steps) < 3 * max(n_steps)
    assert_allclose(together.objective, sum(one.objective for one in alone))
    scores = np.hstack([problem.scores(one.solution) for one in alone])
    assert_allclose(problem.scores(together.solution), scores, atol=1e-6)
    for k, intercept in enumerate(intercepts):
        if intercept is not None:
            assert together.solution[-1, k] == intercept


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_all_columns_may_choose_together(seed):
    """Every row has one class; the objective is that of the choice."""
    problem = replace(
        make_problem(SymmetricHinge(), seed=seed, signs=three_classes(), cost=0.3),
        choose=joint_choice,
    )
    start = labels_alone(problem)
    result = majorize_minimize(problem, start)
    assert result.status is Status.CONVERGED
    values = result.history["objective"]
    assert len(values) > 2
    assert (np.diff(values) <= 0.0).all()
    scores = problem.scores(result.solution)
    total, chosen = 0.0, joint_choice(scores[problem.rows])
    for k, given in enumerate(problem.given):
        a = result.solution[:-1, k]
        total += a @ problem.machine.gram @ a / 2 + given.value(scores[:, k])
        slack = 1.0 - chosen[:, k] * scores[problem.rows, k]
        total += 0.3 * np.maximum(0.0, slack).sum()
    assert_allclose(result.objective, total)
    apart = majorize_minimize(replace(problem, choose=None), start)
    assert (apart.solution != result.solution).any()


@pytest.mark.parametrize("intercept", [None, 0.2])
@pytest.mark.parametrize("name", LOSSES)
def test_swapped_classes_have_the_mirrored_answer(name, intercept):
    loss, signs = LOSSES[name][0], two_clouds(1)[1][:, None]
    one = make_problem(loss, seed=1, signs=signs, intercept=intercept)
    other = None if intercept is None else -intercept
    two = make_problem(loss, seed=1, signs=-signs, intercept=other)
    first, second = (majorize_minimize(p, labels_alone(p)) for p in (one, two))
    assert first.n_iter == second.n_iter
    assert_allclose(first.objective, second.objective)
    ours, theirs = one.scores(first.solution), two.scores(second.solution)
    assert np.abs(ours).max() > 0.5
    assert_allclose(ours, -theirs, atol=1e-6)


@pytest.mark.parametrize("C", [0.1, 2.0])
def test_true_branches_make_the_supervised_machine(C):
    """As if all rows were labeled, with the costs as their weights."""
    signs = two_clouds(0)[1]
    problem = replace(
        make_problem(SymmetricHinge(), cost=C),
        choose=lambda scores: signs[6:, None].astype(int),
    )
    result = majorize_minimize(problem, labels_alone(problem))
    gram = problem.machine.gram
    svc = SVC(kernel="precomputed", C=1.0, tol=1e-8)
    svc.fit(gram, signs, sample_weight=np.where(np.arange(60) < 6, 1.0, C))
    expected = svc.decision_function(gram)
    assert result.n_iter == 1
    assert_allclose(problem.scores(result.solution)[:, 0], expected, atol=1e-5)


def test_convex_loss_needs_one_step():
    problem = make_problem(EpsilonInsensitive(0.1))
    result = majorize_minimize(problem, labels_alone(problem))
    assert result.n_iter == 1
    assert result.status is Status.CONVERGED
    none = np.zeros(54, dtype=int)
    pieces = problem.loss.pieces(none, problem.rows, problem.costs, 60)
    expected = problem.machine.solve(problem.given[0] + pieces)
    assert_allclose(result.objective, expected.objective)


@pytest.mark.parametrize("name", LOSSES)
def test_weights_and_kernel_values_agree(name):
    X = np.column_stack([two_clouds(0)[0], two_clouds(1)[0]])
    machines = GramMachine(X @ X.T, 1e-8), WeightMachine(X, 1e-10)
    by_kernel, by_weights = (
        make_problem(LOSSES[name][0], machine=machine) for machine in machines
    )
    one, two = (majorize_minimize(p, labels_alone(p)) for p in (by_kernel, by_weights))
    assert one.n_iter == two.n_iter > 1
    assert_allclose(one.objective, two.objective, rtol=1e-6)
    scores = by_kernel.scores(one.solution)
    assert_allclose(scores, by_weights.scores(two.solution), atol=1e-4)


def test_iteration_limit_is_reported(case):
    problem, start, _ = case
    result = majorize_minimize(problem, start, max_iter=2)
    assert result.status is Status.MAX_ITER
    assert result.n_iter == 2
    assert len(result.history["objective"]) == 3


def test_no_steps_leave_the_start(case):
    problem, start, formula = case
    result = majorize_minimize(problem, start, max_iter=0)
    assert result.status is Status.MAX_ITER
    assert result.n_iter == 0
    assert_array_equal(result.solution, start)
    assert_allclose(result.objective, exact_objective(problem, start, formula))


def test_callback_follows_every_step(case):
    problem, start, _ = case
    seen = []

    def note(n_iter, history):
        seen.append((n_iter, history["objective"][-1], len(history["criterion"])))

    result = majorize_minimize(problem, start, callback=note)
    steps = range(1, result.n_iter + 1)
    values = result.history["objective"][1:]
    assert seen == list(zip(steps, values, steps, strict=True))


def test_start_is_left_alone(case):
    problem, start, _ = case
    kept = start.copy()
    majorize_minimize(problem, start)
    assert_array_equal(start, kept)


@pytest.mark.parametrize("n_solved", [1, 3])
def test_interrupt_keeps_the_last_step(case, n_solved):
    problem, start, _ = case
    watched = Watched(problem.machine, n_solved, interrupted)
    result = majorize_minimize(replace(problem, machine=watched), start)
    expected = majorize_minimize(problem, start, max_iter=n_solved - 1)
    assert watched.n_solved == n_solved
    assert result.status is Status.INTERRUPTED
    assert_array_equal(result.solution, expected.solution)
    assert result.objective == expected.objective
    assert result.history["objective"] == expected.history["objective"]


def test_interrupt_ends_the_other_columns():
    problem = make_problem(SymmetricHinge(), signs=three_classes())
    start = labels_alone(problem)
    watched = Watched(problem.machine, 2, interrupted)
    spoiled = replace(problem, machine=watched)
    result = majorize_minimize(spoiled, start)
    assert watched.n_solved == 2
    assert result.status is Status.INTERRUPTED
    assert_array_equal(result.solution, start)
    watched.n_solved = 0
    result = spoiled.solve_given()
    assert (watched.n_solved, result.status) == (2, Status.INTERRUPTED)
    assert_array_equal(result.solution[:, 0], start[:, 0])
    assert_array_equal(result.solution[:, 2], 0.0)


def test_problems_that_do_not_converge_are_reported():
    """Also if it is only one column's, and the first one."""
    problem = make_problem(SymmetricHinge(), signs=three_classes())
    start, spoilt = labels_alone(problem), []

    def stall(result):
        spoilt.append(1)
        return replace(result, status=Status.STALLED) if len(spoilt) == 1 else result

    watched = Watched(problem.machine, 1, stall)
    fixed = replace(problem, machine=watched, choose=lambda f: np.ones_like(f, int))
    result = majorize_minimize(fixed, start)
    assert result.status is Status.STALLED
    assert result.n_iter == 1
    assert len(spoilt) == 3
    spoilt.clear()
    assert fixed.solve_given().status is Status.STALLED


def test_step_that_raises_the_objective_is_not_taken(case):
    """What the tolerance of a solver may do."""
    problem, start, _ = case
    watched = Watched(problem.machine, 2, worsened)
    result = majorize_minimize(replace(problem, machine=watched), start)
    expected = majorize_minimize(problem, start, max_iter=1)
    assert watched.n_solved == result.n_iter == 2
    assert result.status is Status.CONVERGED
    assert_array_equal(result.solution, expected.solution)
    assert result.objective == expected.objective


def test_labels_alone_are_the_supervised_machine():
    problem = make_problem(SymmetricHinge(), signs=three_classes(), intercept=-0.3)
    result = problem.solve_given()
    assert result.status is Status.CONVERGED
    objective = 0.0
    for k, given in enumerate(problem.given):
        expected = problem.machine.solve(given, -0.3)
        assert_allclose(result.solution[:, k], expected.solution, atol=1e-9)
        scores = problem.machine.scores(expected.solution)
        norm = roughness(expected.solution, scores)
        objective += 0.5 * norm + given.value(scores)
    assert_allclose(result.objective, objective)


@pytest.mark.parametrize(
    ("status", "other", "expected"),
    [
        (None, Status.CONVERGED, Status.CONVERGED),
        (None, Status.MAX_ITER, Status.MAX_ITER),
        (Status.CONVERGED, Status.STALLED, Status.STALLED),
        (Status.STALLED, Status.CONVERGED, Status.STALLED),
        (Status.STALLED, Status.MAX_ITER, Status.STALLED),
        (Status.STALLED, Status.INTERRUPTED, Status.INTERRUPTED),
        (Status.INTERRUPTED, Status.STALLED, Status.INTERRUPTED),
        (Status.INTERRUPTED, Status.CONVERGED, Status.INTERRUPTED),
    ],
)
def test_worst_of_two_statuses(status, other, expected):
    assert worst(status, other) is expected


def test_column_that_stalled_is_reported_if_others_go_on():
    problem = make_problem(
        SymmetricHinge(), seed=5, signs=sign_coding(np.arange(60) % 3, 3)
    )
    start = labels_alone(problem)
    watched = Watched(problem.machine, 1)

    def stall(result):  # the third column, which is solved once
        bad = watched.n_solved == 3
        return replace(result, status=Status.MAX_ITER) if bad else result

    watched.spoil = stall
    result = majorize_minimize(replace(problem, machine=watched), start)
    assert result.n_iter > 1
    assert result.status is Status.MAX_ITER


def test_interrupt_between_two_problems_keeps_the_last_step():
    problem = make_problem(SymmetricHinge(), seed=2)
    start = labels_alone(problem)

    def press(n_iter, history):
        raise KeyboardInterrupt

    result = majorize_minimize(problem, start, callback=press)
    assert result.status is Status.INTERRUPTED
    assert len(result.history["objective"]) == 2
    assert result.objective == min(result.history["objective"])
