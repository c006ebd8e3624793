import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from widemargin.defaults import Ladder
from widemargin.kernels import Linear, Nystrom, Precomputed, Rbf
from widemargin.rows import BlockRows, GramRows, Rows
from widemargin.spaces import FeatureSpace, GramRowSpace, GramSpace, choose_space
from widemargin.spaces.choose import check_gram_memory

LADDER = Ladder(exact_rows=30, n_landmarks=6)


def choose(kernel, rows, landmarks="auto", ladder=LADDER, **options):
    rng = np.random.default_rng(0)
    return choose_space(
        kernel, rows, landmarks, rng, ladder=ladder, who="Model", **options
    )


def test_few_rows_are_exact(X):
    space = choose(Rbf(0.5), Rows(X))
    assert isinstance(space, GramSpace)
    assert_allclose(space.gram, Rbf(0.5)(X))


def test_many_rows_get_landmarks(X):
    space = choose(Rbf(0.5), Rows(X), ladder=Ladder(29, 6))
    assert isinstance(space, FeatureSpace)
    assert space.n_coordinates == 6


def test_wish_of_the_user_comes_first(X):
    rows = Rows(X)
    assert isinstance(choose(Rbf(0.5), rows, None, Ladder(2, 2)), GramSpace)
    assert choose(Rbf(0.5), rows, 4).n_coordinates == 4
    assert choose(Rbf(0.5), rows, Nystrom(5, "uniform")).n_coordinates == 5


def test_linear_kernel_of_few_features_is_its_features(X):
    space = choose(Linear(), Rows(X))
    assert space.features is X
    assert isinstance(choose(Linear(), Rows(X.T)), GramSpace)  # more than rows
    assert isinstance(choose(Linear(), Rows(X), features=False), GramSpace)


def test_sparse_features_only_where_a_solver_takes_them(X):
    rows = Rows(sparse.csr_matrix(X))
    assert isinstance(choose(Linear(), rows), GramSpace)
    assert choose(Linear(), rows, sparse_features=True).features is rows.X


def test_large_gram_matrix_is_not_kept_where_rows_suffice(X):
    options = {"reads_rows": True, "gram_bytes": 30 * 30 * 8 - 1}
    assert isinstance(choose(Rbf(0.5), Rows(X), **options), GramRowSpace)
    assert isinstance(choose(Rbf(0.5), Rows(X), reads_rows=True), GramSpace)
    gram = GramRows(X @ X.T)
    assert isinstance(choose(Precomputed(), gram, **options), GramSpace)


@pytest.mark.parametrize("choice", ["uniform", "kmeans++", "kmeans"])
def test_rows_in_blocks_give_the_landmarks_of_one_matrix(X, choice):
    rows = Rows(X), BlockRows([X[:11], X[11:12], X[12:]])
    whole, in_blocks = (choose(Rbf(0.5), own, Nystrom(7, choice)) for own in rows)
    assert_array_equal(in_blocks.basis.points, whole.basis.points)
    assert_allclose(in_blocks.features, whole.features, atol=1e-12)


@pytest.mark.parametrize("landmarks", ["auto", Nystrom(6, "pivoted")])
def test_rows_in_blocks_always_have_landmarks(X, landmarks):
    """However few rows there are."""
    rows = BlockRows([X[:11], X[11:12], X[12:]])
    space = choose(Rbf(0.5), rows, landmarks)
    points = space.basis.points
    assert len(points) == LADDER.n_landmarks
    cross, gram = Rbf(0.5)(X, points), Rbf(0.5)(points)
    expected = cross @ np.linalg.solve(gram, cross.T)
    assert_allclose(space.features @ space.features.T, expected, atol=1e-8)


def test_landmarks_of_a_linear_kernel_lose_nothing(X):
    """If there are as many as features."""
    space = choose(Linear(), BlockRows([X[:11], X[11:]]))
    assert space.n_coordinates == X.shape[1]
    assert_allclose(space.features @ space.features.T, X @ X.T, atol=1e-8)


def test_exact_space_of_rows_in_blocks_is_refused(X):
    message = "Model got 30 rows in 2 blocks, and exact kernels .* set landmarks to"
    with pytest.raises(ValueError, match=message):
        choose(Rbf(0.5), BlockRows([X[:11], X[11:]]), None)


@pytest.mark.parametrize("landmarks", [None, 30, 8])
def test_function_of_a_gram_matrix_names_given_rows(X, landmarks, rng):
    """Predictions on kernel values equal those on the rows."""
    kept = np.arange(2, 30)
    gram = GramRows(X @ X.T).take(kept)
    space = choose(Precomputed(), gram, landmarks)
    c = rng.normal(size=(space.n_coordinates, 2))
    function = space.to_function(c, 0.5)
    function.check(30)
    assert_allclose(function(X @ X.T)[kept], space.scores(c) + 0.5, atol=1e-7)
    assert set(np.unique(function.points)) <= set(kept)


