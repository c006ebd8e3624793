from copy import copy
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from widemargin import (
    LabelSearchClassifier,
    LaplacianSVC,
    SelfLabelingGPC,
    TransductiveSVC,
)
from widemargin.labelling import Starts
from widemargin.plots import ConvergenceDisplay
from widemargin.solvers.laplacian import Pcg
from widemargin.solvers.pcg import check_interval
from widemargin.solvers.result import SolveResult, Status


@pytest.fixture(scope="module")
def pcg_model(moons):
    X, _, y_partial = moons
    return LaplacianSVC(solver="pcg").fit(X, y_partial)


def test_histories_are_those_of_the_solver(pcg_model):
    display = ConvergenceDisplay.from_estimator(pcg_model)
    history = pcg_model.result_.history
    for key in ("objective", "criterion", "gradient_norm", "decision_change"):
        assert_array_equal(display.history[key], history[key])
    for key, line in display.lines_.items():
        assert_array_equal(line.get_ydata(), history[key])


def test_iterations_of_conjugate_gradient(pcg_model):
    """It starts at zero; decisions are looked at every so many iterations."""
    display = ConvergenceDisplay.from_estimator(pcg_model)
    n_iter = pcg_model.n_iter_
    assert_array_equal(display.iterations["objective"], np.arange(n_iter + 1))
    changes = display.iterations["decision_change"]
    interval = check_interval(120)
    assert_array_equal(changes, interval * np.arange(2, len(changes) + 2))
    assert changes[-1] == n_iter == display.stopped_at
    assert all(stop.get_xdata()[0] == n_iter for stop in display.stops_)
    assert len(display.stops_) == len(display.axes_) == 3
    assert "stopped early" in display.ax_.get_title()


def test_decisions_have_the_iterations_that_the_solver_recorded(pcg_model):
    recorded = {"decision_change": [0.3, 0.2], "decision_iteration": [20, 35]}
    model = copy(pcg_model)
    history = pcg_model.result_.history | recorded
    model.result_ = replace(model.result_, n_iter=47, history=history)
    display = ConvergenceDisplay.from_estimator(model)
    assert_array_equal(display.iterations["decision_change"], [20, 35])


def test_a_full_run_has_no_stopping_point(moons):
    X, _, y_partial = moons
    model = LaplacianSVC(solver=Pcg(early_stopping=None, tol=1e-3))
    model.fit(X, y_partial)
    display = ConvergenceDisplay.from_estimator(model)
    assert display.stopped_at is None
    assert display.stops_ == []
    assert "decision_change" not in display.history
    assert display.iterations["objective"].max() == model.result_.n_iter


@pytest.mark.parametrize("model", [SelfLabelingGPC(), TransductiveSVC(random_state=0)])
def test_rounds_of_relabeling_are_decision_changes(moons, model):
    X, _, y_partial = moons
    model.fit(X, y_partial)
    display = ConvergenceDisplay.from_estimator(model)
    criterion = model.result_.history["criterion"]
    assert_array_equal(display.history["criterion"], criterion)
    n_rounds = len(criterion)
    assert_array_equal(display.iterations["criterion"], np.arange(1, n_rounds + 1))
    assert display.labels["criterion"] == "share of decisions\nthat changed"
    has_objective = isinstance(model, TransductiveSVC)
    assert ("objective" in display.history) == has_objective


class Toy(BaseEstimator):
    """An estimator that declares nothing, or what its solver records."""

    def fit(self, X=None, y=None):
        history = {"objective": [3.0, 2.0, 1.5], "criterion": [0.1, 0.0], "speed": [1]}
        self.result_ = SolveResult(np.zeros(1), 1.5, Status.CONVERGED, 2, history)
        return self


class Declared(Toy):
    history_names = {"criterion": "share of rows", "speed": "steps per second"}
    step_name = "round"


def test_any_estimator_with_a_history_can_be_drawn():
    display = ConvergenceDisplay.from_estimator(Toy().fit())
    assert list(display.lines_) == ["objective", "criterion"]
    assert_array_equal(display.iterations["objective"], [0, 1, 2])
    assert_array_equal(display.iterations["criterion"], [1, 2])
    display = ConvergenceDisplay.from_estimator(Declared().fit())
    assert [panel.get_ylabel() for panel in display.axes_] == [
        "share of rows",
        "steps per second",
    ]
    assert display.axes_[-1].get_xlabel() == "round"


def test_the_model_may_be_at_the_end_of_several_steps():
    """A search in a pipeline in a pipeline."""
    search = GridSearchCV(Toy(), {}, scoring=lambda *_: 0.0, cv=2)
    model = make_pipeline("passthrough", make_pipeline("passthrough", search))
    display = ConvergenceDisplay.from_estimator(model.fit(np.ones((4, 1)), np.ones(4)))
    assert list(display.lines_) == ["objective", "criterion"]
    assert display.name == "Toy"


def test_starts_of_a_search(moons):
    X, _, y_partial = moons
    model = LabelSearchClassifier(
        unlabeled_weight=1.0, start=Starts("random", n_starts=4), random_state=0
    ).fit(X, y_partial)
    display = ConvergenceDisplay.from_estimator(model)
    assert display.step_name == "start"
    assert_array_equal(display.iterations["objective"], [1, 2, 3, 4])
    assert (np.diff(display.history["objective"]) <= 0).all()


def test_shares_and_counts_begin_at_zero_and_show_it():
    iterations = np.arange(3)
    for values in ([4, 1, 0], [0, 0, 0], [0.2, 0.1, 0.001]):
        history = {"decision_change": np.array(values, dtype=float)}
        display = ConvergenceDisplay(history, {"decision_change": iterations}).plot()
        low, high = display.ax_.get_ylim()
        assert low < 0 < max(values) + 0.1 * (max(values) == 0) < high
        assert display.ax_.get_yscale() == "linear"
    display = ConvergenceDisplay(
        {"criterion": np.array([1.0, 0])}, {"criterion": np.arange(2)}
    )
    ticks = display.plot().ax_.get_yticks()
    assert_array_equal(ticks, np.round(ticks))


def test_large_objectives_are_written_out():
    history = {"objective": np.array([12345.001, 12345.0])}
    display = ConvergenceDisplay(history, {"objective": np.arange(2)}).plot()
    display.figure_.canvas.draw()
    assert display.ax_.yaxis.get_offset_text().get_text() == ""


def test_single_axes_hold_one_quantity(pcg_model, ax):
    display = ConvergenceDisplay.from_estimator(pcg_model, ax=ax)
    assert display.ax_ is ax
    assert list(display.lines_) == ["objective"]
    display.plot(quantities=["gradient_norm"])
    assert list(display.lines_) == ["gradient_norm"]
    with pytest.raises(ValueError, match=r"must hold 2 Axes.* got 1"):
        display.plot(ax, quantities=["objective", "criterion"])
    with pytest.raises(ValueError, match=r"quantities of .* got 'speed'"):
        display.plot(quantities="speed")


def test_frame_has_all_values(pcg_model):
    display = ConvergenceDisplay.from_estimator(pcg_model)
    frame = display.frame()
    chosen = frame[frame["quantity"] == "criterion"]
    assert_array_equal(chosen["value"], display.history["criterion"])
    assert len(frame) == sum(map(len, display.history.values()))


def test_models_without_history_are_refused(moons):
    X, y, _ = moons
    with pytest.raises(ValueError, match=r"SVC has none; .*solver='pcg'"):
        ConvergenceDisplay.from_estimator(SVC().fit(X, y))
    with pytest.raises(NotFittedError):
        ConvergenceDisplay.from_estimator(LaplacianSVC())
