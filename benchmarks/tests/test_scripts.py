"""Scripts that are run by hand, and the commands that constants name as evidence."""

import re
import runpy
from pathlib import Path

import pytest

from widemargin import defaults
from widemargin_bench import list_names

ROOT = Path(__file__).parents[2]
SCRIPTS = sorted((ROOT / "benchmarks").glob("[es]*/*.py"))


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_a_script_can_be_imported_and_has_a_command(path):
    found = runpy.run_path(str(path))
    assert callable(found["main"])
    assert f"python benchmarks/{path.parent.name}/{path.name}" in found["__doc__"]


def test_tables_that_constants_name_as_evidence_exist():
    source = Path(defaults.__file__).read_text().replace("\n# ", " ")
    commands = re.findall(r"`widemargin bench run ([^`]+)`", source)
    named = " ".join(command.partition(" --")[0] for command in commands).split()
    assert len(named) > 5
    assert set(named) <= set(list_names())
