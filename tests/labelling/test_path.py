from dataclasses import dataclass, field, replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_blobs

from widemargin.averaging import average_scores, family_prior
from widemargin.datasets import hide_labels
from widemargin.defaults import PATH_DECAY, UNLABELED_WEIGHTS
from widemargin.graphs import KnnGraph, graph_laplacian, knn_adjacency
from widemargin.kernels import Rbf
from widemargin.labelling import Automatic, Shaking, Starts, Stochastic, Tabu
from widemargin.labelling.path import (
    PathSettings,
    SharedPaths,
    fit_labels,
    follow_path,
    hold_out,
    preferences,
)
from widemargin.labelling.problem import make_problem
from widemargin.labelling.starts import smoothed_start
from widemargin.labels import decide, sign_coding
from widemargin.objectives.class_sizes import Balance
from widemargin.rows import Rows
from widemargin.sample import collect_sample, deal_folds
from widemargin.solvers.result import Status
from widemargin.spaces import FeatureSpace, GramSpace

REG = 0.01


@pytest.fixture
def blobs():
    """Three overlapping classes, 90 rows, 12 labels."""
    X, y = make_blobs(90, centers=3, cluster_std=1.2, random_state=0)
    return X, hide_labels(y, 12, rng=0)


@pytest.fixture
def sample(blobs):
    X, y = blobs
    return collect_sample(Rows(X), y)


@pytest.fixture
def space(sample):
    kernel = Rbf(0.3)
    return GramSpace(kernel(sample.rows.X), kernel, sample.rows).with_constant(1.0)


def settings(**changes):
    """Those of the defaults."""
    plain = PathSettings(
        Rbf(0.3), KnnGraph(), 0.0, Balance(), None, Automatic(), Starts()
    )
    return replace(plain, **changes)


@dataclass(frozen=True)
class Recorded(Stochastic):
    """A search that keeps the problems and starts that it was given."""

    seen: list = field(default_factory=list)

    def improve(self, problem, codes, *args, **options):
        self.seen.append((problem, codes))
        return super().improve(problem, codes, *args, **options)


# The path


def test_path_begins_with_the_labels_alone(blobs, sample, space):
    _, y = blobs
    rng = np.random.default_rng(0)
    path = follow_path(space, sample, REG, (0.3, 1.0), settings(), rng)
    assert (len(path.coordinates), len(path.results)) == (3, 2)
    assert not path.was_interrupted
    labeled = y >= 0
    gram, n = space.gram[np.ix_(labeled, labeled)], labeled.sum()
    c = np.linalg.solve(gram + REG * n * np.eye(n), sign_coding(y[labeled], 3))
    expected = space.gram[:, labeled] @ c
    assert_allclose(space.scores(path.coordinates[0]), expected, atol=1e-8)


def test_each_model_is_that_of_the_labels_it_has_found(blobs, sample, space):
    _, y = blobs
    rng, weights = np.random.default_rng(0), (0.1, 1.0, 3.0)
    path = follow_path(space, sample, REG, weights, settings(), rng)
    for weight, c, result in zip(
        weights, path.coordinates[1:], path.results, strict=True
    ):
        codes = path.class_order[result.solution]
        assert_array_equal(codes[y >= 0], y[y >= 0])
        smoother = space.smoother(sample.loss_weights(weight), REG)
        assert_allclose(space.scores(c), smoother @ sign_coding(codes, 3), atol=1e-7)
    assert_array_equal(path.class_order[path.results[-1].solution], codes)
    assert_allclose(path.problem.smoother.weights, sample.loss_weights(3.0))


def test_each_search_starts_where_the_last_one_ended(sample, space):
    search, rng = Recorded(), np.random.default_rng(0)
    chosen = settings(search=search, starts=Starts("both", 4))
    path = follow_path(space, sample, REG, (0.1, 0.3, 1.0), chosen, rng)
    assert len(search.seen) == 4 + 1 + 1
    for (_, start), result in zip(search.seen[4:], path.results, strict=False):
        assert_array_equal(start, result.solution)


