"""Files that commands write: never over others unless asked, and never by halves."""

import os
from dataclasses import dataclass
from pathlib import Path

import click

from widemargin.model_files import save
from widemargin.model_files.privacy import describe_privacy
from widemargin.model_files.writing import write_whole
from widemargin.tables import check_writable, table_bytes


@dataclass(frozen=True)
class Output:
    """A file to be written, or "-" for the standard output."""

    path: str
    force: bool

    @property
    def is_stdout(self):
        """Whether it goes to the standard output."""
        return self.path == "-"

    def describe(self):
        """What it is called in a report."""
        return "stdout" if self.is_stdout else self.path

    def check(self):
        """Raise ValueError unless the file may be written; nothing is changed."""
        if self.is_stdout:
            return
        path = Path(self.path)
        if path.is_dir():
            raise ValueError(f"{path} is a folder; give the name of a file.")
        if path.exists() and not path.is_file():  # a pipe or a device, to be kept
            raise ValueError(f"{path} is no ordinary file; give another name.")
        if path.exists() and not self.force:
            raise ValueError(
                f"{path} exists; add --force to replace it, or choose another name."
            )
        if not path.parent.is_dir():
            raise ValueError(f"There is no folder {path.parent} for {path.name}.")

    def write_model(self, model):
        """Save a fitted model."""
        self.check()
        save(model, self.path)

    def write_table(self, frame):
        """Write a DataFrame in the format of the file's ending."""
        self.check()
        if self.is_stdout:
            click.echo(table_bytes(frame), nl=False)
        else:
            write_whole(self.path, table_bytes(frame, Path(self.path).suffix))


@dataclass(frozen=True)
class Outputs:
    """A model and the table of what it says of its training rows."""

    model: Output
    table: Output

    def write(self, model, frame):
        """Write both."""
        self.model.write_model(model)
        self.table.write_table(frame)

    def describe(self, model):
        """Facts for a reader."""
        yield "model", f"{self.model.path}. {describe_privacy(model[-1])}"
        yield "predictions", self.table.describe()

    def as_json(self):
        """Facts for scripts."""
        return {"model": self.model.path, "predictions": self.table.path}


def plan_outputs(table, ending, out, predictions, *, force, as_json):
    """Where the model and the predictions of a table go, checked before any work.

    Parameters
    ----------
    table : str
        By default files have its name, in the current folder.
    ending : (str, str)
        What is added to the name, for the model and for the predictions.
    out, predictions : str or None
        Other names.
    force, as_json : bool
        The options of that name.
    """
    stem = "table" if table == "-" else Path(table).stem
    model, frame = (
        given or f"{stem}{default}"
        for given, default in zip((out, predictions), ending, strict=True)
    )
    if model == "-":
        raise ValueError("--out must be the name of a file for the model, got '-'.")
    if os.path.realpath(model) == os.path.realpath(frame):
        raise ValueError(f"--out and --predictions must be two files, got {model!r}.")
    outputs = Outputs(Output(model, force), Output(frame, force))
    outputs.model.check()
    plan_table(frame, force)
    if as_json and outputs.table.is_stdout:
        raise ValueError(
            "--json and --predictions - both write to standard output; give "
            "--predictions the name of a file."
        )
    return outputs


def plan_table(path, force):
    """Where a table goes, checked."""
    output = Output(path, force)
    if not output.is_stdout:
        check_writable(path)
    output.check()
    return output
