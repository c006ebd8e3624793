"""The report: all results as one HTML page, or as a page per paper."""

import re
from datetime import UTC, datetime
from html import escape
from importlib import resources
from pathlib import Path
from statistics import fmean

from widemargin_bench.html_tables import (
    make_box,
    make_memory_table,
    make_note,
    make_peer_tables,
    make_table,
)
from widemargin_bench.pictures import Styles, draw, draw_ranking, load_matplotlib
from widemargin_bench.results import (
    MIN_RUNS,
    SIGNS,
    read_folder,
    show,
    show_difference,
)
from widemargin_bench.statements import (
    MOST,
    POINTS,
    SOME,
    Results,
    answer,
    conclude,
    find_cells,
    group_by_advice,
    headlines,
    judge_claim,
    make_remarks,
)
from widemargin_bench.statistics import rank_methods

_OWN = "Tables of our own"
_HEAD = (
    '<tr><th class="corner">tables of</th><th class="left">against</th>'
    "<th>verdicts</th><th>better ✓</th><th>equal ≈</th><th>worse ✗</th>"
    "<th>too few runs</th><th></th></tr>"
)
_MANY_PICTURES = 6  # more are collapsed
_MANY_SETS = 3  # with fewer, ranks mean little


def write_report(folder, path):
    """Write the report of all results in a folder.

    Parameters
    ----------
    folder : path-like
        With files ``<name>.jsonl``, one per benchmark.
    path : path-like
        Of the page; its folder must exist.
    """
    page = make_page(*read_folder(folder))
    Path(path).write_text(page, encoding="utf-8")


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
    papers, results, styles = _prepare(summaries)
    return _frame(
        "Results of the papers, measured again",
        summaries,
        [
            _contents(papers, not_run),
            *_first_part(summaries, not_run, results),
            *(make_section(*of, results, styles) for of in papers.items()),
            _not_run(not_run),
        ],
    )


def write_site(folder, out):
    """Write the report of all results in a folder as several pages.

    Parameters
    ----------
    folder : path-like
        With files ``<name>.jsonl``, one per benchmark.
    out : path-like
        Folder for ``index.html`` and a page per paper; it is made if it is missing.

    Returns
    -------
    dict
        The tables of each page, a list of `Summary` by file name.
    """
    summaries, not_run = read_folder(folder)
    out = Path(out)
    out.mkdir(parents=True, exist_ok=True)
    for name, page in make_site(summaries, not_run).items():
        (out / name).write_text(page, encoding="utf-8")
    return {page_of(paper): of for paper, of in _by_paper(summaries).items()}


def make_site(summaries, not_run=()):
    """A first page with the summary, and a page per paper.

    Parameters
    ----------
    summaries : list of Summary
    not_run : list of Summary
        Of benchmarks without results; they are only named.

    Returns
    -------
    dict of str by str
        Pages by file name.
    """
    papers, results, styles = _prepare(summaries)
    contents = _contents(papers, not_run, page_of)
    first = [contents, *_first_part(summaries, not_run, results), _not_run(not_run)]
    pages = {"index.html": _frame("Benchmark results", summaries, first)}
    for paper, of_paper in papers.items():
        body = [
            '<p><a href="index.html">All results</a></p>',
            _contents({paper: of_paper}, ()),
            make_section(paper, of_paper, results, styles),
        ]
        pages[page_of(paper)] = _frame(_title(paper), of_paper, body)
    return pages


def page_of(paper):
    """File name of the page of a paper."""
    name = "our-own-tables" if paper is None else paper.name.lower()
    return re.sub(r"[^a-z0-9]+", "-", name).strip("-") + ".html"


def _title(paper):
    return _OWN if paper is None else f"{paper.name}: results measured again"


def _prepare(summaries):
    """Summaries by paper, all of them for statements, and the looks of methods."""
    styles = Styles.of([summary.benchmark for summary in summaries])
    return _by_paper(summaries), Results(summaries), styles


def _first_part(summaries, not_run, results):
    """The summary, or how to get results."""
    if not summaries:
        return ["<p>There are no results yet: <code>widemargin bench run</code> makes "
                "them.</p>"]  # fmt: skip
    return [make_headline(summaries, not_run, results), make_answers(summaries)]


