"""What a file of labels notes of the rows it belongs to, so that changes are named."""

import hashlib

import numpy as np
import pandas as pd

from widemargin.tables.errors import listed
from widemargin.tables.files import all_marks

_EXACT = 2.0**53  # smaller whole numbers are exact as floats


def describe_rows(frame, kind, *, uses=None, features=None):
    """Hashes of the columns of rows, as JSON takes them.

    They do not depend on how the columns are used, nor on how a number is written, so
    that all commands compute the same hashes of a file. `kind` is "table", "images" or
    "texts"; `uses` are the columns in use, each with its kind; `features` is the hash
    of features that are not computed from the columns.
    """
    columns, rows = {}, np.zeros(len(frame), dtype=np.uint64)
    for name in frame:
        hashes = _hashes(frame[name])
        columns[str(name)] = _digest(hashes)
        factor = int(hashlib.sha256(str(name).encode()).hexdigest()[:16], 16) | 1
        rows += hashes * np.uint64(factor)
    return {
        "kind": kind,
        "n_rows": len(frame),
        "columns": columns,
        "rows": _digest(np.sort(rows)),  # in any order
        "uses": uses,
        "features": features,
    }


def _digest(hashes):
    return hashlib.sha256(hashes.tobytes()).hexdigest()[:16]


def _hashes(column):
    """A hash of each cell: of a number by its value, of others by their text."""
    numbers = _numbers(column)
    is_text = ~(np.abs(numbers) < _EXACT)
    hashes = pd.util.hash_array(np.where(is_text, 0.0, numbers))
    others, marks = column[is_text], set(all_marks(()))
    texts = [
        "" if gap else str(v).strip()
        for v, gap in zip(others, others.isna(), strict=True)
    ]
    texts = np.array(["" if text in marks else text for text in texts], dtype=object)
    hashes[is_text] = pd.util.hash_array(texts)
    return hashes


def _numbers(column):
    """The numbers in a column, also those in texts; NaN for all other cells."""
    if pd.api.types.is_numeric_dtype(column):
        return column.to_numpy(dtype=float, na_value=np.nan)
    try:
        texts = column.astype(object).where(column.notna(), None)
        return pd.to_numeric(texts, errors="coerce").to_numpy(dtype=float)
    except TypeError:  # of lists, for example
        return np.full(len(column), np.nan)


def find_change(known, now, *, features=True):
    """How rows differ from those that are known: what, and the way out; None if not.

    With `features`, also how their features differ.
    """
    rows = _find_changed_rows(known, now)
    if rows is not None:
        return rows, "Restore the input"
    if not features:
        return None
    if now["features"] != known["features"]:
        return "the features have changed", "Use the same features"
    uses = _find_changed_uses(known["uses"] or {}, now["uses"] or {})
    if uses is not None and None not in (known["uses"], now["uses"]):
        return uses, "Use the same options, such as --drop, as before"
    return None


def _find_changed_rows(known, now):
    before, after = known["n_rows"], now["n_rows"]
    if before != after:
        return f"the input had {before:,} rows and has {after:,} now"
    if known["kind"] != now["kind"]:
        return f"the input was of the kind {known['kind']!r} and is {now['kind']!r} now"
    old, new = known["columns"], now["columns"]
    lost, added = [c for c in old if c not in new], [c for c in new if c not in old]
    said = [f"the {_nouns(lost)} no longer there"] if lost else []
    said += [f"the {_nouns(added)} new"] if added else []
    if said:
        return ", and ".join(said)
    changed = [name for name in old if old[name] != new[name]]
    if not changed:
        return None
    if known["rows"] == now["rows"]:
        return "the rows are in another order"
    if known["kind"] != "table":
        return f"the {' and '.join(changed)} have changed"
    noun = "column" if len(changed) == 1 else "columns"
    return f"values in the {noun} {listed(changed)} have changed"


def _nouns(names):
    one = len(names) == 1
    return f"column{'' if one else 's'} {listed(names)} {'is' if one else 'are'}"


def _find_changed_uses(known, now):
    said = [f"{name!r} was used and is left out now" for name in known.keys() - now]
    said += [f"{name!r} was left out and is used now" for name in now.keys() - known]
    said += [
        f"{name!r} was used as {known[name]} and is used as {now[name]} now"
        for name in known.keys() & now
        if known[name] != now[name]
    ]
    if not said:
        return None
    said = sorted(said)
    more = f", and {len(said) - 3:,} more" if len(said) > 3 else ""
    return f"the columns in use have changed ({'; '.join(said[:3])}{more})"
