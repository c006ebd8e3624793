"""One page of HTML that holds all results: ours beside theirs, and beside the peers."""

import re
from collections import Counter
from datetime import UTC, datetime
from html import escape
from importlib import resources
from pathlib import Path

from widemargin.bench.catalog import find_benchmark, list_names
from widemargin.bench.pictures import Styles, draw, draw_ranking, load_matplotlib
from widemargin.bench.published import read_published
from widemargin.bench.store import Store
from widemargin.bench.summary import (
    Tally,
    compare,
    headlines,
    rank_methods,
    show,
    show_difference,
    summarize_benchmark,
)

SIGNS = {"better": "✓", "equal": "≈", "worse": "✗"}
_KINDS = {
    "paper": "methods of the paper",
    "ours": "ours as we advise",
    "peer": "peers on the same draws",
}
_OWN = "Tables of our own"
_LONG_NAME = 14  # letters
_MANY_PICTURES = 6  # more are folded away
_MANY_ROWS = 3  # fewer say nothing about ranks


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
    summaries : list of Summary
    not_run : list of Benchmark
    """
    summaries, not_run = [], []
    for name in list_names():
        benchmark = find_benchmark(name)
        records = Store(Path(folder) / f"{name}.jsonl").read()
        summary = summarize_benchmark(benchmark, records, read_published(name))
        if summary.rows:
            summaries.append(summary)
        else:
            not_run.append(benchmark)
    return summaries, not_run


def make_page(summaries, not_run=()):
    """The page as text.

    Parameters
    ----------
    summaries : list of Summary
    not_run : list of Benchmark
        Benchmarks without results; they are only named.

    Returns
    -------
    str
    """
    benchmarks = [summary.benchmark for summary in summaries]
    papers = _by_paper(summaries)
    styles = Styles.of(benchmarks)
    if summaries:
        body = [
            _headline(summaries),
            _contents(papers, not_run),
            *(_paper_section(paper, of, styles) for paper, of in papers.items()),
        ]
    else:
        body = ["<p>There are no results yet: <code>widemargin bench run</code> makes "
                "them.</p>"]  # fmt: skip
    css = (resources.files("widemargin.bench") / "report.css").read_text("utf-8")
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


def _headline(summaries):
    """Sentences, one a paper, and a table of the counts."""
    lines, sentences = [], []
    for headline in headlines(summaries):
        name = _paper_name(headline.paper)
        sentence = headline.sentence()
        if sentence:
            sentences.append(f"<p><strong>{name}.</strong> {escape(sentence)}</p>")
        tallies = {"the paper": headline.against_paper, **headline.against_peers}
        for against, tally in tallies.items():
            if tally.total:
                lines.append(_tally_line(name, escape(against), tally))
                name = ""
    head = (
        '<tr><th class="corner">tables of</th><th class="left">against</th>'
        "<th>cells</th><th>better ✓</th><th>equal ≈</th><th>worse ✗</th><th></th></tr>"
    )
    table = _box(head, lines) if lines else ""
    return (
        f'<h2 id="headline">The headline</h2>{"".join(sentences)}{table}'
        '<p class="legend">A cell is a row of a table and a method of ours; only the '
        "first metric of a table counts. Against the paper, all of the paper’s methods "
        "and of ours count that the paper has a figure of. Against a peer, differences "
        "are paired over the same draws.</p>" + _legend()
    )


def _tally_line(name, against, tally):
    counts = {name: getattr(tally, name) for name in SIGNS}
    stack = "".join(
        f'<span class="{name}" style="flex:{n}"></span>'
        for name, n in counts.items()
        if n
    )
    numbers = "".join(f"<td>{n}</td>" for n in (tally.total, *counts.values()))
    return (
        f'<tr><th scope="row">{name}</th><td class="left">{against}</td>{numbers}'
        f'<td class="bar"><div class="stack" aria-hidden="true">{stack}</div></td></tr>'
    )


def _legend():
    keys = " ".join(
        f'<span class="key {name}">{sign} {name}</span>' for name, sign in SIGNS.items()
    )
    return (
        f'<p class="legend">{keys} Equal: the difference is at most one standard '
        "error, or the digits shown do not differ. The error holds the spread of our "
        "runs and, where the paper printed a standard deviation, that of the paper’s. "
        "A single run is taken to spread as the paper says; if it does not say, only "
        "equal digits are equal. Times have no verdict against the paper: its machine "
        "was another.</p>"
    )


def _box(head, lines):
    """A table that scrolls in a box of its own."""
    return (
        f'<div class="box" tabindex="0"><table><thead>{head}</thead>'
        f"<tbody>{''.join(lines)}</tbody></table></div>"
    )


def _names(names, corner='<th class="corner"></th>'):
    """A head that only has names of methods."""
    cells = "".join(f'<th class="first">{_heading(name)}</th>' for name in names)
    return f'<tr class="names">{corner}{cells}</tr>'


def _paper_name(paper):
    return _OWN if paper is None else escape(paper.name)


def _contents(papers, not_run):
    """Links to all sections."""
    parts = []
    for paper, summaries in papers.items():
        links = "".join(
            f'<li><a href="#{_anchor(s.benchmark)}">{escape(s.benchmark.title)}</a> '
            f'<span class="source">{escape(s.benchmark.source)}</span></li>'
            for s in summaries
        )
        parts.append(f"<ul><li><b>{_paper_name(paper)}</b></li>{links}</ul>")
    if not_run:
        parts.append('<ul><li><a href="#not-run">Not run</a></li></ul>')
    return f'<nav class="contents" aria-label="Contents">{"".join(parts)}</nav>'


def _anchor(benchmark):
    return escape(f"table-{benchmark.name}".replace(" ", "-"))


def _not_run(benchmarks):
    if not benchmarks:
        return ""
    items = "".join(
        f"<li><code>{escape(b.name)}</code>: {escape(b.title)} "
        f'<span class="source">({_paper_name(b.paper)}, {escape(b.source)})</span></li>'
        for b in benchmarks
    )
    return f'<h2 id="not-run">Not run</h2><ul class="plain">{items}</ul>'


def _paper_section(paper, summaries, styles):
    parts = [f"<h2>{_paper_name(paper)}</h2>"]
    if paper is not None:
        parts.append(f'<p class="citation">{escape(paper.citation)}</p>')
    parts += [_benchmark_section(summary, styles) for summary in summaries]
    return "\n".join(parts)


def _benchmark_section(summary, styles):
    """Everything about one benchmark."""
    benchmark = summary.benchmark
    first, *others = summary.metrics
    return "\n".join(
        [
            f'<section class="table" id="{_anchor(benchmark)}">',
            f'<h3>{escape(benchmark.title)} <span class="source">'
            f"{escape(benchmark.source)}</span></h3>",
            _table(summary, first),
            f'<p class="protocol">{escape(benchmark.protocol)}</p>',
            _remarks(benchmark),
            _problems(summary),
            *(_other_table(summary, metric) for metric in others),
            _memory(summary),
            _pictures(summary, styles),
            _ranking(summary, styles),
            _peers(summary),
            "</section>",
        ]
    )


def _note(summary):
    return "" if summary.note is None else f'<p class="note">{summary.note}</p>'


def _remarks(benchmark):
    if not benchmark.remarks:
        return ""
    items = "".join(f"<li>{escape(remark)}</li>" for remark in benchmark.remarks)
    return f'<ul class="remarks">{items}</ul>'


def _other_table(summary, metric):
    """A table of another metric; folded away if the paper has no figures of it."""
    table = _table(summary, metric)
    if not table or any(key[2] == metric.name for key in summary.published):
        return table
    return f"<details><summary>{escape(metric.label)}</summary>{table}</details>"


def _columns(summary, metric):
    """Methods with results, by kind, and those that only the paper has."""
    cells = summary.cells_of(metric)
    tried = {key[1] for key in (*cells, *summary.failures)}
    ordered = [
        method
        for kind in _KINDS
        for method in summary.methods
        if method.kind == kind and method.name in tried
    ]
    rows = {row.name for row in summary.rows}
    printed = {
        method
        for row, method, name in summary.published
        if name == metric.name and row in rows
    }
    return ordered, printed


def _table(summary, metric):
    """Rows x methods of one metric, ours beside the paper's figures."""
    cells = summary.cells_of(metric)
    if not cells:
        return ""
    methods, printed = _columns(summary, metric)
    others = summary.printed_only(metric)
    lines = []
    for row in summary.rows:
        best = _best(row, methods, cells, metric)
        line = [f'<tr><th scope="row">{escape(row.name)}</th>']
        last = None
        for method in methods:
            edge = "first" if method.kind == last or last is None else "divide"
            last = method.kind
            cell = cells.get((row.name, method.name))
            line.append(_measured(summary, row, method, cell, edge, best))
            if method.name in printed:
                line.append(_printed(summary, row, method.name, metric, cell))
        for position, name in enumerate(others):
            edge = "first" if position else "divide"
            figure = summary.published.get((row.name, name, metric.name))
            line.append(f'<td class="printed {edge}">{_figure(figure, metric)}</td>')
        lines.append("".join([*line, "</tr>"]))
    return (
        f"<h4>{escape(metric.label)}</h4>{_note(summary)}"
        f"{_box(_head(methods, printed, others), lines)}{_caption(summary, metric)}"
    )