def _frame(title, summaries, body):
    """A whole page."""
    css = (resources.files("widemargin_bench") / "report.css").read_text("utf-8")
    written = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    return "\n".join(
        [
            '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>widemargin: {escape(title)}</title>\n<style>\n{css}</style>\n"
            "</head>",
            f'<body>\n<header class="top">\n<h1>{escape(title)}</h1>',
            "<p>All our figures were measured by <code>widemargin bench "
            "run</code>. Next to them are the paper’s figures and those of other "
            "methods on the same draws. Sentences about results are computed from the "
            "results.</p>",
            _origin(summaries),
            _quick_note(summaries),
            "</header>\n<main>",
            *body,
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
        "It shows that everything works; verdicts need a full run.</p>"
    )


def _contents(papers, not_run, page_of=None):
    """Links to all tables, on this page or on those that `page_of` names."""
    parts = []
    for paper, summaries in papers.items():
        page = "" if page_of is None else page_of(paper)
        links = "".join(
            f'<li><a href="{page}#{anchor(s.benchmark)}">'
            f"{escape(s.benchmark.title)}</a> "
            f'<span class="source">{escape(s.benchmark.source)}</span></li>'
            for s in summaries
        )
        parts.append(f"<ul><li><b>{name_paper(paper)}</b></li>{links}</ul>")
    if not_run:
        parts.append('<ul><li><a href="#not-run">Not run</a></li></ul>')
    if not parts:
        return ""
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


def name_paper(paper):
    """A paper in headings, ready for the page."""
    return _OWN if paper is None else escape(paper.name)


def make_headline(summaries, not_run, results):
    """Sentences about each paper, and a table of the counts."""
    lines, sentences = [], []
    for headline in headlines(summaries, not_run):
        name, sentence = name_paper(headline.paper), headline.sentence()
        if sentence:
            sentences.append(f"<p><strong>{name}.</strong> {escape(sentence)}</p>")
            sentences.append(_claims(headline.paper, results))
        for against, tally in headline.tallies.items():
            if tally.total:
                lines.append(_tally_line(name, escape(against), tally))
                name = ""
    table = make_box(_HEAD, lines) if lines else ""
    items = "".join(f"<li>{escape(of)}</li>" for of in conclude(summaries, not_run))
    conclusions = f"<ul>{items}</ul>" if items else ""
    return (
        f'<h2 id="headline">Summary</h2>{conclusions}{"".join(sentences)}{table}'
        '<p class="legend">The comparison with a paper counts all of its figures '
        "except times: those of its own methods, and those of baselines that we also "
        "ran. A figure that the paper prints twice counts once. The comparison with a "
        "peer counts each row of a table and each of our methods once; it uses the "
        "first metric of the table, on the same draws. Methods with additional input "
        "(see the footnotes) are compared only with peers that have the same input. "
        f"A claim holds if it is true on at least {100 * MOST:.0f} % of the rows named "
        f"in the evidence, and holds in part if it is true on at least "
        f"{100 * SOME:.0f} % of them.</p>" + _legend()
    )


def _claims(paper, results):
    """Claims of a paper, and whether the results confirm them."""
    items = []
    for claim in paper.claims if paper else ():
        verdict, evidence = judge_claim(claim, results)
        items.append(
            f"<li>{escape(claim.text)} <strong>This {escape(verdict)}.</strong> "
            f"{escape(evidence)}</li>"
        )
    return f"<ul>{''.join(items)}</ul>" if items else ""


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
        "error, or the digits shown do not differ. The standard error includes the "
        "spread of our runs and, if the paper printed standard deviations, that of its "
        "runs. With few runs it is multiplied by a factor from Student’s distribution, "
        "so that the interval covers 68 %, as with many runs. With fewer than "
        f"{MIN_RUNS} runs, there is no verdict on a comparison with a peer. In the "
        "comparison with the paper, its standard deviation is then used, if it printed "
        "one. Times are not compared with the paper, which used another computer.</p>"
    )


def make_answers(summaries):
    """Comparisons of methods that we recommend; empty if there are none."""
    groups = group_by_advice(summaries).items()
    return "".join(_section(advice, of_advice) for advice, of_advice in groups)


def _section(advice, summaries):
    cells = [cell for summary in summaries for cell in find_cells(summary)]
    if not cells:
        return ""
    answers = answer(advice, cells)
    notes = dict.fromkeys(make_note(summary) for summary in summaries)
    return (
        f"<h2>{escape(advice.title)}</h2>{''.join(notes)}"
        f"<p>{escape(answers[0].sentence(advice))}</p>{_answer_table(answers)}"
        '<p class="caption">A combination is a row of a table: a data set with a '
        "number of labels, and the kind of its unlabeled rows (clean, or mixed with "
        "irrelevant rows). Its value is the mean over draws of the labels. Differences "
        f"are in points: the error of {escape(advice.method)} minus that of "
        f"{escape(advice.instead)}, or minus that of the best other method of the "
        "combination, which is known only in hindsight. An estimate holds if the true "
        "error is within two of its standard errors.</p>"
        f"{_cell_table(advice, cells)}"
    )


