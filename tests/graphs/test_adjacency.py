import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse

from widemargin.graphs import check_adjacency, rows_near, unreached_components


@pytest.fixture
def ring():
    """Four nodes in a ring."""
    return np.array([[0, 1, 0, 2], [1, 0, 3, 0], [0, 3, 0, 4], [2, 0, 4, 0.0]])


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


@pytest.mark.parametrize("to_format", [np.asarray, sparse.csr_array, sparse.coo_matrix])
def test_valid_graph_is_kept(ring, to_format):
    adjacency = check_adjacency(to_format(ring), 4)
    assert adjacency.format == "csr"
    assert_array_equal(adjacency.toarray(), ring)


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (np.float32, np.float32),
        (np.float64, np.float64),
        (np.int64, np.float64),
        (bool, np.float64),
    ],
)
def test_type_of_weights(ring, given, kept):
    adjacency = check_adjacency(ring.astype(given), 4)
    assert adjacency.dtype == kept
    assert_array_equal(adjacency.toarray(), ring.astype(given))


def test_self_loops_are_dropped_from_a_copy(ring):
    looped = sparse.csr_matrix(ring + np.diag([5.0, 2, 1, 3]))
    before = looped.toarray()
    adjacency = check_adjacency(looped, 4)
    assert_array_equal(adjacency.toarray(), ring)
    assert adjacency.nnz == 8  # no zeros are stored
    assert_array_equal(looped.toarray(), before)


def test_graph_without_edges_is_valid():
    assert check_adjacency(np.zeros((3, 3)), 3).nnz == 0


@pytest.mark.parametrize("n_samples", [3, 5])
def test_wrong_shape_is_refused(ring, n_samples):
    shape = rf"shape \({n_samples}, {n_samples}\), .* got \(4, 4\)"
    with pytest.raises(ValueError, match=f"adjacency must have {shape}"):
        check_adjacency(ring, n_samples)


@pytest.mark.parametrize("weight", [-0.5, np.nan, np.inf])
def test_invalid_weight_is_refused_by_value(ring, weight):
    ring[1, 2] = ring[2, 1] = weight
    with pytest.raises(ValueError, match=f"finite weights >= 0, got {weight:g}"):
        check_adjacency(ring, 4)


def test_asymmetric_graph_is_refused_but_for_rounding(ring):
    ring[0, 1] += 1e-9
    check_adjacency(ring, 4)
    ring[0, 1] += 0.25
    with pytest.raises(ValueError, match=r"symmetric, got entries that differ by 0.25"):
        check_adjacency(ring, 4)
