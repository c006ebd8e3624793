import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from widemargin import LaplacianRLSC, LaplacianSVC, TransductiveSVC, TriClassSVC
from widemargin.plots import DecisionDisplay


def make(*args, **kwargs):
    return DecisionDisplay.from_estimator(*args, grid_resolution=25, **kwargs)


def drawn_points(scatters):
    return sum(len(scatter.get_offsets()) for scatter in scatters.values())


def test_grid_equals_decision_function(moons, moons_model):
    X, _, y_partial = moons
    display = make(moons_model, X, y_partial)
    x, y = display.grid
    for i, j in [(0, 0), (3, 20), (24, 7)]:
        expected = moons_model.decision_function([[x[j], y[i]]])
        assert_allclose(display.scores[i, j], expected)


def test_boundary_is_where_the_score_is_zero(moons, moons_model):
    X, _, y_partial = moons
    display = DecisionDisplay.from_estimator(moons_model, X, y_partial)
    (contour,) = display.boundary_
    corners = np.vstack([path.vertices for path in contour.get_paths()])
    assert np.abs(moons_model.decision_function(corners)).max() < 0.05
    (margin,) = display.plot(margin=0.5).margin_
    corners = np.vstack([path.vertices for path in margin.get_paths()])
    scores = np.abs(moons_model.decision_function(corners))
    assert_allclose(scores, 0.5, atol=0.05)


def test_rows_have_given_and_inferred_classes(blobs, blobs_model):
    X, _, y_partial = blobs
    display = make(blobs_model, X, y_partial)
    assert_array_equal(display.classes[display.codes], blobs_model.transduction_)
    assert_array_equal(display.labeled, [label is not None for label in y_partial])


def test_without_labels_classes_are_predicted(blobs, blobs_model):
    X = blobs[0][::2]
    display = make(blobs_model, X)
    assert_array_equal(display.classes[display.codes], blobs_model.predict(X))
    assert not display.labeled.any()
    assert display.labeled_ == {}


def test_each_row_is_drawn_once(blobs, blobs_model, ax):
    X, _, y_partial = blobs
    display = make(blobs_model, X, y_partial, ax=ax)
    assert display.ax_ is ax
    assert display.figure_ is ax.figure
    assert drawn_points(display.labeled_) == display.labeled.sum()
    assert drawn_points(display.unlabeled_) == (~display.labeled).sum()
    n_scatters = len(display.labeled_) + len(display.unlabeled_)
    n_planes = (display.regions_ is not None) + len(display.boundary_)
    assert len(ax.collections) == n_scatters + n_planes + len(display.margin_)


def test_plot_again_draws_elsewhere(moons, moons_model, ax):
    display = make(moons_model, *moons[::2])
    n_before = len(display.ax_.collections)
    before = display.ax_
    assert display.plot(ax) is display
    assert len(before.collections) == n_before == len(ax.collections)


@pytest.mark.filterwarnings("ignore::widemargin.checks.DataWarning")
def test_boundary_in_a_projection_only_if_it_speaks_of_the_rows(rng):
    """A slice is drawn by itself if rows keep their class on it."""
    codes = np.arange(40) % 2
    X = rng.normal(scale=0.1, size=(40, 4))
    X[:, 0] += 3.0 * codes  # the plane tells classes apart
    model = LaplacianRLSC(intrinsic_reg=0).fit(X, codes)
    display = make(model, X, codes)
    assert display.scores is not None
    assert "% of the variance" in display.ax_.get_xlabel()
    X[:, 1:3] += rng.normal(scale=20.0, size=(40, 2))  # it does not any more
    model = LaplacianRLSC(kernel="linear", intrinsic_reg=0).fit(X, codes)
    assert make(model, X, codes).scores is None
    assert make(model, X, codes, boundary=True).scores is not None


def test_own_points_have_no_boundary(blobs, blobs_model):
    X, _, y_partial = blobs
    points = X[:, 3:]
    display = make(blobs_model, X, y_partial, projection=points)
    assert display.scores is None
    assert_array_equal(display.points, points)
    with pytest.raises(ValueError, match="boundary=True"):
        make(blobs_model, X, y_partial, projection=points, boundary=True)


def test_each_boundary_of_many_classes_is_drawn_once(alphabet):
    X, _, y_partial = alphabet
    model = LaplacianRLSC().fit(X, y_partial)
    display = DecisionDisplay.from_estimator(model, X, y_partial, grid_resolution=60)
    lines = [p.vertices for c in display.boundary_ for p in c.get_paths()]
    corners = np.vstack(lines)
    assert len(np.unique(corners.round(9), axis=0)) > 0.9 * len(corners)
    top = np.sort(model.decision_function(corners), axis=1)[:, -2:]
    assert np.median(top[:, 1] - top[:, 0]) < 0.02
    assert len(display.legend_.get_texts()) >= 26
    display.figure_.canvas.draw()
    right = display.ax_.get_window_extent().x1
    assert display.legend_.get_window_extent().x0 >= right


def test_sparse_rows_and_pipelines_and_tables(moons, blobs, blobs_model):
    X, _, y_partial = blobs
    dense = make(blobs_model, X, y_partial)
    found = make(blobs_model, sparse.csr_matrix(X), y_partial)
    assert_array_equal(found.codes, dense.codes)
    X, _, y_partial = moons
    table = pd.DataFrame(X, columns=["width", "height"])
    pipeline = make_pipeline(StandardScaler(), LaplacianSVC())
    pipeline.fit(table, pd.Series(y_partial))
    display = make(pipeline, table, pd.Series(y_partial))
    assert_array_equal(display.codes, pipeline[-1].transduction_)
    assert display.ax_.get_ylabel() == "height"
    assert display.name == "LaplacianSVC"