def _answer_table(answers):
    names = "".join(f'<th class="first">{escape(n)}</th>' for n in answers[0].figures)
    lines = [
        _line(escape(of.part), [(shown, "") for shown in of.figures.values()])
        for of in answers
    ]
    return make_box(f'<tr class="names"><th class="corner"></th>{names}</tr>', lines)


def _cell_table(advice, cells):
    """All cells, folded away."""
    heads = (
        advice.method,
        advice.instead,
        "difference",
        "best in hindsight",
        "which is",
        "difference from the best",
        "estimated error",
        "its standard error",
    )
    names = "".join(f'<th class="first">{escape(name)}</th>' for name in heads)
    head = f'<tr class="names"><th class="corner"></th>{names}</tr>'
    lines = [_line(escape(f"{c.benchmark}: {c.row.name}"), _figures(c)) for c in cells]
    return (
        f"<details><summary>All {len(cells)} combinations</summary>"
        f"{make_box(head, lines)}</details>"
    )


def _figures(cell):
    """What is shown of a cell, and its classes."""
    estimate = [fmean(of) for of in zip(*cell.estimates, strict=True)] or [None] * 3
    return [
        (show(fmean(cell.ours), 1), ""),
        (show(fmean(cell.instead), 1), ""),
        (show_difference(cell.difference, 1), _color(cell.difference)),
        (show(cell.others[cell.best], 1), ""),
        (escape(cell.best), " left"),
        (show_difference(cell.distance, 1), ""),
        (show(estimate[1], 1), ""),
        (show(estimate[2], 1), ""),
    ]


def _color(difference):
    """Differences of more than a point are colored."""
    if abs(difference) <= POINTS[0]:
        return ""
    return " worse" if difference > 0 else " better"


def _line(name, figures):
    shown = "".join(
        f'<td class="first{more}">{figure}</td>' for figure, more in figures
    )
    return f'<tr><th scope="row">{name}</th>{shown}</tr>'


def anchor(benchmark):
    """Anchor of a benchmark on the page."""
    return escape(f"table-{benchmark.name}".replace(" ", "-"))


def make_section(paper, summaries, results, styles):
    """A paper and all of its benchmarks."""
    parts = [f"<h2>{name_paper(paper)}</h2>"]
    if paper is not None:
        parts.append(f'<p class="citation">{escape(paper.citation)}</p>')
    parts += [_benchmark_section(summary, results, styles) for summary in summaries]
    return "\n".join(parts)


def _benchmark_section(summary, results, styles):
    """Everything about one benchmark."""
    benchmark = summary.benchmark
    first, *others = summary.metrics
    return "\n".join(
        [
            f'<section class="table" id="{anchor(benchmark)}">',
            f'<h3>{escape(benchmark.title)} <span class="source">'
            f"{escape(benchmark.source)}</span></h3>",
            make_table(summary, first),
            f'<p class="protocol">{escape(benchmark.protocol)}</p>',
            _remarks(make_remarks(benchmark, results)),
            _problems(summary),
            *(_other_table(summary, metric) for metric in others),
            make_memory_table(summary),
            _pictures(summary, styles),
            _ranking(summary, styles),
            make_peer_tables(summary),
            "</section>",
        ]
    )


def _remarks(remarks):
    if not remarks:
        return ""
    items = "".join(f"<li>{escape(remark)}</li>" for remark in remarks)
    return f'<ul class="remarks">{items}</ul>'


def _other_table(summary, metric):
    """A table of another metric; folded away if the paper has no figures of it."""
    table = make_table(summary, metric)
    if not table or any(key[2] == metric.name for key in summary.published):
        return table
    return f"<details><summary>{escape(metric.label)}</summary>{table}</details>"


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
    caption = {
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
    return (
        f'{make_note(summary)}{seen}<p class="caption">{caption}</p>' if figures else ""
    )


def _gallery(figures):
    return f'<div class="pictures">{"".join(figures)}</div>'


def _ranking(summary, styles):
    """Mean ranks over sets, with a diagram."""
    ranking = rank_methods(summary)
    if ranking is None or ranking.n_sets < _MANY_SETS:
        return ""
    said = (
        f"Mean ranks over the {ranking.n_sets} sets with results of all methods; rows "
        "of one set are averaged before."
    )
    extra_input = summary.benchmark.method(next(iter(ranking.mean_ranks))).extra_input
    left_out = [m.name for m in summary.methods if m.extra_input != extra_input]
    if left_out:
        said += f" Left out, since they use other input: {'; '.join(left_out)}."
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
        f"<h4>Ranking over sets</h4>{make_note(summary)}<figure>{svg}</figure>"
        f'<p class="caption">{escape(said)}</p>'
    )
