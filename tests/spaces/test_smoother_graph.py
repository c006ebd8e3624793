import numpy as np
import pytest
from label_reference import rbf_gram
from numpy.testing import assert_allclose, assert_array_equal

from widemargin.graphs import graph_laplacian, knn_adjacency
from widemargin.kernels import Rbf
from widemargin.spaces.deformed import Deformed
from widemargin.spaces.smoother import DenseSmoother, GraphPenalty, GraphSmoother

INTRINSIC = 0.7


@pytest.fixture
def points(rng):
    return rng.normal(size=(30, 3))


@pytest.fixture(params=[1, 2])
def laplacian(request, points):
    adjacency = knn_adjacency(points, 5, "self-tuned")
    return graph_laplacian(adjacency, normalized=False, power=request.param)


@pytest.fixture(params=["regular", "singular"])
def gram(request, points):
    return points @ points.T if request.param == "singular" else rbf_gram(points)


@pytest.fixture
def weights(rng):
    return rng.uniform(0.2, 3.0, 30)


@pytest.fixture(params=[0.02, 3.0])
def reg(request):
    return request.param


@pytest.fixture
def Y(rng):
    return rng.normal(size=(30, 2))


def graph_coefficients(gram, weights, reg, laplacian, Y):
    """The minimum over the coefficients c of f = K c, K singular or not.

    W (K c - Y) + reg c + intrinsic L K c = 0.
    """
    matrix = weights[:, None] * gram + reg * np.eye(len(gram))
    matrix += INTRINSIC * laplacian.to_dense() @ gram
    return np.linalg.solve(matrix, weights[:, None] * Y)


def test_penalty_holds_the_inverse(laplacian, weights):
    penalty = GraphPenalty(laplacian, weights, INTRINSIC)
    expected = np.linalg.inv(np.diag(weights) + INTRINSIC * laplacian.to_dense())
    assert_allclose(penalty.inverse, expected, atol=1e-9)
    assert_allclose(penalty.inverse, penalty.inverse.T, rtol=1e-13)


def test_fitted_values_are_the_direct_formula(gram, weights, reg, laplacian, Y):
    penalty = GraphPenalty(laplacian, weights, INTRINSIC)
    smoother = GraphSmoother(penalty, gram, reg)
    c = graph_coefficients(gram, weights, reg, laplacian, Y)
    assert_allclose(smoother @ Y, gram @ c, atol=1e-8)
    assert not smoother.low_rank
    assert smoother.matrix.flags.c_contiguous


def test_coordinates_are_those_of_the_minimum(gram, weights, reg, laplacian, Y):
    """No other function is cheaper: the gradient of loss and penalties vanishes."""
    smoother = GraphSmoother(GraphPenalty(laplacian, weights, INTRINSIC), gram, reg)
    c = smoother.coordinates(Y)
    fit = gram @ c
    assert_allclose(fit, smoother @ Y, atol=1e-8)
    slope = weights[:, None] * (fit - Y) + reg * c + INTRINSIC * (laplacian @ fit)
    assert_allclose(gram @ slope, 0.0, atol=1e-7)


def test_weighted_smoother_is_symmetric_and_has_no_negative_eigenvalue(
    gram, weights, reg, laplacian
):
    smoother = GraphSmoother(GraphPenalty(laplacian, weights, INTRINSIC), gram, reg)
    assert_allclose(smoother.matrix, smoother.matrix.T, rtol=1e-13, atol=1e-15)
    assert np.linalg.eigvalsh(smoother.matrix).min() > -1e-12
    assert_allclose(smoother.weighted_diagonal, np.diagonal(smoother.matrix))


