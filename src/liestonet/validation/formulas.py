"""Generators in closed form, as NumPy functions with derivatives."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Float

from liestonet.core.coefficients import Derivative
from liestonet.core.generators import Components, Values, values_at

if TYPE_CHECKING:
    import sympy


@dataclass(frozen=True)
class Formulas:
    """Generators in closed form: rows (τ, ξ^1, …, ξ^n) or (τ, ξ^1, …, ξ^n, β) of SymPy expressions in the variables."""

    variables: tuple[sympy.Symbol, ...]
    rows: tuple[tuple[sympy.Expr, ...], ...]

    @property
    def count(self) -> int:
        return len(self.rows)

    @property
    def has_beta(self) -> bool:
        return len(self.rows[0]) > len(self.variables)

    def __call__(self, t: object, x: object) -> Values:
        return values_at(self, t, x, len(self.variables) - 1)

    def components(self, points: Float[np.ndarray, "b v"], derivatives: Iterable[Derivative]) -> Components:
        """Derivatives of all components at points (t, x_1, …, x_n)."""
        return {derivative: self._values(points, derivative) for derivative in derivatives}

    def _values(self, points: np.ndarray, derivative: Derivative) -> Float[np.ndarray, "m b components"]:
        width = len(self.rows[0])
        result = np.empty((self.count * width, len(points)))
        with np.errstate(all="ignore"):
            for row, value in enumerate(self._function(derivative)(*points.T)):
                result[row] = value
        return result.reshape(self.count, width, len(points)).transpose(0, 2, 1)

    @cached_property
    def _functions(self) -> dict[Derivative, Callable[..., list[np.ndarray | float]]]:
        return {}

    def _function(self, derivative: Derivative) -> Callable[..., list[np.ndarray | float]]:
        """One derivative of all components as a NumPy function, cached."""
        import sympy

        from liestonet.sde.symbolic import numeric_modules

        if derivative not in self._functions:
            entries = [entry for row in self.rows for entry in row]
            for variable in derivative:
                entries = [sympy.diff(entry, self.variables[variable]) for entry in entries]
            self._functions[derivative] = sympy.lambdify(self.variables, entries, numeric_modules(*entries), cse=True)
        return self._functions[derivative]

    def __str__(self) -> str:
        import sympy

        from liestonet.formulas.formula import Formula
        from liestonet.formulas.notation import field_text

        n = len(self.variables) - 1
        names = tuple(str(variable) for variable in self.variables[1:])
        zero = sympy.Integer(0)
        shown = [
            Formula(row[0], row[1 : n + 1], row[n + 1] if self.has_beta else zero, "consistent", 0.0)
            for row in self.rows
        ]
        return "; ".join(field_text(formula, names) for formula in shown)


def prolonged(given: Formulas) -> Formulas:
    """Generators of positions, prolonged to velocities; the variables are t, then positions, then velocities.

    Generators that already act on velocities are unchanged.
    """
    n = (len(given.variables) - 1) // 2
    t, x, v = given.variables[0], given.variables[1 : n + 1], given.variables[n + 1 : 2 * n + 1]
    rows = []
    for tau, *rest in given.rows:
        xi, velocities = rest[:n], rest[n : 2 * n]
        if all(part == 0 for part in velocities):
            velocities = [
                part.diff(t)
                + sum(speed * part.diff(place) for place, speed in zip(x, v, strict=True))
                - tau.diff(t) * own
                for part, own in zip(xi, v, strict=True)
            ]
        rows.append((tau, *xi, *velocities, *rest[2 * n :]))
    return Formulas(given.variables, tuple(rows))
