"""Products of orthonormal polynomials on a box, one set of degrees per unknown (docs/method.md §3.2).

The basis is orthonormal in the scaled norm of docs/method.md §3.1, so that coefficients are lengths and a
singular value of the operator is a relative residual.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from jaxtyping import Float, Int

from liestonet.core.coefficients import Derivative
from liestonet.core.domain import Domain
from liestonet.core.multiindex import Degrees

# Degrees differ from variable to variable, so their number has no name.
Tables = list[Float[np.ndarray, "order b _"]]


@dataclass(frozen=True)
class Basis:
    """For every unknown its degrees; column j of the operator is function j of the concatenated list."""

    domain: Domain
    scales: Float[np.ndarray, " unknowns"]
    degrees: tuple[Degrees, ...]
    polynomial: ClassVar[bool] = True  # functions are products of polynomials of these degrees

    @cached_property
    def offsets(self) -> Int[np.ndarray, " unknowns_and_one"]:
        return np.concatenate([[0], np.cumsum([len(rows) for rows in self.degrees])])

    @property
    def size(self) -> int:
        return int(self.offsets[-1])

    def columns(self, unknown: int) -> slice:
        return slice(int(self.offsets[unknown]), int(self.offsets[unknown + 1]))

    @cached_property
    def highest(self) -> Int[np.ndarray, " v"]:
        """Highest degree in each variable, over all unknowns."""
        return np.max([rows.max(axis=0, initial=0) for rows in self.degrees], axis=0)

    def tables(self, points: Float[np.ndarray, "b v"], order: int) -> Tables:
        """One-dimensional tables of every variable at the points (t, x_1, …, x_n)."""
        return [
            coordinate.table(points[:, v], int(self.highest[v]), order)
            for v, coordinate in enumerate(self.domain.coordinates)
        ]

    def functions(self, tables: Tables, unknown: int, derivative: Derivative) -> Float[np.ndarray, "b m"]:
        """The derivative of every basis function of one unknown at the tabulated points."""
        degrees, half = self.degrees[unknown], self.domain.half
        # function by function in memory, as the tables are: whole rows are picked
        product = np.full((len(degrees), tables[0].shape[1]), self.scales[unknown])
        for variable, table in enumerate(tables):
            order = derivative.count(variable)
            if order or degrees[:, variable].any():
                product *= (table[order].T / half[variable] ** order)[degrees[:, variable]]
        return product.T
