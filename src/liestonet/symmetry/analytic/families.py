"""Infinite-dimensional algebras: they come from functions I that are constant along every path (docs/method.md §3.6).

If σᵀ∇I = 0 and ∂_t I + f·∇I + ½ a:∇∇I = 0, then for every symmetry X without time component, h(I)·X is a symmetry too,
for any function h; for Fokker–Planck even h(I) u∂u is one. Without such an I the fields that the noise and the drift
reach span everything, and a symmetry is fixed by finitely many numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy.linalg
from jaxtyping import Bool, Float

from liestonet.core.coefficients import Coefficients
from liestonet.core.domain import Domain
from liestonet.core.multiindex import Degrees, total_degree, union
from liestonet.core.power_series import SeriesRing
from liestonet.core.tuning import SHARED, by_dimension
from liestonet.errors import InputError
from liestonet.symmetry.analytic.dimension_bound import formal_counts, generic_point, null_space
from liestonet.symmetry.analytic.nullspace import cloud_for, enlarged, find_null_space, start_basis, used_basis
from liestonet.symmetry.analytic.orbit import orbit_dimension, orbit_points
from liestonet.symmetry.analytic.series_conditions import FormalSystem
from liestonet.symmetry.analytic.smallest_singular import lowest_directions
from liestonet.symmetry.analytic.tuning import FAMILIES, NULL_SPACE
from liestonet.symmetry.determining.basis import Basis
from liestonet.symmetry.determining.fields import Fields, joined, readable_basis
from liestonet.symmetry.determining.kinds import INVARIANT, Kind
from liestonet.symmetry.determining.operator import Operator


@dataclass(frozen=True)
class Family:
    """Independent invariants, the first terms of their power series, and the symmetries that generate the family.

    `pool` are all symmetries of low degree, including multiples of others by functions of the invariants. On the points
    of `orbit` the invariants are constant, so there such multiples are linearly dependent on the others.
    """

    invariants: int
    expansions: tuple[str, ...]
    pool: Fields
    orbit: Float[np.ndarray, "b v"]

    def built_on(self, fields: Fields, order: Sequence[int]) -> list[int]:
        """Positions of generators, in the order of preference, from which all others of the pool are built.

        First those that move time, modulo those that do not; where any function of time is admitted, one represents
        all. Then those without time component, none of which is a sum of the others times functions of the invariants.
        """
        moving = _moves_time(fields)
        times = fields.coefficients[fields.basis.columns(0)].T
        timed = _greedy(times, [k for k in order if moving[k]])
        values = fields.components(self.orbit, [()])[()] / fields.basis.scales
        still = _greedy(values.reshape(fields.count, -1), [k for k in order if not moving[k]])
        return [*(timed if len(timed) <= FAMILIES.most_timed else timed[:1]), *still]


def count_invariants(source: Coefficients, domain: Domain) -> int | None:
    """Number of functionally independent functions that are constant along every path; None where undecided.

    Power series with freedom at every order tried prove nothing, since a higher order may remove it. The orbit's
    dimension decides; the series, which are exact, can only lower the number.
    """
    reached = orbit_dimension(source, generic_point(domain), domain)
    if reached == source.dimension + 1:
        return 0
    largest = FAMILIES.short_series if reached is not None else FAMILIES.long_series
    counts = formal_counts(INVARIANT, source, domain, largest=largest)
    if counts and counts[-1].bound is not None:
        return 0
    if reached is None:
        return None
    # the last degrees are not yet bound by all conditions; the first derivatives are
    possible = counts[-1].free[1] - counts[-1].free[0] if counts else 0
    return min(possible, source.dimension + 1 - reached)


def find_family(
    kind: Kind, source: Coefficients, domain: Domain, names: tuple[str, ...], invariants: int
) -> Family | None:
    """The infinite family of symmetries that the invariants generate, or None where there is none."""
    if not invariants or _is_bounded(kind, source, domain):
        return None
    orbit = orbit_points(source, generic_point(domain), domain)
    pool = _pool(kind, source, domain, orbit)
    if pool is None:
        return None
    return Family(invariants, _expansions(source, domain, names, invariants), pool, orbit)


def require_periodic_invariants(source: Coefficients, domain: Domain, names: tuple[str, ...]) -> None:
    """Refuse an answer where functions are constant along paths near every point, but no periodic one was found.

    θ₂ − √2 θ₁ is such a function of two angles: no function of it has both periods.
    """
    null = find_null_space(INVARIANT, source, domain, None)
    if (null.count > 1 and null.gap >= NULL_SPACE.clear_gap) or null.directions.residuals[1] < FAMILIES.found:
        return  # beside the constants
    angles = ", ".join(names[v - 1] for v in domain.periodic)
    raise InputError(
        f"Near every point some function is constant along all paths, but none was found that is periodic in {angles}; "
        "whether the algebra is infinite-dimensional is not decided. Solve without `periodic`, or a part of the "
        "equation."
    )


def _pool(kind: Kind, source: Coefficients, domain: Domain, orbit: Float[np.ndarray, "b v"]) -> Fields | None:
    """Symmetries of the lowest degree at which no more independent ones appear; None if all of them move time."""
    # a linear field is simple in x, not in the logarithm that suits a box next to a singular point
    plain = replace(domain, singular=None)
    boxes = [plain] if all(coordinate.is_affine for coordinate in domain.coordinates) else [plain, domain]
    pools = [
        _simple_symmetries(kind, source, box, degrees) for box in boxes for degrees in _simple_degrees(source.dimension)
    ]
    sizes = [len(_independent_at(orbit, _timeless(pool))) for pool in pools]
    best = sizes.index(max(sizes))
    if sizes[best]:
        return _with_few_times(pools[best])
    return _timeless_symmetries(kind, source, domain)


def _with_few_times(pool: Fields) -> Fields:
    """The pool, reduced to one symmetry that moves time where any function of time is admitted."""
    moving = np.flatnonzero(_moves_time(pool))
    times = _greedy(pool.coefficients[pool.basis.columns(0)].T, moving.tolist())
    if len(times) <= FAMILIES.most_timed:
        return pool
    return joined([pool.mixed(np.eye(pool.count)[:, times[:1]]), _timeless(pool)])


def _is_bounded(kind: Kind, source: Coefficients, domain: Domain) -> bool:
    """Whether power series of low order bound the dimension; then there is no infinite family."""
    counts = formal_counts(kind, source, domain, largest=FAMILIES.bounded_size)
    return bool(counts) and counts[-1].bound is not None and not counts[-1].doubtful


def _timeless_symmetries(kind: Kind, source: Coefficients, domain: Domain) -> Fields | None:
    """Symmetries with τ = 0 that are independent at a generic point; None where there is none."""
    basis = start_basis(kind, source, domain, None)
    basis = Basis(domain, basis.scales, (basis.degrees[0][:0], *basis.degrees[1:]))
    point = generic_point(domain)[None, :]
    watched = 2 * (source.dimension + kind.has_beta) + 2
    rounds: list[tuple[float, Fields]] = []
    for _ in range(FAMILIES.rounds):
        operator = Operator(kind, source, domain, cloud_for(basis, domain))
        directions = lowest_directions(operator, basis, watched)
        found = Fields(basis, directions.coefficients[:, directions.residuals < FAMILIES.found], kind.has_beta)
        found = readable_basis(found) if found.count else found
        rounds.append((directions.residuals[0], found.mixed(np.eye(found.count)[:, _independent_at(point, found)])))
        now, fields = rounds[-1]
        before = rounds[-2][0] if len(rounds) > 1 else np.inf
        counts = [earlier.count for _, earlier in rounds[-FAMILIES.settled :]]
        same = counts == [fields.count] * FAMILIES.settled
        if fields.count == source.dimension + kind.has_beta or (fields.count and same):
            return fields
        if not fields.count and now > 0.95 * before:
            return None
        unsettled = np.flatnonzero(directions.residuals >= FAMILIES.found)[:3]
        if not len(unsettled):
            return fields
        basis = enlarged(used_basis(directions, unsettled), operator.equations, None)
    return rounds[-1][1] if rounds[-1][1].count else None


def _simple_degrees(n: int) -> Iterator[tuple[Degrees, Degrees]]:
    """Degrees of ξ and of β: linear in the state, quadratic, all of moderate degree; each with powers of time."""
    time = total_degree([0], n + 1, FAMILIES.time_degree)
    full = total_degree(range(n + 1), n + 1, by_dimension(FAMILIES.simple_degree, n))
    if n <= SHARED.few_coordinates:
        low, middle, high = (
            np.concatenate([total_degree(range(1, n + 1), n + 1, degree) + row for row in time]) for degree in (1, 2, 3)
        )
        yield low, middle
        yield middle, high
        full = union(full, middle)
    yield full, full


def _simple_symmetries(kind: Kind, source: Coefficients, domain: Domain, degrees: tuple[Degrees, Degrees]) -> Fields:
    """Symmetries among polynomials of given degrees, in a basis where each has one simple component to itself."""
    n = source.dimension
    equations = kind.equations(n, source.noise)
    time = total_degree([0], n + 1, FAMILIES.time_degree)
    states = [degrees[0]] * n + [degrees[1]] * kind.has_beta
    admitted = zip(equations.unknowns, [degrees[0], *states], strict=True)
    basis = Basis(domain, equations.unknown_scales(domain.half), tuple(u.admitted(rows, time) for u, rows in admitted))
    operator = Operator(kind, source, domain, cloud_for(basis, domain))
    directions = lowest_directions(operator, basis, min(basis.size, FAMILIES.most_directions))
    found = Fields(basis, directions.coefficients[:, directions.residuals < FAMILIES.found], kind.has_beta)
    return readable_basis(found) if found.count else found


def _moves_time(simple: Fields) -> Bool[np.ndarray, " m"]:
    part = np.linalg.norm(simple.coefficients[simple.basis.columns(0)], axis=0)
    return part > FAMILIES.least_time * np.linalg.norm(simple.coefficients, axis=0)


def _timeless(simple: Fields) -> Fields:
    """The combinations without time component, in a basis where each has one simple component to itself."""
    if not simple.count:
        return simple
    _, sizes, vectors = np.linalg.svd(simple.coefficients[simple.basis.columns(0)], full_matrices=True)
    still = simple.mixed(vectors[int(np.sum(sizes > FAMILIES.least_time)) :].T)
    still.coefficients[simple.basis.columns(0)] = 0.0
    return readable_basis(still) if still.count else still


def _greedy(rows: Float[np.ndarray, "m k"], order: Iterable[int]) -> list[int]:
    """Positions of rows that are independent of those chosen before them."""
    rows = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), np.finfo(float).tiny)
    chosen: list[int] = []
    for k in order:
        if np.linalg.matrix_rank(rows[[*chosen, k]], tol=FAMILIES.independent) > len(chosen):
            chosen.append(k)
    return chosen


def _independent_at(points: Float[np.ndarray, "b v"], fields: Fields) -> list[int]:
    """Positions of fields that are independent, at some points, of those chosen before them."""
    if not fields.count:
        return []
    values = fields.components(points, [()])[()] / fields.basis.scales
    return _greedy(values.reshape(fields.count, -1), range(fields.count))


def _expansions(source: Coefficients, domain: Domain, names: tuple[str, ...], count: int) -> tuple[str, ...]:
    """The first terms of the invariants' power series around a generic point, as text.

    Any function of an invariant is an invariant; the one shown equals a coordinate where the others are held fixed.
    """
    n = source.dimension
    point, half = generic_point(domain), domain.half / 2
    ring = SeriesRing(n + 1, 5)
    series = source.series(ring, point, half)
    if series is None:
        return ()
    system = FormalSystem(INVARIANT.equations(n, source.noise), ring, series, half)
    matrix, degrees, _ = system.matrix(4)
    shown = (degrees > 0) & (degrees <= FAMILIES.shown_degree)
    exponents = ring.exponents[: len(degrees)][shown]
    null = null_space(matrix)[0][:, shown] / np.prod(half**exponents, axis=1)
    linear = np.flatnonzero(exponents.sum(axis=1) == 1)
    order = scipy.linalg.qr(null[:, linear], mode="r", pivoting=True)[-1]
    pivots = linear[order[:count]]
    own = ~exponents[:, np.setdiff1d(np.arange(n + 1), exponents[pivots].argmax(axis=1))].any(axis=1)
    wanted = np.zeros((own.sum(), count))
    wanted[np.searchsorted(np.flatnonzero(own), pivots), np.arange(count)] = 1
    rows = np.linalg.lstsq(null[:, own].T, wanted, rcond=1e-9)[0].T @ null
    return tuple(_polynomial(row, exponents, ("t", *names), point) for row in rows)


def _polynomial(coefficients: np.ndarray, exponents: np.ndarray, names: tuple[str, ...], point: np.ndarray) -> str:
    """A polynomial in the distances from a point, as text, without terms at the level of rounding."""
    text = ""
    for number, exponent in zip(coefficients, exponents, strict=True):
        if abs(number) < 1e-8:
            continue
        factors = [
            f"({name} {'+' if value < 0 else '−'} {abs(value):.3g})" + (f"^{power}" if power > 1 else "")
            for name, value, power in zip(names, point, exponent, strict=True)
            if power
        ]
        size = [] if abs(abs(number) - 1) < 1e-8 else [f"{abs(number):.3g}"]
        sign = ("−" if number < 0 else "") if not text else (" − " if number < 0 else " + ")
        text += sign + "·".join(size + factors)
    return text + " + …"
