import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from sklearn.datasets import load_iris

from widemargin.cli.main import main

NAMES = ["sepal_length", "sepal_width", "petal_length", "petal_width"]


@pytest.fixture
def iris():
    """150 flowers; every fifth has a label, and all a number, a color and a date."""
    X, y = load_iris(return_X_y=True)
    frame = pd.DataFrame(X, columns=NAMES)
    frame.insert(0, "flower_id", np.arange(1000, 1150))
    frame["color"] = np.where(y == 0, "white", "blue")
    frame.loc[::7, "color"] = None
    frame.loc[3, "sepal_width"] = np.nan
    frame["picked"] = "2024-05-01"
    species = np.array(["setosa", "versicolor", "virginica"], dtype=object)[y]
    frame["species"] = np.where(np.arange(150) % 5 == 0, species, None)
    return frame


@pytest.fixture
def truth():
    """Species of all flowers."""
    iris = load_iris()
    return iris.target_names[iris.target]


@pytest.fixture
def folder(tmp_path, monkeypatch, iris):
    """The current folder, with iris.csv in it."""
    monkeypatch.chdir(tmp_path)
    iris.to_csv("iris.csv", index=False)
    return tmp_path


@pytest.fixture
def run(folder):
    """Run a command in that folder."""

    def invoke(*words, **options):
        return CliRunner().invoke(main, [str(word) for word in words], **options)

    return invoke


@pytest.fixture
def done(run):
    """Run a command that must succeed; its outcome."""

    def invoke(*words, **options):
        result = run(*words, **options)
        assert result.exit_code == 0, result.output
        return result

    return invoke


@pytest.fixture
def refused(run, folder):
    """Run a command that must fail in one sentence and write nothing; the sentence."""

    def invoke(*words, **options):
        before = _contents(folder)
        result = run(*words, **options)
        assert result.exit_code == 2, result.output
        assert "Traceback" not in result.output
        assert _contents(folder) == before
        assert max(map(len, result.stderr.splitlines())) <= 80
        _, sign, message = " ".join(result.stderr.split()).rpartition("Error: ")
        assert sign
        assert message.endswith((".", "?"))
        return message

    return invoke


def _contents(folder):
    """The bytes of all files."""
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
