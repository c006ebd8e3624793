"""What a `FewLabelClassifier` found, for readers and for scripts."""

import math

from sklearn.pipeline import Pipeline

from widemargin.cli.reports import join, plural


def report_of(model):
    """The report of a machine, alone or at the end of a pipeline; None if it has none.

    Parameters
    ----------
    model : estimator
        Fitted.
    """
    while isinstance(model, Pipeline):
        model = model[-1]
    return getattr(model, "report_", None)


def report_as_json(report):
    """A report as a dict of plain values; rows count from 1, shares up to 1."""
    return {
        "candidates": [
            {
                "name": line.name,
                "weight": line.weight,
                "error": _number(line.error),
                "error_std": _number(line.error_std),
                "changed": line.changed,
                "rows": line.n_rows,
                "seconds": line.seconds,
            }
            for line in report.candidates
        ],
        "error": report.error if report.n_tested else None,
        "error_std": report.error_std if report.n_tested else None,
        "held_out": report.n_tested,
        "changed": report.n_changed / max(report.n_unlabeled, 1),
        "changed_rows": report.n_changed,
        "helps": report.helps,
        "label_next": (report.label_next + 1).tolist(),
        "notes": list(report.messages),
    }


def describe_report(facts):
    """All of such a dict that a reader may want, as pairs of a name and a text."""
    yield from describe_candidates(facts)
    if len(facts["candidates"]) > 1:
        rows, share = plural(facts["changed_rows"], "row"), 100 * facts["changed"]
        yield (
            "changed",
            f"{rows} ({share:.1f} %) to another class than the labels alone say",
        )
    yield from describe_label_next(facts)
    for note in facts["notes"]:
        yield "note", note


def describe_candidates(facts):
    """How far each candidate counts, and the errors."""
    lines = facts["candidates"]
    width = max(len(line["name"]) for line in lines)
    yield "candidates", join(f"{'':{width}}  weight  held-out error  changed")
    for line in lines:
        weight, changed = f"{line['weight']:6.2f}", f"{100 * line['changed']:5.1f} %"
        yield (
            "",
            join(f"{line['name']:{width}}  {weight}  {_error(line):>14}  {changed}"),
        )
    if facts["error"] is None:
        yield "error", "not known, as no label could be held out"
        return
    labels = plural(facts["held_out"], "label")
    yield "error", f"{_error(facts)} of new rows, estimated with {labels} held out"


def describe_label_next(facts):
    """Rows whose label would tell the most, and how they are counted."""
    if facts["label_next"]:
        rows = ", ".join(map(str, facts["label_next"]))
        yield "label next", f"rows {rows} (1 is the first below the header)"


def _number(value):
    """JSON has no NaN."""
    return None if math.isnan(value) else value


def _error(line):
    if line["error"] is None:
        return "not known"
    return f"{100 * line['error']:.1f} +- {100 * line['error_std']:.1f} %"
