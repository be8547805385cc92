"""Chebyshev interpolation of many entries at once, each in the variables it depends on.

An entry with few coefficients is interpolated on a tensor grid. A larger one is first decomposed into parts for the
groups of variables that interact (anchored decomposition, exact); parts that are still too large are fitted by least
squares with chosen terms.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations, product

import numpy as np
from jaxtyping import Float, Int
from scipy.linalg import cho_factor, cho_solve

from liestonet.sde.polynomial import Expansion, ProductTable, expansion
from liestonet.sde.probing import ROUNDING, Function, Resolution, nodes, transform
from liestonet.sde.tuning import SERIES

Group = tuple[int, ...]
Index = tuple[tuple[int, ...], ...]


@dataclass
class Pieces:
    """A list of (term, entry, coefficient) triples that grows."""

    terms: list[Int[np.ndarray, "m v"]] = field(default_factory=list)
    entries: list[Int[np.ndarray, " m"]] = field(default_factory=list)
    coefficients: list[Float[np.ndarray, " m"]] = field(default_factory=list)

    def add(self, terms: Int[np.ndarray, "m v"], coefficients: Float[np.ndarray, " m"], entry: int) -> None:
        kept = coefficients != 0
        self.terms.append(terms[kept])
        self.entries.append(np.full(int(kept.sum()), entry))
        self.coefficients.append(coefficients[kept])


def fit(function: Function, resolution: Resolution) -> Expansion:
    """One polynomial per entry, in the variables of the unit cube."""
    jobs: dict[tuple[Group, tuple[int, ...]], list[tuple[int, int]]] = defaultdict(list)
    coupled: list[int] = []
    entries = range(resolution.degree.shape[1])
    large = [e for e in entries if grid_size(resolution, e, active(resolution, e)) > SERIES.direct]
    groups = interactions(function, resolution, large)
    for entry in entries:
        everything = active(resolution, entry)
        weights = inclusion_exclusion(groups.get(entry, {everything}))
        if not weights or sum(grid_size(resolution, entry, group) for group in weights) > SERIES.largest_grid:
            coupled.append(entry)
            continue
        for group, weight in weights.items():
            jobs[group, tuple(int(resolution.degree[v, entry]) for v in group)].append((entry, weight))
    pieces = Pieces()
    for (group, degrees), members in jobs.items():
        terms, coefficients = interpolate(function, resolution, group, degrees, [e for e, _ in members])
        for column, (entry, weight) in enumerate(members):
            pieces.add(terms, weight * coefficients[:, column], entry)
    for (group, index), members in chosen_terms(resolution, coupled).items():
        terms, coefficients = least_squares(function, resolution, group, np.array(index), members)
        for column, entry in enumerate(members):
            pieces.add(terms, coefficients[:, column], entry)
    return expansion(
        np.concatenate(pieces.terms),
        np.concatenate(pieces.entries),
        np.concatenate(pieces.coefficients),
        resolution.tolerance,
    )


def active(resolution: Resolution, entry: int) -> Group:
    """The variables an entry depends on."""
    return tuple(np.flatnonzero(resolution.degree[:, entry]).tolist())


def grid_size(resolution: Resolution, entry: int, group: Group) -> float:
    """Number of points of the tensor grid for these variables."""
    return float(np.prod([resolution.degree[v, entry] + 1.0 + SERIES.margin for v in group]))


def inclusion_exclusion(groups: set[Group]) -> dict[Group, int]:
    """Weights w_u with f(z) = Σ_u w_u f(z_u, anchor elsewhere) when only subsets of the groups interact."""
    weights: dict[Group, int] = defaultdict(int)
    for group in {part for g in groups for size in range(len(g) + 1) for part in combinations(g, size)}:
        for size in range(len(group) + 1):
            for part in combinations(group, size):
                weights[part] += (-1) ** (len(group) - size)
    return {part: weight for part, weight in sorted(weights.items()) if weight}


def interactions(function: Function, resolution: Resolution, entries: list[int]) -> dict[int, set[Group]]:
    """The maximal groups of interacting variables of each entry; an empty set if there are too many."""
    tolerance = 16 * resolution.tolerance
    known: dict[int, set[Group]] = {e: {(v,) for v in active(resolution, e)} for e in entries}
    latest, size = {e: set(groups) for e, groups in known.items()}, 1
    while any(latest.values()):
        size += 1
        wanted = {e: set(_extensions(groups, size)) for e, groups in latest.items()}
        union = sorted(set().union(*wanted.values()))
        if not union:
            break
        if len(union) * 2**size * SERIES.trials > SERIES.largest_grid:
            return {e: (groups if not wanted[e] else set()) for e, groups in known.items()}
        sizes = dict(zip(union, mixed_differences(function, len(resolution.degree), union), strict=True))
        latest = {e: {g for g in wanted[e] if sizes[g][e] > tolerance[e]} for e in entries}
        for entry in entries:
            known[entry] |= latest[entry]
    return known


def _extensions(groups: set[Group], size: int) -> Iterator[Group]:
    """Groups of this size all of whose subsets with one variable less are among the groups."""
    members = sorted({v for group in groups for v in group})
    for group in groups:
        for v in members:
            larger = (*group, v)
            if v > group[-1] and all(part in groups for part in combinations(larger, size - 1)):
                yield larger


def mixed_differences(function: Function, variables: int, groups: list[Group]) -> list[Float[np.ndarray, " e"]]:
    """Largest mixed difference of every entry over each group, at random places of the unit cube."""
    rng = np.random.default_rng(31415)
    size = len(groups[0])
    corners = np.array(list(product((False, True), repeat=size)))
    signs = (-1.0) ** corners.sum(axis=1)
    one, other = np.cos(np.pi * rng.uniform(size=(2, SERIES.trials, variables)))
    points = np.tile(one[:, None, :], (len(groups), len(corners), 1))
    for index, group in enumerate(groups):
        where = points[index * SERIES.trials : (index + 1) * SERIES.trials]
        for position, variable in enumerate(group):
            where[:, corners[:, position], variable] = other[:, None, variable]
    values = function(points.reshape(-1, variables))
    differences = np.einsum("gtce,c->gte", values.reshape(len(groups), SERIES.trials, len(corners), -1), signs)
    return list(np.abs(differences).max(axis=1))


def interpolate(
    function: Function,
    resolution: Resolution,
    group: Group,
    degrees: tuple[int, ...],
    entries: list[int],
) -> tuple[Int[np.ndarray, "m v"], Float[np.ndarray, "m e"]]:
    """Tensor interpolation in a group of variables, the others at the centre; degrees are raised as needed."""
    variables = len(resolution.degree)
    counts = [degree + 1 + SERIES.margin for degree in degrees]
    tolerance = 4 * resolution.tolerance[entries]
    while True:
        grids = np.meshgrid(*[nodes(count) for count in counts], indexing="ij")
        z = np.zeros((int(np.prod(counts)), variables))
        for variable, grid in zip(group, grids, strict=True):
            z[:, variable] = grid.reshape(-1)
        coefficients = function(z)[:, entries].reshape(*counts, len(entries))
        for axis in range(len(group)):
            coefficients = transform(coefficients, axis)
        grown = [
            count + max(2, count // 2) if _unresolved(coefficients, axis, tolerance) else count
            for axis, count in enumerate(counts)
        ]
        if grown == counts or np.prod(grown, dtype=float) > SERIES.largest_grid:
            break
        counts = grown
    terms = np.zeros((len(z), variables), dtype=int)
    if group:
        terms[:, list(group)] = np.stack(np.unravel_index(np.arange(len(z)), counts), axis=1)
    coefficients = coefficients.reshape(len(z), len(entries))
    kept = (np.abs(coefficients) > ROUNDING / 4 * resolution.scale[entries]).any(axis=1)
    return terms[kept], coefficients[kept]


def _unresolved(coefficients: Float[np.ndarray, "..."], axis: int, tolerance: Float[np.ndarray, " e"]) -> bool:
    """Whether coefficients of the last degrees along an axis are above the tolerance."""
    last = np.abs(np.moveaxis(coefficients, axis, 0)[-SERIES.margin :])
    return bool((last.reshape(-1, len(tolerance)).max(axis=0) > tolerance).any())


def chosen_terms(resolution: Resolution, entries: list[int]) -> dict[tuple[Group, Index], list[int]]:
    """For strongly coupled entries the terms that are expected to be largest, from the decay along single variables."""
    chosen: dict[tuple[Group, Index], list[int]] = defaultdict(list)
    for entry in entries:
        group = active(resolution, entry)
        decays = [resolution.decay[v][:, entry] for v in group]
        best, low, high = largest_terms(decays, 0.0), -40.0, 0.0
        for _ in range(14):
            middle = (low + high) / 2
            found = largest_terms(decays, middle)
            low, high = (middle, high) if found is None else (low, middle)
            best = best if found is None else found
        chosen[group, tuple(map(tuple, [] if best is None else best.tolist()))].append(entry)
    return chosen


def largest_terms(decays: list[Float[np.ndarray, " _"]], threshold: float) -> Int[np.ndarray, "m k"] | None:
    """Multi-indices k with Σ_v log decay_v(k_v) ≥ threshold; None when there are more than SERIES.most_terms."""
    index, total = np.zeros((1, 0), dtype=int), np.zeros(1)
    for decay in decays:
        sums = total[:, None] + np.log(np.maximum(decay, 1e-300))
        row, degree = np.nonzero(sums >= threshold)
        if len(row) > SERIES.most_terms:
            return None
        index, total = np.column_stack([index[row], degree]), sums[row, degree]
    return index


def least_squares(
    function: Function,
    resolution: Resolution,
    group: Group,
    index: Int[np.ndarray, "m k"],
    entries: list[int],
) -> tuple[Int[np.ndarray, "m v"], Float[np.ndarray, "m e"]]:
    """Coefficients of the given terms from random points with the Chebyshev distribution."""
    rng = np.random.default_rng(1618)
    z = np.zeros((3 * len(index), len(resolution.degree)))
    z[:, list(group)] = np.cos(np.pi * rng.uniform(size=(len(z), len(group))))
    terms = np.zeros((len(index), z.shape[1]), dtype=int)
    terms[:, list(group)] = index
    design = ProductTable.build(terms).values(z).T
    values = function(z)[:, entries]
    factor = cho_factor(design.T @ design)
    solution = cho_solve(factor, design.T @ values)
    return terms, solution + cho_solve(factor, design.T @ (values - design @ solution))
