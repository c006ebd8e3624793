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
from label_reference import rbf_gram
from numpy.testing import assert_allclose, assert_array_equal
from piece_reference import minimum, random_pieces
from scipy import sparse
from sklearn.svm import SVC

from widemargin.defaults import Ladder
from widemargin.kernels import Linear, Rbf
from widemargin.labels import sign_coding
from widemargin.objectives.pieces import (
    EpsilonInsensitive,
    MinLoss,
    Ramp,
    SymmetricHinge,
)
from widemargin.rows import Rows
from widemargin.solvers.hinge import (
    HingeSolver,
    ProximalNewton,
    Smo,
    choose_hinge_space,
    follow_path,
    majorize_minimize,
    roughness,
)
from widemargin.solvers.result import Status, worst
from widemargin.spaces import FeatureSpace, GramRowSpace, GramSpace

# Convex problems


@pytest.fixture
def gram(X):
    return rbf_gram(X)


@pytest.fixture
def pieces(rng):
    return random_pieces(rng, 30)


@pytest.fixture
def weights(rng):
    """Of the samples to be centered on, ten of which do not count."""
    weights = rng.random(30)
    weights[:10] = 0.0
    return weights / weights.sum()


@pytest.fixture
def solution(rng):
    """Two functions."""
    return rng.standard_normal((31, 2))


def centered_gram(gram, weights):
    """By its definition: the mean subtracted from rows and columns."""
    project = np.eye(len(gram)) - np.outer(np.ones(len(gram)), weights)
    return project @ gram @ project.T


def columns(space, solution):
    return np.column_stack([space.dual_scores(one) for one in solution.T])


def test_centered_gram_is_the_explicit_one(gram, weights):
    space = GramSpace(gram.copy()).centered(weights)
    assert_allclose(space.gram, centered_gram(gram, weights), atol=1e-12)
    assert_allclose(space.gram @ weights, 0.0, atol=1e-12)
    assert space.n_rows == 30


def test_centering_leaves_the_matrix_alone(gram, weights):
    space = GramSpace(gram.copy())
    space.centered(weights)
    assert_array_equal(space.gram, gram)
    assert space.center is None


@pytest.mark.parametrize("is_centered", [False, True])
def test_function_of_kernels_scores_the_samples(gram, weights, solution, is_centered):
    """Coefficients of the given kernel, whatever it was centered on."""
    space = GramSpace(gram)
    space = space.centered(weights) if is_centered else space
    coefficients, intercepts = space.from_dual(solution)
    expected = columns(space, solution)
    assert_allclose(gram @ coefficients + intercepts, expected, atol=1e-10)
    assert_allclose(expected, space.gram @ solution[:-1] + solution[-1], atol=1e-10)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("is_centered", [False, True])
def test_weights_score_the_samples(X, weights, solution, is_centered, kind):
    space = FeatureSpace(kind(X))
    space = space.centered(weights) if is_centered else space
    w, intercepts = space.from_dual(solution)
    expected = columns(space, solution)
    assert w.shape == (3, 2)
    assert_allclose(X @ w + intercepts, expected, atol=1e-10)
    rows = X - weights @ X if is_centered else X
    assert_allclose(expected, rows @ (rows.T @ solution[:-1]) + solution[-1])


def test_coefficients_of_zero_are_not_read(gram):
    """A function of few kernels, as the solvers make them."""
    solution = np.zeros(31)
    solution[[3, 8, 30]] = 1.0, -2.0, 0.5
    expected = gram[3] - 2.0 * gram[8] + 0.5
    assert_allclose(GramSpace(gram).dual_scores(solution), expected)
    assert_array_equal(GramSpace(gram).dual_scores(np.eye(31)[30]), np.ones(30))


@pytest.mark.parametrize("intercept", [0.0, -0.6])
@pytest.mark.parametrize("make", [rbf_gram, None], ids=["kernel values", "weights"])
def test_mean_score_is_the_fixed_intercept(X, pieces, weights, make, intercept):
    """Whatever the coefficients: of the solution and of any others."""
    space = FeatureSpace(X) if make is None else GramSpace(make(X))
    solver = ProximalNewton() if make is None else Smo()
    space = space.centered(weights)
    solution = solver.solve(space, pieces, intercept).solution
    assert np.abs(space.dual_scores(solution)).max() > 0.1
    assert_allclose(weights @ space.dual_scores(solution), intercept, atol=1e-8)
    other = np.append(7.0 * np.cos(np.arange(30)), intercept)
    assert_allclose(weights @ space.dual_scores(other), intercept, atol=1e-8)


