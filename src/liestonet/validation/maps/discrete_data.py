"""Discrete symmetries of data: every candidate is tested, the error rate is that of all of them together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from liestonet.core.progress import Progress
from liestonet.errors import InputError
from liestonet.surrogate.surrogate import Surrogate
from liestonet.symmetry.statistical.verdicts import Criteria, verdict_of
from liestonet.trajectories import Trajectories
from liestonet.validation.maps.affine import (
    AffineMap,
    keeps_turns,
    plane_rotations,
    signed_permutations,
    with_turned_angles,
)
from liestonet.validation.maps.centre import Family, FoundCentre, find_centre
from liestonet.validation.maps.claims import Claim, Judged, judge
from liestonet.validation.maps.discrete import Centre, Discrete, DiscreteRow, holm, in_order
from liestonet.validation.maps.equation_candidates import exact_number
from liestonet.validation.maps.groups import Group, generated, group_of
from liestonet.validation.maps.map_input import check_map
from liestonet.validation.maps.map_test import (
    Prepared,
    map_claim,
    on_its_clock,
    prepare,
    without_date,
    without_time,
)
from liestonet.validation.maps.point_map import PointMap
from liestonet.validation.tuning import DISCRETE


@dataclass(frozen=True, eq=False)
class Tried:
    """One candidate that the data can test."""

    map: PointMap
    affine: AffineMap
    claim: Claim
    centre: FoundCentre | None = None


def of_data(data: Trajectories, criteria: Criteria, measurement: Any, clock: Any, say: Progress) -> Discrete:
    """All candidates on data, with their group."""
    prepared = without_time(prepare(data, measurement, clock, say))
    say("looking for candidates")
    affine = candidates(prepared.surrogate)
    tried = [found for each in affine if (found := _tried(prepared, each)) is not None]
    tried += _mirrors(prepared)
    if not tried:
        raise InputError(
            "The data have not visited the image of any candidate: they cover one side only. Record both "
            "sides, or test a single map with lsn.test."
        )
    say(f"testing {len(tried)} candidates")
    surrogate = prepared.surrogate
    judged = judge([each.claim for each in tried], prepared.tried, surrogate, criteria.error_rate, say)
    adjusted = holm([found.p_value for found in judged])
    rows = [_row(each, found, p, criteria) for each, found, p in zip(tried, judged, adjusted, strict=True)]
    left = len(affine) + len(_families(prepared)) - len(tried)
    notes = [f"{left} candidates lead to places that the data have not visited and were left out."] if left else []
    if prepared.autonomous is not None:
        notes.append(without_date(prepared.autonomous))
    notes += [flag.message for flag in prepared.doubts]
    group = _group(tried, rows, surrogate.names)
    return Discrete(in_order(rows), group, "data", False, criteria.error_rate, tuple(notes))


def candidates(surrogate: Surrogate) -> list[AffineMap]:
    """Signed permutations and rotations in planes, also with angles turned, and shifts of angles by parts of a turn.

    There is one for each cyclic group.
    """
    import sympy

    n, turns = surrogate.dimension, surrogate.domain.periods
    periods = [0.0, *(float(p) if np.isfinite(p) else 0.0 for p in turns[1:])]
    matrices = [*signed_permutations(n), *plane_rotations(n, DISCRETE.orders_of_data)]
    exact = [exact_number(period) if period else 0 for period in periods[1:]]
    matrices = [matrix for matrix in matrices if keeps_turns(matrix, exact)]
    found = [AffineMap.of(matrix, None, 0, periods) for matrix in matrices]
    for i in range(n):
        for k in range(2, DISCRETE.largest_part + 1) if exact[i] else ():
            offset = [exact[i] / k if j == i else 0 for j in range(n)]
            found.append(AffineMap.of(sympy.eye(n), offset, 0, periods))
    for matrix in matrices:
        found += [AffineMap.of(matrix, offset, 0, periods) for offset in with_turned_angles(matrix, exact)]
    return _one_each(found)


def _one_each(maps: Sequence[AffineMap]) -> list[AffineMap]:
    """One map for each cyclic group: if a map is a symmetry, so are its inverse and the other generators."""
    found, seen = [], set()
    for each in maps:
        order = each.element.order(DISCRETE.largest_order)
        power, keys = each.element, [each.element.key]
        for k in range(2, order or 0):
            power = each.element.after(power)
            if np.gcd(k, order or 0) == 1:
                keys.append(power.key)
        if not seen & set(keys):
            found.append(each)
            seen |= set(keys)
    return found


def _tried(prepared: Prepared, each: AffineMap) -> Tried | None:
    """A candidate whose images the data have visited, else None."""
    made = on_its_clock(prepared, each.as_map(prepared.surrogate.names))
    try:
        check_map(made, prepared.surrogate.domain)
        claim, _ = map_claim(prepared, made)
    except InputError:
        return None
    return Tried(made, each, claim)


def _families(prepared: Prepared) -> list[Family]:
    """Mirrors of single coordinates about an unknown centre."""
    n = prepared.surrogate.dimension
    return [Family(prepared, np.diag([-1.0 if j == i else 1.0 for j in range(n)]), i) for i in range(n)]


def _mirrors(prepared: Prepared) -> list[Tried]:
    """The mirrors whose centre could be found, where all errors of the coefficients are known."""
    if not prepared.surrogate.errors.complete:
        return []
    found = [(family, find_centre(family)) for family in _families(prepared)]
    return [
        Tried(family.map_at(each.value), family.at(each.value), each.claim, each)
        for family, each in found
        if each is not None
    ]


def _row(each: Tried, found: Judged, adjusted: float, criteria: Criteria) -> DiscreteRow:
    rejected = adjusted <= criteria.error_rate
    centre: Centre | None = None if each.centre is None else each.centre.interval(found.laws, criteria.error_rate)
    return DiscreteRow(
        map=each.map.text if centre is None else _about(centre),
        verdict=verdict_of(not rejected, rejected, found.lower, found.upper, criteria.tolerance),
        p_value=found.p_value,
        adjusted=adjusted,
        residual=found.residual,
        lower=found.lower,
        upper=found.upper,
        status="tested",
        centre=centre,
        order=each.affine.element.order(DISCRETE.largest_order),
    )


def _about(centre: Centre) -> str:
    return f"{centre.coordinate} -> {2 * centre.value:.4g} - {centre.coordinate}"


def _group(tried: Sequence[Tried], rows: Sequence[DiscreteRow], names: Sequence[str]) -> Group:
    """The group of symmetries, restricted to elements that were all tested and found to be symmetries.

    Mirrors about an unknown centre count where no other candidate is a symmetry.
    """
    pairs = [(each, row) for each, row in zip(tried, rows, strict=True) if row.verdict == "symmetry"]
    fixed = [each for each, _ in pairs if each.centre is None]
    if not fixed:
        return group_of([(row.map, each.affine.element) for each, row in pairs[:1]])
    supported = _supported([each.affine for each in fixed])
    chosen: list[AffineMap] = []
    for each in fixed:
        elements = generated([other.element for other in (*chosen, each.affine)])
        if elements is not None and all(element.key in supported for element in elements):
            chosen.append(each.affine)
    return group_of([(each.as_map(names).text, each.element) for each in chosen])


def _supported(maps: Sequence[AffineMap]) -> set[tuple[float, ...]]:
    """All powers of maps that are symmetries; these are symmetries too."""
    found = set()
    for each in maps:
        power = each.element
        for _ in range(each.element.order(DISCRETE.largest_order) or 1):
            found.add(power.key)
            power = each.element.after(power)
    return found
