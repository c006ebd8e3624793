import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.linalg import eigh, subspace_angles

from widemargin.datasets import make_sheets
from widemargin.defaults import SPECTRUM_LEVELS
from widemargin.graphs import graph_laplacian, knn_adjacency
from widemargin.spaces import graph_spectrum
from widemargin.spaces.coarse import _coarsen, coarse_spectrum
from widemargin.spaces.coarse_loops import aggregate, recur

SMALL = SPECTRUM_LEVELS._replace(rows=100, coarsest_rows=50)


def make_graph(n_rows=1200, seed=0, **options):
    X = make_sheets(n_rows, n_sheets=3, n_features=20, random_state=seed, **options)[0]
    return as_laplacian(knn_adjacency(X, 8, "self-tuned"))


def as_laplacian(adjacency):
    degrees = np.asarray(adjacency.sum(axis=1), dtype=np.float64).ravel()
    return graph_laplacian(adjacency).matrix, degrees


def connected(n_rows=1200, seed=0):
    rng = np.random.default_rng(seed)
    return as_laplacian(knn_adjacency(rng.normal(size=(n_rows, 3)), 8, "self-tuned"))


@pytest.mark.parametrize("make", [make_graph, connected])
@pytest.mark.parametrize("seed", [0, 1])
def test_spectrum_is_near_that_of_dense_matrices(make, seed):
    laplacian, degrees = make(seed=seed)
    values, vectors = coarse_spectrum(laplacian, degrees, 40, rule=SMALL)
    expected, axes = eigh(laplacian.toarray().astype(np.float64))
    assert_allclose(values[:20], expected[:20], atol=2e-4)
    assert_allclose(values, expected[:40], rtol=0.05, atol=2e-4)
    assert (np.diff(values) >= 0).all()
    # the span of the first ones, up to the next gap
    gaps = np.diff(expected[10:30])
    n_first = 11 + int(gaps.argmax())
    angles = subspace_angles(axes[:, :n_first], vectors.astype(np.float64))
    assert np.cos(angles.max()) > 0.99
    assert vectors.dtype == np.float32
    assert_allclose(vectors.T @ vectors, np.eye(40), atol=1e-4)


def test_more_rounds_converge():
    laplacian, degrees = connected()
    rule = SMALL._replace(rounds=30)
    values, _ = coarse_spectrum(laplacian, degrees, 30, rule=rule)
    expected = eigh(laplacian.toarray(), eigvals_only=True)[:30]
    assert_allclose(values, expected, rtol=5e-3, atol=1e-5)


def test_constant_functions_of_components_have_no_energy():
    """Three graphs that are not joined, of different degrees."""
    parts = [connected(400, seed)[0] for seed in range(3)]
    weights = [1.0, 10.0, 0.1]
    adjacency = sparse.block_diag(
        [w * (sparse.eye(400) - part) for w, part in zip(weights, parts, strict=True)]
    ).tocsr()
    adjacency.setdiag(0)
    adjacency.eliminate_zeros()
    laplacian, degrees = as_laplacian(adjacency)
    values, vectors = coarse_spectrum(laplacian, degrees, 20, rule=SMALL)
    assert_allclose(values[:3], 0.0, atol=1e-5)
    assert values[3] > 1e-3
    expected = np.kron(np.eye(3), np.ones((400, 1))) * np.sqrt(degrees)[:, None]
    angles = subspace_angles(expected, vectors[:, :3].astype(np.float64))
    assert np.cos(angles.max()) > 0.9999


def test_isolated_rows_and_hubs():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(900, 3))
    adjacency = knn_adjacency(X, 6, "binary").tolil()
    adjacency[0, 1:700] = 1.0  # joined to most rows
    adjacency[1:700, 0] = 1.0
    adjacency[850:] = 0.0
    adjacency[:, 850:] = 0.0
    laplacian, degrees = as_laplacian(adjacency.tocsr())
    values, vectors = coarse_spectrum(laplacian, degrees, 80, rule=SMALL)
    expected = eigh(laplacian.toarray(), eigvals_only=True)[:80]
    assert_allclose(expected[:51], 0.0, atol=1e-7)  # 50 rows and the rest
    assert_allclose(values, expected, rtol=0.1, atol=2e-3)
    assert np.isfinite(vectors).all()


def test_a_graph_without_edges():
    laplacian, degrees = as_laplacian(sparse.csr_matrix((300, 300)))
    values, vectors = coarse_spectrum(laplacian, degrees, 10, rule=SMALL)
    assert_array_equal(values, 0.0)
    assert_allclose(vectors.T @ vectors, np.eye(10), atol=1e-5)


