from dataclasses import replace

import numpy as np
import pytest
from label_reference import features_of, rbf_gram
from numpy.testing import assert_allclose, assert_array_equal

from widemargin.graphs import graph_laplacian, knn_adjacency
from widemargin.kernels import Precomputed, Rbf
from widemargin.labelling.path import SharedPaths
from widemargin.rows import GramRows, Rows
from widemargin.spaces import FeatureSpace, GramSpace, linear_space, nystrom_space

N, REG = 30, 0.2


@pytest.fixture
def points(rng):
    return rng.normal(size=(N, 3))


@pytest.fixture
def gram(points):
    return rbf_gram(points)


@pytest.fixture
def laplacian(points):
    return graph_laplacian(knn_adjacency(points, 5, "self-tuned"), normalized=False)


@pytest.fixture
def weights(rng):
    return rng.uniform(0.2, 3.0, N)


@pytest.fixture
def Y(rng):
    return rng.normal(size=(N, 2))


@pytest.fixture(params=["kernel", "features"])
def space(request, gram):
    """The same functions in two ways."""
    if request.param == "kernel":
        return GramSpace(gram)
    return FeatureSpace(features_of(gram))


@pytest.fixture(params=["plain", "constant", "graph", "constant and graph"])
def any_space(request, space, laplacian):
    if "constant" in request.param:
        space = space.with_constant(1.7)
    if "graph" in request.param:
        space = space.with_graph(laplacian, 0.6)
    return space


def kernel_of(space):
    """The kernel of the samples, the constant included."""
    if isinstance(space, GramSpace):
        return space.gram
    return space.features @ space.features.T


def test_kernel_product(any_space, Y):
    assert_allclose(any_space.kernel_product(Y), kernel_of(any_space) @ Y, atol=1e-9)


def ridge(space, weights, reg, Y):
    """Fitted values, written out; weights may be zero."""
    gram = kernel_of(space)
    matrix = weights[:, None] * gram + reg * np.eye(N)
    if space.laplacian is not None:
        matrix += space.intrinsic * space.laplacian.to_dense() @ gram
    return gram @ np.linalg.solve(matrix, weights[:, None] * Y)


def test_smoother_fits_what_the_formula_says(any_space, weights, Y):
    smoother = any_space.smoother(weights, REG)
    expected = ridge(any_space, weights, REG, Y)
    assert_allclose(smoother @ Y, expected, atol=1e-8)
    assert_allclose(any_space.scores(smoother.coordinates(Y)), expected, atol=1e-8)


def test_path_is_the_smoothers_one_by_one(any_space, weights, Y):
    path = any_space.path(weights)
    for reg in (0.05, 1.0, 0.05):
        ours, alone = path(reg), any_space.smoother(weights, reg)
        assert_allclose(ours @ Y, alone @ Y, atol=1e-8)
        assert_allclose(
            any_space.scores(ours.coordinates(Y)),
            any_space.scores(alone.coordinates(Y)),
            atol=1e-8,
        )


def test_fitting_some_rows_leaves_the_others_out(any_space, weights, Y):
    """With a graph they still shape it, and keep a weight of nearly nothing."""
    rows = np.array([3, 17, 8, 25, 0, 11])
    c = any_space.fit_rows(rows, Y[rows], weights[rows], REG)
    alone = np.zeros(N)
    alone[rows] = weights[rows]
    expected = ridge(any_space, alone, REG, Y)
    assert_allclose(any_space.scores(c), expected, atol=1e-4)
    if any_space.laplacian is None:
        assert_allclose(any_space.scores(c), expected, atol=1e-9)


def test_fitting_all_rows_is_the_smoother(any_space, weights, Y):
    c = any_space.fit_rows(np.arange(N), Y, weights, REG)
    smoother = any_space.smoother(weights, REG)
    assert_allclose(any_space.scores(c), smoother @ Y, atol=1e-7)


def test_coefficients_of_rows_that_are_left_out_are_zero(gram, weights, Y):
    rows = np.array([3, 17, 8])
    c = GramSpace(gram).fit_rows(rows, Y[rows], weights[rows], REG)
    assert_array_equal(np.flatnonzero(c.any(axis=1)), [3, 8, 17])


def test_mean_diagonal_is_the_scale_of_the_kernel(space, rng):
    assert_allclose(space.mean_diagonal(), 1.0)  # of a Gaussian kernel
    features = rng.normal(size=(N, 4))
    expected = (features**2).sum(axis=1).mean()
    assert_allclose(FeatureSpace(features).mean_diagonal(), expected)
    assert_allclose(GramSpace(features @ features.T).mean_diagonal(), expected)


def test_constant_is_added_to_the_kernel(space, gram):
    assert_allclose(kernel_of(space.with_constant(2.5)), gram + 2.5, atol=1e-9)
    assert_allclose(kernel_of(space), gram, atol=1e-9)  # the space itself stays


