"""Every measured default says where it comes from."""

import re
from pathlib import Path

import pytest

from widemargin import defaults

ROOT = Path(__file__).parents[1]
SOURCE = Path(defaults.__file__).read_text(encoding="utf-8")
NAMES = [name for name in vars(defaults) if name.isupper()]


def passport(name):
    """The comment above a constant, as one line."""
    comment = re.search(rf"((?:^# .*\n)+)^{name} = ", SOURCE, re.MULTILINE).group(1)
    return " ".join(line.removeprefix("# ") for line in comment.splitlines())


@pytest.mark.parametrize("name", NAMES)
def test_a_default_has_reason_data_and_command(name):
    assert re.fullmatch(r"\S.+\. Data: .+\. Command: `.+`\.", passport(name))


@pytest.mark.parametrize("name", NAMES)
def test_the_command_names_a_file_that_exists(name):
    command = passport(name).split("Command: `")[1]
    for path in map(Path, re.findall(r"[\w/]+\.py", command)):
        if (ROOT / path.parent).is_dir():  # not everything is in an installation
            assert (ROOT / path).is_file()
