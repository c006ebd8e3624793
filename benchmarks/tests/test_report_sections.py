import builtins
from dataclasses import replace

import pytest
from pages import Page, full_benchmark, page_of, results_of
from toys import number, toy

from widemargin_bench import Quick, Row


@pytest.fixture
def full():
    """A benchmark that shows all there is to show."""
    return full_benchmark()


def test_failures_and_limits_are_named(full):
    records = results_of(full)
    records[1]["not_converged"] = 1
    for record in records:
        if (record.get("row"), record.get("method")) == ("b 40", "z"):
            del record["metrics"]
            record["failure"] = "ValueError: no luck"
    page = Page(page_of(full, records=records))
    assert "z on b 40 failed in runs 1, 2, 3: ValueError: no luck" in page.text
    assert "one hit a limit of iterations on a 10 (1)." in page.text
    assert "Runs that failed and count nowhere: 3." in page.text
    assert "failed" in page.cells
    assert "1.5†±0.5" in page.cells


def test_courses_are_drawn_without_a_table():
    benchmark = toy(picture="course")
    records = results_of(benchmark)
    for record in records[1:]:
        record["metrics"] = {"error": [3.0, 2.0, 1.0]}
    text = page_of(benchmark, records=records)
    Page(text)
    assert text.count('<svg class="picture"') == 2
    assert "<table>" not in text


def test_page_without_matplotlib_says_what_to_install(full, monkeypatch):
    load = builtins.__import__

    def refuse(name, *rest):
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return load(name, *rest)

    monkeypatch.setattr(builtins, "__import__", refuse)
    for picture in (None, "lines"):
        page = Page(page_of(replace(full, picture=picture)))
        assert "pip install 'widemargin[plots]'" in page.text
        assert "1.5±0.5" in page.cells


def test_ranking_names_what_is_left_out():
    methods = (number("one", knows="test rows"), number("two", kind="ours"),
               number("z", kind="peer"))  # fmt: skip
    rows = tuple(Row(name) for name in "abc")
    text = Page(page_of(toy(rows=rows, methods=methods, quick=Quick()))).text
    assert "Mean ranks over the 3 sets with results of all methods" in text
    assert "Left out, since they are told other things: one." in text


def test_few_sets_are_not_ranked():
    rows = tuple(Row(name, set="x") for name in "abc")
    assert "Mean ranks" not in Page(page_of(toy(rows=rows, quick=Quick()))).text
