"""Sections of the report: everything about one paper and one benchmark."""

from html import escape

from widemargin_bench.pictures import draw, draw_ranking, load_matplotlib
from widemargin_bench.ranks import rank_methods
from widemargin_bench.report_headline import name_paper
from widemargin_bench.report_tables import (
    make_memory_table,
    make_note,
    make_peer_tables,
    make_table,
)

_MANY_PICTURES = 6  # more are folded away
_MANY_SETS = 3  # fewer say nothing about ranks


def anchor(benchmark):
    """Where a benchmark is on the page."""
    return escape(f"table-{benchmark.name}".replace(" ", "-"))


def make_section(paper, summaries, styles):
    """A paper and all of its benchmarks."""
    parts = [f"<h2>{name_paper(paper)}</h2>"]
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
            f'<section class="table" id="{anchor(benchmark)}">',
            f'<h3>{escape(benchmark.title)} <span class="source">'
            f"{escape(benchmark.source)}</span></h3>",
            make_table(summary, first),
            f'<p class="protocol">{escape(benchmark.protocol)}</p>',
            _remarks(benchmark),
            _problems(summary),
            *(_other_table(summary, metric) for metric in others),
            make_memory_table(summary),
            _pictures(summary, styles),
            _ranking(summary, styles),
            make_peer_tables(summary),
            "</section>",
        ]
    )


def _remarks(benchmark):
    if not benchmark.remarks:
        return ""
    items = "".join(f"<li>{escape(remark)}</li>" for remark in benchmark.remarks)
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
    return f'{make_note(summary)}{seen}<p class="caption">{told}</p>' if figures else ""


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
    knows = summary.benchmark.method(next(iter(ranking.mean_ranks))).knows
    left_out = [m.name for m in summary.methods if m.knows != knows]
    if left_out:
        said += f" Left out, since they are told other things: {'; '.join(left_out)}."
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
