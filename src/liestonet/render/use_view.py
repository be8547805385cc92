"""What is said of the use of symmetries: new coordinates, functions that are constant, martingales."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from liestonet.reduction.invariants import Invariant
from liestonet.reduction.martingales import Martingale
from liestonet.reduction.reduction import Reduction
from liestonet.reduction.wording import solution_text, verdict


@dataclass(frozen=True)
class Used:
    """A reduction with the invariants and martingales of the same equation."""

    reduction: Reduction
    invariants: tuple[Invariant, ...] = ()
    martingales: tuple[Martingale, ...] = ()

    def short(self) -> str:
        """One line."""
        return verdict(self.reduction)

    def to_dictionary(self) -> dict[str, Any]:
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


def use_of(result: Any) -> Used:
    """Everything that the symmetries of an equation are good for."""
    from liestonet.reduction.reduce import reduce

    return Used(reduce(result), result.invariants(), result.martingales())
