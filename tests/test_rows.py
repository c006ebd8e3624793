"""Rows in one matrix, in a Gram matrix, and in blocks that are never joined."""

import pickle
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.decomposition import PCA
from sklearn.preprocessing import StandardScaler

from widemargin import rows as rows_module
from widemargin.checks import DataWarning
from widemargin.defaults import EXACT_NEIGHBORS
from widemargin.graphs import Graph, KnnGraph
from widemargin.kernels import Cosine, Kernel, Linear, Polynomial, Precomputed, Rbf
from widemargin.kernels.width import MEDIAN_ROWS
from widemargin.rows import BlockRows, GramRows, Rows, Shared, find_kind

FORMATS = [np.asarray, sparse.csr_matrix, sparse.csr_array]
CUTS = [0, 7, 8, 8, 30]  # one of the blocks is empty
SLOW = pytest.mark.slow


def cut(X, cuts=CUTS):
    return [X[a:b] for a, b in pairwise(cuts)]


def dense(X):
    return X.toarray() if sparse.issparse(X) else X


@pytest.fixture(params=FORMATS)
def twins(request, X):
    """The same rows, with copies of some, in one matrix and in blocks."""
    X = X.copy()
    X[[9, 20, 21]] = X[[2, 8, 2]]
    X[:, 0] *= X[:, 0] > 0
    X = request.param(X)
    return Rows(X), BlockRows(cut(X))


@pytest.fixture
def small_blocks(monkeypatch):
    """At most five rows of three features are read at a time."""
    monkeypatch.setattr(BlockRows, "buffer_bytes", 5 * 3 * 8)


# One matrix, Gram matrices


def test_a_gram_matrix_names_the_place_of_its_rows(X):
    gram = X @ X.T
    some = GramRows(gram).take(np.array([4, 9, 20])).take(np.array([2, 0]))
    assert_array_equal(some.X, gram[np.ix_([20, 4], [20, 4])])
    assert_array_equal(some.points(Precomputed(), np.array([1])), [4])
    assert_array_equal(
        some.kernel_columns(Precomputed(), np.array([1])), some.X[:, [1]]
    )


def amounts(rng, n_large=13):
    """Several amounts of money beside ages and grades."""
    large = 1e4 * rng.lognormal(size=(200, n_large)) * np.linspace(1, 5, n_large)
    return np.c_[
        large, rng.normal(40, 9, size=(200, 1)), rng.integers(5, size=(200, 6))
    ]


def in_nanoseconds(rng):
    dates = 1.7e18 + 3e16 * rng.random(200)
    return np.c_[rng.normal(size=(200, 4)), dates]


@pytest.mark.parametrize(
    ("make", "largest", "smallest", "n_hidden"),
    [
        (lambda rng: load_wine().data, 12, 7, 12),
        (lambda rng: load_breast_cancer().data, 23, 19, 28),
        (lambda rng: amounts(rng)[:, [13, 0, 14]], 1, 2, 2),
        (in_nanoseconds, 4, None, 4),
        (amounts, None, None, 7),
    ],
    ids=["wine", "breast_cancer", "amount", "date", "amounts"],
)
def test_columns_hidden_by_large_spreads_are_told(
    rng, make, largest, smallest, n_hidden
):
    X = make(rng)
    with pytest.warns(DataWarning, match="very different spread") as record:
        Rows(X).check_spreads("X of Model")
    text = str(record[0].message)
    assert len(record) == 1
    assert f"{n_hidden} of {X.shape[1]} columns hardly count" in text
    assert largest is None or f"column {largest} is {X[:, largest].std():.3g}" in text
    assert smallest is None or f"column {smallest} {X[:, smallest].std():.3g}" in text
    assert "make_pipeline(StandardScaler(), Model(...))" in text
    Rows(StandardScaler().fit_transform(X)).check_spreads("X of Model")


