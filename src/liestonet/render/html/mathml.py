"""Formulas as MathML, which browsers typeset: generators, equations, brackets."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from liestonet.formulas.notation import Style, assemble
from liestonet.render.combinations import combination_terms

if TYPE_CHECKING:
    import sympy

TIMES, SPACE = '<mo lspace="0" rspace="0.12em">&#x2062;</mo>', "<mspace width='0.17em'></mspace>"
DOT, STARTS_WITH_NUMBER = "<mo>·</mo>", re.compile(r"(<mrow>|<msup>)*<mn>")
PLUS, MINUS, NEGATIVE = "<mo>+</mo>", "<mo>−</mo>", "<mo form='prefix'>−</mo>"
FUNCTIONS = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "log": "ln"}
BESSEL = {"besselj": "J", "bessely": "Y", "besseli": "I", "besselk": "K"}
GREEK = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "zeta": "ζ", "eta": "η", "theta": "θ",
    "kappa": "κ", "lambda": "λ", "lamda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "rho": "ρ", "sigma": "σ", "tau": "τ",
    "phi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω", "Omega": "Ω", "Gamma": "Γ", "Delta": "Δ", "Lambda": "Λ",
}  # fmt: skip
SUBSCRIPT = re.compile(r"([^\W\d_]+)_?(\d+|(?<=_)\w+)")
UNCERTAIN = re.compile(r"\((-?[\d.e+-]+) ± ([\d.e+-]+)\)")


def math(content: str, label: str = "") -> str:
    """An inline formula; `label` is its text for screen readers."""
    spoken = f' aria-label="{escape(label, quote=True)}"' if label else ""
    return f'<math xmlns="http://www.w3.org/1998/Math/MathML"{spoken}><mrow>{content}</mrow></math>'


def field_mathml(formula: Any, names: Sequence[str]) -> str:
    """One generator τ ∂t + ξ·∂x (+ β u∂u), with coefficients before derivatives."""
    symbols = [partial("t"), *(partial(name) for name in names), f"<mi>u</mi>{partial('u')}"]
    return assemble(formula, symbols, STYLE)


def partial(name: str) -> str:
    """∂ with a name as its index."""
    return f"<msub><mo form='prefix' lspace='0.1em' rspace='0'>∂</mo>{identifier(name)}</msub>"


def generator_name(position: int) -> str:
    """X with its number, counted from 1."""
    return f"<msub><mi>X</mi><mn>{position + 1}</mn></msub>"


def equation_mathml(coefficients: Any) -> list[str]:
    """dx = f dt + σ dW from the formulas of an SDE, one line per coordinate."""
    diffusion = coefficients.diffusion
    noises = [
        differential("W") if diffusion.shape[1] == 1 else differential(f"W_{k + 1}") for k in range(diffusion.shape[1])
    ]
    lines = []
    for i, name in enumerate(coefficients.state):
        terms = [(coefficients.drift[i], differential("t")), *zip(diffusion.row(i), noises, strict=True)]
        right = _sum_of([(factor, unit) for factor, unit in terms if factor != 0])
        lines.append(f"{differential(str(name))}<mo>=</mo>{right or '<mn>0</mn>'}")
    return lines


def differential(name: str) -> str:
    """d followed by a name."""
    return f"<mrow><mi mathvariant='normal'>d</mi>{identifier(name)}</mrow>"


def combination(value: sympy.Expr) -> str:
    """A sum of generators X1, X2, … with their factors."""
    return _sum_of([(factor, identifier(name)) for factor, name in combination_terms(value)]) or "<mn>0</mn>"


def _sum_of(terms: Sequence[tuple[Any, str]]) -> str:
    """A sum of products of factors and units, with signs between them."""
    text = ""
    for factor, unit in terms:
        negative = factor.could_extract_minus_sign()
        rest = -factor if negative else factor
        shown = _factor(rest)
        term = unit if rest == 1 else f"{shown}{SPACE}{unit}"
        sign = (MINUS if text else NEGATIVE) if negative else (PLUS if text else "")
        text += f"{sign}{term}"
    return text


def fenced(content: str) -> str:
    """The content in round brackets of its height."""
    return f'<mrow><mo stretchy="true">(</mo><mrow>{content}</mrow><mo stretchy="true">)</mo></mrow>'


def expression(value: Any) -> str:
    """A SymPy expression; nodes without a rule are written as SymPy's text."""
    import sympy

    value = sympy.sympify(value)
    if value.is_Symbol:
        return identifier(value.name)
    if value.is_number and not value.args:
        return _number(value)
    if value.is_Add:
        return _sum(value)
    if value.is_Mul or value.is_Rational:
        return _product(value)
    if isinstance(value, sympy.exp) and _is_tall(value.args[0]):
        return f"<mrow><mi mathvariant='normal'>exp</mi>{fenced(expression(value.args[0]))}</mrow>"
    if isinstance(value, sympy.exp):
        return f"<msup><mi mathvariant='normal'>e</mi><mrow>{expression(value.args[0])}</mrow></msup>"
    if value.is_Pow:
        return _power(value)
    if value.is_Function:
        return _function(value)
    return f"<mtext>{escape(str(value))}</mtext>"


