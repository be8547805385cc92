"""The symmetry search on data: directions sorted by residual over noise and tested in a rich enough basis."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Protocol, TypeVar, runtime_checkable

import numpy as np
from jaxtyping import Float

from liestonet.core.coefficients import EstimatedCoefficients
from liestonet.core.domain import Domain
from liestonet.core.ladder import LadderRow
from liestonet.core.multiindex import Degrees, both_waves, total_degree, union
from liestonet.core.points import PointCloud, lattice_cloud
from liestonet.core.tuning import SHARED, by_dimension
from liestonet.symmetry.determining.basis import Basis
from liestonet.symmetry.determining.fields import Fields
from liestonet.symmetry.determining.kinds import Kind
from liestonet.symmetry.statistical.judging import (
    Candidates,
    Tested,
    best_known_first,
    candidates,
    consistent_length,
    tested,
)
from liestonet.symmetry.statistical.noisy_operator import NoisyOperator
from liestonet.symmetry.statistical.translations import shifts
from liestonet.symmetry.statistical.tuning import SEARCH
from liestonet.symmetry.statistical.verdicts import Criteria, most_symmetries

Made = TypeVar("Made")


@runtime_checkable
class Once(Protocol):
    """`once(key, make)` is `make()`, or what it was when the key came before."""

    def __call__(self, key: Hashable, make: Callable[[], Made], /) -> Made: ...


def anew(_: Hashable, make: Callable[[], Made], /) -> Made:
    """Call `make` without caching."""
    return make()


@dataclass(frozen=True)
class Search:
    """Sorted directions, the first `count` of them symmetries (the first `exact` of these taken as exact).

    `poorer` are the residuals in the basis before the last enrichment. `rivals` are the places of directions that fit
    the data as well as the last symmetry does in its place.
    """

    operator: NoisyOperator
    vectors: Float[np.ndarray, "m k"]
    rows: tuple[LadderRow, ...]
    count: int
    exact: int = 0
    poorer: tuple[float, ...] = ()
    rivals: tuple[int, ...] = ()

    def shown(self, most: int) -> tuple[int, int]:
        """The number of symmetries, and the number of the first `most` directions without the verdict "no"."""
        return self.count, sum(row.verdict != "no" for row in self.rows[:most])

    def falling(self, place: int, part: float) -> bool:
        """Whether a direction's residual has fallen below a fraction of its value in the poorer basis."""
        return place < len(self.poorer) and self.rows[place].residual < part * self.poorer[place]

    def withdraw_unsettled(self, most: int) -> Search:
        """The search with verdicts withdrawn that a richer basis might change, for the first `most` directions."""
        rows = [
            replace(row, verdict="undecided") if place < most and self._unsettled(place) else row
            for place, row in enumerate(self.rows)
        ]
        return replace(self, rows=tuple(rows))

    def moving(self, most: int) -> bool:
        """Whether a richer basis may make a direction a symmetry."""
        return any(
            row.residual < SEARCH.high and self.falling(place, dict(SEARCH.worth_a_level).get(row.verdict, 0.0))
            for place, row in enumerate(self.rows[:most])
        )

    def _unsettled(self, place: int) -> bool:
        part = {"near-symmetry": SEARCH.falling, "no": SEARCH.plunging}.get(self.rows[place].verdict, 0.0)
        return self.falling(place, part)

    @property
    def misfit(self) -> float:
        """Mean square of the symmetries' residuals; of the first direction's where there is none."""
        return float(np.mean([row.residual**2 for row in self.rows[: max(self.count, 1)]]))

    def preceded(self, rows: tuple[LadderRow, ...]) -> Search:
        """The search with its first rows replaced by those tested before their directions were taken as exact."""
        count = max(self.count, len(rows))
        return replace(self, rows=(*rows, *self.rows[len(rows) :]), count=count, exact=len(rows))

    def fields(self, vectors: Float[np.ndarray, "m k"], has_beta: bool) -> Fields:
        """Directions as generators."""
        return Fields(self.operator.basis, self.operator.whitening @ vectors, has_beta)


def search(
    kind: Kind,
    source: EstimatedCoefficients,
    domain: Domain,
    data: Float[np.ndarray, "rows v"],
    criteria: Criteria,
    once: Once = anew,
) -> Search:
    """Search in the coordinates that show more symmetries: the recorded ones, or their logarithms where possible.

    Results that do not depend on the tolerance are computed through `once`.
    """
    plain = search_in(kind, source, replace(domain, singular=None), data, criteria, once=once)
    if domain.shapes is not None:
        if not any(row.verdict == "near-symmetry" for row in plain.rows):
            return plain
        # a shape that is only near may deny what functions of x or log x do not
        other = search(kind, source, replace(domain, shapes=None), data, criteria, once)
        return max(plain, other, key=lambda found: found.shown(most_symmetries(kind, source.dimension)))
    if domain.singular is None or not any(below is not None for below, _ in domain.singular):
        return plain
    logarithmic = search_in(kind, source, domain, data, criteria, once=once)
    most = most_symmetries(kind, source.dimension)
    if plain.shown(most) != logarithmic.shown(most):
        return max(plain, logarithmic, key=lambda found: found.shown(most))
    return logarithmic if logarithmic.misfit < SEARCH.earned * plain.misfit else plain