def _caption(summary, metric):
    """What the signs in the table mean."""
    fewest, most = summary.runs
    runs = f"{most}" if fewest == most else f"{fewest} to {most}"
    said = [f"Means over {runs} runs ± standard deviation." if most > 1 else "One run."]
    if metric.lower_is_better is not None:
        word = "lowest" if metric.lower_is_better else "highest"
        said.append(f"Underlined: the {word} measured figure of a row.")
    if summary.unconverged:
        said.append("†: some runs hit a limit of iterations, see below.")
    return f'<p class="caption">{" ".join(said)}</p>'


def _head(methods, printed, others):
    """Lines of the head: kinds of methods, their names, and parts of a column."""
    kinds, names, parts, last = [], [], [], None
    widths = Counter()
    for method in methods:
        widths[method.kind] += 3 if method.name in printed else 1
    for method in methods:
        edge = "first" if method.kind == last or last is None else "divide"
        if method.kind != last:
            kinds.append(f'<th class="{edge}" colspan="{widths[method.kind]}">'
                         f"{_KINDS[method.kind]}</th>")  # fmt: skip
        last = method.kind
        name = _heading(method.name)
        if method.name in printed:
            names.append(f'<th class="{edge}" colspan="3">{name}</th>')
            parts.append(f'<th class="{edge}">measured</th><th>paper</th>'
                         "<th>difference</th>")  # fmt: skip
        else:
            names.append(f'<th class="{edge}">{name}</th>')
            parts.append(f'<th class="{edge}"></th>')
    if others:
        kinds.append(
            f'<th class="divide" colspan="{len(others)}">in the paper only</th>'
        )
    for position, name in enumerate(others):
        edge = "first" if position else "divide"
        names.append(f'<th class="{edge}">{_heading(name)}</th>')
        parts.append(f'<th class="{edge}">paper</th>')
    corner = '<th class="corner"></th>'
    head = f'<tr class="kinds">{corner}{"".join(kinds)}</tr>'
    head += f'<tr class="names">{corner}{"".join(names)}</tr>'
    if printed or others:
        head += f'<tr class="parts">{corner}{"".join(parts)}</tr>'
    return head


