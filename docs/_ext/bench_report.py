"""The benchmark report, made from the results that the repository keeps."""

import io
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import Directive
from rich.console import Console

from widemargin_bench.html_report import write_report
from widemargin_bench.text_report import summarize

RESULTS = Path(__file__).parents[2] / "benchmarks" / "results"
PAGE, REPORT = "benchmark_report", "benchmark-results.html"
_WIDTH = 92


class BenchSummary(Directive):
    """What `widemargin bench report` prints: a link, the headline, all tables."""

    def run(self):
        tables, headline = _summary()
        link = f'<p><a class="report" href="{REPORT}">Open the report</a></p>'
        return [
            nodes.raw("", link, format="html"),
            nodes.literal_block(headline, headline, language="none"),
            nodes.raw("", "<details><summary>All tables</summary>", format="html"),
            nodes.literal_block(tables, tables, language="none"),
            nodes.raw("", "</details>", format="html"),
        ]


def _summary():
    """Tables and headline as text."""
    stream = io.StringIO()
    summarize(RESULTS, Console(file=stream, width=_WIDTH, color_system=None))
    tables, headline = [], []
    current = tables
    for line in stream.getvalue().splitlines():
        if " headline " in line:
            current = headline
        else:
            current.append(line.rstrip())
    return "\n".join(tables).strip("\n"), "\n".join(headline).strip("\n")


def add_report(app, problem):
    """Put the page of the report beside the others."""
    if problem is None and app.builder.format == "html":
        write_report(RESULTS, Path(app.outdir) / REPORT)


def read_again(app, env, names):
    """Read the page anew in every build: results may have changed."""
    if PAGE not in names:
        names.append(PAGE)


def setup(app):
    app.add_directive("bench-summary", BenchSummary)
    app.connect("env-before-read-docs", read_again)
    app.connect("build-finished", add_report)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
