import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from widemargin.estimators._hinge_sample import collect_hinge_sample
from widemargin.labels import read_labels

NONE = np.array([], dtype=int)
ASIDE = np.array([20, 21, 22])  # the rows known to be irrelevant


@pytest.fixture
def y(rng):
    """Thirty samples of three classes, half of them labeled."""
    y = np.arange(30) % 3
    y[rng.permutation(30)[:15]] = -1
    return y


@pytest.fixture
def weights(rng):
    return rng.uniform(0.5, 2.0, 30)


def collect(X, y, weights, *, aside=ASIDE, pairwise=False):
    known = np.setdiff1d(np.arange(len(y)), aside)
    labels = read_labels(y[known])
    return collect_hinge_sample(
        X, labels, weights, known, aside, 2.5, pairwise=pairwise
    )


@pytest.fixture
def collected(X, y, weights):
    """The sample, and where its rows come from."""
    sample, _, origin = collect(X, y, weights)
    return sample, origin


# Its rows


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix])
def test_irrelevant_rows_stand_behind_the_others(X, y, weights, kind):
    sample, rows, origin = collect(kind(X), y, weights)
    assert_array_equal(np.sort(origin), np.arange(30))
    assert_array_equal(np.sort(origin[27:]), ASIDE)
    assert_array_equal(rows if kind is np.asarray else rows.toarray(), X[origin])
    assert (sample.n_known, sample.n_samples) == (27, 30)
    assert_array_equal(sample.irrelevant_idx, [27, 28, 29])
    assert_array_equal(sample.aside, weights[origin[27:]])
    assert_array_equal(sample.known.row_weights, weights[origin[:27]])
    assert_array_equal(sample.unlabeled_idx, np.flatnonzero(y[origin[:27]] < 0))
    labeled = sample.labels.labeled_idx
    assert_array_equal(sample.labels.classes[sample.labels.codes], y[origin[labeled]])
    if kind is not np.asarray:
        assert rows.format == "csr"


def test_rows_of_a_gram_matrix(X, y, weights):
    gram = X @ X.T
    sample, rows, origin = collect(gram, y, weights, pairwise=True)
    assert_array_equal(np.sort(origin[27:]), ASIDE)
    assert_array_equal(rows, gram[np.ix_(origin, origin)])
    assert_array_equal(sample.labels.labeled, y[origin[:27]] >= 0)
    assert_array_equal(sample.aside, weights[origin[27:]])


@pytest.mark.parametrize("pairwise", [False, True])
def test_no_irrelevant_rows(X, y, weights, pairwise):
    table = X @ X.T if pairwise else X
    sample, rows, origin = collect(table, y, weights, aside=NONE, pairwise=pairwise)
    expected = table[np.ix_(origin, origin)] if pairwise else X[origin]
    assert_array_equal(rows, expected)
    assert_array_equal(np.sort(origin), np.arange(30))
    assert sample.n_samples == sample.n_known == 30
    assert len(sample.irrelevant_idx) == 0


@pytest.mark.parametrize("pairwise", [False, True])
def test_order_of_the_rows_is_that_of_their_content(X, y, weights, rng, pairwise):
    """Shuffled rows make the same sample, irrelevant ones included."""
    order = rng.permutation(30)
    shuffled = X[order] @ X[order].T if pairwise else X[order]
    aside = rng.permutation(np.flatnonzero(np.isin(order, ASIDE)))
    sample, _, origin = collect(
        X @ X.T if pairwise else X, y, weights, pairwise=pairwise
    )
    other, _, moved = collect(
        shuffled, y[order], weights[order], aside=aside, pairwise=pairwise
    )
    assert_array_equal(order[moved], origin)
    assert_array_equal(other.aside, sample.aside)
    assert_array_equal(other.labels.labeled, sample.labels.labeled)
    assert_array_equal(other.labels.codes, sample.labels.codes)
    assert_array_equal(other.known.row_weights, sample.known.row_weights)


def test_copies_of_a_labeled_row_count_once(X, y, weights):
    """Irrelevant rows behind them keep their places."""
    again = np.flatnonzero(y[:20] >= 0)[:2]
    X, y = np.vstack([X, X[again]]), np.append(y, y[again])
    weights = np.append(weights, [3.0, 4.0])
    sample, rows, origin = collect(X, y, weights)
    assert_array_equal(np.sort(origin), np.arange(30))
    assert_array_equal(rows, X[origin])
    expected = weights[:30].copy()
    expected[again] += [3.0, 4.0]
    assert_allclose(sample.known.row_weights, expected[origin[:27]])
    assert_array_equal(sample.aside, expected[origin[27:]])


# Its losses


