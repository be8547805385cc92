"""The inverse of a coordinate, y = Y(x) solved for x: functions are inverted in turn, branches chosen numerically.

By rules only, because a general search may not terminate. Solutions are checked at points of the box.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import sympy

from liestonet.reduction.setting import Setting
from liestonet.reduction.tuning import REDUCTION

# f(u) = w becomes u = g(w)
INVERSES: dict[Any, Callable[[Any], Any]] = {
    sympy.log: sympy.exp,
    sympy.exp: sympy.log,
    sympy.asinh: sympy.sinh,
    sympy.sinh: sympy.asinh,
    sympy.acosh: sympy.cosh,
    sympy.atanh: sympy.tanh,
    sympy.tanh: sympy.atanh,
    sympy.acoth: sympy.coth,
    sympy.asin: sympy.sin,
    sympy.acos: sympy.cos,
    sympy.atan: sympy.tan,
    sympy.tan: sympy.atan,
    sympy.erf: sympy.erfinv,
}
# Even functions and those with several branches: all candidates.
BRANCHES: dict[Any, Callable[[Any], list[Any]]] = {
    sympy.cosh: lambda w: [sympy.acosh(w), -sympy.acosh(w)],
    sympy.sin: lambda w: [sympy.asin(w), sympy.pi - sympy.asin(w), -sympy.pi - sympy.asin(w)],
    sympy.cos: lambda w: [sympy.acos(w), -sympy.acos(w)],
    sympy.Abs: lambda w: [w, -w],
}


def inverted(expression: Any, x: sympy.Symbol, y: sympy.Symbol, setting: Setting) -> Any:
    """x as an expression of y = `expression`, checked at the setting's points; None where the rules find none."""
    values, wanted = setting.numbers(expression), setting.values[x]
    there = setting.extended({y: expression}) if np.isfinite(values).all() else None
    if there is None:
        return None
    for candidate in _solutions(sympy.powsimp(expression), x, y, 0):
        candidate = there.plain(candidate)
        if candidate.has(x) or candidate.has(sympy.I, sympy.zoo, sympy.nan):
            continue
        found = there.numbers(candidate)
        if np.allclose(found, wanted, rtol=REDUCTION.rounding, atol=REDUCTION.rounding):
            return there.tidy(candidate)
    return None


def _solutions(left: Any, x: Any, right: Any, depth: int) -> Iterator[Any]:
    """Candidates for x with left(x) = right, likely ones first."""
    if depth > 12:
        return
    if left == x:
        yield right
        return
    if left.is_Add:
        free, rest = left.as_independent(x, as_Add=True)
        if free != 0:
            yield from _solutions(rest, x, right - free, depth + 1)
            return
    if left.is_Mul:
        free, rest = left.as_independent(x, as_Add=False)
        if free != 1:
            yield from _solutions(rest, x, right / free, depth + 1)
            return
    if isinstance(left, sympy.Pow) and not left.exp.has(x):
        for root in _roots(right, left.exp):
            yield from _solutions(left.base, x, root, depth + 1)
        return
    if isinstance(left, sympy.Pow) and not left.base.has(x):
        yield from _solutions(left.exp, x, sympy.log(right) / sympy.log(left.base), depth + 1)
        return
    if left.func in INVERSES:
        yield from _solutions(left.args[0], x, INVERSES[left.func](right), depth + 1)
        return
    if left.func in BRANCHES:
        for branch in BRANCHES[left.func](right):
            yield from _solutions(left.args[0], x, branch, depth + 1)
        return
    for rule in (_one_logarithm, _half_angle, _by_substitution, _algebraic):
        yield from rule(left, x, right, depth)


def _roots(value: Any, exponent: Any) -> list[Any]:
    """u with u^exponent = value: real roots of either sign, the usual one first."""
    power = 1 / exponent
    plain, negative = value**power, -((-value) ** power)
    if exponent.is_Integer and exponent % 2 == 0:
        return [plain, -plain]
    return [plain, negative, -plain]


