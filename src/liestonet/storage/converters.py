"""Converters of files from earlier schemas to the present one: one function per schema.

A converter works on plain JSON, before any object is made; its output is checked like any other content.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Content = dict[str, Any]
Row = dict[str, Any]
# Fields that schema 1 kept in the result and schema 2 keeps in its findings: old name and new name.
OF_BOTH = {"gap": "gap", "validation": "validation"}
OF_EQUATIONS = {
    "surrogate": "equation",
    "bound": "bound",
    "draws": "draws",
    "parametric_brackets": "parametric_brackets",
}
OF_DATA = {
    "surrogate": "surrogate",
    "data": "data",
    "standards": "criteria",
    "refit": "refit",
    "law_dimension": "law_dimension",
    "training": "training",
}
STAY = {
    "symmetry", "dimension", "names", "domain", "fields", "directions", "ladder", "algebra", "closed_forms", "flags",
    "provenance",
}  # fmt: skip


def converted(content: Any, schema: int) -> Any:
    """Content of an earlier schema, converted to the present one."""
    for step in range(schema, schema + len(CONVERTERS)):
        if step in CONVERTERS and isinstance(content, dict):
            content = CONVERTERS[step](content)
    return content


def _findings_apart(content: Content) -> Content:
    """Schema 1 to 2: fields that depend on the equation or on data move from the result into its findings."""
    objects: list[Row] = []
    places: dict[int, int] = {}
    for number, row in enumerate(content["objects"]):
        moved = {**row, "fields": _renumbered(row["fields"], places)}
        if row["class"] == "Result":
            moved = _split(moved, objects)
        places[number] = len(objects)
        objects.append(moved)
    return {**content, "root": _renumbered(content["root"], places), "objects": objects}


def _split(row: Row, objects: list[Row]) -> Row:
    """A result's row without the fields of its findings, which are added to the objects."""
    fields = row["fields"]
    from_data = fields.get("standards") is not None
    taken = OF_BOTH | (OF_DATA if from_data else OF_EQUATIONS)
    objects.append(
        {
            "class": "DataFindings" if from_data else "EquationFindings",
            "fields": {new: fields[old] for old, new in taken.items() if old in fields},
        }
    )
    # a field that is neither known nor at its old default is refused when the result is built
    known = {*OF_BOTH, *OF_DATA, *OF_EQUATIONS}
    rest = {name: value for name, value in fields.items() if name in STAY or name not in known}
    return {**row, "fields": {"closed_forms": [], **rest, "findings": {"object": len(objects) - 1}}}


def _renumbered(value: Any, places: dict[int, int]) -> Any:
    """The value with references to objects by their new numbers."""
    if isinstance(value, list):
        return [_renumbered(item, places) for item in value]
    if not isinstance(value, dict):
        return value
    if value.keys() == {"object"}:
        return {"object": places.get(value["object"], value["object"])}
    return {key: _renumbered(item, places) for key, item in value.items()}


CONVERTERS: dict[int, Callable[[Content], Content]] = {1: _findings_apart}