def search_beside(
    found: Search,
    kind: Kind,
    source: EstimatedCoefficients,
    data: Float[np.ndarray, "rows v"],
    criteria: Criteria,
    exact: Sequence[int] = (),
) -> Search:
    """Search for symmetries of another kind, in the coordinates of an earlier search and from about its basis on.

    Shifts of the variables `exact` (0 is time) are imposed on the source.
    """
    basis, n = found.operator.basis, source.dimension
    time = int(basis.degrees[0].max())
    poorer = sum(level[0] < time for level in by_dimension(SEARCH.levels, n))
    return search_in(kind, source, basis.domain, data, criteria, max(0, poorer - 1), exact)


def search_in(
    kind: Kind,
    source: EstimatedCoefficients,
    domain: Domain,
    data: Float[np.ndarray, "rows v"],
    criteria: Criteria,
    first: int = 0,
    exact: Sequence[int] = (),
    once: Once = anew,
) -> Search:
    """Enrich the basis, from a level on, until the ladder stops changing; some shifts may be taken as exact."""
    n, found = source.dimension, None
    cloud = mixed_cloud(domain, data, by_dimension(SEARCH.points, n))

    def sorted_at(level: tuple[int, int]) -> Candidates:
        operator = NoisyOperator(kind, source, generator_basis(kind, n, source.noise, domain, level), cloud)
        return _sorted(operator, kind, criteria, shifts(operator)[:, list(exact)] if exact else None)

    levels = by_dimension(SEARCH.levels, n)
    if n > SHARED.few_coordinates and source.noise < n:
        levels = levels[:1]  # where noise is in few coordinates, a rich basis holds more than the data can exclude
    poorer: tuple[float, ...] = ()
    for place, level in enumerate(levels[first:], start=first):
        if n <= SHARED.few_coordinates and place == first == len(levels) - 2:
            # the next level is the last and taken whatever it finds: residuals are all that it is compared with
            poorer = once((domain, place, "residuals"), lambda level=level: sorted_at(level).residuals())
            continue
        weighed = once((domain, place), lambda level=level: _tested(sorted_at(level), criteria))
        richer = replace(judged(weighed, criteria), poorer=poorer)
        if found is not None and _same(found, richer, most_symmetries(kind, n)):
            return richer
        found, poorer = richer, tuple(row.residual for row in richer.rows)
        if n > SHARED.few_coordinates and source.noise == n and found.count >= most_symmetries(kind, n):
            # noise of full rank allows no more, and a richer basis costs a lot
            return found
    if found is None:
        raise RuntimeError("there is a level for every dimension")
    return found


def judge_directions(
    operator: NoisyOperator,
    kind: Kind,
    criteria: Criteria,
    exact: Float[np.ndarray, "m e"] | None = None,
    proposed: Float[np.ndarray, "m k"] | None = None,
) -> Search:
    """Sort the directions, find how many are jointly consistent with zero, and give each a verdict.

    Directions known as `exact` come first, and the others are tested given them; `proposed` ones keep their order.
    """
    return judged(directions_tested(operator, kind, criteria, exact, proposed), criteria)


def directions_tested(
    operator: NoisyOperator,
    kind: Kind,
    criteria: Criteria,
    exact: Float[np.ndarray, "m e"] | None = None,
    proposed: Float[np.ndarray, "m k"] | None = None,
) -> Tested:
    """Sort and test the directions without verdicts; the result does not depend on the tolerance."""
    return _tested(_sorted(operator, kind, criteria, exact, proposed), criteria)


def judged(weighed: Tested, criteria: Criteria) -> Search:
    """The tested directions, with verdicts."""
    rows, found = weighed.judged(criteria.tolerance), weighed.found
    return Search(found.operator, found.vectors, rows, sum(row.verdict == "symmetry" for row in rows))


def _tested(found: Candidates, criteria: Criteria) -> Tested:
    consistent = consistent_length(found)
    return tested(best_known_first(found, consistent), consistent, criteria.error_rate)


def _sorted(
    operator: NoisyOperator,
    kind: Kind,
    criteria: Criteria,
    exact: Float[np.ndarray, "m e"] | None = None,
    proposed: Float[np.ndarray, "m k"] | None = None,
) -> Candidates:
    """The directions to be tested, in their order."""
    n = operator.table.dimension
    most = most_symmetries(kind, n)
    vectors, known = operator.lowest(most + SEARCH.extra_directions) if proposed is None else proposed, 0
    if exact is not None:
        vectors, known = exact_first(exact, vectors), exact.shape[1]
    return candidates(operator, vectors, known, criteria.level(kind, n), proposed is not None)