def _heading(name):
    """A name that may break between its words, which are joined if it is long."""
    words = re.split(r"(?<=[a-z])(?=[A-Z])", name) if len(name) > _LONG_NAME else [name]
    return "<wbr>".join(map(escape, words))


def _best(row, methods, cells, metric):
    """The best mean of a row as it is shown; None if no metric is better."""
    if metric.lower_is_better is None:
        return None
    means = [c.mean for m in methods if (c := cells.get((row.name, m.name)))]
    if not means:
        return None
    return show(min(means) if metric.lower_is_better else max(means), metric.digits)


def _measured(summary, row, method, cell, edge, best):
    """What we measured in a cell."""
    if cell is None:
        failed = any(k[:2] == (row.name, method.name) for k in summary.failures)
        return f'<td class="missing {edge}">{"failed" if failed else "–"}</td>'
    digits = cell.metric.digits
    shown = show(cell.mean, digits)
    sign = "†" if (row.name, method.name) in summary.unconverged else ""
    is_best = " best" if shown == best else ""
    told = f"{cell.n_runs} runs" if cell.n_runs > 1 else "one run"
    return (
        f'<td class="{edge}{is_best}" title="{told}"><span class="value">{shown}</span>'
        f"{sign}{_spread(cell.sd, digits, cell.mean)}</td>"
    )


