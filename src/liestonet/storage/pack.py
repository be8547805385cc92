"""Conversion of values to plain JSON and arrays: dataclasses by field; each object, array and expression once."""

from __future__ import annotations

from typing import Any

import numpy as np

from liestonet.errors import InputError
from liestonet.storage.container import DTYPES, Arrays
from liestonet.storage.equation import stored_equation
from liestonet.storage.expressions import ExpressionWriter
from liestonet.storage.registry import Stored, stored_class_of

KNOWN_DTYPES = set(DTYPES.values())


def pack(value: Any) -> tuple[dict[str, Any], Arrays]:
    """The content for the header, and the arrays it refers to."""
    import liestonet

    packer = Packer()
    root = packer.encode(value)
    content = {
        "written_by": liestonet.__version__,
        "root": root,
        "objects": packer.objects,
        "expressions": packer.expressions.rows,
    }
    return content, packer.arrays


class Packer:
    """Encodes values; objects refer only to earlier objects, so that a file has no circular references."""

    def __init__(self) -> None:
        self.objects: list[dict[str, Any]] = []
        self.arrays: Arrays = {}
        self.expressions = ExpressionWriter()
        self._places: dict[int, dict[str, Any]] = {}
        self._alive: list[Any] = []  # keeps objects alive, since the id of a deleted object can be reused
        self._domain: Any = None

    def encode(self, value: Any) -> Any:
        """A value in JSON; tuples become lists, other types that JSON lacks become objects with one key."""
        if isinstance(value, np.generic):
            value = value.item()
        if value is None or isinstance(value, bool | str):
            return value
        if isinstance(value, int):
            return value if abs(value) < 2**63 else self._refuse(value)
        if isinstance(value, float):
            return value if np.isfinite(value) else {"float": str(value)}
        if isinstance(value, list):
            return {"list": [self.encode(item) for item in value]}
        if isinstance(value, dict):
            return {"map": [[self.encode(key), self.encode(item)] for key, item in value.items()]}
        if type(value) is tuple:
            return [self.encode(item) for item in value]
        if id(value) not in self._places:
            self._places[id(value)] = self._encode_once(value)
            self._alive.append(value)
        return self._places[id(value)]

    def _encode_once(self, value: Any) -> dict[str, Any]:
        """Arrays, objects and expressions, which may occur several times and are stored once."""
        if isinstance(value, np.ndarray):
            return {"array": self._add_array(value)}
        if str(type(value).__module__).startswith("jaxlib."):  # weights of networks, stored as NumPy arrays
            return {"array": self._add_array(np.asarray(value))}
        if (known := stored_class_of(value)) is not None:
            return self._object(known, value)
        kind = type(value).__name__
        if kind == "SDE":
            return self.encode(stored_equation(value, self._domain))
        if kind == "csr_array":
            parts = [self.encode(part) for part in (value.data, value.indices, value.indptr)]
            return {"sparse": [list(value.shape), *parts]}
        if kind == "ImmutableDenseMatrix":
            return {"matrix": [*value.shape, [self.expressions.add(entry) for entry in value.flat()]]}
        return {"expression": self.expressions.add(value)} if _is_expression(value) else self._refuse(value)

    def _object(self, known: Stored, value: Any) -> dict[str, Any]:
        if known.name == "Result":
            self._domain = value.domain  # on which callable coefficients are projected
        fields = {name: self.encode(getattr(value, name)) for name in known.types}
        self.objects.append({"class": known.name, "fields": fields})
        return {"object": len(self.objects) - 1}

    def _add_array(self, array: np.ndarray) -> str:
        plain = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<")).reshape(array.shape)
        if plain.dtype not in KNOWN_DTYPES:
            return self._refuse(array)
        name = f"a{len(self.arrays)}"
        self.arrays[name] = plain
        return name

    def _refuse(self, value: Any) -> Any:
        what = f"an array of {value.dtype}" if isinstance(value, np.ndarray) else f"a {type(value).__name__}"
        raise InputError(f"The result holds {what}, which cannot be stored; save the result as JSON with to_json().")


def _is_expression(value: Any) -> bool:
    from sympy import Expr

    return isinstance(value, Expr)
