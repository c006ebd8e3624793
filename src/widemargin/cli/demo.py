"""``widemargin demo``: FewLabelClassifier on bundled data."""

import click

from widemargin.cli.commands import Command, print_json
from widemargin.cli.options import force_option

_HELP = """Classify bundled data: 20 labels of 1,797 digits.

Prints a table of the accuracy of FewLabelClassifier, of the machines that it weighs,
and of an SVC on the labels alone, and draws a picture of it, which needs matplotlib:
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
    """Classify bundled data."""
    from widemargin import demo
    from widemargin.cli.outputs import Output

    if as_json:
        print_json(_outcomes())
        return
    output = Output(picture, force)
    output.check_no_folder()
    demo.check_picture(picture)
    output.check()
    demo.main(picture)


def _outcomes():
    """Accuracy and seconds of each method, and the report; no picture."""
    from sklearn.datasets import load_digits

    from widemargin import demo
    from widemargin.cli.few_labels import report_as_json
    from widemargin.cli.reports import follow
    from widemargin.datasets import hide_labels

    X, y = load_digits(return_X_y=True)
    y_partial = hide_labels(y, demo.N_LABELED, rng=0)
    with follow(demo.WORK):
        outcomes, report = demo.run(X / 16.0, y, y_partial)
    methods = {
        outcome.name: {"accuracy": outcome.accuracy, "seconds": outcome.seconds}
        for outcome in outcomes
    }
    return {"methods": methods, "report": report_as_json(report)}
