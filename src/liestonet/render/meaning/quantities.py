"""Numbers in sentences, with errors of estimated constants and units of the data."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from liestonet.formulas.formula import Constant
from liestonet.formulas.notation import expression_text, with_uncertainty
from liestonet.render.numbers import number

Expr = Any  # a SymPy expression: the types of SymPy's methods are incomplete

PLAIN_UNIT = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True)
class Quantities:
    """Text of expressions; `constants` are those with errors, `units` the data's units by coordinate."""

    constants: Sequence[Constant] = ()
    units: Mapping[str, str] = field(default_factory=dict)

    def value(self, expression: Expr) -> float | None:
        """The value of an expression; None if it contains parameters."""
        known = {row.symbol: row.value for row in self.constants}
        try:
            return float(expression.subs(known))
        except TypeError:
            return None

    def error(self, expression: Expr) -> float:
        """The standard error of an expression, to first order, with independent errors of the constants."""
        known = {row.symbol: row.value for row in self.constants}
        slopes = [float(expression.diff(row.symbol).subs(known)) * row.uncertainty for row in self.constants]
        return float(np.linalg.norm(slopes)) if slopes else 0.0

    def text(self, expression: Expr, unit: str = "") -> str:
        """An expression as text: `1.27 ± 0.04 s⁻¹`, `2`, `k`."""
        return f"{self._bare(expression)}{f' {unit}' if unit else ''}"

    def _bare(self, expression: Expr) -> str:
        if not any(expression.has(row.symbol) for row in self.constants):
            irrational = expression.is_number and not expression.is_Rational
            return number(float(expression)) if irrational else plain(expression)
        value, error = self.value(expression), self.error(expression)
        return plain(expression) if value is None else with_uncertainty(value, error)

    def formula(self, expression: Expr) -> str:
        """A formula with estimated constants rounded to their errors."""
        return plain(self._rounded(expression))

    def up_to_unit(self, expression: Expr) -> str:
        """A formula without a positive constant factor."""
        size, rest = self._rounded(expression).as_coeff_Mul()
        return plain(rest if size > 0 else -rest)

    def _rounded(self, expression: Expr) -> Expr:
        import sympy

        return expression.xreplace({row.symbol: sympy.Float(_rounded(row), 4) for row in self.constants})

    @property
    def per_time(self) -> str:
        """The unit of a rate: `s⁻¹`, `1/(10 min)`, or empty if the data have no unit of time."""
        unit = self.units.get("t", "")
        return unit and (f"{unit}⁻¹" if PLAIN_UNIT.fullmatch(unit) else f"1/({unit})")

    @property
    def time(self) -> str:
        """The unit of a duration."""
        return self.units.get("t", "")


def _rounded(row: Constant) -> str:
    return with_uncertainty(row.value, row.uncertainty).partition(" ")[0]


def plain(expression: Expr) -> str:
    """A formula as text, with decimals of four digits."""
    return number(float(expression)) if expression.is_Float else expression_text(expression)