def _is_tall(exponent: Any) -> bool:
    """Whether an exponent has a fraction with variables in its denominator, which is too small as a superscript."""
    import sympy

    powers = exponent.atoms(sympy.Pow) - exponent.atoms(sympy.exp)
    return any(power.exp.could_extract_minus_sign() and power.free_symbols for power in powers)


def identifier(name: str) -> str:
    """A name with Greek letters, and with digits and the part after _ as index; numbers with ± in brackets."""
    uncertain = UNCERTAIN.fullmatch(name)
    if uncertain:
        value, error = uncertain[1], uncertain[2]
        return fenced(f"{_signed(value)}<mo>±</mo><mn>{error}</mn>")
    parts = SUBSCRIPT.fullmatch(name)
    if parts:
        below = f"<mn>{parts[2]}</mn>" if parts[2].isdigit() else f"<mi>{escape(parts[2])}</mi>"
        return f"<msub>{identifier(parts[1])}{below}</msub>"
    return f"<mi>{escape(GREEK.get(name, name))}</mi>"


def _number(value: Any) -> str:
    import sympy

    if value == sympy.pi:
        return "<mi>π</mi>"
    if value == sympy.E:
        return "<mi mathvariant='normal'>e</mi>"
    if value.is_Rational and not value.is_Integer:
        return _product(value)
    text = f"{float(value):.4g}" if value.is_Float else str(value)
    if "e" in text:
        mantissa, exponent = text.split("e")
        power = f"<msup><mn>10</mn><mrow>{_signed(str(int(exponent)))}</mrow></msup>"
        return f"<mrow>{_signed(mantissa)}<mo>×</mo>{power}</mrow>"
    return _signed(text)


def _signed(text: str) -> str:
    body = f"<mn>{escape(text.lstrip('-'))}</mn>"
    return f"<mrow>{NEGATIVE}{body}</mrow>" if text.startswith("-") else body


def _sum(value: Any) -> str:
    text = ""
    for term in value.as_ordered_terms():
        negative = term.could_extract_minus_sign()
        sign = (MINUS if text else NEGATIVE) if negative else (PLUS if text else "")
        text += sign + (_factor(-term) if negative else expression(term))
    return f"<mrow>{text}</mrow>"


def _factor(value: Any) -> str:
    """An expression as a factor of a product: sums get brackets."""
    return fenced(expression(value)) if value.is_Add else expression(value)


def _product(value: Any) -> str:
    """A product, as a fraction if there are factors with negative powers."""
    import sympy

    if value.could_extract_minus_sign():
        return f"<mrow>{NEGATIVE}{_factor(-value)}</mrow>"
    over, under = sympy.fraction(value, exact=True)  # else SymPy multiplies 4(1 − 2x) out
    if under != 1:
        return f"<mfrac><mrow>{expression(over)}</mrow><mrow>{expression(under)}</mrow></mfrac>"
    if not over.is_Mul:
        return expression(over)
    shown = [_factor(factor) for factor in over.as_ordered_factors()]
    signs = [DOT if STARTS_WITH_NUMBER.match(factor) else TIMES for factor in shown[1:]]
    return f"<mrow>{shown[0]}{''.join(sign + factor for sign, factor in zip(signs, shown[1:], strict=True))}</mrow>"


def _power(value: Any) -> str:
    import sympy

    base, exponent = value.as_base_exp()
    if exponent.is_number and exponent.could_extract_minus_sign():
        return f"<mfrac><mn>1</mn><mrow>{expression(base**-exponent)}</mrow></mfrac>"
    if exponent == sympy.Rational(1, 2):
        return f"<msqrt><mrow>{expression(base)}</mrow></msqrt>"
    if base.is_Function and not isinstance(base, sympy.exp | sympy.Abs) and exponent.is_Integer:
        return _function(base, expression(exponent))
    shown = expression(base) if base.is_Symbol or (base.is_Integer and base >= 0) else fenced(expression(base))
    return f"<msup>{shown}<mrow>{expression(exponent)}</mrow></msup>"


def _function(value: Any, power: str = "") -> str:
    """A named function; an integer power is written after the name, as in sin² x."""
    import sympy

    arguments = "<mo>,</mo>".join(expression(argument) for argument in value.args)
    if isinstance(value, sympy.Abs):
        return f"<mrow><mo>|</mo>{arguments}<mo>|</mo></mrow>"
    name = str(value.func)
    if name in BESSEL:
        order, argument = value.args
        return f"<mrow><msub><mi>{BESSEL[name]}</mi>{expression(order)}</msub>{fenced(expression(argument))}</mrow>"
    shown = f"<mi mathvariant='normal'>{escape(FUNCTIONS.get(name, name))}</mi>"
    return f"<mrow>{f'<msup>{shown}<mrow>{power}</mrow></msup>' if power else shown}{fenced(arguments)}</mrow>"


STYLE = Style(expression, fenced, SPACE, PLUS, MINUS, NEGATIVE)
