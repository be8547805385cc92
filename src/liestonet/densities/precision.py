"""Numbers of fifty digits from SymPy: values of expressions, and expressions as functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import mpmath
import sympy
from sympy import Symbol

from liestonet.densities.numbers import Expression
from liestonet.densities.tuning import STATE_SPACE


def evaluated(expression: Any) -> Any:
    """The value of a constant as a number of mpmath, which may be infinite."""
    if expression == sympy.oo:
        return mpmath.inf
    if expression == -sympy.oo:
        return -mpmath.inf
    with mpmath.workdps(STATE_SPACE.digits):
        value = sympy.sympify(expression).evalf(STATE_SPACE.digits)
        return mpmath.mpmathify(value) if value.is_number else mpmath.nan


def function_of(
    symbols: Sequence[Symbol],
    expression: Expression | Any,
    fixed: Mapping[Any, Any] | None = None,
    digits: int | None = None,
) -> Callable[..., Any]:
    """An expression as a high-precision function; not-a-number where it has no value.

    `fixed` are values of further symbols.
    """
    known = dict(fixed or {})
    compiled = sympy.lambdify([*symbols, *known], expression, "mpmath", cse=True)
    count = digits or STATE_SPACE.digits
    with mpmath.workdps(count):
        rest = [mpmath.mpmathify(sympy.sympify(value).evalf(count)) for value in known.values()]

    def value(*numbers: Any) -> Any:
        with mpmath.workdps(count):
            try:
                return mpmath.mpmathify(compiled(*numbers, *rest))
            except (ZeroDivisionError, ValueError, OverflowError, TypeError):
                return mpmath.nan

    return value
