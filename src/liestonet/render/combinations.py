"""Sums over generators X1, X2, … as text."""

from __future__ import annotations

import re

from liestonet.formulas.notation import expression_text
from liestonet.render.numbers import number, summed
from liestonet.result.findings import Expression

GENERATOR = re.compile(r"X\d+")


def combination_terms(value: Expression) -> list[tuple[Expression, str]]:
    """Factor and name of every generator in a sum, in the order of their numbers."""
    import sympy

    value = sympy.expand(value)
    generators = sorted((s for s in value.free_symbols if GENERATOR.fullmatch(s.name)), key=lambda s: int(s.name[1:]))
    return [(value.coeff(symbol), symbol.name) for symbol in generators]


def combination_text(value: Expression) -> str:
    """`-X1 + 2 X3`, `(a + b) X2`."""
    return summed([f"{_factor(factor)}{name}" for factor, name in combination_terms(value)]) or "0"


def _factor(factor: Expression) -> str:
    """What stands in front of a generator: nothing, a sign, or a factor and a blank."""
    shown = number(float(factor)) if factor.is_Float else expression_text(factor)
    if shown in ("1", "-1"):
        return shown.removesuffix("1")
    return f"({shown}) " if factor.is_Add else f"{shown} "