@pytest.mark.parametrize(
    "make",
    [
        lambda rng: load_digits().data,
        lambda rng: load_digits().data[:20],
        lambda rng: load_digits().data + 1e-3 * rng.normal(size=(1797, 64)),
        lambda rng: load_iris().data,
        lambda rng: PCA().fit_transform(load_digits().data[:150]),
        lambda rng: np.c_[rng.normal(size=(200, 3)), np.eye(200)[:, :9]],
        lambda rng: np.c_[rng.normal(size=(200, 3)), 1 + 1e-9 * rng.random((200, 9))],
        lambda rng: np.c_[rng.normal(size=(200, 3)), np.ones((200, 9))],
        lambda rng: np.ones((5, 3)),
        lambda rng: [1.0, 0.05, 0.05] * rng.normal(size=(9, 3)),
        lambda rng: sparse.csr_array(amounts(rng)),
    ],
    ids=[
        "pixels", "few pixels", "noisy pixels", "alike", "components",
        "rare categories", "rounding", "constants", "no spread", "few rows", "sparse",
    ],
)  # fmt: skip
def test_other_columns_of_small_spread_are_not_told(rng, make):
    Rows(make(rng)).check_spreads("X of Model")


def test_spreads_have_no_meaning_in_gram_matrices_and_are_not_read_in_blocks(rng):
    X = amounts(rng)
    GramRows(np.diag(X[:, 0])).check_spreads("X of Model")
    BlockRows([X]).check_spreads("X of Model")


def test_models_share_the_edges_of_graphs_that_differ_in_their_laplacian(X):
    """Also for a graph whose power is always a number."""

    @dataclass(frozen=True)
    class Near(Graph):
        radius: float = 1.0
        power: int = 1
        normalized: bool = True

        def __post_init__(self):
            self.power + 1  # a number

        def adjacency(self, X, metric):
            lengths = np.sqrt(((X[:, None] - X) ** 2).sum(axis=2))
            near = (lengths < self.radius) & (lengths > 0)
            return sparse.csr_matrix(near.astype(float))

    rows = Rows(X)
    rows.shared = Shared()
    edges = rows.adjacency(Near(), Rbf(1.0))
    assert rows.adjacency(Near(power=3, normalized=False), Rbf(1.0)) is edges
    wider = rows.adjacency(Near(2.0), Rbf(1.0))
    assert wider.nnz > edges.nnz
    knn = rows.adjacency(KnnGraph(3), Rbf(1.0))
    assert rows.adjacency(replace(KnnGraph(3), power=2), Rbf(1.0)) is knn


# What is rows in blocks


@pytest.mark.parametrize("to_format", [*FORMATS, sparse.csc_matrix, sparse.coo_array])
@pytest.mark.parametrize("container", [list, tuple])
def test_matrices_in_a_list_are_blocks(X, to_format, container):
    given = container([to_format(X[:20]), to_format(X[20:])])
    assert find_kind(given) is BlockRows
    assert_array_equal(dense(BlockRows(given).take(slice(None)).X), X)


@pytest.mark.parametrize(
    "to_given",
    [
        lambda X: X,
        sparse.csr_matrix,
        lambda X: X.tolist(),
        lambda X: list(X),  # a list of rows
        lambda X: [X[:4].tolist(), X[4:].tolist()],
        lambda X: [X, X[0]],
        lambda X: [],
        lambda X: None,
    ],
)
def test_anything_else_is_one_matrix(X, to_given):
    assert find_kind(to_given(X)) is None


def test_a_kind_that_reads_lists_of_its_own_comes_first(X):
    class Parts(list):
        pass

    class OwnRows(BlockRows):
        @classmethod
        def reads(cls, given):
            return isinstance(given, Parts)

    class Renamed(OwnRows):
        """It reads nothing more."""

    given = Parts(cut(X))
    assert find_kind(given) is OwnRows
    assert find_kind(list(given)) is BlockRows


def test_a_memory_map_is_not_read_before_it_is_needed(X, tmp_path):
    np.save(tmp_path / "X.npy", X)
    part = np.load(tmp_path / "X.npy", mmap_mode="r")
    rows = BlockRows([part, part])
    assert all(isinstance(part, np.memmap) for part in rows.parts)
    assert_array_equal(rows.take(np.array([35, 2])).X, X[[5, 2]])


