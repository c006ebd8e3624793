import numpy as np
import pytest
import reference
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from widemargin.graphs import (
    IteratedLaplacian,
    graph_laplacian,
    knn_adjacency,
    no_laplacian,
    spectral_dimension,
)
from widemargin.graphs.laplacian import power_prior


@pytest.fixture
def adjacency(X):
    return knn_adjacency(X, 4)


@pytest.fixture
def degree(adjacency):
    return adjacency.toarray().sum(axis=1)


@pytest.mark.parametrize("normalized", [False, True])
def test_matches_the_definition(adjacency, normalized):
    laplacian = graph_laplacian(adjacency, normalized=normalized)
    assert laplacian.shape == adjacency.shape
    expected = reference.graph_laplacian(adjacency.toarray(), normalized)
    assert_allclose(laplacian.to_dense(), expected, atol=1e-12)


@pytest.mark.parametrize("normalized", [False, True])
def test_quadratic_form_sums_differences_along_edges(adjacency, rng, normalized):
    f = rng.normal(size=30)
    form = f @ (graph_laplacian(adjacency, normalized=normalized) @ f)
    expected = reference.roughness(adjacency.toarray(), f, normalized)
    assert_allclose(form, expected)


def test_plain_annihilates_constants(adjacency):
    rows = graph_laplacian(adjacency, normalized=False) @ np.ones(30)
    assert_allclose(rows, 0, atol=1e-12)


def test_normalized_annihilates_roots_of_degrees(adjacency, degree):
    assert_allclose(graph_laplacian(adjacency) @ np.sqrt(degree), 0, atol=1e-12)


def test_normalized_eigenvalues_lie_between_zero_and_two(adjacency):
    values = np.linalg.eigvalsh(graph_laplacian(adjacency).to_dense())
    assert values.min() > -1e-12
    assert values.max() < 2 + 1e-12


def test_two_is_reached_by_graphs_of_two_sides():
    """The largest eigenvalue is 2 exactly if every edge joins two sides."""
    path = sparse.csr_matrix(np.diag([1.0, 2.0, 3.0], 1) + np.diag([1.0, 2.0, 3.0], -1))
    values = np.linalg.eigvalsh(graph_laplacian(path).to_dense())
    assert_allclose(values[[0, -1]], [0, 2], atol=1e-12)


@pytest.mark.parametrize("normalized", [False, True])
def test_isolated_nodes_have_zero_rows(adjacency, normalized):
    alone = np.array([3, 29])
    cut = adjacency.toarray()
    cut[alone] = 0
    cut[:, alone] = 0
    cut = sparse.csr_matrix(cut)
    laplacian = graph_laplacian(cut, normalized=normalized).to_dense()
    assert not laplacian[alone].any()
    assert not laplacian[:, alone].any()
    others = np.delete(np.arange(30), alone)
    rest = graph_laplacian(cut[np.ix_(others, others)], normalized=normalized)
    scale = 1.0 if normalized else 30 / 28  # the mean degree is over all nodes
    expected = scale * rest.to_dense()
    assert_allclose(laplacian[np.ix_(others, others)], expected, atol=1e-12)


@pytest.mark.parametrize("normalized", [False, True])
@pytest.mark.parametrize("factor", [1e-6, 1e6])
def test_unit_of_the_weights_does_not_matter(adjacency, normalized, factor):
    scaled = graph_laplacian(factor * adjacency, normalized=normalized)
    expected = graph_laplacian(adjacency, normalized=normalized).to_dense()
    assert_allclose(scaled.to_dense(), expected, atol=1e-12)


@pytest.mark.parametrize("normalized", [False, True])
def test_graph_without_edges_penalizes_nothing(normalized):
    empty = sparse.csr_matrix((4, 4))
    assert not graph_laplacian(empty, normalized=normalized).to_dense().any()


@pytest.mark.parametrize("normalized", [False, True])
def test_floating_type_is_kept(adjacency, normalized):
    exact = graph_laplacian(adjacency, normalized=normalized)
    single = graph_laplacian(adjacency.astype(np.float32), normalized=normalized)
    assert exact.to_dense().dtype == np.float64
    assert single.to_dense().dtype == np.float32
    assert_allclose(single.to_dense(), exact.to_dense(), atol=1e-6)


