import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.neighbors import NearestNeighbors

from widemargin.checks import DataWarning
from widemargin.datasets import make_sheets
from widemargin.defaults import CELL_SEARCH, EXACT_NEIGHBORS, ExactNeighbors
from widemargin.graphs import ExactIndex, index_rows, knn_adjacency
from widemargin.graphs.cells import Cells, ProjectedCells, nearest_centers

MANY = EXACT_NEIGHBORS._replace(rows=100)  # so that tests need no 10,000 rows


@pytest.fixture(scope="module")
def sheets():
    return make_sheets(3000, noise=0.2, random_state=0)[0]


def exact_neighbors(X, n_neighbors):
    """Lengths and positions by sorting all distances, in double."""
    X = X.astype(np.float64)
    squared = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    np.fill_diagonal(squared, np.inf)
    order = np.argsort(squared, axis=1, kind="stable")[:, :n_neighbors]
    return np.sqrt(np.take_along_axis(squared, order, axis=1)), order


def recall_of(found, exact):
    pairs = zip(found, exact, strict=True)
    return np.mean([np.isin(e, f).mean() for f, e in pairs])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_finds_nearly_all_neighbors(sheets, dtype):
    X = sheets.astype(dtype)
    index = Cells.fit(X, 8)
    assert 1 <= index.n_probes < len(index.centers)
    found = index.neighbors(8)[1]
    exact = NearestNeighbors(n_neighbors=8, algorithm="brute").fit(X)
    exact = exact.kneighbors(return_distance=False)
    assert recall_of(found, exact) > 0.975
    assert abs(recall_of(found, exact) - index.recall) < 0.015


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_all_cells_give_the_exact_neighbors(rng, dtype):
    """Searching every cell is the slow, obvious search."""
    X = rng.normal(size=(400, 7)).astype(dtype)
    index = Cells.fit(X, 5, rule=CELL_SEARCH._replace(recall=1.0, least_rows=20))
    every = np.broadcast_to(np.arange(len(index.centers)), (400, len(index.centers)))
    found = index._search(index.points, index.probes[:, 0], every, 400, 5)
    lengths, neighbors = exact_neighbors(X, 5)
    assert_array_equal(np.sort(found), np.sort(neighbors[index.rows]))
    assert len(index.centers) > 10
    assert_allclose(index.neighbors(5)[0][:, 0], lengths[:, 0], rtol=1e-12)


def test_lengths_are_exact_and_sorted(sheets):
    lengths, neighbors = Cells.fit(sheets, 8).neighbors(8)
    X = sheets.astype(np.float64)
    expected = np.linalg.norm(X[:, None] - X[neighbors], axis=2)
    assert_allclose(lengths, expected, rtol=1e-12)
    assert (np.diff(lengths) >= 0).all()
    assert (neighbors != np.arange(len(X))[:, None]).all()
    assert all(len(set(row)) == 8 for row in neighbors.tolist())


def test_far_from_zero_as_near_it(sheets):
    """Single precision would not tell rows near 10^6 apart."""
    X = sheets.astype(np.float64)
    near, far = Cells.fit(X, 8).neighbors(8), Cells.fit(X + 1e6, 8).neighbors(8)
    assert recall_of(far[1], near[1]) > 0.99
    assert_allclose(far[0], near[0], atol=0.05)


def test_two_far_groups_of_close_rows(rng):
    """Lengths within a group are a millionth of those between groups."""
    X = 1e-3 * rng.normal(size=(1200, 8))
    X[600:] += 1e3
    lengths, neighbors = Cells.fit(X, 6).neighbors(6)
    assert ((neighbors >= 600) == (np.arange(1200) >= 600)[:, None]).all()
    expected = [exact_neighbors(X[part], 6)[0] for part in np.split(np.arange(1200), 2)]
    found = np.isclose(lengths, np.concatenate(expected), rtol=1e-6).mean()
    assert found > 0.95


def test_queries_of_the_rows_find_themselves_first(sheets):
    index = Cells.fit(sheets, 8)
    lengths, neighbors = index.query(sheets[:500], 5)
    assert_array_equal(neighbors[:, 0], np.arange(500))
    assert_array_equal(lengths[:, 0], 0)
    own_lengths, _ = index.neighbors(4)
    assert_allclose(lengths[:, 1:], own_lengths[:500], rtol=1e-12)