@pytest.mark.parametrize(
    ("types", "expected"),
    [
        ((np.float32, np.float32), np.float32),
        ((np.float32, np.float64), np.float64),
        ((np.int8, np.float32), np.float64),
        ((bool, bool), np.float64),
    ],
)
def test_all_blocks_have_one_floating_type(X, types, expected):
    parts = [X[:20].astype(types[0]), X[20:].astype(types[1])]
    rows = BlockRows(parts)
    assert rows.dtype == expected
    assert {part.dtype for _, part in rows.blocks()} == {np.dtype(expected)}
    assert rows.take(np.array([1, 25])).X.dtype == expected
    assert rows.take(np.arange(0)).X.dtype == expected


# The same answers as one matrix


def test_parts_and_takes_are_those_of_one_matrix(twins, rng):
    whole, rows = twins
    assert len(rows) == 30
    assert (rows.n_features, rows.is_sparse) == (3, whole.is_sparse)
    idx = rng.integers(30, size=12)
    again = rng.permutation(12)
    for found in (rows.take(idx[again]), rows.part(idx).part(again).take(slice(None))):
        assert_array_equal(dense(found.X), dense(whole.take(idx[again]).X))
    assert rows.take(idx[:0]).X.shape == (0, 3)
    points = rows.points(Linear(), idx)
    assert_array_equal(dense(points), dense(whole.points(Linear(), idx)))


@pytest.mark.usefixtures("small_blocks")
def test_blocks_are_small_and_hold_each_row_once(twins, rng):
    whole, rows = twins
    idx = rng.permutation(30)[:25]
    for chosen, own in ((np.arange(30), rows), (idx, rows.part(idx))):
        seen = np.zeros(len(chosen), dtype=int)
        for where, X in own.blocks():
            assert X.shape[0] <= 5
            assert_array_equal(dense(X), dense(whole.X[chosen[where]]))
            seen[where] += 1
        assert (seen == 1).all()


def test_sparse_blocks_are_large_if_they_hold_little():
    X = sparse.eye_array(1000, 2**20, format="csr")
    assert len(list(BlockRows([X[:600], X[600:]]).pieces())) == 2


class Ascending:
    """A part that is stored in a file may read rising positions only, each once."""

    def __init__(self, X):
        self.X, self.shape, self.dtype = X, X.shape, X.dtype

    def __getitem__(self, idx):
        if not isinstance(idx, slice):
            assert (np.diff(idx) > 0).all()
        return self.X[idx]


@pytest.mark.parametrize("to_format", FORMATS)
def test_rows_that_occur_twice_are_read_once(X, to_format, rng):
    X = to_format(X)
    rows, idx = BlockRows(map(Ascending, cut(X))), rng.integers(30, size=50)
    assert_array_equal(dense(rows.take(idx).X), dense(X[idx]))
    whole, again = Rows(X[idx]), rows.part(idx)
    assert_array_equal(again.content_order(), whole.content_order())
    for found, expected in zip(again.distinct(), whole.distinct(), strict=True):
        assert_array_equal(found, expected)
    widths = [own.fit_width(Rbf("scale"), rng).gamma for own in (again, whole)]
    assert_allclose(*widths, rtol=1e-13)


def test_no_rows_are_no_rows(twins):
    whole, rows = (own.part(np.arange(0)) for own in twins)
    assert_array_equal(rows.content_order(), whole.content_order())
    for found, expected in zip(rows.distinct(), whole.distinct(), strict=True):
        assert_array_equal(found, expected)
    found, expected = (own.evaluate(dense) for own in (rows, whole))
    assert (found.shape, found.dtype) == (expected.shape, expected.dtype)


def test_order_copies_and_kernel_values_are_those_of_one_matrix(twins, rng):
    whole, rows = twins
    idx = rng.permutation(30)[:25]
    for own, other in ((whole, rows), (whole.part(idx), rows.part(idx))):
        assert_array_equal(other.content_order(), own.content_order())
        for found, expected in zip(other.distinct(), own.distinct(), strict=True):
            assert_array_equal(found, expected)
        some = np.array([4, 0, 7])
        found, expected = (r.kernel_columns(Rbf(0.5), some) for r in (other, own))
        assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("gamma", ["scale", "mean", "median", 0.5])
