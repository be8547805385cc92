"""Maps x → M x + b, t → t + T: they can be multiplied, inverted and compared, so that groups can be made of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations, product
from typing import Any

import numpy as np
from jaxtyping import Float

from liestonet.validation.maps.groups import Element
from liestonet.validation.maps.map_input import shown
from liestonet.validation.maps.point_map import PointMap, Straight
from liestonet.validation.tuning import DISCRETE


@dataclass(frozen=True, eq=False)
class AffineMap:
    """x → M x + b, t → t + T, with exact entries (SymPy numbers); `periods` are those of time and the coordinates.

    A period of zero means that there is none; where there is one, shifts by it change nothing.
    """

    matrix: Any
    offset: tuple[Any, ...]
    shift: Any
    periods: tuple[Any, ...]

    @classmethod
    def of(
        cls, matrix: Any, offset: Sequence[Any] | None = None, shift: Any = 0, periods: Sequence[Any] | None = None
    ) -> AffineMap:
        """The map with these entries; floats stay floats."""
        import sympy

        entries = sympy.ImmutableMatrix(matrix)
        n = entries.shape[0]
        offset = tuple(sympy.sympify(part) for part in (offset or [0] * n))
        periods = tuple(sympy.sympify(part) for part in (periods or [0] * (n + 1)))
        return cls(entries, offset, sympy.sympify(shift), periods)

    @property
    def dimension(self) -> int:
        return len(self.offset)

    @cached_property
    def element(self) -> Element:
        """The map in floats, which can be multiplied and compared."""
        straight = self._straight(())

        def function(points: Float[np.ndarray, "b v"]) -> Float[np.ndarray, "b v"]:
            return straight.components(points, [()])[()][0]

        return Element.of(function, np.array([float(part) for part in self.periods]))

    def _straight(self, rows: tuple[tuple[Any, ...], ...]) -> Straight:
        matrix = np.array(self.matrix.evalf().tolist(), dtype=float).reshape(self.dimension, self.dimension)
        return Straight(rows, matrix, np.array([float(part) for part in (self.shift, *self.offset)]))

    def as_map(self, names: Sequence[str]) -> PointMap:
        """The map with formulas and text."""
        import sympy

        variables = tuple(sympy.Symbol(name, real=True) for name in ("t", *names))
        rows = self.matrix * sympy.Matrix(variables[1:]) + sympy.Matrix(self.offset)
        entries = (variables[0] + self.shift, *(sympy.expand(entry) for entry in rows))
        text = shown(entries, [s.name for s in variables])
        return PointMap(text, tuple(names), self._straight((entries,)))


def signed_permutations(n: int) -> list[Any]:
    """All matrices that permute coordinates and change signs, without the identity: 1, 7, 47, 383 of them."""
    import sympy

    found = []
    for places in permutations(range(n)):
        for signs in product((1, -1), repeat=n):
            rows = [[signs[i] if places[i] == j else 0 for j in range(n)] for i in range(n)]
            matrix = sympy.ImmutableMatrix(rows)
            if matrix != sympy.eye(n):
                found.append(matrix)
    return sorted(found, key=lambda m: (_moved(m), str(m)))


def _moved(matrix: Any) -> int:
    """Number of rows that differ from those of the identity: simple maps come first."""
    n = matrix.shape[0]
    return sum(1 for i in range(n) for j in range(n) if matrix[i, j] != (1 if i == j else 0))


def plane_rotations(n: int, orders: Sequence[int]) -> list[Any]:
    """Rotations by 2π/k in every plane of two coordinates, for some orders k."""
    import sympy

    found = []
    for k in orders:
        angle = 2 * sympy.pi / k
        c, s = sympy.cos(angle), sympy.sin(angle)
        for i in range(n):
            for j in range(i + 1, n):
                matrix = sympy.eye(n)
                matrix[i, i], matrix[i, j], matrix[j, i], matrix[j, j] = c, -s, s, c
                found.append(sympy.ImmutableMatrix(matrix))
    return found


def keeps_turns(matrix: Any, periods: Sequence[Any]) -> bool:
    """Whether angles (coordinates with a period) are mapped to angles of the same period, up to a sign."""
    n = len(periods)
    for i in range(n):
        for j in range(n):
            if matrix[i, j] != 0 and periods[i] != periods[j]:
                return False
            if (periods[i] or periods[j]) and matrix[i, j] not in (0, 1, -1):
                return False
    return True


def with_turned_angles(matrix: Any, periods: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Offsets that turn all angles by 1/k of a turn, forwards or backwards, beside a matrix of order k.

    A rotation of the plane turns headings with it, and the mirror x → −x takes a heading θ to π − θ. Where a matrix
    moves nothing but angles there are none.
    """
    import sympy

    plain = [i for i, period in enumerate(periods) if not period]
    if len(plain) == len(periods) or all(matrix[i, i] == 1 for i in plain):
        return []
    order = AffineMap.of(matrix).element.order(DISCRETE.largest_order) or 1
    parts = {sympy.Rational(1, order), sympy.Rational(order - 1, order)} - {sympy.Integer(0), sympy.Integer(1)}
    return [tuple(part * period for period in periods) for part in sorted(parts)]


def about(matrix: Any, centre: Sequence[Any]) -> tuple[Any, ...]:
    """The offset of the map x → c + M (x − c)."""
    import sympy

    c = sympy.Matrix(list(centre))
    return tuple(sympy.simplify(part) for part in c - matrix * c)
