import builtins
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from rich.console import Console
from toys import number, toy

from widemargin.bench import Method, Metric, Paper, Quick, Row, report, run_benchmark
from widemargin.bench.published import Figure
from widemargin.bench.report import make_page, read_folder, write_report
from widemargin.bench.store import Store
from widemargin.bench.summary import summarize_benchmark
from widemargin.bench.text import summarize

VOID = {"meta", "wbr", "br", "link", "img", "input", "hr"}


class Page(HTMLParser):
    """Checks that tags close in order; keeps text, attributes and cells of tables."""

    def __init__(self, text):
        super().__init__()
        self.open, self.attributes, self.cells, self.ids = [], [], [], []
        self.text = ""
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.attributes += [(tag, *attribute) for attribute in attrs]
        self.ids += [value for name, value in attrs if name == "id"]
        if tag not in VOID:
            self.open.append(tag)
        if tag in ("td", "th"):
            self.cells.append("")

    def handle_startendtag(self, tag, attrs):
        self.attributes += [(tag, *attribute) for attribute in attrs]
        self.ids += [value for name, value in attrs if name == "id"]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" in self.open:
            return
        self.text += data
        if {"td", "th"} & set(self.open):
            self.cells[-1] += data


def records_of(benchmark, quick=False, runs=None, **more):
    """Results of a benchmark: errors of 1, 2, 3, ... by method, 0.5 more a run."""
    found = [{"kind": "origin", "date": "2026-03-04 05:06", "quick": quick,
              "versions": {"numpy": "9.8.7"}, "processors": 2}]  # fmt: skip
    for row in benchmark.rows:
        for i, method in enumerate(benchmark.methods):
            for run in range(runs or benchmark.runs):
                metrics = {"error": 1.0 + i + 0.5 * run, "fit_seconds": 0.125}
                cell = {"kind": "cell", "row": row.name, "method": method.name,
                        "run": run, "metrics": metrics}  # fmt: skip
                found.append(cell | more)
    return found


def page_of(benchmark, published=None, records=None, not_run=(), **more):
    records = records_of(benchmark, **more) if records is None else records
    summary = summarize_benchmark(benchmark, records, published or {})
    return make_page([summary], not_run)


@pytest.fixture
def full():
    """A benchmark that shows all there is to show."""
    rows = tuple(Row(f"{g} {x}", group=g, x=x) for g in "ab" for x in (10, 20, 40))
    methods = (number("one"), number("two", kind="ours"), number("z", kind="peer"))
    return toy(rows=rows, methods=methods, quick=Quick(), remarks=("A remark.",))


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


def test_ours_stands_beside_the_paper_with_difference_and_sign(full):
    published = {
        ("a 10", "one", "error"): Figure(9.0, 0.1),
        ("a 20", "one", "error"): Figure(1.4),
        ("a 40", "one", "error"): Figure(0.1),
        ("a 10", "old", "error"): Figure(7.25, 0.5),
    }
    cells = [" ".join(cell.split()) for cell in Page(page_of(full, published)).cells]
    at = cells.index("a 10")
    assert cells[at + 1 : at + 4] == ["1.5±0.5", "9.0±0.1", "−7.5±0.3 ✓"]
    assert "+0.1±0.3 ≈" in cells
    assert "+1.4±0.3 ✗" in cells
    assert "7.2±0.5" in cells
    assert {"in the paper only", "peers on the same draws"} <= set(cells)


def test_headline_is_said_in_words(full):
    text = Page(page_of(full, {("a 10", "one", "error"): Figure(9.0)})).text
    assert "Of 1 figures of the paper we measured 1: ours are better on 1" in text
    assert "A. Author. A title. 2001." in text
    assert "2026-03-04 05:06" in text
    assert "numpy 9.8.7" in text
    assert "A remark." in text
    assert "quick run" not in text


def test_every_table_and_picture_of_a_quick_run_says_so(full):
    note = "quick run: 1 of 3 runs, 6 of 6 rows"
    for picture in (None, "lines"):
        records = records_of(replace(full, picture=picture), quick=True, runs=1)
        for record in records:
            record["peak_mib"] = 3.0
        text = page_of(replace(full, picture=picture), records=records)
        # what follows the headline: tables, and pictures or a ranking
        n_tables = text.count("<table>") - 1
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
        methods=(number(name), number(name + "p", kind="peer")),
        quick=Quick(),
        remarks=(name,),
        picture="lines",
        x_label=name,
    )
    records = records_of(benchmark)
    records[3]["not_converged"] = 1
    records.append({"kind": "cell", "row": f"{name}1", "method": name, "run": 9,
                    "failure": name})  # fmt: skip
    text = page_of(benchmark, records=records, not_run=[benchmark])
    page = Page(text)
    assert name not in text
    assert page.text.count(name) > 10


def test_failures_and_limits_are_named(full):
    records = records_of(full)
    records[1]["not_converged"] = 1
    for record in records:
        if (record.get("row"), record.get("method")) == ("b 40", "z"):
            del record["metrics"]
            record["failure"] = "ValueError: no luck"
    page = Page(page_of(full, records=records))
    assert "z on b 40 failed in runs 1, 2, 3: ValueError: no luck" in page.text
    assert "one hit a limit of iterations on a 10 (1)." in page.text
    assert "3 runs failed" in page.text
    assert "failed" in page.cells
    assert "1.5†±0.5" in page.cells


def test_courses_are_drawn_without_a_table():
    benchmark = toy(picture="course")
    records = records_of(benchmark)
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


def test_report_of_an_empty_folder_says_so(tmp_path, catalog):
    catalog(toy(title="Not yet"))
    write_report(tmp_path, tmp_path / "report.html")
    page = Page((tmp_path / "report.html").read_text(encoding="utf-8"))
    assert "There are no results yet" in page.text
    assert "Not yet" in page.text
    console = Console(record=True, width=80)
    summarize(tmp_path, console)
    assert "There are no results yet" in console.export_text()


def test_report_of_what_ran_names_what_did_not(tmp_path, catalog):
    """From real records, the last of which is cut short."""
    benchmark = toy(methods=(number("one"), Method("bad", lambda *_: 1 / 0)))
    catalog(benchmark, toy(name="other", title="Never"))
    run_benchmark(benchmark, tmp_path)
    path = tmp_path / "toy.jsonl"
    path.write_bytes(path.read_bytes()[:-9])
    summaries, not_run = read_folder(tmp_path)
    assert [s.benchmark.name for s in summaries] == ["toy"]
    assert [b.name for b in not_run] == ["other"]
    write_report(tmp_path, tmp_path / "report.html")
    page = Page((tmp_path / "report.html").read_text(encoding="utf-8"))
    assert "ZeroDivisionError" in page.text
    assert "Never" in page.text
    assert len(Store(path).read()) == 12  # origin and cells but one


def test_summary_on_the_terminal_ends_with_the_headline(tmp_path, catalog):
    catalog(toy(methods=(number("[one]"), number("z", kind="peer"))), toy(name="never"))
    run_benchmark(toy(methods=(number("[one]"), number("z", kind="peer"))), tmp_path,
                  quick=True)  # fmt: skip
    console = Console(record=True, width=100)
    summarize(tmp_path, console)
    text = console.export_text()
    assert "quick run: 1 of 3 runs, 1 of 2 rows" in text
    assert "[one]" in text
    assert "Not run: never." in text
    assert text.index("headline") > text.index("Not run")
    assert "against z: 0 better 1 equal 0 worse" in text
