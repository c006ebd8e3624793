"""Options that several commands have."""

import functools
from dataclasses import dataclass

import click

from widemargin.tables.formats import FORMATS


@dataclass(frozen=True)
class Reading:
    """How a table is read."""

    file_format: str | None
    separator: str | None
    decimal: str
    encoding: str
    missing: tuple

    def read(self, path, text=()):
        """The table in a file; columns in `text` are read as text."""
        from widemargin.tables.reading import read_table

        return read_table(
            path,
            file_format=self.file_format,
            separator=self.separator,
            decimal=self.decimal,
            encoding=self.encoding,
            missing=self.missing,
            text=text,
        )


@dataclass(frozen=True)
class Choices:
    """What columns are used as, where the user says so."""

    numeric: tuple
    categorical: tuple
    dropped: tuple


def _gathered(cls, name, options):
    """A decorator that adds options and passes them on as one object."""

    def decorate(function):
        @functools.wraps(function)
        def gather(**values):
            fields = {key: values.pop(key) for key in cls.__dataclass_fields__}
            return function(**{name: cls(**fields)}, **values)

        for option in reversed(options):
            gather = option(gather)
        return gather

    return decorate


reading_options = _gathered(
    Reading,
    "reading",
    [
        click.option(
            "--format",
            "file_format",
            type=click.Choice(FORMATS),
            help="Format of TABLE, where its name does not tell; csv for '-'.",
        ),
        click.option(
            "--separator",
            metavar="TEXT",
            callback=lambda _, __, text: "\t" if text == r"\t" else text,
            help="What separates the cells of a line, such as ';'.",
        ),
        click.option(
            "--decimal",
            type=click.Choice([".", ","]),
            default=".",
            show_default=True,
            help="What stands before the fraction of a number.",
        ),
        click.option(
            "--encoding",
            metavar="NAME",
            default="utf-8",
            show_default=True,
            help="Encoding of a text file, such as latin-1.",
        ),
        click.option(
            "--missing",
            metavar="TEXT",
            multiple=True,
            help="Text that marks a missing cell, such as '?', besides an empty one, "
            "NA, NaN and null.",
        ),
    ],
)

column_options = _gathered(
    Choices,
    "choices",
    [
        click.option(
            "--numeric",
            metavar="COLUMN",
            multiple=True,
            help="Use it as numbers, even if it looks like an identifier.",
        ),
        click.option(
            "--categorical",
            metavar="COLUMN",
            multiple=True,
            help="Use its values as names, even if they are numbers or many.",
        ),
        click.option(
            "--drop",
            "dropped",
            metavar="COLUMN",
            multiple=True,
            help="Leave it out.",
        ),
    ],
)

force_option = click.option("--force", is_flag=True, help="Replace existing files.")
seed_option = click.option(
    "--seed",
    type=click.IntRange(0, 2**32 - 1),
    metavar="N",
    default=0,
    show_default=True,
    help="Seed of all that is drawn by chance.",
)
