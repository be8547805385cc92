"""The null space of the determining equations, in a basis that grows where the generators need it.

A true symmetry's residual falls with every enrichment until rounding stops it, a near-symmetry's stays. Each round
adds all functions next to the basis, solves, and drops those that the wanted directions do not use.
See docs/method.md §3.4.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from jaxtyping import Bool, Float, Int

from liestonet.core.coefficients import Coefficients
from liestonet.core.domain import Domain
from liestonet.core.multiindex import NO_HARMONICS, Degrees, margin, total_degree, union
from liestonet.core.points import PointCloud, lattice_cloud, tensor_cloud
from liestonet.core.tuning import SHARED, by_dimension
from liestonet.symmetry.analytic.harmonics import harmonics_of
from liestonet.symmetry.analytic.smallest_singular import Directions, lowest_directions
from liestonet.symmetry.analytic.tuning import FORMAL, NULL_SPACE
from liestonet.symmetry.determining.basis import Basis
from liestonet.symmetry.determining.equations import Equations
from liestonet.symmetry.determining.fields import Fields
from liestonet.symmetry.determining.kinds import Kind
from liestonet.symmetry.determining.operator import Operator

Coupling = Bool[np.ndarray, "unknowns v v"]


@dataclass(frozen=True)
class Enrichment:
    """One round: the size of the basis, the residuals in it, in ascending order, and their reliability."""

    size: int
    residuals: Float[np.ndarray, " k"]
    rounding: Float[np.ndarray, " k"] | float = NULL_SPACE.rounding
    blur: Float[np.ndarray, " k"] | float = 0.0

    def enough(self, direction: int, bound: int | None, accuracy: float) -> float:
        """The residual below which a direction counts as a symmetry."""
        beyond = self.residuals[bound] if bound is not None and bound < len(self.residuals) else 0.0
        rounding = np.broadcast_to(self.rounding, self.residuals.shape)[direction]
        return float(max(NULL_SPACE.rounding, rounding, accuracy * beyond))


@dataclass(frozen=True)
class NullSpace:
    """The lowest directions at one round, how many of them are symmetries, and the history of rounds."""

    directions: Directions
    count: int
    history: tuple[Enrichment, ...]
    settled: bool

    @property
    def gap(self) -> float:
        """Residual of the first direction left out over that of the last symmetry; infinite where one is missing."""
        residuals = np.maximum(self.directions.residuals, np.finfo(float).eps)
        taken = residuals[self.count - 1] if self.count else np.finfo(float).eps
        return float(residuals[self.count] / taken) if self.count < len(residuals) else float("inf")

    @property
    def worst(self) -> float:
        """The residual of the last symmetry, but at least the level of rounding."""
        last = float(self.directions.residuals[self.count - 1]) if self.count else 0.0
        return max(NULL_SPACE.rounding, last)

    def tells_more_than(self, later: NullSpace, bound: int | None) -> bool:
        """Whether this round reaches the upper bound better than a later one: large bases have more rounding.

        Rounding raises residuals. If a later round falls short of the bound although its residuals did not rise, then
        some of them really stay above zero.
        """
        if bound is None or self.count != bound:
            return False
        if later.count >= bound:
            return later.count > bound or self.worst < later.worst
        return self.worst < (1 - NULL_SPACE.settled_fall) * float(later.directions.residuals[bound - 1])

    def last_fall(self, direction: int) -> float:
        """How much the last enrichment lowered a direction's residual; the whole residual after one round only."""
        now = self.history[-1].residuals[direction]
        if len(self.history) < 2 or direction >= len(self.history[-2].residuals):
            return float(now)
        return float(max(0.0, self.history[-2].residuals[direction] - now))


