import re
import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import click
import pytest

from widemargin.cli import main as cli
from widemargin.cli.main import BENCHMARKS, COMMANDS
from widemargin.cli.methods import DEFAULTS, list_offers

GUIDE = Path(__file__).parents[2] / "docs" / "command_line.md"
ELSEWHERE = click.Command("shout", callback=lambda: click.echo("HELLO"), help="Shout.")


@pytest.fixture
def installed(monkeypatch):
    """Set the commands that other packages declare, {name: object}."""

    def declare(**commands):
        found = [EntryPoint(n, v, cli.GROUP) for n, v in commands.items()]
        monkeypatch.setattr(cli, "entry_points", lambda group: found)

    declare()
    return declare


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_examples_and_fits_a_terminal(done, command):
    page = done(command, "--help").stdout
    assert f"widemargin {command}" in page.split("\n", 1)[1]
    assert max(map(len, page.splitlines())) <= 80
    assert "--json" in page
    assert "--debug" in page
    assert "Exit codes: 0 if" in page


@pytest.mark.skipif(not GUIDE.exists(), reason="installed without the repository")
@pytest.mark.parametrize("command", COMMANDS)
def test_help_and_guide_have_the_same_exit_codes(done, command):
    page = done(command, "--help").stdout.partition("Exit codes:")[2]
    table = GUIDE.read_text("utf-8").partition("| exit code |")[2].partition("\n\n")[0]
    first = [line.split("|")[1] for line in table.splitlines()[2:]]
    assert set(re.findall(r"\d+", page)) == set(re.findall(r"\d+", " ".join(first)))


def test_all_commands_are_listed_in_a_line_each(done):
    page = done("--help").stdout
    for command in (*COMMANDS, *BENCHMARKS):
        assert f"  {command}" in page
    assert "..." not in page.split("Commands:")[1]


@pytest.mark.parametrize("words", [(), ("list",), ("run", "--quick", "umc-table1")])
def test_benchmarks_that_are_not_installed_say_how_to_get_them(
    run, refused, installed, words
):
    for command in BENCHMARKS:
        refused(command, *words)
        lines = run(command, *words).stderr.splitlines()
        # whole, so that it can be copied
        assert "    pip install ./benchmarks" in lines


def test_help_names_benchmarks_that_are_not_installed(done, installed):
    page = done("-h").stdout
    for command, summary in BENCHMARKS.items():
        assert f"{command:8} {summary}" in page
    assert "pip install ./benchmarks" in done("bench", "--help").stdout


def test_other_packages_add_commands(done, installed):
    installed(shout=f"{__name__}:ELSEWHERE", fit=f"{__name__}:ELSEWHERE")
    page = done("--help").stdout
    assert "shout    Shout." in page
    assert page.count("  fit ") == 1  # the library's own
    assert done("shout").stdout == "HELLO\n"
    assert "HELLO" not in done("fit", "--help").stdout


def test_a_command_that_cannot_be_loaded_does_not_break_the_others(
    done, refused, installed
):
    installed(shout="no_such_package.cli:shout")
    assert "shout    (cannot be loaded)" in done("--help").stdout
    assert "No module named 'no_such_package'" in refused("shout")


def test_own_commands_do_not_look_for_others(done, monkeypatch):
    """Looking at the metadata of all packages takes time."""
    monkeypatch.delattr(cli, "entry_points")
    done("predict", "--help")
    assert done("--version").output.startswith("widemargin ")


@pytest.mark.parametrize(
    ("task", "command"), [("classify", "fit"), ("cluster", "cluster")]
)
def test_help_lists_what_estimators_declare(done, task, command):
    """A help page reads their source, and does not import them."""
    task = {"fit": "classify"}.get(command, command)
    page = done(command, "--help").stdout
    lines = page.split("Methods:\n")[1].split("\n\n")[0].splitlines()
    listed = [line.split(maxsplit=1) for line in lines]
    declared = {name: offer.method for name, offer in list_offers(task).items()}
    assert listed == [[name, method.summary] for name, method in declared.items()]
    assert listed[0][0] == DEFAULTS[task]


def test_help_does_not_import_estimators():
    code = (
        "import sys; from widemargin.cli.main import main;"
        "main(['fit', '--help'], standalone_mode=False);"
        "sys.exit('sklearn' in sys.modules or 'numpy' in sys.modules)"
    )
    words = [sys.executable, "-c", code]
    assert subprocess.run(words, stdout=subprocess.DEVNULL).returncode == 0


def test_a_command_that_does_not_exist_names_another(refused):
    assert "widemargin fit with the same options and --force" in refused("update", "x")
