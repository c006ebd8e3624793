"""``widemargin inspect``: what a model file holds."""

import os

import click

from widemargin.cli import reports
from widemargin.cli.commands import Command

_HELP = """Show what a model file contains.

The command runs no code from the file: before it builds any object, it checks all types
against a list.

\b
widemargin inspect iris.wm
widemargin inspect iris.wm --json | jq -r '.columns.numbers[]'
"""


@click.command(
    cls=Command, help=_HELP, no_args_is_help=True, success="the file can be read"
)
@click.argument("model_path", metavar="MODEL")
def inspect(model_path, as_json):
    """Show what a model file contains."""
    from widemargin.cli.fitting import load_model

    facts = model_as_json(model_path, load_model(model_path))
    reports.print_facts(reports.open_console(quiet=as_json), describe_model(facts))
    if as_json:
        reports.print_json(facts)


def model_as_json(path, model):
    """Estimator, classes, columns and parameters of a fitted model, as a dict."""
    from widemargin.cli.features import columns_of
    from widemargin.estimators._estimator import last_step
    from widemargin.model_files.parts import describe_privacy

    estimator = last_step(model)
    columns = columns_of(model) or []
    classes = getattr(estimator, "classes_", None)
    result, report = (getattr(estimator, key, None) for key in ("result_", "report_"))
    given = estimator.get_params(deep=False)
    privacy = describe_privacy(model)
    kinds = reports.by_kind(columns)
    if columns and not kinds["categories"] and not kinds["text"]:
        privacy = describe_privacy(estimator)
        privacy += " Its preprocessing contains column statistics."
    return {
        "file": path,
        "bytes": os.path.getsize(path),
        "estimator": type(estimator).__name__,
        "made_by": " ".join(repr(estimator).split()),
        "classes": None if classes is None else classes.tolist(),
        "clusters": getattr(estimator, "n_clusters_", None),
        "columns": kinds,
        "columns_in": int(getattr(model, "n_features_in_", 1)),  # one of texts
        "features": int(estimator.n_features_in_),
        "status": result and result.status.value,
        "report": report and reports.report_as_json(report),
        "parameters": {key: given[key] for key in given if given[key] is not None},
        "privacy": privacy,
    }


def describe_model(facts):
    """The same as pairs of a name and a text."""
    yield "file", f"{facts['file']}, {reports.plural(facts['bytes'], 'byte')}"
    yield "estimator", facts["made_by"]
    if facts["classes"] is not None:
        names = reports.shorten(map(str, facts["classes"]))
        yield "classes", f"{len(facts['classes'])}: {names}"
    else:
        yield "clusters", str(facts["clusters"])
    yield from reports.describe_kinds(facts["columns"])
    if not any(facts["columns"].values()):
        yield "columns", f"{facts['columns_in']:,}, identified by their order"
    yield "features", f"{facts['features']:,}"
    if facts["status"] is not None:
        yield "fit", facts["status"]
    if facts["report"] is not None:
        yield from reports.describe_candidates(facts["report"])
        yield from reports.describe_label_next(facts["report"])
    yield "privacy", facts["privacy"]
