"""``widemargin fit`` and ``widemargin cluster``: a model from a table."""

import contextlib
from pathlib import Path
from types import SimpleNamespace

import click

from widemargin.cli import commands
from widemargin.cli.commands import Command

_FIT = """Fit a model on a table in which only some rows are labeled.

TABLE is a CSV, TSV, Parquet, Excel or NPZ file, a folder of Parquet files, or '-' for
stdin. Rows with an empty cell in the target column are unlabeled. Numbers, amounts and
dates are scaled, categories are one-hot encoded, free text becomes TF-IDF weights, and
missing values are imputed. This preprocessing is stored with the model.

\b
widemargin fit iris.csv --target species
widemargin fit iris.csv --target species --method label-search --out iris.wm
widemargin fit - --target y --predictions - < table.csv > predictions.csv
widemargin fit iris.csv --target species --json | jq .report.label_next
widemargin fit folder --target species --predictions labels.parquet

A folder is read in batches and may be larger than the memory. Columns are then examined
on a part of its rows, and predictions are written as Parquet.

\b
Methods:
{methods}

If the method averages candidates, the report shows the weight of each, the estimated
error on new rows, and the rows to label next. Row 1 is the first row below the header.

The predictions are your table with these columns added: the label, its probability, the
probability of each class, whether the label was given or inferred, and which rows to
review: those to label next, suspect labels, and uncertain ones.
"""
_CLUSTER = """Find groups in a table without labels.

TABLE is a CSV, TSV, Parquet, Excel or NPZ file, or '-' for stdin. All columns are
features, except those that you leave out with --drop, such as known labels.

\b
widemargin cluster iris.csv -k 3 --drop species
widemargin cluster iris.csv -k auto --drop species
widemargin cluster iris.csv -k auto --drop species --set outliers=auto
widemargin cluster iris.csv -k 3 --out groups.wm --predictions groups.csv
widemargin cluster - -k 3 --predictions - < table.csv

\b
Methods:
{methods}
"""
_FIT_ENDINGS = ".wm", "-predictions.csv"
_FOLDER_ENDINGS = ".wm", "-predictions.parquet"
_CLUSTER_ENDINGS = "-clusters.wm", "-clusters.csv"
_SETTINGS = {"no_args_is_help": True, "success": "all files were written"}


class _Number(click.IntRange):
    """A number of clusters, or "auto"."""

    name = "number or auto"

    def __init__(self):
        super().__init__(2)

    def convert(self, value, param, ctx):
        """The number, or the word."""
        if str(value).lower() == "auto":
            return "auto"
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            self.fail(f"must be a whole number from 2 on, or auto, got {value!r}.")


def _begin(task, path, target, endings, as_json, options, **parameters):
    """What both commands begin with: check what the user typed, and read the table."""
    from widemargin.cli import fitting, inputs, methods, outputs, reports

    if task == "classify":
        form = options["reading"].file_format
        inputs.refuse_images_and_texts(path, "fit", form)
    settings = methods.parse_settings(options["settings"])
    offer = methods.find_offer(options["method"], task)
    estimator = offer.make(options["seed"], settings, **parameters)
    names = {key: options[key] for key in ("out", "predictions", "force")}
    is_folder = task == "classify" and Path(path).is_dir()
    endings = _FOLDER_ENDINGS if is_folder else endings
    files = outputs.plan_outputs(path, endings, **names, as_json=as_json)
    console = reports.open_console(stderr=files.table.is_stdout, quiet=as_json)
    reading, uses, blocks = options["reading"], options["uses"], None
    examining = {key: options[key] for key in ("key", "day_first")}
    if is_folder:
        from widemargin.cli import folders  # needs pyarrow

        folders.check_options(estimator, options)
        folders.check_output(files.table, path)
        with reports.progress_bar(f"Reading {path}"):
            blocks, table = folders.read_folder(
                path, target, reading, uses, options["seed"], **examining
            )
    else:
        table = fitting.read_table(
            path, target, reading, uses, options.get("labels"), **examining
        )
        if target is not None and table.is_random is None and _uses_random(estimator):
            table = fitting.recall_proposed(
                table, files.model.path if options["force"] else None
            )
        is_replaced = options["force"] and Path(files.table.path).is_file()
        if target is not None and is_replaced:
            fitting.check_labels_elsewhere(table, files.table.path, reading.missing)
    parts = {"offer": offer, "settings": settings, "estimator": estimator}
    parts |= {"blocks": blocks, "table": table}
    return SimpleNamespace(**parts, outputs=files, console=console)


def _uses_random(estimator):
    """Whether an estimator can tell labels of random rows from others."""
    from sklearn.utils.validation import has_fit_parameter

    return has_fit_parameter(estimator, "random_labels")


