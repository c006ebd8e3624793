"""Figures that scripts measured by hand, kept for pages that quote them."""

import json
import resource
from pathlib import Path

# One JSON object a line: the part of the script, a key, and the figures.
PATH = Path(__file__).parents[2] / "speed" / "results.jsonl"


def record(part, key, *, path=PATH, **figures):
    """Store the figures of a part under a key, in place of older ones."""
    kept = {name: row for name, row in read(path).items() if name != (part, key)}
    rounded = {name: _round(value) for name, value in figures.items()}
    kept[part, key] = rounded
    lines = (
        json.dumps({"part": p, "key": k, **row}) for (p, k), row in sorted(kept.items())
    )
    Path(path).write_text("\n".join(lines) + "\n")


def read(path=PATH):
    """All stored figures, by pairs of a part and a key."""
    path, found = Path(path), {}
    if path.exists():
        for line in path.read_text().splitlines():
            row = json.loads(line)
            found[row.pop("part"), row.pop("key")] = row
    return found


def peak_memory():
    """The largest memory of this process so far, in GiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def _round(value):
    """A number with the digits that are worth keeping; lists of them, item by item."""
    if isinstance(value, list | tuple):
        return [_round(item) for item in value]
    return float(f"{value:.5g}") if isinstance(value, float) else value
