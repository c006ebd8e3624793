from dataclasses import replace
from itertools import pairwise

import clarabel
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
from piece_reference import minimum
from scipy import sparse

from widemargin.labels import sign_coding
from widemargin.objectives.pieces import (
    EpsilonInsensitive,
    RelaxedMinLoss,
    hinges,
    labeled_hinges,
)
from widemargin.solvers.cccp import Direct, Relaxed, SeveralLosses, tri_class_cccp
from widemargin.solvers.hinge import Smo
from widemargin.solvers.result import SolveResult, Status
from widemargin.spaces import GramSpace

TIE = 1e-3


def paper_loss(loss):
    """Eq. (17) of a score less its constant, d rounded by Eq. (19)."""

    def of_score(f):
        if abs(f) > 0.5 * (1.0 + loss.epsilon) + TIE:
            return min(max(0.0, 1.0 - abs(f)), 1.0 - loss.kappa)
        return max(0.0, abs(f) - loss.epsilon)

    return of_score


def descended_loss(loss):
    """What the procedure minimizes if no step is taken back, see the test of it."""

    def of_score(f):
        kinks = 0.0, abs(f) - (loss.reach - 1.0)
        relaxed = max(*kinks, 2.0 * abs(f) - (loss.reach - 1.0) - loss.epsilon)
        return relaxed - max(0.0, abs(f) - 0.5 * (1.0 + loss.epsilon) - TIE)

    return of_score


def steps_of(problem, start, **options):
    """Solutions after one step, two steps and so on until the end."""
    solutions = []
    for max_iter in range(1, 60):
        result = tri_class_cccp(problem, start, max_iter=max_iter, **options)
        solutions.append(result.solution)
        if result.status is not Status.MAX_ITER:
            return solutions
    raise AssertionError("it does not end")


def solve(problem, pieces):
    """The solution of the first column with these pieces."""
    pieces = problem.given[0] + pieces
    return problem.solver.solve(problem.space, pieces).solution[:, None]


def three_classes():
    return sign_coding(np.arange(60) % 3, 3)


@pytest.fixture
def problem():
    """One whose objective rises again and again if no step is taken back."""
    return make_problem(RelaxedMinLoss(0.1, 0.3, 5.0), cost=1.0)


@pytest.fixture
def start(problem):
    return labels_alone(problem)


def printed_program(gram, y, n_irrelevant, costs, mu, epsilon, reach):
    """Scores by the quadratic program (21), as it is printed but for its misprints.

    The first `n_irrelevant` samples are irrelevant, the next have labels y, the others
    are unlabeled. Corrected: labels in the quadratic and in the linear term, two
    columns of A for each irrelevant sample.

    Parameters
    ----------
    costs : ndarray of shape (n_samples,)
        r.
    mu : ndarray of shape (2, n_unlabeled)
        Of the copies with label +1, and of those with label -1.
    """
    n = len(gram)
    n_known, n_unlabeled = n_irrelevant + len(y), n - n_irrelevant - len(y)
    irrelevant, labeled = np.arange(n_irrelevant), np.arange(n_irrelevant, n_known)
    unlabeled, ones = np.arange(n_known, n), np.ones(n_unlabeled)
    pairs, pair_labels = np.tile(unlabeled, 2), np.append(ones, -ones)  # (13), (14)
    points = np.concatenate([irrelevant, irrelevant, labeled, pairs, pairs])
    labels = np.repeat([-1.0, 1.0], n_irrelevant)  # (15), (16)
    labels = np.concatenate([labels, y, pair_labels, pair_labels])
    quadratic = labels[:, None] * gram[np.ix_(points, points)] * labels
    in_pairs = slice(
        2 * n_irrelevant + len(y), 2 * n_irrelevant + len(y) + 2 * n_unlabeled
    )
    linear = quadratic[:, in_pairs] @ mu.ravel()
    linear += np.concatenate([
        np.full(2 * n_irrelevant, -epsilon), np.ones(len(y)),
        np.full(2 * n_unlabeled, 1.0 - reach), np.full(2 * n_unlabeled, -epsilon),
    ])  # fmt: skip
    eye, none = np.eye(n_unlabeled), np.zeros((n_unlabeled, 2 * n_irrelevant + len(y)))
    order = np.hstack([none, -eye, -eye, eye, eye])  # A
    identity = np.eye(len(points))
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-11
    solver = clarabel.DefaultSolver(
        sparse.csc_matrix(np.triu(quadratic)),
        -linear,
        sparse.csc_matrix(np.vstack([labels, order, identity, -identity])),
        np.concatenate([[mu.ravel() @ pair_labels], np.zeros(n_unlabeled),
                        costs[points], np.zeros(len(points))]),
        [clarabel.ZeroConeT(1),
         clarabel.NonnegativeConeT(n_unlabeled + 2 * len(points))],
        settings,
    )  # fmt: skip
    solved = solver.solve()
    multipliers = np.array(solved.x)
    multipliers[in_pairs] -= mu.ravel()  # (22)
    assert len(multipliers) == 2 * n_irrelevant + len(y) + 4 * n_unlabeled
    return gram[:, points] @ (labels * multipliers) + solved.z[0]


