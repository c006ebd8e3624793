"""The bytes of a model file."""

import io

import numpy as np
import sklearn

from widemargin._version import __version__
from widemargin.model_files.allowed import TRUSTED
from widemargin.model_files.archive import open_archive
from widemargin.model_files.errors import ModelFileError
from widemargin.model_files.fitted import check_fitted
from widemargin.model_files.packing import pack, unpack
from widemargin.model_files.privacy import describe_privacy
from widemargin.model_files.schema import check_schema

_FORMAT = 1


def to_bytes(model):
    """A fitted model as bytes; `ModelFileError` if `from_bytes` would refuse them."""
    skops_io = _import_skops()
    versions = {
        "widemargin": __version__,
        "numpy": np.__version__,
        "scikit-learn": sklearn.__version__,
    }
    content = {"format": _FORMAT, "versions": versions, "model": pack(model)}
    data = _written(skops_io, content)
    check_schema(open_archive(data))
    check_fitted(model)
    return data


def from_bytes(data):
    """The model, and the versions that it was saved with; runs nothing of the bytes."""
    skops_io = _import_skops()
    try:
        check_schema(open_archive(data))
        content = _build(skops_io, data)
        model = content["model"]
        check_fitted(unpack(model))
        model.privacy_ = describe_privacy(model)
    except ModelFileError:
        raise
    except Exception as error:  # of parts that are nested too deep or do not fit
        raise ModelFileError(f"is damaged ({type(error).__name__}: {error})") from error
    return model, content["versions"]


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


def _import_skops():
    try:
        import skops.io
    except ImportError as error:
        raise ImportError(
            "model files need skops, which is not installed: pip install skops"
        ) from error
    return skops.io
