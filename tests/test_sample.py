from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from widemargin.rows import GramRows, Rows
from widemargin.sample import collect_sample, deal_folds

FORMATS = [np.asarray, sparse.csr_matrix]


def make_sample(X, y, weights=None, *, merge="labeled", pairwise=False, **options):
    weights = None if weights is None else np.asarray(weights, dtype=float)
    rows = GramRows(X @ X.T) if pairwise else Rows(X)
    return collect_sample(rows, y, weights, merge=merge, **options)


@pytest.fixture
def y(rng):
    """Thirty samples of three classes, half of them labeled."""
    y = np.arange(30) % 3
    y[rng.permutation(30)[:15]] = -1
    return y


@pytest.fixture
def sample(X, y):
    return make_sample(X, y)


# Copies


@pytest.mark.parametrize("to_format", FORMATS)
def test_copies_of_a_labeled_row_are_one_row_of_their_weight(X, y, to_format):
    again = np.flatnonzero(y >= 0)[[0, 0, 4]]
    sample = make_sample(
        to_format(np.vstack([X, X[again]])), np.append(y, y[again]), np.r_[1.0:34.0]
    )
    assert_array_equal(sample.origin_idx, np.arange(30))
    expected = np.r_[1.0:31.0]
    np.add.at(expected, again, [31.0, 32.0, 33.0])
    assert_array_equal(sample.row_weights, expected)
    assert_array_equal(sample.label_weights, expected[y >= 0])
    assert_array_equal(sample.codes, y[y >= 0])
    assert_array_equal(sample.labeled, y >= 0)
    assert_array_equal(sample.given_row_idx, np.append(np.arange(30), again))


def test_copies_that_stand_first_keep_their_labels_in_order():
    X = np.array([[2.0], [1.0], [2.0], [0.0], [1.0], [0.0]])
    sample = make_sample(X, [7, 5, 7, 5, 5, 3])
    assert_array_equal(sample.origin_idx, [0, 1, 3, 5])
    assert_array_equal(sample.rows.X.ravel(), [2.0, 1.0, 0.0, 0.0])
    assert_array_equal(sample.classes[sample.codes], [7, 5, 5, 3])
    assert_array_equal(sample.row_weights, [2, 2, 1, 1])
    assert_array_equal(sample.given_label_idx, [0, 1, 0, 2, 1, 3])


def test_unlabeled_copies_stay(X, y):
    again = np.flatnonzero(y < 0)[:4]
    sample = make_sample(np.vstack([X, X[again]]), np.append(y, y[again]))
    assert sample.n_unlabeled == 19
    assert_array_equal(sample.origin_idx, np.arange(34))


@pytest.mark.parametrize("to_format", FORMATS)
def test_all_copies_can_be_one_row(X, y, rng, to_format):
    """Then a row may have several labels, each with the weight of its copies."""
    again = rng.integers(30, size=20)
    labels = np.append(y, rng.integers(-1, 3, size=20))
    weights = rng.uniform(0.5, 2.0, 50)
    table = to_format(np.vstack([X, X[again]]))
    sample = make_sample(table, labels, weights, merge="all")
    assert_array_equal(sample.origin_idx, np.arange(30))
    assert_array_equal(sample.given_row_idx, np.append(np.arange(30), again))
    rows = np.append(np.arange(30), again)
    for idx, code, weight in zip(
        sample.label_idx, sample.codes, sample.label_weights, strict=True
    ):
        copies = (rows == idx) & (labels == code)
        assert_allclose(weight, weights[copies].sum())
    pairs = set(zip(rows[labels >= 0], labels[labels >= 0], strict=True))
    assert pairs == set(zip(sample.label_idx, sample.codes, strict=True))
    assert_allclose(sample.row_weights, np.bincount(rows, weights=weights))


@pytest.mark.parametrize("merge", ["labeled", "all", "none"])
def test_every_given_label_finds_its_label(X, y, rng, merge):
    again = rng.integers(30, size=20)
    labels = np.append(y, y[again])
    sample = make_sample(np.vstack([X, X[again]]), labels, merge=merge)
    known = np.flatnonzero(labels >= 0)
    assert_array_equal(sample.codes[sample.given_label_idx], labels[known])
    rows = sample.rows.X[sample.label_idx[sample.given_label_idx]]
    assert_array_equal(rows, np.vstack([X, X[again]])[known])


