import ast
import json
import re
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest

import widemargin

ROOT = Path(__file__).parents[1]
CITATION = ROOT / "CITATION.cff"


def run_in_new_process(code):
    """Run `code`, which prints one JSON value, in a fresh interpreter."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_version_is_that_of_the_metadata():
    assert widemargin.__version__ == version("widemargin")


@pytest.mark.parametrize("name", widemargin.__all__)
def test_exported_name_resolves(name):
    assert getattr(widemargin, name) is not None


@pytest.mark.parametrize("name", ["datasets", "estimators", "kernels", "plots"])
@pytest.mark.slow
def test_modules_need_no_import_of_their_own(name):
    code = f"import json, widemargin; print(json.dumps(widemargin.{name}.__name__))"
    assert run_in_new_process(code) == f"widemargin.{name}"
    assert name in dir(widemargin)


def test_other_names_are_refused():
    with pytest.raises(AttributeError, match="has no attribute 'nope'"):
        widemargin.nope  # noqa: B018


def test_exported_names_are_listed_once():
    assert len(set(widemargin.__all__)) == len(widemargin.__all__)


@pytest.mark.slow
def test_import_needs_only_scikit_learn_and_what_it_needs():
    """Numba, matplotlib and the like are loaded by the function that needs them.

    They are made impossible to import, since scikit-learn itself loads pandas and rich
    where they are installed.
    """
    heavy = ["numba", "matplotlib", "click", "rich", "pandas"]
    code = (
        f"import json, sys; sys.modules.update(dict.fromkeys({heavy}));"
        "import widemargin; from widemargin import *;"
        "print(json.dumps(widemargin.__version__))"
    )
    assert run_in_new_process(code) == widemargin.__version__


def test_import_adds_little_to_that_of_scikit_learn():
    """No other package, and none of our own modules that only some users need."""
    code = (
        "import json, sys, sklearn.svm; before = set(sys.modules);"
        "from widemargin import *; print(json.dumps(sorted(set(sys.modules) - before)))"
    )
    added = run_in_new_process(code)
    packages = {name.partition(".")[0] for name in added} - sys.stdlib_module_names
    assert packages <= {"widemargin", "sklearn"}
    rare = ("cli", "model_files.tree", "plots", "studio.", "tables")
    rare = tuple(f"widemargin.{name}" for name in rare)
    assert not [name for name in added if name.startswith(rare)]


@pytest.mark.parametrize("words", [["--help"], ["fit", "--help"]])
def test_help_waits_for_no_numeric_library(words):
    code = (
        "import json, sys; from widemargin.cli.main import main;"
        "out, sys.stdout = sys.stdout, sys.stderr;"
        f"main({words}, standalone_mode=False);"
        "heavy = {'numpy', 'scipy', 'sklearn', 'pandas'} & set(sys.modules);"
        "print(json.dumps(sorted(heavy)), file=out)"
    )
    assert run_in_new_process(code) == []


def test_type_checkers_see_every_exported_name():
    """What `__getattr__` imports is listed for them once more, from the same home."""
    tree = ast.parse(Path(widemargin.__file__).read_text("utf-8"))
    (block,) = (part for part in tree.body if isinstance(part, ast.If))
    listed = {name.asname: part.module for part in block.body for name in part.names}
    assert listed == widemargin._HOMES
    assert (Path(widemargin.__file__).parent / "py.typed").exists()


@pytest.mark.skipif(not CITATION.exists(), reason="installed without the repository")
def test_citation_names_the_version():
    assert f"version: {widemargin.__version__}\n" in CITATION.read_text("utf-8")


@pytest.mark.skipif(not CITATION.exists(), reason="installed without the repository")
def test_contributing_shows_the_layers_of_the_import_contract():
    """The picture of the layers is the contract that `make lint` checks."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())
    (contract,) = contracts["tool"]["importlinter"]["contracts"]
    expected = [sorted(re.findall(r"\w+", line)) for line in contract["layers"]]
    text = (ROOT / "CONTRIBUTING.md").read_text()
    shown = text.partition("The folders are layers:\n\n```\n")[2].partition("```")[0]
    assert [sorted(line.split()) for line in shown.splitlines()] == expected
