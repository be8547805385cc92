"""Texts on uses of the symmetries: new coordinates, invariants, martingales."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from liestonet.errors import InputError
from liestonet.reduction.invariants import Invariant
from liestonet.reduction.martingales import Martingale
from liestonet.reduction.reduction import Reduction
from liestonet.reduction.wording import solution_text, verdict

if TYPE_CHECKING:
    from liestonet.core.json_values import JSON
    from liestonet.result import Result


ESTIMATED = {
    "family": "the most general one with these symmetries, its constants fitted",
    "closed form": "terms that the evidence supports, constants fitted",
}


@dataclass(frozen=True)
class Used:
    """A reduction with the invariants and martingales of the same equation."""

    reduction: Reduction
    invariants: tuple[Invariant, ...] = ()
    martingales: tuple[Martingale, ...] = ()

    def short(self) -> str:
        """A summary in one line."""
        return verdict(self.reduction)

    def to_dictionary(self) -> dict[str, JSON]:
        """Plain values for JSON (docs/json.md)."""
        return {
            "reduction": self.reduction.to_dictionary(),
            "invariants": [{"expression": str(row.expression), "status": row.status} for row in self.invariants],
            "martingales": [
                {"expression": str(row.expression), "status": row.status, "local": row.local, "origin": row.origin}
                for row in self.martingales
            ],
        }

    def constants(self) -> list[tuple[str, str]]:
        """Invariants as text with their status."""
        return [(solution_text(row.expression), row.status) for row in self.invariants]

    def averages(self) -> list[tuple[str, str]]:
        """Martingales as text with their status."""
        return [(solution_text(row.expression), "local" if row.local else "martingale") for row in self.martingales]


def estimated_text(result: Result) -> str:
    """The equation of a recording in a line; empty if there is none to show."""
    from liestonet.reduction.recording.equation_fit import readable_equation

    equation = readable_equation(result)
    return "" if equation is None else f"{equation} ({ESTIMATED[equation.kind]})"


def solved_text(result: Result) -> str:
    """The solution of a scalar equation in a line; empty if there is none, or if the search would take long."""
    from liestonet.reduction.reduce import reduce

    simple = any(row.status == "proved" and row.tau == 0 for row in result.formulas())
    if result.estimated is not None or len(result.names) > 1 or not simple or not math.isfinite(result.dimension):
        return ""
    try:
        made = reduce(result)
    except InputError:
        return ""
    if made.kind != "solved" or made.solution is None:
        return ""
    shown = "; ".join(f"{s} = {solution_text(e)}" for s, e in made.solution.items())
    return f"{shown}, {made.validity}"


def use_of(result: Any) -> Used:
    """All uses of the symmetries of an equation."""
    from liestonet.reduction.reduce import reduce

    return Used(reduce(result), result.invariants(), result.martingales())
