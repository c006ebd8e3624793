"""Checks of a `FewLabelClassifier`: its weights, its machines and its report."""

import numbers
from dataclasses import fields

import numpy as np

from widemargin.estimators.few_label_report import CandidateReport, FewLabelReport
from widemargin.model_files.allowed import CANDIDATES
from widemargin.model_files.errors import ModelFileError
from widemargin.model_files.requirements import is_array, require

_ROUNDING = 1e-6  # by which the weights may miss one


def check_mixture(model):
    """Raise `ModelFileError` unless weights, names and machines fit each other.

    What is inside of the machines is left to others.
    """
    machines, names, weights = model.models_, model.names_, model.weights_
    is_list = isinstance(machines, list) and len(machines) > 0
    require(is_list, model, "models_", machines)
    fits = isinstance(names, list) and all(isinstance(name, str) for name in names)
    require(fits and len(names) == len(machines), model, "names_", names)
    fits = is_array(weights, 1, "f") and len(weights) == len(machines)
    fits = fits and bool((weights >= 0).all() and abs(weights.sum() - 1) < _ROUNDING)
    require(fits, model, "weights_", weights)
    classes = model.classes_
    fits = is_array(classes, 1, "biufUO") and len(classes) > 1
    require(fits, model, "classes_", classes)
    for name, machine in zip(names, machines, strict=True):
        _check_candidate(model, name, machine)
    _check_given(model)
    _check_report(model)


def _check_candidate(model, name, machine):
    """A machine whose classes are some of the codes, on the same features."""
    _check_type(machine, f"candidate {name!r}")
    n_features, codes = machine.n_features_in_, machine.classes_
    fits = type(n_features) is int and n_features == model.n_features_in_
    require(fits, machine, "n_features_in_", n_features)
    fits = is_array(codes, 1, "i") and len(codes) > 1
    fits = fits and bool((np.diff(codes) > 0).all())  # each once
    fits = fits and codes[0] >= 0 and codes[-1] < len(model.classes_)
    require(fits, machine, "classes_", codes)


def _check_given(model):
    """Candidates that the user gave."""
    if isinstance(model.candidates, dict):
        for name, machine in model.candidates.items():
            require(isinstance(name, str), model, "candidates", name)
            _check_type(machine, f"given candidate {name!r}")


def _check_type(machine, what):
    if type(machine) not in CANDIDATES.values():
        raise ModelFileError(
            f"holds {type(machine).__name__} as {what} of FewLabelClassifier"
        )


def _check_report(model):
    """Numbers and texts, as many lines as there are machines."""
    report = model.report_
    require(isinstance(report, FewLabelReport), model, "report_", report)
    lines, rows, texts = report.candidates, report.label_next, report.messages
    fits = isinstance(lines, tuple) and len(lines) == len(model.models_)
    fits = fits and all(isinstance(line, CandidateReport) for line in lines)
    require(fits, model, "report_.candidates", lines)
    require(is_array(rows, 1, "i"), model, "report_.label_next", rows)
    fits = isinstance(texts, tuple) and all(isinstance(text, str) for text in texts)
    require(fits, model, "report_.messages", texts)
    is_known = report.helps is None or type(report.helps) is bool
    require(is_known, model, "report_.helps", report.helps)
    for part in (report, *lines):
        for field in fields(part):
            value, is_right = getattr(part, field.name), True
            if field.type is float:
                is_right = isinstance(value, numbers.Real)
            elif field.type in (int, str):
                is_right = type(value) is field.type
            require(is_right, model, f"report_.{field.name}", value)