def test_minimum_is_what_the_weighted_smoother_gives(gram, weights, reg, laplacian, Y):
    """Loss and penalties at the best function add up to y'W y - y'A y."""
    y = Y[:, :1]
    smoother = GraphSmoother(GraphPenalty(laplacian, weights, INTRINSIC), gram, reg)
    c = graph_coefficients(gram, weights, reg, laplacian, y)
    fit = gram @ c
    cost = (weights[:, None] * (y - fit) ** 2).sum() + reg * (c * fit).sum()
    cost += INTRINSIC * (fit * (laplacian @ fit)).sum()
    by_smoother = (weights[:, None] * y**2).sum() - (
        y * smoother.weighted_product(y)
    ).sum()
    assert_allclose(by_smoother, cost, rtol=1e-8)


def test_weight_zero_of_the_graph_is_the_plain_kernel(gram, weights, reg, laplacian, Y):
    ours = GraphSmoother(GraphPenalty(laplacian, weights, 0.0), gram, reg)
    plain = DenseSmoother(gram, weights, reg)
    assert_allclose(ours.matrix, plain.matrix, atol=1e-9)
    assert_allclose(gram @ ours.coordinates(Y), gram @ plain.coordinates(Y), atol=1e-7)


def test_it_is_the_plain_smoother_of_the_deformed_kernel(
    points, weights, reg, laplacian
):
    """A graph in the penalty is a graph in the kernel."""
    gram = Rbf(0.5)(points)
    deformed = Deformed(Rbf(0.5), points, laplacian, INTRINSIC / reg)(points)
    ours = GraphSmoother(GraphPenalty(laplacian, weights, INTRINSIC), gram, reg)
    plain = DenseSmoother(deformed, weights, reg)
    assert_allclose(ours.matrix, plain.matrix, atol=1e-7)


def test_a_heavy_graph_makes_neighbors_agree(points, weights, laplacian, Y):
    gram = rbf_gram(points)
    roughness = [
        np.vdot(fit, laplacian @ fit)
        for fit in (
            GraphPenalty(laplacian, weights, intrinsic).path(gram)(0.1) @ Y
            for intrinsic in (0.0, 1.0, 100.0)
        )
    ]
    assert roughness[0] > 2 * roughness[1] > 4 * roughness[2]


def test_one_penalty_serves_all_kernels_and_weights_of_the_norm(
    points, weights, laplacian
):
    """It is not used up, and nothing that was given is changed."""
    penalty, gram = GraphPenalty(laplacian, weights, INTRINSIC), rbf_gram(points)
    before = gram.copy(), weights.copy(), penalty.inverse.copy()
    first = penalty.path(gram)(0.1).matrix.copy()
    penalty.path(points @ points.T)(2.0)
    again = penalty.path(gram)
    again(5.0)
    assert_array_equal(again(0.1).matrix, first)
    for array, copy in zip((gram, weights, penalty.inverse), before, strict=True):
        assert_array_equal(array, copy)


def test_single_precision(points, weights, laplacian, Y):
    penalty, gram = GraphPenalty(laplacian, weights, INTRINSIC), rbf_gram(points)
    double, single = (
        GraphSmoother(penalty, gram.astype(dtype), 0.1)
        for dtype in (np.float64, np.float32)
    )
    assert single.matrix.dtype == single.weights.dtype == np.float32
    assert_allclose(single.matrix, double.matrix, atol=1e-5)
    fit = gram @ single.coordinates(Y)
    assert_allclose(fit, gram @ double.coordinates(Y), atol=1e-3)


def test_leave_one_out_is_refitting_with_hardly_any_weight(points, laplacian, Y):
    """The point stays in the graph, its label is gone."""
    gram, weights = rbf_gram(points), np.full(30, 0.5)
    ours = GraphPenalty(laplacian, weights, INTRINSIC).path(gram)(0.1).leave_one_out(Y)
    for i in (0, 13, 29):
        without = weights.copy()
        without[i] = 1e-9
        refit = GraphPenalty(laplacian, without, INTRINSIC).path(gram)(0.1)
        assert_allclose(ours[i], (refit @ Y)[i], atol=1e-6)