def test_threads_do_not_matter(monkeypatch):
    laplacian, degrees = connected()
    found = []
    for n_threads in (1, 2, 3):
        monkeypatch.setattr(
            "widemargin.spaces.coarse.count_threads", lambda n=n_threads: n
        )
        found.append(coarse_spectrum(laplacian, degrees, 20, rule=SMALL))
    for values, vectors in found[1:]:
        assert_array_equal(values, found[0][0])
        assert_array_equal(vectors, found[0][1])


def test_shuffled_rows_have_the_same_values():
    laplacian, degrees = connected()
    order = np.random.default_rng(0).permutation(len(degrees))
    values, _ = coarse_spectrum(laplacian, degrees, 20, rule=SMALL)
    shuffled = laplacian[order][:, order]
    other, _ = coarse_spectrum(shuffled, degrees[order], 20, rule=SMALL)
    assert_allclose(other, values, rtol=0.03, atol=1e-4)


def test_only_graphs_of_many_rows_have_levels():
    laplacian, degrees = connected(300)
    few, many = (
        graph_spectrum(laplacian, 10, degrees, levels=levels)
        for levels in (SPECTRUM_LEVELS, SMALL)
    )
    assert few.vectors.dtype == np.float64
    assert many.vectors.dtype == np.float32
    assert_allclose(many.values, few.values, rtol=0.02, atol=1e-4)
    coordinates = np.ones((10, 2))
    assert many.product(coordinates).dtype == np.float64
    assert_allclose(few.product(coordinates), few.vectors @ coordinates)
    assert_allclose(many.mean_squares, 1 / 300, rtol=1e-4)


# Loops


def test_recurrence_matches_products(rng):
    matrix = sparse.random_array((30, 30), density=0.2, rng=rng, format="csr")
    vectors, last = rng.normal(size=(2, 30, 7))
    expected = 0.5 * (matrix @ vectors) - 2.0 * vectors + 3.0 * last
    kept, factors = last[20:].copy(), np.array([0.5, -2.0, 3.0])
    recur(matrix.indptr, matrix.indices, matrix.data, vectors, last, factors, 0, 20)
    assert_allclose(last[:20], expected[:20])
    assert_array_equal(last[20:], kept)


def slow_groups(ties, most):
    """The groups, by sets of neighbors."""
    n_rows, groups = ties.shape[0], {}
    near = [set(np.flatnonzero(row)) for row in ties]
    n_groups = 0
    for i in range(n_rows):
        members = near[i] | {i}
        if len(near[i]) <= most and not any(j in groups for j in members):
            groups |= dict.fromkeys(members, n_groups)
            n_groups += 1
    first = dict(groups)
    for i in set(range(n_rows)) - set(first):
        tied = [(ties[i, j], -j) for j in near[i] if j in first]
        if tied:
            groups[i] = first[-max(tied)[1]]
    for i in range(n_rows):
        if i not in groups:
            members = [j for j in near[i] if j not in groups]
            groups |= dict.fromkeys([i, *members], n_groups)
            n_groups += 1
    return np.array([groups[i] for i in range(n_rows)]), n_groups


@pytest.mark.parametrize("most", [2, 6, 100])
@pytest.mark.parametrize("density", [0.005, 0.03, 0.2])
def test_groups_match_their_slow_twin(rng, most, density):
    ties = sparse.random_array((120, 120), density=density, rng=rng, format="csr")
    ties = sparse.csr_array(ties.maximum(ties.T))
    ties.setdiag(0.0)
    ties.eliminate_zeros()
    groups = np.empty(120, dtype=np.int64)
    n_groups = aggregate(ties.indptr, ties.indices, ties.data, most, groups)
    expected, n_expected = slow_groups(ties.toarray(), most)
    assert n_groups == n_expected
    assert_array_equal(groups, expected)


def test_functions_of_groups_are_orthonormal_and_contain_the_smoothest():
    laplacian, degrees = connected()
    roots = np.sqrt(degrees)
    spread = _coarsen(sparse.csr_array(laplacian), roots, SMALL)
    assert spread.shape[1] < 300
    assert_allclose((spread.T @ spread).toarray(), np.eye(spread.shape[1]), atol=1e-5)
    assert_allclose(spread @ (spread.T @ roots), roots, rtol=1e-5)
