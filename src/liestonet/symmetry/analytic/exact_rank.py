"""The number of free coefficients of power-series solutions in exact arithmetic, for formulas that are not too large.

Modulo a large prime and at a random point, the rank of the conditions is the generic one, except with a probability of
one in millions (docs/method.md §3.3).
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Int

from liestonet.core.coefficients import Coefficients, ExactSource
from liestonet.core.power_series import SeriesRing
from liestonet.sde.modular import PRIME
from liestonet.symmetry.analytic.series_conditions import FormalSystem, components
from liestonet.symmetry.analytic.tuning import FORMAL
from liestonet.symmetry.determining.equations import Equations


def exact_freedom(equations: Equations, source: Coefficients, ring: SeriesRing, order: int) -> tuple[int, ...] | None:
    """Free Taylor coefficients up to each degree; None where that is not known exactly or takes too long."""
    if not isinstance(source, ExactSource):
        return None
    names = {str(term.coefficient.name) for term in equations.terms if term.coefficient is not None}
    series = source.exact_series(ring, names)
    if series is None:
        return None
    matrix, degrees, _ = FormalSystem(equations, ring, series).matrix(order)
    blocks = components(matrix != 0)
    if sum(len(rows) * len(columns) ** 2 for rows, columns in blocks) > FORMAL.exact_work:
        return None
    fixed = np.zeros(order + 1, dtype=int)
    for rows, columns in blocks:
        # coefficients of high degree are eliminated first, so that what is left binds those of low degree alone
        columns = columns[np.argsort(-degrees[columns], kind="stable")]
        pivots = pivot_columns(matrix[np.ix_(rows, columns)].astype(np.int64))
        fixed += np.bincount(degrees[columns[pivots]], minlength=order + 1)
    free = np.cumsum(np.bincount(degrees, minlength=order + 1) - fixed)
    return tuple(int(number) for number in free)


def pivot_columns(matrix: Int[np.ndarray, "rows columns"]) -> list[int]:
    """The pivot columns of a matrix's echelon form, modulo the prime."""
    matrix, pivots = matrix % PRIME, []
    for column in range(matrix.shape[1]):
        below = np.flatnonzero(matrix[:, column])
        if not len(below):
            continue
        pivot = matrix[below[0], column:] * pow(int(matrix[below[0], column]), -1, PRIME) % PRIME
        active = np.flatnonzero(pivot) + column
        rest = below[1:]
        if len(rest):
            block = np.ix_(rest, active)
            matrix[block] = (matrix[block] - matrix[rest, column][:, None] * pivot[active - column]) % PRIME
        matrix = np.delete(matrix, below[0], axis=0)
        pivots.append(column)
        if not len(matrix):
            break
    return pivots