@pytest.mark.parametrize("intercept", [None, 0.3])
@pytest.mark.parametrize("is_centered", [False, True])
def test_solution_is_the_minimum(gram, pieces, weights, intercept, is_centered):
    space = GramSpace(gram)
    space = space.centered(weights) if is_centered else space
    result = Smo(1e-8).solve(space, pieces, intercept)
    assert result.status is Status.CONVERGED
    used = centered_gram(gram, weights) if is_centered else gram
    assert_allclose(result.objective, minimum(used, pieces, intercept), rtol=1e-6)
    scores = space.dual_scores(result.solution)
    assert_allclose(result.scores, scores, atol=1e-10)
    value = 0.5 * roughness(result.solution, scores) + pieces.value(scores)
    assert_allclose(value, result.objective)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("intercept", [None, -0.3])
@pytest.mark.parametrize("is_centered", [False, True])
def test_weights_equal_kernel_values(X, pieces, weights, kind, intercept, is_centered):
    """Of the linear kernel; both ways to the same scores of new samples."""
    features = np.where(np.abs(X) < 0.3, 0.0, X)
    by_weights = FeatureSpace(kind(features))
    by_kernel = GramSpace(features @ features.T)
    if is_centered:
        by_weights = by_weights.centered(weights)
        by_kernel = by_kernel.centered(weights)
    ours = ProximalNewton(1e-11).solve(by_weights, pieces, intercept)
    theirs = Smo(1e-9).solve(by_kernel, pieces, intercept)
    assert ours.status is theirs.status is Status.CONVERGED
    assert_allclose(ours.objective, theirs.objective, rtol=1e-7)
    scores = by_weights.dual_scores(ours.solution)
    assert_allclose(ours.scores, scores, atol=1e-9)
    assert np.ptp(scores) > 0.1
    assert_allclose(scores, by_kernel.dual_scores(theirs.solution), atol=1e-4)
    norm = roughness(theirs.solution, by_kernel.dual_scores(theirs.solution))
    assert_allclose(roughness(ours.solution, scores), norm, rtol=1e-4)
    w, b = by_weights.from_dual(ours.solution[:, None])
    coefficients, c = by_kernel.from_dual(theirs.solution[:, None])
    assert_allclose(w, features.T @ coefficients, atol=1e-4)
    assert_allclose(b, c, atol=1e-4)


@pytest.mark.parametrize("is_centered", [False, True])
def test_roughness_is_the_squared_norm(X, gram, weights, solution, is_centered):
    by_kernel, by_weights = GramSpace(gram), FeatureSpace(X)
    rows, used = X, gram
    if is_centered:
        by_kernel, by_weights = (
            by_kernel.centered(weights),
            by_weights.centered(weights),
        )
        rows, used = X - weights @ X, centered_gram(gram, weights)
    a = solution[:, 0]
    assert_allclose(roughness(a, by_kernel.dual_scores(a)), a[:-1] @ used @ a[:-1])
    w = rows.T @ a[:-1]
    assert_allclose(roughness(a, by_weights.dual_scores(a)), w @ w)


def test_start_saves_steps(X, gram, pieces):
    ways = (Smo(), GramSpace(gram)), (ProximalNewton(), FeatureSpace(X))
    for solver, space in ways:
        cold = solver.solve(space, pieces)
        warm = solver.solve(space, pieces, start=cold.solution)
        assert cold.n_iter > 5
        assert warm.n_iter <= 2


def test_tolerance_is_kept(X, gram, pieces):
    ways = (Smo(1e-6), GramSpace(gram)), (ProximalNewton(1e-6), FeatureSpace(X))
    for solver, space in ways:
        loose, tight = (s.solve(space, pieces) for s in (solver.loosened(1e4), solver))
        assert loose.history["criterion"][-1] <= 1e-2
        assert tight.history["criterion"][-1] <= 1e-6
        assert tight.n_iter > loose.n_iter


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix])
def test_part_is_the_space_of_these_rows(X, gram, kind):
    rows = np.array([4, 9, 2, 20])
    part = GramSpace(gram).part(rows)
    assert_array_equal(part.gram, rbf_gram(X[rows]))
    assert (part.n_rows, part.center) == (4, None)
    part = FeatureSpace(kind(X)).part(rows)
    dense = part.features if kind is np.asarray else part.features.toarray()
    assert_array_equal(dense, X[rows])
    assert (part.n_rows, part.center) == (4, None)