@pytest.mark.parametrize("n_irrelevant", [0, 4])
@pytest.mark.parametrize("reach", [1.0, 1.005, 2.0, 5.0])
@pytest.mark.parametrize("seed", [0, 1])
def test_reduced_form_solves_the_printed_program(seed, reach, n_irrelevant):
    """L + 2U coefficients in place of L + 4U multipliers and U inequalities."""
    rng = np.random.default_rng(seed)
    X, signs = two_clouds(seed)
    X, gram, n = X[:40], rbf_gram(X[:40]), 40
    epsilon, kappa, labels = 0.1, 0.2, signs[n_irrelevant : n_irrelevant + 10]
    irrelevant, labeled = (
        np.arange(n_irrelevant),
        np.arange(n_irrelevant, n_irrelevant + 10),
    )
    unlabeled = np.arange(n_irrelevant + 10, n)
    costs = rng.uniform(0.1, 1.0, n)
    costs[labeled] *= 3.0
    relevant = rng.random(len(unlabeled)) < 0.7
    before = rng.normal(size=len(unlabeled))
    mu = np.array([before < kappa, -before < kappa]) * relevant * costs[unlabeled]
    loss = RelaxedMinLoss(epsilon, kappa, reach)
    branches = loss.branches(relevant, before)
    assert set(branches) == {-1, 0, 1}
    assert (relevant & (branches == 0)).any()
    pieces = labeled_hinges(labeled, labels, costs[labeled], n)
    pieces += EpsilonInsensitive(epsilon).pieces(None, irrelevant, costs[irrelevant], n)
    pieces += loss.pieces(branches, unlabeled, costs[unlabeled], n)
    space = GramSpace(gram)
    scores = space.dual_scores(Smo(1e-9).solve(space, pieces).solution)
    expected = printed_program(gram, labels, n_irrelevant, costs, mu, epsilon, reach)
    assert np.ptp(scores) > 0.5
    assert_allclose(scores, expected, atol=1e-4)


def test_objective_never_rises_and_is_exact(problem, start):
    """With steps taken back; without, it does rise."""
    result = tri_class_cccp(problem, start)
    values = result.history["objective"]
    assert result.status is Status.CONVERGED
    assert result.n_iter == len(values) >= 3
    assert (np.diff(values) <= 0.0).all()
    assert result.objective == values[-1]
    loss = paper_loss(problem.loss)
    exact = [exact_objective(problem, s, loss) for s in steps_of(problem, start)]
    assert_allclose(values, exact, rtol=1e-9)
    loose = tri_class_cccp(problem, start, restore=False).history["objective"]
    assert (np.diff(loose) > 0.01).any()
    exact = [
        exact_objective(problem, s, loss)
        for s in steps_of(problem, start, restore=False)
    ]
    assert_allclose(loose, exact, rtol=1e-9)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kappa", [0.01, 0.3])
@pytest.mark.parametrize("reach", [1.0, 2.0, 5.0])
def test_steps_taken_back_make_it_monotone(seed, kappa, reach):
    for cost in (0.1, 1.0):
        loss = RelaxedMinLoss(0.1, kappa, reach)
        problem = make_problem(loss, seed=seed, cost=cost)
        result = tri_class_cccp(problem, labels_alone(problem))
        assert result.status is Status.CONVERGED
        assert (np.diff(result.history["objective"]) <= 0.0).all()