def test_rows_of_a_gram_matrix_stay(X, y):
    """Which of them are copies shows in no row alone."""
    X, y = np.vstack([X, X[:2]]), np.append(y, y[:2])
    for merge in ("labeled", "all", "none"):
        sample = make_sample(X, y, merge=merge, pairwise=True)
        assert_array_equal(sample.rows.X, X @ X.T)
        assert_array_equal(sample.origin_idx, np.arange(32))


@pytest.mark.parametrize("pairwise", [False, True])
def test_weight_zero_is_absence(X, y, pairwise):
    weights = np.arange(30) % 4
    used = np.flatnonzero(weights)
    sample = make_sample(X, y, weights, pairwise=pairwise)
    assert_array_equal(sample.origin_idx, used)
    expected = (X @ X.T)[np.ix_(used, used)] if pairwise else X[used]
    assert_array_equal(sample.rows.X, expected)
    assert_array_equal(sample.row_weights, weights[used])
    assert_array_equal(sample.labeled, y[used] >= 0)
    assert_array_equal(sample.missing_idx, np.flatnonzero(weights == 0))


def test_weights_of_the_caller_are_not_changed(X, y):
    weights = np.ones(33)
    make_sample(np.vstack([X, X[:3]]), np.append(y, y[:3]), weights)
    assert_array_equal(weights, 1.0)


def test_no_labels_at_all(X):
    sample = make_sample(X, None)
    assert (sample.n_labels, sample.n_classes, sample.n_rows) == (0, 0, 30)
    assert_array_equal(sample.unlabeled_idx, np.arange(30))
    part = sample.part(np.array([4, 2]))
    assert_array_equal(part.rows.X, X[[4, 2]])
    assert_array_equal(sample.sorted().rows.X, X[sample.order])


# Rows that belong to no class


@pytest.mark.parametrize("pairwise", [False, True])
def test_irrelevant_rows_come_last(X, y, rng, pairwise):
    irrelevant, weights = rng.random(30) < 0.3, rng.uniform(1.0, 2.0, 30)
    sample = make_sample(X, y, weights, irrelevant=irrelevant, pairwise=pairwise)
    expected = np.append(np.flatnonzero(~irrelevant), np.flatnonzero(irrelevant))
    assert_array_equal(sample.origin_idx, expected)
    assert_array_equal(sample.irrelevant_idx, np.arange(30)[-irrelevant.sum() :])
    assert_array_equal(sample.row_weights, weights[expected])
    free = ~irrelevant & (y < 0)
    assert_array_equal(sample.origin_idx[sample.unlabeled_idx], np.flatnonzero(free))
    ordered = sample.sorted()
    assert_array_equal(ordered.irrelevant, np.sort(irrelevant))
    assert sample.n_labels == ((y >= 0) & ~irrelevant).sum()


# Orders


@pytest.mark.parametrize("pairwise", [False, True])
def test_sorted_sample_is_the_same_however_it_was_shuffled(X, y, rng, pairwise):
    """Labels, weights and origins move with their rows."""
    weights, order = rng.uniform(1.0, 2.0, 30), rng.permutation(30)
    one = make_sample(X, y, weights, pairwise=pairwise).sorted()
    two = make_sample(X[order], y[order], weights[order], pairwise=pairwise).sorted()
    origin = one.origin_idx
    assert (origin != np.arange(30)).any()
    assert_array_equal(origin, order[two.origin_idx])
    assert_array_equal(one.order, np.arange(30))
    for name in ("label_idx", "codes", "classes", "label_weights", "row_weights"):
        assert_array_equal(getattr(one, name), getattr(two, name))
    expected = (X @ X.T)[np.ix_(origin, origin)] if pairwise else X[origin]
    assert_array_equal(one.rows.X, expected)
    scale = weights[y >= 0].mean()
    assert_allclose(one.row_weights, weights[origin] / scale)
    assert_array_equal(one.labeled, y[origin] >= 0)
    assert_array_equal(one.codes, y[origin][y[origin] >= 0])
    assert_array_equal(one.codes[one.given_label_idx], y[y >= 0])
    assert_array_equal(one.given_row_idx[origin], np.arange(30))


def test_order_of_rows_and_classes_follows_the_content(X, y, rng):
    sample = make_sample(X, y)
    for _ in range(5):
        shuffled, names = rng.permutation(30), rng.permutation(3)
        renamed = np.where(y >= 0, names[y], -1)
        other = make_sample(X[shuffled], renamed[shuffled])
        assert_array_equal(shuffled[other.order], sample.order)
        assert_array_equal(other.class_order, names[sample.class_order])


