"""What was found in a table, for readers and for scripts."""

from widemargin.cli.reports import describe_counts, plural, shorten
from widemargin.tables.columns import Kind

_USED = (Kind.NUMBERS, Kind.CATEGORIES)


def describe_table(sample, target=None, *, counts_labels=True):
    """Rows, columns and labels, as pairs of a name and a text.

    Parameters
    ----------
    sample : Sample
    target : str or None
        Column of the labels.
    counts_labels : bool, default=True
        Whether to note that labels are too few; some methods do so themselves.
    """
    yield "table", f"{sample.name}, {plural(len(sample.X), 'row')}"
    yield from describe_kinds(by_kind(sample.columns))
    for reason, names in _by_reason(sample.columns).items():
        yield Kind.LEFT_OUT.value, f"{shorten(names)} ({reason})"
    if target is not None:
        counts = describe_counts(sample.counts)
        yield "labeled", f"{sample.labels.n_labeled:,} in {target!r}: {counts}"
        yield "unlabeled", f"{sample.n_unlabeled:,}"
    for note in _notes(sample, counts_labels=counts_labels):
        yield "note", note


def table_as_json(table, sample, target=None):
    """The same as a dict."""
    left_out = {c.name: c.reason for c in sample.columns if c.kind is Kind.LEFT_OUT}
    facts = {
        "table": table,
        "rows": len(sample.X),
        "columns": {**by_kind(sample.columns), "left_out": left_out},
        "notes": list(_notes(sample)),
    }
    if target is None:
        return facts
    labels = {"labeled": sample.counts, "unlabeled": sample.n_unlabeled}
    return {**facts, "target": target, **labels}


def _notes(sample, *, counts_labels=True):
    """What a user may not expect of a table."""
    for column in sample.columns:
        if column.doubt:
            yield f"{column.name!r} {column.doubt}"
    if sample.labels is None or not counts_labels:
        return
    if max(sample.counts.values()) == 1:
        yield (
            f"each of the {len(sample.counts):,} classes has a single label: nothing "
            "can be estimated; label a few rows of each class"
        )


def describe_kinds(names_by_kind):
    """How many columns are numbers and how many categories, with their names."""
    for kind, names in names_by_kind.items():
        if names:
            yield kind, f"{len(names):,}: {shorten(names)}"


def by_kind(columns):
    """Names of the columns that are used, by what they are used as."""
    return {
        kind.value: [column.name for column in columns if column.kind is kind]
        for kind in _USED
    }


def _by_reason(columns):
    reasons = {}
    for column in columns:
        if column.kind is Kind.LEFT_OUT:
            reasons.setdefault(column.reason, []).append(column.name)
    return reasons
