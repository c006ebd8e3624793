"""Results in a file of JSON lines, one line a record, written as they are found.

A killed process leaves at most one line that is cut short: it is skipped while reading,
and the next record starts on a line of its own.
"""

import json
import os
import platform
from datetime import UTC, datetime
from functools import cache
from hashlib import sha256
from importlib import metadata
from pathlib import Path

_SOURCE = Path(__file__).parents[1]
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
        if self._is_cut_short():
            line = "\n" + line
        file = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            os.write(file, line.encode())  # at once: other processes may append, too
            os.fsync(file)
        finally:
            os.close(file)

    def set_aside(self):
        """Begin anew; earlier records are kept in a file with the ending ".old"."""
        if self.path.exists():
            self.path.replace(self.path.with_name(self.path.name + ".old"))

    def _is_cut_short(self):
        """Whether the last line does not end."""
        if not self.path.exists() or not self.path.stat().st_size:
            return False
        with self.path.open("rb") as file:
            file.seek(-1, os.SEEK_END)
            return file.read(1) != b"\n"


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
        "code": code_digest(),
    }


@cache
def code_digest():
    """A short number that changes with the source of the package."""
    digest = sha256()
    for path in sorted(_SOURCE.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def has_other_code(records):
    """Whether some results are those of another version of the source."""
    codes = {record["code"] for record in records if "code" in record}
    return bool(codes - {code_digest()})


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


def choices(records, *, quick):
    """Parameters that a quick run or a full one chose, {row: {method: parameters}}."""
    found = {}
    for record in records:
        is_choice = record.get("kind") == "choice" and "parameters" in record
        if is_choice and record.get("quick", quick) == quick:
            found.setdefault(record["row"], {}).update(record["parameters"])
    return found
