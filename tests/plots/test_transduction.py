from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.exceptions import NotFittedError

from widemargin import LabelSearchClassifier, LaplacianRLSC, LaplacianSVC, TriClassSVC
from widemargin.objectives.class_sizes import Balance
from widemargin.plots import TransductionDisplay


def make(*args, **kwargs):
    return TransductionDisplay.from_estimator(*args, **kwargs)


def test_margins_fall_within_each_class(blobs, blobs_model):
    X, _, y_partial = blobs
    display = make(blobs_model, X, y_partial)
    assert (np.diff(display.codes) >= 0).all()
    for code in range(3):
        assert (np.diff(display.margins[display.codes == code]) <= 0).all()
    unlabeled = [i for i, label in enumerate(y_partial) if label is None]
    assert_array_equal(np.sort(display.rows), unlabeled)
    names = display.classes[display.codes]
    assert_array_equal(names, blobs_model.transduction_[display.rows])


def test_margins_are_those_of_the_scores(moons, moons_model, blobs, blobs_model):
    """Two classes: score times sign; more: half of the lead over the best other."""
    X, _, y_partial = moons
    display = make(moons_model, X, y_partial)
    scores = moons_model.decision_function(X[display.rows])
    assert_allclose(display.margins, scores * (2 * display.codes - 1))
    X, _, y_partial = blobs
    display = make(blobs_model, X, y_partial)
    for row, code, margin in zip(
        display.rows, display.codes, display.margins, strict=True
    ):
        own = blobs_model.decision_function(X[[row]])[0]
        assert_allclose(margin, (own[code] - np.delete(own, code).max()) / 2)


def test_a_class_without_unlabeled_rows(blobs):
    X, y, _ = blobs
    X = X / 10 + np.eye(5)[np.repeat(np.arange(3), 20)]  # farther apart
    y_partial = np.where((y == "bee") | (np.arange(60) % 4 == 0), y, None)
    model = LaplacianSVC().fit(X, y_partial)
    display = make(model, X, y_partial)
    assert display.sizes[1] == 0
    assert set(display.blocks_) == {0, 2}
    names = [text.get_text() for text in display.ax_.get_yticklabels()]
    assert "bee  (0)" in names


def test_blocks_hold_the_margins(blobs, blobs_model, ax):
    X, _, y_partial = blobs
    display = make(blobs_model, X, y_partial, ax=ax)
    assert display.ax_ is ax
    assert len(ax.collections) == len(display.blocks_) == 3
    for code, block in display.blocks_.items():
        corners = block.get_paths()[0].vertices
        own = display.margins[display.codes == code]
        assert_allclose(corners[:, 0].max(), max(own.max(), 0))
        assert_allclose(np.ptp(corners[:, 1]), len(own))


def test_blocks_do_not_overlap_and_ticks_are_inside(alphabet):
    X, names, y_partial = alphabet
    model = LaplacianRLSC().fit(X, y_partial)
    display = make(model, X, y_partial, y_true=names)
    assert len(display.ax_.get_yticks()) == 26
    ends = [
        (corners[:, 1].min(), corners[:, 1].max())
        for block in display.blocks_.values()
        for corners in [block.get_paths()[0].vertices]
    ]
    assert all(a[1] <= b[0] for a, b in pairwise(ends))


def test_wrong_rows_are_marked(blobs, blobs_model):
    X, y, y_partial = blobs
    truth = y.copy()
    chosen = np.flatnonzero(y_partial == None)[:4]  # noqa: E711
    truth[chosen] = "dog"
    before = make(blobs_model, X, y_partial, y_true=y).wrong.sum()
    display = make(blobs_model, X, y_partial, y_true=truth)
    assert display.wrong[np.isin(display.rows, chosen)].all()
    assert len(display.wrong_.get_xdata()) == display.wrong.sum() >= before
    assert_array_equal(display.frame()["wrong"], display.wrong)
    assert make(blobs_model, X, y_partial).wrong_ is None


def test_rows_moved_by_the_balance_lie_left_of_zero(moons):
    """Labels that no score asks for have a negative margin."""
    X, _, y_partial = moons
    model = LabelSearchClassifier(
        balance=Balance({0: 0.2, 1: 0.8}, tolerance=0.02),
        unlabeled_weight=1e-3,
        random_state=0,
    ).fit(X, y_partial)
    display = make(model, X, y_partial)
    predicted = model.predict(X[display.rows])
    moved = predicted != display.classes[display.codes]
    assert moved.any()
    assert_array_equal(display.margins < 0, moved)


def test_irrelevant_rows_are_a_block_of_their_own(rng):
    X = np.vstack([rng.normal(c, 0.4, (20, 2)) for c in [(-2, 0), (2, 0), (0, 2)]])
    y = np.full(60, -1)
    y[[0, 1, 2]], y[[20, 21, 22]], y[[40, 41, 42]] = 0, 1, 9
    model = TriClassSVC(irrelevant_label=9, unlabeled_weight=1.0).fit(X, y)
    display = make(model, X, y)
    n_irrelevant = (~model.relevance_[y == -1]).sum()
    assert (display.codes < 0).sum() == n_irrelevant > 0
    assert (display.codes[-n_irrelevant:] < 0).all()
    assert -1 in display.blocks_


def test_sparse_rows(blobs, blobs_model):
    X, _, y_partial = blobs
    dense = make(blobs_model, X, y_partial)
    found = make(blobs_model, sparse.csr_matrix(X), y_partial)
    assert_array_equal(found.rows, dense.rows)


def test_wrong_arguments_are_named(moons, moons_model, blobs, clusterer):
    X, y, y_partial = moons
    with pytest.raises(ValueError, match="must have unlabeled rows, got 120 labels"):
        make(moons_model, X, y)
    with pytest.raises(ValueError, match=r"y_true of .* 120 rows of X, got 2"):
        make(moons_model, X, y_partial, y_true=[0, 1])
    with pytest.raises(NotFittedError):
        make(LaplacianSVC(), X, y_partial)
    with pytest.raises(TypeError, match="ClusterDisplay"):
        make(clusterer, blobs[0], blobs[2])