def _printed(summary, row, method, metric, cell):
    """What the paper printed in a cell, and the difference."""
    figure = summary.published.get((row.name, method, metric.name))
    printed = f'<td class="printed">{_figure(figure, metric)}</td>'
    if cell is None or cell.difference is None:
        return f"{printed}<td></td>"
    verdict = cell.verdict or ""
    beside = max(abs(cell.mean), abs(figure.value))
    difference = show_difference(cell.difference, metric.digits, beside=beside)
    word = f' title="{verdict}"' if verdict else ""
    return (
        f'{printed}<td class="{verdict}"{word}>{difference}'
        f"{_spread(cell.error, metric.digits, beside)} {SIGNS.get(verdict, '')}</td>"
    )


def _figure(figure, metric):
    if figure is None:
        return "–"
    spread = _spread(figure.sd, metric.digits, figure.value)
    return show(figure.value, metric.digits) + spread


def _spread(value, digits, beside):
    if value is None:
        return ""
    return f'<span class="spread">±{show(value, digits, beside=beside)}</span>'


def _problems(summary):
    """Failures and limits that were hit, by name."""
    said = []
    reasons = {}
    for (row, method, run), reason in summary.failures.items():
        reasons.setdefault((row, method, reason), []).append(run)
    for (row, method, reason), runs in reasons.items():
        which = "run" if len(runs) == 1 else "runs"
        numbers = ", ".join(str(run + 1) for run in sorted(runs))
        said.append(f"{method} on {row} failed in {which} {numbers}: {reason}")
    limits = {}
    for (row, method), n_runs in summary.unconverged.items():
        limits.setdefault(method, []).append(f"{row} ({n_runs})")
    for method, rows in limits.items():
        said.append(f"† {method} hit a limit of iterations on {', '.join(rows)}.")
    if not said:
        return ""
    items = "".join(f"<li>{escape(line)}</li>" for line in said)
    return f'<ul class="remarks problems">{items}</ul>'


def _memory(summary):
    """Peaks of memory, folded away."""
    if not summary.memory:
        return ""
    tried = {method for _, method in summary.memory}
    names = [method.name for method in summary.methods if method.name in tried]
    lines = []
    for row in summary.rows:
        numbers = "".join(
            f'<td class="first">{show(summary.memory.get((row.name, name)), 1)}</td>'
            for name in names
        )
        lines.append(f'<tr><th scope="row">{escape(row.name)}</th>{numbers}</tr>')
    return (
        f"<details><summary>memory, MiB</summary>{_note(summary)}"
        f"{_box(_names(names), lines)}"
        '<p class="caption">What the first run adds to the peak of a fresh process '
        "that holds the data.</p></details>"
    )


def _pictures(summary, styles):
    """Pictures, or what to install for them."""
    if summary.benchmark.picture is None:
        return ""
    try:
        load_matplotlib()
    except ImportError as problem:
        return f'<p class="note">{escape(str(problem))}</p>'
    figures = [
        f"<figure><figcaption>{escape(picture.title)}</figcaption>{picture.svg}</figure>"
        for picture in draw(summary, styles)
    ]
    told = {
        "lines": "Bars are one standard error; figures of the paper are hollow.",
        "growth": "Exponents by least squares on the logarithms, with standard errors.",
        "course": "Means over runs; a run that has ended stays where it was.",
    }[summary.benchmark.picture]
    seen, folded = _gallery(figures[:_MANY_PICTURES]), figures[_MANY_PICTURES:]
    if folded:
        seen += (
            f"<details><summary>{len(folded)} more pictures</summary>"
            f"{_gallery(folded)}</details>"
        )
    return f'{_note(summary)}{seen}<p class="caption">{told}</p>' if figures else ""


