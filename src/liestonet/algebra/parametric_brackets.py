"""Brackets of generators whose formulas contain parameters: structure constants as expressions in these."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from liestonet.algebra.commutators import Bracket
from liestonet.formulas.formula import Formula
from liestonet.formulas.proved.parametric import independent_parts, linear_solution

if TYPE_CHECKING:
    import sympy


def parametric_brackets(
    formulas: Sequence[Formula], numerical: Mapping[tuple[int, int], Bracket], variables: tuple[sympy.Symbol, ...]
) -> dict[tuple[int, int], sympy.Expr] | None:
    """[X_i, X_j] as sums over X1, X2, … of the generators in the numerical bracket; None if one has no solution."""
    import sympy

    found: dict[tuple[int, int], sympy.Expr] = {}
    for (i, j), terms in numerical.items():
        present = [k for k, _ in terms]
        constants = _constants(formulas, (i, j), present, variables)
        if constants is None:
            return None
        found[i, j] = sympy.Add(*(c * sympy.Symbol(f"X{k + 1}") for k, c in zip(present, constants, strict=True)))
    return found


def _constants(
    formulas: Sequence[Formula], pair: tuple[int, int], present: Sequence[int], variables: tuple[sympy.Symbol, ...]
) -> list[sympy.Expr] | None:
    """The factors of the generators present in one bracket."""
    import sympy

    first, second = (_components(formulas[k]) for k in pair)
    unknowns = [sympy.Dummy(f"c{k}") for k in present]
    others = [_components(formulas[k]) for k in present]
    rows: list[sympy.Expr] = []
    for component in range(len(first)):
        bracket = _along(first, second[component], variables) - _along(second, first[component], variables)
        parts = independent_parts(
            bracket - sum(c * other[component] for c, other in zip(unknowns, others, strict=True)), variables
        )
        if parts is None:
            return None
        rows += parts
    solution = linear_solution(rows, unknowns)
    return None if solution is None else [solution[unknown] for unknown in unknowns]


def _components(formula: Formula) -> list[sympy.Expr]:
    return [formula.tau, *formula.xi, formula.beta]


def _along(field: Sequence[sympy.Expr], function: sympy.Expr, variables: tuple[sympy.Symbol, ...]) -> sympy.Expr:
    """X(g) = τ g_t + ξ·∇g."""
    import sympy

    return sum((part * function.diff(v) for part, v in zip(field, variables, strict=False)), sympy.Integer(0))
