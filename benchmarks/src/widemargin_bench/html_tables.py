"""HTML tables of one benchmark: ours beside the paper's, and beside the peers."""

import re
from dataclasses import dataclass
from html import escape
from itertools import groupby
from string import ascii_lowercase

from widemargin_bench.results import (
    SIGNS,
    TOO_FEW,
    Tally,
    compare,
    show,
    show_difference,
    show_range,
)

_KINDS = {
    "paper": "methods of the paper",
    "baseline": "baselines of the paper",
    "ours": "ours, recommended settings",
    "peer": "peers on the same draws",
    "printed": "in the paper only",
}
_CORNER = '<th class="corner"></th>'
_LONG_NAME = 14  # letters


@dataclass(frozen=True)
class _Column:
    """A method in a table; its edge parts it from the column before."""

    name: str
    kind: str
    edge: str
    is_printed: bool
    extra_input: str = ""

    @property
    def parts(self):
        """Headings of what stands side by side."""
        if self.kind == "printed":
            return ("paper",)
        return ("measured", "paper", "difference") if self.is_printed else ("",)


def make_table(summary, metric):
    """Rows x methods of one metric, ours beside the paper's figures; empty if none."""
    cells = summary.cells_of(metric)
    if not cells:
        return ""
    columns = _columns(summary, metric)
    lines = []
    for row in summary.rows:
        best = _best([c for (name, _), c in cells.items() if name == row.name], metric)
        line = [_row_head(row.name)]
        for column in columns:
            cell = cells.get((row.name, column.name))
            if column.kind != "printed":
                line.append(_measured(summary, row, column, cell, best))
            if column.is_printed:
                figure = summary.published.get((row.name, column.name, metric.name))
                line.append(_printed(column, figure, cell, metric))
        lines.append(f"<tr>{''.join(line)}</tr>")
    marks = _marks(columns)
    return (
        f"<h4>{escape(metric.label)}</h4>{make_note(summary)}"
        f"{make_box(_head(columns, marks), lines)}{_caption(summary, metric)}"
        f"{_footnotes(marks)}"
    )


def make_note(summary):
    """That this is not all of the benchmark; empty if it is."""
    return "" if summary.note is None else f'<p class="note">{summary.note}</p>'


def make_box(head, lines):
    """A table that scrolls in a box of its own."""
    return (
        f'<div class="box" tabindex="0"><table><thead>{head}</thead>'
        f"<tbody>{''.join(lines)}</tbody></table></div>"
    )


def _columns(summary, metric):
    """Methods with results, by kind, and at last those that only the paper has."""
    tried = {key[1] for key in (*summary.cells_of(metric), *summary.failures)}
    ran = {method.name for method in summary.methods}
    printed = summary.printed(metric)
    found = [
        (method.name, kind, method.extra_input)
        for kind in _KINDS
        for method in summary.methods
        if method.kind == kind and method.name in tried
    ]
    found += [(name, "printed", "") for name in printed if name not in ran]
    columns = []
    for name, kind, extra_input in found:
        is_new = bool(columns) and columns[-1].kind != kind
        edge = "divide" if is_new else "first"
        columns.append(_Column(name, kind, edge, name in printed, extra_input))
    return columns


def _head(columns, marks):
    """Lines of the head: kinds of methods, their names, and parts of a column."""
    kinds, names, parts = [], [], []
    for kind, group in groupby(columns, key=lambda column: column.kind):
        of_kind = list(group)
        width = sum(len(column.parts) for column in of_kind)
        edge = of_kind[0].edge
        kinds.append(f'<th class="{edge}" colspan="{width}">{_KINDS[kind]}</th>')
    for column in columns:
        mark = f"<sup>{marks[column.extra_input]}</sup>" if column.extra_input else ""
        names.append(f'<th class="{column.edge}" colspan="{len(column.parts)}">'
                     f"{_heading(column.name)}{mark}</th>")  # fmt: skip
        first, *others = column.parts
        parts.append(f'<th class="{column.edge}">{first}</th>')
        parts += [f"<th>{part}</th>" for part in others]
    head = f'<tr class="kinds">{_CORNER}{"".join(kinds)}</tr>'
    head += f'<tr class="names">{_CORNER}{"".join(names)}</tr>'
    if any(column.is_printed for column in columns):
        head += f'<tr class="parts">{_CORNER}{"".join(parts)}</tr>'
    return head


def _marks(columns):
    """Letters of footnotes by what methods use beyond the labels."""
    extra = dict.fromkeys(
        column.extra_input for column in columns if column.extra_input
    )
    return dict(zip(extra, ascii_lowercase, strict=False))


def _footnotes(marks):
    if not marks:
        return ""
    extra = "; ".join(f"<sup>{mark}</sup> {escape(k)}" for k, mark in marks.items())
    return (
        f'<p class="caption">These methods use more than the labels: {extra}. They are '
        "compared only with peers that use the same.</p>"
    )


def _caption(summary, metric):
    """What the signs in the table mean."""
    runs = show_range(*summary.runs)
    said = ["One run." if runs == "1" else f"Means over {runs} runs ± standard "
            "deviation."]  # fmt: skip
    if metric.lower_is_better is not None:
        word = "lowest" if metric.lower_is_better else "highest"
        said.append(f"Underlined: the {word} measured figure of a row.")
    if summary.unconverged:
        said.append("†: some runs hit a limit of iterations, see below.")
    return f'<p class="caption">{" ".join(said)}</p>'


def _row_head(name):
    return f'<th scope="row">{escape(name)}</th>'


