"""Determining equations as a table: each is a sum of (number × coefficient derivative × unknown derivative).

The same table is used by the operator at a cloud of points, by power series at one point, and by exact SymPy. Unknowns
are numbered: for a generator 0 is τ, i is ξ^i and n+1 is β. The equations are in `kinds`. See docs/method.md §2.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from jaxtyping import Float

from liestonet.core.coefficients import Derivative
from liestonet.core.multiindex import Degrees

if TYPE_CHECKING:
    import sympy

    from liestonet.sde.symbolic import SymbolicCoefficients

CoefficientName = Literal["drift", "diffusion", "diffusion_squared", "killing"]


class Coefficient(NamedTuple):
    """One derivative of one entry of f, σ, a or the killing; entries count from 0 (see `core/coefficients.py`)."""

    name: CoefficientName
    entry: tuple[int, ...]
    derivative: Derivative


class Term(NamedTuple):
    """`factor · coefficient · ∂^derivative unknown`, added to equation `row`; no coefficient means 1."""

    row: int
    factor: float
    coefficient: Coefficient | None
    unknown: int
    derivative: Derivative


class Unknown(NamedTuple):
    """A function sought: its name, the variable whose half-width is its natural size, and what it may depend on.

    `order_below` says by how many derivatives it enters the equations below the leading unknowns. An `absent` unknown
    is zero: it keeps its place among the components of a generator but has no functions.
    """

    name: str
    scale_variable: int | None
    time_only: bool = False
    order_below: int = 0
    absent: bool = False

    def admitted(self, full: Degrees, time: Degrees) -> Degrees:
        """The functions it may consist of: of all variables (`full`), or of `time` alone; none if absent."""
        return full[:0] if self.absent else time if self.time_only else full


class Row(NamedTuple):
    """One equation: its label, and its scale T^time_power / Π L_i that makes it dimensionless."""

    label: str
    time_power: float
    coordinates: tuple[int, ...]
    multiplicity: int


LinearForm = list[tuple[float, Coefficient | None]]
ONE: LinearForm = [(1.0, None)]


@dataclass(frozen=True)
class Equations:
    """The determining equations of one kind for n coordinates and r noises."""

    dimension: int
    noise: int
    unknowns: tuple[Unknown, ...]
    rows: tuple[Row, ...]
    terms: tuple[Term, ...]

    def row_scales(self, half: Float[np.ndarray, " v"]) -> Float[np.ndarray, " rows"]:
        """Factor of each equation in the relative residual of docs/method.md §3.1; `half` is (T, L_1, …, L_n)."""
        return np.array(
            [
                np.sqrt(row.multiplicity) * half[0] ** row.time_power / np.prod([half[i + 1] for i in row.coordinates])
                for row in self.rows
            ]
        )

    def unknown_scales(self, half: Float[np.ndarray, " v"]) -> Float[np.ndarray, " unknowns"]:
        """Natural size of each unknown: T for τ, L_i for ξ^i, 1 for β."""
        return np.array([1.0 if u.scale_variable is None else half[u.scale_variable] for u in self.unknowns])

    def residuals(self, coefficients: SymbolicCoefficients, values: Iterable[sympy.Expr | float]) -> list[sympy.Expr]:
        """The equations with SymPy coefficients and SymPy unknowns (τ, ξ^1, …, ξ^n, β) put in, one expression a row."""
        import sympy

        variables = (coefficients.time, *coefficients.state)
        unknowns = [sympy.sympify(expression) for expression in values]
        matrices: dict[str, Any] = {
            "drift": coefficients.drift,
            "diffusion": coefficients.diffusion,
            "diffusion_squared": coefficients.diffusion_squared,
            "killing": coefficients.killing,
        }

        zero = sympy.Integer(0)

        def differentiate(expression: sympy.Expr, derivative: Derivative) -> sympy.Expr:
            for variable in derivative:
                if variables[variable] not in expression.free_symbols:
                    return zero
                expression = sympy.diff(expression, variables[variable])
            return expression

        results: list[sympy.Expr] = [zero] * len(self.rows)
        for term in self.terms:
            if unknowns[term.unknown] == 0:
                continue
            value = differentiate(unknowns[term.unknown], term.derivative)
            if value == 0:
                continue
            if term.coefficient is not None:
                name, entry, derivative = term.coefficient
                value *= differentiate(matrices[name][entry if len(entry) == 2 else (entry[0], 0)], derivative)
            if value != 0:
                # factors are halves of integers, which floats hold exactly
                results[term.row] += sympy.Rational(*term.factor.as_integer_ratio()) * value
        return results


class Builder:
    """Collects terms row by row; like terms are merged, so a table holds each product once."""

    def __init__(self, dimension: int, noise: int, unknowns: Iterable[Unknown]) -> None:
        self.dimension, self.noise, self.unknowns = dimension, noise, tuple(unknowns)
        self._rows: list[Row] = []
        self._terms: dict[tuple[int, Coefficient | None, int, Derivative], float] = defaultdict(float)

    def row(self, label: str, time_power: float, coordinates: tuple[int, ...] = (), multiplicity: int = 1) -> int:
        """Open a new equation and return its number."""
        self._rows.append(Row(label, time_power, coordinates, multiplicity))
        return len(self._rows) - 1

    def add(self, row: int, form: LinearForm, unknown: int, derivative: Derivative = (), factor: float = 1.0) -> None:
        """Add `factor · form · ∂^derivative unknown` to an equation, unless the unknown is absent."""
        if self.unknowns[unknown].absent:
            return
        for number, coefficient in form:
            self._terms[row, coefficient, unknown, tuple(sorted(derivative))] += factor * number

    def finish(self) -> Equations:
        """The finished table, without terms that cancelled."""
        terms = tuple(
            Term(row, factor, coefficient, unknown, derivative)
            for (row, coefficient, unknown, derivative), factor in self._terms.items()
            if factor != 0
        )
        return Equations(self.dimension, self.noise, self.unknowns, tuple(self._rows), terms)
