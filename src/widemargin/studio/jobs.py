"""Work that takes seconds, in a process of its own: the page stays quick meanwhile.

``python -m widemargin.studio.jobs KIND FOLDER`` reads arrays from a folder, prints a
line per step, and writes its results there.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
from scipy import sparse

from widemargin.labels import UNLABELED

# of the report, which is shown by the same rule as that of the live model
_ERROR_LINE = re.compile("^(Estimated error of the average: ).*$", re.MULTILINE)


def save_rows(folder, X):
    """Write the features of all rows to a folder."""
    if sparse.issparse(X):
        sparse.save_npz(Path(folder) / "X.npz", X)
    else:
        np.save(Path(folder) / "X.npy", X, allow_pickle=False)


def load_rows(folder):
    """Read what `save_rows` wrote."""
    path = Path(folder) / "X.npy"
    if path.exists():
        return np.load(path, allow_pickle=False)
    return sparse.load_npz(Path(folder) / "X.npz")


def targets(codes, classes):
    """Labels as estimators take them, from codes, -1 for none, and class names."""
    if classes and all(type(name) is int for name in classes):
        # the marker of integers can be a class among floats only
        is_class = UNLABELED in classes
        names = np.array([*classes, np.nan if is_class else UNLABELED])
    else:
        names = np.array([*classes, None], dtype=object)
    return names[np.asarray(codes)]


class Job:
    """A process that works on arrays in a folder of its own."""

    def __init__(self, kind, X, **inputs):
        self.lines, self.error, self.is_done = [], None, threading.Event()
        self._folder = tempfile.TemporaryDirectory(
            prefix="widemargin-", ignore_cleanup_errors=True
        )
        self.folder = Path(self._folder.name)
        save_rows(self.folder, X)
        for name, value in inputs.items():
            (self.folder / f"{name}.json").write_text(json.dumps(value), "utf-8")
        root = str(Path(__file__).parents[2])
        paths = [root, *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
        self._process = subprocess.Popen(
            [sys.executable, "-m", __name__, kind, os.fspath(self.folder)],
            stdin=subprocess.PIPE,  # it ends when this process does
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))},
        )
        threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self):
        errors = []
        drain = threading.Thread(
            target=lambda: errors.extend(self._process.stderr), daemon=True
        )
        drain.start()
        for line in self._process.stdout:
            self.lines.append(line.strip())
        code = self._process.wait()
        drain.join()
        if code:
            self.error = self._read_error(errors) or f"It ended with the code {code}."
        self.is_done.set()

    def _read_error(self, lines):
        """The message of the exception, or the last line on stderr."""
        try:
            return (self.folder / "error.txt").read_text("utf-8")
        except OSError:  # it ended without an exception
            said = [line.strip() for line in lines if line.strip()]
            return said[-1] if said else None

    def wait(self):
        """Wait until it ends; RuntimeError if it failed."""
        self.is_done.wait()
        if self.error is not None:
            raise RuntimeError(self.error)
        return self

    def close(self):
        """End the process and remove its folder."""
        if self._process.poll() is None:
            self._process.kill()
        self.is_done.wait()
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            pipe.close()
        self._folder.cleanup()


def _make_layout(folder):
    from widemargin.studio.layout import neighbor_plane

    start = np.array(json.loads((folder / "start.json").read_text("utf-8")))
    np.save(folder / "plane.npy", neighbor_plane(load_rows(folder), start))


def without_suspects(report, rows):
    """A report that does not list some rows among the labels to check."""
    suspects = report.suspect_labels
    if suspects is None or not len(rows):
        return report
    is_open = ~np.isin(suspects.rows, rows)
    left = {name: values[is_open] for name, values in vars(suspects).items()}
    return replace(report, suspect_labels=replace(suspects, **left))


def _fit(folder):
    import widemargin
    from widemargin.studio.live import describe_error

    def read(name):
        return json.loads((folder / f"{name}.json").read_text("utf-8"))

    X, classes = load_rows(folder), read("classes")
    y, is_random = targets(read("codes"), classes), np.zeros(X.shape[0], dtype=bool)
    is_random[read("random_rows")] = True
    model = widemargin.FewLabelClassifier(random_state=0, verbose=True)
    model.fit(X, y, random_labels=is_random)
    model.set_params(verbose=False)  # its lines were for the page
    widemargin.save(model, folder / "model.wm")
    places = {name: i for i, name in enumerate(classes)}
    codes = [places[name] for name in model.transduction_.tolist()]
    np.save(folder / "codes.npy", np.array(codes))
    np.save(folder / "certainty.npy", model.certainty_)
    report = without_suspects(model.report_, read("confirmed_rows"))
    error, std = float(report.error), float(report.error_std)
    error, std = (error, std) if report.n_held_out else (None, None)
    shown = describe_error(int(is_random.sum()), error, std)
    text = report.text(first_row=1).replace(" +- ", " ± ")
    facts = {
        "text": re.sub(_ERROR_LINE, rf"\g<1>{shown['text']}", text),
        "error": error,
        "error_std": std,
        "shown_error": shown,
        "candidates": [
            {"name": c.name, "weight": float(c.weight)} for c in report.candidates
        ],
    }
    (folder / "report.json").write_text(json.dumps(facts), "utf-8")


def main(kind, folder):
    """Do the work of a process."""

    def end_with_parent():
        sys.stdin.read()
        os._exit(1)

    threading.Thread(target=end_with_parent, daemon=True).start()
    try:
        {"layout": _make_layout, "fit": _fit}[kind](Path(folder))
    except Exception as error:
        message = " ".join(str(error).split()) or type(error).__name__
        (Path(folder) / "error.txt").write_text(message, "utf-8")
        raise


if __name__ == "__main__":
    main(*sys.argv[1:])
