"""All commands, each in a module of its own that is imported when it is needed."""

import contextlib
import sys
from importlib import import_module

import click

from widemargin._version import __version__

COMMANDS = {
    "fit": "widemargin.cli.fit",
    "predict": "widemargin.cli.predict",
    "cluster": "widemargin.cli.cluster",
    "inspect": "widemargin.cli.inspect",
    "demo": "widemargin.cli.demo",
    "bench": "widemargin.cli.bench",
}


_INTERRUPTED = 130  # as a shell says it


class Commands(click.Group):
    """Commands of the table above."""

    def list_commands(self, ctx):
        """Names, in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx, name):
        """The command of that name, None if there is none."""
        if name not in COMMANDS:
            return None
        return import_module(COMMANDS[name]).command

    def make_context(self, *args, **kwargs):
        """Read the words before the command; a page of help imports all commands."""
        with _told_to_readers():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx):
        """Import a command and run it."""
        with _told_to_readers():
            return super().invoke(ctx)


@contextlib.contextmanager
def _told_to_readers():
    """An interrupt at any time is one line; errors are as wide as the terminal."""
    try:
        yield
    except KeyboardInterrupt:
        click.echo("Interrupted; no file is half-written.", err=True)
        sys.exit(_INTERRUPTED)
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
