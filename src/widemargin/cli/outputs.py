"""Files that commands write: always whole, and over others only with --force."""

import contextlib
import os
from dataclasses import dataclass
from pathlib import Path

from widemargin.cli.reports import print_table
from widemargin.cli.signals import raise_if_received
from widemargin.model_files import save
from widemargin.model_files.parts import describe_privacy
from widemargin.model_files.writing import write_whole
from widemargin.tables import files


@dataclass(frozen=True)
class Output:
    """A file to be written, or "-" for stdout."""

    path: str
    force: bool  # whether an existing file may be replaced
    inputs: tuple = ()  # files that are read, which are never replaced

    @property
    def is_stdout(self):
        """Whether it goes to stdout."""
        return self.path == "-"

    def describe(self):
        """What it is called in a report."""
        return "stdout" if self.is_stdout else self.path

    def check_name(self):
        """Raise ValueError unless a file of that name can be written."""
        if self.is_stdout:
            return
        path = Path(self.path)
        if path.is_dir():
            raise ValueError(f"{path} is a folder; give the name of a file.")
        present = [given for given in self.inputs if os.path.exists(given)]
        if path.exists() and any(os.path.samefile(path, given) for given in present):
            raise ValueError(
                f"{path} is the input, which is never replaced; choose another name."
            )
        if path.exists() and not path.is_file():  # a pipe or a device, to be kept
            raise ValueError(f"{path} is not a regular file; choose another name.")
        if not path.parent.is_dir():
            raise ValueError(f"There is no folder {path.parent} for {path.name}.")
        folder = os.path.dirname(os.path.realpath(path))  # where a link leads
        if not os.access(folder, os.W_OK | os.X_OK):
            raise ValueError(f"Cannot write {path}: permission denied.")

    def check(self):
        """Raise ValueError unless the file may be written; nothing is changed.

        After a signal, nothing may be written.
        """
        raise_if_received()
        self.check_name()
        if not (self.is_stdout or self.force) and os.path.exists(self.path):
            raise ValueError(
                f"{self.path} exists; add --force to overwrite it, or choose another "
                "name."
            )

    def write_table(self, frame, *, guarded=()):
        """Write a DataFrame in the format of the file's ending; see `table_bytes`."""
        self.check()
        if self.is_stdout:
            print_table(files.table_bytes(frame, guarded=guarded))
            return
        data = files.table_bytes(frame, Path(self.path).suffix, guarded=guarded)
        with _naming(self.path):
            write_whole(self.path, data)

    def write_parts(self, write):
        """Let a function write a file in several steps."""
        self.check()
        with _naming(self.path):
            write_whole(self.path, write)


@dataclass(frozen=True)
class Outputs:
    """A model and the table of its predictions for the training rows."""

    model: Output
    table: Output

    def check(self):
        """Raise ValueError unless both may be written."""
        self.model.check()
        self.table.check()

    def write(self, model, frame):
        """Write both."""
        self.write_model(model)
        self.table.write_table(frame)

    def write_model(self, model):
        """Write the model."""
        self.model.check()
        with _naming(self.model.path):
            save(model, self.model.path)

    def describe(self, model, n_rows):
        """Facts for a reader; `n_rows` is the number of rows of the table."""
        yield "model", f"{self.model.path}. {describe_privacy(model[-1], n_rows)}"
        yield "predictions", self.table.describe()

    def as_json(self):
        """Facts for scripts."""
        return {"model": self.model.path, "predictions": self.table.path}


def plan_outputs(path, endings, out, predictions, *, force, as_json):
    """Where model and predictions of a table go, by default named after it.

    The names are checked. Whether such files exist is to be checked later: what the
    user typed comes first.
    """
    stem = "table" if path == "-" else files.split_ending(path)[0]
    model, frame = out or stem + endings[0], predictions or stem + endings[1]
    if model == "-":
        raise ValueError("--out must be the name of a file for the model, got '-'.")
    if os.path.realpath(model) == os.path.realpath(frame):
        raise ValueError(f"--out and --predictions must be two files, got {model!r}.")
    model_file = Output(model, force, inputs=(path,))
    model_file.check_name()
    if files.is_table_name(model):
        raise ValueError(
            f"--out names the file of the model, but {model} has the ending of a "
            "table; choose a name such as iris.wm, and name the table with "
            "--predictions."
        )
    outputs = Outputs(model_file, plan_table(frame, force, inputs=(path,)))
    if as_json and outputs.table.is_stdout:
        raise ValueError(
            "--json and --predictions - both write to stdout; give --predictions the "
            "name of a file."
        )
    return outputs


def plan_table(path, force, inputs):
    """Where a table goes, with its name checked."""
    output = Output(path, force, inputs)
    output.check_name()
    if not output.is_stdout:
        files.check_writable(path)
    return output


@contextlib.contextmanager
def _naming(path):
    """Let errors name the user's file, not the temporary one beside it."""
    try:
        yield
    except OSError as error:
        reason = os.strerror(error.errno).lower() if error.errno else error
        raise ValueError(f"Cannot write {path}: {reason}.") from error
