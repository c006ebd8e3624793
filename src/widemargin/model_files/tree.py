"""A model as a tree of JSON, and back.

Plain values and lists stand for themselves. Everything else is a dict with one key that
says how to read it: ``{"tuple": [...]}``, ``{"array": "0.npy"}``, or ``{"object": NAME,
"parts": {...}}`` for an object of a class that `parts` knows.
"""

import hashlib
import re
from contextlib import contextmanager

import numpy as np
from scipy import sparse

from widemargin.model_files.archive import ModelFileError, npy_bytes
from widemargin.model_files.parts import (
    describe_unknown,
    known_classes,
    name_of,
)
from widemargin.model_files.preparers import Words

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
        if type(value) in (list, tuple):
            members = [
                self.node(member, f"{where}[{i}]", depth + 1)
                for i, member in enumerate(value)
            ]
            return members if type(value) is list else {"tuple": members}
        if type(value) is dict:
            return {"dict": self._items(value, where, depth)}
        if type(value) is np.ndarray:
            return self._array(value, where, depth)
        if sparse.issparse(value) or isinstance(value, Words):
            return self._packed(value)
        if isinstance(value, np.generic | np.dtype | slice | type):
            return self._small(value, where)
        return self._object(value, where, depth)

    def _items(self, items, where, depth):
        return [
            [
                self.node(key, f"{where}.keys", depth + 1),
                self.node(value, f"{where}[{key!r}]", depth + 1),
            ]
            for key, value in items.items()
        ]

    def _array(self, array, where, depth):
        if array.dtype.kind == "O":
            if array.ndim != 1:
                raise ModelFileError(f"holds a table of objects at {where}")
            return {"objects": self.node(array.tolist(), where, depth + 1)}
        try:
            data = npy_bytes(array)
        except ValueError as error:
            raise ModelFileError(f"holds {error} at {where}") from error
        digest = hashlib.sha256(data).digest()
        name = self._names.setdefault(digest, f"{len(self._names)}.npy")
        self.arrays[name] = data
        return {"array": name}

    def _packed(self, value):
        if isinstance(value, Words):
            return {"words": [self._array(part, "", 0) for part in value.parts()]}
        rows = value.tocsr()
        arrays = [self._array(part, "", 0) for part in _csr_parts(rows)]
        kind = "csr_array" if isinstance(value, sparse.sparray) else "csr_matrix"
        return {kind: [int(size) for size in rows.shape], "parts": arrays}

    def _small(self, value, where):
        if isinstance(value, slice):
            return {"slice": [value.start, value.stop, value.step]}
        if isinstance(value, np.dtype) and _DTYPE.fullmatch(value.str):
            return {"dtype": value.str}
        if isinstance(value, type) and value in _TYPES.values():
            return {"type": name_of(value)}
        if type(value) in _SCALARS.values():
            return {"scalar": name_of(type(value)), "value": value.item()}
        raise describe_unknown(value, where)

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


