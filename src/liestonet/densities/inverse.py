"""The inverse of h(t, x) in closed form, if h is a chain of invertible elementary functions."""

from __future__ import annotations

from typing import Any

import mpmath
import sympy
from sympy import Symbol

from liestonet.densities.numbers import Expression
from liestonet.densities.precision import function_of
from liestonet.densities.state_space import ScalarEquation
from liestonet.densities.tuning import POTENTIAL

_INVERSES: dict[Any, Any] = {
    sympy.log: sympy.exp,
    sympy.exp: sympy.log,
    sympy.asinh: sympy.sinh,
    sympy.atanh: sympy.tanh,
    sympy.tan: sympy.atan,
    sympy.atan: sympy.tan,
    sympy.asin: sympy.sin,
    sympy.sinh: sympy.asinh,
}


def inverse_of(equation: ScalarEquation, height: Expression) -> tuple[Symbol, Expression] | None:
    """A symbol for h and the state as a function of it, checked by substitution; None where no chain is found."""
    h, x = Symbol("h", real=True), equation.state
    if height.has(sympy.Integral):
        return None
    found = _undone(sympy.logcombine(height, force=True), x, h)
    if found is None:
        return None
    there, back = equation.function(height), function_of((equation.time, h), found, equation.draw)
    for time in equation.times():
        for place in equation.inside():
            error = back(time, there(time, place)) - place
            if not (mpmath.isfinite(error) and abs(error) <= POTENTIAL.cancelled * (1 + abs(place))):
                return None
    return h, found


ONE_TO_ONE = (sympy.exp, sympy.log, sympy.asinh, sympy.sinh, sympy.atan, sympy.tanh, sympy.atanh)


def one_to_one_zero(expression: Expression, x: Symbol) -> Expression | None:
    """The only real zero of a chain of one-to-one functions, complex if there is none; None of other expressions.

    Powers that are not whole are real, and one-to-one, above zero alone.
    """
    node: Any
    for node in sympy.preorder_traversal(expression):
        if not node.has(x) or node == x or node.is_Add or node.is_Mul or isinstance(node, ONE_TO_ONE):
            continue
        if not (node.is_Pow and node.exp.is_Rational and (not node.exp.is_integer or node.exp.is_odd)):
            return None
    return _undone(expression, x, sympy.Integer(0))


def _undone(left: Any, x: Symbol, right: Any) -> Any:
    """The solution x of left(x) = right, by inverting one function at a time."""
    if left == x:
        return right
    if left.is_Add:
        rest, inner = left.as_independent(x, as_Add=True)
        if inner.is_Add:
            return _moebius(left, x, right)
        return _undone(inner, x, right - rest)
    if left.is_Mul:
        factor, inner = left.as_independent(x, as_Add=False)
        if inner.is_Mul:
            return _moebius(left, x, right)
        return _undone(inner, x, right / factor)
    if left.is_Pow and not left.exp.has(x):
        return _undone(left.base, x, right ** (1 / left.exp))
    if left.is_Pow and not left.base.has(x):
        return _undone(left.exp, x, sympy.log(right) / sympy.log(left.base))
    if left.func in _INVERSES:
        return _undone(left.args[0], x, _INVERSES[left.func](right))
    return None


def _moebius(left: Any, x: Symbol, right: Any) -> Any:
    """The solution x if left is a ratio of linear functions."""
    fraction: Any = sympy.fraction(sympy.together(left))
    over, under = fraction
    if not (over.is_polynomial(x) and under.is_polynomial(x)):
        return None
    if max(sympy.Poly(over, x).degree(), sympy.Poly(under, x).degree()) > 1:
        return None
    a, b = over.coeff(x, 1), over.subs(x, 0)
    c, d = under.coeff(x, 1), under.subs(x, 0)
    return (d * right - b) / (a - c * right)
