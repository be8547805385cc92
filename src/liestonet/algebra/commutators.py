"""Brackets of generators as people read them: those that do not vanish, with exact numbers where there are any."""

from __future__ import annotations

from typing import Any

import numpy as np
from jaxtyping import Float

from liestonet.algebra.constants import recognise

# What is smaller than this part of the rest is not shown; the constants' own error where that is larger.
LEAST_PART = 1e-6
Bracket = list[tuple[int, float]]


def least_constant(constants: Float[np.ndarray, "m m m"], closure: float) -> float:
    """A structure constant below this is zero within its error."""
    return max(LEAST_PART, 100 * closure) * float(np.max(np.abs(constants), initial=0.0))


def nonzero_brackets(constants: Float[np.ndarray, "m m m"], closure: float) -> dict[tuple[int, int], Bracket]:
    """[X_i, X_j] with i < j as pairs (k, c[i, j, k]), for those that are not zero within the error."""
    least = least_constant(constants, closure)
    found = {}
    for i in range(len(constants)):
        for j in range(i + 1, len(constants)):
            kept = [(k, c) for k, c in enumerate(constants[i, j].tolist()) if abs(c) > least]
            if kept:
                found[i, j] = kept
    return found


def exact_brackets(constants: Float[np.ndarray, "m m m"], closure: float) -> dict[tuple[int, int], Any]:
    """The same as SymPy sums over symbols X1, X2, …; numbers without an exact form keep four digits."""
    import sympy

    error = least_constant(constants, closure)
    generators = [sympy.Symbol(f"X{k + 1}") for k in range(len(constants))]
    return {
        pair: sympy.Add(*(_number(value, error) * generators[k] for k, value in terms))
        for pair, terms in nonzero_brackets(constants, closure).items()
    }


def commutator_table(upper: dict[tuple[int, int], Any], size: int) -> list[list[Any]]:
    """Every bracket, row by row: entry (i, j) is [X_i, X_j]; `upper` are those with i < j that do not vanish."""
    import sympy

    count = range(size)
    zero = sympy.Integer(0)
    return [[upper.get((i, j), zero) if i < j else -upper.get((j, i), zero) for j in count] for i in count]


def _number(value: float, error: float) -> Any:
    import sympy

    exact = recognise(value, error)
    return sympy.Float(value, 4) if exact is None else exact
