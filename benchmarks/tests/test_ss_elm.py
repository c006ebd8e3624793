import numpy as np
import pytest
from numpy.testing import assert_allclose

from widemargin.datasets import hide_labels, make_two_moons
from widemargin.graphs import KnnGraph, graph_laplacian
from widemargin_bench.ss_elm import RandomLayer, SemiSupervisedELM, output_weights


@pytest.fixture
def problem(rng):
    X = rng.standard_normal((30, 4))
    costs = np.where(np.arange(30) < 8, rng.uniform(0.5, 3.0, 30), 0.0)
    targets = np.sign(rng.standard_normal((30, 2)))
    laplacian = graph_laplacian(KnnGraph(5).adjacency(X)) @ np.eye(30)
    return X, targets, costs, laplacian


@pytest.mark.parametrize("n_hidden", [6, 50])
@pytest.mark.parametrize("smoothing", [0.0, 0.3])
def test_output_weights_are_those_of_one_least_squares_problem(
    problem, rng, n_hidden, smoothing
):
    """With the root of the Laplacian all three terms are squares of one system."""
    X, targets, costs, laplacian = problem
    hidden = RandomLayer.draw(4, n_hidden, rng)(X)
    found = output_weights(hidden, targets, costs, laplacian, smoothing)
    values, vectors = np.linalg.eigh(laplacian)
    root = np.sqrt(np.maximum(values, 0.0))[:, None] * vectors.T
    system = np.vstack(
        [
            np.eye(n_hidden),
            np.sqrt(costs)[:, None] * hidden,
            np.sqrt(smoothing) * root @ hidden,
        ]
    )
    right = np.zeros((len(system), 2))
    right[n_hidden : n_hidden + 30] = np.sqrt(costs)[:, None] * targets
    expected = np.linalg.lstsq(system, right, rcond=None)[0]
    assert_allclose(found, expected, atol=1e-8)


def test_graph_helps_where_classes_are_curves():
    X, y = make_two_moons(300, noise=0.05, random_state=0)
    y_partial = hide_labels(y, 6, rng=0)
    errors = [
        np.mean(SemiSupervisedELM(10.0, weight).fit(X, y_partial).predict(X) != y)
        for weight in (0.0, 1.0)
    ]
    assert errors[1] < 0.8 * errors[0]
