"""Where the rank of the power-series conditions can drop: elimination over polynomials in the parameters.

The conditions at a point are a matrix over the polynomials in the parameters. Gauss's algorithm divides by its pivots
and by common factors of rows. Wherever none of these is zero the ranks are the generic ones, and so is the dimension;
so every special value of the parameters is a zero of one of these divisors (docs/method.md §17.1).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from liestonet.core.coefficients import Derivative
from liestonet.core.power_series import SeriesRing
from liestonet.sde.parametric_series import PolySeries, parametric_series
from liestonet.sde.polynomials import PRIME, Poly, PolynomialRing, added, as_residue, monic, quotient, scaled
from liestonet.sde.symbolic import SymbolicCoefficients
from liestonet.symmetry.analytic.tuning import CLASSIFICATION
from liestonet.symmetry.determining.equations import Coefficient, Equations

SparseRow = dict[int, Poly]


@dataclass(frozen=True)
class Conditions:
    """Rows of conditions on Taylor coefficients, and the degree of the coefficient in each column."""

    ring: PolynomialRing
    rows: list[SparseRow]
    degrees: list[int]


@dataclass
class Elimination:
    """The divisors used in Gaussian elimination, in order, and the positions of its pivots."""

    divisors: list[Poly] = field(default_factory=list)
    places: list[tuple[int, int]] = field(default_factory=list)
    factors: list[Poly] = field(default_factory=list)


class TooLargeError(Exception):
    """Raised when the polynomials grow too large."""


def conditions_at(equations: Equations, coefficients: SymbolicCoefficients, order: int, seed: int) -> Conditions | None:
    """The conditions up to an order at a random point; None where the formulas have no exact parametric series."""
    ring = SeriesRing(coefficients.dimension + 1, order + 1)
    names = {str(term.coefficient.name) for term in equations.terms if term.coefficient is not None}
    found = parametric_series(coefficients, ring, names, seed)
    if found is None:
        return None
    polynomials, series = found
    sums = ring.exponents.sum(axis=1)
    place, degrees = _columns(equations, ring, order, sums)
    rows: list[SparseRow] = []
    for form in filter(None, _forms(equations, ring, series)):
        reach = min(order - equations.unknowns[u].order_below - len(derivative) for u, derivative in form)
        for target in np.flatnonzero(sums <= reach).tolist():
            row: SparseRow = {}
            for (unknown, derivative), coefficient in form.items():
                _fill(row, ring, place[unknown], derivative, coefficient, target)
            rows.append({column: poly for column, poly in row.items() if poly})
    return Conditions(polynomials, [row for row in rows if row], degrees)


def _columns(equations: Equations, ring: SeriesRing, order: int, sums: np.ndarray) -> tuple[np.ndarray, list[int]]:
    """The column of each Taylor coefficient of each unknown, and the degree of every column."""
    place = np.full((len(equations.unknowns), ring.size), -1)
    degrees: list[int] = []
    for number, unknown in enumerate(equations.unknowns):
        allowed = sums <= order - unknown.order_below
        if unknown.time_only:
            allowed &= ~ring.exponents[:, 1:].any(axis=1)
        place[number, allowed] = len(degrees) + np.arange(allowed.sum())
        degrees.extend((sums[allowed] + unknown.order_below).tolist())
    return place, degrees


def _forms(
    equations: Equations, ring: SeriesRing, series: dict[str, dict[tuple[int, ...], PolySeries]]
) -> list[dict[tuple[int, Derivative], PolySeries]]:
    """For every equation the series that multiplies each derivative of each unknown."""
    forms: list[dict[tuple[int, Derivative], PolySeries]] = [{} for _ in equations.rows]
    one: PolySeries = [{0: 1}, *({} for _ in range(ring.size - 1))]
    for term in equations.terms:
        value = one if term.coefficient is None else _derivative(ring, series, term.coefficient)
        factor, key = as_residue(term.factor), (term.unknown, term.derivative)
        old = forms[term.row].get(key)
        parts = [scaled(poly, factor) for poly in value]
        forms[term.row][key] = parts if old is None else [added(a, b) for a, b in zip(old, parts, strict=True)]
    return [{key: value for key, value in form.items() if any(value)} for form in forms]


def _derivative(
    ring: SeriesRing, series: dict[str, dict[tuple[int, ...], PolySeries]], coefficient: Coefficient
) -> PolySeries:
    found = series[coefficient.name][coefficient.entry]
    for variable in coefficient.derivative:
        result: PolySeries = [{} for _ in found]
        for position, poly in enumerate(found):
            exponent = ring.exponents[position].copy()
            if poly and exponent[variable]:
                exponent[variable] -= 1
                result[int(ring.find(exponent[None])[0])] = scaled(poly, int(exponent[variable]) + 1)
        found = result
    return found


def _fill(
    row: SparseRow, ring: SeriesRing, place: np.ndarray, derivative: Derivative, series: PolySeries, target: int
) -> None:
    """Add the coefficient of s^target in series · ∂^derivative unknown."""
    shift = np.bincount(derivative, minlength=ring.variables) if derivative else np.zeros(ring.variables, int)
    for position, poly in enumerate(series):
        if not poly:
            continue
        below = ring.exponents[target] - ring.exponents[position]
        if (below < 0).any():
            continue
        alpha = below + shift
        column = int(place[ring.find(alpha[None])[0]])
        if column < 0:
            continue
        factor = 1
        for variable in derivative:
            factor *= int(alpha[variable])
            alpha[variable] -= 1
        row[column] = added(row.get(column, {}), poly, factor)


def eliminated(conditions: Conditions, level: int, places: list[tuple[int, int]] | None = None) -> Elimination:
    """Gaussian elimination on the columns above degree level + 1, then those of that degree, then the others.

    Pivots are the simplest entries, or those at given places, taken from another point. Rows are divided by common
    monomials.
    """
    found = Elimination()
    rows = {number: dict(row) for number, row in enumerate(conditions.rows)}
    for number, row in rows.items():
        rows[number] = _divided(conditions.ring, row, found)
    work = 0
    planned = iter(places) if places is not None else None
    for block in _blocks(conditions.degrees, level):
        while True:
            chosen = next(planned, None) if planned is not None else _simplest(rows, block)
            if chosen is None:
                break
            number, column = chosen
            if planned is not None and column not in block:
                planned = iter([chosen, *planned])
                break
            if column not in rows.get(number, {}):
                raise KeyError(column)
            pivot = rows.pop(number)
            found.places.append(chosen)
            found.divisors.append(pivot[column])
            if len(pivot[column]) > 1 and monic(pivot[column]) not in found.factors:
                found.factors.append(monic(pivot[column]))
            for other, row in rows.items():
                if column in row:
                    rows[other] = _divided(conditions.ring, _subtracted(conditions.ring, row, pivot, column), found)
                    work += sum(len(poly) for poly in rows[other].values())
                    if work > CLASSIFICATION.most_work:
                        raise TooLargeError("polynomials grow too large")
            rows = {other: row for other, row in rows.items() if row}
    return found


def _blocks(degrees: list[int], level: int) -> list[set[int]]:
    """Blocks of columns in the order of elimination: the freedom up to a degree depends on their ranks alone."""
    return [
        {column for column, degree in enumerate(degrees) if degree > level + 1},
        {column for column, degree in enumerate(degrees) if degree == level + 1},
        {column for column, degree in enumerate(degrees) if degree <= level},
    ]


def _simplest(rows: dict[int, SparseRow], block: set[int]) -> tuple[int, int] | None:
    """The entry of a block that is easiest to divide by: a number, a monomial, few terms; then the sparsest row."""
    counts: dict[int, int] = {}
    for row in rows.values():
        for column in row:
            counts[column] = counts.get(column, 0) + 1
    best: tuple[tuple[int, int, int, int], tuple[int, int]] | None = None
    for number, row in rows.items():
        for column, poly in row.items():
            if column in block:
                kind = 0 if len(poly) == 1 and 0 in poly else len(poly)
                key = (kind, (len(row) - 1) * (counts[column] - 1), number, column)
                if best is None or key < best[0]:
                    best = key, (number, column)
    return None if best is None else best[1]


def _subtracted(ring: PolynomialRing, row: SparseRow, pivot: SparseRow, column: int) -> SparseRow:
    """The row with its entry in the pivot's column eliminated."""
    entry, divisor = row[column], pivot[column]
    if len(divisor) == 1:
        ((monomial, value),) = divisor.items()
        inverse = pow(value, -1, PRIME)
        factor = {key - monomial: number * inverse % PRIME for key, number in entry.items()}
        result = {c: dict(poly) for c, poly in row.items() if c != column}
        for other, poly in pivot.items():
            if other != column:
                result[other] = added(result.get(other, {}), ring.multiply(factor, poly), -1)
    else:
        result = {c: ring.multiply(divisor, poly) for c, poly in row.items() if c != column}
        for other, poly in pivot.items():
            if other != column:
                result[other] = added(result.get(other, {}), ring.multiply(entry, poly), -1)
    return {c: poly for c, poly in result.items() if poly}


def _divided(ring: PolynomialRing, row: SparseRow, found: Elimination) -> SparseRow:
    """The row divided by common factors to keep it small: a monomial (recorded), earlier pivots, and a number."""
    if not row:
        return row
    exponents = [ring.exponents(monomial) for poly in row.values() for monomial in poly]
    least = [min(column) for column in zip(*exponents, strict=True)]
    if any(least):
        common = ring.monomial(least)
        positive = ring.monomial([max(e, 0) for e in least])
        if positive:
            found.divisors.append({positive: 1})
        row = {column: {key - common: value for key, value in poly.items()} for column, poly in row.items()}
    if not ring.rules:
        for pivot in found.factors:
            row = _without_factor(row, pivot)
    first = row[min(row)]
    scale = pow(first[max(first)], -1, PRIME)
    return row if scale == 1 else {column: scaled(poly, scale) for column, poly in row.items()}


def _without_factor(row: SparseRow, factor: Poly) -> SparseRow:
    """The row divided by the highest power of a polynomial that divides it."""
    while True:
        parts: SparseRow = {}
        for column, poly in sorted(row.items(), key=lambda item: len(item[1])):
            part = quotient(poly, factor)
            if part is None:
                return row
            parts[column] = part
        row = parts
