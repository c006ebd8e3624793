"""``widemargin predict``: labels of new rows."""

from pathlib import Path

import click

from widemargin.cli.commands import (
    Command,
    force_option,
    key_option,
    reading_options,
)

_HELP = """Predict the labels of new rows with a model from a file.

TABLE is a CSV, TSV, Parquet, Excel or NPZ file, a folder of Parquet files, or '-' for
stdin, with the columns that the model was fitted on; other columns are ignored. A
folder is read and written in batches, and needs --out with the name of a Parquet file.
The output is your table with these columns added: the label, its probability, the
probability of each class, and "review", which is "uncertain" for labels that a person
should check. For a clustering model, the only new column is the cluster. In text
output, an apostrophe precedes labels that a spreadsheet would run as a formula.

\b
widemargin predict iris.wm new.csv
widemargin predict iris.wm new.csv --out labels.csv
cat new.csv | widemargin predict iris.wm - | head
widemargin predict iris.wm new.csv --json | jq .predictions
"""


@click.command(
    cls=Command, help=_HELP, no_args_is_help=True, success="all rows were predicted"
)
@click.argument("model_path", metavar="MODEL")
@click.argument("path", metavar="TABLE")
@click.option(
    "--out",
    metavar="FILE",
    help="File of the predictions (CSV, TSV, Parquet or Excel, by its ending). By "
    "default, and for '-', CSV on stdout.",
)
@key_option
@force_option
@reading_options
def predict(model_path, path, out, key, force, reading, as_json):
    """Predict the labels of new rows."""
    from widemargin.cli import inputs, reports
    from widemargin.cli.features import (
        count_unread,
        describe_unread,
        features_of,
        text_columns_of,
        with_decimal,
    )
    from widemargin.cli.fitting import join_table, load_model, tabulate_new
    from widemargin.cli.outputs import plan_table
    from widemargin.tables.errors import check_columns
    from widemargin.tables.files import describe_path

    if as_json and out == "-":
        raise ValueError(
            "--json and --out - both write to stdout; give --out the name of a file, "
            "or leave it out to get the predictions in the JSON."
        )
    inputs.refuse_images_and_texts(path, "predict", reading.file_format)
    file = plan_table(out or "-", force, (path, model_path))
    model = load_model(model_path, "; the MODEL comes first, then the table")
    name = describe_path(path)
    if Path(path).is_dir():
        from widemargin.cli import folders  # needs pyarrow

        folders.check_output(file, path)
        with reports.progress_bar(f"Predicting {path}") as advance:
            counts, unread = folders.predict_folder(
                model, path, file, reading, key, advance
            )
        outcome = {"notes": describe_unread(unread)}
        _report(name, counts, file, model_path, path, as_json, **outcome)
        return
    text = text_columns_of(model, reading.decimal)
    frame, cells = reading.read(path, text=text)
    if key is not None:
        check_columns([key], frame, name)
    features = features_of(with_decimal(frame, model, reading.decimal), model, name)
    notes = describe_unread(count_unread(features, model))
    file.check()
    found = tabulate_new(model, features)
    counts = reports.count_labels(found.iloc[:, 0])
    found, ours = join_table(cells, found, key)
    if as_json and file.is_stdout:
        file.check()
        filled = found.astype(object).where(found.notna(), None)  # JSON has no NaN
        predictions = filled.to_dict(orient="records")
    else:
        file.write_table(found, guarded=ours[:1])  # labels of the model, not the user
        predictions = file.path
    outcome = {"notes": notes, "predictions": predictions}
    _report(name, counts, file, model_path, path, as_json, **outcome)


def _report(name, counts, file, model_path, path, as_json, *, notes, predictions=None):
    """Print how many rows were predicted, and where they are."""
    from widemargin.cli import reports

    is_quiet, n_rows = as_json or file.is_stdout, sum(counts.values())
    facts = [
        ("table", f"{name}, {reports.plural(n_rows, 'row')}"),
        *(("note", note) for note in notes),
        ("predicted", reports.describe_counts(counts)),
        ("predictions", file.describe()),
    ]
    reports.print_facts(reports.open_console(quiet=is_quiet), facts)
    for note in notes if is_quiet else ():
        reports.print_error(f"Note: {note}")
    if as_json:
        outcome = {
            "model": model_path,
            "table": path,
            "rows": n_rows,
            "counts": counts,
            "notes": notes,
        }
        predictions = file.path if predictions is None else predictions
        reports.print_json({**outcome, "predictions": predictions})