@click.command(cls=Command, task="classify", help=_FIT, **_SETTINGS)
@click.argument("path", metavar="TABLE")
@click.option(
    "--target", metavar="COLUMN", required=True, help="Column with the labels."
)
@click.option(
    "--labels",
    metavar="FILE",
    help="Use the labels that widemargin label stored in this file, such as "
    "iris-labels.sqlite, instead of those in the target column.",
)
@commands.method_options("classify", "budget=thorough, n_jobs=2 or kernel__gamma=0.1")
@commands.output_options(*_FIT_ENDINGS, "predictions")
@click.option(
    "--folds",
    type=click.IntRange(0),
    metavar="N",
    help="Number of cross-validation folds, 0 for none. By default 5, or 0 if the "
    "method holds out labels itself.",
)
@click.option("--verbose", is_flag=True, help="Show progress on stderr.")
@commands.key_option
@commands.force_option
@commands.column_options
@commands.day_option
@commands.reading_options
@commands.seed_option
def fit(path, target, folds, verbose, as_json, **options):
    """Fit a model on a table."""
    from widemargin.cli import fitting, methods, reports

    if folds and Path(path).is_dir():
        raise ValueError("--folds needs one table, not a folder; leave it out.")
    if folds == 1:
        raise ValueError("--folds must be 0, for no estimate, or at least 2, got 1.")
    work = _begin("classify", path, target, _FIT_ENDINGS, as_json, options)
    table, estimator, declared = work.table, work.estimator, work.offer.method
    if declared.needs_unlabeled:
        fitting.check_unlabeled(table, target, methods.list_offers("classify"))
    fitting.name_irrelevant(estimator, table, options["settings"])
    methods.check_settings(estimator, work.settings)
    work.outputs.check()
    holds_out = declared.n_folds == 0
    facts = reports.describe_table(table, target, notes_few_labels=not holds_out)
    reports.print_facts(work.console, facts)
    folds = declared.n_folds if folds is None else folds
    n_folds = 0 if work.blocks else fitting.plan_folds(table, estimator, folds)
    is_default = holds_out and "verbose" not in work.settings and reports.is_watched()
    prints, title = verbose or is_default, f"Fitting {declared.name}"
    printing = reports.verbosely(estimator) if prints else contextlib.nullcontext()
    with printing, reports.progress_bar(title, n_folds + 1) as advance:
        if work.blocks is None:
            model, measured = fitting.fit_and_estimate(
                table,
                estimator,
                n_folds=n_folds,
                seed=options["seed"],
                advance=advance,
            )
        else:
            model, measured = _fit_folder(work)
    if work.blocks is None:
        inferred, cells, labels, review = _write_table(work, model, options["key"])
    else:
        inferred, cells, labels = _write_folder(work, model, path, options["key"])
        review = "review"
    report, facts = _read_report(model, table, cells, labels), []
    if report:
        facts += reports.describe_report(report, cells[table.shown_columns])
    if folds or not report:
        facts += _describe_estimate(measured, declared.name, folds)
    facts.append(("inferred", reports.describe_counts(inferred) or "0 rows"))
    facts += work.outputs.describe(model, table.n_rows)
    is_table = options["labels"] is None and not Path(path).is_dir()
    if report and report["label_next"] and is_table:
        facts.append(("next", _describe_next(path, target, work.outputs, review)))
    reports.print_facts(work.console, facts)
    if as_json:
        outcome = {
            **reports.table_as_json(path, table, target),
            "method": declared.name,
            "estimate": measured and measured.as_json(),
            "report": report,
            "inferred": inferred,
            **work.outputs.as_json(),
        }
        reports.print_json(outcome)


def _read_report(model, table, cells, labels):
    """The report of a model with names of rows, as JSON; None if it has none."""
    from widemargin.cli import reports

    report, key = getattr(model[-1], "report_", None), table.naming_column
    if not report:
        return None
    keys = None if key is None else cells[key]
    return reports.name_rows(reports.report_as_json(report), labels, keys)


def _write_table(work, model, key):
    """Write the files of one table: counts, cells, labels, the column to review."""
    from widemargin.cli import fitting, reports

    found = fitting.tabulate_training(work.table, model)
    joined, names = fitting.join_table(work.table.cells, found, key)
    work.outputs.write(model, joined)
    inferred = reports.count_labels(found["label"][found["source"] == "inferred"])
    return inferred, work.table.cells, found["label"], names[-1]


def _describe_next(path, target, outputs, review):
    """Where a person finds the rows to label, and where their labels belong."""
    table = "the table" if path == "-" else path
    return (
        f"the column {review!r} of {outputs.table.describe()} marks the rows to label "
        f"next; fill in {target!r} in {table}, and run the command again with --force"
    )


