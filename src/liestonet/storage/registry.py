"""Which classes a file may hold: a fixed list, each under a name of its own that stays when the class moves.

A class is a frozen dataclass or a named tuple. A field added to one of them is stored without anything to be done here,
if it has a default; a new class needs a line in `HOMES`.
"""

from __future__ import annotations

from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import cache
from importlib import import_module
from typing import Any, get_type_hints

HOMES = {
    "Algebra": "liestonet.algebra.structure",
    "Basis": "liestonet.symmetry.basis",
    "ChebyshevCoefficients": "liestonet.sde.chebyshev",
    "Constant": "liestonet.algebra.formula",
    "Coordinate": "liestonet.trajectories.summary",
    "DataRecord": "liestonet.trajectories.record",
    "Domain": "liestonet.domain",
    "Errors": "liestonet.surrogate.covariance",
    "Estimate": "liestonet.surrogate.regression",
    "Expansion": "liestonet.sde.polynomial",
    "Features": "liestonet.surrogate.features",
    "Fields": "liestonet.symmetry.fields",
    "Flag": "liestonet.flags",
    "Formula": "liestonet.algebra.formula",
    "Gaps": "liestonet.trajectories.gaps",
    "Increments": "liestonet.trajectories.increments",
    "LadderRow": "liestonet.symmetry.ladder",
    "Overview": "liestonet.surrogate.overview",
    "Provenance": "liestonet.provenance",
    "Refit": "liestonet.surrogate.refit",
    "Result": "liestonet.result",
    "Standards": "liestonet.symmetry.search",
    "StoredEquation": "liestonet.storage.equation",
    "Summary": "liestonet.trajectories.summary",
    "Surrogate": "liestonet.surrogate.surrogate",
    "SymbolicCoefficients": "liestonet.sde.symbolic",
}
# What is computed on the way and can be done without afterwards.
LEFT_OUT = {"Refit": {"operator"}}


@dataclass(frozen=True)
class Stored:
    """A class that files may hold: the fields that are stored, with their types, and those that must be there."""

    name: str
    made: Any
    types: dict[str, Any]
    required: frozenset[str]


@cache
def stored_class(name: str) -> Stored | None:
    """The class of this name, if a file may hold it."""
    if name not in HOMES:
        return None
    made = getattr(import_module(HOMES[name]), name)
    hints = get_type_hints(made, include_extras=True)
    left = LEFT_OUT.get(name, set())
    if is_dataclass(made):
        kept = [field for field in fields(made) if not field.name.startswith("_") and field.name not in left]
        needed = [f.name for f in kept if f.default is MISSING and f.default_factory is MISSING]
        return Stored(name, made, {field.name: hints[field.name] for field in kept}, frozenset(needed))
    types = {field: hints[field] for field in made._fields}
    return Stored(name, made, types, frozenset(types.keys() - made._field_defaults.keys()))


def stored_class_of(value: Any) -> Stored | None:
    """The entry for a value's class, None where a file may not hold it."""
    found = stored_class(type(value).__name__)
    return found if found is not None and found.made is type(value) else None
