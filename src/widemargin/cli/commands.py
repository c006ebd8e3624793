"""What commands share: options, --json, --debug, and errors in one sentence."""

import contextlib
import functools
import os
import re
import traceback
import warnings
from dataclasses import dataclass

import click

from widemargin.cli.methods import DEFAULTS, describe_methods
from widemargin.cli.reports import print_error, visible
from widemargin.cli.signals import exit_if_unread
from widemargin.tables import FORMATS

_EXIT_CODES = (
    "Exit codes: 0 if {success}; 2 if the input or the options cannot be used (the "
    "message says why); 130, 143 or 129 if SIGINT (Ctrl-C), SIGTERM or SIGHUP "
    "interrupted {what}; 141 if the program that reads the output ended first; 1 for "
    "an internal error (please report it)."
)


class Failure(click.ClickException):
    """The input does not allow what the command does."""

    exit_code = 2


class Command(click.Command):
    """A command with --json and --debug, brief errors, and methods in its help page."""

    def __init__(
        self,
        *args,
        task=None,
        success="the command succeeded",
        interrupted="the command",
        **kwargs,
    ):
        settings = {"show_default": True}
        epilog = _EXIT_CODES.format(success=success, what=interrupted)
        super().__init__(*args, context_settings=settings, epilog=epilog, **kwargs)
        self.task = task
        text = "Print the results as JSON, and nothing else, to stdout."
        self.params += [
            click.Option(["--json", "as_json"], is_flag=True, help=text),
            click.Option(
                ["--debug"], is_flag=True, help="Show the traceback of an error."
            ),
        ]

    def format_help_text(self, ctx, formatter):
        """Write the text of the help page, with the methods there are."""
        if self.task is not None:
            self.help = self.help.replace("{methods}", describe_methods(self.task))
        super().format_help_text(ctx, formatter)

    def invoke(self, ctx):
        """Run the command; an error of the input has exit code 2."""
        debug = ctx.params.pop("debug")
        try:
            with _warnings_as_notes():
                return super().invoke(ctx)
        except (click.ClickException, click.exceptions.Exit):
            raise
        except Exception as error:
            if isinstance(error, BrokenPipeError):
                exit_if_unread()
            if debug:
                click.echo(visible(traceback.format_exc(), kept="\n"), err=True)
            raise _in_one_sentence(error) from error


def _in_one_sentence(error):
    is_connection = isinstance(error, ConnectionError)  # to a process or a socket
    if isinstance(error, OSError) and error.errno and not is_connection:
        where = f"use {error.filename}" if error.filename else "write to stdout"
        return Failure(f"Cannot {where}: {os.strerror(error.errno).lower()}.")
    if isinstance(error, MemoryError):
        return Failure(
            "There is not enough memory for this many rows. Use fewer rows, or a "
            "method with landmarks, such as --method laplacian --set landmarks=500."
        )
    if isinstance(error, ValueError | ImportError):
        return Failure(" ".join(str(error).split()))
    return click.ClickException(  # exit code 1
        f"Internal error ({type(error).__name__}: {error}). Run the command again with "
        "--debug to see the traceback, and please report it."
    )


@contextlib.contextmanager
def _warnings_as_notes():
    """Each warning for users once, as a line on stderr."""
    from widemargin.checks import DataWarning
    from widemargin.solvers.result import Status

    seen = set()

    def show(message, *_):
        text = " ".join(str(message).split())
        if text not in seen:
            seen.add(text)
            print_error(f"Note: {text}")

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", UserWarning)
        # Notes on the table say both.
        warnings.simplefilter("ignore", DataWarning)
        warnings.filterwarnings("ignore", "The number of unique classes is greater")
        # A command that is interrupted keeps nothing, so that this would mislead.
        kept = re.escape(Status.INTERRUPTED.value)
        warnings.filterwarnings("ignore", f"(?s).*{kept}")
        warnings.showwarning = show
        yield


