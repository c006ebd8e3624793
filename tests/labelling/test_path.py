import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_blobs
from widemargin.estimators._label_path import AUTO_WEIGHTS

from widemargin.datasets import hide_labels
from widemargin.estimators import _label_path, _path_average
from widemargin.estimators._path_average import deal_folds
from widemargin.estimators._reading import read_sample
from widemargin.estimators.label_search_classifier import LabelSearchClassifier
from widemargin.labelling.starts import smoothed_start
from widemargin.labels import decide, sign_coding
from widemargin.spaces.smoother import KernelSpace


@pytest.fixture
def blobs():
    """Three overlapping classes, 90 rows, 12 labels."""
    X, y = make_blobs(90, centers=3, cluster_std=1.2, random_state=0)
    return X, y, hide_labels(y, 12, rng=0)


def prepare(model, X, y):
    """The sample and the space of the machine, as in its fit."""
    model._check_parameters()
    _, _, _, sample = read_sample(model, X, y, None)
    model.classes_ = sample.labels.classes
    kernel = model._make_kernel(sample.X, np.random.default_rng(0))
    space = KernelSpace(kernel(sample.X)).with_constant(1.0)
    return sample, kernel, space


# The path


def test_path_begins_with_the_labels_alone(blobs):
    X, _, y = blobs
    model = LabelSearchClassifier(gamma=0.3)
    sample, _, space = prepare(model, X, y)
    rng = np.random.default_rng(0)
    path, results = model._follow(space, sample, 0.01, (0.3, 1.0), rng)
    assert (len(path), len(results)) == (3, 2)
    labeled = y >= 0
    gram, n = space.gram[np.ix_(labeled, labeled)], labeled.sum()
    c = np.linalg.solve(gram + 0.01 * n * np.eye(n), sign_coding(y[labeled], 3))
    expected = space.gram[:, labeled] @ c
    assert_allclose(space.scores(path[0]), expected, atol=1e-8)


def test_each_machine_is_that_of_the_labels_it_has_found(blobs):
    X, _, y = blobs
    model = LabelSearchClassifier(gamma=0.3)
    sample, _, space = prepare(model, X, y)
    rng = np.random.default_rng(0)
    weights = (0.1, 1.0, 3.0)
    path, results = model._follow(space, sample, 0.01, weights, rng)
    for weight, c, (result, smoother, signs) in zip(
        weights, path[1:], results, strict=True
    ):
        codes = sample.class_order[result.solution]
        assert_array_equal(signs, sign_coding(codes, 3))
        assert_array_equal(codes[y >= 0], y[y >= 0])
        assert_allclose(smoother.weights, sample.loss_weights(weight))
        assert_allclose(space.scores(c), smoother @ signs, atol=1e-7)


def test_each_search_starts_where_the_last_one_ended(blobs, monkeypatch):
    X, _, y = blobs
    model = LabelSearchClassifier(gamma=0.3, start="both", n_restarts=4)
    sample, _, space = prepare(model, X, y)
    seen, run = [], model._run

    def record(problem, strategy, starts, seeds, **options):
        assert len(starts) == len(seeds)
        seen.append(np.array(starts))
        return run(problem, strategy, starts, seeds, **options)

    monkeypatch.setattr(model, "_run", record)
    rng = np.random.default_rng(0)
    _, results = model._follow(space, sample, 0.01, (0.1, 0.3, 1.0), rng)
    assert [len(starts) for starts in seen] == [4, 1, 1]
    for starts, (result, _, _) in zip(seen[1:], results, strict=False):
        assert_array_equal(starts[0], result.solution)


@pytest.mark.parametrize("n_restarts", [1, 3])
@pytest.mark.parametrize("start", ["supervised", "smoothed", "random", "both"])
@pytest.mark.parametrize("unlabeled_weight", [1.0, "auto"])
def test_starts(blobs, start, unlabeled_weight, n_restarts):
    """The machine of the labels alone, the smoother, chance, the first and chance."""
    X, _, y = blobs
    model = LabelSearchClassifier(
        unlabeled_weight=unlabeled_weight,
        start=start,
        n_restarts=n_restarts,
        balance=None,
    )
    sample, _, space = prepare(model, X, y)
    smoother = space.smoother(sample.loss_weights(1.0), 0.01)
    problem = sample.pose(smoother, *model._sizes(sample))
    c = space.fit_rows(
        sample.labels.labeled_idx, sample.labels.signs, np.full(12, 1 / 12), 0.01
    )
    scores = space.scores(c)
    starts, seeds = model._starts(problem, sample, scores, np.random.default_rng(0))
    by_labels = np.where(y >= 0, y, decide(scores))
    smoothed = sample.class_order[smoothed_start(problem)]
    assert (by_labels != smoothed).any()
    informed = {
        "supervised": [by_labels],
        "smoothed": [smoothed],
        "random": [],
        "both": [by_labels],
    }[start]
    n_random = {"random": n_restarts, "both": n_restarts - 1}.get(start, 0)
    assert len(starts) == len(informed) + n_random
    for found, expected in zip(starts, informed, strict=False):
        assert_array_equal(sample.class_order[found], expected)
    assert all(problem.is_feasible(s) for s in starts)
    assert len({s.tobytes() for s in starts[len(informed) :]}) == n_random
    assert len(seeds) == len(set(seeds)) == len(starts)


