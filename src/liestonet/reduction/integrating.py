"""Antiderivatives of known functions in the setting of an equation: closed by rules, else unevaluated."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import sympy

from liestonet.formulas.quadrature import closed_integral
from liestonet.reduction.quasi_polynomials import integral_of_waves
from liestonet.reduction.setting import Setting
from liestonet.reduction.tuning import REDUCTION


def integrated(integrand: Any, x: sympy.Symbol, setting: Setting) -> Any:
    """∫ integrand dx: closed and checked by its derivative, else an unevaluated integral from a point of the box."""
    closed = closed_form(integrand, x, setting)
    return kept(integrand, x, setting) if closed is None else closed


def closed_form(integrand: Any, x: sympy.Symbol, setting: Setting) -> Any:
    """An antiderivative in closed form, or None."""
    integrand = sympy.sympify(integrand)
    if integrand == 0:
        return sympy.Integer(0)
    outside, inside = integrand.as_independent(x, as_Add=False)
    waves = integral_of_waves(inside, x)
    if waves is not None:
        shown = setting.vanishes(sympy.diff(waves, x) - inside)
        return setting.tidy(outside * setting.tidy(waves)) if shown else None
    for way in dict.fromkeys(_ways(inside, x, setting)):
        found = _power(way, x) or _term_by_term(way, x)
        if found is None:
            continue
        found = setting.tidy(_real(found, setting))
        if setting.vanishes(sympy.diff(found, x) - inside):
            return setting.tidy(outside * found)
    return None


def _ways(inside: Any, x: sympy.Symbol, setting: Setting) -> Iterator[Any]:
    """Forms of an integrand for the rules: unchanged, simplified, with one root, as a sum."""
    yield inside
    yield setting.tidy(inside)
    if inside.is_rational_function(x):
        yield sympy.apart(inside, x) if len(inside.free_symbols) == 1 else sympy.factor(inside)
    elif inside.has(sympy.Pow):
        yield _one_root(inside)
    yield sympy.expand(inside)


def _one_root(inside: Any) -> Any:
    """√u √v as √(uv) with the product expanded, the form in the rules."""
    factors: Any = sympy.Mul.make_args(inside)
    exponents = {f.exp for f in factors if f.is_Pow and f.exp.is_Rational and f.exp.q == 2}
    for exponent in exponents:
        parts = [f for f in factors if f.is_Pow and f.exp == exponent]
        base = sympy.expand(sympy.Mul(*(part.base for part in parts)))
        inside = inside / sympy.Mul(*parts) * base**exponent
    return inside


def _power(inside: Any, x: sympy.Symbol) -> Any:
    """∫ x^p dx for an exponent that is a symbol, and so generic; else None."""
    inside = sympy.powsimp(inside)
    base, exponent = inside.as_base_exp()
    if base != x or exponent.is_number or exponent.has(x):
        return None
    return x ** (exponent + 1) / (exponent + 1)


def kept(integrand: Any, x: sympy.Symbol, setting: Setting) -> Any:
    """The unevaluated integral from a point of the box; its derivative is known."""
    inside = sympy.Symbol(f"{x.name}_1", **({"positive": True} if x.is_positive else {"real": True}))
    return sympy.Integral(integrand.xreplace({x: inside}), (inside, anchor(x, setting), x))


def anchor(x: sympy.Symbol, setting: Setting) -> Any:
    """A simple number inside the box of a variable, at which formulas may be evaluated."""
    return anchors(x, setting)[0]


def anchors(x: sympy.Symbol, setting: Setting) -> list[Any]:
    """Simple numbers inside the box of a variable, the simplest first."""
    low, high = float(np.min(setting.values[x])), float(np.max(setting.values[x]))
    simple = [sympy.Integer(0), sympy.Integer(1), sympy.Integer(-1), sympy.Rational(1, 2), sympy.Integer(2)]
    middle = sympy.nsimplify((low + high) / 2, rational=True, tolerance=(high - low) / 8)
    return [value for value in [*simple, middle] if low <= value <= high] or [middle]


def _term_by_term(integrand: Any, x: Any) -> Any:
    """The integral of a sum, each term by the rules; None where one of them fails."""
    if sympy.count_ops(integrand) > REDUCTION.largest_integrand:
        return None
    whole = closed_integral(integrand, x, generic=True)
    if whole is not None or not integrand.is_Add:
        return whole
    total = sympy.Integer(0)
    for term in integrand.args:
        outside, inside = term.as_independent(x, as_Add=False)
        found = x if inside == 1 else closed_integral(inside, x, generic=True)
        if found is None:
            return None
        total += outside * found
    return total


def _real(found: Any, setting: Setting) -> Any:
    """The antiderivative with logarithms of moduli for arguments that are negative on the box."""
    for node in found.atoms(sympy.log):
        values = setting.numbers(node.args[0])
        if np.isfinite(values).all() and (values < 0).all():
            found = found.xreplace({node: sympy.log(-node.args[0])})
    return found
