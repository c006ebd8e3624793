import json
import re
import subprocess
import sys
import tomllib
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from click.testing import CliRunner

from widemargin.cli import main as cli
from widemargin.cli.main import main

pytestmark = pytest.mark.slow

PROJECT = Path(__file__).parents[1] / "pyproject.toml"


@pytest.fixture
def run(monkeypatch):
    """Run `widemargin bench`, found as pyproject.toml declares it."""
    monkeypatch.delenv("WIDEMARGIN_DATA", raising=False)
    project = tomllib.loads(PROJECT.read_text("utf-8"))["project"]
    declared = project["entry-points"][cli.GROUP]
    found = [EntryPoint(*item, cli.GROUP) for item in declared.items()]
    monkeypatch.setattr(cli, "entry_points", lambda group: found)

    def invoke(*words):
        return CliRunner().invoke(main, ["bench", *words])

    return invoke


def test_list_shows_all_and_says_what_is_missing(run):
    result = run("list")
    assert result.exit_code == 0
    assert "defaults-clustering" in result.stdout
    assert "Not here:" in result.stderr
    assert "ionosphere: UCI ionosphere; OpenML 59" in result.stderr
    lines = result.stdout.splitlines()
    assert lines == [line.rstrip() for line in lines]
    headings = [line for line in lines if not line.startswith(" ")]
    assert headings[-1] == "our own"
    assert len(headings) == len(set(headings))
    assert not re.search(r" 1 (rows|methods|runs)", " ".join(result.stdout.split()))
    assert max(map(len, [*lines, *result.stderr.splitlines()])) <= 80


def test_run_without_data_runs_what_is_bundled(run, tmp_path):
    words = "run", "defaults-clustering", "--quick", "--out", str(tmp_path)
    result = run(*words)
    assert result.exit_code == 0, result.output
    assert "g50c: Chapelle" in result.stderr
    assert "usps" not in result.stderr  # no part of a quick run
    file = tmp_path / "quick" / "defaults-clustering.jsonl"
    lines = file.read_text().splitlines()
    rows = {json.loads(line).get("row") for line in lines} - {None}
    assert rows == {"wine", "breast_cancer", "iris"}
    assert run(*words).exit_code == 0
    assert file.read_text().splitlines() == lines  # nothing was left to do


def test_rows_methods_and_runs_can_be_told(run, tmp_path):
    words = "--rows", "Wine", "--rows", "iris", "--methods", "kmeans", "--runs", "2"
    result = run(
        "run", "defaults-clustering", "--no-memory", *words, "--out", str(tmp_path)
    )
    assert result.exit_code == 0, result.output
    lines = (tmp_path / "defaults-clustering.jsonl").read_text().splitlines()
    cells = [json.loads(line) for line in lines if '"cell"' in line]
    found = {(cell["row"], cell["method"], cell["run"]) for cell in cells}
    assert found == {(row, "KMeans", i) for row in ("wine", "iris") for i in range(2)}


def test_results_of_other_code_are_told_and_can_be_set_aside(run, tmp_path):
    words = "run", "defaults-clustering", "--quick", "--out", str(tmp_path)
    file = tmp_path / "quick" / "defaults-clustering.jsonl"
    file.parent.mkdir()
    file.write_text(json.dumps({"kind": "origin", "code": "0123"}) + "\n")
    assert "another version of the code" in run(*words).stderr
    result = run(*words, "--fresh")
    assert "another version" not in result.stderr
    assert file.with_name(file.name + ".old").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["run", "nope"], "There is no benchmark 'nope'"),
        (["run", "default"], "Did you mean 'defaults'?"),
        (["run", "defaults", "--jobs", "-3"], "-1 for all, got -3"),
        (["run", "defaults", "--quick", "--out", "/proc/x"], "Cannot write to /proc/x"),
        (["run", "defaults", "--jobs", "0"], "--jobs must be"),
        (["run", "defaults", "--rows", "moon"], "rows and methods with moon in their"),
        (["run", "defaults", "--runs", "0"], "0 is not in the range x>=1"),
        (["report", "--out", "no-such-folder"], "There are no results in"),
        (["walk"], "No such command 'walk'"),
    ],
)
def test_wrong_words_get_one_sentence(run, words, message):
    result = run(*words)
    assert result.exit_code == 2
    assert message in result.stderr
    assert "Traceback" not in result.output


def test_nothing_to_run_is_told(run, tmp_path):
    result = run("run", "tri-digits", "--quick", "--out", str(tmp_path))
    assert result.exit_code == 1
    assert "Nothing could be run." in result.stderr


def test_report_is_one_file(run, tmp_path):
    run("run", "defaults-clustering", "--quick", "--out", str(tmp_path))
    result = run("report", "--quick", "--out", str(tmp_path))
    assert result.exit_code == 0, result.output
    page = (tmp_path / "quick" / "report.html").read_text(encoding="utf-8")
    assert "MaxMarginClustering" in page
    assert "quick" in page


def test_help_has_examples(run):
    page = run("--help").stdout
    assert "widemargin bench run umc-table1" in page
    assert "list" in page.split("Commands:")[1]


def test_help_of_all_commands_needs_no_computing_package():
    """It answers at once: NumPy and its kind are imported by the commands."""
    code = (
        "import sys; import widemargin_bench.cli; "
        "sys.exit(bool({'numpy', 'sklearn', 'scipy'} & sys.modules.keys()))"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
