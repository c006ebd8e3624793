"""``widemargin cluster``: groups in a table without labels."""

import click

from widemargin.cli.commands import Command, print_json
from widemargin.cli.options import (
    column_options,
    force_option,
    reading_options,
    seed_option,
)

_HELP = """Find groups in a table without labels.

TABLE is a CSV, TSV, Parquet or NPZ file, or '-' for standard input. All its columns
are looked at; leave out what should have no say, such as known labels, with --drop.

\b
widemargin cluster iris.csv -k 3 --drop species
widemargin cluster iris.csv -k 3 --out groups.wm --predictions groups.csv
widemargin cluster - -k 3 --predictions - < table.csv
"""


@click.command(cls=Command, help=_HELP, no_args_is_help=True)
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
@click.option(
    "--out",
    metavar="MODEL",
    help="File of the model; by default named after TABLE, such as iris-clusters.wm, "
    "and table-clusters.wm for standard input.",
)
@click.option(
    "--predictions",
    metavar="FILE",
    help="Table of the clusters (CSV, TSV or Parquet), '-' for standard output; by "
    "default such as iris-clusters.csv, and table-clusters.csv for standard input.",
)
@force_option
@column_options
@reading_options
@seed_option
def command(
    table, n_clusters, out, predictions, force, seed, as_json, choices, reading
):
    """Find groups in a table without labels."""
    from widemargin import MaxMarginClustering
    from widemargin.cli import fitting, reports
    from widemargin.cli.outputs import plan_outputs
    from widemargin.cli.table_facts import describe_table, table_as_json

    endings = "-clusters.wm", "-clusters.csv"
    outputs = plan_outputs(
        table, endings, out, predictions, force=force, as_json=as_json
    )
    console = reports.open_console(stderr=outputs.table.is_stdout, quiet=as_json)
    sample = fitting.read_sample(table, None, reading, choices)
    if n_clusters > len(sample.X):
        raise ValueError(
            f"-k must be at most the number of rows of {sample.name}, "
            f"{len(sample.X):,}, got {n_clusters:,}."
        )
    reports.print_facts(console, describe_table(sample))

    machine = MaxMarginClustering(n_clusters, random_state=seed)
    with reports.follow(f"Finding {n_clusters} clusters"):
        model = fitting.make_pipeline(sample, machine).fit(sample.X)
    found = fitting.tabulate_clusters(machine.labels_)
    outputs.write(model, found)

    counts = reports.count_labels(found["cluster"])
    facts = [("clusters", reports.describe_counts(counts)), *outputs.describe(model)]
    reports.print_facts(console, facts)
    if as_json:
        facts = table_as_json(table, sample)
        print_json({**facts, "clusters": counts, **outputs.as_json()})
