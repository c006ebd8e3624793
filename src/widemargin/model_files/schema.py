"""The check of a model file's types, before skops makes anything of them."""

import dataclasses
import inspect
import json
import numbers

import numpy as np

from widemargin.model_files.allowed import (
    KEYS,
    MACHINES,
    OBJECTS,
    SCALARS,
    TYPES,
    VALUES,
)
from widemargin.model_files.errors import ModelFileError
from widemargin.model_files.packing import KEPT

_DEEPEST = 40
_OLDEST_PROTOCOL = 2


def check_schema(archive):
    """Raise `ModelFileError` unless every node of the tree is one that we know.

    A node is known by what loads it together with the type that it makes: skops
    imports and calls what these name.
    """
    protocol = archive.schema.get("protocol")
    if type(protocol) is not int or protocol < _OLDEST_PROTOCOL:
        raise ModelFileError(f"has the protocol {protocol!r} of skops")
    _Check(archive.arrays).node(archive.schema, "file")


class _Check:
    """A walk over the tree; `where` is the path of attributes that led to a node."""

    def __init__(self, arrays):
        self.arrays = arrays
        self.seen = {}  # by the number that skops knows a node by
        self.depth = 0

    def node(self, node, where):
        if not isinstance(node, dict):
            raise ModelFileError(f"holds something that is no node at {where}")
        module, name = node.get("__module__"), node.get("__class__")
        made, loader = f"{module}.{name}", node.get("__loader__")
        check = _CHECKS.get(loader) if isinstance(loader, str) else None
        if check is None:
            raise ModelFileError(f"holds {made} at {where} (made by {loader})")
        self._remember(node, where)
        if self.depth > _DEEPEST:
            raise ModelFileError(f"is nested too deep at {where}")
        self.depth += 1
        check(self, node, made, where)
        self.depth -= 1

    def _remember(self, node, where):
        """One number, one node: skops makes the second of two from the first."""
        number = node.get("__id__")
        if number is None:
            return
        if type(number) is not int:
            raise ModelFileError(f"holds something under no number at {where}")
        first = self.seen.setdefault(number, node)
        if first is not node and self._meaning(first) != self._meaning(node):
            raise ModelFileError(f"holds two things under one number at {where}")

    def _meaning(self, node):
        """What a node stands for, whatever the numbers of its parts."""
        if isinstance(node, list):
            return [self._meaning(part) for part in node]
        if not isinstance(node, dict):
            return node
        meaning = {
            key: self._meaning(part) for key, part in node.items() if key != "__id__"
        }
        if node.get("__loader__") == "DTypeNode":  # known by an empty array of its own
            content = _get(node, "content", dict, "a dtype")
            meaning["content"] = str(self.arrays.get(str(content.get("file"))))
        return meaning

    def dict(self, node, made, where):
        _expect(made, ["builtins.dict"], where)
        self._items(node, where)

    def _items(self, node, where):
        content, keys = _get(node, "content", dict, where), node.get("key_types")
        self.node(keys, f"{where}.keys")
        if keys["__loader__"] != "ListNode" or len(keys["content"]) != len(content):
            raise ModelFileError(f"holds a dict without types of its keys at {where}")
        for key in keys["content"]:
            made = f"{key.get('__module__')}.{key.get('__class__')}"
            if key.get("__loader__") != "TypeNode" or made not in KEYS:
                raise ModelFileError(
                    f"holds a dict with keys of type {made} at {where}"
                )
        for name, value in content.items():
            self.node(value, f"{where}.{name}")

    def list(self, node, made, where):
        _expect(made, ["builtins.list"], where)
        self._members(node, where)

    def tuple(self, node, made, where):
        _expect(made, ["builtins.tuple"], where)
        self._members(node, where)

    def _members(self, node, where):
        for i, member in enumerate(_get(node, "content", list, where)):
            self.node(member, f"{where}[{i}]")

    def json(self, node, made, where):
        _expect(made, ["builtins.str"], where)
        _scalar(node, where)

    def type(self, node, made, where):
        _expect(made, TYPES, where)

    def slice(self, node, made, where):
        _expect(made, ["builtins.slice"], where)
        content = _get(node, "content", dict, where)
        ends = [content.get(name) for name in ("start", "stop", "step")]
        if not all(end is None or type(end) is int for end in ends):
            raise ModelFileError(f"holds a slice {ends} at {where}")

    def array(self, node, made, where):
        _expect(made, [*SCALARS, "numpy.ndarray"], where)
        if node.get("type") == "json" and made == "numpy.ndarray":
            self._object_array(node, where)
            return
        file = node.get("file")
        if node.get("type") != "numpy" or not isinstance(file, str):
            raise ModelFileError(f"holds an array without numbers at {where}")
        if file not in self.arrays:
            raise ModelFileError(f"lacks the array {file} of {where}")
        dtype, shape = self.arrays[file]
        kind = np.dtype(SCALARS.get(made, dtype)).kind
        if dtype.kind != kind or (made in SCALARS and shape != ()):
            raise ModelFileError(f"holds {made} of dtype {dtype}, {shape}, at {where}")

    def _object_array(self, node, where):
        """A vector of objects may hold names and numbers only."""
        members = _get(node, "content", list, where)
        for i, member in enumerate(members):
            self.node(member, f"{where}[{i}]")
            if member["__loader__"] != "JsonNode":
                made = f"{member['__module__']}.{member['__class__']}"
                raise ModelFileError(f"holds {made} in an array at {where}")
        shape = node.get("shape")
        self.node(shape, f"{where}.shape")
        sizes = [_scalar(size, where) for size in _get(shape, "content", list, where)]
        if shape["__loader__"] != "TupleNode" or sizes != [len(members)]:
            raise ModelFileError(f"holds an array of objects, {sizes}, at {where}")

    def dtype(self, node, made, where):
        _expect(made, ["numpy.dtype"], where)
        content = _get(node, "content", dict, where)
        self.node(content, where)
        if content["__loader__"] != "NdArrayNode":
            raise ModelFileError(f"holds a dtype without an array at {where}")

    def object(self, node, made, where):
        _expect(made, OBJECTS, where)
        content = _get(node, "content", dict, where)
        self.node(content, where)
        names = set()
        if content["__loader__"] == "DictNode":
            names = set(content["content"])
            types = {key["__class__"] for key in content["key_types"]["content"]}
        elif content["__loader__"] == "JsonNode":  # an object without attributes
            types = set() if _scalar(content, where) is None else {"str"}
        else:
            types = {content["__loader__"]}
        if not types <= {"str"} or (types and not names):
            raise ModelFileError(f"holds {made} without attributes at {where}")
        _check_names(made, names, where)


