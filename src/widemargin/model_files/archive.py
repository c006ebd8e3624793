"""The zip file around a model: a tree in JSON, and plain arrays.

Stated sizes and types are compared with the bytes before any array is made.
"""

import io
import json
import math
import zipfile

import numpy as np

_TREE = "model.json"
_TREE_OF_FORMAT_1 = "schema.json"
_FORMAT_1 = (
    "is a skops file, such as those of widemargin 0.1, which this version does not "
    "read: fit the model again, or load the file with widemargin 0.1"
)
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the same bytes for the same model
_KINDS = "biufU"
_LARGEST_NUMBER = 8  # bytes; long doubles differ between computers


class ModelFileError(ValueError):
    """A model cannot be saved, or a file is not one that may be loaded."""


class ArrayPart:
    """An array in a file, known by its header until it is read."""

    def __init__(self, name, data):
        self._data, self._array = data, None
        self.shape = _read_shape(name, data)

    def read(self):
        """The array; the same one each time."""
        if self._array is None:
            self._array = np.load(io.BytesIO(self._data), allow_pickle=False)
        return self._array


def write_archive(tree, arrays):
    """The bytes of a file, from a JSON tree and arrays in NumPy's format by name."""
    stream = io.BytesIO()
    parts = {_TREE: json.dumps(tree, separators=(",", ":")).encode(), **arrays}
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as file:
        for name, data in parts.items():
            file.writestr(zipfile.ZipInfo(name, _EPOCH), data)
    return stream.getvalue()


def read_archive(data):
    """Tree and `ArrayPart` by name, stored without compression or overlap."""
    if not data.startswith(b"PK"):  # a table, a pickle, a picture
        raise ModelFileError("was not written by widemargin")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as file:
            parts = file.infolist()
            contents = {part.filename: None for part in parts}
            if len(contents) != len(parts):
                raise ModelFileError("holds two parts of the same name")
            for part in parts:
                if part.compress_type != zipfile.ZIP_STORED:
                    raise ModelFileError(f"holds a compressed part, {part.filename}")
            total = sum(part.file_size for part in parts)
            if total > len(data):
                raise ModelFileError(
                    f"states that it holds {total:,} bytes, but is {len(data):,} long"
                )
            contents = {part.filename: file.read(part) for part in parts}
        if _TREE not in contents:
            is_old = _TREE_OF_FORMAT_1 in contents
            raise ModelFileError(
                _FORMAT_1 if is_old else "was not written by widemargin"
            )
        tree = json.loads(contents.pop(_TREE))
    except ModelFileError:
        raise
    except Exception as error:  # zipfile raises many kinds of errors for damaged files
        raise ModelFileError(f"is damaged: {error}") from error
    return tree, {name: ArrayPart(name, part) for name, part in contents.items()}


def npy_bytes(array):
    """An array in NumPy's format."""
    stream = io.BytesIO()
    np.save(stream, array, allow_pickle=False)
    return stream.getvalue()


def _read_shape(name, part):
    """Shape of an array, which must have exactly the bytes that are there."""
    if not name.endswith(".npy"):
        raise ModelFileError(f"holds a part that is not an array, {name}")
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
    if not is_plain or (dtype.kind != "U" and dtype.itemsize > _LARGEST_NUMBER):
        raise ModelFileError(f"holds an array of dtype {dtype}, {name}")
    n_items, n_left = math.prod(shape), len(part) - stream.tell()
    fits = all(size >= 0 for size in shape) and n_items * dtype.itemsize == n_left
    if not fits or (dtype.itemsize == 0 and n_items > 0):
        raise ModelFileError(
            f"holds an array of shape {shape} and dtype {dtype} in {n_left:,} bytes, "
            f"{name}"
        )
    return shape
