"""Candidate intervals for each variable when no domain is given.

The input are breakpoints: points of one variable to avoid. The output are intervals in the order of preference.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from jaxtyping import Bool, Float

from liestonet.sde.probing import stack
from liestonet.sde.sde import SDE
from liestonet.sde.singularities import Locus, Singularity
from liestonet.sde.tuning import BOX


@dataclass(frozen=True, order=True)
class Candidate:
    """An interval; a lower score is tried earlier."""

    score: float
    low: float
    high: float


@dataclass(frozen=True)
class Breakpoints:
    """Points of one variable that a domain must avoid (hard) or should avoid if possible (soft)."""

    hard: tuple[float, ...] = ()
    soft: tuple[float, ...] = ()


def symbolic_breakpoints(sde: SDE, found: Sequence[Locus], variable: int) -> Breakpoints:
    """Zeros of the loci that depend on this variable alone."""
    own = [locus for locus in found if locus.variables == (variable,)]
    hard = {root for locus in own if locus.kind is not Singularity.NOISE for root in locus.roots(-BOX.reach, BOX.reach)}
    soft = {root for locus in own if locus.kind is Singularity.NOISE for root in locus.roots(-BOX.reach, BOX.reach)}
    return Breakpoints(tuple(sorted(hard)), _degenerate(sde, variable, soft))


def numeric_breakpoints(sde: SDE, variable: int) -> Breakpoints:
    """Breakpoints of callables: where entries cease to be finite, and where entries of σ change sign.

    A point counts only if it is the same on every line along the variable: it then depends on this variable alone.
    """
    rng = np.random.default_rng(97)
    grid = np.linspace(-3.0, 3.0, BOX.grid)
    lines = rng.uniform(-2.0, 2.0, (BOX.lines, sde.dimension + 1))
    lines[:, 0] = rng.uniform(0.0, 1.0, BOX.lines)
    points = np.repeat(lines, BOX.grid, axis=0)
    points[:, variable] = np.tile(grid, BOX.lines)
    values = stack(sde, points).reshape(BOX.lines, BOX.grid, -1)
    hard: set[float] = set()
    soft: set[float] = set()
    for entry in range(values.shape[2]):
        column = values[:, :, entry]
        usable = column[np.isfinite(column).any(axis=1)]
        if not len(usable):
            continue
        finite = np.isfinite(usable)
        hard |= _common_changes(grid, finite, np.zeros_like(finite))
        if entry >= sde.dimension:
            zero = usable == 0
            changes = ~zero.all(axis=1).any() & finite.all()
            soft |= _common_changes(grid, usable > 0, zero) if changes else set()
            soft |= set(grid[zero.all(axis=0)].tolist()) if not zero.all() else set()
    return Breakpoints(tuple(sorted(hard)), _degenerate(sde, variable, soft))


def _degenerate(sde: SDE, variable: int, zeros: set[float]) -> tuple[float, ...]:
    """Those zeros of entries of σ at which its rank drops, or all noise of the variable's own coordinate vanishes.

    A zero of a single entry need not matter: a rotation σ = Rot(t) has entries with zeros and is as regular as σ = 1.
    """
    rng = np.random.default_rng(41)
    lines = rng.uniform(-2.0, 2.0, (8 * BOX.lines, sde.dimension + 1))
    lines[:, 0] = rng.uniform(0.0, 1.0, len(lines))
    return tuple(zero for zero in sorted(zeros) if _is_degenerate(sde, variable, zero, lines))


def _is_degenerate(sde: SDE, variable: int, zero: float, lines: Float[np.ndarray, "l v"]) -> bool:
    """Whether σ loses rank, or the variable's own row, at a zero on every line along the variable."""
    # The near points are as close as the search knows the zero; the far ones are for comparison.
    near, far = np.linspace(-0.025, 0.025, 21), np.linspace(-0.5, 0.5, 20)
    offsets = np.concatenate([near, far])
    points = np.repeat(lines, len(offsets), axis=0)
    points[:, variable] = np.tile(zero + offsets, len(lines))
    sigma = sde.diffusion(points[:, 0], points[:, 1:]).reshape(len(lines), len(offsets), sde.dimension, sde.noise)
    defined = np.asarray(np.isfinite(sigma).all(axis=(2, 3)))
    usable = defined[:, : len(near)].any(axis=1) & defined[:, len(near) :].any(axis=1)
    if not usable.any():
        return True
    sizes = [_rank_sizes(sigma[usable], defined[usable])]
    if variable > 0:
        sizes.append(np.linalg.norm(sigma[usable][:, :, variable - 1], axis=2))
    return any(_vanishes(size, len(near)) for size in sizes)


def _rank_sizes(sigma: Float[np.ndarray, "l p n r"], defined: Bool[np.ndarray, "l p"]) -> Float[np.ndarray, "l p"]:
    """The smallest singular value of σ that is not zero everywhere, each coordinate in its own unit."""
    filled = np.where(defined[:, :, None, None], sigma, 0.0)
    units = np.abs(filled).max(axis=(0, 1, 3), initial=0.0)
    values = np.linalg.svd(filled / np.where(units > 0, units, 1.0)[:, None], compute_uv=False)
    largest = values.max(axis=(0, 1), initial=0.0)
    rank = int(np.sum(largest > 1e-9))
    return np.where(defined, values[:, :, max(rank - 1, 0)], np.nan)


