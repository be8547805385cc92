"""Products of orthonormal polynomials on a box, one set of degrees per unknown (docs/method.md §3.2).

The basis is orthonormal in the scaled norm of docs/method.md §3.1, so that coefficients are lengths and a
singular value of the operator is a relative residual.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import comb
from typing import ClassVar

import numpy as np
from jaxtyping import Float, Int

from liestonet.core.coefficients import Derivative
from liestonet.core.domain import Domain
from liestonet.core.multiindex import Degrees

# Degrees differ from variable to variable, so their number has no name.
Tables = list[Float[np.ndarray, "order b _"]]


def times(
    factor: Float[np.ndarray, "order b"], table: Float[np.ndarray, "order b _"]
) -> Float[np.ndarray, "order b _"]:
    """Derivatives of products of one function with many, by Leibniz' rule."""
    return np.stack(
        [sum(comb(d, i) * factor[i][:, None] * table[d - i] for i in range(d + 1)) for d in range(len(table))]
    )


@dataclass(frozen=True)
class Basis:
    """The degrees of every unknown's functions; column j of the operator is function j of the joined list."""

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
        """One-dimensional tables of every variable at the points (t, x_1, …, x_n).

        Behind them, for each coordinate whose noise has a shape, the same times that shape.
        """
        tables = [
            coordinate.table(points[:, v], int(self.highest[v]), order)
            for v, coordinate in enumerate(self.domain.coordinates)
        ]
        for v in self._shaped:
            own = replace(self.domain.coordinates[v], weighted=1)
            if own.shape is not None:
                table = own.table(points[:, v], int(self.highest[v]), order)
                tables.append(times(own.shape.values(points[:, v], order) / own.shape.size, table))
        return tables

    @cached_property
    def _shaped(self) -> list[int]:
        return [v for v, coordinate in enumerate(self.domain.coordinates) if coordinate.shape is not None]

    def own_tables(self, tables: Tables, unknown: int) -> Tables:
        """The tables for an unknown's functions: those of ξ^i in x_i have the shape of its noise as a factor."""
        count = len(self.domain.intervals)
        if unknown not in self._shaped:
            return tables[:count]
        own = tables[count + self._shaped.index(unknown)]
        return [*tables[:unknown], own, *tables[unknown + 1 : count]]

    def functions(self, tables: Tables, unknown: int, derivative: Derivative) -> Float[np.ndarray, "b m"]:
        """One derivative of every basis function of one unknown at the tabulated points."""
        degrees, half = self.degrees[unknown], self.domain.half
        # function by function in memory, as the tables are: whole rows are picked
        product = np.full((len(degrees), tables[0].shape[1]), self.scales[unknown])
        for variable, table in enumerate(self.own_tables(tables, unknown)):
            order = derivative.count(variable)
            if order or degrees[:, variable].any() or (variable == unknown and variable in self._shaped):
                product *= (table[order].T / half[variable] ** order)[degrees[:, variable]]
        return product.T
