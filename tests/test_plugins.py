"""Estimators and kernels of other packages."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import plug_in
import pytest
from numpy.testing import assert_array_equal
from plug_in import Cauchy, ToyClassifier

import widemargin
from widemargin.kernels import Kernel
from widemargin.model_files import ModelFileError, load, save
from widemargin.plugins import load_plugins

PREDICT = """
import sys
import numpy as np
import widemargin
model = widemargin.load(sys.argv[1])
print(repr(model), model.predict(np.eye(3)).tolist())
assert "plug_in" in sys.modules
"""


@pytest.fixture
def model():
    X = np.random.default_rng(0).normal(size=(20, 3))
    y = np.where(np.arange(20) < 8, X[:, 0] > 0, -1)
    return ToyClassifier(kernel=Cauchy(0.5)).fit(X, y)


def install(folder, value):
    """Put a package into a folder that names a module as plug-in."""
    info = folder / "toy-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: toy\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[widemargin.plugins]\ntoy = {value}\n")


def run(code, *arguments, paths=()):
    source = Path(widemargin.__file__).parents[1]
    paths = os.pathsep.join(map(str, [source, *paths]))
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_kernel_and_an_estimator_of_ones_own_are_saved_and_loaded(model, tmp_path):
    save(model, tmp_path / "model.wm")
    loaded = load(tmp_path / "model.wm")
    assert type(loaded) is ToyClassifier
    assert loaded.kernel == loaded.function_.kernel == Cauchy(0.5)
    assert_array_equal(loaded.predict_proba(np.eye(3)), model.predict_proba(np.eye(3)))


def test_a_kernel_of_ones_own_works_in_our_estimators(tmp_path):
    assert "cauchy" in Kernel.shorthands()
    X = np.random.default_rng(0).normal(size=(20, 3))
    model = widemargin.LaplacianSVC(kernel="cauchy").fit(X, [0, 1] * 4 + [-1] * 12)
    save(model, tmp_path / "model.wm")
    assert_array_equal(load(tmp_path / "model.wm").predict(X), model.predict(X))


@pytest.mark.slow
def test_an_installed_plug_in_is_imported_before_a_file_is_loaded(model, tmp_path):
    save(model, tmp_path / "model.wm")
    install(tmp_path, "plug_in")
    paths = [tmp_path, Path(plug_in.__file__).parent]
    done = run(PREDICT, tmp_path / "model.wm", paths=paths)
    assert done.returncode == 0, done.stderr
    predicted = model.predict(np.eye(3)).tolist()
    assert done.stdout == f"ToyClassifier(kernel=Cauchy(gamma=0.5)) {predicted}\n"


@pytest.mark.slow
def test_a_file_imports_no_plug_in_by_itself(model, tmp_path):
    """Although the module could be imported."""
    save(model, tmp_path / "model.wm")
    done = run(PREDICT, tmp_path / "model.wm", paths=[Path(plug_in.__file__).parent])
    assert "plug_in.ToyClassifier" in done.stderr
    assert "a plug-in must be imported before" in done.stderr


def test_a_class_that_was_defined_again_is_not_saved(model, tmp_path):
    """Its name would stand for another class when the file is loaded."""
    twin = type("ToyClassifier", (ToyClassifier,), {"__module__": "plug_in"})
    try:
        with pytest.raises(ModelFileError, match=r"holds plug_in\.ToyClassifier"):
            save(model, tmp_path / "model.wm")
    finally:
        twin.__name__ = twin.__qualname__ = "_Hidden"


def test_a_plug_in_that_fails_is_named(tmp_path, monkeypatch):
    install(tmp_path, "no_such_module")
    monkeypatch.syspath_prepend(tmp_path)
    load_plugins.cache_clear()
    try:
        with pytest.warns(UserWarning, match=r"'toy' \(no_such_module\) cannot be imp"):
            load_plugins()
    finally:
        load_plugins.cache_clear()