@pytest.mark.parametrize("intercept", [None, 0.2])
@pytest.mark.parametrize("is_centered", [False, True])
def test_single_precision_is_enough(gram, X, pieces, weights, intercept, is_centered):
    """A Gram matrix stays in it; solutions and functions are double."""
    ways = (Smo(1e-4), GramSpace, gram), (ProximalNewton(1e-4), FeatureSpace, X)
    for solver, make, data in ways:
        spaces = make(data), make(data.astype(np.float32))
        if is_centered:
            spaces = [space.centered(weights) for space in spaces]
        double, single = (solver.solve(space, pieces, intercept) for space in spaces)
        assert single.status is Status.CONVERGED
        assert single.solution.dtype == np.float64
        assert_allclose(single.objective, double.objective, rtol=1e-3)
        for part in spaces[1].from_dual(single.solution[:, None]):
            assert part.dtype == np.float64
        assert spaces[1].dtype == np.float32
        scores = spaces[1].dual_scores(single.solution)
        assert scores.dtype == np.float64
        assert_allclose(scores, spaces[0].dual_scores(double.solution), atol=2e-2)
        if is_centered and intercept is not None:
            assert_allclose(weights @ scores, intercept, atol=1e-5)


@pytest.mark.parametrize("intercept", [None, -0.3])
@pytest.mark.parametrize("is_centered", [False, True])
def test_rows_on_demand_equal_the_matrix(X, pieces, weights, intercept, is_centered):
    """The same solution, scores, function and part, without a Gram matrix."""
    kernel, solver = Rbf(0.5), Smo(1e-9)
    by_rows, whole = GramRowSpace(kernel, Rows(X)), GramSpace(kernel(X))
    assert by_rows.shape == whole.gram.shape == (30, 30)
    idx = np.array([4, 9, 2])
    assert_allclose(by_rows.part(idx).gram, whole.part(idx).gram)
    if is_centered:
        by_rows, whole = by_rows.centered(weights), whole.centered(weights)
    ours, theirs = (
        solver.solve(space, pieces, intercept) for space in (by_rows, whole)
    )
    assert ours.status is theirs.status is Status.CONVERGED
    assert_allclose(ours.objective, theirs.objective, rtol=1e-8)
    scores = by_rows.dual_scores(ours.solution)
    assert_allclose(scores, whole.dual_scores(theirs.solution), atol=1e-6)
    for space, result in ((by_rows, ours), (whole, theirs)):
        coefficients, intercepts = space.from_dual(result.solution[:, None])
        own = (kernel(X) @ coefficients + intercepts)[:, 0]
        assert_allclose(own, scores, atol=1e-6)
    if is_centered and intercept is not None:
        assert_allclose(weights @ scores, intercept, atol=1e-8)
    again = solver.solve(by_rows, pieces, intercept, ours.solution)
    assert again.n_iter <= 2 < ours.n_iter


# The choice of a space and a solver


def choose(rows, kernel=None, landmarks="auto", solver="auto", **options):
    kernel, rng = kernel or Rbf(0.5), np.random.default_rng(0)
    return choose_hinge_space(
        kernel, rows, landmarks, solver, rng, who="TransductiveSVC", **options
    )


def test_exact_kernel_is_solved_by_smo(X):
    space, solver = choose(Rows(X))
    assert isinstance(space, GramSpace)
    assert solver == Smo()


def test_many_rows_take_landmarks(X):
    space, solver = choose(Rows(X), ladder=Ladder(20, 10))
    assert space.n_coordinates == 10
    assert solver == ProximalNewton()
    space, _ = choose(Rows(X), solver=Smo(1e-4), ladder=Ladder(20, 10))
    assert isinstance(space, GramSpace)


def test_linear_kernel_has_features(X):
    for rows in (Rows(X), Rows(sparse.csr_matrix(X))):
        space, solver = choose(rows, Linear(), ladder=Ladder(20, 10))
        assert space.n_coordinates == 3
        assert solver == ProximalNewton()
    space, solver = choose(Rows(X[:2]), Linear())  # more features than rows
    assert isinstance(space, GramSpace)
    assert solver == Smo()
    space, _ = choose(Rows(X[:2]), Linear(), solver=ProximalNewton(1e-5))
    assert isinstance(space, FeatureSpace)


def test_large_gram_matrix_is_not_kept(X):
    space, solver = choose(Rows(X), gram_bytes=1000)
    assert isinstance(space, GramRowSpace)
    assert solver == Smo()


