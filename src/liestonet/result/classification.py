"""The result of `classify`: conditions under which an equation with free parameters has more symmetries."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sympy import Expr

    from liestonet.core.json_values import JSON
    from liestonet.sde.sde import SDE

SCHEMA = "liestonet.classification/1"


@dataclass(frozen=True)
class SpecialCase:
    """One condition on the parameters under which the dimension is higher than without it.

    `condition` is text such as "4*kappa*theta = sigma**2", `equations` are the polynomials that then vanish, as SymPy
    expressions. `dimension` is that of almost all parameters that satisfy it, `sde` the equation under the condition.
    `status` is "proved" if every generator then has a formula that SymPy proves, and "numerical" if the dimension comes
    only from exact ranks modulo a prime, or from a null space.
    """

    kind: str
    condition: str
    dimension: float | int
    status: str
    equations: tuple[Expr, ...]
    sde: SDE


@dataclass(frozen=True)
class KindCase:
    """The result for one kind of symmetry: the generic dimension, and the part of parameter space that was covered.

    `complete` is True if no other value of the parameters has a higher dimension, except those in `left_out`, which
    are sentences.
    """

    kind: str
    dimension: float | int | None
    complete: bool
    left_out: tuple[str, ...] = ()

    @property
    def coverage(self) -> str:
        """The part of parameter space that was covered, in one sentence."""
        if self.dimension is None:
            return f"{self.kind}: nothing was decided. {' '.join(self.left_out)}"
        begin = f"{self.kind}: dimension {count(self.dimension)} for generic parameters; "
        if self.complete:
            covered = "all real parameters are covered"
            return begin + covered + ("." if not self.left_out else ", except: " + " ".join(self.left_out))
        return begin + "only the conditions listed were found. " + " ".join(self.left_out)


@dataclass(frozen=True)
class Classification:
    """All conditions that were found, kind by kind; iterates over its rows."""

    equation: str
    parameters: tuple[str, ...]
    rows: tuple[SpecialCase, ...]
    kinds: tuple[KindCase, ...]

    def __iter__(self) -> Iterator[SpecialCase]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: int) -> SpecialCase:
        return self.rows[index]

    def of(self, kind: str) -> tuple[SpecialCase, ...]:
        """The rows of one kind."""
        return tuple(row for row in self.rows if row.kind == kind)

    @property
    def generic(self) -> dict[str, float | int | None]:
        """The dimension for generic parameters, by kind; None if it is not known."""
        return {case.kind: case.dimension for case in self.kinds}

    @property
    def coverage(self) -> tuple[str, ...]:
        """Which part of parameter space was covered: one sentence per kind."""
        return tuple(case.coverage for case in self.kinds)

    def table(self) -> list[str]:
        """The rows as lines of text."""
        if not self.rows:
            return ["No condition raises the dimension."]
        width = max(len("condition"), *(len(row.condition) for row in self.rows))
        head = f"{'kind':<14}  {'condition':<{width}}  dimension  status"
        lines = (f"{r.kind:<14}  {r.condition:<{width}}  {count(r.dimension):>9}  {r.status}" for r in self.rows)
        return [head, *lines]

    def __str__(self) -> str:
        return "\n".join([self.equation, *self.coverage, "", *self.table()])

    def to_dictionary(self) -> dict[str, JSON]:
        """Everything as plain values, for JSON; an infinite dimension is the text "infinite"."""
        return {
            "schema": SCHEMA,
            "equation": self.equation,
            "parameters": list(self.parameters),
            "kinds": [
                {
                    "kind": case.kind,
                    "dimension": _plain(case.dimension),
                    "complete": case.complete,
                    "left_out": list(case.left_out),
                }
                for case in self.kinds
            ],
            "rows": [
                {
                    "kind": row.kind,
                    "condition": row.condition,
                    "dimension": _plain(row.dimension),
                    "status": row.status,
                    "equation": str(row.sde),
                }
                for row in self.rows
            ],
        }


def count(dimension: float | int) -> str:
    """A dimension for readers."""
    return "infinite" if math.isinf(dimension) else str(int(dimension))


def _plain(dimension: float | int | None) -> int | str | None:
    return None if dimension is None else "infinite" if math.isinf(dimension) else int(dimension)
