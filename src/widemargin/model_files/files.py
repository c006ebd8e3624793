"""Save and load fitted models."""

import io
import warnings
from pathlib import Path

import numpy as np
import sklearn
from sklearn.utils.validation import check_is_fitted

from widemargin._version import __version__
from widemargin.model_files.allowed import TRUSTED
from widemargin.model_files.archive import open_archive
from widemargin.model_files.errors import ModelFileError
from widemargin.model_files.fitted import check_fitted
from widemargin.model_files.packing import pack, unpack
from widemargin.model_files.privacy import describe_privacy
from widemargin.model_files.schema import check_schema
from widemargin.model_files.writing import write_whole

_FORMAT = 1


def save(model, path):
    """Write a fitted model to a file from which `load` makes it again.

    The file holds what prediction needs: parameters, the kernel, and the training rows
    that the model compares new ones with (support vectors or landmarks), in the type
    that they have. It does not hold ``transduction_``, ``labels_``, ``relevance_``,
    ``choice_``, nor other arrays with an entry for each training sample.

    Parameters
    ----------
    model : estimator of widemargin, or Pipeline that ends with one
        Fitted. The steps before it may be scikit-learn's scalers, imputers, encoders,
        PCA, TruncatedSVD and text vectorizers, also in a ColumnTransformer.
    path : str or Path
        An existing file is replaced, and is whole at any time: a crash leaves the old
        one.

    Raises
    ------
    ModelFileError
        If the model holds a function, a random generator or another type that `load`
        would refuse; nothing is written then.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import widemargin
    >>> from widemargin.datasets import hide_labels, make_two_moons
    >>> X, y = make_two_moons(100, random_state=0)
    >>> model = widemargin.LaplacianSVC().fit(X, hide_labels(y, 6, rng=0))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     widemargin.save(model, Path(folder) / "moons.wm")
    ...     again = widemargin.load(Path(folder) / "moons.wm")
    >>> bool((again.predict(X) == model.predict(X)).all())
    True
    """
    skops_io = _import_skops()
    check_is_fitted(model)
    versions = {
        "widemargin": __version__,
        "numpy": np.__version__,
        "scikit-learn": sklearn.__version__,
    }
    try:
        content = {"format": _FORMAT, "versions": versions, "model": pack(model)}
        data = _written(skops_io, content)
        check_schema(open_archive(data))  # nothing is written that `load` refuses
        check_fitted(model)
    except ModelFileError as error:
        raise ModelFileError(
            f"{type(model).__name__} cannot be saved: it {error}. Model files hold "
            "machines of widemargin, alone or after scikit-learn's scalers, imputers, "
            "encoders, PCA, TruncatedSVD and text vectorizers, without functions of "
            "one's own."
        ) from None
    write_whole(path, data)


def load(path):
    """Make a model again from a file that `save` wrote.

    Nothing in a file is run: its types are compared with a list of the machines of
    widemargin, the steps of scikit-learn that `save` names, arrays and plain values,
    before anything is made of it.

    Parameters
    ----------
    path : str or Path

    Returns
    -------
    estimator
        Its predictions equal those of the saved model; ``privacy_`` is a sentence on
        the training rows inside.

    Raises
    ------
    ModelFileError
        A ValueError: the file is damaged, or holds what it must not.

    Warns
    -----
    UserWarning
        If another version of widemargin wrote the file; scikit-learn warns about its
        own steps.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import widemargin
    >>> from widemargin.datasets import hide_labels, make_two_moons
    >>> X, y = make_two_moons(100, random_state=0)
    >>> model = widemargin.LaplacianSVC().fit(X, hide_labels(y, 6, rng=0))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     widemargin.save(model, Path(folder) / "moons.wm")
    ...     again = widemargin.load(Path(folder) / "moons.wm")
    >>> again.privacy_
    '100 training rows are inside: whoever has the file can read all features ...'
    """
    skops_io = _import_skops()
    data = Path(path).read_bytes()
    try:
        check_schema(open_archive(data))
        content = _build(skops_io, data)
        model = content["model"]
        check_fitted(unpack(model))
        versions = content["versions"]
        model.privacy_ = describe_privacy(model)
    except ModelFileError as error:
        raise ModelFileError(
            f"{path} is not a model file that can be trusted: it {error}."
        ) from error
    except Exception as error:  # types are known by now, but not their parts
        raise ModelFileError(
            f"{path} is not a model file that can be trusted: it is damaged "
            f"({type(error).__name__}: {error})."
        ) from error
    _warn_of_version(path, versions)
    return model


def _written(skops_io, content):
    """The bytes of a file."""
    try:
        return skops_io.dumps(content)
    except Exception as error:  # whatever the parts of a foreign step raise
        raise ModelFileError(f"holds what cannot be written ({error})") from error


def _build(skops_io, data):
    """What skops makes of the bytes that were checked."""
    content = skops_io.load(io.BytesIO(data), trusted=TRUSTED)
    if not isinstance(content, dict) or set(content) != {"format", "versions", "model"}:
        raise ModelFileError("was not written by widemargin")
    if content["format"] != _FORMAT:
        raise ModelFileError(
            f"has the format {content['format']!r}, and widemargin {__version__} reads "
            f"format {_FORMAT}"
        )
    if not isinstance(content["versions"], dict):
        raise ModelFileError("does not tell the versions that it was written with")
    return content


def _warn_of_version(path, versions):
    written = versions.get("widemargin")
    if written != __version__:
        warnings.warn(
            f"{path} was saved by widemargin {written} and is loaded by {__version__}; "
            "predictions may differ. Fit and save the model again.",
            UserWarning,
            stacklevel=3,
        )


def _import_skops():
    try:
        import skops.io
    except ImportError as error:
        raise ImportError(
            "model files need skops, which is not installed: pip install skops"
        ) from error
    return skops.io
