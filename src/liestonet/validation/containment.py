"""Spans of different dimensions: one-sided containment, and the paper's protocol of subsets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np
from jaxtyping import Float

from liestonet.core.angles import principal_angles
from liestonet.core.generators import GeneratorFunction
from liestonet.errors import InputError
from liestonet.validation.tuning import GIVEN

# T and L of the box, or one length for each coordinate.
Scale = tuple[float, float | Sequence[float] | Float[np.ndarray, " d"]] | None


@dataclass(frozen=True)
class SubsetAngles:
    """All principal angles of every subset, for a box plot; `note` says that they depend on the basis."""

    angles: Float[np.ndarray, "choices size"]
    note: str = "These angles depend on the basis in which the larger span is given; containment_angles do not."


def containment_angles(
    inner: GeneratorFunction, outer: GeneratorFunction, t: object, x: object, scale: Scale = None, beta: bool = True
) -> Float[np.ndarray, " angles"]:
    """Angles in degrees, ascending, by which the span of `inner` sticks out of that of `outer`: one for each of its
    dimensions, 0 where it is contained, 90 where the outer span has no direction left.

    Neither the bases nor dependent generators matter. β counts when both have it, unless `beta` is False.
    """
    time, state = np.asarray(t, dtype=float)[:1], np.asarray(x, dtype=float)[:1]
    parts = min(len(g(time, state)) for g in (inner, outer)) if beta else 2
    first, second = (_independent(g, t, x, scale, parts) for g in (inner, outer))
    if first is None:
        return np.zeros(0)
    if second is None:
        return np.full(_count(first, t, x), 90.0)
    found = principal_angles(first, second, t, x, scale)
    missing = _count(first, t, x) - len(found)
    return np.concatenate([found, np.full(max(missing, 0), 90.0)])


def subset_angles(generators: GeneratorFunction, truth: GeneratorFunction, t: object, x: object) -> SubsetAngles:
    """The paper's protocol for unequal dimensions: every subset of the larger set against the smaller one."""
    sizes = [_count(g, t, x) for g in (generators, truth)]
    large, small = (generators, truth) if sizes[0] >= sizes[1] else (truth, generators)
    total, size = max(sizes), min(sizes)
    if comb(total, size) > GIVEN.most_subsets:
        raise InputError(
            f"There are {comb(total, size):,} subsets of {size} out of {total} generators; use containment_angles."
        )
    chosen = combinations(range(total), size)
    return SubsetAngles(np.array([principal_angles(_some(large, rows), small, t, x) for rows in chosen]))


def _count(generators: GeneratorFunction, t: object, x: object) -> int:
    return len(generators(np.asarray(t, dtype=float)[:1], np.asarray(x, dtype=float)[:1])[0])


def _some(generators: GeneratorFunction, rows: Sequence[int]) -> GeneratorFunction:
    def chosen(t: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, ...]:
        return tuple(part[list(rows)] for part in generators(t, x))

    return chosen


def _independent(
    generators: GeneratorFunction, t: object, x: object, scale: Scale, count: int
) -> GeneratorFunction | None:
    """The span of the first `count` parts as orthonormal combinations, without vanishing ones; None if all vanish."""
    time, state = np.asarray(t, dtype=float), np.asarray(x, dtype=float)
    parts = generators(time, state)[:count]
    factors = (
        np.ones(state.shape[1] + 1)
        if scale is None
        else 1 / np.append(scale[0], np.broadcast_to(scale[1], state.shape[1]))
    )
    stacked = np.concatenate(
        [parts[0][:, :, None] * factors[0], parts[1] * factors[1:], *(b[:, :, None] for b in parts[2:])], axis=2
    )
    columns = stacked.reshape(len(parts[0]), -1)
    lengths = np.linalg.norm(columns, axis=1)
    kept = lengths > GIVEN.dependent * max(float(lengths.max(initial=0.0)), np.finfo(float).tiny)
    if not kept.any():
        return None
    left, values, _ = np.linalg.svd(columns[kept] / lengths[kept, None], full_matrices=False)
    turn = left[:, values > GIVEN.dependent * values[0]].T / lengths[kept]

    def span(t: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, ...]:
        return tuple(np.tensordot(turn, part[kept], axes=1) for part in generators(t, x)[:count])

    return span