def _heading(name):
    """A name that may break between its words, which are joined if it is long."""
    words = re.split(r"(?<=[a-z])(?=[A-Z])", name) if len(name) > _LONG_NAME else [name]
    return "<wbr>".join(map(escape, words))


def _names(names, corner=_CORNER):
    """A head that only has names of methods."""
    cells = "".join(f'<th class="first">{_heading(name)}</th>' for name in names)
    return f'<tr class="names">{corner}{cells}</tr>'


def _best(cells, metric):
    """The best mean of some cells as it is shown; None if there is no best one."""
    if metric.lower_is_better is None or not cells:
        return None
    choose = min if metric.lower_is_better else max
    return show(choose(cell.mean for cell in cells), metric.digits)


def _measured(summary, row, column, cell, best):
    """What we measured in a cell."""
    if cell is None:
        failed = any(key[:2] == (row.name, column.name) for key in summary.failures)
        return f'<td class="missing {column.edge}">{"failed" if failed else "–"}</td>'
    digits = cell.metric.digits
    shown = show(cell.mean, digits)
    sign = "†" if (row.name, column.name) in summary.unconverged else ""
    is_best = " best" if shown == best else ""
    runs = f"{cell.n_runs} runs" if cell.n_runs > 1 else "one run"
    return (
        f'<td class="{column.edge}{is_best}" title="{runs}">'
        f'<span class="value">{shown}</span>'
        f"{sign}{_spread(cell.sd, digits, cell.mean)}</td>"
    )


def _printed(column, figure, cell, metric):
    """What the paper printed in a cell and, if we measured, the difference."""
    shown = "–"
    if figure is not None:
        shown = show(figure.value, metric.digits)
        shown += _spread(figure.sd, metric.digits, figure.value)
    if column.kind == "printed":
        return f'<td class="printed {column.edge}">{shown}</td>'
    printed = f'<td class="printed">{shown}</td>'
    if cell is None or cell.difference is None:
        return f"{printed}<td></td>"
    beside = max(abs(cell.mean), abs(figure.value))
    return printed + _difference(cell, beside)


def _difference(found, beside, edge=""):
    """A difference with its error and its verdict, of a cell or of a comparison."""
    digits, verdict = found.metric.digits, found.verdict
    sign = SIGNS.get(verdict, "")
    classes = f"{edge} {verdict if sign else 'none'}".strip()
    title = f' title="{verdict}"' if verdict else ""
    difference = show_difference(found.difference, digits, beside=beside)
    return (
        f'<td class="{classes}"{title}>{difference}'
        f"{_spread(found.error, digits, beside)} {sign}</td>"
    )


def _spread(value, digits, beside):
    if value is None:
        return ""
    return f'<span class="spread">±{show(value, digits, beside=beside)}</span>'


def make_memory_table(summary):
    """Peaks of memory, collapsed."""
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
        lines.append(f"<tr>{_row_head(row.name)}{numbers}</tr>")
    return (
        f"<details><summary>memory, MiB</summary>{make_note(summary)}"
        f"{make_box(_names(names), lines)}"
        '<p class="caption">What the first run adds to the peak of a fresh process '
        "that holds the data.</p></details>"
    )


def make_peer_tables(summary):
    """Ours against each peer: counts, and the differences, collapsed."""
    comparisons = [c for c in compare(summary) if c.verdict is not None]
    if not comparisons:
        return ""
    methods = list(dict.fromkeys(c.method for c in comparisons))
    peers = list(dict.fromkeys(c.peer for c in comparisons))
    lines = []
    for method in methods:
        line = [_row_head(method)]
        for peer in peers:
            pair = [c for c in comparisons if (c.method, c.peer) == (method, peer)]
            tally = Tally.of(c.verdict for c in pair)
            line.append(f'<td class="first">{_counts(tally)}</td>')
        lines.append(f"<tr>{''.join(line)}</tr>")
    return (
        "<h4>Ours against peers, rows better ✓ equal ≈ worse ✗</h4>"
        f"{make_note(summary)}{make_box(_names(peers), lines)}"
        f"{_differences(summary, comparisons, methods, peers)}"
    )


def _counts(tally):
    """Counts with their signs; zeros are faint."""
    counts = [(getattr(tally, name), name, sign) for name, sign in SIGNS.items()]
    shown = [
        f'<span class="count {name if n else "none"}">{n} {sign}</span>'
        for n, name, sign in counts
        if tally.total
    ]
    if tally.too_few:
        shown.append(f'<span class="count few">{tally.too_few} with {TOO_FEW}</span>')
    return " ".join(shown)


def _differences(summary, comparisons, methods, peers):
    """Paired differences of each row."""
    found = {(c.row, c.method, c.peer): c for c in comparisons}
    lines = []
    for row in summary.rows:
        for method in methods:
            pairs = [found.get((row.name, method, peer)) for peer in peers]
            if any(pairs):
                cells = "".join(map(_paired, pairs))
                lines.append(f"<tr>{_row_head(row.name)}"
                             f'<td class="left">{escape(method)}</td>'
                             f"{cells}</tr>")  # fmt: skip
    head = _names(peers, corner=f"{_CORNER}<th></th>")
    return (
        "<details><summary>Differences row by row (ours minus the peer’s, ± standard "
        "error of the paired differences, widened for few runs)</summary>"
        f"{make_note(summary)}{make_box(head, lines)}</details>"
    )


def _paired(comparison):
    if comparison is None:
        return '<td class="missing first">–</td>'
    return _difference(comparison, comparison.difference, "first")
