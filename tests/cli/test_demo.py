import json
from pathlib import Path

import numpy as np
import pytest

QUICK = "--set", "candidates=['laplacian']"  # two of the candidates


@pytest.mark.slow
def test_demo_prints_a_table_and_writes_a_picture(done, refused):
    pytest.importorskip("matplotlib")
    result = done("demo", "digits.png", *QUICK)
    assert "FewLabelClassifier" in result.stdout
    assert "laplacian" in result.stdout
    assert result.stdout.startswith("Fitting FewLabelClassifier on 1,797 rows")
    assert "FewLabelClassifier: laplacian, " in result.stdout
    assert "FewLabelClassifier estimated from held-out labels: " in result.stdout
    assert "Picture written to digits.png" in result.stdout
    assert Path("digits.png").stat().st_size > 10_000
    assert "digits.png exists; add --force" in refused("demo", "digits.png")


def test_the_ending_is_checked_first(refused):
    pytest.importorskip("matplotlib")
    message = refused("demo", "x.pdff", "--set", "not a parameter")
    assert "The ending of x.pdff is not that of a picture" in message
    assert ". is a folder" in refused("demo", ".")


def test_json(done):
    result = done("demo", "--json", *QUICK)
    assert result.stderr == ""
    outcome = json.loads(result.stdout)
    methods = outcome["methods"]
    assert methods["FewLabelClassifier"]["accuracy"] > 0.85
    assert methods["laplacian"]["accuracy"] > 0.85
    names = [line["name"] for line in outcome["report"]["candidates"]]
    assert names == ["supervised", "laplacian"]
    assert np.isclose(methods["SVC (labels only)"]["accuracy"], 0.743, atol=0.01)
