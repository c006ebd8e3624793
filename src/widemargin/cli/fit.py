"""``widemargin fit``: a model from a table with a few labels."""

import contextlib

import click

from widemargin.cli.commands import Command, print_json
from widemargin.cli.methods import (
    DEFAULT,
    METHODS,
    check_settings,
    describe_methods,
    parse_settings,
)
from widemargin.cli.options import (
    column_options,
    force_option,
    reading_options,
    seed_option,
)

_HELP = f"""Fit a model on a table in which only some rows are labeled.

TABLE is a CSV, TSV, Parquet or NPZ file, or '-' for standard input. Rows with an
empty cell in the target column are the unlabeled ones. Columns of numbers are scaled,
columns of few different texts are one-hot encoded, and what is missing is filled in;
all of that becomes part of the model.

\b
widemargin fit iris.csv --target species
widemargin fit iris.csv --target species --method label-search --out iris.wm
widemargin fit - --target y --predictions - < table.csv > predictions.csv
widemargin fit iris.csv --target species --json | jq .report.label_next
widemargin fit iris.csv --target species --set n_jobs=2

\b
Methods:
{describe_methods()}

With auto the report tells how far each candidate counts, the error to expect, and the
rows whose label would tell the most; rows are numbered from 1, below the header.

Predictions hold the label of each row, the model's probability of it, and whether it
was given or inferred. Exit code 0: all is written; 2: something about the table or the
options is wrong; 1: a mistake of ours.
"""


def _check_folds(ctx, option, folds):
    if folds == 1:
        raise click.BadParameter("must be 0, for no estimate, or at least 2, got 1.")
    return folds


@click.command(cls=Command, help=_HELP, no_args_is_help=True)
@click.argument("table")
@click.option("--target", metavar="COLUMN", required=True, help="Column of the labels.")
@click.option(
    "--method",
    type=click.Choice(list(METHODS)),
    metavar="METHOD",
    default=DEFAULT,
    show_default=True,
    help="One of those above.",
)
@click.option(
    "--set",
    "settings",
    metavar="NAME=VALUE",
    multiple=True,
    help="Parameter of the method, such as budget=thorough or n_jobs=2 (two "
    "candidates at a time) for auto, or gamma=0.1 for laplacian.",
)
@click.option(
    "--out",
    metavar="MODEL",
    help="File of the model; by default named after TABLE, such as iris.wm, and "
    "table.wm for standard input.",
)
@click.option(
    "--predictions",
    metavar="FILE",
    help="Table of the predictions (CSV, TSV or Parquet), '-' for standard output; by "
    "default such as iris-predictions.csv, and table-predictions.csv for standard "
    "input.",
)
@click.option(
    "--folds",
    type=click.IntRange(0),
    metavar="N",
    callback=_check_folds,
    help="Of the cross-validated estimate; 0 for none. By default 5, and none with "
    "auto, which holds out labels itself.",
)
@click.option(
    "--verbose",
    is_flag=True,
    help="Tell the progress on standard error, with auto a line for each candidate; "
    "auto always does so on a terminal.",
)
@force_option
@column_options
@reading_options
@seed_option
def command(
    table,
    target,
    method,
    settings,
    out,
    predictions,
    folds,
    verbose,
    force,
    seed,
    as_json,
    choices,
    reading,
):
    """Fit a model on a table."""
    from widemargin.cli import fitting, reports
    from widemargin.cli.few_labels import describe_report, report_as_json, report_of
    from widemargin.cli.outputs import plan_outputs
    from widemargin.cli.table_facts import describe_table, table_as_json

    settings = parse_settings(settings)
    machine = METHODS[method].make(seed, settings)
    endings = ".wm", "-predictions.csv"
    outputs = plan_outputs(
        table, endings, out, predictions, force=force, as_json=as_json
    )
    console = reports.open_console(stderr=outputs.table.is_stdout, quiet=as_json)
    sample = fitting.read_sample(table, target, reading, choices)
    if METHODS[method].needs_unlabeled:
        fitting.check_unlabeled(sample, target)
    check_settings(machine, settings)
    is_auto = method == DEFAULT
    facts = describe_table(sample, target, counts_labels=not is_auto)
    reports.print_facts(console, facts)

    folds = METHODS[method].n_folds if folds is None else folds
    n_folds = fitting.plan_folds(sample, machine, folds)
    is_told = verbose or (
        is_auto and "verbose" not in settings and reports.is_watched()
    )
    progress = reports.talking(machine) if is_told else contextlib.nullcontext()
    with progress, reports.follow(f"Fitting {method}", n_folds + 1) as tell:
        model, measured = fitting.fit_and_estimate(
            sample, machine, n_folds=n_folds, seed=seed, tell=tell
        )
    found = fitting.tabulate_training(sample, model)
    outputs.write(model, found)

    inferred = reports.count_labels(found["label"][found["source"] == "inferred"])
    report = report_of(model)
    report = report and report_as_json(report)
    facts = [
        *(describe_report(report) if report else ()),
        *(_describe_estimate(measured, method, folds) if folds or not report else ()),
        ("inferred", reports.describe_counts(inferred) or "nothing"),
        *outputs.describe(model),
    ]
    reports.print_facts(console, facts)
    if as_json:
        outcome = {
            **table_as_json(table, sample, target),
            "method": method,
            "estimate": measured and measured.as_json(),
            "report": report,
            "inferred": inferred,
            **outputs.as_json(),
        }
        print_json(outcome)


def _describe_estimate(measured, method, n_asked):
    from widemargin.cli.estimates import BASELINE

    if measured is None:
        needs = "two classes with two labeled rows or more are needed"
        reason = needs if n_asked else "no folds"
        return [("estimate", f"none: {reason}")]

    def share(n_right):
        return f"{n_right:,} ({100 * n_right / measured.n_rows:.1f} %)"

    fewer = " (labels allow no more)" if measured.n_folds < n_asked else ""
    rows = f"{measured.n_rows:,} labeled rows"
    return [
        ("estimate", f"{measured.n_folds}-fold cross-validation of {rows}{fewer}:"),
        ("", f"{share(measured.n_right)} are right by {method}"),
        ("", f"{share(measured.n_right_baseline)} are right by {BASELINE}"),
    ]
