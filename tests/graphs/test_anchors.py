"""Anchors: the graph that all rows make of a few points."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.linalg import eigh

from widemargin.datasets import make_two_moons
from widemargin.defaults import ANCHORS
from widemargin.graphs import AnchorGraph, find_anchors, graph_laplacian
from widemargin.graphs import cells as cells_module


@pytest.fixture
def X(rng):
    return make_two_moons(400, noise=0.1, random_state=0)[0]


def make_graph(X, **changes):
    anchors = find_anchors(X, len(X), rule=ANCHORS._replace(**changes))
    return AnchorGraph.of(anchors, anchors.count(X), len(X))


def test_weights_of_a_row_add_up_to_one_and_fall_with_the_distance(X):
    anchors = find_anchors(X, len(X))
    weights = anchors.weights(X).toarray()
    assert_allclose(weights.sum(axis=1), 1.0)
    distances = np.linalg.norm(X[:, None] - anchors.points, axis=2)
    nearest = np.argsort(distances, axis=1)[:, :3]
    assert_array_equal(np.argsort(-weights, axis=1, kind="stable")[:, :3], nearest)
    assert ((weights > 0).sum(axis=1) == 3).all()


def test_edges_are_sums_over_blocks_of_rows(X):
    anchors = find_anchors(X, len(X))
    parts = [
        anchors.count(X[part]) for part in (slice(50), slice(50, 51), slice(51, None))
    ]
    assert_allclose(sum(parts).toarray(), anchors.count(X).toarray(), atol=1e-12)
    assert anchors.count(X[:0]).nnz == 0


def test_eigenvectors_of_the_anchors_are_those_of_the_graph_between_all_rows(X):
    """Z D^-1/2 v is an eigenvector of Z D^-1 Z^T, whose rows add up to one."""
    graph = make_graph(X)
    Z, degrees = graph.anchors.weights(X).toarray(), graph.degrees
    assert_allclose(degrees, Z.sum(axis=0))
    between = Z @ np.diag(1 / degrees) @ Z.T
    assert_allclose(between.sum(axis=1), 1.0)
    values, vectors = eigh(graph_laplacian(graph.edges).matrix.toarray())
    functions = Z @ (vectors / np.sqrt(degrees)[:, None])
    assert_allclose(between @ functions, functions * (1 - values), atol=1e-10)


def test_anchors_without_rows_are_left_out(X):
    anchors = find_anchors(X, len(X))
    far = X[:10] + 100.0
    points = np.vstack([anchors.points, far])
    anchors = type(anchors)(points, 3)
    graph = AnchorGraph.of(anchors, anchors.count(X), len(X))
    assert len(graph.anchors) <= len(points) - len(far)
    assert (graph.degrees > 0).all()


def test_copies_of_rows_make_one_anchor():
    X = np.repeat([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [5.0, 5.0]], 30, axis=0)
    graph = make_graph(X)
    assert len(graph.anchors) == 4
    assert sparse.issparse(graph.edges)
    assert np.isfinite(graph.edges.data).all()


def test_many_centers_are_found_by_an_index(X, monkeypatch):
    """The clustering is nearly as tight as that with exact assignments."""

    def spread(anchors):
        return np.linalg.norm(X[:, None] - anchors.points, axis=2).min(axis=1).mean()

    exact = find_anchors(X, len(X))
    limits = cells_module.EXACT_NEIGHBORS._replace(rows=50)
    monkeypatch.setattr(cells_module, "EXACT_NEIGHBORS", limits)
    found = find_anchors(X, len(X))
    assert not np.array_equal(found.points, exact.points) or len(found) == len(exact)
    assert spread(found) < 1.1 * spread(exact)
