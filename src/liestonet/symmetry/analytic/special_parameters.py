"""Candidates for special parameters: the divisors of an elimination, as exact polynomials free of the random point.

A divisor is a polynomial in the parameters whose numbers may depend on the random point. The same elimination at
several points shows which: a factor that is the same at all of them is one condition; a factor that changes with the
point is a sum of conditions with changing weights, and all of them must vanish for it to vanish everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

import sympy

from liestonet.core.power_series import SeriesRing
from liestonet.sde.polynomials import Poly, PolynomialRing, added, monic, rational
from liestonet.sde.symbolic import SymbolicCoefficients
from liestonet.symmetry.analytic.exact_rank import exact_freedom
from liestonet.symmetry.analytic.parametric_conditions import Conditions, TooLargeError, conditions_at, eliminated
from liestonet.symmetry.analytic.tuning import CLASSIFICATION
from liestonet.symmetry.determining.equations import Equations

Condition = frozenset[sympy.Expr]  # SymPy polynomials that vanish together


@dataclass(frozen=True)
class GenericCount:
    """The dimension for generic parameters, and the order of the conditions and the degree at which it appears."""

    dimension: int
    order: int
    level: int


def generic_count(equations: Equations, coefficients: SymbolicCoefficients) -> GenericCount | None:
    """The exact count with random parameters; None where formulas do not allow it or every degree leaves freedom."""
    found: list[GenericCount] = []
    order = 3 + max(unknown.order_below for unknown in equations.unknowns)
    for current in range(order, order + CLASSIFICATION.orders):
        series = SeriesRing(coefficients.dimension + 1, current + 1)
        free = exact_freedom(equations, coefficients, series, current)
        if free is None:
            return None
        level = next((k for k in range(len(free) - 1) if free[k] == free[k + 1]), None)
        if level is not None:
            found.append(GenericCount(free[level], current, level))
            same = [count for count in found if count.dimension == found[-1].dimension]
            if len(same) >= CLASSIFICATION.repeats or found[-1].dimension == 0:
                return same[0]
    return None


def candidates(equations: Equations, coefficients: SymbolicCoefficients, count: GenericCount) -> set[Condition] | None:
    """Conditions outside which the dimension is the generic one; None where they could not be computed."""
    first = conditions_at(equations, coefficients, count.order, 0)
    if first is None:
        return None
    runs, seed = [first], 0
    try:
        plan = eliminated(first, count.level)
        found = [plan.divisors]
        while len(found) < CLASSIFICATION.points and seed < CLASSIFICATION.most_points:
            seed += 1
            other = conditions_at(equations, coefficients, count.order, seed)
            if other is None:
                return None
            divisors = _repeated(other, count.level, plan.places)
            if divisors is not None and len(divisors) == len(plan.divisors):
                runs.append(other)
                found.append(divisors)
    except TooLargeError:
        return None
    return _collected([run.ring for run in runs], found)


def _repeated(conditions: Conditions, level: int, places: list[tuple[int, int]]) -> list[Poly] | None:
    """The divisors of the same elimination at another point; None where a pivot happens to vanish there."""
    try:
        return eliminated(conditions, level, places).divisors
    except KeyError:
        return None


def _collected(rings: list[PolynomialRing], found: list[list[Poly]]) -> set[Condition] | None:
    """The conditions of all divisors, each given by its polynomial at every point."""
    symbols = [sympy.Symbol(name, real=True) for name in rings[0].names]
    result: set[Condition] = set()
    seen: set[tuple[Any, ...]] = set()
    for same in zip(*found, strict=True):
        if all(len(poly) == 1 and 0 in poly for poly in same):
            continue
        exact = [_exact(one, poly, symbols) for one, poly in zip(rings, same, strict=True)]
        if any(expression is None for expression in exact):
            return None
        key = tuple(exact)
        if key in seen:
            continue
        seen.add(key)
        conditions = _conditions(exact)
        if conditions is None:
            return None
        result |= conditions
    return result


def _conditions(exact: list[Any]) -> set[Condition] | None:
    """The conditions under which one divisor vanishes at every point, from shared and from other factors."""
    factored = [_factors(expression) for expression in exact]
    shared = [factor for factor in factored[0] if all(factor in other for other in factored[1:])]
    found: set[Condition] = {frozenset([factor]) for factor in shared}
    rests = [[factor for factor in factors if factor not in shared] for factors in factored]
    for factor in rests[0]:
        alike = [_alike(factor, rest) for rest in rests[1:]]
        if any(len(match) != 1 for match in alike):
            return None
        basis = _span([factor, *(match[0] for match in alike)])
        if basis is None:
            return None
        choices = [_factors(element) for element in basis]
        if all(choices):
            found |= {frozenset(choice) for choice in product(*choices)}
    return found


def _alike(factor: Any, others: list[Any]) -> list[Any]:
    """The factors at another point that have the same monomials."""
    shape = set(_terms(factor))
    return [other for other in others if set(_terms(other)) == shape]


def _terms(expression: Any) -> dict[Any, Any]:
    return sympy.Poly(expression, *sorted(expression.free_symbols, key=str)).as_dict() | {
        "symbols": tuple(sorted(map(str, expression.free_symbols)))
    }


def _exact(one: PolynomialRing, poly: Poly, symbols: list[Any]) -> Any:
    """A divisor in SymPy: numbers as fractions, inverses multiplied out, roots replaced by their norm."""
    place = len(one.names)
    used = [k for k in range(len(one.auxiliary)) if any(one.exponents(m)[place + k] for m in poly)]
    if used:
        return _exact(one, _without(one, poly, place + max(used)), symbols)
    total = sympy.Integer(0)
    lowest = [min(column) for column in zip(*(one.exponents(m)[:place] for m in poly), strict=True)]
    for monomial, value in monic(poly).items():
        number = rational(value)
        if number is None:
            return None
        term = sympy.Rational(number.numerator, number.denominator)
        for symbol, exponent, least in zip(symbols, one.exponents(monomial), lowest, strict=False):
            term *= symbol ** (exponent - min(least, 0))
        total += term
    return total


def _without(one: PolynomialRing, poly: Poly, position: int) -> Poly:
    """A polynomial with an auxiliary variable eliminated, up to factors of the expression it stands for."""
    unit = one.monomial([0] * position + [1])
    kind, base = one.meanings[unit]
    parts: dict[int, Poly] = {}
    for monomial, value in poly.items():
        power = one.exponents(monomial)[position]
        parts.setdefault(power, {})[monomial - power * unit] = value
    if kind == "inverse":
        highest, total = max(parts), {}
        for power, part in parts.items():
            for _ in range(highest - power):
                part = one.multiply(part, base)
            total = added(total, part)
        return total
    even, odd = parts.get(0, {}), parts.get(1, {})
    return added(one.multiply(even, even), one.multiply(one.multiply(odd, odd), base), -1)


def _factors(expression: Any) -> list[Any]:
    """The irreducible factors, each with coprime integer coefficients and a fixed sign."""
    _, rows = sympy.factor_list(expression)
    return [canonical(factor) for factor, _ in rows]


def canonical(expression: Any) -> Any:
    """A polynomial with coprime integer coefficients, the leading one positive."""
    _, primitive = sympy.Poly(expression, *sorted(expression.free_symbols, key=str)).primitive()
    return (primitive if primitive.LC() > 0 else -primitive).as_expr()


def _span(expressions: list[Any]) -> list[Any] | None:
    """A reduced basis of the span of polynomials; None where more points could enlarge it."""
    symbols = sorted(set().union(*(e.free_symbols for e in expressions)), key=str)
    tables: list[dict[Any, Any]] = [sympy.Poly(e, *symbols).as_dict() for e in expressions]
    monomials = sorted({monomial for table in tables for monomial in table}, reverse=True)
    matrix = sympy.Matrix([[table.get(monomial, 0) for monomial in monomials] for table in tables])
    reduced, pivots = matrix.rref()
    if len(pivots) == len(expressions):
        return None
    rows = [reduced.row(k) for k in range(len(pivots))]
    return [
        sympy.Add(
            *(
                number * sympy.prod(s**e for s, e in zip(symbols, m, strict=True))
                for number, m in zip(row, monomials, strict=True)
            )
        )
        for row in rows
    ]
