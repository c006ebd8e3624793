"""Folders of Parquet files: read, fitted and predicted in batches."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.decomposition import TruncatedSVD

from widemargin.blocks import BLOCK_ROWS, ParquetBlocks, gather_rows, list_parquet
from widemargin.checks import name_package
from widemargin.cli import fitting
from widemargin.cli.features import count_unread, features_of
from widemargin.cli.reports import count_labels
from widemargin.estimators import FewLabelClassifier
from widemargin.tables.errors import TableError, check_columns
from widemargin.tables.files import all_marks, describe_path, tidy_cells
from widemargin.tables.targets import as_labels

try:
    import pyarrow as pa
    from pyarrow.parquet import ParquetFile, ParquetWriter
except ImportError as error:
    needs = name_package("A folder of Parquet files", "pyarrow", "parquet")
    raise ImportError(needs) from error


_TEXT_FEATURES = 100  # of all columns; as many as neighbors of sparse rows have


class TableBlocks(ParquetBlocks):
    """Rows as tables, with the labels of a target column as the command reads them."""

    def __init__(self, path, target, marks, *, as_names=False):
        super().__init__(path, target)
        self.marks, self.as_names = marks, as_names

    def __iter__(self):
        for block in super().__iter__():
            joined = block.X.assign(**{self.target: block.y})
            frame = tidy_cells(joined, self.marks, self.target)
            y = as_labels(frame.pop(self.target), self.as_names)
            yield block._replace(X=frame, y=y)


def check_options(estimator, options):
    """Raise unless a folder can be fitted with these options."""
    if not isinstance(estimator, FewLabelClassifier):
        raise TableError(
            f"A folder is read in batches, which --method {options['method']} cannot; "
            "leave --method out, or join the files to one table."
        )
    if options["labels"] is not None:
        raise TableError("--labels needs one table, not a folder; join the files.")


def read_folder(path, target, reading, uses, seed, *, key=None, day_first=None):
    """The blocks of a folder, and the table of their labeled rows and some others."""
    marks, name = all_marks(reading.missing), describe_path(path)
    as_names = target in uses.categorical
    blocks = TableBlocks(path, target, marks, as_names=as_names)
    check_columns([key] if key else [], blocks.feature_names, name)
    try:
        found = gather_rows(blocks, np.random.default_rng(seed), raw=True)
    except ValueError as error:
        raise TableError(f"Column {target!r} of {name}: {error}") from error
    frame = found.rows.assign(**{target: found.y})
    examining = {"key": key, "day_first": day_first}
    table = fitting.make_table(name, frame, frame.copy(), target, uses, **examining)
    return blocks, replace(table, n_all=len(blocks))


def fit_blocks(blocks, table, estimator):
    """The pipeline of an encoder, which learns from some rows, and the estimator.

    Features of texts are reduced to a few dense ones: rows in blocks must be dense.
    """
    pipeline = fitting.make_pipeline(table, estimator)
    found = pipeline[0].fit(table.X, columns=table.columns).transform(table.X)
    if sparse.issparse(found):
        n_components = min(_TEXT_FEATURES, *found.shape)
        reducer = TruncatedSVD(n_components, random_state=0).fit(found)
        pipeline.steps.insert(1, ("reduce", reducer))
    estimator.fit(blocks.transformed(pipeline[:-1]))
    return pipeline


def write_training(blocks, model, output, key, advance):
    """Write the labels of all rows of a folder.

    The result is how often each label is inferred, and the rows that the report names
    with their labels; their positions are the index of both.
    """
    report, kept, labels = model[-1].report_, [], []
    wanted = np.union1d(report.label_next, report.suspect_labels.rows)

    def tabulate(cells, start):
        own = wanted[(wanted >= start) & (wanted < start + len(cells))]
        kept.append(cells.iloc[own - start].set_axis(own))
        frame = tidy_cells(cells, blocks.marks, blocks.target)
        y = as_labels(frame.pop(blocks.target), blocks.as_names)
        found = fitting.tabulate_block(model, frame, y, start)
        labels.append(found["label"].iloc[own - start].set_axis(own))
        return found

    counts = write_predictions(blocks.path, output, tabulate, key, advance)
    return counts, pd.concat(kept), pd.concat(labels)


def predict_folder(model, path, output, reading, key, advance):
    """Write the predictions of all rows of a folder.

    The result is how often each occurs, and what cells the model does not know.
    """
    marks, name, unread = all_marks(reading.missing), describe_path(path), {}

    def tabulate(cells, start):
        frame = features_of(tidy_cells(cells, marks), model, name)
        for each in count_unread(frame, model):
            before = unread.get(each.name)
            unread[each.name] = each if before is None else before + each
        return fitting.tabulate_new(model, frame)

    counts = write_predictions(path, output, tabulate, key, advance)
    return counts, unread.values()


def write_predictions(path, output, tabulate, key, advance):
    """Write the rows of a folder, or the key alone, with what is predicted of them.

    ``tabulate(cells, start)`` gives the predictions of some rows. The result is how
    often each label occurs that was not given.
    """
    files, counts = list_parquet(path), {}
    schemas = [ParquetFile(file).schema_arrow.remove_metadata() for file in files]
    schema = pa.unify_schemas(schemas, promote_options="permissive")
    if key is not None:
        check_columns([key], schema.names, describe_path(path))
        schema = pa.schema([schema.field(key)])

    def write(target):
        writer, start = None, 0
        for file in files:
            for batch in ParquetFile(file).iter_batches(BLOCK_ROWS):
                cells = batch.to_pandas()
                found = tabulate(cells, start)
                labels = found.iloc[:, 0]
                if "source" in found:
                    labels = labels[found["source"] == "inferred"]
                for label, count in count_labels(labels).items():
                    counts[label] = counts.get(label, 0) + count
                start += len(cells)
                # The cells stay as they are stored, whatever pandas makes of them.
                table = pa.Table.from_batches([batch]).select(schema.names).cast(schema)
                ours = fitting.join_table(cells, found, key)[1]
                added = pa.Table.from_pandas(found, preserve_index=False)
                for name, column in zip(ours, added.columns, strict=True):
                    table = table.append_column(name, column)
                if writer is None:
                    writer = ParquetWriter(target, table.schema)
                writer.write_table(table)
            advance()
        if writer is not None:
            writer.close()

    output.write_parts(write)
    return dict(sorted(counts.items()))


def check_output(output, path):
    """Raise unless predictions of a folder go to a Parquet file outside of it."""
    if output.is_stdout or Path(output.path).suffix.lower() != ".parquet":
        raise TableError(
            f"Predictions of a folder are written in batches, as Parquet; name a file "
            f"that ends in .parquet, got {output.path!r}."
        )
    if Path(path).resolve() in Path(output.path).resolve().parents:
        raise TableError(
            f"{output.path} would be one more file of the folder {path} that is read; "
            "choose another place."
        )
