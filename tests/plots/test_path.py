import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import NotFittedError
from sklearn.metrics import adjusted_rand_score
from sklearn.svm import SVC

from widemargin import (
    LabelSearchClassifier,
    LaplacianSVC,
    MaxMarginClustering,
    TransductiveSVC,
)
from widemargin.graphs import KnnGraph
from widemargin.kernels import Rbf
from widemargin.plots import PathDisplay


@pytest.fixture(scope="module")
def grid_models(moons):
    X, _, y_partial = moons
    return LaplacianSVC().fit_grid(
        X, y_partial, ambient_reg=[1e-2, 1e-3], intrinsic_reg=[1.0, 0.01, 0.1]
    )


def test_errors_of_a_grid(moons, grid_models):
    X, y, _ = moons
    display = PathDisplay.from_estimators(grid_models, X, y)
    assert display.parameter == "intrinsic_reg"
    assert display.values == [0.01, 0.1, 1.0]
    assert display.series == ["ambient_reg=0.01", "ambient_reg=0.001"]
    for model in grid_models:
        row = [0.01, 0.001].index(model.ambient_reg)
        column = display.values.index(model.intrinsic_reg)
        assert_allclose(display.scores[row, column], np.mean(model.predict(X) != y))
    assert display.ax_.get_xscale() == "log"
    for line, scores in zip(display.lines_, display.scores, strict=True):
        assert_array_equal(line.get_ydata(), scores)


def test_objectives_have_no_lowest_point(grid_models, ax):
    display = PathDisplay.from_estimators(grid_models, parameter="ambient_reg", ax=ax)
    assert display.ax_ is ax
    assert display.score_name == "objective"
    assert display.scores.shape == (3, 2)
    assert_allclose(
        np.sort(display.scores.ravel()),
        np.sort([model.result_.objective for model in grid_models]),
    )
    assert display.lowest_ is None
    assert len(ax.lines) == 3


def test_path_of_label_search(moons):
    X, y, y_partial = moons
    models = LabelSearchClassifier(random_state=0).fit_path(
        X, y_partial, ambient_reg=[1e-3, 1e-2], unlabeled_weight=[0.1]
    )
    display = PathDisplay.from_estimators(models, X, y)
    assert display.parameter == "ambient_reg"
    assert display.series is None
    assert_allclose(display.scores[0], [1 - model.score(X, y) for model in models])


def test_path_of_clusters_needs_a_metric_of_its_own(blobs):
    X, y, _ = blobs
    models = MaxMarginClustering(
        3, kernel=Rbf("scale"), graph=KnnGraph(power=1), random_state=0
    ).fit_path(X, ambient_reg=[0.01, 0.1])

    def disagreement(model, X, y):
        return 1 - adjusted_rand_score(y, model.labels_)

    display = PathDisplay.from_estimators(models, X, y, metric=disagreement)
    assert display.score_name == "disagreement"
    assert_allclose(display.scores[0], [disagreement(m, X, y) for m in models])
    with pytest.raises(ValueError, match=r"MaxMarginClustering; .*adjusted_rand_score"):
        PathDisplay.from_estimators(models, X, y)


def test_path_inside_a_model(moons, moons_model):
    X, _, y_partial = moons
    model = LabelSearchClassifier(random_state=0).fit(X, y_partial)
    display = PathDisplay.from_estimator(model)
    assert display.values == [0.0, 0.1, 0.3, 1.0, 3.0]
    assert_array_equal(display.scores[0], model.average_.errors)
    ticks = [text.get_text() for text in display.ax_.get_xticklabels()]
    assert ticks == ["0", "0.1", "0.3", "1", "3"]
    display = PathDisplay.from_estimator(moons_model)
    assert display.parameter == "share"
    assert display.values == list(moons_model.shares_)
    assert_array_equal(display.scores[0], moons_model.average_.errors)
    with pytest.raises(ValueError, match="SVC has none in average_"):
        PathDisplay.from_estimator(SVC().fit(X, y_partial))


