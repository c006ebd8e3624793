import itertools
from types import SimpleNamespace

import numpy as np
import pytest
from label_reference import features_of
from numpy.testing import assert_allclose, assert_array_equal
from reference import Process
from sklearn.svm import SVR

from widemargin.kernels import Rbf
from widemargin.objectives.gp_evidence import GpEvidence
from widemargin.rows import Rows
from widemargin.sample import collect_sample
from widemargin.solvers.hinge import ProximalNewton, Smo
from widemargin.solvers.relabeling import (
    InSample,
    LeaveOneOut,
    best_threshold,
    threshold_interval,
)
from widemargin.solvers.result import Status
from widemargin.solvers.self_labeling import (
    AbsoluteRegression,
    AbsoluteRegressor,
    ActiveProcess,
    Annealing,
    GaussianProcess,
    LabelingTask,
    alternate,
    alternate_from,
    self_label,
)
from widemargin.spaces import FeatureSpace, GramSpace

GAMMA, REG = 0.3, 0.2
ACTIVE = np.array([17, 3, 22, 8, 29, 0, 11, 5])

A, B, C, D = (
    np.array(codes)
    for codes in ([0, 0, 1, 1], [0, 1, 1, 1], [0, 1, 0, 1], [1, 1, 0, 1])
)


# The loop


class Script:
    """A regressor and its labels by a table: what follows each labeling."""

    def __init__(self, *path, n_labels=0.0):
        steps = itertools.pairwise(path)
        self.after = {old.tobytes(): new for old, new in steps}
        self.seen, self.n_labels = [], n_labels

    def signs(self, codes):
        return codes

    def scores(self, codes):
        self.seen.append(codes.copy())
        return 10.0 * self.after[codes.tobytes()][:, None]

    def relabeling(self, scores):
        return (scores[:, 0] / 10.0).astype(int)

    def task(self, **options):
        relabel = InSample(**{"tol": 0.0, "max_iter": 100} | options)
        return SimpleNamespace(
            relabel=relabel,
            signs=self.signs,
            relabeling=self.relabeling,
            n_labels=self.n_labels,
        )

    def run(self, start, callback=None, **options):
        return alternate(self, self.task(**options), start, callback=callback)


def test_ends_where_no_label_changes():
    script = Script(A, B, D, D)
    result = script.run(A)
    assert result.status is Status.CONVERGED
    assert_array_equal(result.solution, D)
    assert result.n_iter == 3
    assert result.history == {"objective": [1, 2, 0], "criterion": [0.25, 0.5, 0]}
    assert result.objective == 0.0
    for codes, expected in zip(script.seen, [A, B, D], strict=True):
        assert_array_equal(codes, expected)


def test_start_that_stays_is_the_answer():
    result = Script(A, A).run(A)
    assert result.status is Status.CONVERGED
    assert result.n_iter == 1
    assert result.history["objective"] == [0.0]
    assert_array_equal(result.solution, A)


@pytest.mark.parametrize(
    ("path", "n_iter", "changes"),
    [
        ([A, B, A], 2, [1, 1]),
        ([A, B, C, B], 3, [1, 1, 1]),  # the cycle does not hold the start
        ([A, B, C, A], 3, [1, 1, 2]),
        ([A, B, C, D, B], 4, [1, 1, 1, 2]),
    ],
)
def test_ends_on_a_cycle(path, n_iter, changes):
    """As soon as labels are seen again, which are then the answer."""
    result = Script(*path).run(path[0], max_iter=50)
    assert result.status is Status.CONVERGED
    assert result.n_iter == n_iter
    assert_array_equal(result.solution, path[-1])
    assert result.history["objective"] == changes
    assert result.objective == changes[-1]


@pytest.mark.parametrize(("tol", "n_iter"), [(0.25, 4), (0.26, 1), (0.6, 1)])
def test_ends_where_hardly_a_label_changes(tol, n_iter):
    """When less than the share `tol` does, after that change."""
    path = [A, B, C, D, D]
    result = Script(*path).run(A, tol=tol)
    assert result.status is Status.CONVERGED
    assert result.n_iter == n_iter
    assert_array_equal(result.solution, path[n_iter])


@pytest.mark.parametrize("max_iter", [1, 2, 3])
def test_iteration_limit(max_iter):
    path = [A, B, C, D, D]
    result = Script(*path).run(A, max_iter=max_iter)
    assert result.status is Status.MAX_ITER
    assert result.n_iter == max_iter == len(result.history["objective"])
    assert_array_equal(result.solution, path[max_iter])


