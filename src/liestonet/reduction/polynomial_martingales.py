"""Polynomials of the state that are martingales with factors of time: 𝓛 maps spaces of polynomials to themselves.

If 𝓛p_j = Σ_i A_ij p_i on such a space, v = Σ_i (e^{−At}c)_i p_i has no drift for every c. Vectors that a power of A − λ
sends to zero are taken for c, with eigenvalues λ that are rational in numbers of the equation (docs/method.md §18.8).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations_with_replacement
from typing import Any

import sympy

from liestonet.formulas.shortest import shortest
from liestonet.reduction.equation import Equation
from liestonet.reduction.tuning import MARTINGALES


def polynomial_martingales(equation: Equation) -> Iterator[Any]:
    """Those of autonomous equations, of low degrees; none where eigenvalues have no simple formula."""
    state = equation.state
    degree = MARTINGALES.polynomial_degrees[min(len(state), len(MARTINGALES.polynomial_degrees)) - 1]
    if not degree or not equation.is_autonomous():
        return
    monomials = [
        sympy.Mul(*factors) for size in range(degree + 1) for factors in combinations_with_replacement(state, size)
    ]
    space, matrix = _invariant(monomials, equation)
    if matrix.shape[0] <= 1:
        return
    row = sympy.Matrix([monomials]) * space
    functions = [shortest((row * moved)[0]) for moved in _solutions(matrix, equation.time)]
    found = [p for p in functions if p.has(*state)]
    yield from sorted(found, key=lambda p: (_degree(p, state), sympy.count_ops(p), str(p)))


def _solutions(matrix: Any, time: Any) -> Iterator[Any]:
    """e^{−At}c = e^{−λt} Σ_k (−t)^k (A − λ)^k c/k! for a basis of every generalised eigenspace of a rational λ."""
    polynomial = matrix.charpoly()
    variable = polynomial.gen
    _, factors = sympy.factor_list(polynomial.as_expr(), variable)
    for factor, count in factors:
        if sympy.degree(factor, variable) != 1:
            continue
        (value,) = sympy.solve(factor, variable)
        shifted = (matrix - value * sympy.eye(matrix.shape[0])).applyfunc(sympy.simplify)
        kept: list[Any] = []
        for power in range(1, count + 1):
            for c in (shifted**power).applyfunc(sympy.simplify).nullspace():
                if sympy.Matrix.hstack(*kept, c).rank() == len(kept) + 1:
                    kept.append(c)
                    parts = [(-time) ** k / sympy.factorial(k) * (shifted**k * c) for k in range(power)]
                    yield sympy.exp(-value * time) * sum(parts[1:], parts[0])


def _degree(polynomial: Any, state: tuple[Any, ...]) -> int:
    return int(sympy.Poly(sympy.expand(polynomial), *state).total_degree())


def _invariant(monomials: list[Any], equation: Equation) -> tuple[Any, Any]:
    """A basis of the largest space of polynomials that 𝓛 maps to itself, as columns, and its matrix there."""
    images = []
    for p in monomials:
        image = sympy.expand(equation.drift_of(p))
        table = image.as_poly(*equation.state)
        images.append({} if image == 0 else None if table is None else dict(table.terms()))
    known = [dict(sympy.Poly(p, *equation.state).terms()) for p in monomials]
    rows = sorted({power for table in [*images, *known] if table is not None for power in table})
    usable = [k for k, table in enumerate(images) if table is not None]
    place = sympy.Matrix(len(rows), len(monomials), lambda i, k: known[k].get(rows[i], 0))
    moved = sympy.Matrix(len(rows), len(usable), lambda i, k: images[usable[k]].get(rows[i], 0))
    space = sympy.eye(len(monomials)).extract(list(range(len(monomials))), usable)
    while True:
        # combinations of the columns whose images are combinations of them again
        inside = place * space
        both = moved.row_join(-inside).nullspace() if space.shape[1] else []
        kept = [vector[: moved.shape[1], :] for vector in both]
        kept = [vector for vector in kept if any(entry != 0 for entry in vector)]
        if len(kept) == space.shape[1] or not kept:
            break
        chosen = sympy.Matrix.hstack(*kept)
        space, moved = space * chosen, moved * chosen
    if not kept:
        return sympy.zeros(len(monomials), 0), sympy.zeros(0, 0)
    inside = place * space
    matrix = (inside.T * inside).LUsolve(inside.T * moved)
    return space, matrix.applyfunc(sympy.simplify)