def _check_names(made, names, where):
    """Attributes must be those of the class, and hide none of its methods."""
    cls = OBJECTS[made]
    if made in VALUES:
        wrong = names ^ {field.name for field in dataclasses.fields(cls)}
    elif made in MACHINES:
        wrong = names - set(inspect.signature(cls).parameters) - KEPT
    else:
        hidden = {name for name in names if callable(getattr(cls, name, None))}
        # NumPy would take __array_interface__ of any object for an array in memory
        wrong = hidden | {
            name for name in names if name.startswith("__") or not name.isidentifier()
        }
    if wrong:
        listed = ", ".join(sorted(wrong)[:5])
        raise ModelFileError(
            f"holds {made} with wrong attributes ({listed}) at {where}"
        )


def _expect(made, names, where):
    if made not in names:
        raise ModelFileError(f"holds {made} at {where}")


def _get(node, key, cls, where):
    value = node.get(key)
    if not isinstance(value, cls):
        raise ModelFileError(f"holds a node without {key} at {where}")
    return value


def _scalar(node, where):
    """The number, name, truth value or None that a node stands for."""
    if not isinstance(node, dict) or node.get("__loader__") != "JsonNode":
        raise ModelFileError(f"holds something that is no plain value at {where}")
    try:
        value = json.loads(_get(node, "content", str, where))
    except (ValueError, RecursionError) as error:
        raise ModelFileError(f"holds a damaged value at {where}: {error}") from error
    if value is not None and not isinstance(value, str | numbers.Real):
        raise ModelFileError(f"holds something that is no plain value at {where}")
    return value


_CHECKS = {
    "DTypeNode": _Check.dtype,
    "DictNode": _Check.dict,
    "JsonNode": _Check.json,
    "ListNode": _Check.list,
    "NdArrayNode": _Check.array,
    "ObjectNode": _Check.object,
    "SliceNode": _Check.slice,
    "TupleNode": _Check.tuple,
    "TypeNode": _Check.type,
}
