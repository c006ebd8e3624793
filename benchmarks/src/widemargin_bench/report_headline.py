"""The headline of the report: sentences, one a paper, and a table of the counts."""

from html import escape

from widemargin_bench.headline import headlines
from widemargin_bench.report_tables import make_box
from widemargin_bench.verdicts import MIN_RUNS, SIGNS

_OWN = "Tables of our own"
_HEAD = (
    '<tr><th class="corner">tables of</th><th class="left">against</th>'
    "<th>verdicts</th><th>better ✓</th><th>equal ≈</th><th>worse ✗</th>"
    "<th>too few runs</th><th></th></tr>"
)


def name_paper(paper):
    """A paper in headings, ready for the page."""
    return _OWN if paper is None else escape(paper.name)


def make_headline(summaries, not_run):
    """The part of the page that says it all."""
    lines, sentences = [], []
    for headline in headlines(summaries, not_run):
        name, sentence = name_paper(headline.paper), headline.sentence()
        if sentence:
            sentences.append(f"<p><strong>{name}.</strong> {escape(sentence)}</p>")
            sentences.append(_claims(headline.paper))
        for against, tally in headline.tallies.items():
            if tally.total:
                lines.append(_tally_line(name, escape(against), tally))
                name = ""
    table = make_box(_HEAD, lines) if lines else ""
    return (
        f'<h2 id="headline">The headline</h2>{"".join(sentences)}{table}'
        '<p class="legend">Against the paper count all of its figures but times, of '
        "its own methods and of methods of others that it compares with and that we "
        "ran again; a figure that it prints twice counts once. Against a peer counts "
        "the first metric of a table, row by row for each method of ours, as the "
        "difference over the same draws. Methods that are told more than the labels, "
        "which footnotes say, are held only against peers that are told the same. "
        "What is said of claims is our judgment of full runs.</p>" + _legend()
    )


def _claims(paper):
    """What the paper says, and whether it is so."""
    if paper is None or not paper.claims:
        return ""
    items = "".join(
        f"<li>{escape(claim.text)} <strong>It {escape(claim.verdict)}.</strong> "
        f"{escape(claim.evidence)}</li>"
        for claim in paper.claims
    )
    return f"<ul>{items}</ul>"


def _tally_line(name, against, tally):
    counts = {verdict: getattr(tally, verdict) for verdict in SIGNS}
    stack = "".join(
        f'<span class="{verdict}" style="flex:{n}"></span>'
        for verdict, n in counts.items()
        if n
    )
    numbers = "".join(f"<td>{n}</td>" for n in (tally.total, *counts.values()))
    return (
        f'<tr><th scope="row">{name}</th><td class="left">{against}</td>{numbers}'
        f'<td class="few">{tally.too_few or ""}</td>'
        f'<td class="bar"><div class="stack" aria-hidden="true">{stack}</div></td></tr>'
    )


def _legend():
    keys = " ".join(
        f'<span class="key {name}">{sign} {name}</span>' for name, sign in SIGNS.items()
    )
    return (
        f'<p class="legend">{keys} Equal: the difference is at most one standard '
        "error, or the digits shown do not differ. The error holds the spread of our "
        "runs and, where the paper printed a standard deviation, that of the paper’s; "
        "for few runs it is widened by Student’s distribution, so that it means the "
        f"same 68 % as for many. Fewer than {MIN_RUNS} runs of ours are too few for a "
        "verdict against a peer; against the paper its standard deviation stands in, "
        "if it printed one. Times have no verdict against the paper: its machine was "
        "another.</p>"
    )