@pytest.mark.parametrize("kind", ["gram", "landmarks", "linear"])
@pytest.mark.parametrize("constant", [0.0, 1.7])
def test_function_has_the_scores_of_its_coordinates(points, weights, Y, kind, constant):
    """Kernel functions, landmarks or weights, plus the constant."""
    rows, kernel = Rows(points), Rbf(0.5)
    space = {
        "gram": lambda: GramSpace(kernel(points), kernel, rows),
        "landmarks": lambda: nystrom_space(kernel, rows, np.arange(0, N, 3)),
        "linear": lambda: linear_space(rows),
    }[kind]()
    space = space.with_constant(constant) if constant else space
    c = space.smoother(weights, REG).coordinates(Y)
    function = space.to_function(c)
    assert function.intercept.shape == (2,)
    assert_allclose(function(points), space.scores(c), atol=1e-7)
    assert (function.intercept != 0).all() == bool(constant)
    function.check(points.shape[1])


def test_landmarks_of_a_gram_matrix_are_those_of_the_rows(points, weights, Y):
    kernel, idx = Rbf(0.5), np.array([20, 3, 11, 7])
    gram = kernel(points)
    direct = nystrom_space(kernel, Rows(points), idx)
    given = nystrom_space(Precomputed(), GramRows(gram), idx)
    expected = direct.kernel_product(Y)
    assert_allclose(given.kernel_product(Y), expected, atol=1e-9)
    c = given.smoother(weights, REG).coordinates(Y)
    assert_allclose(given.to_function(c)(gram), given.scores(c), atol=1e-7)


def test_constant_takes_up_the_mean(space, weights):
    """Targets that are all the same need no kernel function when it costs much."""
    smoother = space.with_constant(100.0).smoother(weights, 1.0)
    assert_allclose(smoother @ np.ones((N, 1)), 1.0, atol=0.02)


def test_graph_is_left_behind_by_a_part(any_space):
    rows = np.array([4, 1, 20, 9])
    part = any_space.part(rows)
    assert part.laplacian is None
    assert part.constant == any_space.constant
    assert_allclose(kernel_of(part), kernel_of(any_space)[np.ix_(rows, rows)])
    assert type(part) is type(any_space)


def test_part_of_the_features_has_the_same_coordinates(gram, Y, weights):
    space, rows = FeatureSpace(features_of(gram)).with_constant(1.0), np.arange(5)
    c = space.smoother(weights, REG).coordinates(Y)
    assert_allclose(space.part(rows).scores(c), space.scores(c)[rows])


def test_graph_joins_the_penalty_once(space, laplacian, weights, Y):
    """A second one replaces the first."""
    twice = space.with_graph(laplacian, 5.0).with_graph(laplacian, 0.6)
    once = space.with_graph(laplacian, 0.6)
    assert_allclose(twice.smoother(weights, REG) @ Y, once.smoother(weights, REG) @ Y)


def test_single_precision_is_kept(any_space, weights, Y):
    name = "gram" if isinstance(any_space, GramSpace) else "features"
    single = replace(any_space, **{name: getattr(any_space, name).astype(np.float32)})
    smoother = single.smoother(weights, REG)
    assert smoother.matrix.dtype == np.float32
    c = any_space.smoother(weights, REG).coordinates(Y)
    assert single.scores(c).dtype == np.float32
    assert_allclose(single.scores(c), any_space.scores(c), atol=1e-3)
    exact = any_space.smoother(weights, REG) @ Y
    assert_allclose(smoother @ Y.astype(np.float32), exact, atol=1e-3)
    rows = np.arange(0, N, 3)
    few = single.fit_rows(rows, Y[rows], weights[rows], REG)
    exact = any_space.scores(any_space.fit_rows(rows, Y[rows], weights[rows], REG))
    assert_allclose(any_space.scores(few), exact, atol=1e-3)


def test_constant_keeps_single_precision(gram):
    for space in (
        GramSpace(gram.astype(np.float32)),
        FeatureSpace(features_of(gram).astype(np.float32)),
    ):
        assert kernel_of(space.with_constant(0.3)).dtype == np.float32


def test_shared_paths_are_the_space(any_space, weights, Y, rng):
    shared, other = SharedPaths(any_space), rng.uniform(0.2, 3.0, N)
    for w, reg in [(weights, 0.1), (other, 0.1), (weights, 2.0), (weights, 0.1)]:
        ours, alone = shared.smoother(w, reg), any_space.smoother(w, reg)
        assert_allclose(ours @ Y, alone @ Y, atol=1e-8)
    c = alone.coordinates(Y)
    rows = np.array([2, 5, 11])
    assert_array_equal(shared.scores(c), any_space.scores(c))
    assert_array_equal(
        shared.fit_rows(rows, Y[rows], weights[rows], REG),
        any_space.fit_rows(rows, Y[rows], weights[rows], REG),
    )
    assert_array_equal(kernel_of(shared.part(rows)), kernel_of(any_space.part(rows)))


def test_shared_paths_work_once_for_the_same_weights(gram, weights):
    made = []

    class Counted(GramSpace):
        def path(self, weights):
            made.append(1)
            return super().path(weights)

    shared = SharedPaths(Counted(gram))
    for reg in (0.1, 1.0, 10.0):
        shared.smoother(weights.copy(), reg)
    assert len(made) == 1
    shared.smoother(2 * weights, 0.1)
    assert len(made) == 2
