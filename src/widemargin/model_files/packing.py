"""What of a fitted model goes into a file: what prediction needs, and little else."""

import copy
import dataclasses

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import Pipeline

from widemargin.estimators import FewLabelClassifier
from widemargin.model_files.allowed import CANDIDATES, MACHINES
from widemargin.model_files.columns import (
    is_column_transformer,
    is_passthrough,
    make_passthrough,
    with_plain_columns,
)
from widemargin.model_files.errors import ModelFileError
from widemargin.model_files.sparse_rows import SparseRows
from widemargin.model_files.terms import Terms
from widemargin.solvers.result import Status

# Fitted attributes that are stored. Left out is what has an entry for each training
# sample and which prediction does not look at: transduction_, labels_, relevance_,
# held_out_proba_, choice_ and start_, and the arrays of that size inside result_ and
# average_.
KEPT = {
    "_kept",
    "_posterior",
    "_prior",
    "_whitening",
    "ambient_reg_",
    "average_",
    "classes_",
    "dual_coef_",
    "feature_names_in_",
    "gamma_",
    "intercept_",
    "intrinsic_reg_",
    "kernel_",
    "kernels_",
    "laplacian_power_",
    "models_",
    "n_features_in_",
    "n_iter_",
    "names_",
    "noise_",
    "objective_",
    "points_",
    "report_",
    "result_",
    "scale_",
    "shares_",
    "slope_",
    "solver_",
    "weights_",
}
_POINTS = ("points_", "_kept")  # rows of features, dense or sparse
_PASSTHROUGH = "passthrough"
_EMPTY = {  # parts of result_ and average_ as long as the training sample
    "solution": np.empty(0),
    "dual_coef": np.empty((0, 0, 0)),
    "held_out": np.empty((0, 0)),
    "is_tested": np.empty(0, dtype=bool),
    "leave_one_out": np.empty((0, 0)),
    "results": [],
}


def pack(model):
    """A copy of a model, or of a pipeline that ends with one, to be written."""
    packed = copy.copy(model)
    if _is_pipeline(model):
        packed.steps = [(name, _packed_step(step)) for name, step in model.steps]
    elif is_column_transformer(model):
        packed = with_plain_columns(model)
        packed.transformers_ = [
            (name, _packed_columns(step), columns)
            for name, step, columns in packed.transformers_
        ]
    elif isinstance(model, CountVectorizer) and hasattr(model, "vocabulary_"):
        packed.vocabulary_ = Terms.of(model.vocabulary_)
    elif _is_machine(model):
        _check_parameters(model)
        packed.__dict__ = _packed_attributes(model)
    return packed


def unpack(model):
    """Undo `pack` in place, but for what was left out."""
    if _is_pipeline(model):
        for _, step in model.steps:
            unpack(step)
    elif is_column_transformer(model):
        model.transformers_ = [
            (name, _unpacked_columns(step, model, columns), columns)
            for name, step, columns in model.transformers_
        ]
    elif isinstance(model, CountVectorizer):
        if isinstance(vars(model).get("vocabulary_"), Terms):
            model.vocabulary_ = model.vocabulary_.vocabulary()
    elif isinstance(model, FewLabelClassifier):
        for machine in model.models_:
            unpack(machine)
    elif _is_machine(model):
        for name in _POINTS:
            if isinstance(vars(model).get(name), SparseRows):
                setattr(model, name, vars(model)[name].matrix())
        result = vars(model).get("result_")
        if result is not None:
            history = {key: array.tolist() for key, array in result.history.items()}
            status = Status[result.status]
            model.result_ = dataclasses.replace(result, status=status, history=history)
    return model


def _packed_step(step):
    """A step of a pipeline; what is left out of it has no parts."""
    return step if step is None or isinstance(step, str) else pack(step)


def _packed_columns(step):
    """A step of a fitted ColumnTransformer."""
    return _PASSTHROUGH if is_passthrough(step) else _packed_step(step)


def _unpacked_columns(step, transformer, columns):
    """Undo `_packed_columns`."""
    if isinstance(step, str) and step == _PASSTHROUGH:
        return make_passthrough(transformer, columns)
    return unpack(step)


