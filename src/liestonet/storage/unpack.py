"""Conversion of JSON and arrays back to values: registered classes only, every field checked against its type."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from liestonet.errors import InputError
from liestonet.storage.consistency import check_value
from liestonet.storage.container import SCHEMA, Arrays
from liestonet.storage.converters import converted
from liestonet.storage.equation import StoredEquation
from liestonet.storage.expressions import read_expressions
from liestonet.storage.registry import stored_class
from liestonet.storage.types import matches

MOST_LEVELS, LONGEST_TEXT = 20, 100_000
FLOATS = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}


def unpack(content: Any, arrays: Arrays, what: str, schema: int = SCHEMA) -> Any:
    """The value stored in a file; `what` names the file in messages."""
    try:
        present = converted(content, schema)
        reader = Unpacker(present, arrays)
        return reader.decode(present["root"])
    except InputError as problem:
        raise InputError(f"{what} holds an impossible value: {problem}") from problem
    except (ValueError, TypeError, KeyError, IndexError, ArithmeticError, AttributeError, RecursionError) as problem:
        reason = str(problem) if type(problem) is ValueError else "its parts do not fit together"
        raise InputError(
            f"{what} is not a result that this LieStoNet can read ({reason}); use a copy that was not edited."
        ) from problem


class Unpacker:
    """Builds the objects of a file in order; each can refer to earlier ones only."""

    def __init__(self, content: Any, arrays: Arrays) -> None:
        if not isinstance(content, dict) or content.keys() != {"written_by", "root", "objects", "expressions"}:
            raise ValueError("its content has unexpected parts")
        self.arrays = arrays
        self.written_by = content["written_by"]
        self.expressions = read_expressions(content["expressions"]) if content["expressions"] else []
        self.objects: list[Any] = []
        for row in content["objects"]:
            self.objects.append(self._object(row))

    def decode(self, value: Any, level: int = 0) -> Any:
        """The inverse of `Packer.encode`."""
        if level > MOST_LEVELS:
            raise ValueError("it is nested too deeply")
        if isinstance(value, str):
            return _text(value)
        if isinstance(value, list):
            return tuple(self.decode(item, level + 1) for item in value)
        if not isinstance(value, dict):
            return value
        if len(value) != 1:
            raise ValueError("a value has more than one kind")
        ((kind, inside),) = value.items()
        if kind not in READERS:
            raise ValueError(f"{kind[:40]!r} is not a kind of value")
        return READERS[kind](self, inside, level + 1)

    def _object(self, row: Any) -> Any:
        name, fields = row["class"], row["fields"]
        known = stored_class(name) if isinstance(name, str) else None
        if known is None:
            raise ValueError(f"{str(name)[:40]!r} is not a class that a file of this version may hold")
        if extra := fields.keys() - known.types.keys():
            raise ValueError(
                f"{name} has no field {min(extra)[:40]!r} in this version; the file is of {self.written_by!s:.20}"
            )
        if missing := known.required - fields.keys():
            raise ValueError(f"{name} has no field {min(missing)!r} in the file; it is of {self.written_by!s:.20}")
        values = {field: self.decode(value) for field, value in fields.items()}
        for field, value in values.items():
            if not matches(value, known.types[field]):
                raise ValueError(f"{field!r} of {name} has a wrong type")
        made = known.made(**values)
        check_value(name, made)
        return made.equation() if isinstance(made, StoredEquation) else made

    def read_array(self, name: Any, level: int) -> np.ndarray:
        return self.arrays[name]

    def read_object(self, number: Any, level: int) -> Any:
        return self.objects[_index(number)]

    def read_expression(self, number: Any, level: int) -> Any:
        return self.expressions[_index(number)]

    def read_float(self, name: Any, level: int) -> float:
        return FLOATS[name]

    def read_list(self, items: Any, level: int) -> list[Any]:
        return list(self.decode(_listed(items), level))

    def read_map(self, pairs: Any, level: int) -> dict[Any, Any]:
        return {self.decode(key, level): self.decode(value, level) for key, value in map(_listed, _listed(pairs))}

    def read_sparse(self, parts: Any, level: int) -> Any:
        """A sparse matrix with checked indices: multiplication relies on them."""
        from scipy import sparse

        shape, *arrays = _listed(parts)
        data, indices, indptr = (self.decode(part, level) for part in arrays)
        rows, columns = map(_index, shape)
        if len(indptr) != rows + 1:
            raise ValueError("a sparse matrix has a wrong number of rows")
        made = sparse.csr_array((data, indices, indptr), shape=(rows, columns))
        made.check_format(full_check=True)
        return made

    def read_matrix(self, parts: Any, level: int) -> Any:
        from sympy import ImmutableMatrix

        rows, columns, entries = _listed(parts)
        if _index(rows) * _index(columns) != len(_listed(entries)):
            raise ValueError("a matrix has a wrong number of entries")
        return ImmutableMatrix(rows, columns, [self.expressions[_index(number)] for number in entries])


READERS: dict[str, Callable[[Unpacker, Any, int], Any]] = {
    "array": Unpacker.read_array,
    "object": Unpacker.read_object,
    "expression": Unpacker.read_expression,
    "float": Unpacker.read_float,
    "list": Unpacker.read_list,
    "map": Unpacker.read_map,
    "sparse": Unpacker.read_sparse,
    "matrix": Unpacker.read_matrix,
}


def _text(text: str) -> str:
    """A text; one with control characters, which a terminal could execute, or lone surrogates is refused."""
    if len(text) > LONGEST_TEXT or not all(c.isprintable() or c in "\n\t" for c in text):
        raise ValueError("a text in it is too long or has control characters")
    return text


def _index(number: Any) -> int:
    if type(number) is not int or not 0 <= number < 2**31:
        raise ValueError("not the number of an entry")
    return number


def _listed(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError("not a list")
    return value
