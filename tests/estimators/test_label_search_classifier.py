import os
import signal
import threading
import warnings
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_iris, make_blobs
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics.pairwise import rbf_kernel

from widemargin.datasets import hide_labels, make_two_moons
from widemargin.defaults import Ladder
from widemargin.estimators.label_search_classifier import LabelSearchClassifier
from widemargin.graphs import KnnGraph, graph_laplacian, knn_adjacency
from widemargin.kernels import Nystrom, Polynomial, Rbf
from widemargin.labelling import Evolution, Shaking, Starts, Stochastic, Tabu
from widemargin.labels import sign_coding
from widemargin.objectives.class_sizes import Balance, nearest_sizes
from widemargin.solvers.result import Status

SEARCHES = ["tabu", "evolution", "shaking", "steepest", "stochastic"]


@pytest.fixture
def two():
    """Two overlapping classes of 60 samples, ten labels."""
    X, y = make_blobs(60, centers=[[0, 0], [3, 1]], random_state=0)
    return X, y, hide_labels(y, 10, rng=0)


@pytest.fixture
def three():
    """Three overlapping classes of 90 samples, twelve labels."""
    X, y = make_blobs(90, centers=[[0, 0], [3, 1], [0, 4]], random_state=0)
    return X, y, hide_labels(y, 12, rng=0)


@pytest.fixture(params=["two", "three"])
def classes(request):
    """Both of them."""
    return request.getfixturevalue(request.param)


@pytest.fixture
def apart():
    """Two classes far from each other, four labels."""
    X, y = make_blobs(80, centers=[[0, 0], [9, 0]], random_state=0)
    return X, y, hide_labels(y, 4, rng=0)


def loss_weights(y_partial, unlabeled_weight):
    """Of each row: labeled ones add up to one, the others to their weight."""
    labeled = y_partial >= 0
    return np.where(
        labeled, 1 / labeled.sum(), unlabeled_weight / max(1, (~labeled).sum())
    )


def as_columns(scores):
    return scores[:, None] if scores.ndim == 1 else scores


# What it learns


def test_default_is_right_where_classes_are_apart(apart):
    X, y, y_partial = apart
    model = LabelSearchClassifier().fit(X, y_partial)
    assert_array_equal(model.transduction_, y)
    assert_array_equal(model.predict(X), y)


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("start", ["supervised", "random", "both"])
def test_every_search_is_right_where_classes_are_apart(apart, search, start):
    X, y, y_partial = apart
    model = LabelSearchClassifier(
        unlabeled_weight=1.0,
        search=search,
        start=Starts(start, 5),
        balance=Balance(tolerance=0.2),
        random_state=0,
    )
    assert_array_equal(model.fit(X, y_partial).transduction_, y)


@pytest.mark.parametrize("search", ["tabu", "shaking"])
def test_smoothed_start_is_right_where_classes_are_apart(apart, search):
    X, y, y_partial = apart
    model = LabelSearchClassifier(
        unlabeled_weight=1.0,
        search=search,
        start="smoothed",
        balance=Balance(tolerance=0.2),
        random_state=0,
    )
    assert_array_equal(model.fit(X, y_partial).transduction_, y)


def test_unlabeled_rows_help_where_classes_are_long(rng):
    """Two stripes with one label each, at opposite ends."""
    X = np.column_stack([rng.uniform(0, 6, 200), np.repeat([0.0, 2.0], 100)])
    X[:, 1] += 0.1 * rng.normal(size=200)
    y = np.repeat([0, 1], 100)
    ends = X[:100, 0].argmin(), 100 + X[100:, 0].argmax()
    y_partial = np.full(200, -1)
    y_partial[list(ends)] = 0, 1
    kernel = Rbf(0.18)
    alone = LabelSearchClassifier(kernel=kernel, unlabeled_weight=1e-9, balance=None)
    alone.fit(X, y_partial)
    balance = Balance(tolerance=0.1)
    both = LabelSearchClassifier(
        kernel=kernel, unlabeled_weight=1.0, balance=balance, random_state=0
    )
    both.fit(X, y_partial)
    assert both.score(X, y) == 1.0 > 0.9 > alone.score(X, y)


def test_graph_finds_the_moons():
    X, y = make_two_moons(200, noise=0.06, random_state=0)
    y_partial = hide_labels(y, 4, rng=1)
    options = {
        "unlabeled_weight": 0.1,
        "kernel": Rbf(4.0),
        "balance": Balance(tolerance=0.1),
    }
    plain = LabelSearchClassifier(**options).fit(X, y_partial)
    graph = LabelSearchClassifier(intrinsic_reg=0.1, **options).fit(X, y_partial)
    assert graph.score(X, y) > 0.98 > plain.score(X, y)


@pytest.mark.parametrize("n_labeled", [8, 40])
def test_average_on_data_that_mislead(rng, n_labeled):
    """Classes across the clusters: the labels alone get the largest weight."""
    X = rng.choice([-3.0, 3.0], size=(160, 2)) + 0.3 * rng.normal(size=(160, 2))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    model = LabelSearchClassifier(random_state=0).fit(
        X, hide_labels(y, n_labeled, rng=0)
    )
    assert np.isfinite(model.decision_function(X)).all()
    if n_labeled == 40:
        assert model.score(X, y) > 0.95


# The average


def test_average_of_the_path(three):
    X, _, y_partial = three
    model = LabelSearchClassifier().fit(X, y_partial)
    average = model.average_
    assert model.unlabeled_weights_[0] == 0
    assert (np.diff(model.unlabeled_weights_) > 0).all()
    assert_allclose(average.weights.sum(), 1.0)
    assert (average.weights >= 0).all()
    assert len(average.weights) == len(average.errors) == 5
    assert len(model.unlabeled_weights_) == 5
    assert ((average.errors >= 0) & (average.errors <= 1)).all()
    assert average.n_held_out == 12
    assert_allclose(model.held_out_proba_.sum(axis=1), 1.0)
    assert len(repr(average)) < 500


def test_numbers_are_not_averaged(three):
    X, _, y_partial = three
    model = LabelSearchClassifier(unlabeled_weight=0.5).fit(X, y_partial)
    assert model.average_ is None
    assert model.held_out_proba_ is None
    assert model.unlabeled_weights_ == (0.5,)
    assert model.result_.objective == model.objective_


