"""The null space of the determining equations, in a basis that grows where the generators need it.

A true symmetry's residual falls with every enrichment until rounding stops it, a near-symmetry's stays. Each round
adds all functions next to the basis, solves, and drops those that the wanted directions do not use.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from jaxtyping import Bool, Float, Int

from liestonet.domain import Domain
from liestonet.multiindex import Degrees, margin, total_degree, union
from liestonet.sde.jets import CoefficientSource
from liestonet.symmetry.basis import Basis
from liestonet.symmetry.equations import Equations
from liestonet.symmetry.fields import Fields
from liestonet.symmetry.kinds import Kind
from liestonet.symmetry.lowest import Directions, lowest_directions
from liestonet.symmetry.operator import Cloud, Operator, lattice_cloud, tensor_cloud

# The span's error in radians is about (residual of the last symmetry) / (residual of the first direction beyond). In
# more than three dimensions the second number is enough.
ACCURACY = 1e-7
ACCURACY_BEYOND = 2e-6
# A gap between the residuals taken and those left out that is smaller than this is called ambiguous.
CLEAR_GAP = 1e3
# Where the gap is just at the upper bound, this much is enough, if the residuals below have fallen by as much.
GAP_AT_BOUND = 30.0
# A direction has settled when two rounds of enrichment lower its residual by less than this each.
SETTLED_FALL = 0.1
# Without a bound, what is this far above the symmetries and keeps more than this part from round to round is none: a
# symmetry falls by orders of magnitude.
WIDE_GAP, SLOW_FALL = 1e6, 0.5
# Rounds without a fall after which a direction that could be a symmetry is given up.
PATIENCE, PATIENT_BASIS = 4, 1200
# Residuals of this size are rounding; so are those of this many units in the last place of the terms that cancel.
ROUNDING, MUCH_ROUNDING = 1e-11, 100.0
# A direction above this can still fall, but is not followed where no bound says that it could be a symmetry.
UNPROMISING = 0.3
EXTRA_DIRECTIONS = 6
# More directions are asked for while even the last one looks like a symmetry.
ALL_SMALL = 1e-3
# Functions are dropped as long as what they all contribute to a residual stays below this part of it. On the scattered
# points of many dimensions every function takes a small part of any residual by chance; those are dropped one by one.
DROPPED_PART, CHANCE_PART = 0.1, 0.2
START_DEGREE = {1: 6, 2: 4, 3: 3}
KEPT_DEGREE = {1: 6, 2: 4, 3: 2}
LARGEST_BASIS = {1: 1500, 2: 2400, 3: 3600}
LARGEST_BASIS_BEYOND = 5000
# The first direction beyond the symmetries is followed too, to tell near-symmetries, but only while that is cheap, and
# from here down: in a poor basis even a near-symmetry starts with a residual nearly as large as its terms.
FOLLOWED, MODEST_BASIS = 1.0, 600
# Below this it does not matter how near it is.
NEAREST = 1e-6
# In more than three dimensions a function may depend on two coordinates at a time, and on time.
COUPLED_BEYOND = 2
LEAST_POINTS = 1500
ROUNDS = 24


Coupling = Bool[np.ndarray, "unknowns v v"]


@dataclass(frozen=True)
class Enrichment:
    """One round: how large the basis was, which residuals it left, in ascending order, and how far to trust them."""

    size: int
    residuals: Float[np.ndarray, " k"]
    rounding: Float[np.ndarray, " k"] | float = ROUNDING
    blur: Float[np.ndarray, " k"] | float = 0.0

    def enough(self, direction: int, bound: int | None, accuracy: float) -> float:
        """The residual at which a direction is a symmetry as far as we can tell, or care."""
        beyond = self.residuals[bound] if bound is not None and bound < len(self.residuals) else 0.0
        rounding = np.broadcast_to(self.rounding, self.residuals.shape)[direction]
        return float(max(ROUNDING, rounding, accuracy * beyond))


@dataclass(frozen=True)
class NullSpace:
    """The lowest directions at one round, how many of them are symmetries, and how we got there."""

    directions: Directions
    count: int
    history: tuple[Enrichment, ...]
    settled: bool

    @property
    def gap(self) -> float:
        """Residual of the first direction left out over that of the last one taken; infinite where one is missing."""
        residuals = np.maximum(self.directions.residuals, np.finfo(float).eps)
        taken = residuals[self.count - 1] if self.count else np.finfo(float).eps
        return float(residuals[self.count] / taken) if self.count < len(residuals) else float("inf")

    @property
    def worst(self) -> float:
        """Residual of the last symmetry, or what counts as rounding."""
        return max(ROUNDING, float(self.directions.residuals[self.count - 1])) if self.count else ROUNDING

    def tells_more_than(self, later: NullSpace, bound: int | None) -> bool:
        """Whether this round reaches the upper bound better than a later one: large bases have more rounding."""
        return self.count == bound and (later.count != bound or self.worst < later.worst)

    def last_fall(self, direction: int) -> float:
        """How much the last enrichment lowered a direction's residual; all of it where there was one round."""
        now = self.history[-1].residuals[direction]
        if len(self.history) < 2 or direction >= len(self.history[-2].residuals):
            return float(now)
        return float(max(0.0, self.history[-2].residuals[direction] - now))