@pytest.mark.parametrize("weight", [0.0, 0.3, 2.0])
def test_costs_add_up_to_a_multiple_of_the_labels(collected, y, weights, weight):
    """In proportion to the weights, whichever rows they are."""
    sample, origin = collected
    known = np.setdiff1d(np.arange(30), ASIDE)
    label_cost = 2.5 * weights[known[y[known] >= 0]].sum()
    assert_allclose(sample.label_cost, label_cost)
    for rows in (sample.unlabeled_idx, sample.irrelevant_idx, np.array([3, 29, 1])):
        costs, own = sample.costs(rows, weight), weights[origin[rows]]
        assert_allclose(costs, weight * label_cost * own / own.sum())


def test_center_is_the_weighted_mean_of_the_unlabeled(collected, X, y, weights):
    sample, origin = collected
    center = sample.center()
    assert center.shape == (30,)
    assert_allclose(center.sum(), 1.0)
    unlabeled = np.setdiff1d(np.flatnonzero(y < 0), ASIDE)
    expected = np.average(X[unlabeled], axis=0, weights=weights[unlabeled])
    assert_allclose(center @ X[origin], expected)
    assert_array_equal(center[sample.irrelevant_idx], 0.0)


@pytest.mark.parametrize("names", [[0, 1, 2], [0, 1, 1]])
def test_given_losses_are_those_of_the_labels(X, y, weights, rng, names):
    """One column for two classes; irrelevant rows in every column."""
    y = np.where(y >= 0, np.array(names)[y], -1)
    sample, _, origin = collect(X, y, weights)
    given = sample.given(0.2, 0.7)
    classes = [0, 1, 2] if len(set(names)) == 3 else [1]
    aside = 0.7 * sample.label_cost * weights[ASIDE] / weights[ASIDE].sum()
    assert len(given) == len(classes)
    for loss, name in zip(given, classes, strict=True):
        for f in rng.normal(size=(5, 30)):  # of the rows as they were given
            expected = 0.0
            for i in np.setdiff1d(np.flatnonzero(y >= 0), ASIDE):
                sign = 1.0 if y[i] == name else -1.0
                expected += 2.5 * weights[i] * max(0.0, 1.0 - sign * f[i])
            for i, cost in zip(ASIDE, aside, strict=True):
                expected += cost * max(0.0, abs(f[i]) - 0.2)
            assert_allclose(loss.value(f[origin]), expected)


def test_given_losses_without_irrelevant_rows(X, y, weights):
    sample, _, origin = collect(X, y, weights, aside=NONE)
    for loss in sample.given(0.2, 0.7):
        assert_array_equal(np.sort(origin[loss.rows]), np.flatnonzero(y >= 0))
        assert_allclose(loss.costs.sum(), sample.label_cost)


# Parts of it


@pytest.mark.parametrize("pairwise", [False, True])
def test_part_has_some_known_and_some_irrelevant_rows(X, y, weights, pairwise):
    table = X @ X.T if pairwise else X
    sample, _, origin = collect(table, y, weights, pairwise=pairwise)
    rows = np.flatnonzero(sample.labels.labeled | (np.arange(27) < 10))
    aside, own = np.array([0, 2]), origin[rows]
    part = sample.part(rows, aside, pairwise=pairwise)
    assert part.n_known == len(rows) < 27
    assert part.n_samples == len(rows) + 2
    assert_array_equal(part.known.row_weights, weights[own])
    assert_array_equal(part.aside, sample.aside[aside])
    assert_array_equal(part.labels.labeled, y[own] >= 0)
    assert_array_equal(part.labels.codes, sample.labels.codes)
    assert part.label_cost == sample.label_cost
    expected = table[np.ix_(own, own)] if pairwise else X[own]
    assert_array_equal(part.known.X, expected)


def test_hidden_labels_are_those_of_unlabeled_rows(collected):
    sample, _ = collected
    hidden = np.arange(sample.labels.n_labeled) % 3 == 0
    other = sample.without(hidden)
    rows = sample.labels.labeled_idx[hidden]
    expected = np.sort(np.append(sample.unlabeled_idx, rows))
    assert_array_equal(other.unlabeled_idx, expected)
    assert_array_equal(other.labels.codes, sample.labels.codes[~hidden])
    assert_array_equal(other.labels.classes, sample.labels.classes)
    assert_array_equal(other.aside, sample.aside)
    assert other.n_samples == 30
    assert (other.center()[rows] > 0).all()
    kept = sample.known.row_weights[sample.labels.labeled][~hidden].sum()
    assert_allclose(other.label_cost, 2.5 * kept)
    assert sample.labels.labeled[rows].all()  # the sample itself stays