def _is_machine(model):
    return type(model) in MACHINES.values()


def _is_pipeline(model):
    return isinstance(model, Pipeline)


def _check_parameters(model):
    """Raise for what a file cannot hold and a user can change."""
    name = type(model).__name__
    kernel = getattr(model, "kernel", None)
    if callable(kernel):
        raise ModelFileError(
            f"holds a function as kernel of {name}, {kernel!r}, which would be "
            "code; fit with kernel='precomputed' and the function's values, or with "
            "one of the named kernels"
        )
    random_state = model.get_params(deep=False).get("random_state")
    if isinstance(random_state, np.random.RandomState | np.random.Generator):
        raise ModelFileError(
            f"holds a {type(random_state).__name__} as random_state of {name}; call "
            "set_params(random_state=0) before saving, which leaves what was fitted "
            "as it is"
        )


def _packed_attributes(model):
    parameters = model.get_params(deep=False)
    attributes = {
        name: value
        for name, value in vars(model).items()
        if name in parameters or name in KEPT
    }
    for name in ("result_", "average_"):
        if attributes.get(name) is not None:
            attributes[name] = _without_samples(attributes[name])
    points, kept = (attributes.get(name) for name in _POINTS)
    if _are_same(points, kept):
        attributes["_kept"] = points  # written once
    for name in _POINTS:
        if sparse.issparse(attributes.get(name)):
            attributes[name] = SparseRows.of(attributes[name].tocsr())
    if isinstance(model, FewLabelClassifier):
        attributes |= _packed_candidates(model)
    return attributes


def _packed_candidates(model):
    """Attributes of a `FewLabelClassifier` that hold machines."""
    _check_candidates(zip(model.names_, model.models_, strict=False))
    machines = [pack(machine) for machine in model.models_]
    _share_points(machines)
    if not isinstance(model.candidates, dict):
        return {"models_": machines}
    _check_candidates(model.candidates.items())
    given = {name: pack(clone(own)) for name, own in model.candidates.items()}
    return {"models_": machines, "candidates": given}


def _check_candidates(pairs):
    """Raise for classifiers of others, or pipelines, by the name of the candidate."""
    for name, model in pairs:
        if type(model) not in CANDIDATES.values():
            raise ModelFileError(
                f"holds a {type(model).__name__} as candidate {name!r}, which must be "
                "one of the single machines of widemargin; leave it out of candidates, "
                "and prepare rows in a pipeline that ends with FewLabelClassifier"
            )


def _share_points(machines):
    """Let machines that keep the same rows have one array, which is written once."""
    found = []
    for machine in machines:
        for name in _POINTS:
            points = vars(machine).get(name)
            twins = (other for other in found if _are_same(points, other))
            twin = next(twins, None)
            if twin is None:
                found.append(points)
            else:
                setattr(machine, name, twin)


def _are_same(points, kept):
    """Whether two arrays, or sparse rows, are the same bit by bit."""
    if isinstance(points, SparseRows) and isinstance(kept, SparseRows):
        parts = ("data", "indices", "indptr")
        return points.shape == kept.shape and all(
            _are_same(getattr(points, part), getattr(kept, part)) for part in parts
        )
    are_dense = isinstance(points, np.ndarray) and isinstance(kept, np.ndarray)
    return (
        are_dense
        and (points.dtype, points.strides) == (kept.dtype, kept.strides)
        and np.array_equal(points, kept)
    )


def _without_samples(value):
    """A result or an average without its training-size arrays."""
    names = {field.name for field in dataclasses.fields(value)}
    changes = {name: empty for name, empty in _EMPTY.items() if name in names}
    if "history" in names:  # as arrays, which take a tenth of the room of lists
        arrays = {key: np.asarray(values) for key, values in value.history.items()}
        changes["history"] = {
            key: array for key, array in arrays.items() if array.dtype.kind in "bif"
        }
        changes["status"] = value.status.name
    return dataclasses.replace(value, **changes)
