"""Bounds on how functions of the state grow, read off their formulas: |v| ≤ C(1 + |x|)^p, with C free of the state."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import sympy
from sympy import Expr, Rational

# Functions that are smooth and bounded on the real line, and those that grow like a logarithm.
BOUNDED = (sympy.sin, sympy.cos, sympy.tanh, sympy.atan, sympy.sech, sympy.erf)
SLOW = (sympy.asinh,)


def growth(given: Any, state: Collection[Any]) -> Any:
    """A power p with |given| ≤ C(1 + |x|)^p for all real states, or None where the formula does not show one.

    Only formulas that are smooth for all real states have one. What does not depend on the state counts as a constant.
    """
    expression: Any = sympy.sympify(given)
    if not expression.has(*state):
        return sympy.Integer(0)
    if expression in state:
        return sympy.Integer(1)
    if expression.is_Add:
        parts = [growth(term, state) for term in expression.args]
        return None if None in parts else max(parts)
    if expression.is_Mul:
        parts = [growth(factor, state) for factor in expression.args]
        return None if None in parts else sympy.Add(*parts)
    if expression.is_Pow:
        return _of_power(expression.base, expression.exp, state)
    if isinstance(expression, (*BOUNDED, *SLOW)):
        inside = growth(expression.args[0], state)
        if inside is None:
            return None
        return sympy.Integer(0) if isinstance(expression, BOUNDED) else inside
    if isinstance(expression, sympy.exp):
        power: Any = expression.exp
        return sympy.Integer(0) if is_positive_sum(1 - power, state) else None
    return None


def is_exponential(given: Any, state: Collection[Any]) -> bool:
    """Whether the formula shows |given| ≤ C exp(c|x|) for all real states; it is smooth then."""
    expression: Any = sympy.sympify(given)
    if growth(expression, state) is not None:
        return True
    if expression.is_Add or expression.is_Mul:
        return all(is_exponential(part, state) for part in expression.args)
    if expression.is_Pow and expression.exp.is_Integer and expression.exp > 0:
        return is_exponential(expression.base, state)
    if isinstance(expression, (sympy.exp, sympy.cosh, sympy.sinh)):
        power = growth(expression.args[0], state)
        return power is not None and bool(power <= 1)
    return False


def _of_power(base: Any, exponent: Any, state: Collection[Any]) -> Any:
    if not isinstance(exponent, Rational):
        return None
    inside = growth(base.args[0] if isinstance(base, sympy.cosh) else base, state)
    if inside is None:
        return None
    away_from_zero = is_positive_sum(base, state) or isinstance(base, sympy.cosh)
    if exponent < 0:
        return sympy.Integer(0) if away_from_zero else None
    if isinstance(base, sympy.cosh) or not (exponent.is_Integer or away_from_zero):
        return None
    return inside * exponent


def is_positive_sum(expression: Expr, state: Collection[Any]) -> bool:
    """Whether an expression is a positive number plus squares of the state with positive factors: at least a number."""
    constant, rest = sympy.expand(expression).as_independent(*state, as_Add=True)
    return bool(constant.is_positive) and all(_is_square(term, state) for term in sympy.Add.make_args(rest))


def _is_square(term: Any, state: Collection[Any]) -> bool:
    factor, function = term.as_independent(*state, as_Add=False)
    powers: Any = sympy.Mul.make_args(function)
    even = all(p.is_Pow and p.exp.is_Integer and p.exp > 0 and p.exp % 2 == 0 for p in powers if p != 1)
    return bool(factor.is_nonnegative) and even
