import numpy as np
import pytest
from numpy.testing import assert_allclose

from widemargin.graphs import KnnGraph
from widemargin.kernels import Rbf
from widemargin.rows import Rows
from widemargin.spaces import nystrom_space
from widemargin.spaces.bases import graph_basis
from widemargin.spaces.graph_features import GraphFeatureSpace

REMAINDER = 0.3


@pytest.fixture
def rows(rng):
    return Rows(rng.normal(size=(60, 3)))


@pytest.fixture
def landmarks(rows):
    return nystrom_space(Rbf(0.5), rows, np.arange(0, 60, 6))


@pytest.fixture
def basis(rows):
    graph = KnnGraph(n_neighbors=5)
    return graph_basis(rows, Rbf(0.5), graph, rows.adjacency(graph, Rbf(0.5)), 8)


@pytest.fixture
def space(landmarks, basis):
    return GraphFeatureSpace.join(landmarks, basis, REMAINDER)


def test_kernel_is_that_of_landmarks_and_a_remainder_on_the_span(
    space, landmarks, basis
):
    both = np.hstack([landmarks.features, basis.spectrum.vectors])
    projector = both @ np.linalg.pinv(both)
    expected = landmarks.features @ landmarks.features.T + REMAINDER * projector
    assert_allclose(space.features @ space.features.T, expected, atol=1e-10)


def test_without_a_remainder_only_landmarks_are_left(landmarks, basis):
    space = GraphFeatureSpace.join(landmarks, basis, 0.0)
    expected = landmarks.features @ landmarks.features.T
    assert_allclose(space.features @ space.features.T, expected, atol=1e-10)


def test_functions_that_are_the_same_twice_change_nothing(basis, rows):
    """Eigenvectors in the span of as many landmarks as rows add no feature."""
    every = nystrom_space(Rbf(0.5), rows, np.arange(60))
    space = GraphFeatureSpace.join(every, basis, REMAINDER)
    assert space.n_coordinates <= 60
    expected = every.features @ every.features.T + REMAINDER * np.eye(60)
    assert_allclose(space.features @ space.features.T, expected, atol=1e-8)


@pytest.mark.parametrize("constant", [0.0, 1.7])
def test_fitted_function_has_the_scores_of_the_rows(space, rows, rng, constant):
    space = space.with_constant(constant) if constant else space
    c = rng.normal(size=(space.n_coordinates, 2))
    function = space.to_function(c, intercept=0.4)
    assert_allclose(function(rows.X), space.scores(c) + 0.4, atol=1e-8)
