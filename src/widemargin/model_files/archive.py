"""The parts of a model file, looked at before anything is made of them."""

import io
import json
import math
import zipfile
from dataclasses import dataclass

import numpy as np

from widemargin.model_files.errors import ModelFileError

SCHEMA = "schema.json"
_KINDS = "biufU"
_LARGEST_ITEM = 8  # bytes of a number


@dataclass(frozen=True)
class Archive:
    """What a model file says that it holds.

    Attributes
    ----------
    schema : dict
        The tree of types, as skops wrote it.
    arrays : dict of str to (dtype, shape)
        The header of each array in the file.
    """

    schema: dict
    arrays: dict


def open_archive(data):
    """Read the schema and the headers of the arrays; raise unless all fits the bytes.

    Parts are stored without compression and may not overlap, so that nothing can
    become larger than the file itself.
    """
    if not data.startswith(b"PK"):  # a table, a pickle, a picture
        raise ModelFileError("was not written by widemargin")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as file:
            parts = file.infolist()
            _check_parts(parts, len(data))
            contents = {part.filename: file.read(part) for part in parts}
        schema = json.loads(contents.pop(SCHEMA))
    except ModelFileError:
        raise
    except KeyError:
        raise ModelFileError(f"has no {SCHEMA}, which a model file has") from None
    except Exception as error:  # zipfile raises many kinds of errors for damaged files
        raise ModelFileError(f"is damaged: {error}") from error
    if not isinstance(schema, dict):
        raise ModelFileError(f"holds a {SCHEMA} that is not a tree of types")
    arrays = {name: _read_header(name, part) for name, part in contents.items()}
    return Archive(schema, arrays)


def _check_parts(parts, n_bytes):
    names = {part.filename for part in parts}
    if len(names) != len(parts):
        raise ModelFileError("holds two parts of the same name")
    for part in parts:
        if part.compress_type != zipfile.ZIP_STORED:
            raise ModelFileError(f"holds a compressed part, {part.filename}")
    total = sum(part.file_size for part in parts)
    if total > n_bytes:
        raise ModelFileError(
            f"says that it holds {total:,} bytes, and is {n_bytes:,} bytes long"
        )


def _read_header(name, part):
    """Type and shape of an array, which must have exactly the bytes that are there."""
    if not name.endswith(".npy"):
        raise ModelFileError(f"holds a part that is no array, {name}")
    stream = io.BytesIO(part)
    try:
        version = np.lib.format.read_magic(stream)
        if version != (1, 0):
            raise ModelFileError(f"holds an array of format {version}, {name}")
        shape, _, dtype = np.lib.format.read_array_header_1_0(stream)
    except ModelFileError:
        raise
    except Exception as error:  # a header is parsed as Python, with all its errors
        raise ModelFileError(f"holds a damaged array, {name}: {error}") from error
    if dtype.hasobject:
        raise ModelFileError(f"holds a pickled array (dtype {dtype}), {name}")
    is_plain = dtype.kind in _KINDS and dtype.names is None and dtype.subdtype is None
    if not is_plain or (dtype.kind != "U" and dtype.itemsize > _LARGEST_ITEM):
        raise ModelFileError(f"holds an array of dtype {dtype}, {name}")
    if any(size < 0 for size in shape):
        raise ModelFileError(f"holds an array of shape {shape}, {name}")
    n_items, n_left = math.prod(shape), len(part) - stream.tell()
    is_empty_type = dtype.itemsize == 0 and n_items > 0
    if is_empty_type or n_items * dtype.itemsize != n_left:
        raise ModelFileError(
            f"holds an array of shape {shape} and dtype {dtype} in {n_left:,} bytes, "
            f"{name}"
        )
    return dtype, shape
