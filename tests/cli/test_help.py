import pytest

from widemargin.cli.main import COMMANDS


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_examples_and_fits_a_terminal(done, command):
    page = done(command, "--help").stdout
    assert f"widemargin {command}" in page.split("\n", 1)[1]
    if command != "bench":  # a group, whose commands have pages of their own
        assert max(map(len, page.splitlines())) <= 80
        assert "--json" in page
        assert "--debug" in page


def test_all_commands_are_listed_in_a_line_each(done):
    page = done("--help").stdout
    for command in COMMANDS:
        assert f"  {command}" in page
    assert "..." not in page.split("Commands:")[1]
