"""Save and load fitted models."""

import json
import numbers
import warnings
from copy import copy
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import sklearn
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from widemargin._version import __version__
from widemargin.model_files.archive import ModelFileError, read_archive, write_archive
from widemargin.model_files.writing import write_whole
from widemargin.plugins import load_plugins
from widemargin.stored import Stored, replace_parts

_FORMAT = 2
_PART_BYTES = 230  # headers of an array, and of its part of the zip file
_TRIAL_ROWS, _TRIAL_CELLS = 40, 10**6  # at most, to save time and memory
_LARGE = 1e4  # times usual numbers; high powers of it are still finite


def save(model: Any, path: str | PathLike[str]) -> None:
    """Write a fitted model to a file that `load` reads; see :doc:`/model_files`.

    The file holds what prediction needs: parameters, the declared state of the
    estimator, and with it the training rows that new rows are compared with, but no
    other arrays with an entry for each training row, such as ``transduction_``.

    Parameters
    ----------
    model : Estimator, or Pipeline that ends with one
        Fitted. The steps before the estimator may be scikit-learn's scalers, imputers,
        encoders, PCA, TruncatedSVD and text vectorizers, also in a ColumnTransformer.
    path : str or Path
        An existing file is replaced without a question, unlike by the command line,
        and its permissions are kept. A crash leaves the old one as it was.

    Raises
    ------
    ModelFileError
        If the model holds a function, a random generator or another type that `load`
        would refuse; nothing is written then.
    OSError
        If the file cannot be written, or is not a regular file but a pipe or a device.

    Examples
    --------
    >>> import tempfile
    >>> import widemargin
    >>> from widemargin.datasets import hide_labels, make_two_moons
    >>> X, y = make_two_moons(100, random_state=0)
    >>> model = widemargin.LaplacianSVC().fit(X, hide_labels(y, 6, rng=0))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     widemargin.save(model, f"{folder}/moons.wm")
    ...     again = widemargin.load(f"{folder}/moons.wm")
    >>> again.privacy_
    'The model contains 100 training rows: anyone with the file can read ...'
    """
    check_is_fitted(model)
    try:
        data = to_bytes(model)
        from_bytes(data)  # so that nothing is saved that `load` would refuse
    except ModelFileError as error:
        raise ModelFileError(
            f"{type(model).__name__} cannot be saved: it {error}. Model files hold "
            "estimators of widemargin and of plug-ins, alone or after scikit-learn's "
            "scalers, imputers, encoders, PCA, TruncatedSVD and text vectorizers, "
            "without functions."
        ) from None
    write_whole(path, data)


def file_size(model: Any) -> int:
    """About how many bytes the file of a fitted model will have.

    It is counted without a copy of the arrays. Most of it are training rows that new
    rows are compared with: :func:`condense` leaves out those of the graph.

    Parameters
    ----------
    model : Estimator, or Pipeline that ends with one
        Fitted.

    Returns
    -------
    int

    Examples
    --------
    >>> import widemargin
    >>> from widemargin.datasets import hide_labels, make_two_moons
    >>> X, y = make_two_moons(1000, random_state=0)
    >>> model = widemargin.LaplacianSVC().fit(X, hide_labels(y, 6, rng=0))
    >>> 24_000 < widemargin.file_size(model) < 30_000  # 3 numbers a row
    True
    """
    from widemargin.model_files.tree import Sizer

    check_is_fitted(model)
    sizer = Sizer()
    tree = sizer.node(model, type(model).__name__)
    text = json.dumps(tree, separators=(",", ":"))
    return len(text) + sizer.n_bytes + _PART_BYTES * (len(sizer.arrays) + 1)


def condense(model: Any, n_points: int = 5000) -> Any:
    """A copy of a fitted model without the training rows of its graph.

    New rows are compared with the nearest means of training rows, at least five rows
    each, in place of the rows themselves. The file is smaller, predictions are faster
    and a little less accurate: see :doc:`/model_files`. Labeled rows and up to 500
    landmarks stay inside. Models without a graph of nearest neighbors, or with fewer
    rows, stay as they are.

    Parameters
    ----------
    model : Estimator, or Pipeline that ends with one
        Fitted, on rows that are not sparse.
    n_points : int, default=5000
        Number of means, at most a tenth of the rows.

    Returns
    -------
    model
        A copy for predictions; it can neither be updated nor suggest rows to label.

    Examples
    --------
    >>> import widemargin
    >>> from widemargin.datasets import hide_labels, make_two_moons
    >>> X, y = make_two_moons(1000, random_state=0)
    >>> model = widemargin.SpectralClassifier(random_state=0)
    >>> model = model.fit(X, hide_labels(y, 6, rng=0))
    >>> small = widemargin.condense(model, 100)
    >>> bool((small.predict(X) == model.predict(X)).mean() > 0.99)
    True
    """
    check_is_fitted(model)
    if not isinstance(n_points, numbers.Integral) or n_points < 1:
        raise ValueError(
            f"n_points of condense must be a whole number >= 1, got {n_points!r}."
        )
    return _condensed(model, n_points)


def _condensed(part, n_points):
    """A copy of a stored part, an estimator or a pipeline, see `condense`."""
    from widemargin.estimators._estimator import Estimator  # takes time to import

    if isinstance(part, Stored):
        return part.condensed(n_points)
    small = copy(part)
    if isinstance(part, Pipeline):
        name, last = part.steps[-1]
        small.steps = [*part.steps[:-1], (name, _condensed(last, n_points))]
    elif isinstance(part, Estimator):
        for name in part.training_state:
            vars(small).pop(name, None)
        state = {name: v for name, v in vars(small).items() if name in part.saved_state}
        shrink = partial(_condensed, n_points=n_points)
        vars(small).update(replace_parts(state, (Stored, BaseEstimator), shrink))
    return small


