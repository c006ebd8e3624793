"""``widemargin demo``: the methods on bundled data."""

import click

from widemargin.cli.commands import Command, print_json
from widemargin.cli.options import force_option

_HELP = """Fit all methods on bundled data: 20 labels of 1,797 digits.

Prints a table of their accuracy and draws a picture of it, which needs matplotlib:
pip install 'widemargin[plots]'.

\b
widemargin demo
widemargin demo digits.png
widemargin demo --json
"""


@click.command(cls=Command, help=_HELP)
@click.argument("picture", default="widemargin-demo.png")
@force_option
def command(picture, force, as_json):
    """Fit all methods on bundled data."""
    from widemargin import demo
    from widemargin.cli.outputs import Output

    if as_json:
        print_json({"methods": _outcomes()})
        return
    output = Output(picture, force)
    output.check_no_folder()
    demo.check_picture(picture)
    output.check()
    demo.main(picture)


def _outcomes():
    """Accuracy and seconds of each method; no picture."""
    from sklearn.datasets import load_digits

    from widemargin import demo
    from widemargin.datasets import hide_labels

    X, y = load_digits(return_X_y=True)
    outcomes = demo.run(X / 16.0, y, hide_labels(y, demo.N_LABELED, rng=0))
    return {
        outcome.name: {"accuracy": outcome.accuracy, "seconds": outcome.seconds}
        for outcome in outcomes
    }