def start_basis(kind: Kind, source: CoefficientSource, domain: Domain, coupling: Coupling | None) -> Basis:
    """Low total degree in all variables; one more in time for what depends on time alone."""
    n = source.dimension
    degree = START_DEGREE.get(n, 2)
    equations = kind.equations(n, source.noise)
    full, time = total_degree(range(n + 1), n + 1, degree), total_degree([0], n + 1, degree + 1)
    degrees = [time if unknown.time_only else full for unknown in equations.unknowns]
    return Basis(domain, equations.unknown_scales(domain.half), _admitted(degrees, coupling))


def _admitted(degrees: list[Degrees], coupling: Coupling | None) -> tuple[Degrees, ...]:
    """In three and more dimensions, only the functions of variables that some solution couples."""
    if coupling is None or coupling.shape[1] <= 3:
        return tuple(degrees)
    admitted = []
    for rows, allowed in zip(degrees, coupling, strict=True):
        active = (rows > 0).astype(int)
        # a row is out if it holds two variables (or twice the same) that are not coupled
        admitted.append(rows[np.einsum("ma,ab,mb->m", active, (~allowed).astype(int), active) == 0])
    return tuple(admitted)


def cloud_for(basis: Basis, domain: Domain) -> Cloud:
    """Quadrature fine enough for the basis: Gauss points in up to three variables, a lattice beyond."""
    if len(domain.intervals) <= 2:
        return tensor_cloud(domain, basis.highest + 7)
    largest = max(len(rows) for rows in basis.degrees)
    return lattice_cloud(domain, max(3 * largest, LEAST_POINTS), edge=basis.highest > 4)


def residuals_elsewhere(
    kind: Kind, source: CoefficientSource, domain: Domain, fields: Fields, points: int = 2000
) -> Float[np.ndarray, " m"]:
    """Relative residual of each field on points that the search did not use."""
    if not fields.count:
        return np.zeros(0)
    operator = Operator(kind, source, domain, lattice_cloud(domain, points, shift=0.123))
    images = operator.assemble(fields.basis).apply(fields.coefficients)
    return np.linalg.norm(images, axis=0) / np.linalg.norm(fields.coefficients, axis=0)


