"""Sections of the report about methods that are advised, one an advice."""

from html import escape
from statistics import fmean

from widemargin_bench.answers import POINTS, answer, find_cells, group_by_advice
from widemargin_bench.numerals import show, show_difference
from widemargin_bench.report_tables import make_box, make_note


def make_answers(summaries):
    """Whether advice is good; empty if there is none."""
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
        '<p class="caption">A cell is a row of a table, its value the mean over draws. '
        f"Gaps are in points of the error: {escape(advice.method)} minus "
        f"{escape(advice.instead)}, or minus the best of all other methods of the "
        "cell, which is known in hindsight only. An estimate has held if the true "
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
        "gap",
        "best in hindsight",
        "which is",
        "gap to best",
        "estimated error",
        "its standard error",
    )
    names = "".join(f'<th class="first">{escape(name)}</th>' for name in heads)
    head = f'<tr class="names"><th class="corner"></th>{names}</tr>'
    lines = [_line(escape(f"{c.benchmark}: {c.row.name}"), _figures(c)) for c in cells]
    return (
        f"<details><summary>All {len(cells)} cells</summary>{make_box(head, lines)}"
        "</details>"
    )


def _figures(cell):
    """What is shown of a cell, and its classes."""
    told = [fmean(of) for of in zip(*cell.estimates, strict=True)] or [None] * 3
    return [
        (show(fmean(cell.ours), 1), ""),
        (show(fmean(cell.instead), 1), ""),
        (show_difference(cell.difference, 1), _color(cell.difference)),
        (show(cell.others[cell.best], 1), ""),
        (escape(cell.best), " left"),
        (show_difference(cell.distance, 1), ""),
        (show(told[1], 1), ""),
        (show(told[2], 1), ""),
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
