"""One page of HTML that holds all results: ours beside theirs, and beside the peers."""

from datetime import UTC, datetime
from html import escape
from importlib import resources
from pathlib import Path

from widemargin_bench.catalog import find_benchmark, list_names
from widemargin_bench.pictures import Styles
from widemargin_bench.published import read_published
from widemargin_bench.report_answers import make_answers
from widemargin_bench.report_headline import make_headline, name_paper
from widemargin_bench.report_sections import anchor, make_section
from widemargin_bench.store import Store
from widemargin_bench.summary import summarize_benchmark


def write_report(folder, path):
    """Write the report of all results in a folder.

    Parameters
    ----------
    folder : path-like
        With files ``<name>.jsonl``, one a benchmark.
    path : path-like
        Of the page; its folder must exist.
    """
    page = make_page(*read_folder(folder))
    Path(path).write_text(page, encoding="utf-8")


def read_folder(folder):
    """Summaries of all benchmarks with results in a folder, and those without.

    Returns
    -------
    summaries, not_run : list of Summary
    """
    summaries, not_run = [], []
    for name in list_names():
        benchmark = find_benchmark(name)
        records = Store(Path(folder) / f"{name}.jsonl").read()
        summary = summarize_benchmark(benchmark, records, read_published(name))
        (summaries if summary.rows else not_run).append(summary)
    return summaries, not_run


def make_page(summaries, not_run=()):
    """The page as text.

    Parameters
    ----------
    summaries : list of Summary
    not_run : list of Summary
        Of benchmarks without results; they are only named.

    Returns
    -------
    str
    """
    benchmarks = [summary.benchmark for summary in summaries]
    papers = _by_paper(summaries)
    styles = Styles.of(benchmarks)
    if summaries:
        body = [
            make_headline(summaries, not_run),
            make_answers(summaries),
            _contents(papers, not_run),
            *(make_section(paper, of, styles) for paper, of in papers.items()),
        ]
    else:
        body = ["<p>There are no results yet: <code>widemargin bench run</code> makes "
                "them.</p>"]  # fmt: skip
    css = (resources.files("widemargin_bench") / "report.css").read_text("utf-8")
    written = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    return "\n".join(
        [
            '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>widemargin: results</title>\n<style>\n{css}</style>\n</head>",
            '<body>\n<header class="top">\n<h1>What the papers say, and what we '
            "measure</h1>",
            "<p>Every figure here was measured by <code>widemargin bench run</code>; "
            "beside it stands what the paper printed, and what other methods reach on "
            "the same draws.</p>",
            _origin(summaries),
            _quick_note(summaries),
            "</header>\n<main>",
            *body,
            _not_run(not_run),
            f"</main>\n<footer>Written {written}.</footer>\n</body>\n</html>\n",
        ]
    )


def _by_paper(summaries):
    """Summaries by paper, tables of our own (None) last."""
    papers = {}
    for summary in sorted(summaries, key=lambda s: s.benchmark.paper is None):
        papers.setdefault(summary.benchmark.paper, []).append(summary)
    return papers


def _origin(summaries):
    """When and with what the results were found."""
    origins = [origin for summary in summaries for origin in summary.origins]
    if not origins:
        return ""
    dates = sorted(origin["date"] for origin in origins)
    when = dates[0] if dates[0] == dates[-1] else f"{dates[0]} to {dates[-1]}"
    versions = {}
    for origin in origins:
        for name, version in origin.get("versions", {}).items():
            versions.setdefault(name, set()).add(version)
    said = [f"{name} {' and '.join(sorted(of))}" for name, of in versions.items()]
    said += [f"Python {version}" for version in _distinct(origins, "python")]
    text = f"Measured {when} (UTC) with {', '.join(said)}"
    where = " and ".join(_distinct(origins, "machine")) or "a machine"
    processors = " or ".join(_distinct(origins, "processors"))
    text += f", on {where} with {processors} processors." if processors else "."
    return f'<p class="origin">{escape(text)}</p>'


def _distinct(origins, key):
    return list(dict.fromkeys(str(o[key]) for o in origins if o.get(key)))


def _quick_note(summaries):
    quick = [summary for summary in summaries if summary.is_quick]
    if not quick:
        return ""
    which = "This is" if len(quick) == len(summaries) else "Some tables are of"
    return (
        f'<p class="note"><strong>{which} a quick run</strong>: few draws of few rows. '
        "It shows that all works and roughly where things stand; verdicts need a full "
        "run.</p>"
    )


def _contents(papers, not_run):
    """Links to all sections."""
    parts = []
    for paper, summaries in papers.items():
        links = "".join(
            f'<li><a href="#{anchor(s.benchmark)}">{escape(s.benchmark.title)}</a> '
            f'<span class="source">{escape(s.benchmark.source)}</span></li>'
            for s in summaries
        )
        parts.append(f"<ul><li><b>{name_paper(paper)}</b></li>{links}</ul>")
    if not_run:
        parts.append('<ul><li><a href="#not-run">Not run</a></li></ul>')
    return f'<nav class="contents" aria-label="Contents">{"".join(parts)}</nav>'


def _not_run(summaries):
    if not summaries:
        return ""
    items = "".join(
        f"<li><code>{escape(b.name)}</code>: {escape(b.title)} "
        f'<span class="source">({name_paper(b.paper)}, {escape(b.source)})</span></li>'
        for b in (summary.benchmark for summary in summaries)
    )
    return f'<h2 id="not-run">Not run</h2><ul class="plain">{items}</ul>'
