"""What is in a model, for readers and for scripts."""

import numbers
import os

from sklearn.pipeline import Pipeline

from widemargin.cli.few_labels import (
    describe_candidates,
    describe_label_next,
    report_as_json,
    report_of,
)
from widemargin.cli.reports import plural, shorten
from widemargin.cli.table_facts import by_kind, describe_kinds
from widemargin.model_files.privacy import describe_privacy
from widemargin.tables.columns import Kind
from widemargin.tables.requirements import columns_of


def model_as_json(path, model):
    """Estimator, classes, columns and parameters of a fitted model, as a dict."""
    machine = model
    while isinstance(machine, Pipeline):
        machine = machine[-1]
    columns = columns_of(model) or []
    classes = getattr(machine, "classes_", None)
    result, report = getattr(machine, "result_", None), report_of(machine)
    return {
        "file": path,
        "bytes": os.path.getsize(path),
        "estimator": type(machine).__name__,
        "made_by": " ".join(repr(machine).split()),
        "classes": None if classes is None else classes.tolist(),
        "clusters": getattr(machine, "n_clusters", None),
        "columns": by_kind(columns),
        "columns_in": int(getattr(model, "n_features_in_", 1)),  # of texts, one
        "features": int(machine.n_features_in_),
        "status": result and result.status.value,
        "report": report and report_as_json(report),
        "parameters": {
            name: _plain(value)
            for name, value in machine.get_params(deep=False).items()
            if value is not None
        },
        "privacy": _privacy(model, machine, columns),
    }


def describe_model(facts):
    """The same as pairs of a name and a text."""
    yield "file", f"{facts['file']}, {plural(facts['bytes'], 'byte')}"
    yield "estimator", facts["made_by"]
    if facts["classes"] is not None:
        names = shorten(map(str, facts["classes"]))
        yield "classes", f"{len(facts['classes'])}: {names}"
    else:
        yield "clusters", str(facts["clusters"])
    yield from describe_kinds(facts["columns"])
    if not any(facts["columns"].values()):
        yield "columns", f"{facts['columns_in']:,}, known by their order"
    yield "features", f"{facts['features']:,}"
    if facts["status"] is not None:
        yield "fit", facts["status"]
    if facts["report"] is not None:
        yield from describe_candidates(facts["report"])
        yield from describe_label_next(facts["report"])
    yield "privacy", facts["privacy"]


def _privacy(model, machine, columns):
    """A sentence on training rows, and one on the preparation of columns."""
    if columns and not by_kind(columns)[Kind.CATEGORIES.value]:
        return (
            f"{describe_privacy(machine)} Steps before it hold statistics of columns."
        )
    return describe_privacy(model)


def _plain(value):
    """A value that JSON can hold."""
    if isinstance(value, dict):
        return {name: _plain(member) for name, member in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(member) for member in value]
    is_plain = value is None or isinstance(value, str | bool | int | float)
    if is_plain or not isinstance(value, numbers.Number):
        return value if is_plain else repr(value)
    return value.item()