@pytest.mark.parametrize("reach", [1.0, 2.0, 5.0])
@pytest.mark.parametrize("seed", range(3))
def test_without_taking_back_another_objective_falls(seed, reach):
    """Slopes follow the scores alone, so that it is a concave-convex procedure for
    the relaxed loss less the part of |f| above the threshold of (19).
    """
    loss = RelaxedMinLoss(0.1, 0.3, reach)
    problem = make_problem(loss, seed=seed)
    solutions = steps_of(problem, labels_alone(problem), restore=False)
    values = [exact_objective(problem, s, descended_loss(loss)) for s in solutions]
    assert len(values) > 1
    assert (np.diff(values) <= 1e-9).all()


def test_first_step_uses_every_sample(problem, start):
    """Slopes at all scores of the start that are farther from zero than kappa."""
    f = problem.scores(start)[problem.rows, 0]
    slopes = np.where(np.abs(f) > 0.3, np.sign(f), 0.0)
    assert (np.abs(f[slopes != 0]) < 0.55).any()
    pieces = problem.loss.pieces(slopes, problem.rows, problem.costs, 60)
    expected = problem.solver.solve(problem.space, problem.given[0] + pieces).solution
    result = tri_class_cccp(problem, start, max_iter=1)
    scores = problem.scores(result.solution)[:, 0]
    assert_allclose(scores, problem.space.dual_scores(expected), atol=1e-6)
    assert_array_equal(result.history["criterion"], [np.mean(
        (problem.loss.decisions(scores[6:]) != 1)
        | (problem.loss.branches(problem.loss.decisions(scores[6:]), scores[6:])
           != slopes)
    )])  # fmt: skip


def test_step_taken_back_has_the_decisions_of_before(problem, start):
    """The first step after which the relaxed one would raise the objective."""
    loss = problem.loss
    solutions = steps_of(problem, start)
    exact = paper_loss(loss)
    n_back = 0
    for before, after in pairwise(solutions):
        f = problem.scores(before)[6:, 0]
        decisions = loss.decisions(f)
        slopes = loss.branches(decisions, f)
        relaxed = loss.pieces(slopes, problem.rows, problem.costs, 60)
        tried = solve(problem, relaxed)
        if exact_objective(problem, tried, exact) <= exact_objective(
            problem, before, exact
        ):
            expected = tried
        else:
            n_back += 1
            fixed = loss.fixed_pieces(
                decisions, slopes, problem.rows, problem.costs, 60
            )
            expected = solve(problem, fixed)
        assert_allclose(problem.scores(after), problem.scores(expected), atol=1e-5)
    assert n_back > 0


@pytest.mark.parametrize("epsilon", [0.0, 0.2])
def test_reach_of_one_without_slopes_is_the_universum(epsilon):
    """|f| plus what is above epsilon: twice |f| if epsilon is zero."""
    problem = make_problem(RelaxedMinLoss(epsilon, 0.01, 1.0), cost=0.3)
    result = tri_class_cccp(problem, np.zeros((61, 1)))
    rows, ones = np.tile(problem.rows, 4), np.ones(54)
    kinks = np.concatenate([0.0 * ones, 0.0 * ones, epsilon * ones, -epsilon * ones])
    sides = np.concatenate([-ones, ones, -ones, ones])
    universum = problem.given[0] + hinges(60, rows, kinks, sides, np.full(216, 0.3))
    scores = problem.scores(result.solution)[:, 0]
    assert result.status is Status.CONVERGED
    assert np.abs(scores[6:]).max() < 0.5  # no slopes
    assert np.abs(scores).max() > 0.1
    a, gram = result.solution[:-1, 0], problem.space.gram
    value = a @ gram @ a / 2 + universum.value(scores)
    assert_allclose(value, minimum(gram, universum), rtol=1e-6)