def test_width_is_that_of_one_matrix(twins, gamma):
    widths = [
        rows.fit_width(Polynomial(gamma), np.random.default_rng(0)).gamma
        for rows in twins
    ]
    assert_allclose(*widths, rtol=1e-13)
    assert twins[1].fit_width(Linear(), None) == Linear()


def test_median_width_of_many_rows_is_that_of_one_matrix(rng):
    X = rng.normal(size=(1500, 2))
    kernels = [
        rows.fit_width(Rbf(), np.random.default_rng(0), auto="median")
        for rows in (Rows(X), BlockRows(cut(X, [0, 700, 1500])))
    ]
    assert kernels[0] == kernels[1]


def test_a_kernel_with_a_rule_of_its_own_is_fitted(rng):
    """To all rows if they are few, else to some of them."""

    @dataclass(frozen=True)
    class Own(Kernel):
        gamma: float | None = None
        n_rows: int = 0

        def fit_width(self, X, rng, *, auto="scale"):
            return Own(1.0 / np.abs(X).mean(), X.shape[0])

    X = rng.normal(size=(MEDIAN_ROWS + 500, 2))
    few = X[:30]
    assert BlockRows(cut(few)).fit_width(Own(), rng) == Rows(few).fit_width(Own(), rng)
    some = BlockRows([X[:700], X[700:]]).fit_width(Own(), rng)
    assert some.n_rows == MEDIAN_ROWS
    assert_allclose(some.gamma, Rows(X).fit_width(Own(), rng).gamma, rtol=0.1)


@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_width_is_accurate_far_from_zero(rng, offset):
    """Moments are merged around the mean; sums of squares would lose all digits."""
    X = rng.normal(size=(30, 3)) + offset
    for gamma in ("scale", "mean"):
        widths = [
            rows.fit_width(Rbf(gamma), rng).gamma
            for rows in (Rows(X), BlockRows(cut(X)))
        ]
        assert_allclose(*widths, rtol=1e-9)
    constant = BlockRows(cut(np.full((30, 3), 0.1 + offset)))
    assert constant.fit_width(Rbf("scale"), rng) == Rbf(1.0)


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("kernel", [Rbf(1.0), Cosine()])
@pytest.mark.parametrize(
    "n_neighbors", [pytest.param(1, marks=SLOW), 4, pytest.param(100, marks=SLOW)]
)
@pytest.mark.parametrize(
    "to_format", [np.asarray, *(pytest.param(f, marks=SLOW) for f in FORMATS[1:])]
)
def test_graph_is_that_of_one_matrix(X, kernel, n_neighbors, to_format, rng):
    graph = KnnGraph(n_neighbors)
    idx = rng.permutation(30)[:25]
    whole, rows = Rows(to_format(X)), BlockRows(cut(to_format(X)))
    for own, other in ((whole, rows), (whole.part(idx), rows.part(idx))):
        found, expected = (r.adjacency(graph, kernel) for r in (other, own))
        assert_allclose(found.toarray(), expected.toarray(), rtol=1e-9, atol=1e-12)


def test_no_row_is_its_own_neighbor_among_many_copies(rng):
    X = np.repeat(rng.normal(size=(2, 3)), 8, axis=0)
    adjacency = BlockRows([X[:3], X[3:]]).adjacency(KnnGraph(3), Rbf(1.0))
    assert_array_equal(adjacency.diagonal(), 0.0)
    assert_array_equal(adjacency.toarray()[:8, 8:], 0.0)
    assert adjacency.sum(axis=1).min() >= 3


def test_graph_of_a_single_row_has_no_edge():
    rows = BlockRows([np.ones((1, 2))])
    assert rows.adjacency(KnnGraph(3), Rbf(1.0)).nnz == 0


# What each kind refuses


def test_rows_in_blocks_have_no_single_matrix(twins):
    with pytest.raises(ValueError, match="30 rows in 4 blocks have no single matrix"):
        _ = twins[1].X