def _fit_folder(work):
    """The model of a folder, without an estimate by folds."""
    from widemargin.cli import folders

    return folders.fit_blocks(work.blocks, work.table, work.estimator), None


def _write_folder(work, model, path, key):
    """Write the model and predictions of a folder, see `folders.write_training`."""
    from widemargin.cli import folders, reports

    work.outputs.write_model(model)
    n_files = len(work.blocks.files)
    with reports.progress_bar(f"Predicting {path}", n_files) as advance:
        return folders.write_training(
            work.blocks, model, work.outputs.table, key, advance
        )


def _describe_estimate(measured, method, n_wanted):
    from widemargin.cli.fitting import BASELINE

    if measured is None:
        needs = "it takes two classes with at least two labeled rows each"
        return [("estimate", f"none: {needs if n_wanted else 'no folds'}")]

    def share(n_right):
        return f"{n_right:,} rows correct ({100 * n_right / measured.n_rows:.1f} %)"

    n_folds, fewer = measured.n_folds, ""
    if n_folds < n_wanted:  # see `limit_folds`
        fewer = f" (no class has more than {n_folds:,} labels)"
    rows = f"{measured.n_rows:,} labeled rows"
    return [
        ("estimate", f"{n_folds:,}-fold cross-validation on {rows}{fewer}:"),
        ("", f"{method}: {share(measured.n_right)}"),
        ("", f"{BASELINE}: {share(measured.n_right_baseline)}"),
    ]


def _refuse_target(_ctx, _param, value):
    if value is not None:
        raise click.UsageError(
            "Clusters need no labels: cluster has no option --target. If the table has "
            f"a column of labels, leave it out with --drop {value!r}."
        )


@click.command(cls=Command, task="cluster", help=_CLUSTER, **_SETTINGS)
@click.argument("path", metavar="TABLE")
@click.option(
    "-k",
    "--clusters",
    "n_clusters",
    type=_Number(),
    required=True,
    help="Number of clusters; auto chooses it, at most 12.",
)
@click.option("--target", hidden=True, callback=_refuse_target, expose_value=False)
@commands.method_options("cluster", "n_jobs=2 or ambient_reg=0.1")
@commands.output_options(*_CLUSTER_ENDINGS, "clusters")
@commands.key_option
@commands.force_option
@commands.column_options
@commands.day_option
@commands.reading_options
@commands.seed_option
def cluster(path, n_clusters, as_json, **options):
    """Find groups in a table without labels."""
    from widemargin.cli import fitting, profiles, reports

    k = {"n_clusters": n_clusters}
    work = _begin("cluster", path, None, _CLUSTER_ENDINGS, as_json, options, **k)
    table = work.table
    if n_clusters != "auto" and n_clusters > len(table.X):
        raise ValueError(
            f"-k must be at most the number of rows of {table.name}, "
            f"{len(table.X):,}, got {n_clusters:,}."
        )
    work.outputs.check()
    reports.print_facts(work.console, reports.describe_table(table))
    title = "their number" if n_clusters == "auto" else f"{n_clusters} clusters"
    with reports.progress_bar(f"Finding {title}"):
        model = fitting.make_pipeline(table, work.estimator).fit(
            table.X, encode__columns=table.columns
        )
    found = fitting.tabulate_clusters(work.estimator.labels_)
    joined, _ = fitting.join_table(table.cells, found, options["key"])
    work.outputs.write(model, joined)
    counts = reports.count_labels(found["cluster"])
    shown = {"no cluster" if name == "-1" else name: n for name, n in counts.items()}
    listed = reports.describe_counts(shown)
    choice = getattr(work.estimator, "number_choice_", None)
    if choice is not None:
        numbers = f"chosen from {min(choice.compared)} to {max(choice.compared)}"
        if choice.second is not None:
            numbers += f"; next best {choice.second}"
        listed = f"{work.estimator.n_clusters_} ({numbers}): {listed}"
    seen = model[0], table.X, found["cluster"].to_numpy()
    profile = profiles.profile_clusters(*seen)
    notes = [note] if (note := profiles.find_single_column(*seen)) else []
    lines = [("clusters", listed), *profiles.describe_profiles(profile)]
    lines += [("note", note) for note in notes]
    reports.print_facts(
        work.console, [*lines, *work.outputs.describe(model, table.n_rows)]
    )
    if as_json:
        facts = reports.table_as_json(path, table)
        facts["notes"] += notes
        facts |= {"clusters": counts, "profiles": profile}
        reports.print_json({**facts, **work.outputs.as_json()})