def start_basis(kind: Kind, source: Coefficients, domain: Domain, coupling: Coupling | None) -> Basis:
    """A basis of low total degree in all variables; one degree more for functions of time alone."""
    n = source.dimension
    degree = by_dimension(NULL_SPACE.start_degree, n)
    equations = kind.equations(n, source.noise)
    full, time = total_degree(range(n + 1), n + 1, degree), total_degree([0], n + 1, degree + 1)
    degrees = [unknown.admitted(full, time) for unknown in equations.unknowns]
    return Basis(domain, equations.unknown_scales(domain.half), _admitted(degrees, coupling))


def _admitted(degrees: list[Degrees], coupling: Coupling | None) -> tuple[Degrees, ...]:
    """In three and more dimensions, keep only functions of variables that some solution couples."""
    if coupling is None or coupling.shape[1] <= FORMAL.all_products + 1:
        return tuple(degrees)
    admitted = []
    for rows, allowed in zip(degrees, coupling, strict=True):
        active = (rows > 0).astype(int)
        # a row is out if it holds two variables (or twice the same) that are not coupled
        admitted.append(rows[np.einsum("ma,ab,mb->m", active, (~allowed).astype(int), active) == 0])
    return tuple(admitted)


def cloud_for(basis: Basis, domain: Domain) -> PointCloud:
    """Quadrature fine enough for the basis: Gauss points in up to three variables, a lattice beyond."""
    if len(domain.intervals) <= 2:
        return tensor_cloud(domain, basis.highest + 7)
    largest = max(len(rows) for rows in basis.degrees)
    count = max(NULL_SPACE.points_per_function * largest, NULL_SPACE.least_points)
    return lattice_cloud(domain, count, edge=basis.highest > 4)


def residuals_elsewhere(
    kind: Kind, source: Coefficients, domain: Domain, fields: Fields, points: int = 2000
) -> Float[np.ndarray, " m"]:
    """Relative residual of each field on points that the search did not use."""
    if not fields.count:
        return np.zeros(0)
    operator = Operator(kind, source, domain, lattice_cloud(domain, points, shift=0.123))
    images = operator.assemble(fields.basis).apply(fields.coefficients)
    return np.linalg.norm(images, axis=0) / np.linalg.norm(fields.coefficients, axis=0)


def find_null_space(
    kind: Kind,
    source: Coefficients,
    domain: Domain,
    bound: int | None,
    coupling: Coupling | None = None,
    progress: Callable[[str], None] | None = None,
    accuracy: float | None = None,
) -> NullSpace:
    """Enrich the basis until every direction that could be a symmetry is one or its residual has stopped falling.

    `bound` is the largest possible dimension, if known; it sets how many directions to watch and when to stop.
    `coupling` says which variables each component can depend on jointly (see `symmetry/analytic/dimension_bound.py`);
    `accuracy` is the accuracy required of the span, if the usual one is not enough.
    """
    basis = start_basis(kind, source, domain, coupling)
    harmonics = harmonics_of(source, domain)
    history: list[Enrichment] = []
    n = source.dimension
    # without a bound, in many dimensions as many as the largest algebra of full-rank noise has, the heat equation's
    guess = NULL_SPACE.guess if n <= SHARED.few_coordinates else n * (n - 1) // 2 + 2 * n + 4
    wanted = (bound if bound is not None else guess) + NULL_SPACE.extra_directions
    if accuracy is None:
        accuracy = NULL_SPACE.accuracy if source.dimension <= SHARED.few_coordinates else NULL_SPACE.accuracy_beyond
    start, largest = None, by_dimension(NULL_SPACE.largest_basis, source.dimension)
    best: NullSpace | None = None
    while True:
        operator = Operator(kind, source, domain, cloud_for(basis, domain), lifted=True)
        directions = lowest_directions(operator, basis, wanted, start)
        while directions.residuals[-1] < NULL_SPACE.all_small and wanted < basis.size:
            wanted *= 2
            directions = lowest_directions(operator, basis, wanted, directions.coefficients)
        rounding = NULL_SPACE.much_rounding * max(np.finfo(float).eps, source.error) * directions.sizes
        history.append(Enrichment(basis.size, directions.residuals, rounding, directions.blur * directions.sizes))
        if progress is not None:
            progress(f"basis of {basis.size} functions, residuals {_list(directions.residuals)}")
        unsettled = unsettled_directions(history, bound, accuracy)
        used = used_basis(directions, unsettled)
        larger = enlarged(used, operator.equations, coupling, harmonics)
        now = NullSpace(directions, count_symmetries(history, bound, accuracy), tuple(history), not len(unsettled))
        if best is None or not best.tells_more_than(now, bound):
            best = now
        if not len(unsettled) or len(history) >= NULL_SPACE.rounds or larger.size > largest:
            return best
        start = project_coefficients(directions, larger)
        basis = larger


