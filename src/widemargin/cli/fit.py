"""``widemargin fit``: a model from a table with a few labels."""

import contextlib

import click

from widemargin.cli.commands import (
    Command,
    column_options,
    force_option,
    method_options,
    print_json,
    reading_options,
    seed_option,
)

_HELP = """Fit a model on a table in which only some rows are labeled.

TABLE is a CSV, TSV, Parquet or NPZ file, or '-' for stdin. Rows with an empty cell in
the target column are unlabeled. Numeric columns are scaled, columns of few different
texts are one-hot encoded, and missing values are imputed. All of this becomes part of
the model.

\b
widemargin fit iris.csv --target species
widemargin fit iris.csv --target species --method label-search --out iris.wm
widemargin fit - --target y --predictions - < table.csv > predictions.csv
widemargin fit iris.csv --target species --json | jq .report.label_next
widemargin fit iris.csv --target species --set n_jobs=2

\b
Methods:
{methods}

If the method averages candidates, the report shows the weight of each, the expected
error of new rows, and the rows to label next. Rows are numbered from 1, below the
header.

The predictions hold the label of each row, its probability, and whether it was given
or inferred. Exit codes: 0 if all files are written; 2 if something is wrong with the
table or the options; 1 for an internal error (please report it).
"""


def _check_folds(ctx, option, folds):
    if folds == 1:
        raise click.BadParameter("must be 0, for no estimate, or at least 2, got 1.")
    return folds


@click.command(cls=Command, task="classify", help=_HELP, no_args_is_help=True)
@click.argument("table")
@click.option("--target", metavar="COLUMN", required=True, help="Column of the labels.")
@method_options("classify", "budget=thorough, n_jobs=2 or kernel__gamma=0.1")
@click.option(
    "--out",
    metavar="MODEL",
    help="File of the model. By default it has the name of TABLE, such as iris.wm, or "
    "table.wm for stdin.",
)
@click.option(
    "--predictions",
    metavar="FILE",
    help="Table of the predictions (CSV, TSV or Parquet), '-' for stdout. By default "
    "such as iris-predictions.csv, or table-predictions.csv for stdin.",
)
@click.option(
    "--folds",
    type=click.IntRange(0),
    metavar="N",
    callback=_check_folds,
    help="Folds of the cross-validated estimate, 0 for none. By default 5, or 0 if the "
    "method holds out labels itself.",
)
@click.option(
    "--verbose",
    is_flag=True,
    help="Show progress on stderr. A method that averages candidates always does so "
    "on a terminal.",
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
    uses,
    reading,
):
    """Fit a model on a table."""
    from widemargin.cli import fitting, methods, reports
    from widemargin.cli.outputs import plan_outputs

    settings = methods.parse_settings(settings)
    offer = methods.find_offer(method, "classify")
    estimator = offer.make(seed, settings)
    endings = ".wm", "-predictions.csv"
    outputs = plan_outputs(
        table, endings, out, predictions, force=force, as_json=as_json
    )
    console = reports.open_console(stderr=outputs.table.is_stdout, quiet=as_json)
    sample = fitting.read_sample(table, target, reading, uses)
    if offer.method.needs_unlabeled:
        fitting.check_unlabeled(sample, target, methods.list_supervised())
    methods.check_settings(estimator, settings)
    holds_out = offer.method.n_folds == 0
    facts = reports.describe_table(sample, target, notes_few_labels=not holds_out)
    reports.print_facts(console, facts)

    folds = offer.method.n_folds if folds is None else folds
    n_folds = fitting.plan_folds(sample, estimator, folds)
    shows_progress = verbose or (
        holds_out and "verbose" not in settings and reports.is_watched()
    )
    printing = contextlib.nullcontext()
    if shows_progress:
        printing = reports.verbosely(estimator)
    with printing, reports.progress_bar(f"Fitting {method}", n_folds + 1) as advance:
        model, measured = fitting.fit_and_estimate(
            sample, estimator, n_folds=n_folds, seed=seed, advance=advance
        )
    found = fitting.tabulate_training(sample, model)
    outputs.write(model, found)

    inferred = reports.count_labels(found["label"][found["source"] == "inferred"])
    report = reports.report_of(model)
    report = report and reports.report_as_json(report)
    facts = [
        *(reports.describe_report(report) if report else ()),
        *(_describe_estimate(measured, method, folds) if folds or not report else ()),
        ("inferred", reports.describe_counts(inferred) or "nothing"),
        *outputs.describe(model),
    ]
    reports.print_facts(console, facts)
    if as_json:
        outcome = {
            **reports.table_as_json(table, sample, target),
            "method": method,
            "estimate": measured and measured.as_json(),
            "report": report,
            "inferred": inferred,
            **outputs.as_json(),
        }
        print_json(outcome)


def _describe_estimate(measured, method, n_wanted):
    from widemargin.cli.fitting import BASELINE

    if measured is None:
        needs = "it takes two classes with at least two labeled rows each"
        return [("estimate", f"none: {needs if n_wanted else 'no folds'}")]

    def share(n_right):
        return f"{n_right:,} ({100 * n_right / measured.n_rows:.1f} %)"

    fewer = " (labels allow no more)" if measured.n_folds < n_wanted else ""
    rows = f"{measured.n_rows:,} labeled rows"
    return [
        ("estimate", f"{measured.n_folds}-fold cross-validation of {rows}{fewer}:"),
        ("", f"{share(measured.n_right)} correct by {method}"),
        ("", f"{share(measured.n_right_baseline)} correct by {BASELINE}"),
    ]