@pytest.mark.parametrize("n_starts", [1, 3])
@pytest.mark.parametrize("kind", ["supervised", "smoothed", "random", "both"])
def test_starts(blobs, sample, space, kind, n_starts):
    """The model of the labels alone, the smoother, chance, the first and chance."""
    _, y = blobs
    smoother = space.smoother(sample.loss_weights(1.0), REG)
    problem = make_problem(sample, Balance(None), None, smoother)
    c = space.fit_rows(sample.label_idx, sample.signs, np.full(12, 1 / 12), REG)
    scores, class_order = space.scores(c), sample.class_order
    preference = preferences(scores, class_order)
    rng = np.random.default_rng(0)
    starts, seeds = Starts(kind, n_starts).make(problem, preference, rng)
    by_labels = np.where(y >= 0, y, decide(scores))
    smoothed = class_order[smoothed_start(problem)]
    assert (by_labels != smoothed).any()
    informed = {
        "supervised": [by_labels],
        "smoothed": [smoothed],
        "random": [],
        "both": [by_labels],
    }[kind]
    n_random = {"random": n_starts, "both": n_starts - 1}.get(kind, 0)
    assert len(starts) == len(informed) + n_random
    for found, expected in zip(starts, informed, strict=False):
        assert_array_equal(class_order[found], expected)
    assert all(problem.is_feasible(s) for s in starts)
    assert len({s.tobytes() for s in starts[len(informed) :]}) == n_random
    assert len(seeds) == len(set(seeds)) == len(starts)


def test_supervised_start_of_two_classes_keeps_the_sizes(blobs):
    """The rows with scores nearest to zero change sides."""
    X, y = blobs
    X, y = X[y != 2], y[y != 2]
    sample = collect_sample(Rows(X), y)
    scores = np.random.default_rng(0).normal(size=(len(y), 1))
    problem = make_problem(sample, Balance("labeled", 0), np.array([0.25, 0.75]))
    codes = problem.preferred_codes(preferences(scores, sample.class_order))
    found = sample.class_order[codes][y < 0]
    n_first = round(0.25 * (y < 0).sum())
    lowest = np.argsort(scores[y < 0, 0])[:n_first]
    assert_array_equal(np.flatnonzero(found == 0), np.sort(lowest))


@pytest.mark.parametrize(
    ("weight", "tabu_rows", "expected"),
    [(0.99, 90, Stochastic()), (1.0, 90, Tabu()), (1.0, 89, Stochastic())],
)
def test_search_that_is_chosen(weight, tabu_rows, expected):
    (found,) = Automatic().for_weights((weight,), 90, tabu_rows=tabu_rows)
    assert found == expected
    assert Shaking().for_weights((weight, 2.0), 90) == [Shaking(), Shaking()]


@pytest.mark.parametrize("low_rank", [False, True])
def test_graph_is_that_of_the_rows(sample, space, low_rank):
    """Of power 3, or 1 where few landmarks cannot follow it."""
    space = FeatureSpace(sample.rows.X) if low_rank else space
    found = settings(intrinsic_reg=0.2).add_graph(space, sample.rows)
    adjacency = knn_adjacency(sample.rows.X, 8, "self-tuned")
    expected = graph_laplacian(adjacency, power=1 if low_rank else 3)
    assert found.intrinsic == 0.2
    assert_allclose(found.laplacian.to_dense(), expected.to_dense())
    assert settings().add_graph(space, sample.rows) is space


def test_shared_paths_are_the_smoothers_of_the_space(sample, space):
    shared, weights = SharedPaths(space), sample.loss_weights(0.5)
    Y = sign_coding(np.arange(90) % 3, 3)
    for reg in (0.1, 0.01):
        expected = space.smoother(weights, reg)
        assert_allclose(shared.smoother(weights, reg) @ Y, expected @ Y, atol=1e-8)
    assert len(shared._paths) == 1


# Held-out labels


def test_scores_are_those_of_labels_that_were_hidden(blobs, sample, space):
    """The first model of the path, refitted without each fold."""
    _, y = blobs
    rng = np.random.default_rng(5)
    scores = hold_out(space, sample, REG, UNLABELED_WEIGHTS, settings(), rng)
    assert scores.shape == (5, 12, 3)
    rng = np.random.default_rng(5)
    n_others = sample.n_unlabeled
    rng.choice(n_others, n_others, replace=False)
    idx = sample.order[y[sample.order] >= 0]
    folds = deal_folds(np.argsort(sample.class_order)[y[idx]], 5, rng)
    for fold in range(5):
        kept, out = idx[folds != fold], idx[folds == fold]
        gram = space.gram[np.ix_(kept, kept)] + REG * len(kept) * np.eye(len(kept))
        c = np.linalg.solve(gram, sign_coding(y[kept], 3))
        places = np.searchsorted(sample.label_idx, out)
        expected = space.gram[np.ix_(out, kept)] @ c
        assert_allclose(scores[0, places], expected, atol=1e-8)