def _vanishes(sizes: Float[np.ndarray, "l p"], near: int) -> bool:
    """Whether a size nearly vanishes at the zero, on every line."""
    smallest, usual = np.nanmin(sizes[:, :near], axis=1), np.nanmedian(sizes[:, near:], axis=1)
    return bool((smallest <= BOX.nothing * usual).all())


def _common_changes(
    grid: Float[np.ndarray, " k"], state: Bool[np.ndarray, "l k"], ignored: Bool[np.ndarray, "l k"]
) -> set[float]:
    """Places where the state changes on every line; of the two ends of the step, the rounder number."""
    change = (state[:, 1:] != state[:, :-1]) & ~ignored[:, 1:] & ~ignored[:, :-1]
    pairs = [(grid[i], grid[i + 1]) for i in np.flatnonzero(change.all(axis=0))]
    return {float(min(pair, key=lambda v: abs(2 * v - round(2 * v)))) for pair in pairs}


def coordinate_candidates(points: Breakpoints, avoid_noise: bool, generic: bool) -> list[Candidate]:
    """Intervals in order: (−1, 1) if no breakpoint is near, then intervals between breakpoints, preferably positive."""
    if avoid_noise:
        breaks = sorted({*points.hard, *points.soft})
        found = _between(breaks, generic)
        if found and (found[0].high - found[0].low) / 2 >= BOX.smallest:
            return found
    return _between(list(points.hard), generic)


def _between(breaks: list[float], generic: bool) -> list[Candidate]:
    intervals = {(-1.0, 1.0): 0.0}
    for low, high in zip([-math.inf, *breaks], [*breaks, math.inf], strict=True):
        if math.isfinite(low):
            intervals[low + 0.5, low + 2.0] = 0.0
        if math.isfinite(high):
            intervals[high - 2.0, high - 0.5] = 0.0
        if math.isfinite(low) and math.isfinite(high):
            quarter = (high - low) / 4
            intervals[low + quarter, high - quarter] = 0.0
    if generic:
        for centre in (0.0, 1.0, -1.0, 2.0, -2.0, 3.0, -3.0):
            for half in (1.0, 0.5, 0.25):
                intervals.setdefault((centre - half, centre + half), 0.5)
    clear = [(low, high, extra) for (low, high), extra in intervals.items() if is_clear(low, high, breaks)]
    return sorted(Candidate(_score(low, high) + extra, low, high) for low, high, extra in clear)


def _score(low: float, high: float) -> float:
    centre, half = (low + high) / 2, (high - low) / 2
    return abs(centre) + 0.5 * abs(math.log(half)) + (0.3 if centre < 0 else 0.0)


def time_candidates(points: Breakpoints, avoid_noise: bool) -> list[Candidate]:
    """Intervals in order: (0, 1), shorter ones from 0, then intervals after and between breakpoints, earliest first."""
    breaks = sorted({*points.hard, *points.soft}) if avoid_noise else list(points.hard)
    intervals = [(0.0, duration) for duration in BOX.durations[:6]]
    later = [(b + 1.0, b + 2.0) for b in breaks] + [((3 * a + b) / 4, (a + 3 * b) / 4) for a, b in pairwise(breaks)]
    # Breakpoints were searched for up to BOX.reach only.
    intervals += sorted((pair for pair in later if pair[0] >= 0 and pair[1] <= BOX.reach), key=lambda pair: pair[1])
    intervals += [(b - 2.0, b - 1.0) for b in reversed(breaks)]
    kept = [(low, high) for low, high in intervals if is_clear(low, high, breaks)]
    return [Candidate(0.5 * rank, low, high) for rank, (low, high) in enumerate(kept)]


def is_clear(low: float, high: float, breaks: Sequence[float]) -> bool:
    """Whether every breakpoint is outside the interval and far enough from it."""
    margin = BOX.clearance * (high - low) / 2 * (1 - 1e-9)
    return all(b <= low - margin or b >= high + margin for b in breaks)


def combinations_in_order(lists: Sequence[list[Candidate]]) -> Iterator[tuple[Candidate, ...]]:
    """One candidate from each list, smallest total score first."""
    if not all(lists):
        return
    start = tuple(0 for _ in lists)
    queue = [(0.0, start)]
    seen = {start}
    while queue:
        total, index = heapq.heappop(queue)
        yield tuple(candidates[i] for candidates, i in zip(lists, index, strict=True))
        for position, candidates in enumerate(lists):
            i = index[position]
            following = (*index[:position], i + 1, *index[position + 1 :])
            if i + 1 < len(candidates) and following not in seen:
                seen.add(following)
                heapq.heappush(queue, (total + candidates[i + 1].score - candidates[i].score, following))
