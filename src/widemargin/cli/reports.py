"""How commands talk to a reader: facts in two columns, counts, progress."""

import contextlib
import sys
import textwrap

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.text import Text

_MOST = 8  # names in a line
_NAME_WIDTH = 13  # "predictions" and two blanks
_LEAST_WIDTH = 20
_JOINED = "\N{NO-BREAK SPACE}"  # printed as a blank, never as the end of a line


def open_console(*, stderr=False, quiet=False):
    """Where a report is printed; texts of users are printed as they are."""
    return Console(
        stderr=stderr, quiet=quiet, markup=False, highlight=False, emoji=False
    )


def print_facts(console, facts):
    """Names and what is to be said of them, in two columns.

    Parameters
    ----------
    console : Console
    facts : iterable of (str, str)
    """
    width = max(_LEAST_WIDTH, console.width - _NAME_WIDTH)
    for name, text in facts:
        for line in textwrap.wrap(text, width, break_on_hyphens=False):
            padded = name.ljust(_NAME_WIDTH)
            text = Text.assemble((padded, "bold"), line.replace(_JOINED, " "))
            console.print(text, soft_wrap=True)
            name = ""


def print_error(text):
    """Lines on the standard error, no wider than the terminal."""
    click.echo(wrap(text), err=True)


def wrap(text):
    """A text for the standard error in lines no wider than the terminal.

    Words, such as the names of files, stay whole. What follows an indented line is
    indented twice as far.
    """
    width = max(_LEAST_WIDTH, open_console(stderr=True).width)
    lines = []
    for line in text.splitlines():
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
    return shorten(
        [join(f"{name} ({count:,})") for name, count in counts.items()], most=12
    )


def join(text):
    """A text that is printed in one line if there is room for it, blanks and all."""
    return text.replace(" ", _JOINED)


def plural(count, noun):
    """A number with its noun."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def shorten(names, most=_MOST):
    """The first of many names, with the number of the others."""
    names = list(names)
    shown = ", ".join(names[:most])
    n_more = len(names) - most
    return f"{shown} and {n_more:,} more" if n_more > 0 else shown


def is_watched():
    """Whether somebody looks at the standard error."""
    return open_console(stderr=True).is_terminal


@contextlib.contextmanager
def talking(machine):
    """A machine prints its progress meanwhile; how it is made stays the same."""
    verbose = getattr(machine, "verbose", None)
    if verbose is not None:
        machine.set_params(verbose=verbose or True)
    yield
    if verbose is not None:
        machine.set_params(verbose=verbose)


@contextlib.contextmanager
def follow(description, n_steps=None):
    """A bar on the standard error, gone when all is done; yields what moves it.

    What estimators print goes there, too.
    """
    columns = TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn()
    console = open_console(stderr=True)
    bars = Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    )
    with contextlib.redirect_stdout(sys.stderr), bars as progress:
        bar = progress.add_task(description, total=n_steps)
        yield lambda: progress.advance(bar)