def test_average_is_the_one_rule_with_a_prior_that_falls_along_the_path(sample, space):
    rng = np.random.default_rng(0)
    found = fit_labels(space, sample, REG, "auto", settings(), rng, n_rows=1000)
    rng = np.random.default_rng(0)
    scores = hold_out(space, sample, REG, UNLABELED_WEIGHTS, settings(), rng)
    prior = family_prior(np.zeros(5), PATH_DECAY ** np.arange(5))
    given = sample.codes, prior, sample.label_weights
    average, calibration = average_scores(scores, *given)
    assert_allclose(found.average.weights, average.weights)
    assert found.calibration == calibration
    path = follow_path(space, sample, REG, UNLABELED_WEIGHTS, settings(), rng)
    expected = sum(
        c * one for c, one in zip(average.coef, path.coordinates, strict=True)
    )
    assert_allclose(found.coordinates, expected)


def test_labels_are_held_out_on_a_part_of_many_rows(sample, space):
    search, rng = Recorded(), np.random.default_rng(0)
    hold_out(space, sample, REG, (0.3,), settings(search=search), rng, n_rows=40)
    sizes = [(p.n_samples, len(p.order)) for p, _ in search.seen]
    assert {n for n, _ in sizes} == {40}
    assert {n_movable for _, n_movable in sizes} <= {30, 31}  # 28, and a fold's labels


@dataclass(frozen=True)
class Interrupted(Stochastic):
    """A search during which the user presses Ctrl-C, in a call of some number."""

    n_calls: int = 1
    calls: list = field(default_factory=list)

    def improve(self, *args, **options):
        self.calls.append(1)
        if len(self.calls) == self.n_calls:
            raise KeyboardInterrupt
        return super().improve(*args, **options)


def test_interrupt_of_a_fold_ends_the_holdout(sample, space):
    rng = np.random.default_rng(0)
    chosen = settings(search=Interrupted())
    assert hold_out(space, sample, REG, (0.3, 1.0), chosen, rng) is None


def test_interrupt_between_two_searches_keeps_the_path_until_then(sample, space):
    """While the second smoother is computed."""
    shared, calls = SharedPaths(space), []

    def smoother(weights, reg):
        calls.append(1)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return space.smoother(weights, reg)

    shared.smoother = smoother
    rng = np.random.default_rng(0)
    path = follow_path(shared, sample, REG, (0.3, 1.0), settings(), rng)
    assert path.was_interrupted
    assert (len(path.coordinates), len(path.results)) == (2, 1)
    assert path.results[0].status is Status.INTERRUPTED


# The problem


def test_problem_has_the_labels_and_bounds_of_the_sample(blobs, sample, space):
    _, y = blobs
    shares = np.array([0.5, 0.3, 0.2])
    problem = make_problem(sample, Balance("labeled", 0.05), shares)
    order = sample.class_order
    assert_array_equal(problem.movable, y < 0)
    assert_array_equal(order[problem.given[y >= 0]], y[y >= 0])
    n_given = np.bincount(y[y >= 0], minlength=3)[order]
    lower, upper = Balance("labeled", 0.05).bounds(shares[order], 78)
    assert_array_equal(problem.lower, lower + n_given)
    assert_array_equal(problem.upper, upper + n_given)
    assert_allclose(problem.target, n_given + 78 * shares[order])
    assert_array_equal(problem.order, sample.order[y[sample.order] < 0])


def test_problem_takes_the_shares_of_the_labels(sample):
    problem = make_problem(sample, Balance(), None)
    n_given = np.bincount(sample.codes, minlength=3)
    expected = n_given + 78 * sample.class_shares()
    assert_allclose(problem.target, expected[sample.class_order])
    free = make_problem(sample, Balance(None), None)
    assert_array_equal(free.lower, n_given[sample.class_order])
    assert_array_equal(free.upper, n_given[sample.class_order] + 78)