def test_path_of_hinge_models(moons):
    X, _, y_partial = moons
    model = TransductiveSVC(random_state=0).fit(X, y_partial)
    display = PathDisplay.from_estimator(model)
    assert display.values == [0.0, 0.1, 0.3, 1.0]
    assert_array_equal(display.scores[0], model.average_.errors)
    assert display.score_name == "share of held-out labels that are wrong"


def test_arrays_are_sorted_and_the_lowest_is_marked():
    scores = [[3.0, 1.0, 2.0], [9.0, 5.0, 0.5]]
    display = PathDisplay.from_arrays([1.0, 0.1, 10.0], scores, series=["a", "b"])
    assert display.values == [0.1, 1.0, 10.0]
    assert_array_equal(display.scores, [[1, 3, 2], [5, 9, 0.5]])
    assert display.lowest_.get_xdata()[0] == 10.0
    assert display.lowest_.get_ydata()[0] == 0.5
    names = [text.get_text() for text in display.legend_.get_texts()]
    assert names == ["a", "b", "lowest"]
    assert_array_equal(display.frame()["error"], [1, 3, 2, 5, 9, 0.5])


def test_points_that_share_the_lowest_place_are_all_marked():
    display = PathDisplay.from_arrays([1, 2, 3], [[2, 1, 1], [1, 4, np.nan]])
    x, y = display.lowest_.get_data()
    assert sorted(x) == [1, 2, 3]
    assert_array_equal(y, [1, 1, 1])


def test_counts_have_ticks_at_whole_numbers():
    ticks = PathDisplay.from_arrays([1, 2], [1, 2]).ax_.get_yticks()
    assert_array_equal(ticks, np.round(ticks))
    ticks = PathDisplay.from_arrays([1, 2], [1.0, 1.5]).ax_.get_yticks()
    assert (ticks != np.round(ticks)).any()


def test_ticks_of_a_short_logarithmic_axis_are_plain_numbers():
    display = PathDisplay.from_arrays([2, 3, 4, 6, 8, 12], np.ones(6))
    display.figure_.canvas.draw()
    ticks = [tick.get_text() for tick in display.ax_.get_xticklabels()]
    assert {"2", "5", "10"} <= set(ticks)
    assert not any(tick.get_text() for tick in display.ax_.get_xticklabels(minor=True))


def test_names_among_the_values_stand_at_the_end(ax):
    display = PathDisplay.from_arrays(["auto", "b"], [1.0, np.nan], ax=ax)
    assert display.ax_.get_xscale() == "linear"
    assert_array_equal(display.lines_[0].get_ydata(), [1.0])


def test_many_series():
    names = [f"weight {i}" for i in range(26)]
    scores = np.arange(52.0).reshape(26, 2)
    display = PathDisplay.from_arrays([1, 2], scores, series=names)
    looks = {(line.get_color(), line.get_marker()) for line in display.lines_}
    assert len(looks) == 26


def test_wrong_arguments_are_named(moons, moons_model, grid_models):
    X, y, _ = moons
    with pytest.raises(TypeError, match="LaplacianSVC; use from_estimator"):
        PathDisplay.from_estimators(moons_model, X, y)
    with pytest.raises(ValueError, match="got an empty list"):
        PathDisplay.from_estimators([])
    with pytest.raises(NotFittedError):
        PathDisplay.from_estimators([LaplacianSVC()])
    with pytest.raises(ValueError, match=r"metric='error' .* needs X and y"):
        PathDisplay.from_estimators(grid_models, metric="error")
    with pytest.raises(ValueError, match=r"metric of .* got 'speed'"):
        PathDisplay.from_estimators(grid_models, metric="speed")
    with pytest.raises(ValueError, match=r"parameter of .* got 'lambda'"):
        PathDisplay.from_estimators(grid_models, parameter="lambda")
    with pytest.raises(ValueError, match=r"each of the 2 values, got shape \(1, 3\)"):
        PathDisplay.from_arrays([1, 2], [1, 2, 3])
    with pytest.raises(ValueError, match=r"series of .* 1 names, .* got 2"):
        PathDisplay.from_arrays([1, 2], [1, 2], series=["a", "b"])
