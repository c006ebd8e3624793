import re

import pytest
from pages import Page, full_benchmark, page_of, results_of
from toys import number

from widemargin_bench.published import Figure


@pytest.fixture
def full():
    """A benchmark that shows all there is to show."""
    return full_benchmark()


def test_ours_stands_beside_the_paper_with_difference_and_sign(full):
    published = {
        ("a 10", "one", "error"): Figure(9.0, 0.1),
        ("a 20", "one", "error"): Figure(1.4),
        ("a 40", "one", "error"): Figure(0.1),
        ("a 10", "old", "error"): Figure(7.25, 0.5),
    }
    cells = [" ".join(cell.split()) for cell in Page(page_of(full, published)).cells]
    at = cells.index("a 10")
    assert cells[at + 1 : at + 4] == ["1.5±0.5", "9.0±0.1", "−7.5±0.4 ✓"]
    assert "+0.1±0.4 ≈" in cells
    assert "+1.4±0.4 ✗" in cells
    assert "7.2±0.5" in cells
    assert {"in the paper only", "peers on the same draws"} <= set(cells)


def test_baselines_stand_apart_from_methods_of_the_paper():
    methods = (number("one"), number("base", kind="baseline"), number("two"))
    cells = Page(page_of(full_benchmark(methods=methods))).cells
    at = cells.index("methods of the paper")
    assert cells[at + 1] == "baselines of the paper"
    assert cells[at + 3 : at + 6] == ["one", "two", "base"]


def test_footnotes_say_what_methods_are_told(full):
    methods = (number("one", knows="test rows"), number("two", knows="true <shares>"),
               number("z", kind="ours", knows="test rows"))  # fmt: skip
    page = Page(page_of(full_benchmark(methods=methods)))
    assert {"onea", "twob", "za"} <= set(page.cells)  # letters are raised
    assert "Told more than the labels: a test rows; b true <shares>." in page.text
    assert "Told more" not in Page(page_of(full)).text


def test_too_few_runs_have_neither_color_nor_sign(full):
    published = {("a 10", "one", "error"): Figure(9.0)}
    text = page_of(full, published, results_of(full, runs=2))
    page = Page(text)
    assert '<td class="none" title="too few runs">−7.8 </td>' in text
    assert '<td class="first none" title="too few runs">−1.0 </td>' in text
    assert "6 with too few runs" in page.cells
    classes = {v for tag, name, v in page.attributes if (tag, name) == ("td", "class")}
    assert not any(re.search("better|equal|worse", value) for value in classes)
