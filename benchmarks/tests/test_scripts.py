"""Scripts that are run by hand, and the commands that constants name as evidence."""

import runpy
import shlex
from pathlib import Path

import pytest

from widemargin.defaults import PASSPORTS
from widemargin_bench import list_names

ROOT = Path(__file__).parents[2]
SCRIPTS = sorted((ROOT / "benchmarks").glob("[es]*/*.py"))


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_a_script_can_be_imported_and_has_a_command(path):
    found = runpy.run_path(str(path))
    assert callable(found["main"])
    assert f"python benchmarks/{path.parent.name}/{path.name}" in found["__doc__"]


@pytest.mark.parametrize("name", PASSPORTS)
def test_evidence_of_a_constant_is_a_table_a_script_or_a_test(name):
    words = shlex.split(PASSPORTS[name].command)
    if words[:3] == ["widemargin", "bench", "run"]:
        assert set(words[3:]) <= set(list_names())
        return
    assert words[0] in ("python", "pytest")
    assert (ROOT / words[1]).is_file()