def find_null_space(
    kind: Kind,
    source: CoefficientSource,
    domain: Domain,
    bound: int | None,
    coupling: Coupling | None = None,
    progress: Callable[[str], None] | None = None,
    accuracy: float | None = None,
) -> NullSpace:
    """Enrich until every direction that could be a symmetry is one or has settled at a residual that stays.

    `bound` is the largest possible dimension where it is known; it says how many directions to watch and when
    to stop. `coupling` says which variables each component can depend on jointly (see `formal`), and `accuracy` how
    well the span is to be known where the usual is not enough.
    """
    basis = start_basis(kind, source, domain, coupling)
    history: list[Enrichment] = []
    n = source.dimension
    # without a bound, in many dimensions as many as the largest algebra of full-rank noise has, the heat equation's
    guess = 6 if n <= 3 else n * (n - 1) // 2 + 2 * n + 4
    wanted = (bound if bound is not None else guess) + EXTRA_DIRECTIONS
    if accuracy is None:
        accuracy = ACCURACY if source.dimension <= 3 else ACCURACY_BEYOND
    start, largest = None, LARGEST_BASIS.get(source.dimension, LARGEST_BASIS_BEYOND)
    best: NullSpace | None = None
    while True:
        operator = Operator(kind, source, domain, cloud_for(basis, domain), lifted=True)
        directions = lowest_directions(operator, basis, wanted, start)
        while directions.residuals[-1] < ALL_SMALL and wanted < basis.size:
            wanted *= 2
            directions = lowest_directions(operator, basis, wanted, directions.coefficients)
        rounding = MUCH_ROUNDING * max(np.finfo(float).eps, source.error) * directions.sizes
        history.append(Enrichment(basis.size, directions.residuals, rounding, directions.blur * directions.sizes))
        if progress is not None:
            progress(f"basis of {basis.size} functions, residuals {_list(directions.residuals)}")
        unsettled = unsettled_directions(history, bound, accuracy)
        used = used_basis(directions, unsettled)
        larger = enlarged(used, operator.equations, coupling)
        now = NullSpace(directions, count_symmetries(history, bound, accuracy), tuple(history), not len(unsettled))
        if best is None or not best.tells_more_than(now, bound):
            best = now
        if not len(unsettled) or len(history) >= ROUNDS or larger.size > largest:
            return best
        start = project_coefficients(directions, larger)
        basis = larger


def unsettled_directions(
    history: list[Enrichment], bound: int | None, accuracy: float = ACCURACY
) -> Int[np.ndarray, " k"]:
    """Directions that may still turn out to be symmetries, or whose residual is not yet known well enough."""
    last = history[-1]
    if bound is not None and bound < len(last.residuals):
        watched, patience = np.arange(bound), _patience(history)
    else:
        watched, patience = np.flatnonzero(last.residuals[:-1] < UNPROMISING), 2
        clear = _clear_gap(history)
        watched = watched if clear is None else watched[watched < clear]
    open_ = [
        j
        for j in watched.tolist()
        if last.residuals[j] > last.enough(j, bound, accuracy) and _still_falling(history, j, patience)
    ]
    if bound is not None and bound < len(last.residuals) and last.size <= MODEST_BASIS:
        near = max(NEAREST, last.enough(bound, bound, accuracy)) < last.residuals[bound] < FOLLOWED
        open_ += [bound] if near and _still_falling(history, bound) else []
    return np.array(open_, dtype=np.int64)


def _clear_gap(history: list[Enrichment]) -> int | None:
    """Where a gap is so wide, and what is above it falls so slowly, that all above are near-symmetries at best."""
    residuals = np.maximum(history[-1].residuals, ROUNDING)
    first = int(np.argmax(residuals[1:] / residuals[:-1])) + 1
    past = [round_.residuals[first] for round_ in history[-3:] if first < len(round_.residuals)]
    slow = len(past) == 3 and all(after > SLOW_FALL * before for before, after in pairwise(past))
    return first if slow and residuals[first] > WIDE_GAP * residuals[first - 1] else None


def _patience(history: list[Enrichment]) -> int:
    """Directions that the bound admits get more patience than the first one beyond it, where that is affordable."""
    return PATIENCE if history[-1].size <= PATIENT_BASIS else 2


