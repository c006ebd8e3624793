"""The benchmark page, made from the results that the repository keeps.

Directives write parts of it as tables, lists and pictures. All tables in full, with
every row, are pages of their own, one per paper, in the folder `FOLDER`.
"""

from functools import cache
from html import escape
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import Directive

from widemargin_bench.html_report import anchor, page_of, write_site
from widemargin_bench.pictures import Styles, draw_ranking
from widemargin_bench.results import SIGNS, read_folder
from widemargin_bench.statements import (
    Results,
    answer,
    conclude,
    find_cells,
    group_by_advice,
    headlines,
    judge_claim,
)
from widemargin_bench.statistics import rank_methods
from widemargin_bench.text_report import make_columns

RESULTS = Path(__file__).parents[2] / "benchmarks" / "results"
PAGE, FOLDER = "benchmark_report", "benchmark-results"


@cache
def _read():
    """Summaries, and those of benchmarks without results."""
    return read_folder(RESULTS)


def _by_paper():
    papers = {}
    for summary in sorted(_read()[0], key=lambda s: s.benchmark.paper is None):
        papers.setdefault(summary.benchmark.paper, []).append(summary)
    return papers


def _name(paper):
    return "Tables of our own" if paper is None else escape(paper.name)


class _Part(Directive):
    """A part of the page as HTML."""

    optional_arguments = 1

    def run(self):
        return [nodes.raw("", "\n".join(self.make()), format="html")]


class Conclusion(_Part):
    """What all results show, in a few sentences."""

    def make(self):
        yield "<ul>"
        yield from (f"<li>{escape(of)}</li>" for of in conclude(*_read()))
        yield "</ul>"


class Contents(_Part):
    """Links to the full tables of each paper."""

    def make(self):
        yield '<ul class="bench-contents">'
        for paper, summaries in _by_paper().items():
            page = f"{FOLDER}/{page_of(paper)}"
            tables = "; ".join(
                f'<a href="{page}#{anchor(s.benchmark)}">{escape(s.benchmark.title)}'
                "</a>"
                for s in summaries
            )
            yield f'<li><a href="{page}"><b>{_name(paper)}</b></a>: {tables}</li>'
        yield "</ul>"


class Answers(_Part):
    """Methods that we recommend against what one would use instead."""

    def make(self):
        for advice, summaries in group_by_advice(_read()[0]).items():
            cells = [cell for summary in summaries for cell in find_cells(summary)]
            if not cells:
                continue
            answers = answer(advice, cells)
            yield f"<h3>{escape(advice.title)}</h3>"
            yield f"<p>{escape(answers[0].sentence(advice))}</p>"
            yield _table(
                ["subset", *answers[0].figures],
                [[of.part, *of.figures.values()] for of in answers],
            )


class Ranking(_Part):
    """The mean ranks of the methods of a benchmark, as a picture."""

    def make(self):
        (summary,) = (s for s in _read()[0] if s.benchmark.name == self.arguments[0])
        ranking, styles = rank_methods(summary), Styles.of([summary.benchmark])
        yield "<figure>"
        yield draw_ranking(ranking, summary.benchmark.name, styles).svg
        yield (
            f"<figcaption>{escape(summary.benchmark.title)}: mean rank of each method "
            f"over {ranking.n_sets} data sets, the best on the left. A bar joins "
            "methods whose mean ranks do not differ significantly (Nemenyi’s test, "
            f"level {ranking.level}).</figcaption></figure>"
        )


class Papers(_Part):
    """What the results confirm of each paper."""

    def make(self):
        results = Results(_read()[0])
        for headline in headlines(*_read()):
            paper, counts = headline.paper, []
            yield f"<h3>{_name(paper)}</h3>"
            if paper is not None:
                yield f"<p>{escape(headline.sentence())}</p>"
                yield "<ul>"
                for claim in paper.claims:
                    verdict, evidence = judge_claim(claim, results)
                    yield (
                        f"<li>{escape(claim.text)} <b>This {escape(verdict)}.</b> "
                        f"{escape(evidence)}</li>"
                    )
                yield "</ul>"
            for against, tally in headline.tallies.items():
                if tally.total:
                    counts.append(
                        [against, *(str(getattr(tally, name)) for name in SIGNS)]
                    )
            yield _table(["compared with", *(f"ours {n}" for n in SIGNS)], counts)


class Tables(_Part):
    """Means over the rows of each benchmark, folded by paper."""

    def make(self):
        for paper, summaries in _by_paper().items():
            yield f"<details><summary>{_name(paper)}</summary>"
            for summary in summaries:
                yield from self._table(summary, f"{FOLDER}/{page_of(paper)}")
            yield "</details>"

    def _table(self, summary, page):
        benchmark = summary.benchmark
        yield (
            f'<h4><a href="{page}#{anchor(benchmark)}">{escape(benchmark.title)}</a> '
            f"<small>{escape(benchmark.source)}</small></h4>"
        )
        columns, notes = make_columns(summary, _counts)
        if not columns:
            yield "<p>The page of the paper shows curves.</p>"
            return
        methods = sorted(summary.methods, key=lambda m: m.kind == "peer")
        lines = [
            [m.name, m.kind, *(column.get(m.name, "–") for column in columns.values())]
            for m in methods
        ]
        yield _table(["method", "kind", *columns], lines)
        if notes:
            said = "; ".join(
                f"{number}: {escape(what)}" for what, number in notes.items()
            )
            yield f"<p><small>Additional input: {said}.</small></p>"


def _counts(tally):
    return ", ".join(f"{getattr(tally, name)} {name}" for name in SIGNS)


def _table(heads, lines):
    """A table whose first column has names."""
    if not lines:
        return ""
    head = "".join(f"<th>{escape(name)}</th>" for name in heads)
    body = "".join(
        f"<tr><th>{escape(name)}</th>"
        + "".join(f"<td>{escape(cell)}</td>" for cell in cells)
        + "</tr>"
        for name, *cells in lines
    )
    return (
        '<div class="pst-scrollable-table-container"><table class="table figures">'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def add_report(app, problem):
    """Put the pages of the papers beside the others."""
    if problem is None and app.builder.format == "html":
        write_site(RESULTS, Path(app.outdir) / FOLDER)


def read_again(app, env, names):
    """Read the page anew in every build: results may have changed."""
    if PAGE not in names:
        names.append(PAGE)


def setup(app):
    for directive in (Conclusion, Contents, Answers, Ranking, Papers, Tables):
        app.add_directive(f"bench-{directive.__name__.lower()}", directive)
    app.connect("env-before-read-docs", read_again)
    app.connect("build-finished", add_report)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