@pytest.mark.parametrize("restore", [False, True])
def test_columns_follow_one_another(restore):
    """Each as if it were alone; the history goes on."""
    loss = RelaxedMinLoss(0.1, 0.3, 5.0)
    problem = replace(
        make_problem(loss, seed=2, signs=three_classes()[:, ::-1]),
        intercepts=(None, -0.3, None),
    )
    start = labels_alone(problem)
    whole = tri_class_cccp(problem, start, restore=restore)
    total, values, criteria, n_steps = 0.0, [], [], []
    for k in range(3):
        own = replace(
            problem, given=(problem.given[k],), intercepts=(problem.intercepts[k],)
        )
        alone = tri_class_cccp(own, start[:, [k]], restore=restore)
        assert_array_equal(whole.solution[:, k], alone.solution[:, 0])
        values += [total + value for value in alone.history["objective"]]
        criteria += alone.history["criterion"]
        total += alone.objective
        n_steps.append(alone.n_iter)
    assert_allclose(whole.history["objective"], values)
    assert_array_equal(whole.history["criterion"], criteria)
    assert_allclose(whole.objective, total)
    assert whole.n_iter == max(n_steps) > min(n_steps)
    assert whole.solution[-1, 1] == -0.3


@pytest.mark.parametrize("restore", [False, True])
def test_swapped_classes_have_the_mirrored_answer(restore):
    loss, signs = RelaxedMinLoss(0.1, 0.3, 5.0), two_clouds(1)[1][:, None]
    one, two = (make_problem(loss, seed=1, signs=s) for s in (signs, -signs))
    first, second = (
        tri_class_cccp(p, labels_alone(p), restore=restore) for p in (one, two)
    )
    assert first.n_iter == second.n_iter > 1
    assert_allclose(first.objective, second.objective)
    ours, theirs = one.scores(first.solution), two.scores(second.solution)
    assert_allclose(ours, -theirs, atol=1e-6)


def test_costs_of_zero_give_the_labels_alone(problem, start):
    result = tri_class_cccp(replace(problem, costs=np.zeros(54)), start)
    assert result.status is Status.CONVERGED
    assert_allclose(result.solution, start, atol=1e-6)


def test_no_rows_leave_the_labels(problem, start):
    empty = replace(problem, rows=np.array([], dtype=int), costs=np.zeros(0))
    result = tri_class_cccp(empty, np.zeros((61, 1)))
    assert result.status is Status.CONVERGED
    assert result.n_iter == 1
    assert_array_equal(result.history["criterion"], [0.0])
    assert_allclose(result.solution, start, atol=1e-6)


class Swinging:
    """A solver with two answers in turn, each with two relevant scores."""

    def __init__(self):
        self.n_solved = 0

    def solve(self, *_):
        self.n_solved += 1
        far = np.array([0.8, 0.7, 0.0, 0.0])
        solution = far if self.n_solved % 2 else far[[1, 2, 0, 3]]
        # of the identity matrix, without an intercept
        scores = solution[:-1]
        return SolveResult(solution, 0.0, Status.CONVERGED, 1, scores=scores)


@pytest.mark.parametrize("kappa", [0.3, 0.9])
def test_decisions_that_repeat_end_it(kappa):
    """Without taking steps back, if a solver's tolerance makes it go round; with the
    large kappa there are no slopes.
    """
    solver = Swinging()
    problem = replace(
        make_problem(RelaxedMinLoss(0.1, kappa, 5.0)),
        space=GramSpace(np.eye(3)),
        solver=solver,
        given=(hinges(3, [], [], [], []),),
        rows=np.arange(3),
        costs=np.ones(3),
    )
    result = tri_class_cccp(problem, np.zeros((4, 1)), restore=False, max_iter=1000)
    assert result.status is Status.CONVERGED
    assert result.n_iter == solver.n_solved == 3
    assert result.history["criterion"][-1] > 0.0


@pytest.mark.parametrize("restore", [False, True])
def test_iteration_limit_is_reported(problem, start, restore):
    whole = tri_class_cccp(problem, start, restore=restore)
    result = tri_class_cccp(problem, start, restore=restore, max_iter=2)
    assert result.status is Status.MAX_ITER
    assert result.n_iter == 2 < whole.n_iter
    assert result.history["objective"] == whole.history["objective"][:2]
    assert_allclose(
        result.objective,
        exact_objective(problem, result.solution, paper_loss(problem.loss)),
    )


def test_callback_follows_every_step(problem, start):
    seen = []

    def note(n_iter, history):
        seen.append((n_iter, history["objective"][-1], len(history["criterion"])))

    result = tri_class_cccp(problem, start, callback=note)
    steps = range(1, result.n_iter + 1)
    values = result.history["objective"]
    assert seen == list(zip(steps, values, steps, strict=True))


