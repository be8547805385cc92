"""The largest possible number of symmetries: power-series solutions of the determining equations at a generic point.

The equations and all their derivatives up to some order are linear conditions on the Taylor coefficients of the
generator. Where these leave the coefficients of one degree no freedom once the lower ones are known, every derivative
of a symmetry is fixed by its lower ones, and the number of free coefficients bounds the dimension. Where freedom is
left at every degree, the algebra may be infinite-dimensional (docs/method.md §3.3).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from math import comb

import numpy as np
from jaxtyping import Bool, Float

from liestonet.core.coefficients import Coefficients, JetOrder
from liestonet.core.domain import Domain
from liestonet.core.power_series import SeriesRing
from liestonet.symmetry.analytic.exact_rank import exact_freedom
from liestonet.symmetry.analytic.series_conditions import FormalSystem, components
from liestonet.symmetry.analytic.tuning import FORMAL, Levels
from liestonet.symmetry.determining.equations import Equations
from liestonet.symmetry.determining.kinds import Kind


@dataclass(frozen=True)
class FormalCount:
    """Free Taylor coefficients, up to each degree, of series that solve all conditions up to `order`.

    `coupling[u, a, b]` says whether unknown u of some solution depends on variables a and b jointly (on a, for a = b).
    `periodic`, where known, is the number of local symmetries that are periodic in the periodic coordinates.
    """

    order: int
    free: tuple[int, ...]
    doubtful: bool
    coupling: Bool[np.ndarray, "unknowns v v"]
    periodic: int | None = None

    @property
    def bound(self) -> int | None:
        """The upper bound on the dimension: the free coefficients once one more degree adds none; else None."""
        return self.local if self.periodic is None else self.periodic

    @property
    def local(self) -> int | None:
        """The bound on a small piece of the box, where nothing has to be periodic."""
        for lower, upper in pairwise(self.free):
            if lower == upper:
                return lower
        return None


def formal_counts(
    kind: Kind, source: Coefficients, domain: Domain, largest: int = FORMAL.usual_size, repeats: int = 2
) -> list[FormalCount]:
    """Counts for rising orders, until `repeats` bounds in a row agree or the system grows too large."""
    counts: list[FormalCount] = []
    equations = kind.equations(source.dimension, source.noise)
    point = generic_point(domain)
    half = units_at(source, point, domain)
    order = _first_order(equations)
    while columns_at(equations, order) <= (largest if counts else FORMAL.largest_size):
        # derivatives of the coefficients enter the equations, so their series reach further than the unknowns'
        ring = SeriesRing(source.dimension + 1, order + 1)
        free = exact_freedom(equations, source, ring, order)
        if free is not None and source.dimension <= FORMAL.all_products:
            counts.append(FormalCount(order, free, False, _all_coupled(equations)))
        else:
            series = source.series(ring, point, half)
            if series is None:
                return []
            levels = FORMAL.blunt_levels if source.error else FORMAL.exact_levels
            count = count_formal(FormalSystem(equations, ring, series, half), order, levels)
            counts.append(count if free is None else replace(count, free=free, doubtful=False))
        last = [count.bound for count in counts[-repeats:]]
        if last[-1] == 0 or (len(last) == repeats and last[0] is not None and len(set(last)) == 1):
            break
        order += 1
    return counts


def _first_order(equations: Equations) -> int:
    """The lowest order that usually gives a bound; a lower one where that is too large: it still shows the coupling.

    Series that solve fewer conditions have more freedom, so variables that they do not couple are coupled by no
    symmetry.
    """
    below = max(unknown.order_below for unknown in equations.unknowns)
    return 3 + below if columns_at(equations, 3 + below) <= FORMAL.largest_size else 3


def _all_coupled(equations: Equations) -> Bool[np.ndarray, "unknowns v v"]:
    """All variables coupled: the safe assumption where coupling was not computed."""
    variables = equations.dimension + 1
    return np.ones((len(equations.unknowns), variables, variables), dtype=bool)


def generic_point(domain: Domain) -> Float[np.ndarray, " v"]:
    """A point near the centre with coordinates that satisfy no special relation."""
    offsets = np.sqrt(np.array([2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53])) % 1 - 0.5
    return domain.centre + 0.3 * domain.half * np.resize(offsets, len(domain.half))


def units_at(source: Coefficients, point: Float[np.ndarray, " v"], domain: Domain) -> Float[np.ndarray, " v"]:
    """Half the box, with time shortened to what drift and noise take to cross it; a count does not depend on units."""
    jet = source.jet(point[:1], point[None, 1:], JetOrder(drift=0, diffusion_squared=0))
    half = domain.half / 2
    crossings = [1.0]
    if () in jet.drift:
        crossings.append(half[0] * np.max(np.abs(jet.drift[()][0]) / half[1:]))
    if () in jet.diffusion_squared:
        crossings.append(half[0] * np.max(np.diag(jet.diffusion_squared[()][0]) / half[1:] ** 2))
    half[0] /= max(crossings)
    return half


def columns_at(equations: Equations, order: int) -> int:
    """Number of Taylor coefficients of all unknowns up to an order."""
    n = equations.dimension
    return sum(
        order + 1 if unknown.time_only else comb(n + 1 + order - unknown.order_below, n + 1)
        for unknown in equations.unknowns
        if not unknown.absent
    )


def count_formal(system: FormalSystem, order: int, levels: Levels = FORMAL.exact_levels) -> FormalCount:
    """Solve the conditions up to `order` and count the free coefficients up to each degree."""
    matrix, degrees, columns = system.matrix(order)
    null, (_, zero, clear), doubtful = null_space(matrix, levels)
    free = []
    for degree in range(order + 1):
        values = np.linalg.svd(null[:, degrees <= degree], compute_uv=False)
        free.append(int(np.sum(values > clear)))
        doubtful |= bool(np.any((values > zero) & (values <= clear)))
    coupling = np.zeros((len(system.equations.unknowns), system.ring.variables, system.ring.variables), dtype=bool)
    low = system.ring.exponents[columns[:, 1]].sum(axis=1) <= 2
    for column in np.flatnonzero(low & (np.abs(null) > clear).any(axis=0)):
        unknown, position = columns[column]
        active = np.flatnonzero(system.ring.exponents[position])
        coupling[unknown, active[:, None], active] = True
    return FormalCount(order, tuple(free), doubtful, coupling)


def null_space(
    matrix: Float[np.ndarray, "conditions m"], levels: Levels = FORMAL.exact_levels
) -> tuple[Float[np.ndarray, "k m"], Levels, bool]:
    """An orthonormal basis (rows) of the null space, the levels that separated zeros, and whether any was doubtful.

    Conditions that share no unknown are solved separately; this makes many dimensions feasible.
    """
    matrix = matrix / np.maximum(np.linalg.norm(matrix, axis=1, keepdims=True), np.finfo(float).tiny)
    vectors, doubtful = [], False
    for rows, columns in components(matrix != 0):
        null, level, unsure = _dense_null_space(matrix[np.ix_(rows, columns)], levels)
        block = np.zeros((len(null), matrix.shape[1]))
        block[:, columns] = null
        vectors.append(block)
        levels, doubtful = max(levels, level), doubtful or unsure
    return np.concatenate(vectors), levels, doubtful


def _dense_null_space(matrix: np.ndarray, levels: Levels) -> tuple[np.ndarray, Levels, bool]:
    """Null space (rows) of one block, by singular values or, for large ones, by the normal equations."""
    if not len(matrix):
        return np.eye(matrix.shape[1]), levels, False
    if matrix.shape[1] <= FORMAL.large:
        triangle = np.linalg.qr(matrix, mode="r") if len(matrix) > matrix.shape[1] else matrix
        _, values, vectors = np.linalg.svd(triangle, full_matrices=True)
        relative = np.append(values / values[0], np.zeros(matrix.shape[1] - len(values)))
    else:
        squares, columns = np.linalg.eigh(matrix.T @ matrix)
        levels, relative, vectors = FORMAL.blunt_levels, np.sqrt(np.maximum(squares, 0) / squares[-1]), columns.T
    rounding, zero, clear = levels
    doubtful = bool(np.any((relative > rounding) & (relative <= clear)))
    return vectors[relative <= zero], levels, doubtful