def unsettled_directions(
    history: list[Enrichment], bound: int | None, accuracy: float = NULL_SPACE.accuracy
) -> Int[np.ndarray, " k"]:
    """Directions that may still turn out to be symmetries, or whose residual is not yet known well enough."""
    last = history[-1]
    if bound is not None and bound < len(last.residuals):
        watched, patience = np.arange(bound), _patience(history)
    else:
        watched, patience = np.flatnonzero(last.residuals[:-1] < NULL_SPACE.unpromising), NULL_SPACE.little_patience
        clear = _clear_gap(history)
        watched = watched if clear is None else watched[watched < clear]
    open_ = [
        j
        for j in watched.tolist()
        if last.residuals[j] > last.enough(j, bound, accuracy) and _still_falling(history, j, patience)
    ]
    if bound is not None and bound < len(last.residuals) and last.size <= NULL_SPACE.modest_basis:
        least = max(NULL_SPACE.nearest, last.enough(bound, bound, accuracy))
        near = least < last.residuals[bound] < NULL_SPACE.followed
        open_ += [bound] if near and _still_falling(history, bound) else []
    return np.array(open_, dtype=np.int64)


def _clear_gap(history: list[Enrichment]) -> int | None:
    """The place of a very wide gap above which residuals fall so slowly that they are near-symmetries at best."""
    residuals = np.maximum(history[-1].residuals, NULL_SPACE.rounding)
    first = int(np.argmax(residuals[1:] / residuals[:-1])) + 1
    past = [round_.residuals[first] for round_ in history[-3:] if first < len(round_.residuals)]
    slow = len(past) == 3 and all(after > NULL_SPACE.slow_fall * before for before, after in pairwise(past))
    return first if slow and residuals[first] > NULL_SPACE.wide_gap * residuals[first - 1] else None


def _patience(history: list[Enrichment]) -> int:
    """Rounds without a fall that are allowed: more for directions within the bound, as long as the basis is small."""
    return NULL_SPACE.patience if history[-1].size <= NULL_SPACE.patient_basis else NULL_SPACE.little_patience


def _still_falling(history: list[Enrichment], direction: int, rounds: int = NULL_SPACE.little_patience) -> bool:
    """Whether one of the last enrichments lowered this residual noticeably; true if there were too few of them."""
    past = [round_.residuals[direction] for round_ in history[-rounds - 1 :] if direction < len(round_.residuals)]
    falls = [after < (1 - NULL_SPACE.settled_fall) * before for before, after in pairwise(past)]
    return len(falls) < rounds or any(falls)


