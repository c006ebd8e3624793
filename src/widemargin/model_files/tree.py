"""A model as a tree of JSON, and back.

Plain values and lists stand for themselves. Everything else is a dict that says how to
read it: ``{"array": "0.npy"}``, ``{"object": NAME, "parts": {...}}`` for an object of a
class that `parts` knows, or a kind with its members, such as ``{"tuple": [...]}``.
"""

import hashlib
import re
from contextlib import contextmanager

import numpy as np
from scipy import sparse

from widemargin.model_files.archive import ModelFileError, npy_bytes
from widemargin.model_files.parts import describe_unknown, known_classes, name_of

_PLAIN = (type(None), bool, int, float, str)
_DEEPEST = 60  # nodes inside of each other
_MOST_NESTED = 3  # estimators inside of each other

_SCALARS = {
    name_of(np.dtype(code).type): np.dtype(code).type
    for code in ("?", *"bhilq", *"BHILQ", "e", "f", "d", "U")  # no long doubles
}
_TYPES = _SCALARS | {name_of(cls): cls for cls in (bool, int, float, str)}
_DTYPE = re.compile(r"[<>|=]?([biuf][1-8]|U\d{1,6}|O)")


class _Walk:
    """What writing and reading share: the classes, and limits of depth."""

    def __init__(self):
        self.known = known_classes()
        self._outer = []  # how the objects around this node are written

    @contextmanager
    def inside(self, writing, name, where):
        """A walk into the parts of an object; raise if it does not belong there."""
        outer = self._outer[-1] if self._outer else None
        if outer is not None and writing.rank > outer.rank:
            raise ModelFileError(
                f"holds {name} at {where}, inside of {outer.cls.__name__}"
            )
        self._outer.append(writing)
        if sum(each.rank == 1 for each in self._outer) > _MOST_NESTED:
            raise ModelFileError(f"nests estimators too deep at {where}")
        yield
        self._outer.pop()


class Writer(_Walk):
    """Makes the tree of a model; arrays with the same bytes are written once."""

    def __init__(self):
        super().__init__()
        self.arrays = {}  # bytes in NumPy's format by the name of the part
        self._names = {}  # of arrays, by a digest of their bytes

    def node(self, value, where, depth=0):
        """The tree of a value; ModelFileError if a file cannot hold it."""
        if depth > _DEEPEST:
            raise ModelFileError(f"is nested too deep at {where}")
        if type(value) in _PLAIN:
            return value
        if type(value) is list:
            pairs = enumerate(value)
            return [self.node(part, f"{where}[{i}]", depth + 1) for i, part in pairs]
        if type(value) is dict:
            items = [
                [self.node(key, where), self.node(part, f"{where}[{key!r}]", depth + 2)]
                for key, part in value.items()
            ]
            return {"dict": items}
        if type(value) is np.ndarray and value.dtype.kind != "O":
            return {"array": self._array(value, where)}
        kind, members = _find_kind(value, where)
        if kind is not None:
            return {kind: self.node(members, where, depth)}
        return self._object(value, where, depth)

    def _array(self, value, where):
        """Keep an array; returns the name of its part."""
        try:
            data = npy_bytes(value)
        except ValueError as error:
            raise ModelFileError(f"holds {error} at {where}") from error
        digest = hashlib.sha256(data).digest()
        name = self._names.setdefault(digest, f"{len(self._names)}.npy")
        self.arrays[name] = data
        return name

    def _object(self, value, where, depth):
        name = name_of(type(value))
        writing = self.known.get(name)
        if writing is None or writing.cls is not type(value):
            raise describe_unknown(value, where)
        with self.inside(writing, name, where):
            parts = {
                key: self.node(part, f"{where}.{key}", depth + 1)
                for key, part in writing.take_apart(value).items()
            }
        return {"object": name, "parts": parts}


class Sizer(Writer):
    """Counts the bytes of arrays in place of writing them; shared ones once."""

    def _array(self, value, where):
        data = np.ascontiguousarray(value)
        digest = hashlib.sha256(data.view(np.uint8) if data.size else b"")
        self.arrays[data.dtype.str, data.shape, digest.digest()] = value
        return "0.npy"

    @property
    def n_bytes(self):
        """Bytes of all arrays."""
        return sum(array.nbytes for array in self.arrays.values())


def _find_kind(value, where):
    """The kind of a value and its members; None and None for an object."""
    if type(value) is tuple:
        return "tuple", list(value)
    if isinstance(value, np.ndarray) and value.dtype.kind == "O":
        if value.ndim != 1:
            raise ModelFileError(f"holds a table of objects at {where}")
        return "objects", value.tolist()
    if sparse.issparse(value):
        kind = "csr_array" if isinstance(value, sparse.sparray) else "csr_matrix"
        rows = value.tocsr()
        sizes = [int(size) for size in rows.shape]
        return kind, [sizes, rows.data, rows.indices, rows.indptr]
    if isinstance(value, slice):
        return "slice", [value.start, value.stop, value.step]
    if isinstance(value, np.dtype) and _DTYPE.fullmatch(value.str):
        return "dtype", [value.str]
    if isinstance(value, type) and value in _TYPES.values():
        return "type", [name_of(value)]
    if type(value) in _SCALARS.values():
        return name_of(type(value)), [value.item()]
    return None, None


