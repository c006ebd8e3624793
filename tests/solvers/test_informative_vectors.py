import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from widemargin.kernels import Landmarks, Polynomial, Precomputed, Rbf
from widemargin.rows import GramRows, Rows
from widemargin.solvers.informative_vectors import (
    InformativeVectors,
    choose_active,
    informative_vectors,
)

GAMMA, S = 0.2, 0.3
every_kernel = pytest.mark.parametrize(
    "kernel", [Rbf(GAMMA), Polynomial(0.5, 2, 1.0)], ids=repr
)


@pytest.fixture
def X(rng):
    return rng.normal(size=(60, 3))


@pytest.fixture
def noise(rng):
    return S / rng.choice([1.0, 10.0], 60, p=[0.8, 0.2])


@pytest.fixture
def choose(X, noise):
    """The machine for a kernel, and its Gram matrix."""

    def choose(kernel, n_active, **options):
        result = informative_vectors(
            lambda rows: kernel(X, X[rows]),
            kernel.diagonal(X),
            noise,
            n_active,
            **options,
        )
        return result, kernel(X)

    return choose


def batch_variance(gram, noise, rows):
    """Posterior variance at all rows, given the targets of some, by an inverse."""
    inverse = np.linalg.inv(gram[np.ix_(rows, rows)] + np.diag(noise[rows]))
    return np.diagonal(gram - gram[:, rows] @ inverse @ gram[rows])


def entropy_order(gram, noise, given, n_active):
    """Every time the row whose target has lost most of its entropy, from scratch."""
    rows = list(given)
    while len(rows) < n_active:
        variance = batch_variance(gram, noise, np.array(rows, dtype=int))
        lost = 0.5 * np.log(1 + variance / noise)
        lost[rows] = -1
        rows.append(int(np.argmax(lost)))
    return rows


@every_kernel
@pytest.mark.parametrize("given", [[], [41, 7, 23, 50]])
@pytest.mark.parametrize("n_active", [5, 20, 60])
def test_order_is_that_of_the_entropy(choose, noise, kernel, given, n_active):
    result, gram = choose(kernel, n_active, given=given)
    assert_array_equal(result.rows, entropy_order(gram, noise, given, n_active))


def test_equal_noise_picks_as_pivoted_cholesky_of_gram_and_noise(choose, X):
    """The pivots are the largest of what is left of the diagonal of K + s rows."""
    gram, rows = Rbf(GAMMA)(X), []
    left = gram + S * np.eye(60)
    for _ in range(15):
        i = int(np.argmax(np.where(np.isin(np.arange(60), rows), 0, left.diagonal())))
        left = left - np.outer(left[:, i], left[i]) / left[i, i]
        rows.append(i)
    result = informative_vectors(
        lambda some: gram[:, some], np.ones(60), np.full(60, S), 15
    )
    assert_array_equal(result.rows, rows)


@pytest.mark.parametrize("n_given", [1, 17, 40])
def test_given_rows_come_first(choose, rng, n_given):
    given = rng.permutation(60)[:n_given]
    result, _ = choose(Rbf(GAMMA), 40, given=given)
    assert_array_equal(result.rows[:n_given], given)
    assert len(np.unique(result.rows)) == 40


@every_kernel
@pytest.mark.parametrize("given", [[], [41, 7, 23, 50]])
def test_posterior_is_the_batch_formula_on_the_active_rows(
    choose, noise, kernel, given
):
    result, gram = choose(kernel, 25, given=given)
    rows = result.rows
    matrix = gram[np.ix_(rows, rows)] + np.diag(noise[rows])
    assert_allclose(result.variance, batch_variance(gram, noise, rows), atol=1e-8)
    explained = gram[:, rows] @ np.linalg.solve(matrix, gram[rows])
    assert_allclose(result.factor.T @ result.factor, explained, atol=1e-8)


def test_fewer_rows_are_the_first_of_more(choose):
    few, _ = choose(Rbf(GAMMA), 10, given=[3])
    more, _ = choose(Rbf(GAMMA), 30, given=[3])
    assert_array_equal(more.rows[:10], few.rows)
    assert np.all(more.variance <= few.variance)


def test_shuffled_rows_shuffle_the_answer(choose, X, noise, rng):
    kernel, order = Rbf(GAMMA), rng.permutation(60)
    place = np.argsort(order)
    ours, _ = choose(kernel, 20, given=[3, 8])
    other = informative_vectors(
        lambda rows: kernel(X[order], X[order][rows]),
        np.ones(60),
        noise[order],
        20,
        given=place[[3, 8]],
    )
    assert_array_equal(order[other.rows], ours.rows)
    assert_allclose(other.variance[place], ours.variance, atol=1e-12)