def _one_logarithm(left: Any, x: Any, right: Any, depth: int) -> Iterator[Any]:
    """Σ c_i log u_i with rational c_i as one logarithm of a product."""
    terms = sympy.Add.make_args(sympy.expand(left))
    product, unit = sympy.Integer(1), None
    for term in terms:
        factor, rest = term.as_independent(x, as_Add=False)
        if not isinstance(rest, sympy.log):
            return
        unit = factor if unit is None else unit
        power = sympy.simplify(factor / unit)
        if not power.is_Rational:
            return
        product *= rest.args[0] ** power
    if len(terms) > 1 and unit is not None:
        yield from _solutions(sympy.together(product), x, sympy.exp(right / unit), depth + 1)


def _by_substitution(left: Any, x: Any, right: Any, depth: int) -> Iterator[Any]:
    """left as a function of one kernel, such as log x, x^p or e^x: solved for the kernel first."""
    kernels = [node for node in left.atoms(sympy.Function, sympy.Pow) if node.has(x) and node != left]
    powers: set[Any] = {
        node.exp for node in kernels if isinstance(node, sympy.Pow) and node.base == x and node.exp.is_Rational
    }
    fractions = [power for power in powers if not power.is_Integer]
    unit: Any = sympy.Rational(1, sympy.ilcm(1, 1, *(power.q for power in fractions)))
    if fractions:
        kernels = [x**unit, *kernels]
    kernels.sort(key=lambda node: (sympy.count_ops(node), str(node)))
    for kernel in kernels[:6]:
        u = sympy.Dummy("u", positive=True)
        inside: Any = left.xreplace({kernel: u})
        if fractions and kernel == x**unit:
            inside = sympy.powdenest(left.xreplace({x: u ** (1 / unit)}), force=True)
        if not inside.has(x):
            for value in _solutions(inside, u, right, depth + 1):
                yield from _solutions(kernel, x, value, depth + 1)


def _half_angle(left: Any, x: Any, right: Any, depth: int) -> Iterator[Any]:
    """Several of sin θ, cos θ, tan θ and their like by u = tan(θ/2), θ linear in x."""
    waves = left.atoms(sympy.sin, sympy.cos, sympy.tan, sympy.cot, sympy.sec, sympy.csc)
    angles = {wave.args[0] for wave in waves}
    if len(waves) < 2 or len(angles) != 1:
        return
    (angle,) = angles
    u = sympy.Dummy("u", real=True)
    sine, cosine = 2 * u / (1 + u**2), (1 - u**2) / (1 + u**2)
    values = {sympy.sin: sine, sympy.cos: cosine, sympy.tan: sine / cosine, sympy.cot: cosine / sine}
    values |= {sympy.sec: 1 / cosine, sympy.csc: 1 / sine}
    inside = left.xreplace({wave: values[wave.func] for wave in waves})
    if not inside.has(x):
        for value in _solutions(sympy.simplify(inside), u, right, depth + 1):
            yield from _solutions(angle, x, 2 * sympy.atan(value), depth + 1)


def _algebraic(left: Any, x: Any, right: Any, depth: int) -> Iterator[Any]:
    """Roots of polynomials of degree one and two, and small equations with square roots by SymPy's solver."""
    w = sympy.Dummy("w", real=True)
    numerator, denominator = sympy.fraction(sympy.together(left))
    equation = sympy.expand(numerator - w * denominator)
    if equation.is_polynomial(x):
        if sympy.degree(equation, x) > 2:
            return
        roots = sympy.roots(sympy.Poly(equation, x), multiple=True)
    elif left.is_algebraic_expr(x) and sympy.count_ops(left) <= REDUCTION.largest_equation:
        try:
            roots = sympy.solve(left - w, x, check=False)
        except (NotImplementedError, ValueError, TypeError):
            return
    else:
        return
    for root in roots:
        yield sympy.simplify(root).xreplace({w: right})