def load(path: str | PathLike[str]) -> Any:
    """Load a model from a file that `save` wrote.

    Loading runs and imports nothing from the file. Before any object is built, the
    types in the file are compared with those of widemargin, of plug-ins and of the
    steps that `save` names. The loaded model must predict finite numbers for trial
    rows. Plug-ins of installed packages are imported first (:mod:`widemargin.plugins`).

    Parameters
    ----------
    path : str or Path

    Returns
    -------
    estimator
        Its predictions equal those of the saved model; `update`, `suggest` and
        `explain` need a new fit. Its attribute ``privacy_`` is a sentence on the
        training rows in the file.

    Raises
    ------
    ModelFileError
        A ValueError: the file is damaged, contains a type that is not allowed, or has
        the format of release 0.1.

    Warns
    -----
    UserWarning
        If another version of widemargin wrote the file, or another version of
        scikit-learn a step of a pipeline.

    Examples
    --------
    >>> import widemargin
    >>> model = widemargin.load("moons.wm")  # doctest: +SKIP
    """
    data = Path(path).read_bytes()
    load_plugins()
    try:
        model, version = from_bytes(data)
    except ModelFileError as error:
        raise ModelFileError(
            f"{path} is not a model file that widemargin {__version__} can load: it "
            f"{error}."
        ) from error
    if version != __version__:
        warnings.warn(
            f"{path} was saved by widemargin {version} and is loaded by {__version__}; "
            "predictions may differ. Fit and save the model again.",
            UserWarning,
            stacklevel=2,
        )
    return model


def to_bytes(model, *, version=__version__):
    """The file of a fitted model, which may be one that `from_bytes` refuses."""
    from widemargin.model_files.tree import Writer  # takes time to import

    writer, made_with = Writer(), {"widemargin": version, "numpy": np.__version__}
    made_with["scikit-learn"] = sklearn.__version__
    try:
        node = writer.node(model, type(model).__name__)
    except ModelFileError:
        raise
    except Exception as error:  # whatever the parts of a foreign class raise
        raise ModelFileError(
            f"holds an object that cannot be written ({error})"
        ) from error
    tree = {"format": _FORMAT, "versions": made_with, "model": node}
    return write_archive(tree, writer.arrays)


def from_bytes(data):
    """The model in a file, and the version that wrote it; runs nothing of the bytes."""
    from widemargin.model_files.parts import describe_privacy
    from widemargin.model_files.tree import Reader

    try:
        tree, arrays = read_archive(data)
        version = _read_version(tree)
        model = Reader(arrays).read(tree["model"], "model")()
        _check_model(model)
        model.privacy_ = describe_privacy(model)
    except ModelFileError:
        raise
    except Exception as error:  # of parts that are nested too deep or do not fit
        text = f"holds parts that do not fit each other ({error})"
        raise ModelFileError(text) from error
    return model, version


def _read_version(tree):
    """The version of widemargin that wrote a tree, if it is one of this format."""
    versions = tree.get("versions") if isinstance(tree, dict) else None
    version = versions.get("widemargin") if isinstance(versions, dict) else None
    if not isinstance(version, str) or tree.keys() != {"format", "versions", "model"}:
        raise ModelFileError("was not written by widemargin")
    if tree["format"] != _FORMAT:
        raise ModelFileError(
            f"was saved by widemargin {version[:30]} in format {tree['format']!r}, and "
            f"this version reads format {_FORMAT}"
        )
    return version


def _check_model(model):
    """Raise ValueError unless it is an estimator, or a pipeline that ends with one."""
    from widemargin.estimators._estimator import Estimator, last_step
    from widemargin.model_files.preparers import check_step, trial_rows

    last = last_step(model)
    if not isinstance(last, Estimator):
        raise ModelFileError(
            f"holds {type(last).__name__} in place of an estimator of widemargin"
        )
    if last is model:
        model.check_state()
    else:
        check_step(model)
        rows = trial_rows(model)
        if rows is not None:
            _try_prediction(model, rows)
    _try_prediction(last, _rows_for(last))


def _rows_for(estimator):
    """Rows for which a wrong number would show: usual ones, large ones, stored ones."""
    from widemargin.model_files.parts import stored_rows

    row = estimator.trial_row()
    if row is not None:
        return row
    n_features = estimator.n_features_in_
    n_rows = min(_TRIAL_CELLS // n_features, _TRIAL_ROWS)
    if n_rows < 2:  # zeros, which take no memory
        return sparse.csr_matrix((1, n_features))
    usual = np.random.default_rng(0).normal(size=(n_rows, n_features))
    usual[: n_rows // 4] *= _LARGE
    usual[0] = 0.0
    stored = [usual]
    for rows in stored_rows(estimator):
        if rows.shape[1] == n_features:
            part = rows[:: max(1, rows.shape[0] // n_rows + 1)]
            stored.append(part.toarray() if sparse.issparse(part) else part)
    return np.vstack(stored)


def _try_prediction(model, rows):
    """Raise ValueError unless a model predicts rows by finite numbers."""
    name = type(model).__name__
    n_rows = rows.shape[0] if hasattr(rows, "shape") else len(rows)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # rows may have no names of features
        for method in ("predict", "decision_function", "predict_proba"):
            if not hasattr(model, method):
                continue
            try:
                found = np.asarray(getattr(model, method)(rows))
            except Exception as error:  # whatever wrong parts lead to
                raise ValueError(f"{method} of {name} fails: {error}") from error
            is_finite = method == "predict" or np.isfinite(found).all()
            if len(found) != n_rows or not is_finite:
                raise ValueError(f"{method} of {name} gives no finite numbers")