def test_labels_of_the_average_are_its_predictions(three):
    X, _, y_partial = three
    model = LabelSearchClassifier().fit(X, y_partial)
    unlabeled = y_partial == -1
    assert_array_equal(model.transduction_[unlabeled], model.predict(X[unlabeled]))


def test_one_label_a_class_cannot_be_left_out(apart):
    X, y, _ = apart
    model = LabelSearchClassifier().fit(X, hide_labels(y, 2, rng=0))
    assert_array_equal(model.average_.errors, 0)
    assert (np.diff(model.average_.weights) < 0).all()
    assert_array_equal(model.transduction_, y)


# Special cases


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("kernel", ["rbf", "poly"])
def test_all_rows_labeled_is_kernel_ridge(classes, fit_intercept, kernel):
    X, y, _ = classes
    value = {"rbf": Rbf(0.3), "poly": Polynomial(0.3, 2, 0.5)}[kernel]
    model = LabelSearchClassifier(
        kernel=value,
        ambient_reg=0.02,
        unlabeled_weight=1.0,
        fit_intercept=fit_intercept,
    ).fit(X, y)
    plain = {"rbf": rbf_kernel(X, gamma=0.3), "poly": (0.3 * X @ X.T + 0.5) ** 2}
    gram = plain[kernel]
    scale = gram.diagonal().mean()
    gram = gram + scale if fit_intercept else gram
    ridge = KernelRidge(alpha=0.02 * scale * len(X), kernel="precomputed")
    ridge.fit(gram, sign_coding(y, len(np.unique(y))))
    expected = as_columns(ridge.predict(gram))
    assert_allclose(as_columns(model.decision_function(X)), expected, atol=1e-7)
    assert (model.function_.intercept != 0).all() == fit_intercept
    assert_array_equal(model.transduction_, y)
    assert model.result_.status is Status.CONVERGED
    automatic = LabelSearchClassifier(
        kernel=value, ambient_reg=0.02, fit_intercept=fit_intercept
    )
    assert_allclose(
        as_columns(automatic.fit(X, y).decision_function(X)), expected, atol=1e-7
    )
    assert automatic.average_ is None


@pytest.mark.parametrize("intrinsic_reg", [0.0, 0.1])
def test_unlabeled_rows_without_weight_are_not_there(classes, intrinsic_reg):
    """Except in the graph."""
    X, _, y_partial = classes
    labeled, n_classes = y_partial >= 0, y_partial.max() + 1
    options = {"kernel": Rbf(0.3), "ambient_reg": 0.02, "graph": KnnGraph(5)}
    model = LabelSearchClassifier(
        unlabeled_weight=1e-9, intrinsic_reg=intrinsic_reg, **options
    ).fit(X, y_partial)
    weights = np.where(labeled, 1 / labeled.sum(), 0.0)
    gram = rbf_kernel(X, gamma=0.3) + 1.0
    matrix = weights[:, None] * gram + 0.02 * np.eye(len(X))
    if intrinsic_reg:
        laplacian = graph_laplacian(knn_adjacency(X, 5, "self-tuned"), power=3)
        matrix += intrinsic_reg * laplacian.to_dense() @ gram
    targets = sign_coding(y_partial, n_classes) * labeled[:, None]
    c = np.linalg.solve(matrix, weights[:, None] * targets)
    assert_allclose(as_columns(model.decision_function(X)), gram @ c, atol=1e-5)
    if not intrinsic_reg:
        alone = LabelSearchClassifier(**options).fit(X[labeled], y_partial[labeled])
        assert_allclose(
            model.decision_function(X), alone.decision_function(X), atol=1e-5
        )


SPACES = {
    "dense": {},
    "no constant": {"fit_intercept": False},
    "graph": {"intrinsic_reg": 0.05},
    "all landmarks": {"landmarks": 1000},
    "landmarks": {"landmarks": 15},
    "landmarks and graph": {"landmarks": 15, "intrinsic_reg": 0.05},
    "linear": {"kernel": "linear"},
    "linear and graph": {"kernel": "linear", "intrinsic_reg": 0.05},
}


@pytest.mark.parametrize("options", SPACES.values(), ids=SPACES)
def test_scores_are_the_smoother_times_the_labels_that_were_found(classes, options):
    X, _, y_partial = classes
    fixed = {"kernel": Rbf(0.3), "ambient_reg": 0.01, "unlabeled_weight": 0.7}
    model = LabelSearchClassifier(random_state=0, **(fixed | options))
    model.fit(X, y_partial)
    kernel = model.function_.kernel
    gram = kernel(X)
    if "landmarks" in options and options["landmarks"] < len(X):
        cross = kernel(X, model.function_.points)
        gram = (
            cross
            @ np.linalg.pinv(kernel(model.function_.points), rcond=1e-10)
            @ cross.T
        )
    scale = gram.diagonal().mean()
    if model.fit_intercept:
        gram = gram + scale
    weights = loss_weights(y_partial, 0.7)
    matrix = weights[:, None] * gram + 0.01 * scale * np.eye(len(X))
    if model.intrinsic_reg:
        is_low_rank = "landmarks" in options or "kernel" in options
        laplacian = graph_laplacian(
            knn_adjacency(X, 8, "self-tuned"), power=1 if is_low_rank else 3
        )
        matrix += 0.05 * laplacian.to_dense() @ gram
    signs = sign_coding(model.transduction_, y_partial.max() + 1)
    expected = gram @ np.linalg.solve(matrix, weights[:, None] * signs)
    scores = as_columns(model.decision_function(X))
    assert_allclose(scores, expected, atol=1e-5)
    direct = model.function_(X)
    assert_allclose(scores, direct, atol=1e-9)


@pytest.mark.parametrize("search", ["tabu", "stochastic", "shaking"])
@pytest.mark.parametrize("intrinsic_reg", [0.0, 0.05])
def test_all_rows_as_landmarks_are_the_exact_model(three, search, intrinsic_reg):
    X, _, y_partial = three
    model = LabelSearchClassifier(
        kernel=Rbf(0.3),
        unlabeled_weight=1.0,
        search=search,
        intrinsic_reg=intrinsic_reg,
        graph=KnnGraph(power=1),
        random_state=0,
    )
    exact = clone(model).fit(X, y_partial)
    nystrom = model.set_params(landmarks=1000).fit(X, y_partial)
    assert_array_equal(nystrom.transduction_, exact.transduction_)
    assert_allclose(nystrom.decision_function(X), exact.decision_function(X), atol=1e-3)


