"""Scripts that are run by hand, and the commands that constants name as evidence."""

import runpy
import shlex
from pathlib import Path

import pytest

from widemargin import defaults
from widemargin_bench import list_names

ROOT = Path(__file__).parents[2]
SCRIPTS = sorted((ROOT / "benchmarks").glob("[es]*/*.py"))


def read_passports():
    """The comment above each constant of `widemargin.defaults`, by its name."""
    passports, comment = {}, []
    for line in Path(defaults.__file__).read_text().splitlines():
        if line.startswith("# "):
            comment.append(line[2:])
            continue
        name, sign, _ = line.partition(" = ")
        if sign and name.isupper():
            passports[name] = " ".join(comment)
        comment = []
    return passports


PASSPORTS = read_passports()


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_a_script_can_be_imported_and_has_a_command(path):
    found = runpy.run_path(str(path))
    assert callable(found["main"])
    assert f"python benchmarks/{path.parent.name}/{path.name}" in found["__doc__"]


@pytest.mark.parametrize("name", PASSPORTS)
def test_constant_has_a_reason_data_and_a_command_that_exists(name):
    passport = PASSPORTS[name]
    reason, _, evidence = passport.partition("Data:")
    assert len(reason.split()) >= 3
    data, _, command = evidence.partition("Command:")
    assert data.strip()
    words = shlex.split(command.strip(" `.").replace("`", ""))
    if words[:3] == ["widemargin", "bench", "run"]:
        assert set(words[3:]) <= set(list_names())
        return
    assert words[0] in ("python", "pytest")
    assert (ROOT / words[1]).is_file()
