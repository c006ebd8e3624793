"""What commands print: facts in two columns, counts, progress."""

import contextlib
import io
import json
import numbers
import re
import sys
import textwrap

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.text import Text

from widemargin.progress import every, watch
from widemargin.tables.errors import shorten

_NAME_WIDTH = 13  # "predictions" and two blanks
_MIN_TEXT_WIDTH = 20
_ROW_WIDTH, _CELL_WIDTH = 180, 60  # of a row of the user's table, and of its cells
_MAX_SUSPECTS = 5  # that a report shows
_NO_BREAK = "\N{NO-BREAK SPACE}"  # printed as a blank, never as the end of a line
# How rows are marked in Python, and on the command line
_MARKING = re.compile(r"mark unlabeled rows with -1 \(.*\)")
_EMPTY_CELL = "leave the target cell of unlabeled rows empty"
# What a terminal executes, breaks lines at, or turns the direction of a text with
_CONTROLS = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)


def visible(text, kept=""):
    r"""A text in which a terminal executes nothing: control characters as escapes.

    >>> visible("red \x1b[31m")
    'red \\x1b[31m'
    """

    def escape(match):
        character = match.group()
        return character if character in kept else ascii(character)[1:-1]

    return _CONTROLS.sub(escape, text)


def print_json(outcome):
    """Print a dict for scripts; values such as kernels as they are written.

    Escapes of JSON stand for characters that the terminal executes or cannot show.
    """

    def encode(value):
        if hasattr(value, "isoformat"):
            return value.isoformat()
        if isinstance(value, numbers.Number):
            return value.item() if hasattr(value, "item") else str(value)
        return repr(value)

    is_utf = (getattr(sys.stdout, "encoding", None) or "").lower().startswith("utf")
    text = json.dumps(outcome, indent=2, ensure_ascii=not is_utf, default=encode)
    text = _CONTROLS.sub(
        lambda match: "\n" if match.group() == "\n" else f"\\u{ord(match.group()):04x}",
        text,
    )
    _print_whole(f"{text}\n")


def print_table(data):
    """Print the bytes of a table as they are, on a terminal with escapes."""
    if sys.stdout.isatty():
        data = visible(data.decode(), kept="\t\n")
    _print_whole(data)


def _print_whole(data):
    """Print a text or bytes to stdout, also if Python does not buffer it.

    With PYTHONUNBUFFERED, one write is one call of the system, which may write only a
    part: it does if the program that reads a pipe ends meanwhile, or a disk is full.
    """
    out = getattr(sys.stdout, "buffer", None)
    if not isinstance(out, io.RawIOBase):
        click.echo(data, nl=False)
        return
    if isinstance(data, str):
        data = data.encode(sys.stdout.encoding, sys.stdout.errors)
    while data:
        data = data[out.write(data) :]


class _Console(Console):
    """A console that leaves a broken pipe to the command; that of rich exits with 1."""

    def on_broken_pipe(self):
        """Raise the BrokenPipeError that is being handled."""
        raise


def open_console(*, stderr=False, quiet=False):
    """The console of a report, which prints the user's own texts unchanged."""
    plain = {"markup": False, "highlight": False, "emoji": False}
    return _Console(stderr=stderr, quiet=quiet, **plain)


def print_facts(console, facts):
    """Print pairs of a name and a text in two columns."""
    width = max(_MIN_TEXT_WIDTH, console.width - _NAME_WIDTH)
    for name, text in facts:
        for line in textwrap.wrap(visible(text), width, break_on_hyphens=False):
            padded = name.ljust(_NAME_WIDTH)
            text = Text.assemble((padded, "bold"), line.replace(_NO_BREAK, " "))
            console.print(text, soft_wrap=True)
            name = ""


def print_error(text):
    """Print lines to stderr, no wider than the terminal."""
    click.echo(wrap(text), err=True)


def wrap(text):
    """A text for stderr in lines no wider than the terminal; words stay whole."""
    width = max(_MIN_TEXT_WIDTH, open_console(stderr=True).width)
    lines = []
    for line in visible(text, kept="\n").splitlines():
        margin = " " * (len(line) - len(line.lstrip()))
        options = {"break_long_words": False, "break_on_hyphens": False}
        lines += textwrap.wrap(line, width, subsequent_indent=2 * margin, **options)
    return "\n".join(lines)


def count_labels(labels):
    """How often each label occurs, by name, in the order of the labels."""
    counts = labels.value_counts().sort_index()
    return {str(name): int(count) for name, count in counts.items()}


def describe_counts(counts):
    """Rows of each class, in one line."""
    texts = [join(f"{name} ({count:,})") for name, count in counts.items()]
    return shorten(texts, most=12)


def join(text):
    """A text that is not broken at its blanks if it fits in a line."""
    return text.replace(" ", _NO_BREAK)