def test_linear_kernel_is_kept_by_its_weights(three):
    X, _, y_partial = three
    model = LabelSearchClassifier(kernel="linear", unlabeled_weight=1.0)
    model.fit(X, y_partial)
    assert model.function_.points.shape == (3, 2)
    wide = clone(model).set_params(landmarks=1000, random_state=0).fit(X, y_partial)
    assert_array_equal(wide.transduction_, model.transduction_)
    assert_allclose(wide.decision_function(X), model.decision_function(X), atol=1e-6)


def test_many_rows_get_landmarks_unless_set_otherwise(three):
    X, _, y_partial = three

    class Small(LabelSearchClassifier):
        ladder = Ladder(exact_rows=80, n_landmarks=20)

    model = Small(random_state=0)
    assert len(model.fit(X, y_partial).function_.points) == 20
    assert len(model.fit(X[:80], y_partial[:80]).function_.points) == 80
    model.set_params(landmarks=None)
    assert len(model.fit(X, y_partial).function_.points) == 90


def test_precomputed_kernel_is_the_kernel(three):
    X, _, y_partial = three
    options = {"unlabeled_weight": 1.0, "search": "tabu", "random_state": 0}
    gram, new = rbf_kernel(X, gamma=0.3), X[:40] + 0.1
    direct = LabelSearchClassifier(kernel=Rbf(0.3), **options).fit(X, y_partial)
    for landmarks in (None, 1000):
        given = LabelSearchClassifier(
            kernel="precomputed", landmarks=landmarks, **options
        ).fit(gram, y_partial)
        assert_array_equal(given.transduction_, direct.transduction_)
        assert_allclose(
            given.decision_function(rbf_kernel(new, X, gamma=0.3)),
            direct.decision_function(new),
            atol=1e-3 if landmarks else 1e-8,
        )


def test_precomputed_kernel_with_the_defaults_and_weights_of_zero(apart):
    X, y, y_partial = apart
    weights = np.where((np.arange(80) % 5 == 0) & (y_partial < 0), 0.0, 1.0)
    gram = rbf_kernel(X, gamma=0.3)
    for options in ({}, {"intrinsic_reg": 0.01}, {"landmarks": 30}):
        model = LabelSearchClassifier(kernel="precomputed", random_state=0, **options)
        model.fit(gram, y_partial, sample_weight=weights)
        assert_array_equal(model.transduction_, y)
        assert_array_equal(model.predict(gram), y)


# Class sizes


@settings(deadline=None, max_examples=25)
@given(st.data())
def test_tolerance_zero_gives_the_nearest_sizes_and_keeps_labels(data):
    seed = data.draw(st.integers(0, 99))
    n_classes = data.draw(st.integers(2, 4))
    search = data.draw(st.sampled_from(SEARCHES))
    rng = np.random.default_rng(seed)
    y = rng.integers(-1, n_classes, size=30)
    y[:n_classes] = np.arange(n_classes)
    parts = data.draw(
        st.lists(st.integers(0, 9), min_size=n_classes, max_size=n_classes).filter(any)
    )
    shares = np.array(parts) / sum(parts)
    model = LabelSearchClassifier(
        unlabeled_weight=1.0,
        balance=Balance(dict(enumerate(shares)), tolerance=0),
        search=search,
        random_state=seed,
    ).fit(rng.normal(size=(30, 2)), y)
    labeled = y >= 0
    assert_array_equal(model.transduction_[labeled], y[labeled])
    sizes = np.bincount(model.transduction_[~labeled], minlength=n_classes)
    exact, wanted = nearest_sizes(shares, (~labeled).sum()), shares * (~labeled).sum()
    assert sizes.sum() == exact.sum()
    assert_allclose(np.sort(np.abs(sizes - wanted)), np.sort(np.abs(exact - wanted)))


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("landmarks", [None, 20])
def test_tolerance_is_strict(three, search, landmarks):
    """Shares that the data do not have, within 0.05, searched from both sides."""
    X, _, y_partial = three
    for shares in ([0.6, 0.2, 0.2], [0.1, 0.45, 0.45]):
        model = LabelSearchClassifier(
            unlabeled_weight=1.0,
            balance=Balance(dict(enumerate(shares)), tolerance=0.05),
            search=search,
            landmarks=landmarks,
            random_state=0,
        ).fit(X, y_partial)
        found = model.transduction_[y_partial < 0]
        assert (np.abs(np.bincount(found, minlength=3) / 78 - shares) < 0.05).all()


def test_automatic_tolerance_is_a_factor_and_none_is_free(rng):
    """Labels of equal shares on data of one large and one small cluster."""
    X = np.repeat([[0.0, 0.0], [6.0, 0.0]], [90, 10], axis=0)
    X = X + 0.5 * rng.normal(size=X.shape)
    y = np.repeat([0, 1], [90, 10])
    y_partial = np.full(100, -1)
    y_partial[[0, 1, 2, 90, 91, 92]] = 0, 0, 0, 1, 1, 1
    model = LabelSearchClassifier(unlabeled_weight=1.0)
    sizes = np.bincount(model.fit(X, y_partial).transduction_[y_partial < 0])
    assert sizes[1] >= np.floor(94 * 0.5 / 1.5)
    free = clone(model).set_params(balance=None).fit(X, y_partial)
    assert_array_equal(free.transduction_, y)


