import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from label_reference import rbf_gram
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from widemargin.estimators._search_sample import collect_points
from widemargin.labels import read_labels
from widemargin.objectives.class_sizes import nearest_sizes
from widemargin.smoothers import DenseSmoother


def make_sample(X, y, weights=None, *, pairwise=False):
    weights = np.ones(len(y)) if weights is None else np.asarray(weights, dtype=float)
    labels = read_labels(y, weights > 0)
    return collect_points(
        X, labels, weights, np.flatnonzero(weights), pairwise=pairwise
    )


@pytest.fixture
def y(rng):
    """Thirty samples of three classes, half of them labeled."""
    y = np.arange(30) % 3
    y[rng.permutation(30)[:15]] = -1
    return y


@pytest.fixture
def sample(X, y):
    return make_sample(X, y)


def smoother_of(sample):
    weights = sample.loss_weights(1.0)
    return DenseSmoother(rbf_gram(np.asarray(sample.X)), weights, 0.1)


def posed(sample, shares, tolerance):
    return sample.pose(smoother_of(sample), np.asarray(shares), tolerance)


# The points


@pytest.mark.parametrize("to_format", [np.asarray, sparse.csr_matrix])
def test_copies_of_a_labeled_row_are_one_row_of_their_weight(X, y, to_format):
    again = np.flatnonzero(y >= 0)[[0, 0, 4]]
    sample = make_sample(
        to_format(np.vstack([X, X[again]])), np.append(y, y[again]), np.r_[1.0:34.0]
    )
    assert_array_equal(sample.origin, np.arange(30))
    expected = np.r_[1.0:31.0]
    np.add.at(expected, again, [31.0, 32.0, 33.0])
    assert_array_equal(sample.row_weights, expected)
    assert_array_equal(sample.labels.codes, y[y >= 0])
    assert_array_equal(sample.labels.labeled, y >= 0)


def test_copies_that_stand_first_keep_their_labels_in_order():
    X = np.array([[2.0], [1.0], [2.0], [0.0], [1.0], [0.0]])
    sample = make_sample(X, [7, 5, 7, 5, 5, 3])
    assert_array_equal(sample.origin, [0, 1, 3, 5])
    assert_array_equal(sample.X.ravel(), [2.0, 1.0, 0.0, 0.0])
    assert_array_equal(sample.labels.classes[sample.labels.codes], [7, 5, 5, 3])
    assert_array_equal(sample.row_weights, [2, 2, 1, 1])


def test_unlabeled_copies_stay(X, y):
    again = np.flatnonzero(y < 0)[:4]
    sample = make_sample(np.vstack([X, X[again]]), np.append(y, y[again]))
    assert sample.n_unlabeled == 19
    assert_array_equal(sample.origin, np.arange(34))


@pytest.mark.parametrize("pairwise", [False, True])
def test_sorted_sample_is_the_same_however_it_was_shuffled(X, y, rng, pairwise):
    """Labels, weights and origins move with their rows."""
    weights, order = rng.uniform(1.0, 2.0, 30), rng.permutation(30)
    table, moved = (rows @ rows.T if pairwise else rows for rows in (X, X[order]))
    sample = make_sample(table, y, weights, pairwise=pairwise)
    one = sample.sorted(pairwise=pairwise)
    two = make_sample(moved, y[order], weights[order], pairwise=pairwise)
    two = two.sorted(pairwise=pairwise)
    assert_array_equal(one.origin, order[two.origin])
    assert_array_equal(one.order, np.arange(30))
    for name in ("labeled", "codes", "classes"):
        assert_array_equal(getattr(one.labels, name), getattr(two.labels, name))
    origin = one.origin
    assert (origin != np.arange(30)).any()
    expected = table[np.ix_(origin, origin)] if pairwise else X[origin]
    assert_array_equal(one.X, expected)
    assert_array_equal(one.row_weights, weights[origin])
    assert_array_equal(one.labels.labeled, y[origin] >= 0)
    assert_array_equal(one.labels.codes, y[origin][y[origin] >= 0])


def test_rows_of_a_gram_matrix_stay(X, y):
    """Which of them are copies shows in no row alone."""
    X, y = np.vstack([X, X[:2]]), np.append(y, y[:2])
    gram = X @ X.T
    sample = make_sample(gram, y, pairwise=True)
    assert sample.X is gram
    assert_array_equal(sample.origin, np.arange(32))


def test_weight_zero_is_absence(X, y):
    weights = np.arange(30) % 4
    used = np.flatnonzero(weights)
    for pairwise in (False, True):
        table = X @ X.T if pairwise else X
        sample = make_sample(table, y, weights, pairwise=pairwise)
        assert_array_equal(sample.origin, used)
        expected = table[np.ix_(used, used)] if pairwise else X[used]
        assert_array_equal(sample.X, expected)
        assert_array_equal(sample.row_weights, weights[used])
        assert_array_equal(sample.labels.labeled, y[used] >= 0)


def test_weights_of_the_caller_are_not_changed(X, y):
    weights = np.ones(33)
    make_sample(np.vstack([X, X[:3]]), np.append(y, y[:3]), weights)
    assert_array_equal(weights, 1.0)


# Weights in the loss


@pytest.mark.parametrize("unlabeled_weight", [0.1, 1.0, 3.0])
def test_labeled_weights_add_up_to_one_and_the_others_to_theirs(
    X, y, rng, unlabeled_weight
):
    weights = rng.uniform(0.5, 2.0, 30)
    loss = make_sample(X, y, weights).loss_weights(unlabeled_weight)
    for mask, total in ((y >= 0, 1.0), (y < 0, unlabeled_weight)):
        assert_allclose(loss[mask], total * weights[mask] / weights[mask].sum())