def count_symmetries(history: list[Enrichment], bound: int | None, accuracy: float = NULL_SPACE.accuracy) -> int:
    """The number of directions before the widest gap; the bound if there is a gap there, or only rounding below it.

    A direction is a symmetry only if its residual fell. The gap below the first direction is measured from a thousandth
    of the usual accuracy; a direction whose residual stays above rounding, far from those below it, is not a symmetry.
    """
    last = history[-1]
    residuals = np.maximum(last.residuals, NULL_SPACE.rounding)
    below = np.maximum(np.append(0.0, last.residuals[:-1]), np.maximum(last.rounding, last.blur))
    for j in range(bound if bound is not None and bound < len(residuals) else 0):
        stays = last.residuals[j] > last.enough(j, bound, accuracy) and not _still_falling(
            history, j, _patience(history)
        )
        if stays and last.residuals[j] > NULL_SPACE.clear_gap * below[j]:
            return j
    if bound and bound < len(residuals):
        if (last.residuals[:bound] <= [last.enough(j, bound, 0.0) for j in range(bound)]).all():
            return bound
        gap, fallen = residuals[bound] / residuals[bound - 1], history[0].residuals[bound - 1] / residuals[bound - 1]
        if gap > NULL_SPACE.clear_gap or (gap > NULL_SPACE.gap_at_bound and fallen > NULL_SPACE.gap_at_bound):
            return bound
    limit = min(bound if bound is not None else len(residuals) - 1, len(residuals) - 1)
    first = residuals[0] / (NULL_SPACE.accuracy * NULL_SPACE.first_gap)
    gaps = [first] + [residuals[j] / residuals[j - 1] for j in range(1, limit + 1)]
    return int(np.argmax(gaps))


def used_basis(directions: Directions, unsettled: Int[np.ndarray, " k"]) -> Basis:
    """The functions that contribute to any direction up to the last unsettled one, and those of low degree."""
    basis, dimension = directions.basis, directions.basis.domain.dimension
    last = int(unsettled[-1]) + 1 if len(unsettled) else len(directions.residuals)
    beyond = directions.residuals[min(last, len(directions.residuals) - 1)]
    floor = max(NULL_SPACE.rounding, NULL_SPACE.accuracy * beyond)
    shares = directions.coefficients[:, :last] / np.maximum(directions.residuals[:last], floor)
    contributions = np.sum(shares**2, axis=1) * directions.column_norms**2
    low = by_dimension(NULL_SPACE.kept_degree, dimension)
    kept = np.concatenate([rows.sum(axis=1) <= low for rows in basis.degrees])
    if dimension <= SHARED.few_coordinates:
        order = np.argsort(contributions)
        kept[order[np.cumsum(contributions[order]) > NULL_SPACE.dropped_part**2]] = True
    else:
        kept |= contributions > NULL_SPACE.chance_part**2 * max(len(unsettled), 1)
    degrees = tuple(rows[kept[basis.columns(u)]] for u, rows in enumerate(basis.degrees))
    return Basis(basis.domain, basis.scales, degrees)


def enlarged(
    basis: Basis, equations: Equations, coupling: Coupling | None, harmonics: Mapping[int, int] = NO_HARMONICS
) -> Basis:
    """The basis with all functions adjacent to it; `harmonics` as in `core/multiindex.py`."""
    variables = range(len(basis.domain.intervals))
    coupled = len(variables) if equations.dimension <= SHARED.few_coordinates else NULL_SPACE.coupled_beyond
    degrees = [
        union(rows, margin(rows, [0] if unknown.time_only else variables, coupled, harmonics)) if len(rows) else rows
        for unknown, rows in zip(equations.unknowns, basis.degrees, strict=True)
    ]
    return Basis(basis.domain, basis.scales, _admitted(degrees, coupling))


def project_coefficients(directions: Directions, other: Basis) -> Float[np.ndarray, "m k"]:
    """The directions written in another basis; functions missing there are dropped."""
    result = np.zeros((other.size, directions.coefficients.shape[1]))
    for unknown, rows in enumerate(directions.basis.degrees):
        position = {tuple(row): j for j, row in enumerate(other.degrees[unknown].tolist())}
        common = [(i, position[tuple(row)]) for i, row in enumerate(rows.tolist()) if tuple(row) in position]
        if common:
            here, there = np.array(common).T
            block = directions.coefficients[directions.basis.columns(unknown)]
            result[other.columns(unknown).start + there] = block[here]
    return result


def _list(values: np.ndarray) -> str:
    return ", ".join(f"{value:.1e}" for value in values[:6])
