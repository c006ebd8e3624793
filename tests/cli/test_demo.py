import json
from pathlib import Path

import numpy as np
import pytest

from widemargin import FewLabelClassifier, demo


@pytest.fixture
def quick(monkeypatch):
    """The demonstration with two of its candidates."""
    monkeypatch.setattr(demo, "CLASSIFIER", FewLabelClassifier(["laplacian"]))


@pytest.mark.usefixtures("quick")
def test_demo_prints_a_table_and_writes_a_picture(done, refused):
    pytest.importorskip("matplotlib")
    result = done("demo", "digits.png")
    assert "FewLabelClassifier" in result.stdout
    assert "laplacian" in result.stdout
    assert result.stdout.startswith("Fitting six machines on 1,797 rows")
    assert "FewLabelClassifier: laplacian, " in result.stdout
    assert "FewLabelClassifier expects from held-out labels: " in result.stdout
    assert "Picture written to digits.png" in result.stdout
    assert Path("digits.png").stat().st_size > 10_000
    assert "digits.png exists; add --force" in refused("demo", "digits.png")


def test_the_ending_is_looked_at_first(refused, monkeypatch):
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(demo, "run", None)
    assert "The ending of x.pdff is none of a picture" in refused("demo", "x.pdff")
    assert ". is a folder" in refused("demo", ".")


@pytest.mark.usefixtures("quick")
def test_json(done):
    result = done("demo", "--json")
    assert result.stderr == ""
    outcome = json.loads(result.stdout)
    methods = outcome["methods"]
    assert methods["FewLabelClassifier"]["accuracy"] > 0.85
    assert methods["laplacian"]["accuracy"] > 0.85
    names = [line["name"] for line in outcome["report"]["candidates"]]
    assert names == ["supervised", "laplacian"]
    assert np.isclose(methods["SVC (labels only)"]["accuracy"], 0.743, atol=0.01)
