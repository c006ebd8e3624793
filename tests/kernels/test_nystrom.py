import numpy as np
import pytest
import reference
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.cluster import KMeans

from widemargin.kernels import (
    Cosine,
    Laplacian,
    Linear,
    NystromMap,
    Polynomial,
    Precomputed,
    Rbf,
    choose_landmarks,
)
from widemargin.kernels.nystrom import CHOICES

every_kernel = pytest.mark.parametrize(
    "kernel",
    [Rbf(0.5), Laplacian(0.5), Polynomial(0.5, 3, 1.0), Linear(), Cosine()],
    ids=repr,
)
every_choice = pytest.mark.parametrize("choice", CHOICES)


@every_kernel
def test_all_samples_as_landmarks_reproduce_the_kernel(kernel, X, X_new):
    nystrom = NystromMap.fit(kernel, X, np.arange(30))
    gram = kernel(X)
    assert_allclose(nystrom(X) @ nystrom(X).T, gram, atol=1e-9 * gram.max())
    new = kernel(X_new, X)
    assert_allclose(nystrom(X_new) @ nystrom(X).T, new, atol=1e-7 * abs(new).max())


@every_kernel
def test_features_match_the_pseudo_inverse(kernel, X):
    rows = np.array([2, 3, 11, 17, 25])
    features = NystromMap.fit(kernel, X, rows)(X)
    expected = reference.nystrom_gram(kernel(X), rows)
    assert_allclose(features @ features.T, expected, atol=1e-9)