def test_last_iteration_can_still_converge():
    result = Script(A, B, B).run(A, max_iter=2)
    assert result.status is Status.CONVERGED


@pytest.mark.parametrize("n_before", [0, 1, 2])
@pytest.mark.parametrize("where", ["scores", "relabeling"])
def test_interrupt_keeps_the_labels_so_far(where, n_before):
    path, calls = [A, B, C, D, D], []
    script = Script(*path)

    def interrupted(step):
        def wrapped(argument):
            calls.append(1)
            if len(calls) > n_before:
                raise KeyboardInterrupt
            return step(argument)

        return wrapped

    setattr(script, where, interrupted(getattr(script, where)))
    result = script.run(A)
    assert result.status is Status.INTERRUPTED
    assert_array_equal(result.solution, path[n_before])
    assert len(result.history["objective"]) == n_before


def test_interrupt_in_the_callback_keeps_what_it_saw():
    def callback(n_iter, history):
        if n_iter == 2:
            raise KeyboardInterrupt

    result = Script(A, B, C, D, D).run(A, callback)
    assert result.status is Status.INTERRUPTED
    assert result.n_iter == 2
    assert_array_equal(result.solution, C)


def test_callback_sees_every_iteration():
    seen = []
    result = Script(A, B, D, D).run(
        A, lambda n_iter, history: seen.append((n_iter, *history["objective"]))
    )
    assert seen == [(1, 1), (2, 1, 2), (3, 1, 2, 0)]
    assert result.n_iter == 3


def test_the_callers_labels_are_not_written_to():
    start = A.copy()
    result = Script(A, B, B).run(start)
    assert_array_equal(start, A)
    assert not np.shares_memory(result.solution, start)


def test_no_samples():
    result = Script(A[:0], A[:0]).run(A[:0])
    assert result.status is Status.CONVERGED
    assert result.history["criterion"] == [0.0]


# Several starts


def from_several(script, starts, costs, **options):
    """The best of several loops, by a table of the likelihood of their ends."""
    table = {codes.tobytes(): cost for codes, cost in costs}
    script.neg_log_likelihood = lambda codes: table[codes.tobytes()]
    return alternate_from(starts, script, script.task(), 0.1, **options)


@pytest.mark.parametrize(
    ("costs", "expected"), [((2.0, 1.0), D), ((1.0, 2.0), C), ((1.0, 1.0), C)]
)
def test_likeliest_end_wins(costs, expected):
    """And the first one if they are equal; it need not start lowest."""
    script = Script(A, C, C)
    script.after |= Script(B, D, D).after
    costs = list(zip([C, D], costs, strict=True))
    result = from_several(script, [A, B], costs)
    assert_array_equal(result.solution, expected)
    assert result.status is Status.CONVERGED
    assert result.n_iter == len(result.history["objective"]) == 2
    assert result.history["unlabeled_weight"] == [0.1, 0.1]


@pytest.mark.parametrize(
    ("log_odds", "n_labels", "expected"), [(0.1, 4, D), (0.1, 6, C), (0.02, 20, D)]
)
def test_labels_favor_the_first_start(log_odds, n_labels, expected):
    """By log odds for each; the later starts are compared without any."""
    script = Script(A, C, C, n_labels=n_labels)
    script.after |= Script(B, B).after | Script(D, D).after
    costs = [(C, 2.0), (B, 1.55), (D, 1.5)]
    result = from_several(script, [A, B, D], costs, log_odds=log_odds)
    assert_array_equal(result.solution, expected)


def test_very_many_labels_decide_alone():
    script = Script(A, C, C, n_labels=1e6)
    script.after |= Script(B, D, D).after
    result = from_several(script, [A, B], [(C, 100.0), (D, 1.0)])
    assert_array_equal(result.solution, C)


def test_one_start_needs_no_likelihood():
    result = from_several(Script(A, B, B), [A], [])
    assert_array_equal(result.solution, B)


