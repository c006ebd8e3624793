"""``widemargin label``: a page to label rows on."""

import os

import click

from widemargin.cli import commands
from widemargin.cli.commands import Command

_HELP = """Label rows in the browser while a model learns from your labels.

INPUT is a table (CSV, TSV, Parquet, Excel, NPZ), a folder of images, or a text file
with one text per line. Existing labels in the target column are kept; without any, the
page starts with groups of similar rows to name. Every label is stored before the page
answers. Run the same command again to continue where you stopped.

\b
widemargin label trees.csv --target species
widemargin label reviews.csv --target mood --text review
widemargin label photos/
widemargin label photos/ --embeddings photos.npy
widemargin label notes.txt

The page exports the labeled table, the history, and a model file for widemargin
predict. By default, only this computer can open it. It needs some packages: run
pip install pillow starlette uvicorn websockets, or pip install '.[label]' in a clone
of widemargin.
"""
_EXITS = {
    "success": "the page was closed by Done or Ctrl-C, with every label stored",
    "interrupted": "the command before the page was open",
}


@click.command(cls=Command, help=_HELP, no_args_is_help=True, **_EXITS)
@click.argument("given", metavar="INPUT")
@click.option(
    "--target",
    metavar="COLUMN",
    default="label",
    help="Column with the labels; the table may not have it yet.",
)
@click.option(
    "--embeddings",
    metavar="FILE",
    help="File with features, one line per row (.npy or a table). They replace the "
    "features that are computed by default.",
)
@click.option(
    "--labels",
    metavar="FILE",
    help="File that stores the labels. By default it is named after INPUT: "
    "trees-labels.sqlite.",
)
@click.option("--name", help="Name of the person who labels; by default the user name.")
@click.option("--port", type=click.IntRange(0, 65535), help="Port of the page.")
@click.option("--host", default="127.0.0.1", help="Address of the page.")
@click.option(
    "--unsafe-public",
    is_flag=True,
    help="Let other computers open the page; needs the environment variable "
    "WIDEMARGIN_PASSWORD.",
)
@click.option("--no-browser", is_flag=True, help="Only print the address.")
@commands.column_options
@commands.day_option
@commands.reading_options
def label(given, target, embeddings, labels, as_json, **options):
    """Label rows on a page."""
    from widemargin.studio.run import check_host, check_installed

    check_installed()
    password = os.environ.get("WIDEMARGIN_PASSWORD")
    host, is_public = options["host"], options["unsafe_public"]
    check_host(host, is_public=is_public, password=password)
    from widemargin.cli import reports

    say = reports.print_error if as_json else click.echo
    say(f"Reading {given} ...")
    from widemargin.studio.run import open_page, serve  # takes seconds
    from widemargin.studio.sources import default_store, read_source
    from widemargin.studio.state import check_name

    check_name(target, "--target")
    source = read_source(
        given,
        target,
        embeddings=embeddings,
        reading=vars(options["reading"]),
        uses=vars(options["uses"]),
        day_first=options["day_first"],
    )
    store = labels or default_store(given)
    server = open_page(
        source,
        store,
        name=options["name"],
        host=host,
        port=options["port"],
        password=password if is_public else None,
    )
    say(f"{source.name}: {source.n_rows:,} rows. {server.session.note}")
    try:
        serve(server, say, open_browser=not options["no_browser"])
        n_labels = len(server.session.state.labels)
    finally:
        server.stop()
    n = reports.plural(n_labels, "label")
    say(f"{n} in {store}; run the command again to continue.")
    if as_json:
        outcome = {"input": given, "rows": source.n_rows, "labels": n_labels}
        reports.print_json({**outcome, "store": store})