def test_a_graph_without_neighbors_is_refused(twins):
    class Complete(Graph):
        def __repr__(self):
            return "Complete()"

    message = r"Complete\(\) needs 30 rows in 4 blocks in one matrix; join them"
    with pytest.raises(ValueError, match=message):
        twins[1].adjacency(Complete(), Rbf(1.0))


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda X: [X[:9], X[9:, :2]], r"block 1 of X .* in 3 columns.* \(21, 2\)"),
        (lambda X: [X[:, :0]], "block 0 of X must hold numbers in 0 columns"),
        (lambda X: [X, X.astype(str)], "block 1 of X must hold numbers .* got <U"),
        (lambda X: [X, X + 1j], "block 1 of X must hold numbers .* got complex128"),
        (lambda X: [X, sparse.csr_matrix(X)], "all blocks dense or all sparse.* csr_"),
        (lambda X: [X, np.where(X[5, 1] == X, np.nan, X)], "block 1 of X holds NaN"),
        (lambda X: [X, sparse.csr_array(X) * np.inf][1:], "block 0 of X holds NaN or"),
        (lambda X: [X[:0], X, X * 1e160], r"block 2 of X holds values up to .*e\+160"),
        (
            lambda X: [X.astype("f4"), 1e19 * X.astype("f4")],
            "large for float32; rescale",
        ),
        (lambda X: [X[:0], X[:0]], "X must have at least one row, got 0 rows in 2 bl"),
    ],
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_bad_blocks_are_named(X, spoil, message):
    with pytest.raises(ValueError, match=message):
        BlockRows(spoil(X)).check("X")


def test_blocks_must_be_arrays_and_not_missing(X):
    with pytest.raises(
        ValueError, match="X must have at least one block of rows, got no"
    ):
        BlockRows([])
    given = [X[:20], pd.DataFrame(X[20:])]
    assert find_kind(given) is BlockRows
    with pytest.raises(TypeError, match=r"block 1 of X .* a DataFrame; use its to_nu"):
        BlockRows(given)


def test_good_blocks_pass(twins):
    for rows in twins:
        rows.check("X")


# A backend that computes elsewhere


def test_everything_that_is_computed_from_all_rows_can_be_sent(X):
    """A subclass that replaces `map` sees functions that can be pickled."""
    sent = []

    class Remote(BlockRows):
        def map(self, function):
            sent.append(function)
            return super().map(pickle.loads(pickle.dumps(function)))

    rows = Remote(cut(X)).part(np.arange(30)[::-1])
    rows.check("X")
    rows.content_order()
    rows.distinct()
    rows.fit_width(Rbf("scale"), None)
    rows.kernel_columns(Rbf(1.0), np.arange(4))
    rows.adjacency(KnnGraph(3), Cosine())
    assert len(sent) == 5 + 3  # a search of all blocks for each that is not empty


@pytest.mark.parametrize("types", [("i8", "i8"), ("f4", "f8"), ("i2", "f4")])
def test_a_backend_computes_with_one_floating_type(X, types):
    X = np.round(3 * X)  # with copies, and exact in all of the types

    class Remote(BlockRows):
        def map(self, function):
            for piece in map(pickle.loads, map(pickle.dumps, self.pieces())):
                yield piece.where, function(piece.read())

    rows = Remote([X[:20].astype(types[0]), X[20:].astype(types[1])])
    assert_array_equal(rows.content_order(), Rows(X).content_order())
    for found, expected in zip(rows.distinct(), Rows(X).distinct(), strict=True):
        assert_array_equal(found, expected)


def test_graph_of_many_rows_in_blocks_uses_an_index(rng, monkeypatch):
    """Block against block would take quadratic time."""
    limits = EXACT_NEIGHBORS._replace(rows=20)
    monkeypatch.setattr(rows_module, "EXACT_NEIGHBORS", limits)
    monkeypatch.setattr(rows_module, "_find_nearest", None)
    X = rng.normal(size=(30, 5))
    found = BlockRows([X[:11], X[11:]]).adjacency(KnnGraph(4), Rbf(1.0))
    expected = Rows(X).adjacency(KnnGraph(4), Rbf(1.0))
    assert_array_equal(found.toarray(), expected.toarray())
