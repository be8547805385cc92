"""Integrals of sums of x^k e^{px} cos qx and x^k e^{px} sin qx, which occur in linear equations, by formula."""

from __future__ import annotations

from typing import Any

import sympy

CIRCULAR = (sympy.sin, sympy.cos, sympy.sinh, sympy.cosh)
# Largest number of terms and largest power of x; beyond, formulas are too long to use.
MOST_TERMS, HIGHEST_POWER = 60, 12


def integral_of_waves(integrand: Any, x: sympy.Symbol) -> Any:
    """An antiderivative of a sum of polynomials times exponentials and waves of linear functions; else None."""
    table = _terms(integrand, x)
    if table is None:
        return None
    total: Any = sympy.Integer(0)
    done: set[tuple[int, Any, Any]] = set()
    for (power, rate), factor in table.items():
        real, imaginary = rate.as_real_imag()
        if (power, real, imaginary) in done:
            continue
        pair = sympy.expand(factor).as_real_imag()
        if imaginary == 0:
            total += pair[0] * _grown(power, real, x)
            continue
        done.add((power, real, sympy.expand(-imaginary)))  # the conjugate adds the same real part
        total += 2 * _waved(power, (real, imaginary), pair, x)
    return total


def _terms(integrand: Any, x: sympy.Symbol) -> dict[tuple[int, Any], Any] | None:
    """Σ c x^k e^{αx}: the factors c by k and α, complex for sines and cosines; None for other functions."""
    functions = [node for node in integrand.atoms(sympy.Function) if node.has(x)]
    if not functions or not all(isinstance(node, (*CIRCULAR, sympy.exp)) for node in functions):
        return None
    if not all(sympy.expand(node.args[0]).is_polynomial(x) for node in functions):
        return None
    if any(sympy.Poly(sympy.expand(node.args[0]), x).degree() != 1 for node in functions):
        return None
    plain = integrand.replace(lambda e: isinstance(e, CIRCULAR) and e.has(x), lambda e: e.rewrite(sympy.exp))
    expanded = sympy.expand(sympy.powsimp(sympy.expand(plain)))
    terms = sympy.Add.make_args(sympy.powsimp(expanded))
    if len(terms) > MOST_TERMS:
        return None
    table: dict[tuple[int, Any], Any] = {}
    for term in terms:
        factor, rest = sympy.powsimp(term).as_independent(x, as_Add=False)
        power, rate = 0, sympy.Integer(0)
        for part in sympy.Mul.make_args(rest):
            if isinstance(part, sympy.exp):
                exponent = sympy.expand(part.args[0])
                slope = exponent.coeff(x, 1)
                rate, factor = rate + slope, factor * sympy.exp(exponent - slope * x)
            elif part == x or (isinstance(part, sympy.Pow) and part.base == x and part.exp.is_Integer):
                power += int(part.as_base_exp()[1])
            elif part != 1:
                return None
        if not 0 <= power <= HIGHEST_POWER:
            return None
        key = power, sympy.expand(rate)
        table[key] = table.get(key, 0) + factor
    return table


def _grown(power: int, rate: Any, x: sympy.Symbol) -> Any:
    """∫ x^k e^{αx} dx with a real rate."""
    if rate == 0:
        return x ** (power + 1) / (power + 1)
    total, factor = sympy.Integer(0), 1 / rate
    for k in range(power, -1, -1):
        total += factor * x**k
        factor = -factor * k / rate
    return total * sympy.exp(rate * x)


def _waved(power: int, rate: tuple[Any, Any], factor: tuple[Any, Any], x: sympy.Symbol) -> Any:
    """The real part of factor · ∫ x^k e^{αx} dx with a complex rate, all in real numbers."""
    size = rate[0] ** 2 + rate[1] ** 2
    inverse = (rate[0] / size, -rate[1] / size)
    present = _product(factor, inverse)
    real, imaginary = sympy.Integer(0), sympy.Integer(0)
    for k in range(power, -1, -1):
        real, imaginary = real + present[0] * x**k, imaginary + present[1] * x**k
        present = _product((-k * present[0], -k * present[1]), inverse)
    return sympy.exp(rate[0] * x) * (real * sympy.cos(rate[1] * x) - imaginary * sympy.sin(rate[1] * x))


def _product(first: tuple[Any, Any], second: tuple[Any, Any]) -> tuple[Any, Any]:
    return first[0] * second[0] - first[1] * second[1], first[0] * second[1] + first[1] * second[0]