def test_solver_that_does_not_fit_is_refused(X):
    with pytest.raises(
        ValueError, match=r"Smo\(tol=0.001\) of TransductiveSVC .* exact"
    ):
        choose(Rows(X), landmarks=10, solver=Smo())
    for landmarks in (None, "auto"):
        with pytest.raises(ValueError, match="features: use kernel='linear' or set"):
            choose(Rows(X), landmarks=landmarks, solver=ProximalNewton())


def test_solver_by_name():
    assert HingeSolver.read("smo", "solver of X") == Smo()
    assert HingeSolver.read("newton", "solver of X") == ProximalNewton()
    assert HingeSolver.read("auto", "solver of X") == "auto"
    with pytest.raises(ValueError, match="X must be one of 'auto', 'smo', 'newton'"):
        HingeSolver.read("simplex", "solver of X")
    with pytest.raises(ValueError, match="tol of Smo must be a number > 0, got 0"):
        Smo(0)


# Losses of branches

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


def branches_at(problem, solution):
    """The lowest branches of a solution."""
    return problem.touch(solution, problem.scores(solution))[0]


def bound(problem, solution, branches):
    """The objective of a solution on given branches."""
    given, rows, costs = problem.given, problem.rows, problem.costs
    scores = problem.scores(solution)
    total = problem.loss.touch(given, scores, rows, costs, branches)[2]
    return 0.5 * roughness(solution, scores) + total


def test_criterion_is_the_share_of_branches_that_change(case):
    problem, start, _ = case
    whole = majorize_minimize(problem, start)
    branches = branches_at(problem, start)
    for n_iter, criterion in enumerate(whole.history["criterion"], start=1):
        part = majorize_minimize(problem, start, max_iter=n_iter)
        found = branches_at(problem, part.solution)
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
    branches = branches_at(problem, start)
    found = majorize_minimize(problem, start, max_iter=1).solution
    best = bound(problem, found, branches)
    rng = np.random.default_rng(0)
    for _ in range(20):
        other = found + 0.01 * rng.standard_normal(found.shape)
        assert bound(problem, other, branches) > best


@pytest.mark.parametrize("intercept", [None, 0.2])
def test_costs_of_zero_give_the_start(intercept):
    problem = make_problem(MinLoss(0.1), intercept=intercept)
    start = labels_alone(problem)
    result = majorize_minimize(replace(problem, costs=np.zeros(54)), start)
    assert result.n_iter == 1
    assert_allclose(result.solution, start, atol=1e-7)
    alone = problem.solver.solve(problem.space, problem.given[0], intercept)
    assert_allclose(result.objective, alone.objective)
    paid = majorize_minimize(problem, start)
    assert np.abs(paid.solution - start).max() > 0.01


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
    start, watched = labels_alone(problem), Watched(problem.solver)
    together = majorize_minimize(replace(problem, solver=watched), start)
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
        total += a @ problem.space.gram @ a / 2 + given.value(scores[:, k])
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
def test_true_branches_make_the_supervised_model(C):
    """As if all rows were labeled, with the costs as their weights."""
    signs = two_clouds(0)[1]
    problem = replace(
        make_problem(SymmetricHinge(), cost=C),
        choose=lambda scores: signs[6:, None].astype(int),
    )
    result = majorize_minimize(problem, labels_alone(problem))
    gram = problem.space.gram
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
    expected = problem.solver.solve(problem.space, problem.given[0] + pieces)
    assert_allclose(result.objective, expected.objective)


