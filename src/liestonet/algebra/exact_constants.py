"""Structure constants of generators in closed form, from values of their brackets to many digits.

Least squares over the box determines only constants whose terms are large there. With formulas the brackets are known
at every point to any precision, so the constants are correct even if generators span many orders of magnitude.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import mpmath
import numpy as np
from jaxtyping import Float

from liestonet.algebra.tuning import ALGEBRA

Row = list[Any]


def exact_constants(
    generators: Sequence[Sequence[Any]], symbols: Sequence[Any], points: Float[np.ndarray, "b v"]
) -> Float[np.ndarray, "m m m"] | None:
    """[X_i, X_j] = Σ_k c[i, j, k] X_k for generators given by their components (τ, ξ, β).

    None if the brackets leave the span, or if this would take too long.
    """
    import sympy

    m = len(generators)
    pairs = list(combinations(range(m), 2))
    if m > ALGEBRA.most_generators or len(points) < m + ALGEBRA.extra_points:
        return None
    entries = [e for component in zip(*generators, strict=True) for e in component]
    slopes = [[e.diff(s) for e in entries] for s in symbols]
    if sum(int(sympy.count_ops(e)) for part in (entries, *slopes) for e in part) > ALGEBRA.largest_expression:
        return None
    evaluate = sympy.lambdify(list(symbols), [entries, *slopes], "mpmath", cse=True)
    used = points[: m + ALGEBRA.extra_points]
    try:
        # elimination may lose as many digits as the values span, and its results may be smaller by as many
        orders = _orders_of_magnitude(evaluate, used)
        if orders > ALGEBRA.most_orders:
            return None
        with mpmath.workdps(ALGEBRA.digits + 2 * orders):
            table = [row for point in used for row in _rows(evaluate(*map(mpmath.mpf, point)), m, pairs)]
            sizes = [max(column) for column in zip(*(size for _, size in table), strict=True)]
            solved = _eliminated([row for row, _ in table], sizes, m, mpmath.mpf(10) ** -(ALGEBRA.agreeing + orders))
    except (TypeError, ValueError, ZeroDivisionError, NameError, KeyError, OverflowError):
        return None
    if solved is None:
        return None
    constants = np.zeros((m, m, m))
    for k, row in enumerate(solved):
        for (i, j), value in zip(pairs, row, strict=True):
            constants[i, j, k], constants[j, i, k] = value, 0.0 - value
    return constants


def _orders_of_magnitude(evaluate: Any, points: Float[np.ndarray, "b v"]) -> int:
    """The number of powers of ten between the smallest and the largest value."""
    with mpmath.workdps(15):
        values = [abs(v) for p in points for part in evaluate(*map(mpmath.mpf, p)) for v in part if v != 0]
        return int(mpmath.log10(max(values) / min(values))) if values else 0


def _rows(values: Sequence[Row], m: int, pairs: Sequence[tuple[int, int]]) -> list[tuple[Row, Row]]:
    """At one point, for every component: its value in each generator and bracket, and the size of their terms."""
    here, slopes = values[0], values[1:]
    rows = []
    for c in range(len(here) // m):
        own = [mpmath.mpf(value) for value in here[c * m : (c + 1) * m]]
        row, sizes = own, [abs(value) for value in own]
        for i, j in pairs:
            terms = [
                term
                for v, slope in enumerate(slopes)
                for term in (here[v * m + i] * slope[c * m + j], -here[v * m + j] * slope[c * m + i])
            ]
            row, sizes = [*row, mpmath.fsum(terms)], [*sizes, mpmath.fsum(terms, absolute=True)]
        rows.append((row, sizes))
    return rows


def _eliminated(rows: list[Row], sizes: Row, m: int, rounding: Any) -> list[Row] | None:
    """Gauss–Jordan on the first m columns: the remaining entries of each pivot row, None if rows are inconsistent.

    `sizes` are those of the terms in each column: values at the level of their rounding are zero.
    """
    for k in range(m):
        best = max(range(k, len(rows)), key=lambda i: abs(rows[i][k]))
        if abs(rows[best][k]) <= rounding * sizes[k]:
            return None  # the generators are not independent
        rows[k], rows[best] = rows[best], rows[k]
        pivot = rows[k] = [value / rows[k][k] for value in rows[k]]
        for i, row in enumerate(rows):
            if i != k and row[k] != 0:
                factor = row[k]
                rows[i] = [value - factor * part for value, part in zip(row, pivot, strict=True)]
    missed = (abs(value) > rounding * size for row in rows[m:] for value, size in zip(row[m:], sizes[m:], strict=True))
    if any(missed):
        return None
    return [
        [
            float(value) if abs(value) * sizes[k] > rounding * size else 0.0
            for value, size in zip(row[m:], sizes[m:], strict=True)
        ]
        for k, row in enumerate(rows[:m])
    ]