def test_first_class_is_that_of_the_first_labeled_row(y, sample):
    seen = [y[i] for i in sample.order if y[i] >= 0]
    assert_array_equal(sample.class_order, list(dict.fromkeys(seen)))


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


# Parts


def test_part_keeps_its_labels_and_the_order(X, y, sample, rng):
    others = rng.permutation(np.flatnonzero(y < 0))[:6]
    idx = np.sort(np.concatenate([np.flatnonzero(y >= 0)[2:], others]))
    part = sample.part(idx)
    assert_array_equal(part.rows.X, X[idx])
    assert_array_equal(part.origin_idx, idx)
    assert_array_equal(part.labeled, y[idx] >= 0)
    assert_array_equal(part.codes, y[idx][y[idx] >= 0])
    assert_array_equal(idx[part.order], [i for i in sample.order if i in idx])
    assert_array_equal(part.given_label_idx, [-1, -1, *range(13)])


def test_part_of_a_gram_matrix(X, y):
    idx = np.flatnonzero(y >= 0)
    part = make_sample(X, y, pairwise=True).part(idx)
    assert_array_equal(part.rows.X, (X @ X.T)[np.ix_(idx, idx)])


def test_labels_can_be_hidden(y, sample):
    hidden = np.arange(15) % 3 == 0
    fewer = sample.without(hidden)
    known = np.flatnonzero(y >= 0)
    assert_array_equal(fewer.label_idx, known[~hidden])
    assert_array_equal(fewer.codes, y[known[~hidden]])
    assert fewer.n_unlabeled == 20
    assert_array_equal(fewer.classes, [0, 1, 2])
    assert sample.n_unlabeled == 15  # the sample itself stays


def test_hidden_labels_weigh_like_unlabeled_rows(X, y):
    """A label of the mean weight of labels becomes a row of the mean weight of rows."""
    weights = np.where(y >= 0, 10.0, 2.0)
    fewer = make_sample(X, y, weights).without(np.arange(15) < 4)
    assert_allclose(fewer.row_weights[~fewer.labeled], 2.0)


def test_drawn_rows_hold_all_labels(y, sample, rng):
    drawn = sample.draw_rows(20, rng)
    assert len(drawn) == 20
    assert set(np.flatnonzero(y >= 0)) <= set(drawn.tolist())
    assert_array_equal(drawn, np.unique(drawn))
    assert_array_equal(sample.draw_rows(99, rng), np.arange(30))
    assert_array_equal(sample.draw_rows(3, rng), np.flatnonzero(y >= 0))


def test_thinned_labels_keep_two_of_each_class(rng):
    y = np.r_[np.zeros(50, int), np.ones(40, int), [2, 2, 2]]
    sample = make_sample(rng.normal(size=(93, 2)), y)
    thin = sample.thin_labels(20, rng)
    assert_array_equal(np.bincount(thin.codes), [11, 9, 2])
    assert thin.n_rows == 93
    assert sample.thin_labels(93, rng) is sample


# Back to what was given


def test_transduction_keeps_given_labels_and_predicts_the_rest(X, y):
    names = np.array(["ape", "bee", "cat"])
    y = np.where(y >= 0, names[y], None)
    weights = np.ones(30)
    weights[:4] = 0.0
    sample = make_sample(X, y, weights)
    inferred = np.full(sample.n_rows, 2)
    found = sample.transduce(inferred, np.zeros(4, dtype=int))
    expected = np.array([n or "cat" for n in y], dtype=object)
    expected[:4] = "ape"
    assert_array_equal(found, expected)


def test_values_of_labels_spread_to_their_copies(X, y):
    again = np.flatnonzero(y >= 0)[:2]
    sample = make_sample(np.vstack([X, X[again]]), np.append(y, y[again]))
    values = np.arange(sample.n_labels)[:, None]
    kept = sample.with_labels(np.arange(15) != 1)
    spread = kept.spread_to_given(values[:14])[:, 0]
    assert_array_equal(np.flatnonzero(np.isnan(spread)), [1, 16])
    assert_array_equal(sample.spread_to_given(values)[-2:, 0], [0, 1])


# Shares of the classes


def test_equal_labels_give_equal_shares(X):
    sample = make_sample(X, np.r_[np.arange(15) % 3, np.full(15, -1)])
    assert_allclose(sample.class_shares(), 1 / 3)


