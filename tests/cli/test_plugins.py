"""An estimator and a kernel of another package, each in one file of their own."""

import json
import os
import subprocess
import sys

import pytest

pytest.importorskip("matplotlib")

pytestmark = pytest.mark.slow

KERNEL = '''
from dataclasses import dataclass

from scipy.spatial.distance import cdist

from widemargin.kernels import Kernel


@dataclass(frozen=True)
class Cauchy(Kernel, shorthand="cauchy"):
    """Similarity 1 / (1 + width * squared distance)."""

    width: float = 1.0

    def __call__(self, X, Z=None):
        return 1.0 / (1.0 + self.width * cdist(X, X if Z is None else Z) ** 2)
'''

ESTIMATOR = '''
import numpy as np

from widemargin.averaging import average_scores
from widemargin.estimators import Classifier, Fit, Method, read_parameter
from widemargin.labels import decide
from widemargin.solvers.result import SolveResult, Status
from widemargin.spaces import Function


class NearestMeans(Classifier):
    """Scores of a row: its mean similarity to the labeled rows of each class."""

    methods = (Method("toy", "mean similarity to each class", n_folds=2),)
    averaged = "sizes_"
    step_name = "round"

    def __init__(self, kernel="cauchy", graph="knn", random_state=None):
        self.kernel = kernel
        self.graph = graph
        self.random_state = random_state

    def _fit_sample(self, sample, rng):
        kernel, self.sizes_ = read_parameter(self, "kernel"), ["small", "large"]
        points = sample.rows.points(kernel, sample.label_idx)
        coef = np.eye(sample.n_classes)[sample.codes] - 1.0 / sample.n_classes
        coef = coef[:, 1:] if sample.n_classes == 2 else coef
        scores, weights = kernel(points) @ coef, sample.label_weights
        average, calibration = average_scores(
            np.stack([scores, 5.0 * scores]), sample.codes, np.ones(2) / 2, weights
        )
        function = Function(kernel, points, coef, np.zeros(coef.shape[1]))
        history = {"objective": [2.0, 1.0], "criterion": [0.5, 0.0]}
        result = SolveResult(coef, 1.0, Status.CONVERGED, 2, history)
        codes = decide(function(sample.rows.X))
        return Fit(function, calibration, result, codes, average=average)
'''

PLOTS = """
import matplotlib
import pandas as pd

matplotlib.use("Agg")
from toy_estimator import NearestMeans
import toy_kernel
from widemargin import plots

frame = pd.read_csv("iris.csv")
X = frame.filter(like="petal").to_numpy()
y = frame["species"].where(frame["species"].notna(), None).to_numpy(object)
model = NearestMeans().fit(X, y)
assert model.set_params(kernel__width=2.0).kernel == toy_kernel.Cauchy(2.0)
displays = [
    plots.DecisionDisplay.from_estimator(model, X, y, grid_resolution=20),
    plots.TransductionDisplay.from_estimator(model, X, y),
    plots.GraphDisplay.from_estimator(model, X, y),
    plots.ConvergenceDisplay.from_estimator(model),
    plots.PathDisplay.from_estimator(model),
]
for display in displays:
    assert len(display.frame())
    display.figure_.canvas.draw()
assert displays[-1].values == ["small", "large"]
assert displays[-1].parameter == "size"
"""


@pytest.fixture
def installed(folder):
    """Run a command, or Python, with both files installed as plug-ins."""
    home = folder / "site"
    info = home / "toys-1.0.dist-info"
    info.mkdir(parents=True)
    (home / "toy_kernel.py").write_text(KERNEL)
    (home / "toy_estimator.py").write_text(ESTIMATOR)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: toys\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[widemargin.plugins]\nkernel = toy_kernel\nestimator = toy_estimator\n"
    )
    paths = [str(home), *(path for path in sys.path if path)]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}

    def run(*words):
        return subprocess.run(
            [sys.executable, *words], capture_output=True, text=True, env=env
        )

    return run


def call(installed, *words):
    result = installed("-m", "widemargin", *map(str, words))
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_help_lists_the_method_after_our_own(installed):
    page = call(installed, "fit", "--help")
    methods = page.split("Methods:\n")[1].split("\n\n")[0].splitlines()
    assert methods[0].split()[0] == "auto"
    assert methods[-1].split(maxsplit=1) == ["toy", "mean similarity to each class"]


def test_fit_predict_and_inspect(installed, folder):
    """With a kernel of a plug-in, and a parameter of this kernel."""
    settings = "--set", "kernel=cauchy", "--set", "kernel__width=0.5"
    fit = "fit", "iris.csv", "--target", "species", "--method", "toy", *settings
    report = call(installed, *fit, "--out", "toy.wm")
    assert "2-fold cross-validation on 30 labeled rows" in report
    assert "toy: " in report
    assert " rows correct (" in report
    table = call(installed, "predict", "toy.wm", "iris.csv")
    assert table.count("\n") == 151
    facts = json.loads(call(installed, "inspect", "toy.wm", "--json"))
    assert facts["estimator"] == "NearestMeans"
    assert facts["parameters"]["kernel"] == "Cauchy(width=0.5)"
    assert facts["status"] == "converged"


def test_wrong_parameters_of_a_value_are_named(installed):
    fit = "-m", "widemargin", "fit", "iris.csv", "--target", "species"
    toy = *fit, "--method", "toy"
    for settings, message in [
        (["kernel__widht=1"], "Cauchy has no parameter 'widht'; it has width."),
        (["width=1"], "no such parameter; did you mean 'kernel__width'?"),
        (["kernel=cauchi"], "kernel of NearestMeans must be one of"),
    ]:
        words = [word for setting in settings for word in ("--set", setting)]
        result = installed(*toy, *words)
        assert result.returncode == 2
        assert message in " ".join(result.stderr.split())


def test_displays_draw_it(installed):
    result = installed("-c", PLOTS)
    assert result.returncode == 0, result.stderr


def test_a_plugin_that_cannot_be_loaded_is_a_note(installed, folder):
    (folder / "site" / "toy_kernel.py").write_text("import no_such_package")
    result = installed("-m", "widemargin", "cluster", "iris.csv", "-k", "3", "--json")
    assert result.returncode == 0
    assert "Note: the plug-in 'kernel' (toy_kernel) cannot be imported" in result.stderr