class Reader(_Walk):
    """Checks a whole tree before anything is made of it.

    Each reading function checks a node and returns a function without arguments that
    makes the value; the first of these is called when the last node has been checked.
    Names are looked up among the classes that exist, and never imported.

    Parameters
    ----------
    arrays : dict of str to ArrayPart
    """

    def __init__(self, arrays):
        super().__init__()
        self._arrays = arrays

    def read(self, node, where, depth=0):
        """A function that makes the value of a node; ModelFileError for a wrong one."""
        if depth > _DEEPEST:
            raise ModelFileError(f"is nested too deep at {where}")
        if isinstance(node, list):
            make = self._members(node, where, depth)
            return lambda: list(make())
        if not isinstance(node, dict):
            return lambda: node
        kind = next(iter(node), None)
        read = _READERS.get(kind)
        is_known = read is not None and node.keys() <= {kind, "parts", "value"}
        _require(is_known, node, where)
        return read(self, node, where, depth)

    def _members(self, nodes, where, depth):
        _require(isinstance(nodes, list), nodes, where)
        makes = [
            self.read(member, f"{where}[{i}]", depth + 1)
            for i, member in enumerate(nodes)
        ]
        return lambda: tuple(make() for make in makes)

    def _tuple(self, node, where, depth):
        return self._members(node["tuple"], where, depth)

    def _dict(self, node, where, depth):
        pairs = node["dict"]
        is_dict = isinstance(pairs, list) and all(
            isinstance(pair, list) and len(pair) == 2 and _is_scalar(pair[0])
            for pair in pairs
        )
        _require(is_dict, node, where)
        keys = self._members([key for key, _ in pairs], f"{where}.keys", depth)
        values = self._members([value for _, value in pairs], where, depth)
        return lambda: dict(zip(keys(), values(), strict=True))

    def _array(self, node, where, depth):
        name = node["array"]
        part = self._arrays.get(name) if isinstance(name, str) else None
        if part is None:
            raise ModelFileError(f"lacks the array {name!r} of {where}")
        return part.read

    def _objects(self, node, where, depth):
        members = node["objects"]
        fits = isinstance(members, list) and all(map(_is_scalar, members))
        _require(fits, node, where)
        make = self._members(members, where, depth)

        def build():
            array = np.empty(len(members), dtype=object)
            array[:] = make()
            return array

        return build

    def _csr(self, node, where, depth):
        kind = next(iter(node))
        shape, make = node[kind], self._members(node.get("parts"), where, depth)
        cls = sparse.csr_array if kind == "csr_array" else sparse.csr_matrix
        return lambda: _make_csr(cls, shape, *make())

    def _words(self, node, where, depth):
        make = self._members(node["words"], where, depth)
        return lambda: Words.from_parts(*make()).columns

    def _slice(self, node, where, depth):
        ends = node["slice"]
        fits = isinstance(ends, list) and len(ends) == 3
        fits = fits and all(end is None or type(end) is int for end in ends)
        _require(fits, node, where)
        return lambda: slice(*ends)

    def _dtype(self, node, where, depth):
        name = node["dtype"]
        fits = isinstance(name, str) and _DTYPE.fullmatch(name)
        _require(fits, node, where)
        return lambda: np.dtype(name)

    def _type(self, node, where, depth):
        cls = _look_up(_TYPES, node["type"], where)
        return lambda: cls

    def _scalar(self, node, where, depth):
        cls, value = _look_up(_SCALARS, node["scalar"], where), node.get("value")
        _require(value is not None and type(value) in _PLAIN, node, where)
        return lambda: cls(value)

    def _object(self, node, where, depth):
        name, parts = node["object"], node.get("parts")
        writing = _look_up(self.known, name, where)
        _require(isinstance(parts, dict), node, where)
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


_READERS = {
    "array": Reader._array,
    "csr_array": Reader._csr,
    "csr_matrix": Reader._csr,
    "dict": Reader._dict,
    "dtype": Reader._dtype,
    "object": Reader._object,
    "objects": Reader._objects,
    "scalar": Reader._scalar,
    "slice": Reader._slice,
    "tuple": Reader._tuple,
    "type": Reader._type,
    "words": Reader._words,
}


def _look_up(known, name, where):
    found = known.get(name) if isinstance(name, str) else None
    if found is None:
        raise ModelFileError(
            f"holds {str(name)[:80]} at {where}, which is not a class that a model "
            "file may hold (a plug-in must be imported before)"
        )
    return found


def _require(condition, node, where):
    if not condition:
        raise ModelFileError(f"holds {str(node)[:80]} at {where}")


def _is_scalar(node):
    return type(node) in _PLAIN or (isinstance(node, dict) and "scalar" in node)


def _csr_parts(rows):
    return rows.data, rows.indices, rows.indptr


def _make_csr(cls, shape, data, indices, indptr):
    """A CSR matrix; ValueError if the parts do not make one.

    Wrong positions would make compiled code write beyond an array.
    """
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
    return cls(parts, shape=(n_rows, n_columns))
