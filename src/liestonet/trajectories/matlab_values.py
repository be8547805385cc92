"""The kinds of MATLAB variables, for all versions of files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

DEEPEST = 6
NUMBERS = ("double", "single", "logical", *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)))


@dataclass(frozen=True)
class Structs:
    """A struct array: its fields, and one dictionary for each element."""

    fields: tuple[str, ...]
    elements: list[dict[str, Any]]


@dataclass(frozen=True)
class Cells:
    """A cell array as a list of its items."""

    items: list[Any]


Value = np.ndarray | Structs | Cells


def spread(found: Mapping[str, Any]) -> dict[str, Value]:
    """Variables by name; fields of a single struct as variable.field."""
    variables: dict[str, Value] = {}
    for name, value in found.items():
        if isinstance(value, Structs) and len(value.elements) == 1:
            inner = {f"{name}.{field}": item for field, item in value.elements[0].items() if item is not None}
            variables |= spread(inner)
        elif isinstance(value, Value):
            variables[name] = value
    return variables