@pytest.mark.parametrize(("n_before", "expected"), [(0, A), (1, C), (2, C), (3, C)])
def test_interrupt_of_several_starts_keeps_the_best(n_before, expected):
    script, calls = Script(A, C, C), []
    script.after |= Script(B, D, D).after
    scores = script.scores

    def interrupted(codes):
        calls.append(1)
        if len(calls) > n_before:
            raise KeyboardInterrupt
        return scores(codes)

    script.scores = interrupted
    result = from_several(script, [A, B], [(C, 2.0), (D, 1.0)])
    assert result.status is Status.INTERRUPTED
    assert_array_equal(result.solution, expected)


def test_interrupt_of_a_likelihood_keeps_the_labels():
    def interrupted(codes):
        raise KeyboardInterrupt

    script = Script(A, C, C)
    script.neg_log_likelihood = interrupted
    result = alternate_from([A, B], script, script.task(), 0.1)
    assert result.status is Status.INTERRUPTED
    assert_array_equal(result.solution, C)


# Weights and their path


@pytest.fixture
def sample(X, rng):
    """Thirty rows, eight labels of two classes, unequal weights."""
    y = np.full(30, -1)
    y[:8] = np.arange(8) % 2
    return collect_sample(Rows(X), y, rng.uniform(0.5, 2.0, 30))


def make_task(sample, labeled_weight=2.0, annealing=None, relabel=None):
    bounds = np.zeros(2, dtype=int), np.full(2, sample.n_unlabeled)
    annealing = Annealing() if annealing is None else annealing
    relabel = LeaveOneOut() if relabel is None else relabel
    return LabelingTask.of(sample, bounds, labeled_weight, annealing, relabel)


def test_mean_weight_of_unlabeled_rows_is_the_unit(sample):
    weights = make_task(sample, 3.0).weights(0.5)
    assert_allclose(weights[8:].mean(), 0.5)
    own = sample.row_weights
    assert_allclose(weights[:8] / weights[8:].sum(), 6.0 * own[:8] / own[8:].sum())


@pytest.mark.parametrize("ratio", [0.3, 1.0, None])
def test_path_ends_at_the_limit_of_the_unlabeled_weight(sample, ratio):
    """The threshold is chosen by the weights at its end."""
    annealing = Annealing((0.01, 0.4, 50.0), ratio)
    task = make_task(sample, annealing=annealing)
    own = sample.row_weights
    even = 2.0 * own[:8].sum() / own[8:].sum()
    expected = 50.0 if ratio is None else ratio * even
    assert_allclose(task.path[-1], expected)
    assert task.path[0] == 0.01
    relabeling = task.relabeling
    weights = np.concatenate([relabeling.label_weights, relabeling.free_weights])
    assert_allclose(weights, task.last_weights)
    assert_allclose(weights, task.weights(expected))


@pytest.mark.parametrize(
    ("labeled_weight", "place"), [(1e-3, 1), (0.2, 1), (2.0, 2), (100.0, 3)]
)
def test_starts_compete_before_unlabeled_rows_outweigh_the_labels(
    sample, labeled_weight, place
):
    """But not at the first weight."""
    annealing = Annealing((0.01, 0.05, 0.3, 2.0), None)
    task = make_task(sample, labeled_weight, annealing)
    assert task.contest == place
    if labeled_weight > 0.1:
        sums = [task.weights(w)[8:].sum() for w in task.path]
        of_labels = task.last_weights[:8].sum()
        assert sums[place] <= of_labels
        assert all(total > of_labels for total in sums[place + 1 :])


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ((), r"got \(\)"),
        ((0.0, 1.0), r"got \(0.0, 1.0\)"),
        ((0.1, np.inf), "inf"),
        ("slow", "'slow'"),
        (None, "got None"),
    ],
)
def test_weights_that_are_none_are_refused(weights, message):
    with pytest.raises(ValueError, match=f"weights of Annealing .*{message}"):
        Annealing(weights)
    with pytest.raises(ValueError, match=f"annealing of M .*{message}"):
        Annealing.read(weights, "annealing of M")


def test_annealing_from_what_a_user_writes():
    assert Annealing.read("auto", "") == Annealing()
    assert Annealing.read(0.3, "").path(100.0) == (0.3,)
    assert Annealing.read([0.1, 1], "").path(100.0) == (0.1, 1.0)
    with pytest.raises(ValueError, match="max_unlabeled_ratio of Annealing"):
        Annealing(max_unlabeled_ratio=0)


# Gaussian processes


@pytest.fixture
def weights(rng):
    return rng.choice([1.0, 10.0], 30)


