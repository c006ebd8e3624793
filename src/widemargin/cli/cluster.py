"""``widemargin cluster``: groups in a table without labels."""

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

_HELP = """Find groups in a table without labels.

TABLE is a CSV, TSV, Parquet or NPZ file, or '-' for stdin. All columns are used; leave
out those that should not count, such as known labels, with --drop.

\b
widemargin cluster iris.csv -k 3 --drop species
widemargin cluster iris.csv -k 3 --out groups.wm --predictions groups.csv
widemargin cluster - -k 3 --predictions - < table.csv

\b
Methods:
{methods}
"""


@click.command(cls=Command, task="cluster", help=_HELP, no_args_is_help=True)
@click.argument("table")
@click.option(
    "-k",
    "--clusters",
    "n_clusters",
    metavar="K",
    type=click.IntRange(2),
    required=True,
    help="Number of clusters.",
)
@method_options("cluster", "n_jobs=2 or ambient_reg=0.1")
@click.option(
    "--out",
    metavar="MODEL",
    help="File of the model. By default it has the name of TABLE, such as "
    "iris-clusters.wm, or table-clusters.wm for stdin.",
)
@click.option(
    "--predictions",
    metavar="FILE",
    help="Table of the clusters (CSV, TSV or Parquet), '-' for stdout. By default such "
    "as iris-clusters.csv, or table-clusters.csv for stdin.",
)
@force_option
@column_options
@reading_options
@seed_option
def command(
    table,
    n_clusters,
    method,
    settings,
    out,
    predictions,
    force,
    seed,
    as_json,
    uses,
    reading,
):
    """Find groups in a table without labels."""
    from widemargin.cli import fitting, methods, reports
    from widemargin.cli.outputs import plan_outputs

    offer = methods.find_offer(method, "cluster")
    settings = methods.parse_settings(settings)
    estimator = offer.make(seed, settings, n_clusters=n_clusters)
    endings = "-clusters.wm", "-clusters.csv"
    outputs = plan_outputs(
        table, endings, out, predictions, force=force, as_json=as_json
    )
    console = reports.open_console(stderr=outputs.table.is_stdout, quiet=as_json)
    sample = fitting.read_sample(table, None, reading, uses)
    if n_clusters > len(sample.X):
        raise ValueError(
            f"-k must be at most the number of rows of {sample.name}, "
            f"{len(sample.X):,}, got {n_clusters:,}."
        )
    reports.print_facts(console, reports.describe_table(sample))

    with reports.progress_bar(f"Finding {n_clusters} clusters"):
        model = fitting.make_pipeline(sample, estimator).fit(sample.X)
    found = fitting.tabulate_clusters(estimator.labels_)
    outputs.write(model, found)

    counts = reports.count_labels(found["cluster"])
    facts = [("clusters", reports.describe_counts(counts)), *outputs.describe(model)]
    reports.print_facts(console, facts)
    if as_json:
        facts = reports.table_as_json(table, sample)
        print_json({**facts, "clusters": counts, **outputs.as_json()})