@dataclass(frozen=True)
class Reading:
    """How a table is read."""

    file_format: str | None
    separator: str | None
    decimal: str
    encoding: str
    missing: tuple

    def read(self, path, text=(), target=None):
        """The table in a file, and its cells as they stand there: two frames.

        Columns in `text`, and the target, are read as text.
        """
        from widemargin.tables.files import read_table

        options = {"text": text, "target": target, "keep_cells": True}
        return read_table(path, **options, **vars(self))


@dataclass(frozen=True)
class ColumnUses:
    """What the user wants columns to be used as."""

    numeric: tuple
    categorical: tuple
    text: tuple
    dates: tuple
    drop: tuple


def _gathered(cls, name, *options):
    """A decorator that adds options and passes them on as one object."""

    def decorate(function):
        @functools.wraps(function)
        def gather(**values):
            fields = {key: values.pop(key) for key in cls.__dataclass_fields__}
            return function(**{name: cls(**fields)}, **values)

        return add_options(*options)(gather)

    return decorate


def add_options(*options):
    """A decorator that adds options to a command, in this order."""

    def decorate(function):
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


def _columns(text, *names):
    return click.option(*names, metavar="COLUMN", multiple=True, help=text)


_DECIMAL = click.Choice([".", ","])
_SEEDS = click.IntRange(0, 2**32 - 1)
reading_options = _gathered(
    Reading,
    "reading",
    click.option(
        "--format",
        "file_format",
        type=click.Choice(FORMATS),
        help="Format of the table if its file ending does not show it; csv for stdin.",
    ),
    click.option(
        "--separator", help="Character between two cells, such as ';' or '\\t'."
    ),
    click.option("--decimal", type=_DECIMAL, default=".", help="Decimal separator."),
    click.option("--encoding", default="utf-8", help="Text encoding."),
    click.option(
        "--missing",
        multiple=True,
        help="Text that marks a missing cell, such as '?'. Empty cells, NA, NaN and "
        "null are always missing.",
    ),
)
column_options = _gathered(
    ColumnUses,
    "uses",
    _columns("Use a column as numbers even if it looks like an ID.", "--numeric"),
    _columns("Use a column as categories even if it holds numbers.", "--categorical"),
    _columns("Use the words of a column as features.", "--text"),
    _columns("Read a column as dates.", "--dates"),
    _columns("Leave out a column.", "--drop"),
)
day_option = click.option(
    "--day-first/--month-first",
    default=None,
    help="Whether 1/2/2024 is 1 February or January 2. By default, other dates "
    "of the column decide. If they do not, the month comes first, and a note says so.",
)
key_option = click.option(
    "--id",
    "key",
    metavar="COLUMN",
    help="Column that identifies rows. It is not a feature, and only this column is "
    "written beside the predictions, instead of the whole table.",
)
force_option = click.option("--force", is_flag=True, help="Overwrite existing files.")
seed_option = click.option("--seed", type=_SEEDS, default=0, help="Random seed.")


def set_option(text):
    """The option --set, which may be given several times."""
    pairs = {"metavar": "NAME=VALUE", "multiple": True}
    return click.option("--set", "settings", help=text, **pairs)


def method_options(task, example):
    """The options --method and --set."""
    names = {"metavar": "METHOD", "default": DEFAULTS[task]}
    method = click.option("--method", help="One of the methods above.", **names)
    return add_options(
        method, set_option(f"Parameter of the method, such as {example}.")
    )


def output_options(model, table, content):
    """The options --out and --predictions, with the endings of default names."""
    text = f"File of the model. By default it is named after TABLE: iris{model}."
    out = click.option("--out", metavar="MODEL", help=text)
    text = (
        f"File of the table with {content} (CSV, TSV, Parquet or Excel, by its "
        f"ending). By default: iris{table}."
    )
    predictions = click.option("--predictions", metavar="FILE", help=text)
    return add_options(out, predictions)
