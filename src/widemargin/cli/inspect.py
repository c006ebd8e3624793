"""``widemargin inspect``: what a model file holds."""

import click

from widemargin.cli.commands import Command, print_json

_HELP = """Show what a model file holds.

Nothing in the file is run: its types are checked against a list before anything is
made of them.

\b
widemargin inspect iris.wm
widemargin inspect iris.wm --json | jq -r '.columns.numbers[]'
"""


@click.command(cls=Command, help=_HELP, no_args_is_help=True)
@click.argument("model_path", metavar="MODEL")
def command(model_path, as_json):
    """Show what a model file holds."""
    from widemargin.cli.fitting import load_model
    from widemargin.cli.model_facts import describe_model, model_as_json
    from widemargin.cli.reports import open_console, print_facts

    facts = model_as_json(model_path, load_model(model_path))
    print_facts(open_console(quiet=as_json), describe_model(facts))
    if as_json:
        print_json(facts)
