import numpy as np
import pytest
from scipy import sparse

from widemargin.graphs import rows_near, unreached_components


@pytest.fixture
def three_parts():
    """A path 0-1-2, an edge 3-4 and the single node 5."""
    adjacency = np.zeros((6, 6))
    for i, j in [(0, 1), (1, 2), (3, 4)]:
        adjacency[i, j] = adjacency[j, i] = 0.5
    return sparse.csr_matrix(adjacency)


@pytest.mark.parametrize(
    ("rows", "unreached"),
    [
        ([0], [3, 4, 5]),
        ([2, 0], [3, 4, 5]),
        ([4, 1], [5]),
        ([5], [0, 1, 2, 3, 4]),
        ([2, 3, 5], []),
    ],
)
def test_parts_without_any_of_the_rows(three_parts, rows, unreached):
    n_components, mask = unreached_components(three_parts, np.array(rows))
    assert n_components == 3
    assert mask.dtype == bool
    assert np.flatnonzero(mask).tolist() == unreached


def test_connected_graph_is_reached_from_anywhere():
    ring = sparse.csr_matrix(np.roll(np.eye(7), 1, axis=1) + np.roll(np.eye(7), -1, 1))
    for row in range(7):
        n_components, mask = unreached_components(ring, np.array([row]))
        assert n_components == 1
        assert not mask.any()


def test_tiny_weights_still_reach(three_parts):
    """As from a heat graph with a far sample."""
    three_parts.data[:] = np.finfo(np.float32).tiny
    _, mask = unreached_components(three_parts, np.array([0, 3]))
    assert np.flatnonzero(mask).tolist() == [5]


def test_rows_near_others_are_the_nearest_along_the_graph(rng):
    """On a path, both ways from the row to begin with; on two paths, then the other."""
    half = np.eye(6, k=1) + np.eye(6, k=-1)
    two = sparse.csr_array(sparse.block_diag([half, half]))
    assert rows_near(two, np.array([2]), 5, rng).tolist() == [0, 1, 2, 3, 4]
    assert rows_near(two, np.array([2]), 1, rng).tolist() == [2]
    beyond = rows_near(two, np.array([2]), 8, rng)
    assert beyond[:6].tolist() == [0, 1, 2, 3, 4, 5]
    assert len(beyond) == 8
    assert rows_near(two, np.array([2]), 50, rng).tolist() == list(range(12))