@pytest.mark.parametrize("kernel", [Rbf(0.5), Linear()])
@pytest.mark.parametrize("landmarks", [None, 8])
@pytest.mark.parametrize("constant", [0.0, 2.0])
def test_function_extends_the_scores(X, X_new, rng, kernel, landmarks, constant):
    space = choose(kernel, Rows(X), landmarks)
    space = space.with_constant(constant) if constant else space
    c = rng.normal(size=(space.n_coordinates, 3))
    constants = np.array([0.0, 1.0, 2.0])
    function = space.to_function(c, constants)
    assert_allclose(function(X), space.scores(c) + constants, atol=1e-7)
    assert np.isfinite(function(X_new)).all()
    function.check(3)


def test_kernel_functions_without_a_coefficient_are_left_out(X):
    space, c = choose(Rbf(0.5), Rows(X)), np.zeros((30, 2))
    c[[3, 17], [0, 1]] = 1.0
    assert_array_equal(space.to_function(c).points, X[[3, 17]])
    assert space.to_function(np.zeros((30, 2))).n_points == 1


# Exact functions and those of all landmarks are the same


@pytest.fixture
def twins(X):
    """The Gram matrix, rows of it on demand, and features of as many landmarks."""
    rows = Rows(X)
    gram, features = (choose(Rbf(0.5), rows, n) for n in (None, 30))
    return gram, GramRowSpace(Rbf(0.5), rows), features


def test_centered_spaces_agree(twins, rng):
    """The mean score of the rows that they are centered on is the intercept."""
    weights = rng.dirichlet(np.ones(30))
    dual = np.append(rng.normal(size=30), 0.25)
    scores = [space.centered(weights).dual_scores(dual) for space in twins]
    for found in scores:
        assert_allclose(found, scores[0], atol=1e-8)
        assert_allclose(weights @ found, 0.25, atol=1e-8)


@pytest.mark.parametrize("is_centered", [False, True])
def test_dual_variables_give_the_same_function(twins, X_new, rng, is_centered):
    weights, dual = rng.dirichlet(np.ones(30)), rng.normal(size=(31, 2))
    values = []
    for space in twins:
        space = space.centered(weights) if is_centered else space
        function = space.to_function(*space.from_dual(dual))
        columns = [space.dual_scores(column) for column in dual.T]
        assert_allclose(function(space_rows(twins)), np.stack(columns, 1), atol=1e-7)
        values.append(function(X_new))
    for found in values:
        assert_allclose(found, values[0], atol=1e-6)


def space_rows(twins):
    return twins[0].rows.X


def test_products_and_scales_agree(twins, rng):
    gram, _, features = twins
    V = rng.normal(size=(30, 3))
    assert_allclose(features.kernel_product(V), gram.kernel_product(V), atol=1e-8)
    assert_allclose(features.mean_diagonal(), gram.mean_diagonal())
    some = np.array([5, 1, 20])
    found, expected = (space.part(some).kernel_product(V[:3]) for space in twins[::2])
    assert_allclose(found, expected, atol=1e-8)


def test_fits_to_some_rows_agree(twins, rng):
    gram, _, features = twins
    idx, targets = np.array([0, 4, 7, 11]), rng.normal(size=(4, 2))
    weights = rng.uniform(0.5, 1.0, 4)
    scores = [
        space.scores(space.fit_rows(idx, targets, weights, 0.1))
        for space in (gram, features)
    ]
    assert_allclose(*scores, atol=1e-7)


# Memory


def test_gram_matrix_beyond_the_memory_is_refused():
    model = "Model", "landmarks=None"
    check_gram_memory(1000, 8, *model, installed=8_000_000)
    with pytest.raises(MemoryError, match="Model with landmarks=None needs a Gram mat"):
        check_gram_memory(1000, 8, *model, installed=7_999_999)


@pytest.mark.parametrize(
    ("rows", "landmarks", "setting"),
    [
        (Rows(np.eye(20)), None, "landmarks=None"),
        (Rows(np.eye(20)), "auto", "landmarks='auto'"),
        (GramRows(np.eye(20)), "auto", "kernel='precomputed'"),
    ],
)
def test_memory_message_names_what_was_given(rows, landmarks, setting, monkeypatch):
    monkeypatch.setattr("widemargin.spaces.choose.allowed_memory", lambda: 1000)
    kernel = Precomputed() if rows.pairwise else Rbf(1.0)
    with pytest.raises(MemoryError, match=f"Model with {setting} needs a Gram matrix"):
        choose(kernel, rows, landmarks)
