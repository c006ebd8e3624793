"""A session in a real shell."""

import shlex
import shutil
import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow

SESSION = """
cat iris.csv | widemargin fit - --target species --folds 0 --predictions - > labels.csv
widemargin predict table.wm iris.csv | head -2
widemargin fit iris.csv --target speces; echo "exit $?"
"""


@pytest.mark.skipif(shutil.which("sh") is None, reason="needs a shell")
def test_pipes_redirections_and_exit_codes(folder):
    name = f"{shlex.quote(sys.executable)} -m widemargin"
    result = subprocess.run(
        ["sh", "-c", SESSION.replace("widemargin", name)],
        capture_output=True,
        text=True,
        check=True,
    )
    lines = (folder / "labels.csv").read_text().splitlines()
    assert lines[0].endswith(",source,review")
    assert len(lines) == 151
    first, second, last = result.stdout.splitlines()
    assert (
        dict(zip(first.split(","), second.split(","), strict=True))["label"] == "setosa"
    )
    assert last == "exit 2"
    assert result.stderr.splitlines()[0].startswith("table        stdin, 150 rows")
    assert "Did you mean 'species'?" in result.stderr
    assert "Traceback" not in result.stderr
