"""Products of Legendre polynomials on a box, one set of degrees per unknown.

The basis is orthonormal in the scaled norm of MATH.md §3, so that coefficients are lengths and a
singular value of the operator is a relative residual.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Float, Int

from liestonet.domain import Domain
from liestonet.multiindex import Degrees
from liestonet.sde.jets import Derivative

# Degrees differ from variable to variable, so their number has no name.
Tables = list[Float[np.ndarray, "order b _"]]


def legendre_table(s: Float[np.ndarray, " b"], degree: int, order: int) -> Float[np.ndarray, "order b degree"]:
    """Derivatives 0…order of the orthonormal Legendre polynomials 0…degree on [−1, 1] with measure ds/2."""
    table = np.zeros((order + 1, len(s), degree + 1))
    table[0, :, 0] = 1.0
    for k in range(degree):
        below = table[0, :, k - 1] if k else 0.0
        table[0, :, k + 1] = ((2 * k + 1) * s * table[0, :, k] - k * below) / (k + 1)
        for d in range(1, order + 1):
            # P'_{k+1} = P'_{k−1} + (2k+1) P_k, and the same for every further derivative
            table[d, :, k + 1] = (2 * k + 1) * table[d - 1, :, k] + (table[d, :, k - 1] if k else 0.0)
    return table * np.sqrt(2.0 * np.arange(degree + 1) + 1.0)


@dataclass(frozen=True)
class Basis:
    """For every unknown its degrees; column j of the operator is function j of the concatenated list."""

    domain: Domain
    scales: Float[np.ndarray, " unknowns"]
    degrees: tuple[Degrees, ...]

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
        """One-dimensional Legendre tables of every variable at the points (t, x_1, …, x_n)."""
        s = (points - self.domain.centre) / self.domain.half
        return [legendre_table(s[:, v], int(self.highest[v]), order) for v in range(s.shape[1])]

    def functions(self, tables: Tables, unknown: int, derivative: Derivative) -> Float[np.ndarray, "b m"]:
        """The derivative of every basis function of one unknown at the tabulated points."""
        degrees, half = self.degrees[unknown], self.domain.half
        product = np.full((tables[0].shape[1], len(degrees)), self.scales[unknown])
        for variable, table in enumerate(tables):
            order = derivative.count(variable)
            if order or degrees[:, variable].any():
                product *= table[order][:, degrees[:, variable]] / half[variable] ** order
        return product