def test_all_rows_labeled(X):
    sample = make_sample(X, np.arange(30) % 2)
    assert sample.n_unlabeled == 0
    assert_allclose(sample.loss_weights(5.0), 1 / 30)


def test_loss_weights_do_not_change_the_sample(sample):
    sample.loss_weights(2.0)
    assert_array_equal(sample.row_weights, 1.0)


# Parts of it


def test_part_keeps_its_labels_and_the_order(X, y, sample, rng):
    others = rng.permutation(np.flatnonzero(y < 0))[:6]
    rows = np.sort(np.concatenate([np.flatnonzero(y >= 0), others]))
    part = sample.part(rows, pairwise=False)
    assert_array_equal(part.X, X[rows])
    assert_array_equal(part.origin, rows)
    assert_array_equal(part.labels.labeled, y[rows] >= 0)
    assert_array_equal(part.labels.codes, y[y >= 0])
    assert_array_equal(rows[part.order], [i for i in sample.order if i in rows])


def test_part_of_a_gram_matrix(X, y):
    gram, rows = X @ X.T, np.flatnonzero(y >= 0)
    part = make_sample(gram, y, pairwise=True).part(rows, pairwise=True)
    assert_array_equal(part.X, gram[np.ix_(rows, rows)])


def test_labels_can_be_hidden(y, sample):
    hidden = np.arange(15) % 3 == 0
    fewer = sample.without(hidden)
    known = np.flatnonzero(y >= 0)
    assert_array_equal(fewer.labels.labeled_idx, known[~hidden])
    assert_array_equal(fewer.labels.codes, y[known[~hidden]])
    assert fewer.n_unlabeled == 20
    assert_array_equal(fewer.labels.classes, [0, 1, 2])
    assert sample.n_unlabeled == 15  # the sample itself stays


# Order


def test_order_of_rows_and_classes_follows_the_content(X, y, rng):
    sample = make_sample(X, y)
    for _ in range(5):
        shuffled, names = rng.permutation(30), rng.permutation(3)
        renamed = np.where(y >= 0, names[y], -1)
        other = make_sample(X[shuffled], renamed[shuffled])
        assert_array_equal(shuffled[other.order], sample.order)
        assert_array_equal(other.class_order, names[sample.class_order])


def test_first_class_is_that_of_the_first_labeled_row(X, y, sample):
    seen = [y[i] for i in sample.order if y[i] >= 0]
    assert_array_equal(sample.class_order, list(dict.fromkeys(seen)))


# Shares of the classes


def test_equal_labels_give_equal_shares(X):
    sample = make_sample(X, np.r_[np.arange(15) % 3, np.full(15, -1)])
    assert_allclose(sample.label_shares(), 1 / 3)


def test_differences_that_chance_explains_are_not_believed(X):
    """Three labels of one class and two of the other say nothing."""
    sample = make_sample(X, np.r_[[0, 0, 0, 1, 1], np.full(25, -1)])
    assert_allclose(sample.label_shares(), 0.5)


def test_many_labels_are_believed(rng):
    y = np.r_[np.zeros(800, int), np.ones(200, int), np.full(10, -1)]
    sample = make_sample(rng.normal(size=(1010, 2)), y)
    assert_allclose(sample.label_shares(), [0.8, 0.2], atol=0.01)


@settings(deadline=None, max_examples=50)
@given(st.lists(st.integers(1, 40), min_size=2, max_size=5))
def test_shares_lie_between_equal_ones_and_those_of_the_labels(counts):
    y = np.append(np.repeat(np.arange(len(counts)), counts), [-1])
    X = np.random.default_rng(0).normal(size=(len(y), 2))
    shares = make_sample(X, y).label_shares()
    assert_allclose(shares.sum(), 1.0)
    equal, observed = 1 / len(counts), np.array(counts) / sum(counts)
    assert (shares >= np.minimum(equal, observed) - 1e-12).all()
    assert (shares <= np.maximum(equal, observed) + 1e-12).all()


# The problem


def test_classes_are_numbered_by_their_order(y, sample):
    problem = posed(sample, [0.2, 0.3, 0.5], 0.0)
    labeled = y >= 0
    assert_array_equal(problem.movable, ~labeled)
    assert_array_equal(sample.class_order[problem.given[labeled]], y[labeled])
    assert problem.given.dtype == np.int32
    assert_array_equal(problem.order, [i for i in sample.order if y[i] < 0])


def test_sizes_count_given_labels_in_the_order_of_the_search(y, sample):
    shares = np.array([0.2, 0.3, 0.5])
    problem, order = posed(sample, shares, 0.0), sample.class_order
    n_given = np.bincount(y[y >= 0])
    expected = nearest_sizes(shares[order], 15) + n_given[order]
    assert_array_equal(problem.lower, expected)
    assert_array_equal(problem.upper, expected)
    assert_allclose(problem.target, (15 * shares + n_given)[order])


def test_no_tolerance_is_no_bound(y, sample):
    problem = posed(sample, [0.2, 0.3, 0.5], None)
    n_given = np.bincount(y[y >= 0])[sample.class_order]
    assert_array_equal(problem.lower, n_given)
    assert_array_equal(problem.upper, n_given + 15)


def test_automatic_tolerance_is_a_factor(y, sample):
    shares = np.array([0.2, 0.3, 0.5])
    problem, order = posed(sample, shares, "auto"), sample.class_order
    n_given = np.bincount(y[y >= 0])[order]
    assert_array_equal(problem.lower - n_given, np.array([2, 3, 5])[order])
    assert_array_equal(problem.upper - n_given, np.array([5, 7, 12])[order])
