"""The null space of the determining equations, by enriching the basis where the residual still points.

A true symmetry's residual falls with every enrichment until rounding stops it, a near-symmetry's stays. The basis
grows by the functions just outside it whose images correlate with the residuals of the unsettled directions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from liestonet.domain import Domain
from liestonet.multiindex import Degrees, margin, total_degree
from liestonet.sde.jets import CoefficientSource
from liestonet.symmetry.basis import Basis
from liestonet.symmetry.kinds import Kind
from liestonet.symmetry.lowest import Directions, lowest_directions
from liestonet.symmetry.operator import Cloud, Operator, lattice_cloud, tensor_cloud

# The span's error in radians is about (residual of the last symmetry) / (residual of the first direction beyond).
ACCURACY = 1e-7
# A direction has settled when two rounds of enrichment lower its residual by less than this each.
SETTLED_FALL = 0.05
# Residuals of this size are rounding.
ROUNDING = 1e-11
# A direction above this can still fall, but is not followed where no bound says that it could be a symmetry.
UNPROMISING = 0.3
EXTRA_DIRECTIONS = 6
# Enrichment takes the outside functions that make up this share of the gain, none weaker than a fraction of the best.
MARKED_SHARE, WEAKEST_GAIN = 0.8, 0.05
START_DEGREE = {1: 6, 2: 4, 3: 3}
LARGEST_BASIS = {1: 1500, 2: 1800, 3: 2600}
LARGEST_BASIS_BEYOND = 4200
ROUNDS = 24


@dataclass(frozen=True)
class Enrichment:
    """One round: how large the basis was and which residuals it left, in ascending order."""

    size: int
    residuals: Float[np.ndarray, " k"]


@dataclass(frozen=True)
class NullSpace:
    """The lowest directions at the last round, how many of them are symmetries, and how we got there."""

    directions: Directions
    count: int
    history: tuple[Enrichment, ...]
    settled: bool

    @property
    def gap(self) -> float:
        """Residual of the first direction left out over that of the last one taken; infinite where one is missing."""
        residuals = self.directions.residuals
        taken = max(residuals[self.count - 1], np.finfo(float).tiny) if self.count else np.finfo(float).eps
        return float(residuals[self.count] / taken) if self.count < len(residuals) else float("inf")


def start_basis(kind: Kind, source: CoefficientSource, domain: Domain) -> Basis:
    """Low total degree in all variables; one more in time for what depends on time alone."""
    n = source.dimension
    degree = START_DEGREE.get(n, 2)
    equations = kind.equations(n, source.noise)
    full, time = total_degree(range(n + 1), n + 1, degree), total_degree([0], n + 1, degree + 1)
    degrees = tuple(time if unknown.time_only else full for unknown in equations.unknowns)
    return Basis(domain, equations.unknown_scales(domain.half), degrees)


def cloud_for(basis: Basis, domain: Domain) -> Cloud:
    """Quadrature fine enough for the basis: Gauss points in up to three variables, a lattice beyond."""
    if len(domain.intervals) <= 2:
        return tensor_cloud(domain, basis.highest + 7)
    largest = max(len(rows) for rows in basis.degrees)
    return lattice_cloud(domain, 3 * largest + 400, edge=basis.highest > 4)


def find_null_space(
    kind: Kind,
    source: CoefficientSource,
    domain: Domain,
    bound: int | None,
    progress: Callable[[str], None] | None = None,
) -> NullSpace:
    """Enrich until every direction that could be a symmetry is one or has settled at a residual that stays.

    `bound` is the largest possible dimension where it is known; it says how many directions to watch and when
    to stop.
    """
    basis = start_basis(kind, source, domain)
    history: list[Enrichment] = []
    wanted = (bound if bound is not None else 6) + EXTRA_DIRECTIONS
    start = None
    while True:
        operator = Operator(kind, source, domain, cloud_for(basis, domain))
        directions = lowest_directions(operator, basis, wanted, start)
        history.append(Enrichment(basis.size, directions.residuals))
        if progress is not None:
            progress(f"basis of {basis.size} functions, smallest residuals {_list(directions.residuals)}")
        unsettled = unsettled_directions(history, bound)
        if not len(unsettled):
            return NullSpace(directions, count_symmetries(history, bound), tuple(history), True)
        larger = enlarge(operator, directions, unsettled)
        if len(history) >= ROUNDS or larger.size > LARGEST_BASIS.get(source.dimension, LARGEST_BASIS_BEYOND):
            return NullSpace(directions, count_symmetries(history, bound), tuple(history), False)
        start = basis.embed(directions.coefficients, larger)
        basis = larger


def unsettled_directions(history: list[Enrichment], bound: int | None) -> Int[np.ndarray, " k"]:
    """Directions that may still turn out to be symmetries, or whose symmetry is not yet known well enough."""
    residuals = history[-1].residuals
    if bound is None:
        watched = np.flatnonzero(residuals[:-1] < UNPROMISING)
        enough = ROUNDING
    else:
        watched = np.arange(min(bound, len(residuals)))
        enough = max(ROUNDING, ACCURACY * residuals[bound]) if bound < len(residuals) else ROUNDING
    return np.array([j for j in watched if residuals[j] > enough and _still_falling(history, j)], dtype=np.int64)


def _still_falling(history: list[Enrichment], direction: int) -> bool:
    """Whether one of the last two enrichments lowered this residual noticeably; true before there were two."""
    past = [round_.residuals[direction] for round_ in history[-3:] if direction < len(round_.residuals)]
    falls = [after < (1 - SETTLED_FALL) * before for before, after in zip(past, past[1:], strict=False)]
    return len(falls) < 2 or any(falls)


def count_symmetries(history: list[Enrichment], bound: int | None) -> int:
    """The directions before the widest gap: one side has fallen with enrichment, the other has stayed.

    Nothing is a symmetry unless its residual fell: the first direction competes with the gap from its residual down
    to a thousandth of the accuracy asked for.
    """
    residuals = np.maximum(history[-1].residuals, ROUNDING)
    limit = min(bound if bound is not None else len(residuals) - 1, len(residuals) - 1)
    gaps = [residuals[0] / (ACCURACY * 1e-3)] + [residuals[j] / residuals[j - 1] for j in range(1, limit + 1)]
    return int(np.argmax(gaps))


def enlarge(operator: Operator, directions: Directions, unsettled: Int[np.ndarray, " k"]) -> Basis:
    """Add the outside functions that carry most of what correlates with the unsettled residuals."""
    basis = directions.basis
    variables = range(len(basis.domain.intervals))
    outside = tuple(
        margin(rows, [0] if unknown.time_only else variables, 2)
        for unknown, rows in zip(operator.equations.unknowns, basis.degrees, strict=True)
    )
    candidates = Basis(basis.domain, basis.scales, outside)
    images = directions.images[:, unsettled]
    matrix = operator.assemble(candidates)
    products = matrix.transposed(images / np.linalg.norm(images, axis=0))
    gains = (products / np.maximum(matrix.column_norms(), np.finfo(float).tiny)[:, None]) ** 2
    marked = np.zeros(candidates.size, dtype=bool)
    for gain in gains.T:
        order = np.argsort(gain)[::-1]
        share = np.cumsum(gain[order])
        chosen = order[: 1 + np.searchsorted(share, MARKED_SHARE * share[-1])]
        marked[chosen[gain[chosen] >= WEAKEST_GAIN * gain[order[0]]]] = True
    return basis.with_degrees([_stretched(rows[marked[candidates.columns(u)]]) for u, rows in enumerate(outside)])


def _stretched(degrees: Degrees) -> Degrees:
    """Push each degree further along its own largest variable, so that high degrees are reached in few rounds."""
    if not len(degrees):
        return degrees
    longest = degrees.argmax(axis=1)
    result = degrees.copy()
    result[np.arange(len(degrees)), longest] += degrees.max(axis=1) // 4
    return result


def _list(values: np.ndarray) -> str:
    return ", ".join(f"{value:.1e}" for value in values[:6])