def test_differences_that_chance_explains_do_not_count(X):
    """Three labels of one class and two of the other say nothing."""
    sample = make_sample(X, np.r_[[0, 0, 0, 1, 1], np.full(25, -1)])
    assert_allclose(sample.class_shares(), 0.5)


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ((5, 5), 0.0),  # what a person makes who labels each class
        ((3, 3, 2), 0.0),
        ((1, 1, 1), 1.0),  # a single label of each: nothing else to assume
        ((6, 4), 1.0),
        ((7, 3), 1 / 1.6),  # the chi-squared statistic is 1.6, and one is expected
        ((9, 1), 1 / 6.4),
        ((6, 2, 1), 2 / (14 / 3)),
    ],
)
def test_labels_suggest_even_classes_as_far_as_chance_explains_them(
    X, counts, expected
):
    y = np.full(30, -1)
    y[: sum(counts)] = np.repeat(np.arange(len(counts)), counts)
    assert make_sample(X, y).evenness == pytest.approx(expected)


def test_labels_of_chosen_rows_suggest_nothing(X):
    sample = make_sample(X, np.r_[[0] * 6, [1] * 4, np.full(20, -1)])
    chosen = replace(sample, is_drawn=False)
    for part in (chosen, chosen.sorted(), chosen.with_labels(np.arange(10) > 1)):
        assert part.evenness == 0.0


def test_many_labels_count(rng):
    y = np.r_[np.zeros(800, int), np.ones(200, int), np.full(10, -1)]
    sample = make_sample(rng.normal(size=(1010, 2)), y)
    assert_allclose(sample.class_shares(), [0.8, 0.2], atol=0.01)


@pytest.mark.filterwarnings("ignore:y is 0 in most")  # of some of these counts
@settings(deadline=None, max_examples=50)
@given(st.lists(st.integers(1, 40), min_size=2, max_size=5))
def test_shares_lie_between_equal_ones_and_those_of_the_labels(counts):
    y = np.append(np.repeat(np.arange(len(counts)), counts), [-1])
    X = np.random.default_rng(0).normal(size=(len(y), 2))
    shares = make_sample(X, y).class_shares()
    assert_allclose(shares.sum(), 1.0)
    equal, observed = 1 / len(counts), np.array(counts) / sum(counts)
    assert (shares >= np.minimum(equal, observed) - 1e-12).all()
    assert (shares <= np.maximum(equal, observed) + 1e-12).all()


# Folds


@settings(deadline=None)
@given(
    st.lists(st.integers(0, 4), min_size=1, max_size=40),
    st.integers(2, 6),
    st.integers(0, 9),
)
def test_folds_never_hold_all_labels_of_a_class(codes, n_folds, seed):
    codes = np.array(codes)
    folds = deal_folds(codes, n_folds, np.random.default_rng(seed))
    assert folds.shape == codes.shape
    for code in np.unique(codes):
        of_class = folds[codes == code]
        if len(of_class) == 1:
            assert of_class[0] == -1
            continue
        sizes = np.bincount(of_class, minlength=n_folds)
        assert len(sizes) == n_folds
        assert sizes.max() < len(of_class)
        assert sizes.max() - sizes.min() <= 1  # dealt out one by one
    sizes = np.bincount(folds[folds >= 0], minlength=n_folds)
    assert sizes.max() - sizes.min() <= 1


@pytest.mark.parametrize("pairwise", [False, True])
def test_folds_follow_rows_whatever_their_order_and_names(X, y, rng, pairwise):
    shuffled, names = rng.permutation(30), rng.permutation(3)
    renamed = np.where(y >= 0, names[y], -1)
    one = make_sample(X, y, pairwise=pairwise)
    two = make_sample(X[shuffled], renamed[shuffled], pairwise=pairwise)
    folds = [s.deal_folds(np.random.default_rng(5)) for s in (one, two)]
    by_row = [
        dict(zip(s.origin_idx[s.label_idx], f, strict=True))
        for s, f in zip((one, two), folds, strict=True)
    ]
    assert {shuffled[row]: fold for row, fold in by_row[1].items()} == by_row[0]


def test_masks_are_those_of_the_folds_that_hold_a_label(X):
    y = np.full(30, -1)
    y[:6] = [0, 0, 0, 1, 1, 2]  # the label of class 2 is its only one
    sample = make_sample(X, y)
    folds = sample.deal_folds(np.random.default_rng(1))
    masks = sample.fold_masks(np.random.default_rng(1))
    assert len(masks) == len(set(folds[folds >= 0]))
    assert_array_equal(np.sum(masks, axis=0), [folds >= 0, folds >= 0])
    assert_array_equal(sample.fold_masks(np.random.default_rng(1), 2), masks[:2])
    assert sample.unknown_scores(4).shape == (4, 6, 3)
    assert sample.n_columns == sample.signs.shape[1]
    # Trials are on a part of the rows, whose labels are in the same order.
    part = sample.part(np.arange(8))
    trials = sample.trials(part, np.random.default_rng(1))
    for (trial, predicted, row_idx), (hidden, expected) in zip(
        trials, masks, strict=True
    ):
        assert_array_equal(predicted, expected)
        assert_array_equal(trial.label_idx, part.label_idx[~hidden])
        assert_array_equal(part.rows.X[row_idx], X[:6][predicted])


