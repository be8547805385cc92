"""Generators as people write them: `exp(2 t) (∂t + x ∂x)` in text, and the same in LaTeX."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from liestonet.formulas.formula import ClosedForm, Constant

if TYPE_CHECKING:
    import sympy

LARGEST_FACTORED = 150


class Style(NamedTuple):
    """How a generator is written: coefficients, brackets, and the signs between factors and between terms."""

    show: Callable[[sympy.Expr], str]
    fenced: Callable[[str], str]
    space: str
    plus: str = " + "
    minus: str = " - "
    negative: str = "-"


def constant_name(letter: str, number: int, coordinates: Iterable[str]) -> str:
    """The name of a numbered constant, such as c2; c_2 where a coordinate is called c and a number."""
    taken = any(re.fullmatch(rf"{letter}\d+", name) for name in coordinates)
    return f"{letter}_{number}" if taken else f"{letter}{number}"


def field_text(formula: ClosedForm, names: tuple[str, ...]) -> str:
    """One generator as a line of text."""
    symbols = ["∂t", *(f"∂{name}" for name in names), "u∂u"]
    return assemble(formula, symbols, Style(expression_text, "({})".format, " "))


def field_latex(formula: ClosedForm, names: tuple[str, ...]) -> str:
    """One generator in LaTeX, without dollar signs."""
    import sympy

    letters = [expression_latex(sympy.Symbol(name)) for name in names]
    symbols = [r"\partial_t", *(rf"\partial_{{{letter}}}" for letter in letters), r"u\,\partial_u"]
    return assemble(formula, symbols, Style(expression_latex, r"\left({}\right)".format, r"\,"))


def expression_latex(expression: sympy.Expr) -> str:
    """A formula in LaTeX; Greek letters of the user's names become commands."""
    import sympy

    return "".join(_greek(letter) for letter in sympy.latex(expression)).replace("±", r"\pm")


def expression_text(expression: sympy.Expr) -> str:
    """SymPy's text with powers as ^ and products as spaces."""
    return str(expression).replace("**", "^").replace("*", " ")


def with_uncertainty(value: float, uncertainty: float) -> str:
    """`1.02 ± 0.03`, with two digits of the uncertainty."""
    import math

    places = max(0, 1 - math.floor(math.log10(uncertainty))) if uncertainty > 0 else 4
    return f"{value:.{places}f} ± {uncertainty:.{places}f}"


def _uncertain(constant: Constant) -> sympy.Symbol:
    """`(1.02 ± 0.03)` as a symbol."""
    import sympy

    return sympy.Symbol(f"({with_uncertainty(constant.value, constant.uncertainty)})", real=True)


def _greek(letter: str) -> str:
    name = "" if letter.isascii() else unicodedata.name(letter, "")
    for start, style in (("GREEK SMALL LETTER ", str.lower), ("GREEK CAPITAL LETTER ", str.capitalize)):
        if name.startswith(start) and name.removeprefix(start).isalpha():
            return f"\\{style(name.removeprefix(start)).replace('amda', 'ambda')} "
    return letter


def assemble(formula: ClosedForm, symbols: list[str], style: Style) -> str:
    """A generator as text: coefficients before their ∂, with a common factor in front."""
    import sympy

    known = {row.symbol: _uncertain(row) for row in getattr(formula, "constants", ())}
    components: list[Any] = [
        c if c is None else sympy.sympify(c).xreplace(known) for c in (formula.tau, *formula.xi, formula.beta)
    ]
    parts = [(c, s) for c, s in zip(components, symbols, strict=True) if c is not None and c != 0]
    if not parts:
        return style.show(sympy.Integer(0))
    common = _common_factor([coefficient for coefficient, _ in parts]) if len(parts) > 1 else sympy.Integer(1)
    text = ""
    for coefficient, symbol in parts:
        rest: Any = sympy.factor_terms(sympy.expand(coefficient / common)) if common != 1 else coefficient
        negative = rest.could_extract_minus_sign()
        rest = -rest if negative else rest
        shown = style.fenced(style.show(rest)) if rest.is_Add else style.show(rest)
        term = symbol if rest == 1 else f"{shown}{style.space}{symbol}"
        sign = (style.minus if negative else style.plus) if text else (style.negative if negative else "")
        text += f"{sign}{term}"
    return text if common == 1 else f"{style.show(common)}{style.space}{style.fenced(text)}"


def _common_factor(coefficients: list[sympy.Expr]) -> sympy.Expr:
    """The product of factors that are not numbers and occur in every coefficient."""
    import sympy

    if any(c.has(sympy.Float) or sympy.count_ops(c) > LARGEST_FACTORED for c in coefficients):
        return sympy.Integer(1)  # factoring polynomials with decimal coefficients takes too long
    factored: list[Any] = [sympy.factor(coefficient) for coefficient in coefficients]
    shared: set[sympy.Expr] = set.intersection(*({*sympy.Mul.make_args(expression)} for expression in factored))
    # SymPy writes exp(t - 300) as exp(t) exp(-300): the number is kept with its function
    return sympy.powsimp(sympy.Mul(*(f for f in shared if not f.is_number or isinstance(f, sympy.exp))))