def rivals(
    found: Search, kind: Kind, criteria: Criteria, exact: Float[np.ndarray, "m e"] | None = None
) -> tuple[int, ...]:
    """Undecided directions that could replace the last symmetry and give as many symmetries.

    Several spans of one size are then consistent, and the data cannot distinguish them (docs/method.md §5.9).
    """
    last, total, result = found.count - 1, found.vectors.shape[1], []
    if last < found.exact or any(row.verdict != "symmetry" for row in found.rows[: found.count]):
        return ()
    for place in range(found.count, min(found.count + SEARCH.most_rivals, total)):
        row = found.rows[place]
        if row.verdict == "undecided" and row.residual < criteria.tolerance:
            order = [*range(last), place, *(k for k in range(last, total) if k != place)]
            judged = judge_directions(found.operator, kind, criteria, exact, found.vectors[:, order])
            if judged.count == found.count:
                result.append(place)
    return tuple(result)


def judge_span(operator: NoisyOperator, kind: Kind, criteria: Criteria, span: Float[np.ndarray, "m k"]) -> Search:
    """Judge a span found elsewhere, best-determined directions first, and the directions beyond it."""
    n, count = operator.table.dimension, span.shape[1]
    level = criteria.level(kind, n)
    own = best_known_first(candidates(operator, np.linalg.qr(span)[0], 0, level, given=True), count)
    beyond = operator.lowest(max(most_symmetries(kind, n), count) + SEARCH.extra_directions)
    found = candidates(operator, exact_first(own.vectors, beyond), 0, level, given=True)
    lengths = range(count, 0, -1) if n <= SHARED.few_coordinates else [count]
    consistent = next((length for length in lengths if found.p_value(0, length, found.cautious) > level), 0)
    rows = tested(found, consistent, criteria.error_rate).judged(criteria.tolerance)
    return Search(operator, found.vectors, rows, sum(row.verdict == "symmetry" for row in rows[:count]))


def exact_first(exact: Float[np.ndarray, "m e"], vectors: Float[np.ndarray, "m k"]) -> Float[np.ndarray, "m k"]:
    """The exact directions first, then the others orthogonalised to them, with the total number unchanged."""
    rest = vectors - exact @ (exact.T @ vectors)
    # the directions that lie in the exact span are the ones that vanish
    order = np.sort(np.argsort(np.linalg.norm(rest, axis=0))[exact.shape[1] :])
    return np.linalg.qr(np.concatenate([exact, rest[:, order]], axis=1))[0]


def _same(before: Search, after: Search, most: int) -> bool:
    """Whether enrichment left the count and the residuals, of symmetries and possible ones, nearly unchanged."""
    pairs = zip(before.rows[: after.count], after.rows[: after.count], strict=True)
    return (
        before.count == after.count
        and all(abs(old.residual - new.residual) <= SEARCH.standing * max(old.noise, new.noise) for old, new in pairs)
        and not after.moving(most)
    )


def generator_basis(kind: Kind, dimension: int, noise: int, domain: Domain, level: tuple[int, int]) -> Basis:
    """The basis: τ up to a degree in time; ξ and β share their degrees, with all affine functions of x."""
    time, state = level
    equations = kind.equations(dimension, noise)
    full, alone = _shared_degrees(dimension, time, state), total_degree([0], dimension + 1, time)
    if domain.periodic:
        # a frequency has two functions where a degree has one
        costs = np.ones(dimension + 1)
        costs[list(domain.periodic)] = by_dimension(SEARCH.frequency_cost, dimension)
        dear = (full[:, 1:] @ costs[1:]) / state + full[:, 0] / time > 1 + 1e-9
        full = both_waves(full[~dear | (full[:, 1:].sum(axis=1) <= 1)], domain.periodic)
    degrees = tuple(alone if unknown.time_only else full for unknown in equations.unknowns)
    return Basis(domain, equations.unknown_scales(domain.half), degrees)


def _shared_degrees(dimension: int, time: int, state: int) -> Degrees:
    if dimension > SHARED.few_coordinates:
        quadratic = total_degree(range(dimension + 1), dimension + 1, state)
        affine = [(order, *row) for row in np.eye(dimension + 1, dimension, dtype=int) for order in range(time + 1)]
        return union(quadratic, np.array([row for row in affine if sum(row) <= time]))
    rows = [
        row
        for row in product(range(time + 1), *[range(state + 1)] * dimension)
        if row[0] / time + sum(row[1:]) / state <= 1 or sum(row[1:]) <= 1
    ]
    return np.array(sorted(rows, key=lambda row: (sum(row), row)), dtype=np.int64)


def mixed_cloud(domain: Domain, data: Float[np.ndarray, "rows v"], count: int) -> PointCloud:
    """Half data points, half uniform on the box (docs/method.md §3.1)."""
    chosen = np.random.default_rng(0).choice(len(data), size=min(count // 2, len(data)), replace=False)
    points = np.concatenate([data[np.sort(chosen)], lattice_cloud(domain, count // 2).points])
    return PointCloud(points, np.full(len(points), 1 / len(points)))