def plural(count, noun):
    """A number with its noun."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


LINE_SECONDS = 30.0  # between lines of progress where there is no terminal


def is_watched():
    """Whether stderr is a terminal."""
    return open_console(stderr=True).is_terminal


@contextlib.contextmanager
def verbosely(model):
    """Let an estimator print its progress meanwhile; its parameters stay the same."""
    verbose = getattr(model, "verbose", None)
    if verbose is not None:
        model.set_params(verbose=verbose or True)
    try:
        yield
    finally:
        if verbose is not None:
            model.set_params(verbose=verbose)


@contextlib.contextmanager
def progress_bar(description, n_steps=None):
    """A bar on stderr, with what estimators print; yields what advances it.

    It also says how much of a long fit is left. Where stderr is no terminal, a line
    every half a minute says so.
    """
    columns = TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn()
    console = open_console(stderr=True)
    is_hidden = not console.is_terminal
    bars = Progress(*columns, console=console, transient=True, disable=is_hidden)
    with contextlib.redirect_stdout(sys.stderr), bars as progress:
        bar = progress.add_task(description, total=n_steps)

        def show(state):
            progress.update(bar, description=f"{description}: {state}")

        def say(state):
            console.print(f"{description}: {state}", highlight=False)

        with watch(every(LINE_SECONDS, say) if is_hidden else show):
            yield lambda: progress.advance(bar)


def describe_table(table, target=None, *, notes_few_labels=True):
    """Rows, columns and labels, as pairs of a name and a text."""
    yield "table", f"{table.name}, {plural(table.n_rows, 'row')}"
    yield from describe_kinds(by_kind(table.columns))
    reasons = {}
    for column in table.columns:
        if column.reason:
            reasons.setdefault(column.reason, []).append(column.name)
    for reason, names in reasons.items():
        yield "left out", f"{shorten(names)} ({reason})"
    if target is not None:
        counts = describe_counts(table.counts)
        yield "labeled", f"{table.labels.n_labeled:,} in {target!r}: {counts}"
        yield "unlabeled", f"{table.n_unlabeled:,}"
    for note in _table_notes(table, notes_few_labels):
        yield "note", note


def table_as_json(path, table, target=None):
    """The same as a dict."""
    left_out = {each.name: each.reason for each in table.columns if each.reason}
    facts = {
        "table": path,
        "rows": table.n_rows,
        "columns": {**by_kind(table.columns), "left_out": left_out},
        "notes": list(_table_notes(table)),
    }
    if target is None:
        return facts
    labels = {"labeled": table.counts, "unlabeled": table.n_unlabeled}
    return {**facts, "target": target, **labels}


def _table_notes(table, notes_few_labels=True):
    """What a user may not expect of a table."""
    from widemargin.tables.columns import list_notes  # takes pandas
    from widemargin.tables.targets import describe_alike, describe_placeholders

    yield from list_notes(table.X, table.columns)
    if table.key is not None:
        n_rows, n_keys = len(table.cells), table.cells[table.key].map(str).nunique()
        if n_keys < n_rows:
            counts = f"{plural(n_keys, 'value')} in {plural(n_rows, 'row')}"
            examined = "" if n_rows == table.n_rows else " that were examined"
            yield f"{table.key!r} is not unique: {counts}{examined}"
    if table.labels is None:
        return

    if table.proposed_by:
        n_labels = table.labels.n_labeled
        n_proposed = int((table.labels.labeled & ~table.is_random).sum())
        yield (
            f"{n_proposed:,} of the {n_labels:,} labels are of rows that an earlier "
            f"fit proposed (see {table.proposed_by}), so they are not a random sample"
        )
    for name, is_same in table.copies:
        what = "equals the target" if is_same else "has one value for each class"
        yield (
            f"{name!r} {what} in all labeled rows; if it is not known for new rows, "
            f"add --drop {name!r}"
        )
    yield from describe_alike(table.labels.classes.tolist())
    yield from describe_placeholders(table.labels.classes)
    mark = table.labels.likely_mark
    if mark is not None and mark not in table.labels.placeholders:
        yield (
            f"{str(mark)!r} is the label of {table.counts[str(mark)]:,} of "
            f"{table.n_rows:,} rows, and no row is unlabeled; if it marks unlabeled "
            f"rows, add --missing {str(mark)!r}"
        )
    if table.labels.is_scattered:
        yield (
            f"most of the {table.labels.n_labeled:,} labels are the only one of their "
            "class, like numbers or identifiers; choose another column with --target, "
            "or label several rows of each class"
        )
    elif table.labels.is_distinct:
        yield (
            f"{table.target!r} has {table.labels.n_classes:,} different labels in "
            f"{table.labels.n_labeled:,} labeled rows; if these are identifiers or "
            "numbers, choose another column with --target"
        )
    if notes_few_labels and max(table.counts.values()) == 1:
        yield (
            f"each of the {len(table.counts):,} classes has a single label: nothing "
            "can be estimated; label a few rows of each class"
        )


def describe_kinds(names_by_kind):
    """How many columns are numbers, categories, dates and text, with their names."""
    for kind, names in names_by_kind.items():
        if names:
            yield kind, f"{len(names):,}: {shorten(names)}"


def by_kind(columns):
    """Names of the columns that are used, by what they are used as."""
    from widemargin.tables.columns import Kind

    return {
        kind.value: [column.name for column in columns if column.kind is kind]
        for kind in Kind
        if kind is not Kind.LEFT_OUT
    }


def report_as_json(report):
    """A report as a dict of plain values; rows count from 1, shares up to 1."""
    lines = []
    for candidate in report.candidates:
        facts = vars(candidate).items()  # JSON has no NaN, which differs from itself
        facts = [(key, value if value == value else None) for key, value in facts]
        lines.append({key.removeprefix("n_"): value for key, value in facts})
    has_error, checks = report.n_held_out > 0, report.check_rows
    suspects = report.suspect_labels
    return {
        "candidates": lines,
        "error": report.error if has_error else None,
        "error_std": report.error_std if has_error else None,
        "held_out": report.n_held_out,
        "held_out_random": report.n_random,
        "changed": report.n_changed / max(report.n_unlabeled, 1),
        "changed_rows": report.n_changed,
        "helps": report.helps,
        "label_next": (report.label_next + 1).tolist(),
        "check_rows": [] if checks is None else (checks + 1).tolist(),
        "suspect_labels": [] if suspects is None else _list_suspects(suspects),
        "notes": [_MARKING.sub(_EMPTY_CELL, text) for text in report.messages],
    }


def _list_suspects(suspects):
    """Labels to check as plain values, the least probable first."""
    columns = suspects.rows + 1, suspects.probabilities, suspects.suggested
    return [
        {"row": int(row), "probability": float(probability), "suggested": str(name)}
        for row, probability, name in zip(*columns, strict=True)
    ]


def name_rows(facts, labels, keys=None):
    """Such a dict with the keys of its rows, if there are any, and suspect labels."""

    def name(row):
        key = keys[row - 1]
        return None if key is None or key != key or key == "" else key

    suspects = []
    for line in facts["suspect_labels"]:
        own = {} if keys is None else {"id": name(line["row"])}
        label = str(labels[line["row"] - 1])
        suspects.append({"row": line["row"], **own, "labeled": label, **line})
    facts = {**facts, "suspect_labels": suspects}
    if keys is not None:
        facts["label_next_ids"] = [name(row) for row in facts["label_next"]]
    return facts


def describe_report(facts, cells=None):
    """All facts of such a dict for a reader, as pairs of a name and a text.

    `cells` is the table, if rows to label next are to be shown.
    """
    yield from describe_candidates(facts)
    if len(facts["candidates"]) > 1:
        rows, share = plural(facts["changed_rows"], "row"), 100 * facts["changed"]
        what = "whose class differs from the labels-only model"
        yield "changed", f"{rows} ({share:.1f} %) {what}"
    yield from describe_label_next(facts, cells)
    yield from describe_suspects(facts)
    for note in facts["notes"]:
        yield "note", note


def describe_candidates(facts):
    """Weight and error of each candidate, and the error of their average."""
    lines = facts["candidates"]
    width = max(len(line["name"]) for line in lines)
    yield "candidates", join(f"{'':{width}}  weight  held-out error  changed")
    for line in lines:
        weight, changed = f"{line['weight']:6.2f}", f"{100 * line['changed']:5.1f} %"
        text = f"{line['name']:{width}}  {weight}  {_error(line):>14}  {changed}"
        yield "", join(text)
    if facts["error"] is None:
        yield "error", "unknown, because no label could be held out"
        return
    labels = plural(facts["held_out"], "held-out label")
    n_random = facts["held_out_random"]
    if n_random is not None:
        labels = f"{n_random:,} of {labels}, those of random rows"
    yield "error", f"{_error(facts)} on new rows (estimated from {labels})"


def describe_label_next(facts, cells=None):
    """Rows whose labels would help most, how they are counted, and what they hold."""
    if not facts["label_next"]:
        return
    rows = ", ".join(map(str, facts["label_next"]))
    yield "label next", f"rows {rows} (row 1 is the first below the header)"
    if facts["check_rows"]:
        checks = ", ".join(map(str, facts["check_rows"]))
        yield "", f"of these, drawn at random as a check: {checks}"
    if cells is None:
        return
    for row in facts["label_next"]:
        filled = cells.loc[row - 1].replace("", None).dropna()
        content = " | ".join(
            f"{name}: {_shorten_text(value)}" for name, value in filled.items()
        )
        yield "", f"{row:,}: {textwrap.shorten(content, _ROW_WIDTH, placeholder='...')}"


def _shorten_text(value):
    return textwrap.shorten(str(value), _CELL_WIDTH, placeholder="...")


def describe_suspects(facts):
    """Labels that models without them contradict, the first few of them."""
    found, title = facts["suspect_labels"], "suspects"
    for line in found[:_MAX_SUSPECTS]:
        key = line.get("id")
        name = "" if key is None else f" ({_shorten_text(key)})"
        labels = f"labeled {line['labeled']}, predicted {line['suggested']}"
        yield title, f"row {line['row']:,}{name}: {labels} without its label"
        title = ""
    if len(found) > _MAX_SUSPECTS:
        yield "", f"and {len(found) - _MAX_SUSPECTS:,} more, marked in the predictions"


def _error(line):
    if line["error"] is None:
        return "unknown"
    return f"{100 * line['error']:.1f} +- {100 * line['error_std']:.1f} %"