@pytest.mark.parametrize(
    "balance",
    [
        {0: 0.5, 1: 0.5},
        {0: 0.5, 1: 0.3, 2: 0.3},
        {0: 0.5, 1: 0.3, 2: 0.2, 3: 0.0},
        {0: 0.5, 1: 0.7, 2: -0.2},
        {"0": 0.5, "1": 0.3, "2": 0.2},
        {0: 0.5, 1: 0.5, 2: float("nan")},
        {0: 0.5, 1: 0.5, 2: "a"},
        {0: "0.5", 1: 0.3, 2: 0.2},
        {0: None, 1: 0.5, 2: 0.5},
        {7: 1.0},
        {},
    ],
)
@pytest.mark.parametrize("unlabeled_weight", [1.0, "auto"])
@pytest.mark.parametrize("is_all_labeled", [False, True])
def test_wrong_shares_are_refused(three, balance, unlabeled_weight, is_all_labeled):
    """Even where there is nothing to search."""
    X, y, y_partial = three
    model = LabelSearchClassifier(balance=balance, unlabeled_weight=unlabeled_weight)
    with pytest.raises(ValueError, match="balance of LabelSearchClassifier") as caught:
        model.fit(X, y if is_all_labeled else y_partial)
    assert f"got {balance!r}" in str(caught.value)
    assert "[0, 1, 2]" in str(caught.value)


def test_shares_by_name(three):
    X, _, y_partial = three
    names = np.array(["b", "c", "a", None], dtype=object)[y_partial]
    shares = {"a": 0.2, "b": 0.5, "c": 0.3}
    model = LabelSearchClassifier(
        unlabeled_weight=1.0, balance=Balance(shares, tolerance=0)
    ).fit(X, names)
    found = model.transduction_[y_partial < 0].tolist()
    assert [found.count(name) for name in "abc"] == [16, 39, 23]


def test_given_labels_survive_whatever_they_are(three, rng):
    X, y, _ = three
    y_partial = hide_labels(rng.permutation(y), 30, rng=0)  # labels of chance
    labeled = y_partial >= 0
    for unlabeled_weight in ("auto", 0.1, 3.0):
        model = LabelSearchClassifier(unlabeled_weight=unlabeled_weight)
        model.fit(X, y_partial)
        assert_array_equal(model.transduction_[labeled], y_partial[labeled])
        assert (model.predict(X)[labeled] != y_partial[labeled]).any()


# Invariances


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("start", ["supervised", "smoothed", "random", "both"])
def test_order_of_rows_and_names_of_classes_do_not_matter(classes, search, start):
    X, _, y_partial = classes
    model = LabelSearchClassifier(
        unlabeled_weight=1.0, search=search, start=Starts(start, 2), random_state=3
    )
    plain = clone(model).fit(X, y_partial)
    rng = np.random.default_rng(0)
    for _ in range(3):
        order, names = rng.permutation(len(X)), rng.permutation(y_partial.max() + 1)
        renamed = np.where(y_partial >= 0, names[y_partial], -1)
        other = clone(model).fit(X[order], renamed[order])
        assert_array_equal(other.transduction_, names[plain.transduction_][order])
        assert_array_equal(other.predict(X), names[plain.predict(X)])
        assert_allclose(other.objective_, plain.objective_, rtol=1e-9)


def test_default_does_not_depend_on_order_of_rows_and_names_of_classes(classes):
    X, _, y_partial = classes
    plain = LabelSearchClassifier(random_state=0).fit(X, y_partial)
    rng = np.random.default_rng(1)
    for _ in range(5):
        order, names = rng.permutation(len(X)), rng.permutation(y_partial.max() + 1)
        renamed = np.where(y_partial >= 0, names[y_partial], -1)
        other = LabelSearchClassifier(random_state=0).fit(X[order], renamed[order])
        assert_array_equal(other.average_.errors, plain.average_.errors)
        assert_allclose(other.average_.weights, plain.average_.weights)
        assert_array_equal(other.transduction_, names[plain.transduction_][order])
        assert_array_equal(other.predict(X), names[plain.predict(X)])
        assert_allclose(
            other.predict_proba(X)[:, names], plain.predict_proba(X), atol=1e-6
        )


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("unlabeled_weight", [1.0, "auto"])
def test_shuffled_gram_matrix_only_shuffles_the_result(three, search, unlabeled_weight):
    X, _, y_partial = three
    gram, rng = rbf_kernel(X, gamma=0.3), np.random.default_rng(0)
    model = LabelSearchClassifier(
        kernel="precomputed",
        unlabeled_weight=unlabeled_weight,
        search=search,
        start=Starts("random", 1),
        random_state=0,
    )
    plain = clone(model).fit(gram, y_partial)
    for _ in range(3):
        order = rng.permutation(90)
        other = clone(model).fit(gram[np.ix_(order, order)], y_partial[order])
        assert_array_equal(other.transduction_, plain.transduction_[order])
        assert_allclose(
            other.decision_function(gram[:, order]),
            plain.decision_function(gram),
            atol=1e-7,
        )


@pytest.mark.parametrize("unlabeled_weight", [1.0, "auto"])
def test_names_that_sort_alike_do_not_matter(three, unlabeled_weight):
    X, _, y_partial = three
    model = LabelSearchClassifier(unlabeled_weight=unlabeled_weight, random_state=0)
    plain = clone(model).fit(X, y_partial)
    missing = y_partial == -1
    floats = np.where(missing, np.nan, y_partial + 1.0)
    strings = np.array(["ant", "bee", "cat", None], dtype=object)[y_partial]
    for y, names in [
        (floats, [1.0, 2.0, 3.0]),
        (strings, ["ant", "bee", "cat"]),
        (pd.Series(strings), ["ant", "bee", "cat"]),
        (pd.Series(strings).astype("category"), ["ant", "bee", "cat"]),
        (pd.Series(y_partial, dtype="Int64").replace(-1, pd.NA), [0, 1, 2]),
        (strings.tolist(), ["ant", "bee", "cat"]),
    ]:
        other = clone(model).fit(X, y)
        assert other.classes_.tolist() == names
        assert_array_equal(other.transduction_, np.array(names)[plain.transduction_])
        assert_array_equal(other.predict(X), np.array(names)[plain.predict(X)])
        assert_allclose(other.predict_proba(X), plain.predict_proba(X), atol=1e-12)


def test_data_frames(three):
    X, _, y_partial = three
    frame = pd.DataFrame(X, columns=["a", "b"])
    model = LabelSearchClassifier(random_state=0).fit(frame, y_partial)
    assert model.feature_names_in_.tolist() == ["a", "b"]
    plain = LabelSearchClassifier(random_state=0).fit(X, y_partial)
    assert_array_equal(model.predict(frame), plain.predict(X))
    for fitted in LabelSearchClassifier(random_state=0).fit_path(
        frame, y_partial, ambient_reg=[0.01, 0.1]
    ):
        assert fitted.feature_names_in_.tolist() == ["a", "b"]
        assert fitted.n_features_in_ == 2


