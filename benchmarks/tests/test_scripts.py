"""Scripts that are run by hand, and the commands that constants name as evidence."""

import re
import runpy
from pathlib import Path

import numpy as np
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


def test_constants_of_clustering_are_chosen_on_other_sources():
    """All parts of usps are left out together; equally good constants are averaged."""
    script = runpy.run_path(str(ROOT / "benchmarks/evidence/clusters.py"))
    indices = {
        "sets": {"usps": np.array([0.0, 1.0, 0.0]), "iris": np.array([0.6, 0.5, 0.6])},
        "problems": {
            "usps2,7": np.array([0.0, 1.0, 0.5]),
            "uspst": np.array([0.0, 1.0, 1.0]),
            "wine": np.array([0.7, 0.1, 0.7]),
        },
    }
    found = script["choose_elsewhere"](indices)
    assert found["sets"] == pytest.approx({"usps": 0.0, "iris": 0.5})
    # Without usps the first and the last constants are equally good.
    expected = {"usps2,7": 0.25, "uspst": 0.5, "wine": 0.1}
    assert found["problems"] == pytest.approx(expected)
