"""Arithmetic of numbers with their time derivatives, in high precision.

Derivatives of expressions come from finite differences with a tiny step: no formula is differentiated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import mpmath

from liestonet.densities.numbers import Expression
from liestonet.densities.tuning import POTENTIAL

if TYPE_CHECKING:
    from liestonet.densities.state_space import ScalarEquation


@dataclass(frozen=True)
class Timed:
    """Taylor coefficients in time of one number."""

    parts: tuple[Any, ...]

    @property
    def value(self) -> Any:
        return self.parts[0]

    def rate(self) -> Timed:
        """The time derivative; zero for a number without one."""
        with mpmath.workdps(POTENTIAL.digits):
            found = tuple(k * part for k, part in enumerate(self.parts))[1:]
            return Timed(found) if found else Timed((mpmath.mpf(0),))

    def __add__(self, other: Any) -> Timed:
        with mpmath.workdps(POTENTIAL.digits):
            if not isinstance(other, Timed):
                return Timed((self.parts[0] + other, *self.parts[1:]))
            return Timed(tuple(a + b for a, b in zip(self.parts, other.parts, strict=False)))

    __radd__ = __add__

    def __sub__(self, other: Any) -> Timed:
        return self + -1 * other

    def __mul__(self, other: Any) -> Timed:
        with mpmath.workdps(POTENTIAL.digits):
            if not isinstance(other, Timed):
                return Timed(tuple(part * other for part in self.parts))
            size = min(len(self.parts), len(other.parts))
            return Timed(
                tuple(mpmath.fsum(self.parts[i] * other.parts[k - i] for i in range(k + 1)) for k in range(size))
            )

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Timed:
        if not isinstance(other, Timed):
            with mpmath.workdps(POTENTIAL.digits):
                return Timed(tuple(part / other for part in self.parts))
        return self * (1 / other)

    def __rtruediv__(self, number: Any) -> Timed:
        """A number divided by this one."""
        with mpmath.workdps(POTENTIAL.digits):
            found = [1 / self.parts[0]]
            for k in range(1, len(self.parts)):
                found.append(-found[0] * mpmath.fsum(self.parts[i] * found[k - i] for i in range(1, k + 1)))
            return Timed(tuple(number * part for part in found))


def expansions(
    equation: ScalarEquation, entries: Sequence[Expression], place: Any, time: Any, order: int, step: str
) -> list[list[Timed]]:
    """Taylor coefficients of every entry in the state at a point, each with its time derivatives."""
    timed = any(entry.has(equation.time) for entry in entries)
    depth = POTENTIAL.time_order if timed else 0
    found = []
    with mpmath.workdps(POTENTIAL.digits):
        h = mpmath.mpf(step)
        states = [mpmath.mpf(place) + i * h for i in range(order + 1)]
        times = [mpmath.mpf(time) + j * h for j in range(depth + 1)]
        for entry in entries:
            function = equation.function(entry, POTENTIAL.digits)
            table = [[function(t, x) for t in times] for x in states]
            rows = _differences(table, h)
            columns = [_differences([[value] for value in row], h) for row in rows]
            found.append([Timed(tuple(part[0] for part in row)) for row in columns])
    return found


def _differences(table: list[list[Any]], h: Any) -> list[list[Any]]:
    """Divided differences of rows: Taylor coefficients up to an error of the order of the step."""
    rows, found, factor = table, [table[0]], mpmath.mpf(1)
    for k in range(1, len(table)):
        rows = [[b - a for a, b in zip(one, other, strict=True)] for one, other in pairwise(rows)]
        factor *= k * h
        found.append([value / factor for value in rows[0]])
    return found
