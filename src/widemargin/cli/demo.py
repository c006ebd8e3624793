"""``widemargin demo``: the default method on bundled data."""

import click

from widemargin.cli.commands import Command, force_option, print_json, set_option

_HELP = """Classify bundled data: 20 labels of 1,797 digits.

Prints the accuracy of FewLabelClassifier, of the candidates that it averages, and of an
SVC on the labels alone. Also draws a picture of it, which needs matplotlib:
pip install 'widemargin[plots]'.

\b
widemargin demo
widemargin demo digits.png
widemargin demo --json
"""


@click.command(cls=Command, help=_HELP)
@click.argument("picture", default="widemargin-demo.png")
@set_option("Parameter of FewLabelClassifier, such as n_jobs=2.")
@force_option
def demo(picture, settings, force, as_json):
    """Classify bundled data."""
    from widemargin import demo
    from widemargin.cli.methods import DEFAULTS, find_offer, parse_settings
    from widemargin.cli.outputs import Output
    from widemargin.cli.reports import progress_bar, report_as_json

    output = Output(picture, force)
    if not as_json:
        output.check()
        demo.check_picture(picture)
    offer = find_offer(DEFAULTS["classify"], "classify")
    classifier = offer.make(0, parse_settings(settings))
    if not as_json:
        demo.main(picture, classifier)
        return
    with progress_bar(demo.WORK):
        outcomes, report = demo.run(demo.load_data(), classifier)
    methods = {
        outcome.name: {"accuracy": outcome.accuracy, "seconds": outcome.seconds}
        for outcome in outcomes
    }
    print_json({"methods": methods, "report": report_as_json(report)})