@pytest.mark.parametrize("search", SEARCHES)
def test_jobs_do_not_matter(three, search):
    X, _, y_partial = three
    model = LabelSearchClassifier(
        unlabeled_weight=1.0, search=search, start=Starts("both", 4), random_state=0
    )
    alone = clone(model).fit(X, y_partial)
    side_by_side = clone(model).set_params(n_jobs=3).fit(X, y_partial)
    assert_array_equal(side_by_side.transduction_, alone.transduction_)
    assert_array_equal(side_by_side.function_.coef, alone.function_.coef)
    assert side_by_side.result_.history["found"] == alone.result_.history["found"]
    assert len(alone.result_.history["found"]) == 4


def test_seeds_make_it_repeatable_and_matter(rng):
    """One descent from chance on data of chance."""
    X, y = rng.normal(size=(60, 5)), hide_labels(rng.integers(2, size=60), 4, rng=0)
    model = LabelSearchClassifier(
        unlabeled_weight=1.0, search="stochastic", start=Starts("random", 1)
    )

    def found(seed):
        return clone(model).set_params(random_state=seed).fit(X, y).transduction_

    assert_array_equal(found(1), found(1))
    assert_array_equal(found(np.random.default_rng(5)), found(5))
    assert (found(1) != found(2)).any()
    model.set_params(random_state=4)
    assert_array_equal(model.fit(X, y).transduction_, model.fit(X, y).transduction_)


def test_more_restarts_are_never_worse(rng):
    X, y = rng.normal(size=(60, 5)), hide_labels(rng.integers(3, size=60), 6, rng=0)
    values = [
        LabelSearchClassifier(
            unlabeled_weight=1.0,
            search="stochastic",
            start=Starts("random", n),
            random_state=0,
        )
        .fit(X, y)
        .objective_
        for n in (1, 20)
    ]
    assert values[1] < values[0]


@pytest.mark.slow
def test_units_do_not_matter(three):
    """Neither of the features nor, for a linear kernel, of the kernel."""
    X, _, y_partial = three
    for kernel in ("rbf", "linear"):
        model = LabelSearchClassifier(kernel=kernel, unlabeled_weight=1.0)
        one = clone(model).fit(X, y_partial).decision_function(X)
        other = clone(model).fit(1000 * X, y_partial).decision_function(1000 * X)
        assert_allclose(other, one, rtol=1e-5, atol=1e-8)


# Weights of samples


@pytest.mark.parametrize("unlabeled_weight", [1.0, "auto"])
def test_copies_of_labeled_rows_are_weights(three, unlabeled_weight):
    X, _, y_partial = three
    times = np.where((np.arange(90) % 2 == 0) & (y_partial >= 0), 3, 1)
    model = LabelSearchClassifier(
        unlabeled_weight=unlabeled_weight, kernel=Rbf(0.3), random_state=0
    )
    weighted = clone(model).fit(X, y_partial, sample_weight=times)
    repeated = clone(model).fit(np.repeat(X, times, axis=0), y_partial.repeat(times))
    assert_array_equal(repeated.transduction_, weighted.transduction_.repeat(times))
    assert_allclose(
        weighted.decision_function(X), repeated.decision_function(X), atol=1e-8
    )
    assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), atol=1e-6)
    plain = clone(model).fit(X, y_partial)
    assert (
        np.abs(weighted.decision_function(X) - plain.decision_function(X)).max() > 1e-3
    )


@pytest.mark.parametrize("unlabeled_weight", [1.0, "auto"])
def test_weight_zero_is_absence(three, unlabeled_weight):
    X, _, y_partial = three
    weights = np.ones(90)
    weights[::4] = 0
    model = LabelSearchClassifier(unlabeled_weight=unlabeled_weight, random_state=0)
    zero = clone(model).fit(X, y_partial, sample_weight=weights)
    without = clone(model).fit(X[weights > 0], y_partial[weights > 0])
    assert_allclose(zero.decision_function(X), without.decision_function(X), atol=1e-8)
    assert_array_equal(zero.transduction_[weights > 0], without.transduction_)
    assert_array_equal(zero.transduction_[::4], zero.predict(X[::4]))


def test_only_ratios_of_weights_count(three):
    X, _, y_partial = three
    model = LabelSearchClassifier(unlabeled_weight=1.0)
    one = clone(model).fit(X, y_partial).decision_function(X)
    weights = np.where(y_partial >= 0, 7.0, 0.2)
    other = clone(model).fit(X, y_partial, sample_weight=weights).decision_function(X)
    assert_allclose(other, one, atol=1e-8)


def test_a_row_with_two_labels_is_allowed(three):
    X, _, y_partial = three
    X, y = np.vstack([X, X[:1], X[:1]]), np.append(y_partial, [1, 2])
    for unlabeled_weight in (1.0, "auto"):
        model = LabelSearchClassifier(unlabeled_weight=unlabeled_weight).fit(X, y)
        assert_array_equal(model.transduction_[-2:], [1, 2])


def test_bad_weights_are_refused(three):
    X, _, y_partial = three
    with pytest.raises(ValueError, match=r"must have shape \(90,\).* got \(3,\)"):
        LabelSearchClassifier().fit(X, y_partial, sample_weight=[1, 2, 3])
    with pytest.raises(ValueError, match=r"finite, >= 0 and not all zero, got .* -1"):
        LabelSearchClassifier().fit(X, y_partial, sample_weight=-np.ones(90))


