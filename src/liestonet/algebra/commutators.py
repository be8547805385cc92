"""Brackets of generators for display: those that do not vanish, with exact numbers where these are known."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Float

from liestonet.algebra.structure import Algebra
from liestonet.algebra.tuning import ALGEBRA
from liestonet.formulas.exact_numbers import recognise

if TYPE_CHECKING:
    import sympy

Bracket = list[tuple[int, float]]


def nonzero_brackets(algebra: Algebra) -> dict[tuple[int, int], Bracket]:
    """[X_i, X_j] with i < j as pairs (k, c[i, j, k]), for those that are not zero within their error.

    Constants are compared with their error for generators of length one, so that factors of generators do not matter.
    """
    constants, unit = algebra.structure_constants, np.abs(algebra.unit_constants)
    # constants of proved formulas are exact, and so are their zeros
    part = max(ALGEBRA.least_part, ALGEBRA.closures * algebra.closure) if algebra.closure else 0.0
    least = part * float(np.max(unit, initial=0.0))
    found = {}
    for i in range(len(constants)):
        for j in range(i + 1, len(constants)):
            kept = [(k, c) for k, c in enumerate(constants[i, j].tolist()) if c and unit[i, j, k] > least]
            if kept:
                found[i, j] = kept
    return found


def exact_brackets(algebra: Algebra) -> dict[tuple[int, int], sympy.Expr]:
    """The brackets that do not vanish, as SymPy sums over X1, X2, …; inexact numbers have four digits."""
    import sympy

    shown = ALGEBRA.least_part if algebra.closure else 0.0
    error = max(ALGEBRA.exact_digits, shown, ALGEBRA.closures * algebra.closure)
    generators = [sympy.Symbol(f"X{k + 1}") for k in range(algebra.dimension)]
    return {
        pair: sympy.Add(*(_number(value, error * abs(value)) * generators[k] for k, value in terms))
        for pair, terms in nonzero_brackets(algebra).items()
    }


def standing_out(algebra: Algebra) -> Float[np.ndarray, "m m m"]:
    """Structure constants from data, with zero for those not above their error or that of the generators."""
    constants = algebra.structure_constants
    part = max(ALGEBRA.least_estimated, ALGEBRA.estimated_closures * algebra.closure)
    least = part * float(np.max(np.abs(constants), initial=0.0))
    known = (np.abs(constants) > least) & (np.abs(algebra.unit_constants) > algebra.error)
    return np.where(known, constants, 0.0)


def estimated_brackets(algebra: Algebra) -> dict[tuple[int, int], sympy.Expr]:
    """The significant brackets [X_i, X_j] with i < j from data, as SymPy sums over X1, X2, … with three digits."""
    import sympy

    constants = standing_out(algebra)
    generators = [sympy.Symbol(f"X{k + 1}") for k in range(len(constants))]
    return {
        (int(i), int(j)): sympy.Add(*(_three_digits(c) * generators[k] for k, c in enumerate(constants[i, j]) if c))
        for i, j in zip(*np.triu_indices(len(constants), 1), strict=True)
        if constants[i, j].any()
    }


def commutator_table(upper: dict[tuple[int, int], sympy.Expr], size: int) -> list[list[sympy.Expr]]:
    """The table of brackets: entry (i, j) is [X_i, X_j]; `upper` has those with i < j that do not vanish."""
    import sympy

    count = range(size)
    zero = sympy.Integer(0)
    return [[upper.get((i, j), zero) if i < j else -upper.get((j, i), zero) for j in count] for i in count]


def _number(value: float, error: float) -> sympy.Expr:
    import sympy

    exact = recognise(value, error)
    return sympy.Float(value, 4) if exact is None else exact


def _three_digits(value: float) -> sympy.Expr:
    """A number with three digits, as an integer if these agree with one."""
    import sympy

    short = float(f"{value:.3g}")
    return sympy.Integer(int(short)) if short.is_integer() and abs(short) < 100 else sympy.Float(short, 3)