def test_rows_are_projected_as_the_model_behind_a_pipeline_sees_them(blobs):
    X, _, y_partial = blobs
    units = X * [1, 1, 1, 1, 1000.0]
    model = make_pipeline(StandardScaler(), LaplacianSVC()).fit(units, y_partial)
    display = make(model, units, y_partial)
    scaled = model[:-1].transform(units)
    alone = make(model[-1], scaled, y_partial)
    assert_allclose(display.points, alone.points)
    assert_allclose(display.scores, alone.scores)


def test_texts_are_drawn_through_their_pipeline():
    texts = ["rose soil", "rose seed", "soil seed", "tide sail", "tide reef"]
    y_partial = np.array(["garden", None, None, "sea", None], dtype=object)
    model = make_pipeline(TfidfVectorizer(), TransductiveSVC(kernel="linear"))
    display = make(model.fit(texts, y_partial), texts, y_partial)
    assert display.points.shape == (5, 2)
    assert_array_equal(display.classes[display.codes], model[-1].transduction_)


def test_grid_in_blocks_is_the_same_grid(blobs, blobs_model):
    X, _, y_partial = blobs
    whole = make(blobs_model, X, y_partial, boundary=True).scores
    blocks = make(blobs_model, X, y_partial, boundary=True, block_values=100).scores
    assert_allclose(blocks, whole)


def test_a_class_without_unlabeled_rows(moons, moons_model):
    X, y, _ = moons
    y_partial = np.where(y == 0, y, -1)
    display = make(moons_model, X, y_partial)
    assert set(display.labeled_) == {0}
    assert set(display.unlabeled_) == {1}
    assert display.labeled_[0].get_offsets().shape == ((y == 0).sum(), 2)


def test_irrelevant_rows_have_no_class(rng):
    X = np.vstack([rng.normal(c, 0.4, (20, 2)) for c in [(-2, 0), (2, 0), (0, 2)]])
    y = np.full(60, -1)
    y[[0, 1, 2]], y[[20, 21, 22]], y[[40, 41, 42]] = 0, 1, 9
    model = TriClassSVC(irrelevant_label=9, unlabeled_weight=1.0).fit(X, y)
    display = make(model, X, y)
    assert_array_equal(display.codes < 0, ~model.relevance_)
    assert len(display.labeled_[-1].get_offsets()) == 3
    assert "irrelevant" in [text.get_text() for text in display.legend_.get_texts()]


def test_frame_has_a_line_for_each_row(blobs, blobs_model):
    frame = make(blobs_model, blobs[0], blobs[2]).frame()
    assert_array_equal(frame["class"], blobs_model.transduction_)
    assert frame["labeled"].sum() == 9


def test_wrong_arguments_are_named(moons, moons_model, blobs, blobs_model, clusterer):
    X, _, y_partial = moons
    with pytest.raises(NotFittedError, match="LaplacianSVC"):
        make(clone(moons_model), X, y_partial)
    with pytest.raises(TypeError, match="must be a fitted estimator"):
        make(LaplacianSVC, X, y_partial)
    with pytest.raises(TypeError, match=r"classes_, .*MaxMarginClustering.*ClusterDis"):
        make(clusterer, blobs[0])
    with pytest.raises(ValueError, match="one entry for each of the 120 rows"):
        make(moons_model, X, y_partial[:5])
    with pytest.raises(ValueError, match="with projection=None, got 5"):
        make(blobs_model, blobs[0], projection=None)
    with pytest.raises(ValueError, match=r"boundary of DecisionDisplay .* 'yes'"):
        make(moons_model, X, boundary="yes")
    with pytest.raises(ValueError, match=r"margin of DecisionDisplay .* got -1"):
        make(moons_model, X, margin=-1)
    with pytest.raises(ValueError, match=r"margin of DecisionDisplay .* got 'wide'"):
        make(moons_model, X, margin="wide")


def test_labels_of_other_rows_do_not_take_the_inferred_ones(moons, moons_model):
    """Rows that are as many as in fit, but others, have predicted classes."""
    X, y, _ = moons
    turned = X[::-1]
    y_partial = np.where(np.arange(120) < 100, y[::-1], -1)
    display = make(moons_model, turned, y_partial)
    assert_array_equal(display.codes[100:], moons_model.predict(turned)[100:])


def test_rows_may_be_lists(moons, moons_model):
    X, _, y_partial = moons
    display = make(moons_model, X.tolist(), y_partial.tolist())
    assert display.scores.shape == (25, 25, 1)


@pytest.mark.parametrize("resolution", [0, 1, 2.5, "fine"])
def test_a_grid_has_points(resolution, moons, moons_model):
    X, _, y_partial = moons
    with pytest.raises(ValueError, match="must be a whole number >= 2, got"):
        DecisionDisplay.from_estimator(
            moons_model, X, y_partial, grid_resolution=resolution
        )


def test_dollars_in_names_are_no_formulas(moons):
    X, y, _ = moons
    table = pd.DataFrame(X, columns=["$^$", "price in $"])
    model = LaplacianSVC().fit(table, np.where(y == 1, "$^$", "$_$"))
    make(model, table).figure_.canvas.draw()
