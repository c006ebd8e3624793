import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from widemargin_bench.cli import demo

QUICK = "--set", "candidates=['laplacian']"  # two of the candidates


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Run in an empty folder."""
    monkeypatch.chdir(tmp_path)


def done(*words):
    """The outcome of a run that succeeds."""
    result = CliRunner().invoke(demo, words)
    assert result.exit_code == 0, result.output
    return result


def refused(*words):
    """The message of a run that is refused, in one line."""
    result = CliRunner().invoke(demo, words)
    assert result.exit_code == 2, result.output
    return " ".join(result.stderr.split())


@pytest.mark.slow
def test_demo_prints_a_table_and_writes_a_picture():
    pytest.importorskip("matplotlib")
    result = done("digits.png", *QUICK)
    assert "FewLabelClassifier" in result.stdout
    assert "laplacian" in result.stdout
    assert result.stdout.startswith("Fitting FewLabelClassifier on 1,797 rows")
    assert "FewLabelClassifier: laplacian, " in result.stdout
    assert "FewLabelClassifier estimated from held-out labels: " in result.stdout
    assert "Picture written to digits.png" in result.stdout
    assert Path("digits.png").stat().st_size > 10_000
    assert "digits.png exists; add --force" in refused("digits.png")


def test_the_ending_is_checked_first():
    pytest.importorskip("matplotlib")
    message = refused("x.pdff", "--set", "not a parameter")
    assert "The ending of x.pdff is not that of a picture" in message
    assert ". is a folder" in refused(".")


def test_json():
    result = done("--json", *QUICK)
    assert result.stderr == ""
    outcome = json.loads(result.stdout)
    methods = outcome["methods"]
    assert methods["FewLabelClassifier"]["accuracy"] > 0.85
    assert methods["laplacian"]["accuracy"] > 0.85
    names = [line["name"] for line in outcome["report"]["candidates"]]
    assert names == ["supervised", "laplacian"]
    assert np.isclose(methods["SVC (labels only)"]["accuracy"], 0.743, atol=0.01)
