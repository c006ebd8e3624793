import re
from dataclasses import replace

import pytest
from pages import Page, full_benchmark, page_of, results_of
from toys import number, toy

from widemargin_bench import Method, Metric, Paper, Quick, Row, report, run_benchmark
from widemargin_bench.published import Figure
from widemargin_bench.report import read_folder, write_report
from widemargin_bench.store import Store
from widemargin_bench.summary import summarize_benchmark


@pytest.fixture
def full():
    """A benchmark that shows all there is to show."""
    return full_benchmark()


@pytest.fixture
def catalog(monkeypatch):
    """Puts benchmarks in the place of all that there are."""

    def put(*benchmarks):
        found = {benchmark.name: benchmark for benchmark in benchmarks}
        monkeypatch.setattr(report, "list_names", lambda: list(found))
        monkeypatch.setattr(report, "find_benchmark", found.__getitem__)
        monkeypatch.setattr(report, "read_published", lambda name: {})

    return put


@pytest.mark.parametrize("picture", [None, "lines", "growth"])
def test_page_is_well_formed_and_asks_for_nothing(full, picture):
    text = page_of(replace(full, picture=picture), memory=True)
    page = Page(text)
    assert len(page.ids) == len(set(page.ids))
    for _, name, value in page.attributes:
        if name in ("src", "href", "xlink:href", "action", "data"):
            assert value.startswith("#")
            assert value[1:] in page.ids
    assert not re.search(r"https?:|@import|url\((?!#)|<script|<link", text)


def test_headline_is_said_in_words(full):
    text = Page(page_of(full, {("a 10", "one", "error"): Figure(9.0)})).text
    assert "its own methods is better than printed on 1, equal" in text
    assert "A. Author. A title. 2001." in text
    assert "2026-03-04 05:06" in text
    assert "numpy 9.8.7" in text
    assert "A remark." in text
    assert "quick run" not in text


def test_every_table_and_picture_of_a_quick_run_says_so(full):
    note = "quick run: 1 of 3 runs, 6 of 6 rows"
    for picture in (None, "lines"):
        records = results_of(replace(full, picture=picture), quick=True, runs=1)
        for record in records:
            record["peak_mib"] = 3.0
        text = page_of(replace(full, picture=picture), records=records)
        # tables, and pictures or a ranking; one run gives the headline no table
        n_tables = text.count("<table>")
        n_figures = 1
        assert n_tables == 5  # errors, seconds, memory, counts and differences
        assert text.count(note) == n_tables + n_figures
        assert "This is a quick run" in text


@pytest.mark.parametrize("name", ["<b>bold</b>", 'a "quoted" & <i>', "</table><p>"])
def test_names_are_escaped_everywhere(name):
    benchmark = toy(
        name="toy",
        paper=Paper(name, name),
        source=name,
        title=name,
        protocol=name,
        metrics=(Metric("error", name), Metric("fit_seconds", name + "2")),
        rows=tuple(Row(f"{name}{x}", group=name, x=x) for x in (1, 2, 3)),
        methods=(
            number(name, knows=name + "k"),
            number(name + "p", kind="peer", knows=name + "k"),
        ),
        quick=Quick(),
        remarks=(name,),
        picture="lines",
        x_label=name,
    )
    records = results_of(benchmark)
    records[3]["not_converged"] = 1
    records.append({"kind": "cell", "row": f"{name}1", "method": name, "run": 9,
                    "failure": name})  # fmt: skip
    nothing = summarize_benchmark(benchmark, [], {})
    text = page_of(benchmark, records=records, not_run=[nothing])
    page = Page(text)
    assert name not in text
    assert page.text.count(name) > 10


def test_report_of_an_empty_folder_says_so(tmp_path, catalog):
    catalog(toy(title="Not yet"))
    write_report(tmp_path, tmp_path / "report.html")
    page = Page((tmp_path / "report.html").read_text(encoding="utf-8"))
    assert "There are no results yet" in page.text
    assert "Not yet" in page.text


def test_report_of_what_ran_names_what_did_not(tmp_path, catalog):
    """From real records, the last of which is cut short."""
    benchmark = toy(methods=(number("one"), Method("bad", lambda *_: 1 / 0)))
    catalog(benchmark, toy(name="other", title="Never"))
    run_benchmark(benchmark, tmp_path)
    path = tmp_path / "toy.jsonl"
    path.write_bytes(path.read_bytes()[:-9])
    summaries, not_run = read_folder(tmp_path)
    assert [s.benchmark.name for s in summaries] == ["toy"]
    assert [s.benchmark.name for s in not_run] == ["other"]
    write_report(tmp_path, tmp_path / "report.html")
    page = Page((tmp_path / "report.html").read_text(encoding="utf-8"))
    assert "ZeroDivisionError" in page.text
    assert "Never" in page.text
    assert len(Store(path).read()) == 12  # origin and cells but one