def test_new_rows_find_their_neighbors(sheets):
    index, new = Cells.fit(sheets[:2500], 8), sheets[2500:]
    found = index.query(new, 8)[1]
    exact = NearestNeighbors(n_neighbors=8).fit(sheets[:2500]).kneighbors(new)[1]
    assert recall_of(found, exact) > 0.95
    alone = np.concatenate([index.query(row[None], 8)[1] for row in new[:20]])
    assert_array_equal(alone, found[:20])  # blocks do not matter


def test_threads_do_not_matter(sheets, monkeypatch):
    found = []
    for n_threads in (1, 2, 3):
        monkeypatch.setattr(
            "widemargin.graphs.cells.count_threads", lambda n=n_threads: n
        )
        found.append(Cells.fit(sheets, 8).neighbors(8))
    for other in found[1:]:
        assert_array_equal(other[0], found[0][0])
        assert_array_equal(other[1], found[0][1])


def test_cells_with_few_rows_are_completed(rng):
    """A few rows in a cell of their own still have eight neighbors each."""
    X = rng.normal(size=(2000, 10))
    X[:3] += 500.0
    index = Cells.fit(X, 8, rule=CELL_SEARCH._replace(recall=0.5))
    lengths, neighbors = index.neighbors(8)
    expected = exact_neighbors(X[:3], 2)[0]
    assert_allclose(lengths[:3, :2], expected, rtol=1e-9)
    assert (neighbors >= 0).all()
    assert all(len(set(row)) == 8 for row in neighbors.tolist())