@pytest.mark.parametrize("normalized", [False, True])
@pytest.mark.parametrize("dtype", [int, bool])
def test_whole_weights_are_not_cut_off(adjacency, normalized, dtype):
    binary = adjacency.astype(bool)
    given = graph_laplacian(binary.astype(dtype), normalized=normalized)
    expected = graph_laplacian(binary.astype(float), normalized=normalized)
    assert_array_equal(given.to_dense(), expected.to_dense())


@pytest.mark.parametrize("power", [1, 2, 5])
@pytest.mark.parametrize("normalized", [False, True])
def test_iterated_is_a_matrix_power(adjacency, rng, normalized, power):
    once = graph_laplacian(adjacency, normalized=normalized).to_dense()
    expected = np.linalg.matrix_power(once, power)
    iterated = graph_laplacian(adjacency, normalized=normalized, power=power)
    V = rng.normal(size=(30, 3))
    assert_allclose(iterated @ V, expected @ V, atol=1e-9)
    assert_allclose(iterated @ V[:, 0], expected @ V[:, 0], atol=1e-9)
    assert_allclose(iterated.to_dense(), expected, atol=1e-9)


def test_wide_products_in_blocks_are_those_of_their_columns(adjacency, rng):
    V = rng.normal(size=(30, 9000))
    iterated = graph_laplacian(adjacency).iterated(3)
    assert_allclose(iterated @ V, iterated.to_dense() @ V, atol=1e-12)


@pytest.mark.parametrize("n_dimensions", [1, 2, 3])
@pytest.mark.parametrize("is_large", [False, True])
def test_dimension_of_a_lattice_is_that_of_its_space(n_dimensions, is_large):
    """Exact for few samples, estimated by random signs for many."""
    side = {1: (200, 2000), 2: (16, 40), 3: (6, 16)}[n_dimensions][is_large]
    steps = np.eye(side, k=1) + np.eye(side, k=1 - side)
    ring, lattice = steps + steps.T, 0.0
    for axis in range(n_dimensions):
        factors = [np.eye(side)] * n_dimensions
        factors[axis] = ring
        product = sparse.csr_array([[1.0]])
        for factor in factors:
            product = sparse.kron(product, sparse.csr_array(factor), format="csr")
        lattice = product + lattice
    # 16 steps are few in three dimensions, and walks meet behind a small lattice
    error = abs(spectral_dimension(lattice.tocsr()) - n_dimensions)
    assert error < (0.7 if side == 6 else 0.25)


def test_dimension_does_not_depend_on_the_weights_unit_or_on_lone_samples(adjacency):
    dimension = spectral_dimension(adjacency)
    assert_allclose(spectral_dimension(7.0 * adjacency), dimension)
    assert spectral_dimension(sparse.csr_matrix((5, 5))) == 0.0


@pytest.mark.parametrize(
    ("dimension", "expected"),
    [(0.0, [1, 0, 0]), (1.625, [0.5, 0.5, 0]), (2.0, [0, 1, 0]), (9.0, [0, 0, 1])],
)
def test_prior_of_powers_rises_with_the_dimension(dimension, expected):
    assert_allclose(power_prior((1, 2, 3), dimension), expected)


def test_negligible_powers_are_left_out():
    assert_allclose(power_prior((1, 2, 3), 2.01), [0, 1, 0])
    assert_allclose(power_prior((3,), 1.0), [1])
    assert_allclose(power_prior((1, 3), 2.0), [0.5, 0.5])


def test_iterated_laplacian_does_not_write_to_its_argument(adjacency, rng):
    V = rng.normal(size=(30, 2))
    before = V.copy()
    IteratedLaplacian(adjacency, 3) @ V
    assert_array_equal(V, before)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_no_laplacian_is_zero(rng, dtype):
    laplacian = no_laplacian(5, dtype)
    assert laplacian.shape == (5, 5)
    product = laplacian @ rng.normal(size=(5, 2)).astype(dtype)
    assert product.shape == (5, 2)
    assert product.dtype == dtype
    assert not product.any()


@pytest.mark.slow
def test_dimension_of_a_large_graph_needs_no_square_matrix():
    """A ring of a million rows; a dense matrix would take eight terabytes."""
    n_rows = 10**6
    offsets = [-(n_rows - 1), -1, 1, n_rows - 1]
    ring = sparse.diags_array([1.0] * 4, offsets=offsets, shape=(n_rows, n_rows))
    assert 0.9 < spectral_dimension(ring.tocsr()) < 1.1
