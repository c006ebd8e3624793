"""Notebooks of the documentation run, and show what is stored in them."""

import json
import re
from pathlib import Path

import pytest

pytest.importorskip("matplotlib")
notebook = pytest.importorskip("notebook", reason="installed without the tools")

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "docs").glob("tutorials/*.ipynb"))
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def printed(cells):
    """What the code cells print."""
    return [
        "".join(output["text"])
        for cell in cells
        for output in cell.get("outputs", ())
        if output["output_type"] == "stream"
    ]


def test_outputs_of_a_small_notebook():
    """Text, the last expression, nothing after a semicolon, and names that last."""
    sources = ["a = 2\nprint('two')\na + 1", "a * 2;", "# a comment"]
    cells = [{"cell_type": "code", "source": [text]} for text in sources]
    cells.insert(1, {"cell_type": "markdown", "source": ["text"]})
    first, text, second, third = notebook.execute({"cells": cells})["cells"]
    stream, result = first["outputs"]
    assert stream["text"] == ["two\n"]
    assert result["data"] == {"text/plain": ["3"]}
    assert text == cells[1]
    assert second["outputs"] == third["outputs"] == []
    assert third["execution_count"] == 3


def test_there_is_a_notebook():
    if (ROOT / "docs").exists():
        assert NOTEBOOKS


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_stored_outputs_are_those_of_today(path, monkeypatch, tmp_path):
    """Words are the same; numbers differ by a unit of their last digit at most."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    stored = json.loads(path.read_text("utf-8"))
    now = printed(notebook.execute(stored)["cells"])
    for old, new in zip(printed(stored["cells"]), now, strict=True):
        assert NUMBER.sub("", old).split() == NUMBER.sub("", new).split()
        for was, found in zip(NUMBER.findall(old), NUMBER.findall(new), strict=True):
            unit = 10.0 ** -len(was.partition(".")[2])
            assert abs(float(was) - float(found)) <= 1.01 * unit, (old, new)