def test_copies_are_neighbors(rng):
    X = np.repeat(rng.normal(size=(200, 6)), 10, axis=0)
    lengths, neighbors = Cells.fit(X, 9).neighbors(9)
    assert_array_equal(lengths, 0)
    assert (neighbors // 10 == np.arange(2000)[:, None] // 10).all()


def test_all_rows_equal():
    lengths, neighbors = Cells.fit(np.ones((500, 5)), 4).neighbors(4)
    assert_array_equal(lengths, 0)
    assert (neighbors != np.arange(500)[:, None]).all()


def test_nearest_centers_match_sorting(rng):
    X, centers = rng.normal(size=(300, 4)), rng.normal(size=(40, 4))
    squared = ((X[:, None] - centers) ** 2).sum(axis=2)
    found = nearest_centers(X, centers, 7)
    assert_array_equal(found, np.argsort(squared, axis=1)[:, :7])


def test_rows_without_structure_are_compared_with_a_limited_number(rng):
    X = rng.normal(size=(3000, 40))
    rule = CELL_SEARCH._replace(most_rows=300)
    index = Cells.fit(X, 8, rule=rule)
    n_compared = index.n_probes * len(X) / len(index.centers)
    assert 200 < n_compared < 400
    assert index.recall < 0.8


@pytest.mark.parametrize("kind", ["keep", "measure", "sparse"])
def test_compiled_loops_match_their_slow_twins(rng, kind):
    from widemargin.graphs import cells_loops as loops

    if kind == "keep":
        values = rng.normal(size=(6, 53)).astype(np.float32)
        offsets = rng.normal(size=6).astype(np.float32)
        own, excluded = np.array([2, 0, 1, 5, 3, 4]), np.full(6, -1)
        excluded[3] = 107
        lengths = np.full((6, 4), np.inf, dtype=np.float32)
        nearest = np.full((6, 4), -1)
        loops.keep_nearest(values, own, 100, excluded, offsets, lengths, nearest)
        for r, place in enumerate(own):
            squared = values[r] + offsets[r]
            if place == 3:
                squared[7] = np.inf
            order = np.argsort(squared)[:4]
            assert_array_equal(nearest[place], 100 + order)
            assert_allclose(lengths[place], squared[order])
        return
    X, Z = rng.normal(size=(2, 20, 12)) * (rng.uniform(size=(2, 20, 12)) < 0.4)
    neighbors = rng.integers(20, size=(20, 5))
    expected = np.linalg.norm(Z[:, None] - X[neighbors], axis=2)
    lengths = np.empty((20, 5))
    if kind == "measure":
        loops.measure(X, Z, neighbors, lengths)
    else:
        A, B = sparse.csr_matrix(X), sparse.csr_matrix(Z)
        loops.measure_sparse(
            A.data, A.indices, A.indptr, B.data, B.indices, B.indptr, neighbors, lengths
        )
    assert_allclose(lengths, expected, rtol=1e-12)
    expected_order = np.lexsort([neighbors, expected], axis=1)
    found = neighbors.copy()
    loops.sort_lists(lengths, found)
    assert_allclose(lengths, np.take_along_axis(expected, expected_order, axis=1))


def make_sparse(rng, n_rows=1500):
    """Rows of a few topics, each with words of its own."""
    topics = rng.dirichlet(np.full(300, 0.05), size=15)
    counts = [rng.multinomial(40, topics[t]) for t in rng.integers(15, size=n_rows)]
    return sparse.csr_matrix(np.array(counts, dtype=np.float64))


def test_sparse_rows_by_projection(rng):
    X = make_sparse(rng)
    index = ProjectedCells.fit(X, 8)
    lengths, neighbors = index.neighbors(8)
    dense = X.toarray()
    expected = np.linalg.norm(dense[:, None] - dense[neighbors], axis=2)
    assert_allclose(lengths, expected, rtol=1e-12)
    exact = NearestNeighbors(n_neighbors=8, algorithm="brute").fit(dense).kneighbors()
    # Counts are whole numbers: many rows are equally far.
    share = (lengths <= exact[0][:, -1:] + 1e-9).mean()
    assert share > 0.8
    assert abs(share - index.recall) < 0.1
    assert_allclose(index.query(X[:50], 3)[0][:, 0], 0)


def test_index_is_exact_for_few_rows_or_features(rng):
    assert isinstance(index_rows(rng.normal(size=(300, 8)), 5), ExactIndex)
    assert isinstance(index_rows(rng.normal(size=(300, 2)), 5, limits=MANY), ExactIndex)
    assert isinstance(index_rows(rng.normal(size=(300, 8)), 5, limits=MANY), Cells)
    X = make_sparse(rng, 300)
    assert isinstance(index_rows(X, 5, limits=MANY), ProjectedCells)
    distances = np.ones((300, 300)) - np.eye(300)
    found = index_rows(distances, 5, "precomputed", limits=MANY)
    assert isinstance(found, ExactIndex)


def test_a_poor_index_is_reported(rng, monkeypatch):
    rule = CELL_SEARCH._replace(most_rows=20)
    fit = Cells.fit
    monkeypatch.setattr(Cells, "fit", lambda X, k: fit(X, k, rule=rule))
    limits = ExactNeighbors(rows=100, features=4, recall=0.9)
    with pytest.warns(DataWarning, match=r"about \d+% of the nearest neighbors"):
        index_rows(rng.normal(size=(2000, 30)), 8, limits=limits)


@pytest.mark.slow
def test_the_graph_of_many_rows_is_nearly_the_exact_one(monkeypatch):
    X = make_sheets(12_000, n_features=10, noise=0.1, random_state=0)[0]
    assert len(X) > EXACT_NEIGHBORS.rows
    found = knn_adjacency(X, 8, "self-tuned")
    monkeypatch.setattr(
        "widemargin.graphs.knn.index_rows",
        lambda X, k, metric: ExactIndex(X, NearestNeighbors(algorithm="brute").fit(X)),
    )
    exact = knn_adjacency(X, 8, "self-tuned")
    assert abs(found - exact).sum() < 0.05 * exact.sum()
    assert abs(found - found.T).max() == 0


def test_a_single_row_is_found_at_its_distance():
    """However far from the origin it is, and for any number of other rows."""
    Z = np.array([[1e6], [1e6 + 1.0], [1e6 + 3.0]])
    index = ExactIndex.fit(np.array([[1e6 + 1.0]]))
    assert_allclose(index.query(Z, 1)[0].ravel(), [1.0, 0.0, 2.0])
    near = ExactIndex.fit(np.ones((1, 1)))
    assert_allclose(near.query(np.array([[0.0], [2.0]]), 1)[0].ravel(), [1.0, 1.0])
