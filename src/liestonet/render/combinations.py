"""Sums over generators X1, X2, … as text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from liestonet.formulas.notation import expression_text
from liestonet.render.numbers import number, summed

if TYPE_CHECKING:
    import sympy

GENERATOR = re.compile(r"X\d+")


def combination_terms(value: sympy.Expr) -> list[tuple[sympy.Expr, str]]:
    """Factor and name of every generator in a sum, in the order of their numbers."""
    import sympy

    expanded: Any = sympy.expand(value)
    found = [symbol for symbol in expanded.free_symbols if GENERATOR.fullmatch(symbol.name)]
    generators = sorted(found, key=lambda symbol: int(symbol.name[1:]))
    return [(expanded.coeff(symbol), symbol.name) for symbol in generators]


def combination_text(value: sympy.Expr) -> str:
    """`-X1 + 2 X3`, `(a + b) X2`."""
    return summed([f"{_factor(factor)}{name}" for factor, name in combination_terms(value)]) or "0"


def _factor(factor: sympy.Expr) -> str:
    """The text before a generator: empty, a sign, or a factor and a blank."""
    shown = number(float(factor)) if factor.is_Float else expression_text(factor)
    if shown in ("1", "-1"):
        return shown.removesuffix("1")
    return f"({shown}) " if factor.is_Add else f"{shown} "