class Reader(_Walk):
    """Checks a whole tree before anything is made of it.

    Each reading function checks a node and returns a function that makes the value; the
    first is called when all are checked. Names are looked up, and never imported.
    """

    def __init__(self, arrays):  # a dict of `ArrayPart`
        super().__init__()
        self._arrays = arrays

    def read(self, node, where, depth=0):
        """A function that makes the value of a node; ModelFileError for a wrong one."""
        if depth > _DEEPEST:
            raise ModelFileError(f"is nested too deep at {where}")
        if isinstance(node, list):
            nodes = enumerate(node)
            makes = [self.read(part, f"{where}[{i}]", depth + 1) for i, part in nodes]
            return lambda: [make() for make in makes]
        if not isinstance(node, dict):
            return lambda: node
        if node.keys() == {"object", "parts"}:
            return self._object(node, where, depth)
        _require(len(node) == 1, node, where)
        ((kind, members),) = node.items()
        if kind == "array":
            part = self._arrays.get(members) if isinstance(members, str) else None
            if part is None:
                raise ModelFileError(f"lacks the array {members!r} of {where}")
            return part.read
        _require(kind in _KINDS and isinstance(members, list), node, where)
        n_members, fits, build = _KINDS[kind]
        _require(n_members in (None, len(members)), node, where)
        _require(fits is None or all(map(fits, members)), node, where)
        make = self.read(members, where, depth)
        return lambda: build(*make())

    def _object(self, node, where, depth):
        name, parts = node["object"], node["parts"]
        _require(isinstance(name, str) and isinstance(parts, dict), node, where)
        writing = self.known.get(name)
        if writing is None:
            raise ModelFileError(
                f"holds {name[:80]} at {where}, which is not a class that a model file "
                "may hold (a plug-in must be imported before)"
            )
        wrong = writing.wrong_names(set(parts))
        if wrong:
            listed = ", ".join(sorted(wrong)[:5])
            raise ModelFileError(f"holds {name} with wrong parts ({listed}) at {where}")
        with self.inside(writing, name, where):
            makes = {
                key: self.read(part, f"{where}.{key}", depth + 1)
                for key, part in parts.items()
            }
        return lambda: writing.build({key: make() for key, make in makes.items()})


def _require(condition, node, where):
    if not condition:
        raise ModelFileError(f"holds {str(node)[:80]} at {where}")


def _is_scalar(node):
    is_number = isinstance(node, dict) and node.keys() <= _SCALARS.keys()
    return is_number or type(node) in _PLAIN


def _is_item(node):
    return isinstance(node, list) and len(node) == 2 and _is_scalar(node[0])


def _is_end(node):
    return node is None or type(node) is int


def _make_objects(*members):
    array = np.empty(len(members), dtype=object)
    array[:] = members
    return array


def _make_csr(shape, data, indices, indptr):
    """A CSR matrix; wrong positions would make compiled code write beyond an array."""
    n_rows, n_columns = (int(size) for size in shape)
    parts = (data, indices, indptr)
    if not all(isinstance(part, np.ndarray) and part.ndim == 1 for part in parts):
        raise ValueError("the parts of sparse rows must be vectors")
    if data.dtype.kind != "f" or indices.dtype.kind + indptr.dtype.kind != "ii":
        raise ValueError("sparse rows must be floats at integer positions")
    if len(indptr) != n_rows + 1 or len(data) != len(indices):
        raise ValueError("the parts of sparse rows differ in length")
    if indptr[0] != 0 or indptr[-1] != len(data) or (np.diff(indptr) < 0).any():
        raise ValueError("the rows of sparse rows must follow each other")
    if len(data) and not (indices.min() >= 0 and indices.max() < n_columns):
        raise ValueError(f"sparse rows must have columns below {n_columns}")
    return sparse.csr_matrix(parts, shape=(n_rows, n_columns))


_KINDS = {  # how many members, what nodes they may be, and the value of them
    "tuple": (None, None, lambda *members: members),
    "dict": (None, _is_item, lambda *items: dict(items)),
    "objects": (None, _is_scalar, _make_objects),
    "csr_matrix": (4, None, _make_csr),
    "csr_array": (4, None, lambda *parts: sparse.csr_array(_make_csr(*parts))),
    "slice": (3, _is_end, slice),
    "dtype": (1, lambda name: _DTYPE.fullmatch(str(name)), np.dtype),
    "type": (1, lambda name: str(name) in _TYPES, lambda name: _TYPES[name]),
    **{
        name: (1, lambda node: type(node) in _PLAIN, cls)
        for name, cls in _SCALARS.items()
    },
}