def _still_falling(history: list[Enrichment], direction: int, rounds: int = 2) -> bool:
    """Whether one of the last enrichments lowered this residual noticeably; true before there were enough."""
    past = [round_.residuals[direction] for round_ in history[-rounds - 1 :] if direction < len(round_.residuals)]
    falls = [after < (1 - SETTLED_FALL) * before for before, after in pairwise(past)]
    return len(falls) < rounds or any(falls)


def count_symmetries(history: list[Enrichment], bound: int | None, accuracy: float = ACCURACY) -> int:
    """The directions before the widest gap; the bound itself where there is a gap just there, or only rounding below.

    Nothing is a symmetry unless its residual fell: the first direction competes with the gap from its residual down
    to a thousandth of the accuracy asked for, and one that stays above rounding, far from those below it, is none.
    """
    last = history[-1]
    residuals = np.maximum(last.residuals, ROUNDING)
    below = np.maximum(np.append(0.0, last.residuals[:-1]), np.maximum(last.rounding, last.blur))
    for j in range(bound if bound is not None and bound < len(residuals) else 0):
        stays = last.residuals[j] > last.enough(j, bound, accuracy) and not _still_falling(
            history, j, _patience(history)
        )
        if stays and last.residuals[j] > CLEAR_GAP * below[j]:
            return j
    if bound and bound < len(residuals):
        if (last.residuals[:bound] <= [last.enough(j, bound, 0.0) for j in range(bound)]).all():
            return bound
        gap, fallen = residuals[bound] / residuals[bound - 1], history[0].residuals[bound - 1] / residuals[bound - 1]
        if gap > CLEAR_GAP or (gap > GAP_AT_BOUND and fallen > GAP_AT_BOUND):
            return bound
    limit = min(bound if bound is not None else len(residuals) - 1, len(residuals) - 1)
    gaps = [residuals[0] / (ACCURACY * 1e-3)] + [residuals[j] / residuals[j - 1] for j in range(1, limit + 1)]
    return int(np.argmax(gaps))


def used_basis(directions: Directions, unsettled: Int[np.ndarray, " k"]) -> Basis:
    """The functions that matter for all directions up to the last unsettled one, and those of low degree."""
    basis, dimension = directions.basis, directions.basis.domain.dimension
    last = int(unsettled[-1]) + 1 if len(unsettled) else len(directions.residuals)
    floor = max(ROUNDING, ACCURACY * directions.residuals[min(last, len(directions.residuals) - 1)])
    shares = directions.coefficients[:, :last] / np.maximum(directions.residuals[:last], floor)
    contributions = np.sum(shares**2, axis=1) * directions.column_norms**2
    kept = np.concatenate([rows.sum(axis=1) <= KEPT_DEGREE.get(dimension, 1) for rows in basis.degrees])
    if dimension <= 3:
        order = np.argsort(contributions)
        kept[order[np.cumsum(contributions[order]) > DROPPED_PART**2]] = True
    else:
        kept |= contributions > CHANCE_PART**2 * max(len(unsettled), 1)
    degrees = tuple(rows[kept[basis.columns(u)]] for u, rows in enumerate(basis.degrees))
    return Basis(basis.domain, basis.scales, degrees)


def enlarged(basis: Basis, equations: Equations, coupling: Coupling | None) -> Basis:
    """The basis with all functions next to it."""
    variables = range(len(basis.domain.intervals))
    coupled = len(variables) if equations.dimension <= 3 else COUPLED_BEYOND
    degrees = [
        union(rows, margin(rows, [0] if unknown.time_only else variables, coupled)) if len(rows) else rows
        for unknown, rows in zip(equations.unknowns, basis.degrees, strict=True)
    ]
    return Basis(basis.domain, basis.scales, _admitted(degrees, coupling))


def project_coefficients(directions: Directions, other: Basis) -> Float[np.ndarray, "m k"]:
    """The directions written in another basis, without the functions it does not have."""
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