def test_scores_of_the_only_label_of_a_class_are_masked(X):
    sample = make_sample(X[:5], [0, 0, 1, 1, 2])
    scores = np.arange(30.0).reshape(2, 5, 3)
    masked = sample.mask_single(scores)
    assert_array_equal(masked[:, :4], scores[:, :4])
    assert np.isnan(masked[:, 4]).all()
    assert_array_equal(sample.mask_single(scores[0]), masked[0])


@pytest.mark.parametrize("merge", ["labeled", "all", "none"])
def test_labels_of_equal_rows_are_in_the_same_fold(X, y, rng, merge):
    again = np.flatnonzero(y >= 0)
    labels = np.append(y, (y[again] + 1) % 3)  # each row with two labels
    sample = make_sample(np.vstack([X, X[again]]), labels, merge=merge)
    folds = sample.deal_folds(rng)
    fold_of = {}
    for row, fold in zip(sample.rows.X[sample.label_idx], folds, strict=True):
        assert fold_of.setdefault(row.tobytes(), fold) == fold


def test_labels_of_a_class_that_a_fold_hides_whole_are_not_predicted(X):
    """Copies with two labels are hidden together, here the label of class 1."""
    rows = np.vstack([X[:6], X[:1]])
    sample = make_sample(rows, [0, 0, 2, 2, 2, 2, 1], merge="none")
    hides_whole = 0
    for seed in range(20):
        for hidden, predicted in sample.fold_masks(np.random.default_rng(seed)):
            assert not (predicted & ~hidden).any()
            left = np.unique(sample.codes[~hidden])
            assert_array_equal(predicted, hidden & np.isin(sample.codes, left))
            hides_whole += len(left) < 3
    assert hides_whole  # else the test shows nothing


@pytest.mark.parametrize(
    ("y", "expected"),
    [
        ([0, 1, 2, -1], 1.0),
        ([0, 0, 1, 1], 0.25),
        ([0, 0, 1, -1], 0.625),
        ([0, 0, 0, 1], (1 / 9 + 1) / 2),
    ],
)
def test_scarcity_falls_with_the_labels_of_a_class(y, expected):
    sample = collect_sample(Rows(np.arange(4.0)[:, None]), np.array(y))
    assert sample.scarcity == pytest.approx(expected)


def test_values_of_rows_are_those_of_all_given_copies():
    """And unknown for rows of weight zero."""
    X = np.array([[0.0], [1.0], [0.0], [2.0]])
    y, weights = np.array([0, 1, -1, -1]), np.array([1.0, 1.0, 1.0, 0.0])
    sample = collect_sample(Rows(X), y, weights, merge="all")
    values = sample.rows.X + 5.0
    expected = [[5.0], [6.0], [5.0], [np.nan]]
    assert_array_equal(sample.spread_rows(values), expected)


def test_labels_of_a_sorted_sample_weigh_one_on_average(X, y, rng):
    """Copies are counted as one label, and ratios to unlabeled rows stay."""
    weights = rng.uniform(0.5, 2.0, size=len(y))
    X = X.copy()
    labeled = np.flatnonzero(y >= 0)
    X[labeled[1]], y[labeled[1]] = X[labeled[0]], y[labeled[0]]
    for scale in (1e-300, 1.0, 1e300):
        given = make_sample(X, y, scale * weights)
        sample = given.sorted()
        assert_allclose(sample.label_weights.mean(), 1.0)
        assert sample.n_labels == len(labeled) - 1
        shuffled = given.row_weights[sample.origin_idx.argsort().argsort()]
        assert_allclose(
            sample.row_weights / sample.row_weights[0], shuffled / shuffled[0]
        )


def test_thinned_labels_do_not_depend_on_class_names(X, rng):
    y = rng.integers(3, size=len(X))
    names = np.array([2, 0, 1])
    kept = [
        collect_sample(Rows(X), labels).thin_labels(12, np.random.default_rng(0))
        for labels in (y, names[y])
    ]
    assert_array_equal(*(np.sort(sample.label_idx) for sample in kept))
