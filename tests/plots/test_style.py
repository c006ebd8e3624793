import builtins
import subprocess
import sys

import numpy as np
import pytest
from matplotlib.colors import to_rgba

from widemargin import LaplacianSVC
from widemargin.plots import (
    ClusterDisplay,
    DecisionDisplay,
    GraphDisplay,
    TransductionDisplay,
)
from widemargin.plots._style import (
    COLORS,
    class_color,
    class_marker,
    row_size,
    short_name,
)


def test_looks_of_many_classes_differ():
    looks = {(class_color(code), class_marker(code)) for code in range(77)}
    assert len(looks) == 77


def test_neighboring_classes_differ_in_color_and_in_marker():
    for code in range(1, 30):
        assert class_color(code) != class_color(code - 1)
        assert class_marker(code) != class_marker(code - 1)


def test_markers_of_many_rows_are_smaller_but_can_be_told_apart():
    sizes = [row_size(n_rows) for n_rows in (0, 100, 300, 1000, 10_000)]
    assert sizes == sorted(sizes, reverse=True)
    assert row_size(1000) > 10
    assert row_size(1_000_000) >= 5


def test_long_names_keep_their_ends():
    assert short_name("short") == "short"
    long = short_name("a name of a class that is far too long, number 7")
    assert len(long) == 30
    assert long.startswith("a name of")
    assert long.endswith("number 7")


def test_legends_of_many_long_names_leave_room_for_the_axes(alphabet, ax):
    X, names, y_partial = alphabet
    long = np.array([f"the class that is called {name}" for name in names], object)
    model = LaplacianSVC().fit(X, np.where(y_partial == None, None, long))  # noqa: E711
    display = DecisionDisplay.from_estimator(model, X, long, grid_resolution=5)
    display.figure_.canvas.draw()
    assert display.ax_.get_position().width * display.figure_.get_figwidth() > 2.5
    legend = display.legend_.get_window_extent()
    assert legend.x1 <= display.figure_.bbox.x1
    width = ax.figure.get_figwidth()
    display.plot(ax)
    assert ax.figure.get_figwidth() == width  # figures of others keep their size


def test_first_colors_are_those_of_okabe_and_ito():
    assert COLORS[:3] == ("#0072B2", "#D55E00", "#009E73")


def test_a_class_has_the_same_color_in_all_displays(blobs, blobs_model, clusterer):
    X, _, y_partial = blobs
    decision = DecisionDisplay.from_estimator(blobs_model, X, y_partial)
    graph = GraphDisplay.from_estimator(blobs_model, X, y_partial)
    transduction = TransductionDisplay.from_estimator(blobs_model, X, y_partial)
    clusters = ClusterDisplay.from_estimator(clusterer, X)
    for code in range(3):
        artists = [
            decision.labeled_[code],
            decision.unlabeled_[code],
            graph.labeled_[code],
            transduction.blocks_[code],
            clusters.clusters_[code],
        ]
        for artist in artists:
            color = artist.get_facecolor()[0, :3]
            np.testing.assert_allclose(color, to_rgba(class_color(code))[:3])


@pytest.mark.slow
def test_importing_displays_does_not_load_matplotlib():
    code = "import sys, widemargin.plots; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_missing_matplotlib_says_what_to_install(moons, moons_model, monkeypatch):
    display = DecisionDisplay.from_estimator(moons_model, moons[0], grid_resolution=5)
    real = builtins.__import__

    def refuse(name, *args, **kwargs):
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(ImportError, match=r"pip install matplotlib .*'\.\[plots\]'"):
        display.plot()