def _gallery(figures):
    return f'<div class="pictures">{"".join(figures)}</div>'


def _ranking(summary, styles):
    """Mean ranks over rows, with a diagram."""
    ranking = rank_methods(summary)
    if ranking is None or ranking.n_rows < _MANY_ROWS:
        return ""
    said = f"Mean ranks over the {ranking.n_rows} rows with results of all methods."
    if ranking.p_value is not None:
        p = "< 0.001" if ranking.p_value < 1e-3 else f"= {ranking.p_value:.3f}"
        p = f"p {p}".replace(" ", "\u00a0")  # on one line
        said += f" Friedman’s test that all methods are alike: {p}."
    said += (
        f" Bars join methods whose ranks differ by less than the critical distance "
        f"{ranking.critical_distance:.2f} of Nemenyi’s test (level {ranking.level})."
    )
    try:
        svg = draw_ranking(ranking, summary.benchmark.name, styles).svg
    except ImportError as problem:
        ranks = ", ".join(f"{m} {rank:.2f}" for m, rank in ranking.mean_ranks.items())
        svg = f"<p>{escape(ranks)}</p><p>{escape(str(problem))}</p>"
    return (
        f"<h4>Ranking over rows</h4>{_note(summary)}<figure>{svg}</figure>"
        f'<p class="caption">{escape(said)}</p>'
    )


def _peers(summary):
    """Ours against each peer: counts, and folded away the differences."""
    comparisons = [c for c in compare(summary) if c.verdict is not None]
    if not comparisons:
        return ""
    methods = list(dict.fromkeys(c.method for c in comparisons))
    peers = list(dict.fromkeys(c.peer for c in comparisons))
    lines = []
    for method in methods:
        line = [f'<tr><th scope="row">{escape(method)}</th>']
        for peer in peers:
            pair = [c for c in comparisons if (c.method, c.peer) == (method, peer)]
            tally = Tally.of(c.verdict for c in pair)
            line.append(f'<td class="first">{_tally(tally)}</td>')
        lines.append("".join([*line, "</tr>"]))
    return (
        f"<h4>Ours against peers, rows better ✓ equal ≈ worse ✗</h4>{_note(summary)}"
        f"{_box(_names(peers), lines)}"
        f"{_differences(summary, comparisons, methods, peers)}"
    )


def _tally(tally):
    """Counts with their signs; those of zero step back."""
    counts = {name: getattr(tally, name) for name in SIGNS}
    return " ".join(
        f'<span class="count {name if n else "none"}">{n} {SIGNS[name]}</span>'
        for name, n in counts.items()
    )


def _differences(summary, comparisons, methods, peers):
    """Paired differences of each row."""
    found = {(c.row, c.method, c.peer): c for c in comparisons}
    lines = []
    for row in summary.rows:
        for method in methods:
            pairs = [found.get((row.name, method, peer)) for peer in peers]
            if any(pairs):
                cells = "".join(map(_difference, pairs))
                lines.append(f'<tr><th scope="row">{escape(row.name)}</th>'
                             f'<td class="left">{escape(method)}</td>'
                             f"{cells}</tr>")  # fmt: skip
    head = _names(peers, corner='<th class="corner"></th><th></th>')
    return (
        "<details><summary>Differences row by row (ours minus the peer’s, ± standard "
        f"error of the paired differences)</summary>{_note(summary)}"
        f"{_box(head, lines)}</details>"
    )


def _difference(comparison):
    if comparison is None:
        return '<td class="missing first">–</td>'
    digits, verdict = comparison.metric.digits, comparison.verdict
    return (
        f'<td class="first {verdict}" title="{verdict}">'
        f"{show_difference(comparison.difference, digits)}"
        f"{_spread(comparison.error, digits, comparison.difference)} "
        f"{SIGNS[verdict]}</td>"
    )
