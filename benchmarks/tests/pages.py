"""Pages of a report, read back, for tests of what writes them."""

from html.parser import HTMLParser

from toys import number, toy

from widemargin_bench import Quick, Row
from widemargin_bench.html_report import make_page
from widemargin_bench.results import summarize_benchmark

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


def results_of(benchmark, quick=False, runs=None, **more):
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
    """The page of one benchmark."""
    records = results_of(benchmark, **more) if records is None else records
    summary = summarize_benchmark(benchmark, records, published or {})
    return make_page([summary], not_run)


def full_benchmark(**options):
    """A benchmark that shows all there is to show."""
    rows = tuple(Row(f"{g} {x}", group=g, x=x) for g in "ab" for x in (10, 20, 40))
    methods = (number("one"), number("two", kind="ours"), number("z", kind="peer"))
    given = {"rows": rows, "methods": methods, "quick": Quick()}
    return toy(**given | {"remarks": ("A remark.",)} | options)
