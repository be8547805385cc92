"""The functions that drift and diffusion are made of: products of Legendre polynomials in mapped, scaled variables.

A coordinate that stays positive over a wide range may enter by its logarithm, which brings 1/x, √x and x² alike within
reach of a low degree. Derivatives are always those in the coordinate itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
from jaxtyping import Float

from liestonet.domain import Domain
from liestonet.multiindex import Degrees
from liestonet.sde.jets import Derivative
from liestonet.symmetry.basis import legendre_table

# Highest degree in the coordinates alone; products with t, t², t³ reach less high (see `rich_degrees`).
STATE_DEGREE = {1: 7, 2: 6, 3: 4}
TIME_DEGREE = {1: 3, 2: 3, 3: 2}
# A coordinate may enter by its logarithm if its range covers this factor; with more such coordinates all do or none.
WIDE, MOST_MIXED = 4.0, 2


def rich_degrees(dimension: int) -> Degrees:
    """Degrees of a rich model: time terms and high powers are always there, and evidence shrinks them."""
    state, time = STATE_DEGREE.get(dimension, 2), TIME_DEGREE.get(dimension, 2)
    rows = [
        row
        for row in product(range(time + 1), *[range(state + 1)] * dimension)
        if sum(row[1:]) <= state * (1 - row[0] / (time + 1)) and (dimension == 1 or sum(row) <= state + 1)
    ]
    if dimension > 3:
        rows += [tuple(3 * int(i == j) for j in range(dimension + 1)) for i in range(1, dimension + 1)]
    return np.array(sorted(rows, key=lambda row: (sum(row), row)), dtype=np.int64)


def feature_variants(domain: Domain) -> list[Features]:
    """Plain features, and those with logarithms of coordinates that stay positive over a wide range."""
    eligible = [low > 0 and high > WIDE * low for low, high in domain.intervals[1:]]
    degrees = rich_degrees(domain.dimension)
    several = sum(eligible) > MOST_MIXED
    choices = [(False, any_) if any_ else (False,) for any_ in eligible]
    marks = {(False,) * len(eligible), tuple(eligible)} if several else set(product(*choices))
    return [Features(domain, degrees, (False, *mark)) for mark in sorted(marks)]


@dataclass(frozen=True, eq=False)
class Features:
    """Feature j is Π_v P_{degrees[j, v]}(s_v), s_v the variable (or its logarithm) scaled to [−1, 1] on the domain."""

    domain: Domain
    degrees: Degrees
    logarithmic: tuple[bool, ...]

    @property
    def size(self) -> int:
        return len(self.degrees)

    @cached_property
    def _ends(self) -> Float[np.ndarray, "v 2"]:
        """Ends of every variable's interval, mapped."""
        ends = np.array(self.domain.intervals, dtype=float)
        marked = np.array(self.logarithmic)
        ends[marked] = np.log(ends[marked])
        return ends

    def values(
        self, points: Float[np.ndarray, "b v"], derivatives: tuple[Derivative, ...] = ((),)
    ) -> dict[Derivative, Float[np.ndarray, "b p"]]:
        """The features' derivatives at points (t, x_1, …, x_n)."""
        order = max(len(derivative) for derivative in derivatives)
        tables = [self._table(points[:, v], v, order) for v in range(points.shape[1])]
        result = {}
        for derivative in derivatives:
            # function by function in memory: whole rows are copied and multiplied, and sums over points run along them
            rows = np.ones((self.size, len(points)))
            for variable, table in enumerate(tables):
                times = derivative.count(variable)
                if times or self.degrees[:, variable].any():
                    rows *= np.ascontiguousarray(table[times].T)[self.degrees[:, variable]]
            result[derivative] = rows.T
        return result

    def _table(self, x: Float[np.ndarray, " b"], variable: int, order: int) -> Float[np.ndarray, "order b degree"]:
        """Derivatives 0…order in x of the one-variable polynomials (order at most 3)."""
        low, high = self._ends[variable]
        centre, half = (low + high) / 2, (high - low) / 2
        logarithmic = self.logarithmic[variable]
        s = ((np.log(x) if logarithmic else x) - centre) / half
        inner = legendre_table(s, int(self.degrees[:, variable].max()), order)
        if not logarithmic:
            return inner / half ** np.arange(order + 1)[:, None, None]
        # chain rule with s' = 1/(hx), s'' = −1/(hx²), s''' = 2/(hx³)
        first, second, third = 1 / (half * x), -1 / (half * x**2), 2 / (half * x**3)
        outer = np.empty_like(inner)
        outer[0] = inner[0]
        if order >= 1:
            outer[1] = inner[1] * first[:, None]
        if order >= 2:
            outer[2] = inner[2] * first[:, None] ** 2 + inner[1] * second[:, None]
        if order >= 3:
            outer[3] = (
                inner[3] * first[:, None] ** 3 + 3 * inner[2] * (first * second)[:, None] + inner[1] * third[:, None]
            )
        return outer