# Paths


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"search": "stochastic", "start": Starts("random", 2)},
        {"landmarks": 20},
        {"intrinsic_reg": 0.05},
        {"kernel": "linear"},
    ],
)
def test_path_is_the_models_fitted_one_by_one(three, options):
    X, _, y_partial = three
    weights = np.where(np.arange(90) % 7 == 0, 2.0, 1.0)
    model = LabelSearchClassifier(random_state=5, **options)
    models = model.fit_path(
        X,
        y_partial,
        ambient_reg=[1e-3, 0.1],
        unlabeled_weight=[0.2, 2.0, "auto"],
        sample_weight=weights,
    )
    pairs = [(w, a) for w in (0.2, 2.0, "auto") for a in (1e-3, 0.1)]
    assert [(m.unlabeled_weight, m.ambient_reg) for m in models] == pairs
    for fitted, (weight, ambient) in zip(models, pairs, strict=True):
        alone = clone(model).set_params(unlabeled_weight=weight, ambient_reg=ambient)
        alone.fit(X, y_partial, sample_weight=weights)
        assert_array_equal(fitted.transduction_, alone.transduction_)
        assert_allclose(
            fitted.decision_function(X), alone.decision_function(X), atol=1e-6
        )
        assert_allclose(fitted.predict_proba(X), alone.predict_proba(X), atol=1e-6)
        assert_allclose(fitted.objective_, alone.objective_, rtol=1e-6)
    assert not hasattr(model, "function_")


def test_path_takes_the_weight_of_the_estimator(three):
    X, _, y_partial = three
    model = LabelSearchClassifier(unlabeled_weight=0.4)
    models = model.fit_path(X, y_partial, ambient_reg=(0.01, 0.1))
    assert [m.unlabeled_weight for m in models] == [0.4, 0.4]


def test_bad_weights_of_a_path_are_refused_before_any_fit(three):
    X, _, y_partial = three
    with pytest.raises(ValueError, match=r"ambient_reg of LabelSearchClassifier .* -1"):
        LabelSearchClassifier().fit_path(X, y_partial, ambient_reg=[0.1, -1.0])
    with pytest.raises(ValueError, match=r"unlabeled_weight of .* > 0, got 0"):
        LabelSearchClassifier().fit_path(
            X, y_partial, ambient_reg=[0.1], unlabeled_weight=[1.0, 0]
        )


# Types of input


@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly", "laplacian", "cosine"])
@pytest.mark.parametrize("landmarks", [None, 20])
def test_sparse_rows_are_dense_rows(kernel, landmarks):
    X, y = load_iris(return_X_y=True)
    rng = np.random.default_rng(0)
    X = X[::2] * rng.uniform(0.9, 1.1, (75, 4)) * (rng.random((75, 4)) < 0.9)
    y_partial = hide_labels(y[::2], 15, rng=0)
    options = {"kernel": kernel, "landmarks": landmarks, "random_state": 0}
    model = LabelSearchClassifier(unlabeled_weight=0.5, **options)
    dense = clone(model).fit(X, y_partial)
    thin = clone(model).fit(sparse.csr_matrix(X), y_partial)
    assert_array_equal(thin.transduction_, dense.transduction_)
    assert_allclose(
        thin.decision_function(sparse.csr_array(X)),
        dense.decision_function(X),
        atol=1e-6,
    )


@pytest.mark.parametrize("options", SPACES.values(), ids=SPACES)
@pytest.mark.parametrize("unlabeled_weight", [1.0, "auto"])
def test_single_precision_agrees(three, options, unlabeled_weight):
    X, _, y_partial = three
    X32 = X.astype(np.float32)
    model = LabelSearchClassifier(
        unlabeled_weight=unlabeled_weight, random_state=0, **options
    )
    double = clone(model).fit(X32.astype(np.float64), y_partial)
    single = clone(model).fit(X32, y_partial)
    assert (single.transduction_ != double.transduction_).mean() < 0.03
    assert np.isfinite(single.decision_function(X32)).all()
    if model.kernel == "rbf" and model.landmarks == "auto":
        assert single.function_.points.dtype == np.float32
        assert single.decision_function(X32).dtype == np.float32


def test_kernel_functions_of_the_user(three):
    X, _, y_partial = three
    model = LabelSearchClassifier(kernel=rbf_own, unlabeled_weight=1.0)
    named = LabelSearchClassifier(kernel=Rbf(0.3), unlabeled_weight=1.0).fit(
        X, y_partial
    )
    assert_allclose(
        model.fit(X, y_partial).decision_function(X),
        named.decision_function(X),
        atol=1e-8,
    )


def rbf_own(X, Z):
    return rbf_kernel(X, Z, gamma=0.3)


# Probabilities


@pytest.mark.parametrize("unlabeled_weight", [1.0, "auto"])
def test_probabilities_are_of_the_predicted_class(classes, unlabeled_weight):
    X, _, y_partial = classes
    model = LabelSearchClassifier(unlabeled_weight=unlabeled_weight).fit(X, y_partial)
    probabilities = model.predict_proba(X)
    assert probabilities.shape == (len(X), len(model.classes_))
    assert_allclose(probabilities.sum(axis=1), 1.0)
    most = model.classes_[probabilities.argmax(axis=1)]
    assert_array_equal(most, model.predict(X))
    assert_allclose(model.predict_log_proba(X), np.log(probabilities), atol=1e-10)


def test_slope_follows_the_labels(apart):
    """Steep where labels that are left out are foreseen, flat where they are not."""
    X, y, _ = apart
    right = hide_labels(y, 30, rng=0)
    chance = np.where(right >= 0, np.random.default_rng(0).integers(2, size=80), -1)
    slopes = [
        LabelSearchClassifier(unlabeled_weight=0.1).fit(X, labels).calibration_.slope
        for labels in (right, chance)
    ]
    assert slopes[0] > 3.0 > slopes[1]


@pytest.mark.parametrize("unlabeled_weight", [0.1, "auto"])
def test_slope_follows_the_labels_if_all_rows_have_one(apart, unlabeled_weight):
    X, y, _ = apart
    chance = np.random.default_rng(0).integers(2, size=80)
    model = LabelSearchClassifier(unlabeled_weight=unlabeled_weight)
    slopes = [clone(model).fit(X, labels).calibration_.slope for labels in (y, chance)]
    assert slopes[0] > 3.0 > slopes[1]
    y_partial = np.append(y, -1)  # nearly the same
    nearly = LabelSearchClassifier(unlabeled_weight=1e-9)
    nearly.fit(np.vstack([X, X[:1] + 0.1]), y_partial)
    assert_allclose(nearly.calibration_.slope, slopes[0], rtol=0.02)


# Small and degenerate data


