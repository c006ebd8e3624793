"""The code on the pages runs as it stands, and the figures beside it are true."""

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
NEEDS = {"plots": "matplotlib", "few_labels": "matplotlib", "table": "pandas"}
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
PAGES = sorted(
    path
    for path in [ROOT / "README.md", *DOCS.rglob("*.md")]
    if "_build" not in path.parts
    and path.exists()
    and BLOCK.search(path.read_text("utf-8"))
)


class Printer:
    """A `print` that compares what it is given with the comment on its line.

    Numbers in the comment, up to a semicolon, must be the first ones that are printed,
    within one unit of their last digit.
    """

    def __init__(self, lines):
        self.lines, self.n_compared = lines, 0

    def __call__(self, *values):
        line = self.lines[sys._getframe(1).f_lineno - 1]
        stated = NUMBER.findall(line.partition("  # ")[2].partition(";")[0])
        printed = NUMBER.findall(" ".join(map(str, values)))
        assert len(printed) >= len(stated), line
        for claim, value in zip(stated, printed, strict=False):
            digits = len(claim.partition(".")[2])
            error = abs(float(claim) - float(value))
            assert error <= 1.01 * 10**-digits * bool(digits), (line, values)
            self.n_compared += 1


def run_page(path):
    """Run the blocks of a page one after the other; the number of compared figures."""
    code = "\n".join(BLOCK.findall(path.read_text("utf-8")))
    show = Printer(code.splitlines())
    exec(compile(code, str(path), "exec"), {"print": show, "__name__": path.stem})
    return show.n_compared


@pytest.mark.slow
@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_code_blocks_run_one_after_the_other(path, monkeypatch, tmp_path):
    """What a page shows works, and prints what it says."""
    if path.stem in NEEDS:
        pytest.importorskip(NEEDS[path.stem])
    monkeypatch.setenv("MPLBACKEND", "agg")
    monkeypatch.chdir(tmp_path)
    run_page(path)


@pytest.mark.skipif(not DOCS.exists(), reason="installed without the documentation")
def test_figures_are_compared(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(
        "```python\nprint(0.9149)  # 0.91; about\nprint('no', 3)  # 3\n```\n"
    )
    assert run_page(page) == 2
    page.write_text("```python\nprint(0.93)  # 0.91\n```\n")
    with pytest.raises(AssertionError):
        run_page(page)


@pytest.mark.skipif(not DOCS.exists(), reason="installed without the documentation")
@pytest.mark.parametrize(
    "path",
    [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))],
    ids=lambda path: path.stem,
)
def test_links_lead_to_files(path):
    """Relative links also work where the files are read as they are."""
    made_by_the_build = ("auto_examples/",)
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", path.read_text("utf-8")):
        if "://" in target or any(part in target for part in made_by_the_build):
            continue
        assert (path.parent / target).exists(), f"{path.name} links to {target}"


@pytest.mark.skipif(not DOCS.exists(), reason="installed without the documentation")
def test_the_chart_and_its_page_name_the_same_estimators():
    """Both start with the same one."""
    page = (DOCS / "choosing.md").read_text("utf-8")
    table = page.partition("## A decision guide")[2].partition("\n## ")[0]
    chart = (DOCS / "_static" / "decision_guide.svg").read_text("utf-8")
    estimator = re.compile(r"\b[A-Z]\w*(?:SVC|GPC|Classifier|Clustering)\b")
    used = [
        name
        for line in table.splitlines()
        if line.startswith("| ") and "---" not in line
        for name in estimator.findall(line.split("|")[2])
    ]
    texts = re.findall(r'class="(?:a1|s1)"[^>]*>([^<]*)<', chart)
    shown = [name for text in texts for name in estimator.findall(text)]
    assert shown[0] == used[0] == "FewLabelClassifier"
    assert set(shown) == set(used)
    assert list(dict.fromkeys(shown)) == list(dict.fromkeys(used))


@pytest.mark.skipif(not DOCS.exists(), reason="installed without the documentation")
def test_code_to_copy_sets_no_backend():
    """People copy it into notebooks, where their backend shows the figures."""
    pages = [ROOT / "README.md", *DOCS.rglob("*.md"), *DOCS.rglob("*.ipynb")]
    pages += (ROOT / "examples").glob("*.py")
    for path in pages:
        assert "matplotlib.use(" not in path.read_text("utf-8"), path