@pytest.fixture
def signs(rng):
    """Two columns of signs."""
    return rng.choice([-1.0, 1.0], (30, 2), p=[0.3, 0.7])


def process(X, signs, weights):
    """The Gaussian process itself, of scale one."""
    return Process(GpEvidence(X, signs, weights), np.log([1.0, GAMMA, REG]))


def active_regressor(X, weights, *, leave_one_out, active=ACTIVE):
    kernel = Rbf(GAMMA)
    space = GramSpace(kernel(X[active]), kernel, Rows(X[active]))
    cross = kernel(X, X[active])
    return ActiveProcess(space, active, cross, 1.0, REG, leave_one_out).regressor(
        weights
    )


@pytest.fixture(params=["dense", "low rank"])
def space(request, X):
    kernel = Rbf(GAMMA)
    gram = kernel(X)
    if request.param == "dense":
        return GramSpace(gram, kernel, Rows(X))
    return FeatureSpace(features_of(gram))


def test_scores_are_fitted_values(space, X, weights, signs):
    regressor = GaussianProcess(space, 1.0, REG, False).regressor(weights)
    expected = process(X, signs, weights).mean_at(X)
    assert_allclose(regressor.scores(signs), expected, atol=1e-8)


def test_scores_are_those_of_processes_without_each_sample(space, X, weights, signs):
    scores = GaussianProcess(space, 1.0, REG).regressor(weights).scores(signs)
    for i in range(30):
        rest = np.delete(np.arange(30), i)
        without = process(X[rest], signs[rest], weights[rest])
        assert_allclose(scores[[i]], without.mean_at(X[[i]]), atol=1e-7)
    in_sample = GaussianProcess(space, 1.0, REG, False).regressor(weights)
    assert_array_equal(in_sample.held_out(signs), scores)


def test_likelihood_up_to_a_constant(X, weights, signs):
    scale, noise = 2.5, REG
    gram = Rbf(GAMMA)(X)
    regressor = GaussianProcess(GramSpace(gram), scale, noise).regressor(weights)
    inverse = np.linalg.inv(scale * gram + np.diag(noise / weights))

    def expected(y):
        rest = y - inverse.sum(axis=0) @ y / inverse.sum()
        return 0.5 * rest @ inverse @ rest

    for y in signs.T:
        found = regressor.neg_log_likelihood(y[:, None])
        assert_allclose(found, expected(y), rtol=1e-8)


def test_function_is_the_mean_of_the_process(X, X_new, weights, signs):
    space = GramSpace(Rbf(GAMMA)(X), Rbf(GAMMA), Rows(X))
    expected = process(X, signs, weights).mean_at(X_new)
    for leave_one_out in (False, True):
        model = GaussianProcess(space, 1.0, REG, leave_one_out)
        values = model.regressor(weights).function(signs)(X_new)
        assert_allclose(values, expected, atol=1e-8)


def test_directions_are_components_and_their_opposites(X, weights):
    kernel = GramSpace(X @ X.T)
    first, second, *others = GaussianProcess(kernel, 1.0, REG).directions(weights, 1)
    assert not others
    assert_array_equal(first, -second)
    centered = X - np.average(X, axis=0, weights=weights)
    direction = np.linalg.svd(np.sqrt(weights)[:, None] * centered)[2][0]
    expected = centered @ direction
    assert_allclose(np.abs(np.corrcoef(first[:, 0], expected)[0, 1]), 1.0)


# Active rows


def test_active_scores_are_those_of_the_active_process(X, X_new, weights, signs):
    """Mean and variance, at all rows and at any other point."""
    regressor = active_regressor(X, weights, leave_one_out=False)
    known = process(X[ACTIVE], signs[ACTIVE], weights[ACTIVE])
    assert_allclose(regressor.scores(signs), known.mean_at(X), atol=1e-8)
    values = regressor.function(signs)(X_new)
    assert_allclose(values, known.mean_at(X_new), atol=1e-8)
    cross = regressor.model.space.embedding()(X_new)
    variance = regressor.posterior().variance(cross, np.ones(len(X_new)))
    assert_allclose(variance, known.variance_at(X_new), atol=1e-8)


