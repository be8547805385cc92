"""Spans of different dimensions: one-sided containment, the paper's protocol of subsets, and weights against growth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from liestonet.errors import InputError
from liestonet.validation.angles import Generators, principal_angles

# Columns whose independent part is below this share of their length span nothing new.
DEPENDENT = 1e-10
MOST_SUBSETS = 5_000

Scale = tuple[float, float | Sequence[float]] | Any | None


@dataclass(frozen=True)
class SubsetAngles:
    """All principal angles of every subset, for a box plot; `note` says what they depend on."""

    subsets: Int[np.ndarray, "choices size"]
    angles: Float[np.ndarray, "choices size"]
    note: str = "These angles depend on the basis in which the larger span is given; containment_angles do not."


def containment_angles(
    inner: Generators, outer: Generators, t: Any, x: Any, scale: Scale = None, weights: Any = None, beta: bool = True
) -> Float[np.ndarray, " angles"]:
    """Angles in degrees, ascending, by which the span of `inner` sticks out of that of `outer`: one for each of its
    dimensions, 0 where it is contained, 90 where the outer span has no direction left.

    Neither the bases nor dependent generators matter. β counts when both have it, unless `beta` is False.
    """
    first, second = (_independent(g, t, x, scale, weights, beta, (inner, outer)) for g in (inner, outer))
    if first is None:
        return np.zeros(0)
    if second is None:
        return np.full(_count(first, t, x), 90.0)
    found = principal_angles(first, second, t, x, scale, weights)
    missing = _count(first, t, x) - len(found)
    return np.concatenate([found, np.full(max(missing, 0), 90.0)])


def subset_angles(
    generators: Generators, truth: Generators, t: Any, x: Any, scale: Scale = None, weights: Any = None
) -> SubsetAngles:
    """The paper's protocol for unequal dimensions: every subset of the larger set against the smaller one."""
    sizes = [_count(g, t, x) for g in (generators, truth)]
    large, small = (generators, truth) if sizes[0] >= sizes[1] else (truth, generators)
    total, size = max(sizes), min(sizes)
    if comb(total, size) > MOST_SUBSETS:
        raise InputError(
            f"There are {comb(total, size):,} subsets of {size} out of {total} generators; use containment_angles."
        )
    chosen = list(combinations(range(total), size))
    angles = [principal_angles(_some(large, rows), small, t, x, scale, weights) for rows in chosen]
    return SubsetAngles(np.array(chosen, dtype=np.int64).reshape(len(chosen), size), np.array(angles))


def growth_weights(generators: Generators, t: Any, x: Any, scale: Scale = None) -> Float[np.ndarray, " b"]:
    """Weights by which every point counts the same, however fast generators grow: e^{2t} no longer drowns early times.

    The inverse of all generators' mean square at each point, each generator at unit length, up to a small floor.
    """
    factors = (
        np.ones(np.shape(x)[1] + 1)
        if scale is None
        else 1 / np.append(scale[0], np.broadcast_to(scale[1], np.shape(x)[1]))
    )
    tau, xi, *_ = generators(np.asarray(t, dtype=float), np.asarray(x, dtype=float))
    squares = (factors[0] * tau) ** 2 + np.sum((factors[1:] * xi) ** 2, axis=2)
    means = squares.mean(axis=1, keepdims=True)
    size = np.mean(squares / np.where(means > 0, means, 1.0), axis=0)
    floor = 1e-6 * max(float(size.mean()), np.finfo(float).tiny)
    found = 1 / (size + floor)
    return found / found.mean()


def _count(generators: Generators, t: Any, x: Any) -> int:
    return len(generators(np.asarray(t, dtype=float)[:1], np.asarray(x, dtype=float)[:1])[0])


def _some(generators: Generators, rows: Sequence[int]) -> Generators:
    def chosen(t: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, ...]:
        return tuple(part[list(rows)] for part in generators(t, x))

    return chosen


def _independent(
    generators: Generators, t: Any, x: Any, scale: Scale, weights: Any, beta: bool, pair: tuple[Generators, Generators]
) -> Generators | None:
    """The same span by orthonormal combinations, without what vanishes at the points; None where all does."""
    time, state = np.asarray(t, dtype=float), np.asarray(x, dtype=float)
    shared = min(len(g(time[:1], state[:1])) for g in pair) if beta else 2
    parts = generators(time, state)[:shared]
    factors = (
        np.ones(state.shape[1] + 1)
        if scale is None
        else 1 / np.append(scale[0], np.broadcast_to(scale[1], state.shape[1]))
    )
    root = np.ones(len(time)) if weights is None else np.sqrt(np.asarray(weights, dtype=float))
    stacked = np.concatenate(
        [parts[0][:, :, None] * factors[0], parts[1] * factors[1:], *(b[:, :, None] for b in parts[2:])], axis=2
    )
    columns = (stacked * root[:, None]).reshape(len(parts[0]), -1)
    lengths = np.linalg.norm(columns, axis=1)
    kept = lengths > DEPENDENT * max(float(lengths.max(initial=0.0)), np.finfo(float).tiny)
    if not kept.any():
        return None
    left, values, _ = np.linalg.svd(columns[kept] / lengths[kept, None], full_matrices=False)
    turn = left[:, values > DEPENDENT * values[0]].T / lengths[kept]

    def span(t: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, ...]:
        return tuple(np.tensordot(turn, part[kept], axes=1) for part in generators(t, x)[:shared])

    return span