def test_copies_and_tiny_noise_leave_everything_finite(X):
    """Sixty rows, five of which are distinct, and as good as no noise."""
    kernel, copies = Rbf(GAMMA), np.repeat(X[:5], 12, axis=0)
    result = informative_vectors(
        lambda rows: kernel(copies, copies[rows]), np.ones(60), np.full(60, 1e-18), 30
    )
    assert_array_equal(np.sort(result.rows[:5] // 12), np.arange(5))
    assert np.all(result.variance >= 0)
    assert_allclose(result.variance, 0, atol=1e-14)


def test_single_precision_is_computed_in_double(X, noise):
    gram, single = Rbf(GAMMA)(X), noise.astype(np.float32)
    ours, other = (
        informative_vectors(lambda rows: gram[:, rows], np.ones(60, dtype), kept, 20)
        for dtype, kept in ((np.float32, single), (np.float64, single.astype(float)))
    )
    assert_array_equal(ours.rows, other.rows)
    assert_allclose(ours.factor, other.factor, rtol=1e-12, atol=1e-14)
    assert_allclose(ours.variance, other.variance, rtol=1e-12)


@pytest.mark.parametrize("ahead", [1, 3, 16, 200])
def test_columns_computed_ahead_change_nothing(choose, X, noise, ahead):
    kernel, sizes = Rbf(GAMMA), []

    def columns(rows):
        sizes.append(len(rows))
        return kernel(X, X[rows])

    result = informative_vectors(
        columns, np.ones(60), noise, 40, given=[9, 4, 5], n_ahead=ahead
    )
    expected = entropy_order(kernel(X), noise, [9, 4, 5], 40)
    assert_array_equal(result.rows, expected)
    assert max(sizes) <= ahead
    assert (len(sizes) == 40) == (ahead == 1)  # no N x N block, and fewer calls


def test_first_of_equal_rows_is_taken(X):
    gram, requested = Rbf(GAMMA)(X), []

    def columns(rows):
        requested.append(rows.tolist())
        return gram[:, rows]

    result = informative_vectors(columns, np.ones(60), np.full(60, S), 2, n_ahead=1)
    assert requested == [[0], [int(np.argmin(gram[0]))]] == [[i] for i in result.rows]


def test_a_single_sample():
    result = informative_vectors(
        lambda rows: np.full((1, 1), 2.0), np.array([2.0]), np.array([0.5]), 1
    )
    assert_allclose(result.variance, [0.4])


@pytest.mark.parametrize(
    ("given", "message"),
    [([1, 2, 3, 4], "got 4 rows, 4 of them"), ([2, 2], "got 2 rows, 1 of them")],
)
def test_given_rows_that_cannot_be_taken_are_refused(choose, given, message):
    with pytest.raises(ValueError, match=message):
        choose(Rbf(GAMMA), 3, given=given)


def test_arguments_are_not_written_to(X, noise):
    gram, diagonal = Rbf(GAMMA)(X), np.ones(60)
    arrays = gram, diagonal, noise
    before = [array.copy() for array in arrays]
    informative_vectors(lambda rows: gram[:, rows], diagonal, noise, 10)
    for array, old in zip(arrays, before, strict=True):
        assert_array_equal(array, old)


# As landmarks


@pytest.mark.parametrize("n_active", [3, 8, 30, 100])
def test_active_rows_are_labeled_ones_first(X, noise, n_active):
    """If there are more labels than that, the most informative of them."""
    kernel, labeled_idx = Rbf(GAMMA), np.array([4, 9, 30, 31, 58])
    found = choose_active(kernel, Rows(X), 2.0, noise, n_active, labeled_idx)
    assert len(np.unique(found)) == len(found) == min(n_active, 60)
    if n_active < 5:
        gram, own = 2.0 * kernel(X[labeled_idx]), noise[labeled_idx]
        expected = labeled_idx[entropy_order(gram, own, [], n_active)]
    else:
        gram = 2.0 * kernel(X)
        expected = entropy_order(gram, noise, labeled_idx, min(n_active, 60))
    assert_array_equal(found, expected)
    gram = GramRows(kernel(X))
    same = choose_active(Precomputed(), gram, 2.0, noise, n_active, labeled_idx)
    assert_array_equal(same, found)


def test_shorthand():
    assert Landmarks.read("ivm", "landmarks") == InformativeVectors()
    with pytest.raises(ValueError, match="n_landmarks of InformativeVectors"):
        InformativeVectors(0)