def test_coefficients_give_the_same_function(X, X_new, rng):
    """The function with feature weights w is a sum of landmarks' kernel functions."""
    rows = np.array([2, 11, 25])
    nystrom = NystromMap.fit(Rbf(0.5), X, rows)
    w = rng.normal(size=(3, 2))
    by_kernel = Rbf(0.5)(X_new, X[rows]) @ (nystrom.whitening @ w)
    assert_allclose(nystrom(X_new) @ w, by_kernel, atol=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_copies_among_the_landmarks_change_nothing(X, dtype):
    X = X.astype(dtype)
    X[5:10] = X[:5]
    once = NystromMap.fit(Rbf(0.5), X, np.arange(5))(X)
    twice = NystromMap.fit(Rbf(0.5), X, np.arange(10))(X)
    assert twice.shape == (30, 5)
    assert twice.dtype == dtype
    tolerance = 1e4 * np.finfo(dtype).eps
    assert_allclose(twice @ twice.T, once @ once.T, atol=tolerance)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_more_landmarks_than_features_of_a_linear_kernel(X, dtype):
    X = X.astype(dtype)
    features = NystromMap.fit(Linear(), X, np.arange(20))(X)
    assert features.shape == (30, 3)
    assert_allclose(features @ features.T, X @ X.T, atol=1e3 * np.finfo(dtype).eps)


def test_kernel_of_rank_zero():
    X = np.zeros((6, 2))
    assert NystromMap.fit(Linear(), X, np.arange(3))(X).shape == (6, 0)


@every_kernel
def test_approximation_never_exceeds_the_kernel(kernel, X):
    """What landmarks leave out is positive semi-definite."""
    gram = kernel(X)
    features = NystromMap.fit(kernel, X, np.arange(8))(X)
    left = np.linalg.eigvalsh(gram - features @ features.T)
    assert left[0] >= -1e-9 * gram.max()


def test_more_pivoted_landmarks_are_never_worse(X, rng):
    kernel, gram = Rbf(0.5), Rbf(0.5)(X)
    errors, chosen = [], set()
    for n_landmarks in (2, 5, 10, 20, 30):
        rows = choose_landmarks(kernel, X, n_landmarks, rng, "pivoted")
        assert chosen <= set(rows)
        chosen = set(rows)
        features = NystromMap.fit(kernel, X, rows)(X)
        errors.append(np.trace(gram - features @ features.T))
    assert (np.diff(errors) < 0).all()
    assert abs(errors[-1]) < 1e-9


@pytest.mark.parametrize("kernel", [Rbf(0.5), Polynomial(0.5, 3, 1.0), Linear()])
@pytest.mark.parametrize("n_landmarks", [1, 2, 3])
def test_pivots_have_the_largest_variance_left(kernel, X, rng, n_landmarks):
    rows = choose_landmarks(kernel, X, n_landmarks, rng, "pivoted")
    expected = reference.pivots(kernel(X), n_landmarks)
    assert_array_equal(rows, np.sort(expected))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_pivoted_stops_at_the_rank(X, rng, dtype):
    """Three features, or five distinct rows: no variance is left after as many."""
    X = X.astype(dtype)
    assert len(choose_landmarks(Linear(), X, 20, rng, "pivoted")) == 3
    copies = np.repeat(X[:5], 6, axis=0)
    rows = choose_landmarks(Rbf(0.5), copies, 20, rng, "pivoted")
    assert_array_equal(rows // 6, np.arange(5))


def test_pivoted_on_a_kernel_of_zeros_has_one_landmark(rng):
    X = np.zeros((6, 2))
    rows = choose_landmarks(Linear(), X, 3, rng, "pivoted")
    assert len(rows) == 1
    assert NystromMap.fit(Linear(), X, rows)(X).shape == (6, 0)


@every_choice
@pytest.mark.parametrize("n_landmarks", [1, 7, 29])
@pytest.mark.parametrize("to_format", [np.asarray, sparse.csr_matrix])
def test_landmarks_are_distinct_increasing_rows(X, rng, choice, n_landmarks, to_format):
    rows = choose_landmarks(Rbf(5.0), to_format(X), n_landmarks, rng, choice)
    assert rows.dtype.kind == "i"
    assert rows.shape == (n_landmarks,)
    assert (np.diff(rows) > 0).all()
    assert rows[0] >= 0
    assert rows[-1] < 30


@every_choice
@pytest.mark.parametrize("n_landmarks", [30, 31, 500])
def test_no_more_samples_than_landmarks_are_all_taken(X, rng, choice, n_landmarks):
    rows = choose_landmarks(Rbf(0.5), X, n_landmarks, rng, choice)
    assert_array_equal(rows, np.arange(30))


@every_choice
def test_same_generator_same_landmarks(rng, choice):
    X = rng.normal(size=(300, 3))
    first, again, other = (
        choose_landmarks(Rbf(0.5), X, 10, np.random.default_rng(seed), choice)
        for seed in (1, 1, 2)
    )
    assert_array_equal(first, again)
    assert np.array_equal(first, other) == (choice == "pivoted")


def test_spread_landmarks_find_a_far_sample(rng):
    """One sample in 100 is far away: k-means++ takes it, chance would not."""
    X = rng.normal(size=(100, 2))
    X[42] = 1e4
    kernel = Linear()
    for seed in range(20):
        rng = np.random.default_rng(seed)
        assert 42 in choose_landmarks(kernel, X, 5, rng, "kmeans++")


@pytest.mark.parametrize("to_format", [np.asarray, sparse.csr_matrix])
def test_central_landmarks_are_in_the_middle_of_each_cluster(to_format):
    """One row of each of four clusters, the one nearest to their mean."""
    rng = np.random.default_rng(0)
    centers = np.array([[0.0, 0.0], [30.0, 0.0], [0.0, 30.0], [30.0, 30.0]])
    X = np.repeat(centers, 15, axis=0) + rng.normal(size=(60, 2))
    for seed in range(10):
        rng = np.random.default_rng(seed)
        rows = choose_landmarks(Rbf(0.5), to_format(X), 4, rng, "kmeans")
        for k, row in enumerate(rows):
            cluster = X[15 * k : 15 * (k + 1)]
            distances = np.linalg.norm(cluster - cluster.mean(axis=0), axis=1)
            assert row == 15 * k + distances.argmin()


def test_central_landmarks_of_copies_are_each_row_once(rng):
    distinct = np.array([[0.0, 1.0], [4.0, 1.0], [2.0, 3.0], [-1.0, -2.0]])
    rows = choose_landmarks(Rbf(0.5), np.repeat(distinct, 5, axis=0), 4, rng, "kmeans")
    assert_array_equal(rows // 5, np.arange(4))


def test_central_landmarks_of_many_rows_look_at_a_pool(rng, monkeypatch):
    """No more than twenty candidates for each landmark are clustered."""
    sizes, fit = [], KMeans.fit

    def counting(self, X, *args):
        sizes.append(X.shape[0])
        return fit(self, X, *args)

    monkeypatch.setattr(KMeans, "fit", counting)
    X = rng.normal(size=(1000, 2))
    rows = choose_landmarks(Rbf(0.5), X, 3, rng, "kmeans")
    assert len(set(rows)) == 3
    assert sizes == [60]


def test_central_landmarks_of_a_gram_matrix_are_refused(X, rng):
    message = "landmarks='kmeans' needs rows of features.* use landmarks='kmeans\\+\\+'"
    with pytest.raises(ValueError, match=message):
        choose_landmarks(Precomputed(), Rbf(0.5)(X), 6, rng, "kmeans")


@pytest.mark.parametrize("n_landmarks", [4, 8])
def test_spread_landmarks_of_few_distinct_rows(n_landmarks):
    """All distinct rows are taken first, then copies fill up."""
    distinct = np.array([[0.0, 1.0], [4.0, 1.0], [2.0, 3.0], [-1.0, -2.0]])
    copies = np.repeat(distinct, 5, axis=0)
    for seed in range(10):
        rng = np.random.default_rng(seed)
        rows = choose_landmarks(Linear(), copies, n_landmarks, rng, "kmeans++")
        assert len(set(rows)) == n_landmarks
        assert set(rows // 5) == {0, 1, 2, 3}


def test_spread_landmarks_of_many_rows_look_at_a_pool(rng):
    """No more than twenty candidates for each landmark are compared."""
    X = rng.normal(size=(1000, 2))
    sizes = []

    class Counting(Rbf):
        def __call__(self, X, Z=None):
            sizes.append(X.shape[0])
            return super().__call__(X, Z)

    rows = choose_landmarks(Counting(0.5), X, 3, rng, "kmeans++")
    assert len(set(rows)) == 3
    assert max(sizes) == 60


@pytest.mark.parametrize("choice", [c for c in CHOICES if c != "kmeans"])
def test_precomputed_gives_the_same_landmarks_and_features(X, X_new, choice):
    kernel, n_landmarks = Rbf(0.5), 6
    gram, values = kernel(X), kernel(X_new, X)
    rows, same = (
        choose_landmarks(k, data, n_landmarks, np.random.default_rng(0), choice)
        for k, data in [(kernel, X), (Precomputed(), gram)]
    )
    assert_array_equal(same, rows)
    points = NystromMap.fit(kernel, X, rows)
    positions = NystromMap.fit(Precomputed(), gram, rows)
    assert_allclose(
        positions(values) @ positions(gram).T,
        points(X_new) @ points(X).T,
        atol=1e-10,
    )
    w = np.arange(6.0)[:, None]
    by_positions = values[:, rows] @ (positions.whitening @ w)
    assert_allclose(positions(values) @ w, by_positions, atol=1e-10)


def test_unknown_choice_is_refused_by_value(X, rng):
    message = "choice of landmarks must be one of uniform, .* got 'random'"
    with pytest.raises(ValueError, match=message):
        choose_landmarks(Rbf(0.5), X, 3, rng, "random")
