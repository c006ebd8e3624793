"""What all commands share: --json, --debug, and errors in one sentence."""

import contextlib
import json
import os
import re
import traceback
import warnings

import click

from widemargin.cli.reports import print_error


class Failure(click.ClickException):
    """What was asked for cannot be done with what was given."""

    exit_code = 2


class Unexpected(click.ClickException):
    """A mistake of ours."""

    exit_code = 1


class Command(click.Command):
    """A command with --json and --debug, whose errors are one sentence."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.params += [
            click.Option(
                ["--json", "as_json"],
                is_flag=True,
                help="Print the outcome as JSON, and nothing else to standard output.",
            ),
            click.Option(["--debug"], is_flag=True, help="Show where an error arose."),
        ]

    def invoke(self, ctx):
        """Run the command; what is wrong with its input has exit code 2."""
        debug = ctx.params.pop("debug")
        try:
            with _warnings_as_notes():
                return super().invoke(ctx)
        except (click.ClickException, click.exceptions.Exit, BrokenPipeError):
            raise
        except Exception as error:
            if debug:
                traceback.print_exc()
            raise _in_one_sentence(error) from error


def print_json(outcome):
    """Print a dict for scripts."""
    click.echo(json.dumps(outcome, indent=2, ensure_ascii=False))


def _in_one_sentence(error):
    if isinstance(error, OSError) and error.errno:
        where = f"use {error.filename}" if error.filename else "write standard output"
        return Failure(f"Cannot {where}: {os.strerror(error.errno).lower()}.")
    if isinstance(error, MemoryError):
        return Failure(
            "There is not enough memory for so many rows; use fewer, or in fit "
            "--method laplacian --set n_landmarks=500."
        )
    if isinstance(error, ValueError | ImportError):
        return Failure(" ".join(str(error).split()))
    return Unexpected(
        f"Something unexpected happened ({type(error).__name__}: {error}). Run it "
        "again with --debug to see where."
    )


@contextlib.contextmanager
def _warnings_as_notes():
    """Each warning for users once, as a line on the standard error."""
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
        # nothing is kept here: the command ends
        kept = re.escape(Status.INTERRUPTED.value)
        warnings.filterwarnings("ignore", f"(?s).*{kept}")
        warnings.showwarning = show
        yield