def test_supervised_start_of_two_classes_keeps_the_sizes(blobs):
    """The rows that the scores are least sure of change sides."""
    X, _, y = blobs
    two = y != 2
    X, y = X[two], y[two]
    model = LabelSearchClassifier(balance={0: 0.25, 1: 0.75}, balance_tolerance=0)
    sample, _, space = prepare(model, X, y)
    scores = np.random.default_rng(0).normal(size=(len(y), 1))
    smoother = space.smoother(sample.loss_weights(1.0), 0.01)
    problem = sample.pose(smoother, *model._sizes(sample))
    starts, _ = model._starts(problem, sample, scores, np.random.default_rng(0))
    found = sample.class_order[starts[0]][y < 0]
    n_first = round(0.25 * (y < 0).sum())
    lowest = np.argsort(scores[y < 0, 0])[:n_first]
    assert_array_equal(np.flatnonzero(found == 0), np.sort(lowest))


@pytest.mark.parametrize(
    ("weight", "rows", "expected"),
    [(0.99, 90, "stochastic"), (1.0, 90, "tabu"), (1.0, 89, "stochastic")],
)
def test_search_that_is_chosen(blobs, monkeypatch, weight, rows, expected):
    X, _, y = blobs
    monkeypatch.setattr(_label_path, "_TABU_ROWS", rows)
    model = LabelSearchClassifier()
    sample, _, space = prepare(model, X, y)
    smoother = space.smoother(sample.loss_weights(1.0), 0.01)
    problem = sample.pose(smoother, *model._sizes(sample))
    assert model._choose_search(problem, weight) == expected
    model.search = "shaking"
    assert model._choose_search(problem, weight) == "shaking"


# The average


def test_errors_are_those_of_labels_that_were_hidden(blobs):
    """The first machine of the path, refitted without each fold."""
    X, _, y = blobs
    model = LabelSearchClassifier(gamma=0.3)
    sample, kernel, space = prepare(model, X, y)
    average = model._average(space, kernel, sample, 0.01, np.random.default_rng(5))
    assert average.unlabeled_weights == (0.0, *AUTO_WEIGHTS)
    rng = np.random.default_rng(5)
    others = sample.n_unlabeled
    rng.choice(others, others, replace=False)
    idx, n_wrong = sample.order[y[sample.order] >= 0], 0
    folds = deal_folds(np.argsort(sample.class_order)[y[idx]], 5, rng)
    for fold in range(5):
        kept, out = idx[folds != fold], idx[folds == fold]
        gram = space.gram[np.ix_(kept, kept)] + 0.01 * len(kept) * np.eye(len(kept))
        c = np.linalg.solve(gram, sign_coding(y[kept], 3))
        n_wrong += (decide(space.gram[np.ix_(out, kept)] @ c) != y[out]).sum()
    assert average.errors[0] == n_wrong


def test_an_error_costs_more_than_two_thirds_and_so_does_each_step(blobs):
    X, _, y = blobs
    model = LabelSearchClassifier(gamma=0.3)
    sample, kernel, space = prepare(model, X, y)
    average = model._average(space, kernel, sample, 0.01, np.random.default_rng(0))
    belief = 0.7 ** np.arange(5) * np.exp(-average.errors)
    assert_allclose(average.weights, belief / belief.sum())


def test_labels_are_held_out_on_a_part_of_many_rows(blobs, monkeypatch):
    X, _, y = blobs
    monkeypatch.setattr(_path_average, "_PANEL_ROWS", 40)
    model = LabelSearchClassifier(gamma=0.3)
    sample, kernel, space = prepare(model, X, y)
    sizes, run = [], model._run

    def record(problem, *args, **options):
        sizes.append((problem.n_samples, len(problem.order)))
        return run(problem, *args, **options)

    monkeypatch.setattr(model, "_run", record)
    model._average(space, kernel, sample, 0.01, np.random.default_rng(0))
    assert {n for n, _ in sizes} == {40}
    assert {n_movable for _, n_movable in sizes} <= {30, 31}  # 28, and a fold's labels


def test_folds_are_searched_quietly(blobs, capsys):
    X, _, y = blobs
    LabelSearchClassifier(verbose=True).fit(X, y)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(AUTO_WEIGHTS)
    assert all(": search 1 of 1: objective" in line for line in lines)


def test_interrupt_of_a_fold_ends_the_average(blobs, monkeypatch):
    X, _, y = blobs
    model = LabelSearchClassifier(gamma=0.3)
    sample, kernel, space = prepare(model, X, y)

    def interrupt(*args):
        raise KeyboardInterrupt

    monkeypatch.setattr(label_search, "random_start", interrupt)
    monkeypatch.setattr("widemargin.labelling.strategies.Stochastic.improve", interrupt)
    rng = np.random.default_rng(0)
    assert model._average(space, kernel, sample, 0.01, rng) is None
