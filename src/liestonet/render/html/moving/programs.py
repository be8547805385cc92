"""Generators in the form that the page evaluates: formulas as trees of a few operations, series as coefficients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from liestonet.core.coordinate import Coordinate, recurrence
from liestonet.core.points import lattice_cloud
from liestonet.formulas.closed_fields import ClosedFields
from liestonet.render.html.moving.embedding import rounded
from liestonet.render.html.moving.tuning import MOVING
from liestonet.symmetry.determining.fields import Fields

if TYPE_CHECKING:
    import sympy

# The operations that the page can evaluate (templates/scripts/fields.js).
FUNCTIONS = frozenset(
    {"exp", "log", "sin", "cos", "tan", "sinh", "cosh", "tanh", "asin", "acos", "atan", "Abs", "sign"}
)
MOST_OPERATIONS = 400
DIGITS = 14  # flows are compared to 1e-6, and coefficients of high degree cancel


class NotOnThePage(Exception):
    """A formula with a function that the page cannot evaluate, or one that is too long."""


def tree(expression: sympy.Expr, symbols: Sequence[sympy.Symbol]) -> Any:
    """A formula as nested lists: numbers, ["v", position], [operation, argument, …]."""
    import sympy

    if int(sympy.count_ops(expression)) > MOST_OPERATIONS:
        raise NotOnThePage
    places = {symbol: position for position, symbol in enumerate(symbols)}

    def of(node: Any) -> Any:
        if node in places:
            return ["v", places[node]]
        if node.is_number:
            return _number(node)
        if isinstance(node, sympy.Add | sympy.Mul | sympy.Pow):
            name = {sympy.Add: "+", sympy.Mul: "*", sympy.Pow: "^"}[node.func]
            return [name, *map(of, node.args)]
        name = type(node).__name__
        if name in FUNCTIONS and len(node.args) == 1:
            return [name, of(node.args[0])]
        raise NotOnThePage

    return of(sympy.sympify(expression))


def _number(node: Any) -> float:
    value = complex(node.evalf(17))
    if value.imag or not np.isfinite(value.real):
        raise NotOnThePage
    return value.real


def field_program(generators: Fields | ClosedFields, k: int, variables: int) -> dict[str, Any]:
    """One generator (τ, ξ) in the form that the page evaluates: its formula if it is proved, else its series.

    A formula that the page cannot evaluate, for example with an error function, is replaced by the series if they
    agree; the program then contains the `limits` between which they do.
    """
    if not isinstance(generators, ClosedFields):
        return {"series": _series(generators, k, variables)}
    row = generators.closed[k]
    try:
        if row is not None:
            return {"formula": [tree(entry, generators.symbols) for entry in row[:variables]]}
    except NotOnThePage:
        if not _agree(generators, k):
            raise
        limits = [list(interval) for interval in generators.basis.domain.intervals]
        return {"series": _series(generators.series, k, variables), "limits": limits}
    return {"series": _series(generators.series, k, variables)}


def _agree(generators: ClosedFields, k: int) -> bool:
    """Whether the series of a generator agrees with its formula in the whole box, far below visible differences."""
    points = lattice_cloud(generators.basis.domain, MOVING.compared).points
    own, series = (each.components(points, [()])[()][k] for each in (generators, generators.series))
    largest = np.abs(own).max(axis=0)
    return bool(np.isfinite(own).all() and (np.abs(own - series).max(axis=0) <= MOVING.agreement * largest).all())


def _series(fields: Fields, k: int, variables: int) -> list[dict[str, Any]]:
    """Degrees and coefficients of every component, without those that vanish."""
    parts = []
    for unknown in range(variables):
        values = fields.basis.scales[unknown] * fields.coefficients[fields.basis.columns(unknown), k]
        kept = np.flatnonzero(values)
        degrees = fields.basis.degrees[unknown][kept]
        parts.append({"degrees": degrees.tolist(), "coefficients": rounded(values[kept], DIGITS)})
    return parts


def coordinate_programs(fields: Fields) -> list[dict[str, Any]]:
    """The orthonormal functions of every variable: the map, and the recurrence (docs/method.md §3.2)."""
    return [
        _coordinate(coordinate, int(degree))
        for coordinate, degree in zip(fields.basis.domain.coordinates, fields.basis.highest, strict=True)
    ]


def _coordinate(coordinate: Coordinate, degree: int) -> dict[str, Any]:
    if coordinate.periodic:
        return {"half": coordinate.half, "waves": True}
    middle, side = recurrence(coordinate, degree)
    ends = [coordinate.low, coordinate.high]
    return {
        "ends": ends,
        "below": coordinate.below,
        "above": coordinate.above,
        "middle": middle[:degree].tolist(),
        "side": side[:degree].tolist(),
    }
