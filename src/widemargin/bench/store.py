"""Results in a file of JSON lines, one line a record, written as they are found.

A killed process leaves at most one line that is cut short: it is skipped while reading,
and the next record starts on a line of its own.
"""

import json
import os
import platform
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

_PACKAGES = ("widemargin", "numpy", "scipy", "scikit-learn", "numba")


class Store:
    """Records of one benchmark.

    Parameters
    ----------
    path : path-like
        The file; it need not exist.
    """

    def __init__(self, path):
        self.path = Path(path)

    def read(self):
        """All records, in the order in which they were found."""
        if not self.path.exists():
            return []
        lines = self.path.read_text(encoding="utf-8").splitlines()
        records = (_parse(line) for line in lines)
        return [record for record in records if record is not None]

    def append(self, record):
        """Write one record, whole or not at all."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        line = json.dumps(record, ensure_ascii=False) + "\n"
        with self.path.open("ab") as file:
            if file.tell() and not self._ends_with_newline():
                line = "\n" + line
            file.write(line.encode())
            file.flush()
            os.fsync(file.fileno())

    def _ends_with_newline(self):
        with self.path.open("rb") as file:
            file.seek(-1, os.SEEK_END)
            return file.read(1) == b"\n"


def _parse(line):
    """The record of a line, None if it was cut short."""
    try:
        record = json.loads(line)
    except json.JSONDecodeError:
        return None
    return record if isinstance(record, dict) else None


def origin():
    """When and with what results are found: the record that begins a run."""
    return {
        "kind": "origin",
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M"),
        "versions": {name: metadata.version(name) for name in _PACKAGES},
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}",
        "processors": os.cpu_count(),
    }


def cells(records):
    """Measured cells by (row, method, run), the last of each, failures left out."""
    found = [r for r in records if r.get("kind") == "cell" and "metrics" in r]
    return {(r["row"], r["method"], r["run"]): r for r in found}


def failures(records):
    """Why cells that have no result failed, by (row, method, run)."""
    done = cells(records)
    found = [r for r in records if r.get("kind") == "cell" and "failure" in r]
    keys = ((r["row"], r["method"], r["run"]) for r in found)
    return {k: r["failure"] for k, r in zip(keys, found, strict=True) if k not in done}


def choices(records):
    """Parameters that were chosen, {row: {method: parameters}}."""
    found = {}
    for record in records:
        if record.get("kind") == "choice":
            found.setdefault(record["row"], {}).update(record["parameters"])
    return found