@pytest.mark.parametrize("unlabeled_weight", [1.0, "auto"])
def test_few_rows(unlabeled_weight):
    model = LabelSearchClassifier(unlabeled_weight=unlabeled_weight)
    X = np.array([[0.0], [5.0], [0.3], [4.6]])
    assert model.fit(X[:2], ["a", "b"]).predict(X).tolist() == ["a", "b", "a", "b"]
    model.fit(X[:3], [0, 1, -1])
    assert_array_equal(model.transduction_, [0, 1, 0])
    model.fit(X, [0, 1, -1, -1])
    assert_array_equal(model.transduction_, [0, 1, 0, 1])


@pytest.mark.parametrize("unlabeled_weight", [1.0, "auto"])
@pytest.mark.parametrize("landmarks", [None, 5])
def test_rows_that_are_all_the_same(unlabeled_weight, landmarks):
    y = np.r_[0, 1, 2, np.full(17, -1)]
    model = LabelSearchClassifier(
        unlabeled_weight=unlabeled_weight, landmarks=landmarks, random_state=0
    ).fit(np.ones((20, 2)), y)
    assert_array_equal(model.transduction_[:3], [0, 1, 2])
    assert np.isfinite(model.predict_proba(np.ones((2, 2)))).all()


def test_linear_kernel_of_zeros_says_why_not():
    y = np.r_[0, 1, np.full(8, -1)]
    for options in ({}, {"landmarks": 3}):
        model = LabelSearchClassifier(kernel="linear", **options)
        with pytest.raises(ValueError, match="positive diagonal, got 0 on average"):
            model.fit(np.zeros((10, 2)), y)


def test_failed_fit_is_not_a_fit(three):
    X, _, _ = three
    model = LabelSearchClassifier()
    with pytest.raises(ValueError, match="at least two labeled classes"):
        model.fit(X, np.full(90, -1))
    with pytest.raises(NotFittedError):
        model.predict(X)


# Progress and interrupts


def test_result_of_the_search(three):
    X, _, y_partial = three
    model = LabelSearchClassifier(
        unlabeled_weight=1.0, start=Starts("both", 3), random_state=0
    ).fit(X, y_partial)
    assert model.result_.status is Status.CONVERGED
    assert len(model.result_.history["found"]) == 3
    assert model.n_iter_ == max(1, sum(model.result_.history["moves"]))
    assert len(repr(model.result_)) < 300


def test_fit_is_silent_when_all_is_well(three, capsys):
    X, _, y_partial = three
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        LabelSearchClassifier().fit(X, y_partial)
    assert capsys.readouterr().out == ""


def test_verbose_prints_progress(three, capsys):
    X, _, y_partial = three
    LabelSearchClassifier(
        unlabeled_weight=1.0, start=Starts("both", 3), verbose=True
    ).fit(X, y_partial)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3
    for i, line in enumerate(lines):
        assert line.startswith(f"LabelSearchClassifier: search {i + 1}: objective")
        assert line.endswith("moves per second")


def test_folds_are_searched_quietly(three, capsys):
    X, _, y_partial = three
    LabelSearchClassifier(verbose=True).fit(X, y_partial)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 4
    assert all(": search 1: objective" in line for line in lines)


CALLS = []


@dataclass(frozen=True)
class Interrupted(Stochastic):
    """A search during which the user presses Ctrl-C, in a call of some number."""

    n_calls: int = 1

    def improve(self, *args, **options):
        CALLS.append(1)
        if len(CALLS) == self.n_calls:
            raise KeyboardInterrupt
        return super().improve(*args, **options)


@pytest.mark.parametrize("n_labeled", [3, 12])
@pytest.mark.parametrize("n_calls", [1, 2])
@pytest.mark.parametrize("unlabeled_weight", [0.5, "auto"])
def test_interrupt_keeps_a_usable_model(three, n_labeled, n_calls, unlabeled_weight):
    """In a fold, with twelve labels, and on the path."""
    X, y, _ = three
    y_partial = hide_labels(y, n_labeled, rng=0)
    CALLS.clear()
    model = LabelSearchClassifier(
        unlabeled_weight=unlabeled_weight,
        search=Interrupted(n_calls),
        start="both",
        random_state=0,
    )
    with (
        pytest.warns(ConvergenceWarning, match="interrupted; the best result so far"),
        pytest.raises(KeyboardInterrupt),  # a loop around the fit must end
    ):
        model.fit(X, y_partial)
    assert model.result_.status is Status.INTERRUPTED
    assert np.isfinite(model.predict_proba(X)).all()
    labeled = y_partial >= 0
    assert_array_equal(model.transduction_[labeled], y_partial[labeled])
    assert model.score(X, y) > 0.4


SENT = []


@dataclass(frozen=True)
class Signaled(Tabu):
    """A search that gets a signal soon after the first one has begun."""

    def improve(self, problem, codes, *args, **options):
        if not SENT:
            SENT.append(1)
            pid = os.getpid()
            threading.Timer(0.1, os.kill, (pid, signal.SIGINT)).start()
        return super().improve(problem, codes, *args, **options)


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.slow
def test_signal_ends_a_long_search(rng, n_jobs, interruptible):
    X = rng.normal(size=(1500, 3))
    y = hide_labels(rng.integers(4, size=1500), 40, rng=0)
    LabelSearchClassifier(  # compiles the loops
        unlabeled_weight=1.0, search="tabu", landmarks=50
    ).fit(X[:200], y[:200])
    SENT.clear()
    model = LabelSearchClassifier(
        unlabeled_weight=1.0,
        search=Signaled(),
        start=Starts("random", 1000),
        landmarks=200,
        n_jobs=n_jobs,
        random_state=0,
    )
    with (
        pytest.warns(ConvergenceWarning, match="interrupted; the best result so far"),
        pytest.raises(KeyboardInterrupt),
    ):
        model.fit(X, y)
    assert len(model.result_.history["found"]) < 1000
    assert_array_equal(model.transduction_[y >= 0], y[y >= 0])
    assert model.predict(X).shape == (1500,)