@pytest.mark.parametrize("name", LOSSES)
def test_weights_and_kernel_values_agree(name):
    X = np.column_stack([two_clouds(0)[0], two_clouds(1)[0]])
    ways = (GramSpace(X @ X.T), Smo(1e-8)), (FeatureSpace(X), ProximalNewton(1e-10))
    by_kernel, by_weights = (
        make_problem(LOSSES[name][0], space=space, solver=solver)
        for space, solver in ways
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
    watched = Watched(problem.solver, n_solved, interrupted)
    result = majorize_minimize(replace(problem, solver=watched), start)
    expected = majorize_minimize(problem, start, max_iter=n_solved - 1)
    assert watched.n_solved == n_solved
    assert result.status is Status.INTERRUPTED
    assert_array_equal(result.solution, expected.solution)
    assert result.objective == expected.objective
    assert result.history["objective"] == expected.history["objective"]


def test_interrupt_ends_the_other_columns():
    problem = make_problem(SymmetricHinge(), signs=three_classes())
    start = labels_alone(problem)
    watched = Watched(problem.solver, 2, interrupted)
    spoiled = replace(problem, solver=watched)
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

    watched = Watched(problem.solver, 1, stall)
    fixed = replace(problem, solver=watched, choose=lambda f: np.ones_like(f, int))
    result = majorize_minimize(fixed, start)
    assert result.status is Status.STALLED
    assert result.n_iter == 1
    assert len(spoilt) == 3
    spoilt.clear()
    assert fixed.solve_given().status is Status.STALLED


def test_step_that_raises_the_objective_is_not_taken(case):
    """What the tolerance of a solver may do."""
    problem, start, _ = case
    watched = Watched(problem.solver, 2, worsened)
    result = majorize_minimize(replace(problem, solver=watched), start)
    expected = majorize_minimize(problem, start, max_iter=1)
    assert watched.n_solved == result.n_iter == 2
    assert result.status is Status.CONVERGED
    assert_array_equal(result.solution, expected.solution)
    assert result.objective == expected.objective


def test_labels_alone_are_the_supervised_model():
    problem = make_problem(SymmetricHinge(), signs=three_classes(), intercept=-0.3)
    result = problem.solve_given()
    assert result.status is Status.CONVERGED
    objective = 0.0
    for k, given in enumerate(problem.given):
        expected = problem.solver.solve(problem.space, given, -0.3)
        assert_allclose(result.solution[:, k], expected.solution, atol=1e-9)
        scores = problem.space.dual_scores(expected.solution)
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
    watched = Watched(problem.solver, 1)

    def stall(result):  # the third column, which is solved once
        bad = watched.n_solved == 3
        return replace(result, status=Status.MAX_ITER) if bad else result

    watched.spoil = stall
    result = majorize_minimize(replace(problem, solver=watched), start)
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


# A path of costs


def test_each_problem_of_a_path_starts_from_the_one_before():
    problem = make_problem(SymmetricHinge(), seed=2, intercept=0.2)
    costs = [np.full(54, cost) for cost in (0.01, 0.1)]
    path, _, result, _ = follow_path(problem, costs)
    free = replace(problem, intercepts=(None,))
    assert_array_equal(path[0], labels_alone(free))
    for before, after, own in zip(path[:-1], path[1:], costs, strict=True):
        expected = majorize_minimize(replace(problem, costs=own), before)
        assert_allclose(after, expected.solution, atol=1e-9)
    assert_allclose(result.objective, expected.objective)
    assert result.status is Status.CONVERGED
    fixed = follow_path(problem, (), fixed_first=True).solutions
    assert_array_equal(fixed[0], labels_alone(problem))


def test_scores_along_a_path():
    problem = make_problem(SymmetricHinge(), signs=three_classes())
    path = follow_path(problem, [problem.costs])
    assert len(path.solutions) == len(path.scores) == 2
    for solution, scores in zip(path.solutions, path.scores, strict=True):
        expected = problem.space.gram @ solution[:-1] + solution[-1]
        assert_allclose(scores, expected, atol=1e-10)


@pytest.mark.parametrize("n_solved", [1, 2, 4])
def test_interrupted_solution_is_the_last_of_a_path(n_solved):
    problem = make_problem(SymmetricHinge(), seed=2)
    watched = Watched(problem.solver, n_solved, interrupted)
    costs = [np.full(54, cost) for cost in (0.01, 0.1, 1.0)]
    path, _, result, _ = follow_path(replace(problem, solver=watched), costs)
    assert watched.n_solved == n_solved
    assert result.status is Status.INTERRUPTED
    assert len(path) == {1: 1, 2: 2, 4: 3}[n_solved]
    assert_array_equal(path[-1], result.solution)


def test_worst_status_of_a_path_is_reported():
    """Also if only the first problem did not converge."""
    problem = make_problem(SymmetricHinge(), seed=2)
    watched = Watched(problem.solver, 1)

    def stall(result):
        is_first = watched.n_solved == 1
        return replace(result, status=Status.STALLED) if is_first else result

    watched.spoil = stall
    result = follow_path(replace(problem, solver=watched), [problem.costs]).result
    assert result.status is Status.STALLED


def test_path_is_announced():
    problem, seen = make_problem(SymmetricHinge(), seed=2), []
    follow_path(
        problem,
        [problem.costs, problem.costs],
        announce=lambda place: seen.append(f"path {place}"),
        callback=lambda n_iter, _: seen.append(n_iter),
    )
    assert seen[:2] == ["path 0", 1]
    assert seen[-2:] == ["path 1", 1]