def test_start_is_left_alone(problem, start):
    kept = start.copy()
    tri_class_cccp(problem, start)
    assert_array_equal(start, kept)


def test_steps_that_raise_the_objective_are_never_taken(problem, start):
    """What a solver's tolerance may do, even with the decisions held fixed."""
    whole = Watched(problem.solver)
    values = tri_class_cccp(replace(problem, solver=whole), start).history["objective"]
    for first_bad in range(2, whole.n_solved + 1):
        watched = Watched(problem.solver, first_bad, worsened)
        result = tri_class_cccp(replace(problem, solver=watched), start)
        found = result.history["objective"]
        assert result.status is Status.CONVERGED
        assert found == values[: len(found)]
        exact = exact_objective(problem, result.solution, paper_loss(problem.loss))
        assert_allclose(exact, found[-1])


def test_interrupt_keeps_the_last_step(problem, start):
    """In a relaxed problem, and in one with the decisions held fixed."""
    whole = Watched(problem.solver)
    n_iter = tri_class_cccp(replace(problem, solver=whole), start).n_iter
    assert whole.n_solved > n_iter  # some steps are taken back
    kept = [solution.tobytes() for solution in steps_of(problem, start)]
    reached = []
    for n_solved in range(2, whole.n_solved + 1):
        watched = Watched(problem.solver, n_solved, interrupted)
        result = tri_class_cccp(replace(problem, solver=watched), start)
        assert watched.n_solved == n_solved
        assert result.status is Status.INTERRUPTED
        reached.append(kept.index(result.solution.tobytes()))
        assert result.objective == result.history["objective"][reached[-1]]
    assert reached[0] == 0
    assert set(np.diff(reached)) == {0, 1}


def test_interrupt_ends_the_other_columns():
    loss = RelaxedMinLoss(0.1, 0.3, 5.0)
    problem = make_problem(loss, cost=0.3, signs=three_classes())
    start = labels_alone(problem)
    own = replace(problem, given=problem.given[:1], intercepts=(None,))
    whole = Watched(problem.solver)
    first = tri_class_cccp(replace(own, solver=whole), start[:, :1])
    watched = Watched(problem.solver, whole.n_solved + 1, interrupted)
    result = tri_class_cccp(replace(problem, solver=watched), start)
    assert watched.n_solved == whole.n_solved + 1
    assert result.status is Status.INTERRUPTED
    assert_array_equal(result.solution[:, :1], first.solution)
    assert_array_equal(result.solution[:, 1:], start[:, 1:])


def test_problems_that_do_not_converge_are_reported():
    """Also if it is only the first column's."""
    loss = RelaxedMinLoss(0.1, 0.3, 5.0)
    problem = make_problem(loss, cost=0.3, signs=three_classes())
    start = labels_alone(problem)
    own = replace(problem, given=problem.given[:1], intercepts=(None,))
    whole = Watched(problem.solver)
    tri_class_cccp(replace(own, solver=whole), start[:, :1])
    watched = Watched(problem.solver, 1)
    watched.spoil = lambda result: (
        replace(result, status=Status.STALLED)
        if watched.n_solved <= whole.n_solved
        else result
    )
    result = tri_class_cccp(replace(problem, solver=watched), start)
    assert watched.n_solved > whole.n_solved
    assert result.status is Status.STALLED


def test_interrupt_of_the_first_problem_keeps_the_start():
    problem = make_problem(RelaxedMinLoss(0.1, 0.3, 5.0))
    start = labels_alone(problem)
    watched = Watched(problem.solver, 1, interrupted)
    result = tri_class_cccp(replace(problem, solver=watched), start)
    assert result.status is Status.INTERRUPTED
    assert_array_equal(result.solution, start)


def test_only_losses_with_weights_are_averaged():
    """The min loss has none, and is that of a single model."""
    method = SeveralLosses()
    assert all(weights for _, weights in method.averaged)
    assert Direct() not in [own for own, _ in method.averaged]
    assert method.single == Direct()
    paper = Relaxed()
    assert [own for own, _ in paper.averaged] == [paper.single] == [paper]