def test_active_samples_are_held_out_one_by_one(X, weights, signs):
    """The others are held out anyway."""
    scores = active_regressor(X, weights, leave_one_out=True).scores(signs)
    for i in range(30):
        rest = ACTIVE[i != ACTIVE]
        without = process(X[rest], signs[rest], weights[rest])
        assert_allclose(scores[[i]], without.mean_at(X[[i]]), atol=1e-7)
    in_sample = active_regressor(X, weights, leave_one_out=False)
    assert_array_equal(in_sample.held_out(signs), scores)
    assert np.abs(in_sample.scores(signs) - scores)[ACTIVE].max() > 0.1


def test_labels_of_other_samples_do_not_count(X, weights, signs):
    other = np.full_like(signs, np.nan)
    other[ACTIVE] = signs[ACTIVE]
    for leave_one_out in (False, True):
        regressor = active_regressor(X, weights, leave_one_out=leave_one_out)
        assert_array_equal(regressor.scores(other), regressor.scores(signs))


def test_all_rows_active_is_the_whole_process(X, weights, signs):
    every = np.arange(30)[::-1]
    regressor = active_regressor(X, weights, leave_one_out=False, active=every)
    expected = process(X, signs, weights).mean_at(X)
    assert_allclose(regressor.scores(signs), expected, atol=1e-8)


# The absolute loss


@pytest.fixture
def costs(rng):
    return rng.uniform(0.1, 3.0, 30)


def support_vector_scores(X, column, costs):
    svr = SVR(C=1.0, epsilon=0.0, gamma=GAMMA, tol=1e-9)
    return svr.fit(X, column, sample_weight=costs).predict(X)


def spaces_and_solvers(X):
    gram = Rbf(GAMMA)(X)
    return [
        (GramSpace(gram, Rbf(GAMMA), Rows(X)), Smo(1e-8)),
        (FeatureSpace(features_of(gram)), ProximalNewton(1e-10)),
    ]


@pytest.mark.parametrize("which", [0, 1])
def test_absolute_loss_is_that_of_support_vector_regression(X, rng, costs, which):
    """Targets of any size, so that the best function is unique."""
    targets = rng.normal(size=(30, 2))
    space, solver = spaces_and_solvers(X)[which]
    regressor = AbsoluteRegression(space, solver, 0.5).regressor(2.0 * costs)
    scores = regressor.scores(targets)
    for k in range(2):
        expected = support_vector_scores(X, targets[:, k], costs)
        assert_allclose(scores[:, k], expected, atol=1e-4)
    if which == 0:
        assert_allclose(regressor.function(targets)(X), scores, atol=1e-10)


def test_costs_count(X, rng, costs):
    targets, parts = rng.normal(size=(30, 1)), spaces_and_solvers(X)[0]
    one = AbsoluteRegressor(*parts, np.ones(30)).scores(targets)
    other = AbsoluteRegressor(*parts, costs).scores(targets)
    assert np.abs(one - other).max() > 0.1


def test_warm_start_does_not_change_the_answer(X, rng, costs):
    """Whatever was solved before, for each column on its own."""
    parts, Y = spaces_and_solvers(X)[0], rng.normal(size=(30, 2))
    warm = AbsoluteRegressor(*parts, costs)
    path = [Y, -Y, Y + rng.normal(size=Y.shape), Y]
    for targets in path:
        cold = AbsoluteRegressor(*parts, costs)
        assert_allclose(warm.scores(targets), cold.scores(targets), atol=1e-5)


def test_same_targets_are_solved_once(X, rng, costs):
    """Columns that change are solved again, from where they were."""
    starts, (space, _) = [], spaces_and_solvers(X)[0]

    class Counting:
        @staticmethod
        def solve(space, pieces, intercept=None, start=None):
            starts.append(start)
            return Smo(1e-3).solve(space, pieces, intercept, start)

    regressor = AbsoluteRegressor(space, Counting(), costs)
    Y = rng.normal(size=(30, 2))
    scores = regressor.scores(Y)
    regressor.function(Y)
    assert [start is None for start in starts] == [True, True]
    Y[:, 1] *= -1  # in place: the regressor must have kept a copy
    changed = regressor.scores(Y)
    assert len(starts) == 3
    assert starts[2] is not None
    assert_array_equal(changed[:, 0], scores[:, 0])
    assert np.abs(changed[:, 1] - scores[:, 1]).max() > 0.1


# The whole path


class Recorded:
    """A model whose regressors are made, and interrupted, by order."""

    def __init__(self, model, interrupt_at=None):
        self.model, self.weights, self.interrupt_at = model, [], interrupt_at
        self.likelihoods = []

    def directions(self, row_weights, n_components):
        return self.model.directions(row_weights, n_components)

    def regressor(self, weights):
        self.weights.append(weights)
        if len(self.weights) == self.interrupt_at:
            raise KeyboardInterrupt
        return self.model.regressor(weights)


