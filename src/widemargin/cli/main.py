"""All commands; the module of a command is imported when it is needed."""

import contextlib
import sys
from importlib import import_module
from importlib.metadata import entry_points

import click

from widemargin._version import __version__
from widemargin.cli.signals import (
    as_interrupts,
    exit_if_unread,
    exit_interrupted,
    restoring_interrupts,
)

COMMANDS = {
    "fit": "widemargin.cli.fit",
    "predict": "widemargin.cli.predict",
    "cluster": "widemargin.cli.fit",
    "inspect": "widemargin.cli.inspect",
    "label": "widemargin.cli.label",
}
GROUP = "widemargin.commands"  # entry points by which other packages add commands
BENCHMARKS = {  # commands of a package that may not be installed
    "bench": "Measure the papers' tables (pip install ./benchmarks).",
    "demo": "Classify 1,797 digits with 20 labels (pip install ./benchmarks).",
}
_ADVICE = {  # names that a user may expect
    "update": "There is no command update. After labeling rows in the table, run "
    "widemargin fit with the same options and --force.",
}
_NO_BENCH = (
    "The benchmarks and the demonstration are a separate package. To install it, run\n"
    "    pip install ./benchmarks\nin the repository of widemargin."
)


class Commands(click.Group):
    """The commands of the library, and those of other packages."""

    def main(self, *args, **kwargs):
        """Run a command line: what a terminal cannot show is printed as an escape."""
        for stream in (sys.stdout, sys.stderr):
            if hasattr(stream, "reconfigure"):  # it may be closed, or a test's own
                stream.reconfigure(errors="backslashreplace")
        with as_interrupts():
            try:
                return super().main(*args, **kwargs)
            except BrokenPipeError:  # while click printed an error
                exit_if_unread()
                raise

    def list_commands(self, ctx):
        """Names: those of the library first, in the order of the table."""
        return [*COMMANDS, *sorted({*_found_commands(), *BENCHMARKS})]

    def get_command(self, ctx, name):
        """The command of that name, None if there is none."""
        if name in COMMANDS:
            return getattr(import_module(COMMANDS[name]), name)
        found = _found_commands()
        if name in found:
            return _load(found[name])
        if name in _ADVICE:
            return _refusing(name, "", _ADVICE[name])
        missing = BENCHMARKS.get(name)
        return None if missing is None else _refusing(name, missing, _NO_BENCH)

    def make_context(self, *args, **kwargs):
        """Parse what precedes the command; a help page imports all commands."""
        with _readable_errors():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx):
        """Import a command and run it."""
        with _readable_errors():
            return super().invoke(ctx)


def _found_commands():
    """Entry points of other packages by name; the library's own names win."""
    found = {point.name: point for point in entry_points(group=GROUP)}
    return {name: point for name, point in found.items() if name not in COMMANDS}


def _load(point):
    """The command of an entry point; one that refuses if it cannot be imported."""
    try:
        return point.load()
    except (ImportError, AttributeError) as problem:
        what = f"{point.value} of the command {point.name}"
        advice = f"{what} cannot be loaded: {problem}."
        return _refusing(point.name, "(cannot be loaded)", advice)


def _refusing(name, summary, advice):
    """A command that takes any arguments and only says why it does not run."""
    settings = {"ignore_unknown_options": True}

    @click.command(name, short_help=summary, help=advice, context_settings=settings)
    @click.argument("words", nargs=-1, metavar="...")
    def refuse(words):
        raise click.UsageError(advice)

    return refuse


@contextlib.contextmanager
def _readable_errors():
    """An interrupt at any time is one line; errors are as wide as the terminal."""
    try:
        with restoring_interrupts():
            yield
    except KeyboardInterrupt:
        exit_interrupted("Interrupted; no file is half-written.")
    except BrokenPipeError as error:
        exit_if_unread()  # such as `head`
        # click takes every broken pipe for that of the output, and prints nothing
        raise click.ClickException(f"Internal error ({error!r}).") from error
    except click.ClickException as error:
        from widemargin.cli.reports import wrap

        title = "Error: "  # that click puts before it
        lines = wrap(title + error.format_message()).removeprefix(title)
        error.format_message = lambda: lines
        raise


@click.command(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="widemargin %(version)s")
def main():
    """Learn from few labels, or none."""
