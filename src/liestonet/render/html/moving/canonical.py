"""Canonical coordinates, in which the equation is simple, if a reduction is known: formulas of clock and state."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from liestonet.errors import InputError
from liestonet.render.html.moving.programs import NotOnThePage, tree
from liestonet.result import Result

# Fractions with larger numerators or denominators are shown as decimal numbers.
LONG = 1000

if TYPE_CHECKING:
    from liestonet.reduction.canonical import Canonical


def canonical_view(result: Result) -> dict[str, Any] | None:
    """The formulas of the new clock and coordinate, and a sentence on the equation in these."""
    from liestonet.reduction.canonical import canonical_coordinates

    try:
        found = canonical_coordinates(result)
        return None if found is None else _shown(found)
    except (InputError, NotOnThePage):
        return None


def _shown(found: Canonical) -> dict[str, Any]:
    """The formulas as trees, and their names."""
    from liestonet.reduction.wording import solution_text

    return {
        "clock": tree(found.clock, found.symbols),
        "state": tree(found.state, found.symbols),
        "labels": f"s = {solution_text(_short(found.clock))}, y = {solution_text(_short(found.state))}",
        "short": ["s", "y"],
    }


def _short(expression: Any) -> Any:
    """A formula for display, with fractions of many digits as decimal numbers."""
    import sympy

    long = [value for value in expression.atoms(sympy.Rational) if max(abs(value.p), value.q) > LONG]
    return expression.xreplace({value: sympy.Float(value, 3) for value in long})