@pytest.fixture
def model(X):
    return GaussianProcess(GramSpace(Rbf(GAMMA)(X), Rbf(GAMMA), Rows(X)), 1.0, REG)


def test_regressors_follow_the_path(sample, model):
    """After a first one that depends on the labels alone."""
    task, recorded = make_task(sample), Recorded(model)
    found = self_label(recorded, task)
    assert_allclose(recorded.weights[0][8:].max(), 0.0, atol=1e-5)
    for weights, weight in zip(recorded.weights[1:], task.path, strict=True):
        assert_array_equal(weights, task.weights(weight))
    assert_array_equal(found.codes[:8], sample.codes)
    again = self_label(recorded, task, start=found.codes)
    assert_array_equal(again.codes[:8], sample.codes)
    assert len(recorded.weights) == 1 + 2 * len(task.path)


@pytest.mark.parametrize("at", [2, 3, 4])
def test_interrupt_while_a_regressor_is_made_keeps_the_last_one(sample, model, at):
    task, recorded = make_task(sample), Recorded(model, interrupt_at=at)
    found = self_label(recorded, task)
    assert found.is_interrupted
    assert_array_equal(
        found.regressor.profiled.smoother.weights, recorded.weights[at - 2]
    )
    assert_array_equal(found.codes[:8], sample.codes)


@pytest.mark.parametrize("start", [None, np.zeros(30, dtype=int)])
def test_interrupt_before_the_first_regressor_is_passed_on(sample, model, start):
    with pytest.raises(KeyboardInterrupt):
        self_label(Recorded(model, interrupt_at=1), make_task(sample), start=start)


def test_starts_from_components_are_tried_once(sample, model):
    """Both sides of each, with the labels of the path so far, in the middle of it."""
    rounds = []
    self_label(
        model,
        make_task(sample, 0.1),
        n_components=2,
        callback=lambda n_iter, history: rounds.append(
            (history["unlabeled_weight"][-1], history["start_number"][-1])
        ),
    )
    several = {weight for weight, number in rounds if number > 1}
    assert len(several) == 1
    assert {n for weight, n in rounds if weight in several} == {1, 2, 3, 4, 5}


@pytest.mark.parametrize("kind", ["process", "absolute"])
@pytest.mark.parametrize("loss", ["absolute", "squared", None])
@pytest.mark.parametrize("bounds", [(13, 18), (0, 22)])
def test_start_is_the_labels_alone_behind_the_best_threshold(
    X, sample, kind, loss, bounds
):
    """Within the bounds of the sizes; its weights are those of the last regression."""
    gram, kernel = Rbf(GAMMA)(X), Rbf(GAMMA)
    part, labels = np.arange(8), sample.codes
    lower, upper = np.array([22 - bounds[1], bounds[0]]), np.array([22, bounds[1]])
    task = LabelingTask.of(
        sample, (lower, upper), 3.0, Annealing(), InSample(threshold=loss)
    )
    weights = task.last_weights
    targets = 2.0 * labels[:, None] - 1.0
    if kind == "process":
        model = GaussianProcess(GramSpace(gram, kernel, Rows(X)), 1.0, REG, False)
        scores = process(X[part], targets, weights[part]).mean_at(X)[:, 0]
    else:
        model = AbsoluteRegression(GramSpace(gram, kernel, Rows(X)), Smo(1e-9), 1.0)
        svr = SVR(C=1.0, epsilon=0.0, gamma=GAMMA, tol=1e-9)
        svr.fit(X[part], targets[:, 0], sample_weight=weights[part])
        scores = svr.predict(X)
    start = self_label(Recorded(model, interrupt_at=2), task).codes
    free, fixed = scores[8:], scores[:8]
    low, high = threshold_interval(free, *bounds)
    b = np.clip(0.0, low + 1e-9, high - 1e-9)
    if loss is not None:
        b = best_threshold(
            free,
            targets[:, 0] - fixed,
            weights[:8],
            (low, high),
            score_weights=weights[8:],
            squared=loss == "squared",
        )
    assert_array_equal(start[8:], (free + b > 0).astype(int))
    assert_array_equal(start[:8], labels)