# Bad input


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kernel": "gauss"}, "must be one of .* got 'gauss'"),
        ({"graph": "tree"}, "must be one of 'knn' or a Graph value, got 'tree'"),
        ({"ambient_reg": 0}, "must be a number > 0, got 0"),
        ({"ambient_reg": float("inf")}, "must be a number > 0, got inf"),
        ({"ambient_reg": "auto"}, "must be a number > 0, got 'auto'"),
        ({"unlabeled_weight": 0.0}, "must be a number > 0, got 0.0"),
        ({"unlabeled_weight": "yes"}, "must be 'auto' or a number > 0, got 'yes'"),
        ({"unlabeled_weight": True}, "must be a number > 0, got True"),
        ({"intrinsic_reg": -0.1}, "must be a number >= 0, got -0.1"),
        ({"intrinsic_reg": "auto"}, "must be a number >= 0, got 'auto'"),
        ({"fit_intercept": "yes"}, "must be one of True, False, got 'yes'"),
        ({"balance": "all"}, "must be 'labeled', 'equal', None, a dict .* 'all'"),
        ({"search": "annealing"}, "must be one of 'auto', .* got 'annealing'"),
        (
            {"start": "kmeans"},
            "must be one of 'supervised', 'smoothed', .* got 'kmeans'",
        ),
        ({"landmarks": 0}, "must be 'auto', None, a whole number >= 1 or .* got 0"),
        ({"landmarks": "many"}, "must be 'auto', None, a whole .* got 'many'"),
        ({"n_jobs": 0}, "must be None, a number of threads, or -1 .* got 0"),
        ({"n_jobs": "x"}, "must be a whole number.* got 'x'"),
        ({"n_jobs": 1.5}, "must be a whole number.* got 1.5"),
    ],
)
def test_bad_parameter_is_named_with_its_value(three, options, message):
    X, _, y_partial = three
    (name,) = options
    message = f"{name} of LabelSearchClassifier {message}"
    with pytest.raises(ValueError, match=message):
        LabelSearchClassifier(**options).fit(X, y_partial)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Rbf(-1.0), "gamma of Rbf must be a number > 0, got -1.0"),
        (lambda: KnnGraph(0), "n_neighbors of KnnGraph must be .* >= 1, got 0"),
        (lambda: KnnGraph(power=0), "power of KnnGraph must be .*, got 0"),
        (lambda: Balance(tolerance=-0.1), "tolerance of Balance .* >= 0, got -0.1"),
        (lambda: Starts("both", 0), "n_starts of Starts must be .* >= 1, got 0"),
        (lambda: Evolution(0), "population of Evolution must be .* >= 1, got 0"),
        (lambda: Evolution(5, 1.5), "offspring of Evolution must be .* got 1.5"),
        (lambda: Shaking(n_reshakes=-1), "n_reshakes of Shaking .* >= 0, got -1"),
        (lambda: Shaking(size_floor=1.5), "size_floor of Shaking .* 0 to 1, got 1.5"),
        (lambda: Tabu(0.0), "steps_per_sample of Tabu must be .* > 0, got 0.0"),
        (lambda: Nystrom(0), "n_landmarks of Nystrom must be .* >= 1, got 0"),
    ],
)
def test_bad_field_of_a_value_is_named_where_it_is_made(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_fields_of_values_can_be_set(three):
    X, _, y_partial = three
    model = LabelSearchClassifier(search="shaking", start="both")
    model.set_params(search__n_reshakes=2, start__n_starts=3, kernel__gamma=0.3)
    model.set_params(balance__tolerance=0.3, graph__n_neighbors=5)
    assert model.search == Shaking(n_reshakes=2)
    assert model.start == Starts("both", 3)
    assert model.balance == Balance("labeled", 0.3)
    assert model.get_params()["kernel"] == Rbf(0.3)
    again = clone(model).set_params(unlabeled_weight=1.0, random_state=0)
    assert again.fit(X, y_partial).function_.kernel == Rbf(0.3)
    assert len(again.result_.history["found"]) == 3


def test_equal_shares_are_one_of_the_balances(three):
    X, _, y_partial = three
    balance = Balance("equal", tolerance=0)
    model = LabelSearchClassifier(unlabeled_weight=1.0, balance=balance)
    found = model.fit(X, y_partial).transduction_[y_partial < 0]
    assert_array_equal(np.bincount(found), [26, 26, 26])


def test_bad_random_state_is_named_with_its_value(three):
    X, _, y_partial = three
    with pytest.raises(ValueError, match=r"random_state.* must be .* got -1"):
        LabelSearchClassifier(random_state=-1).fit(X, y_partial)


def test_precomputed_kernel_must_be_square_and_symmetric(three, rng):
    X, _, y_partial = three
    model = LabelSearchClassifier(kernel="precomputed")
    with pytest.raises(ValueError, match=r"square Gram matrix .* got shape \(90, 2\)"):
        model.fit(X, y_partial)
    with pytest.raises(ValueError, match="must be symmetric, got entries that differ"):
        model.fit(rng.random((90, 90)), y_partial)
    with pytest.raises(ValueError, match="not positive semi-definite"):
        model.set_params(unlabeled_weight=1.0).fit(
            -rbf_kernel(X) + 1.1 * np.eye(90), y_partial
        )


def test_average_keeps_the_shares_that_are_asked_for():
    X, y = make_blobs(120, centers=2, cluster_std=3.0, random_state=0)
    y_partial = np.where(np.arange(120) < 10, y, -1)
    model = LabelSearchClassifier(
        balance=Balance({0: 0.75, 1: 0.25}, tolerance=0), random_state=0
    ).fit(X, y_partial)
    counts = np.bincount(model.transduction_[10:])
    assert counts.tolist() in ([82, 28], [83, 27])


def test_scale_of_the_labels_weights_does_not_matter():
    X, y = make_blobs(120, centers=3, cluster_std=3.0, random_state=0)
    y_partial = np.where(np.arange(120) < 15, y, -1)
    plain = LabelSearchClassifier(random_state=0).fit(X, y_partial)
    weights = np.where(y_partial < 0, 1.0, 1000.0)
    heavy = clone(plain).fit(X, y_partial, sample_weight=weights)
    assert_array_equal(heavy.average_.errors, plain.average_.errors)
    assert_allclose(heavy.decision_function(X), plain.decision_function(X), atol=1e-8)


@pytest.mark.parametrize("regs", [[], ()])
def test_path_of_nothing_is_refused(regs):
    with pytest.raises(ValueError, match="fit_path needs at least one ambient_reg"):
        LabelSearchClassifier().fit_path(np.eye(4), [0, 1, -1, -1], ambient_reg=regs)
