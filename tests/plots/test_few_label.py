import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from widemargin import FewLabelClassifier
from widemargin.datasets import hide_labels
from widemargin.estimators.few_label_report import CandidateReport, FewLabelReport
from widemargin.plots import FewLabelDisplay


@pytest.fixture(scope="module")
def model(moons):
    X, y, _ = moons
    chosen = ["laplacian", "transductive"]
    return FewLabelClassifier(chosen, random_state=0).fit(X, hide_labels(y, 12, rng=0))


def make_report(errors, spreads, *, error=0.1, error_std=0.05):
    """A report of candidates with the same weight."""
    candidates = tuple(
        CandidateReport(f"model {i}", 1 / len(errors), *both, 0.0, 100, 0.1)
        for i, both in enumerate(zip(errors, spreads, strict=True))
    )
    n_held_out = 20 if np.isfinite(errors).any() else 0
    rows = np.arange(3)
    return FewLabelReport(
        candidates, error, error_std, n_held_out, 20, 80, 5, rows, None, True, ()
    )


def test_a_row_for_each_candidate(model, ax):
    display = FewLabelDisplay.from_estimator(model, ax=ax)
    report = model.report_
    assert display.ax_ is ax
    assert display.report is report
    names = [text.get_text() for text in ax.get_yticklabels()]
    assert names == ["supervised", "laplacian", "transductive"]
    for row, (drawn, candidate) in enumerate(
        zip(display.errors_, report.candidates, strict=True)
    ):
        (x,), (y,) = drawn.lines[0].get_data()
        assert (x, y) == (candidate.error, row)
    widths = [bar.get_width() for bar in display.weights_]
    assert_allclose(widths, model.weights_)
    written = [text.get_text() for text in display.weights_ax_.texts]
    assert written == [f"{weight:.2f}" for weight in model.weights_]


def test_bars_and_band_are_one_standard_error_wide():
    report = make_report([0.3, 0.02], [0.1, 0.03], error=0.1, error_std=0.04)
    display = FewLabelDisplay(report).plot()
    bars = [drawn.lines[2][0].get_segments()[0][:, 0] for drawn in display.errors_]
    assert_allclose(bars, [[0.2, 0.4], [0.0, 0.05]])  # no error is below zero
    band = display.band_.get_extents().transformed(display.ax_.transData.inverted())
    assert_allclose([band.x0, band.x1], [0.06, 0.14])


def test_the_supervised_model_looks_different(model):
    display = FewLabelDisplay.from_estimator(model)
    looks = [
        (drawn.lines[0].get_color(), drawn.lines[0].get_marker())
        for drawn in display.errors_
    ]
    assert looks[0] != looks[1] == looks[2]
    faces = [bar.get_facecolor() for bar in display.weights_]
    assert faces[0] != faces[1] == faces[2]
    names = [text.get_text() for text in display.legend_.get_texts()]
    assert names[:2] == ["supervised", "with unlabeled rows"]
    assert names[2] == f"average: {100 * model.report_.error:.1f} %"
    assert names[3].startswith(f"± {100 * model.report_.error_std:.1f} %")
    assert display.plot(legend=False).legend_ is None


def test_errors_that_nobody_knows():
    """Weights are drawn, and the picture says why nothing else is."""
    unknown = [np.nan] * 3
    display = FewLabelDisplay(make_report(unknown, unknown, error=0.3)).plot()
    assert display.errors_ == []
    assert display.band_ is None
    assert len(display.legend_.get_texts()) == 2
    assert len(display.weights_) == 3
    assert [text.get_text() for text in display.ax_.texts] == [
        "no label could be held out"
    ]
    assert display.ax_.get_xlabel() == "error"
    display.figure_.canvas.draw()


@pytest.mark.parametrize("n_candidates", [1, 2, 10])
@pytest.mark.parametrize("error", [0.0, 0.4, 1.0])
def test_errors_and_weights_do_not_overlap(n_candidates, error):
    """All errors lie left of the weights, and ticks go no further than they do."""
    spread = np.sqrt(error * (1 - error) / 20)
    report = make_report([error] * n_candidates, [spread] * n_candidates)
    display = FewLabelDisplay(report).plot()
    display.figure_.canvas.draw()
    begin = display.weights_ax_.get_window_extent().x0
    ends = error + spread, report.error + report.error_std, display.ax_.get_xticks()[-1]
    assert display.ax_.transData.transform((max(ends), 0))[0] < begin
    assert display.ax_.get_xticks()[0] == 0


def test_a_model_of_labels_alone(moons):
    X, y, _ = moons
    display = FewLabelDisplay.from_estimator(FewLabelClassifier().fit(X[:30], y[:30]))
    assert len(display.errors_) == 1
    assert len(display.legend_.get_texts()) == 3


def test_long_names_are_shortened():
    report = make_report([0.1], [0.1])
    long = CandidateReport("$" * 80, 1.0, 0.1, 0.1, 0.0, 10, 0.1)
    display = FewLabelDisplay(FewLabelReport(**{**vars(report), "candidates": (long,)}))
    display.plot().figure_.canvas.draw()
    assert len(display.ax_.get_yticklabels()[0].get_text()) < 80


def test_frame_and_pipeline(moons, model):
    X, y, _ = moons
    inner = FewLabelClassifier(["laplacian"], random_state=0)
    pipeline = make_pipeline(StandardScaler(), inner).fit(X, hide_labels(y, 8, rng=0))
    display = FewLabelDisplay.from_estimator(pipeline)
    assert display.name == "FewLabelClassifier"
    frame = FewLabelDisplay.from_estimator(model).frame()
    assert list(frame.columns) == ["candidate", "weight", "error", "error_std"]
    assert_array_equal(frame["candidate"], model.names_)
    assert_allclose(frame["weight"], model.weights_)


def test_wrong_arguments_are_named(moons_model):
    with pytest.raises(TypeError, match=r"report_, .*LaplacianSVC.*FewLabelClassifier"):
        FewLabelDisplay.from_estimator(moons_model)
    with pytest.raises(NotFittedError):
        FewLabelDisplay.from_estimator(FewLabelClassifier())
    with pytest.raises(TypeError, match="must be a fitted estimator"):
        FewLabelDisplay.from_estimator("few labels")
